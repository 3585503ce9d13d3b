"""The first replies: a sample of them is asked for, read and judged again."""

import hashlib
import json
import random

import first_replies
import numpy as np
import pytest

from propslib import LLMBrain, search
from propslib.brain import StopSearch
from propslib.study import load_table

PLAN = json.loads((first_replies.FOLDER / "plan.json").read_text(encoding="utf-8"))
REPLIES = load_table(first_replies.FOLDER / "replies.jsonl")
JUDGED = load_table(first_replies.HERE / "first_replies.jsonl")
QUICK = [one for one in REPLIES if "swimmer" not in one["cell"]]


def test_the_replies_are_those_that_the_plan_asked_for_first():
    for lines in (REPLIES, JUDGED):
        there = [[one["cell"], one["seed"]] for one in lines]
        assert sorted(there) == sorted(PLAN["runs"][: len(REPLIES)])


@pytest.mark.parametrize("draw", range(4))
def test_a_prompt_a_reply_and_its_worth_are_as_recorded(draw):
    reply = random.Random().choice(QUICK)  # another one each time
    cell, asked = PLAN["cells"][reply["cell"]], []

    def chat(prompt):
        asked.append(hashlib.sha256(prompt.encode()).hexdigest())
        if len(asked) > 1:
            raise StopSearch("only the first was asked for")
        return reply["reply"]

    world, policy = first_replies.set_up(cell)
    with world:
        brain = LLMBrain(chat, policy, **cell["brain"])
        settings = {"budget": cell["budget"], "episodes": cell["episodes"], "seed": reply["seed"]}
        run = search(brain, world, policy, **settings)
    assert asked[0] == reply["prompt_sha256"]
    np.testing.assert_array_equal(run.proposals[0].params, reply["params"])
    assert run.proposals[0].value == pytest.approx(reply["value"])
    held_out = {(one["cell"], one["seed"]): one["held_out"] for one in JUDGED}
    again = first_replies.judge(cell, reply["params"])
    assert again == pytest.approx(held_out[reply["cell"], reply["seed"]], abs=1e-5)
