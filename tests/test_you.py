"""A person as the model: in a terminal, and in the kernel of a real notebook."""

from unittest.mock import Mock

import numpy as np
import pytest
from person import converse, kernel

from propslib import LLMBrain, Run, TableBrain, TablePolicy, Trial, World, chat, search
from propslib.brain import ReplyError, StopSearch

SETTINGS = {"budget": 3, "warmup": 2, "episodes": 2}


@pytest.fixture
def types(monkeypatch):
    """Lets a person type these lines; then the input ends. Gives the keyboard, which was asked."""

    def start(*lines):
        keyboard = Mock(side_effect=[*lines, EOFError])
        monkeypatch.setattr("builtins.input", keyboard)
        return keyboard

    return start


def bound(policy):
    brain = LLMBrain(chat("you"), policy)
    brain.begin(60, 2)
    return brain


FORMS = {
    **{"0 6 0.1": "0, 6, 0.1", "  0\t+6   1e-1 ": "0, +6, 1e-1", "[0, 6, .14]": "[0, 6, .14]"},
    "params[1] = 6, params[0]: 0; params[2]: .1": "params[1] = 6, params[0]: 0; params[2]: .1",
    "0 6 0.1 # because 5 5 5 was slow": "0, 6, 0.1\nbecause 5 5 5 was slow",
}


@pytest.mark.parametrize("typed", FORMS)
def test_numbers_are_typed_in_any_form_that_can_be_read(policy, types, typed):
    types(typed)
    proposal = bound(policy).ask()
    assert proposal.params.tolist() == [0, 6, 0.1]
    assert (proposal.reply.text, proposal.reply.model) == (FORMS[typed], "a person")


def test_rows_of_a_table_are_typed_on_one_line(types, lake):
    brain = TableBrain(chat("you"), TablePolicy(lake), lake, description="A lake.")
    brain.begin(60, 2)
    brain.tell(Trial(0, np.ones(16), 0.25))
    keyboard = types("14 | 3; 15 | 2 # to the goal")
    proposal = brain.ask()
    assert proposal.reply.text == "14 | 3\n15 | 2\nto the goal"
    assert proposal.params.tolist() == [1] * 14 + [3, 2]
    keyboard.assert_called_once_with(
        "Proposal 1 of 60, rows state | action; ..., actions from 0 to 3, or prompt, or stop: "
    )


@pytest.mark.parametrize(
    ("typed", "words"),
    [("", "empty"), ("0 6", "3"), ("0 6 9", "params[2] is 9"), ("0,5 6 1", ""), ("4 5 6", "-1.50")],
)
def test_a_typing_error_is_answered_with_the_models_sentence(policy, types, capsys, typed, words):
    brain = bound(policy)
    brain.tell(Trial(0, np.array([4.0, 5.0, 6.0]), -1.5))
    types(typed, "1 2 3")
    assert brain.ask().reply.text == "1, 2, 3"
    answered = capsys.readouterr().out.strip().splitlines()[-1]
    with pytest.raises(ReplyError) as error:
        brain.read(typed if "," in typed else ", ".join(typed.split()))
    assert words in answered == str(error.value)


def test_the_table_is_shown_before_each_proposal(car, policy, types, capsys):
    types("0 6 0.1", "0 0 0", "0 6 5")
    search(LLMBrain(chat("you"), policy), car, policy, **SETTINGS)
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "Trials so far, all of 2, newest last:"
    assert [line.split()[0] for line in lines[1:4]] == ["proposal", "warm-up", "warm-up"]
    assert lines[-6] == "Trials so far, all of 4, newest last:"
    assert lines[-1].split() == ["2", "0.00", "0.0,", "0.0,", "0.0,", "the", "best", "so", "far"]


def test_a_long_history_is_shortened_and_says_so(policy, types, capsys):
    brain = bound(policy)
    for i in range(60):
        brain.tell(Trial(i, np.array([0, i / 10, 0]), -abs(i - 20.0)))
    types("prompt", "1 2 3")
    assert brain.ask().params.tolist() == [1, 2, 3]
    shown = capsys.readouterr().out
    lines = shown.splitlines()
    assert "the 5 best and the 10 latest of 60" in lines[0]
    assert [int(line.split()[0]) for line in lines[2:17]] == [*range(18, 23), *range(50, 60)]
    assert [line.split()[0] for line in lines if line.endswith("best so far")] == ["20"]
    assert shown.endswith(brain.prompt() + "\n")
    with World("FrozenLake-v1", map_name="8x8") as world:
        brain = bound(TablePolicy(world))
    brain.tell(Trial(0, np.ones(64), 0.5))
    types(" ".join("0" * 64))
    assert brain.ask().params.tolist() == [0] * 64
    assert len(capsys.readouterr().out.splitlines()[2]) < 160


@pytest.mark.parametrize("last", [["stop"], ["Stop"], []])
def test_a_person_stops_and_goes_on_where_the_log_ends(car, policy, types, tmp_path, last):
    log = tmp_path / "mine"
    types("0 6 0.1 # push", *last)
    stopped = search(LLMBrain(chat("you"), policy), car, policy, log=log, **SETTINGS)
    assert ("asked to stop" if last else "input has ended") in stopped.stopped
    assert len(stopped.proposals) == 1 and Run.load(f"{log}.jsonl").refusals == []
    types("0 6 0.2", "0 6 0.3")
    run = search(LLMBrain(chat("you"), policy), car, policy, log=log, **SETTINGS)
    assert [trial.params[2] for trial in run.proposals] == [0.1, 0.2, 0.3]


def test_without_a_brain_it_answers_what_was_typed(types, capsys):
    types("Good morning # to you")
    reply = chat("you")("Hello")
    assert (reply.text, reply.model, reply.usd) == ("Good morning # to you", "a person", 0)
    assert capsys.readouterr().out == "Hello\n"
    with pytest.raises(StopSearch, match="input has ended"):
        chat("you")("Hello")
    with pytest.raises(TypeError, match="temperature"):
        chat("you", temperature=1)


def test_a_notebook_that_nobody_sits_at_says_so():
    with kernel() as client:
        outputs, _ = converse(client, 'from propslib import chat; chat("you")("Hello")')
    error = next(output for output in outputs if "ename" in output)
    assert error["ename"] == "ChatError" and "needs a person" in error["evalue"]
