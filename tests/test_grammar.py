"""The grammars, read as regular expressions, derive exactly the replies that can be used."""

import re
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from propslib.brain import read_params, read_rows
from propslib.brain.chat.grammar import longest_reply, number_rule, reply_grammar


def as_regex(expression, rules=()):
    """A rule's expression as a pattern of re; names of other rules are put in."""
    pattern = ""
    for part in re.findall(r'"(?:\\.|[^"])*"|\[[^]]*\]|[a-z]+\d*|\{.*?\}|[|?()]', expression):
        if part[0] == '"':
            pattern += re.escape(part[1:-1].replace("\\n", "\n"))
        elif part[0].isalpha():
            pattern += f"(?:{as_regex(rules[part], rules)})"
        else:
            pattern += part
    return pattern


def reply_regex(policy, **settings):
    rules = dict(line.split(" ::= ") for line in reply_grammar(policy, **settings).splitlines())
    return re.compile(as_regex(rules["root"], rules), re.ASCII)


def grid(size, low, high, decimals):
    return SimpleNamespace(size=size, low=low, high=high, decimals=decimals)


@given(st.integers(-3000, 3000), st.integers(0, 2500), st.integers(0, 3))
def test_a_rule_gives_every_number_of_its_grid_and_no_other(first, width, decimals):
    last, unit = first + width, 10**decimals
    numbers = re.compile(as_regex(number_rule(first / unit, last / unit, decimals)))
    tried = {*range(first - 30, last + 31), *range(-30, 31), -10000, 9999, 10000}
    for number in tried:
        text = f"{number / unit:.{decimals}f}"
        assert bool(numbers.fullmatch(text)) == (first <= number <= last), text
    assert not numbers.fullmatch(f"{-0.0:.{decimals}f}")


def test_a_box_without_numbers_is_an_error():
    for box, words in (((0.2, 0.7, 0), "has 0 or over"), ((0, 1, 6), "over 100,000 numbers")):
        with pytest.raises(ValueError, match=words):
            number_rule(*box)


PARAMS = grid(size=3, low=-6.0, high=12.5, decimals=1)
TABLE = grid(size=12, low=0, high=3, decimals=0)


@given(st.from_regex(reply_regex(PARAMS), fullmatch=True))
def test_every_reply_of_the_grammar_is_read(reply):
    params = read_params(reply, size=3, low=-6.0, high=12.5, decimals=1)
    line, reason = reply.split("\n")
    assert line == ", ".join(f"params[{i}]: {number:.1f}" for i, number in enumerate(params))
    assert 10 <= len(reason) <= 120 and len(reply) <= longest_reply(PARAMS)


@given(st.from_regex(reply_regex(TABLE, rows=True), fullmatch=True))
def test_every_table_of_the_grammar_is_read(reply):
    states = [int(row.split(" | ")[0]) for row in reply.splitlines()[1:]]
    assert list(read_rows(reply, states=12, actions=4)) == states == sorted(set(states))
    assert len(reply) <= longest_reply(TABLE)
