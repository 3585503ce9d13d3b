"""A person as the model: in a terminal, and in the kernel of a real notebook."""

import contextlib
import time
from queue import Empty

import numpy as np
import pytest
from jupyter_client.manager import start_new_kernel

from propslib import LLMBrain, Run, TableBrain, TablePolicy, Trial, World, chat, search
from propslib.brain import ReplyError, StopSearch

SETTINGS = {"budget": 3, "warmup": 2, "episodes": 2}


@pytest.fixture
def types(monkeypatch):
    """Lets a person type these lines; then the input ends. Gives the questions asked."""

    def start(*lines):
        questions, left = [], iter(lines)

        def answer(question):
            questions.append(question)
            line = next(left, EOFError())
            if isinstance(line, BaseException):
                raise line
            return line

        monkeypatch.setattr("builtins.input", answer)
        return questions

    return start


def bound(policy, **settings):
    brain = LLMBrain(chat("you"), policy, **settings)
    brain.begin(60, 2)
    return brain


@pytest.mark.parametrize(
    ("typed", "reply", "params"),
    [
        ("0 6 0.1", "0, 6, 0.1", [0, 6, 0.1]),
        ("  -1\t+2.5   −3e0 ", "-1, +2.5, −3e0", [-1, 2.5, -3]),
        ("0, 6, 0.1", "0, 6, 0.1", [0, 6, 0.1]),
        ("[0, 6, .14]", "[0, 6, .14]", [0, 6, 0.1]),
        ("params[1] = 6, params[0]: 0; params[2]: .1",) * 2 + ([0, 6, 0.1],),
        ("0 6 0.1 # because 5 5 5 was slow", "0, 6, 0.1\nbecause 5 5 5 was slow", [0, 6, 0.1]),
    ],
)
def test_numbers_are_typed_in_any_form_that_can_be_read(policy, types, typed, reply, params):
    types(typed)
    brain = bound(policy)
    proposal = brain.ask()
    assert proposal.params.tolist() == params and proposal.error is None
    assert (proposal.reply.text, proposal.reply.model) == (reply, "a person")
    assert brain.read(proposal.reply.text).tolist() == params


def test_rows_of_a_table_are_typed_on_one_line(types):
    with World("FrozenLake-v1") as world:
        brain = TableBrain(chat("you"), TablePolicy(world), world, description="A lake.")
        brain.begin(60, 2)
        brain.tell(Trial(0, np.ones(16), 0.25))
        questions = types("14 | 3; 15 | 2 # to the goal")
        proposal = brain.ask()
    assert proposal.reply.text == "14 | 3\n15 | 2\nto the goal"
    assert proposal.params.tolist() == [1] * 14 + [3, 2]
    assert questions == ["Proposal 1 of 60, rows state | action, actions from 0 to 3 (or help): "]


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


def test_the_table_is_shown_once_and_then_what_is_new(car, policy, types, capsys):
    types("0 6 0.1", "0 0 0", "table", "0 6 5")
    run = search(LLMBrain(chat("you"), policy), car, policy, **SETTINGS)
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "Trials so far, all of 2, newest last:"
    assert lines[1].split() == ["proposal", "value", "parameters"]
    assert [line.split()[0] for line in lines[2:4]] == ["warm-up", "warm-up"]
    assert [line for line in lines if line.startswith("It earned")] == [
        f"It earned {trial.value:.2f}, the best so far." for trial in run.proposals[:2]
    ]
    assert lines.index("Trials so far, all of 4, newest last:") == len(lines) - 6
    assert lines[-1].split() == ["2", "0.00", "0.0,", "0.0,", "0.0,", "the", "best", "so", "far"]


def test_a_long_history_is_shortened_and_says_so(policy, types, capsys):
    brain = bound(policy)
    for i in range(60):
        brain.tell(Trial(i, np.array([0, i / 10, 0]), -abs(i - 20.0)))
    types("help", "?", "prompt", "1 2 3")
    assert brain.ask().params.tolist() == [1, 2, 3]
    shown = capsys.readouterr().out
    lines = shown.splitlines()
    assert lines[0] == "Trials so far, the 5 best and the 10 latest of 60, newest last:"
    assert [int(line.split()[0]) for line in lines[2:17]] == [*range(18, 23), *range(50, 60)]
    assert [line.split()[0] for line in lines if line.endswith("best so far")] == ["20"]
    assert shown.count("Your answer is one line: 3 numbers from -6 to 6.") == 2
    assert shown.rstrip().endswith(brain.prompt())
    with World("FrozenLake-v1", map_name="8x8") as world:
        brain = bound(TablePolicy(world))
    brain.tell(Trial(0, np.ones(64), 0.5))
    types(" ".join("0" * 64))
    assert brain.ask().params.tolist() == [0] * 64
    assert len(capsys.readouterr().out.splitlines()[2]) < 160


@pytest.mark.parametrize("last", [["stop"], ["Quit"], []])
def test_a_person_stops_and_goes_on_where_the_log_ends(car, policy, types, tmp_path, last):
    log = tmp_path / "mine"
    types("0 6 0.1 # push", *last)
    stopped = search(LLMBrain(chat("you"), policy), car, policy, log=log, **SETTINGS)
    assert stopped.stopped in (
        "The person who answers asked to stop.",
        "The input has ended, so nobody can answer.",
    )
    assert len(stopped.proposals) == 1 and Run.load(f"{log}.jsonl").refusals == []
    questions = types("0 6 0.2", "0 6 0.3")
    run = search(LLMBrain(chat("you"), policy), car, policy, log=log, **SETTINGS)
    assert [trial.params[2] for trial in run.proposals] == [0.1, 0.2, 0.3]
    assert [question[:15] for question in questions] == ["Proposal 2 of 3", "Proposal 3 of 3"]


def test_without_a_brain_it_answers_what_was_typed(types, capsys):
    types("Good morning # to you")
    reply = chat("you")("Hello")
    assert (reply.text, reply.model, reply.usd) == ("Good morning # to you", "a person", 0)
    assert capsys.readouterr().out == "Hello\n"
    with pytest.raises(StopSearch, match="input has ended"):
        chat("you")("Hello")

    with pytest.raises(TypeError, match="temperature"):
        chat("you", temperature=1)


# In a notebook.

SEARCH = """
from propslib import LinearPolicy, LLMBrain, World, chat, search
with World("MountainCarContinuous-v0", max_steps=30) as world:
    policy = LinearPolicy(world)
    brain = LLMBrain(chat("you"), policy)
    run = search(brain, world, policy, log={log!r}, budget=3, warmup=2, episodes=2)
print([trial.params.tolist() for trial in run.proposals])
"""


@pytest.fixture(scope="module")
def kernel():
    manager, client = start_new_kernel(kernel_name="python3")
    yield client
    client.stop_channels()
    manager.shutdown_kernel(now=True)


def converse(client, code, lines=()):
    """Run a cell in which a person types these lines; nobody sits there without any. Gives what
    it printed or raised, and the questions."""
    cell, lines, questions, printed = (
        client.execute(code, allow_stdin=bool(lines)),
        iter(lines),
        [],
        "",
    )
    end = time.monotonic() + 60
    while time.monotonic() < end:
        with contextlib.suppress(Empty):
            asked = client.get_stdin_msg(timeout=0.02)
            questions.append(asked["content"]["prompt"])
            client.input(next(lines))
        with contextlib.suppress(Empty):
            message = client.get_iopub_msg(timeout=0.02)
            if message["parent_header"].get("msg_id") == cell:
                content = message["content"]
                printed += (
                    content.get("text", "") + content.get("ename", "") + content.get("evalue", "")
                )
                if content.get("execution_state") == "idle":
                    return printed, questions
    raise AssertionError(f"The cell did not end; so far: {printed}")


def test_a_notebook_asks_shows_and_resumes(kernel, tmp_path):
    code = SEARCH.format(log=str(tmp_path / "mine"))
    printed, questions = converse(kernel, code)
    assert "ChatErrorThe back end 'you' needs a person" in printed and "recorded:NAME" in printed
    assert len(Run.load(tmp_path / "mine.jsonl").warmup) == 2 and questions == []
    printed, questions = converse(kernel, code, ["0 6 9", "0 6 0.1 # push", "stop"])
    assert [question[:15] for question in questions] == ["Proposal 1 of 3"] * 2 + [
        "Proposal 2 of 3"
    ]
    assert "params[2] is 9, outside -6 to 6. Send all 3 numbers" in printed
    assert "Stopped before proposal 2. The person who answers asked to stop." in printed
    assert "warm-up" in printed and printed.splitlines()[-1] == "[[0.0, 6.0, 0.1]]"
    printed, questions = converse(kernel, code, ["0 6 0.2", "0 6 0.3"])
    assert [question[:15] for question in questions] == ["Proposal 2 of 3", "Proposal 3 of 3"]
    assert printed.splitlines()[-1] == "[[0.0, 6.0, 0.1], [0.0, 6.0, 0.2], [0.0, 6.0, 0.3]]"
