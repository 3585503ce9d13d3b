"""The reader of table rows against a table of nasty replies, and random tables."""

import doctest
import json
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from test_reply import replies_of

from propslib.brain import reply, rows
from propslib.brain.reply import ReplyError
from propslib.brain.rows import read_rows

NASTY = json.loads(Path(__file__).with_name("nasty_rows.json").read_text(encoding="utf-8"))
WORDS = [["left", "middle", "right"], ["moving left", "still", "moving right"], []]
WORDS.append(["flies", "runs", "falls", "rises", "turns", "spins"])
LAKE = {"states": 16, "actions": 4, "action_words": ["left", "down", "right", "up"]}
BINS = {"states": 324, "actions": 2, "bins": (3, 3, 6, 6), "action_words": ["left", "right"]}
TABLES = {"lake": LAKE, "bins": BINS | {"bin_words": WORDS}}


@pytest.mark.parametrize("entry", NASTY, ids=lambda entry: entry["name"].replace(" ", "-"))
def test_nasty_reply(entry):
    table = TABLES[entry.get("table", "lake")]
    for text in replies_of(entry):
        if "rows" in entry:
            read = read_rows(text, **table)
            assert read == {int(state): action for state, action in entry["rows"].items()}, text
            assert list(read) == sorted(read)
        else:
            with pytest.raises(ReplyError) as error:
                print(ascii(text), read_rows(text, **table))
            for words in [*entry["refused"], "Send rows state | action: states 0 to "]:
                assert words in str(error.value), text
            assert len(str(error.value).encode()) < 600


BAD = [
    {"bins": (3, 5)},
    *({"bins": (2, 8), "bin_words": words} for words in ([[]], [["low"], []])),
    *({"bins": (2, 8), "bin_words": [["low", word], []]} for word in ("Any", "*")),
    *({"action_words": ["left", "down", "right", word]} for word in ("Left", "0", "", "a|b")),
    *({"bin_words": [["low", "high"]]}, {"action_words": ["left", "right"]}),
]


@pytest.mark.parametrize("bad", BAD, ids=str)
def test_wrong_settings_are_the_callers_error(bad):
    with pytest.raises(ValueError, match="reshape|zip|words for|cannot name") as error:
        read_rows("0 | 1", **{"states": 16, "actions": 4, **bad})
    assert not isinstance(error.value, ReplyError)


def test_words_may_be_written_in_other_signs():
    table = {"states": 3, "actions": 3, "action_words": ["push −1", "push_0", "**Push** `1`"]}
    assert read_rows("0 | Push -1\n1: push 0\n2 | push 1", **table) == {0: 0, 1: 1, 2: 2}


SLOW = settings(max_examples=150, suppress_health_check=list(HealthCheck))
ROWS = ["{} | {}", "| {} | {} |", "- {} | {}", "**{}** | `{}`", "State {} | {} # why", "{}: {}"]
ROWS += ["{}\t|\t{}", "{} -> {}", "{} = {},", "state {}: action {}"]
BEFORE = ["", "Sure, 3 of 4 fall!\n", "As P(a | s) says:\n", "<think>0 | 1</think>"]
AFTER = ["", "\nIt was slow.", "\n\nIt follows [0, 1] then.", "\n```"]


@st.composite
def tables(draw):
    """The settings of a table, and the actions of some of its states."""
    bins = tuple(draw(st.lists(st.integers(1, 5), min_size=2, max_size=4)))
    states, actions = int(np.prod(bins)), draw(st.integers(2, 12))
    table = {"states": states, "actions": actions, "bins": bins}
    if draw(st.booleans()):
        table["bin_words"] = [[f"axis{k} bin{i}" for i in range(n)] for k, n in enumerate(bins)]
    if draw(st.booleans()):
        table["action_words"] = [f"push {chr(97 + i)}" for i in range(actions)]
    named = st.dictionaries(st.integers(0, states - 1), st.integers(0, actions - 1), min_size=1)
    return table, draw(named)


@st.composite
def written(draw, table, rows):
    """The rows as text, one row a line or all in one piece."""

    def called(number, words):
        return draw(st.sampled_from([str(number), words[number]])) if words else str(number)

    def cells(state):
        place, none = np.unravel_index(state, table["bins"]), [()] * len(table["bins"])
        return map(called, map(int, place), table.get("bin_words", none))

    pairs = draw(st.permutations(sorted(rows.items())))
    pairs = [(state, called(action, table.get("action_words"))) for state, action in pairs]
    form = draw(st.sampled_from(ROWS) | st.sampled_from(["header", "bins"]))
    if form == "header":
        lines = [("state", "action"), ("---", "---"), *pairs]
        return "\n".join("| {} | {} |".format(*line) for line in lines)
    if form == "bins":
        header = [*"pqrt"[: len(table["bins"])], "action"]
        lines = [*draw(st.sampled_from([[], [header]])), *([*cells(s), a] for s, a in pairs)]
        return "\n".join(map(" | ".join, lines))
    return "\n".join(form.format(*pair) for pair in pairs)


@SLOW
@given(st.data())
def test_any_table_in_any_form_reads_back(data):
    table, rows = data.draw(tables())
    body = data.draw(written(table, rows))
    before, after = data.draw(st.sampled_from(BEFORE)), data.draw(st.sampled_from(AFTER))
    assert read_rows(before + body + after, **table) == rows


@SLOW
@given(st.data())
def test_rules_and_exceptions_hold_in_any_order(data):
    table, _ = data.draw(tables())
    bins = table["bins"]
    row = st.tuples(*(st.none() | st.integers(0, n - 1) for n in bins))
    rules = data.draw(st.dictionaries(row, st.integers(0, 1), min_size=1, max_size=8))
    # By hand: of the rules that fit a state, those with the fewest stars.
    expected = {}
    for state, place in enumerate(np.ndindex(bins)):
        fit = [r for r in rules if all(c in (None, i) for c, i in zip(r, place, strict=True))]
        fewest = min((r.count(None) for r in fit), default=0)
        expected[state] = {rules[r] for r in fit if r.count(None) == fewest}
    order = data.draw(st.permutations(sorted(rules.items(), key=repr)))
    text = "\n".join(" | ".join(map(str, [*rule, action])) for rule, action in order)
    text = text.replace("None", "*")
    if any(len(actions) > 1 for actions in expected.values()):
        with pytest.raises(ReplyError, match="two different actions"):
            read_rows(text, **table)
    else:
        named = {state: action for state, actions in expected.items() for action in actions}
        assert read_rows(text, **table) == named


PIECES = [*"0123|:*=#-[]{}(),\n \"'`", "-> ", "state ", "action", "|---|", "left", "any", "1 | 0"]
PIECES += ["\n| ", "0:1 ", "<think>", "</think>", '"state"', '"action"', '"table"']


@SLOW
@given(
    st.text() | st.lists(st.sampled_from(PIECES), max_size=60).map("".join),
    st.sampled_from(list(TABLES)),
)
def test_any_text_is_read_into_the_table_or_refused(text, name):
    with suppress(ReplyError):
        read = read_rows(text, **TABLES[name])
        assert read and {*read} <= {*range(TABLES[name]["states"])}
        assert {*read.values()} <= {*range(TABLES[name]["actions"])}


@pytest.mark.parametrize(("module", "least"), [(rows, 3), (reply, 3)])
def test_the_docstrings_tell_the_truth(module, least):
    failed, tried = doctest.testmod(module, optionflags=doctest.ELLIPSIS)
    assert tried >= least and failed == 0
