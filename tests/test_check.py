"""The checks of exercises: what they say to right, wrong and missing answers."""

import math

import numpy as np
import pytest

from propslib import check

NAN, DOTS = math.nan, "three dots"
BOTH, WORDS, COUNTS = (True, False), ("the pole", "the cart"), (1, 0.5)
ROWS = [[1, 2, 3], [4, 5, 6]]
QUARTERS = [0.25, np.float32(0.25), np.array([0.25]), np.array(0.25), [0.25], (np.array([[0.25]]),)]
QUARTERS += ["0.25", " .25. ", "25 %", "25%", "2.5e-1", 0.2542, 0.2458]


@pytest.fixture
def said(capsys):
    """What a check prints, as one line without its beginning and end."""

    def said_by(function, *arguments, **options):
        assert function("it", *arguments, **options) is None
        text = capsys.readouterr().out
        assert text.count("\n") == 1 and text.startswith("it: ")
        return text.strip().removeprefix("it: ").removeprefix("not yet. ")

    return said_by


@pytest.mark.parametrize("answer", QUARTERS)
def test_a_right_number_in_any_form(said, answer):
    assert said(check.number, answer, 0.25) == "right."
    assert said(check.numbers, [answer, answer], [0.25, 0.25]) == "right."
    assert said(check.cases, lambda k: answer, {(1,): 0.25}) == "right."


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        *[(..., DOTS), ([...], DOTS), (-24.88, "the sign"), ("\N{MINUS SIGN}24.88", "the sign")],
        *[(2490, "another unit"), (0.249, "another unit"), (24900, "another unit")],
        *[(24.86, "24.86 is close, and a little too small"), (30, "30 is too large.")],
        *[(-3, "-3 is too small."), (NAN, "divided by 0"), (math.inf, "inf is too large")],
        *[("many", "'many'"), (None, "None"), (True, "True"), (np.True_, "True")],
        *[([24, 25], "[24, 25]"), ([[24], [25, 1]], "One number"), ({}, "[]")],
        *[(25.0, "Episodes have 999 steps."), (24.92, "close"), (24.993, "Nearer to this.")],
    ],
)
def test_a_wrong_number_is_told_why(said, answer, words):
    slips = {25.0: "Episodes have 999 steps.", 24.99: "Nearer to this.", 24.877: "Right anyway."}
    line = said(check.number, answer, 24.876, within=0.011, mistakes=slips)
    assert words in line and "24.876" not in line  # the answer is not given away


@pytest.mark.parametrize(
    ("answer", "expected", "within", "line"),
    [
        *[(600, 605.5, 45, "right."), (550, 605.5, 45, "550 is close, and")],
        *[(607, 605.5, 0.005, "607 is too large."), (24.9, 24.876, 0.005, "right.")],
        *[(24.9, 24.876, 0, "24.9 is too large."), (1930, 1926, 0.005, "1930 is too large.")],
        *[(-0.1, 0.1, 0.05, "-0.1 is close, and"), (29, 1, 1, "29 is too large.")],
        (-0.2, 0.1, 0.05, "-0.2 is too small."),
    ],
)
def test_how_far_and_how_rounded_an_answer_may_be(said, answer, expected, within, line):
    assert said(check.number, answer, expected, within=within).startswith(line)


@pytest.mark.parametrize(
    ("answer", "expected", "words"),
    [
        *[(..., ROWS, DOTS), ([[1, 2, ...], [4, 5, 6]], ROWS, DOTS)],
        *[(np.array([..., ...]), ROWS, DOTS), ({"a": ..., "b": 1}, [1, 1], DOTS)],
        *[(ROWS, ROWS, "right."), ([["1", 2, 3], (4, 5, 6)], ROWS, "right.")],
        *[(range(3), [0, 1, 2], "right."), ({"a": 1, "b": 2}, [1, 2], "right.")],
        *[([True, np.False_], [1, 0], "right."), ((k for k in (1, 2)), [1, 2], "right.")],
        *[([[1], [2]], [1, 2], "right."), ([1, 2], [[1, 2]], "right.")],
        *[([[1, 2, 3], [4, 5]], ROWS, "equally long"), (np.transpose(ROWS), ROWS, "(3, 2)")],
        ([[1, 2, 3], [4, 9, 7]], ROWS, "2 of 6 entries are wrong. The first is [1, 1]: 9 is too"),
        *[([[1, 2, NAN], [4, 5, 6]], ROWS, "[0, 2]: This is nan"), ("abc", ROWS, "'abc'")],
        *[(np.eye(3, k=1), np.eye(3, k=-1), "swapped"), (None, ROWS, "()")],
    ],
)
def test_arrays(said, answer, expected, words):
    assert words in said(check.numbers, answer, expected)


@pytest.mark.parametrize(
    ("answer", "choices", "line"),
    [
        *[(..., BOTH, DOTS), (False, BOTH, "It is not False."), ("no", BOTH, "It is not False.")],
        *[(yes, BOTH, "right.") for yes in (True, np.True_, 1, "True", "yes", [True], np.array(1))],
        *[(pole, WORDS, "right.") for pole in ("the pole", "The Pole.", "pole ", np.str_("POLE"))],
        *[(1, COUNTS, "right."), ("1", COUNTS, "right."), ("0.5", COUNTS, "It is not 0.5.")],
        *[("low", WORDS, "one of 'the pole', 'the cart', and this is 'low'.")],
        *[(None, COUNTS, "this is None."), ([1, 1], COUNTS, "this is [1, 1].")],
    ],
)
def test_choices(said, answer, choices, line):
    assert line in said(check.choice, answer, choices[0], choices)


def test_cases_of_a_function(said):
    expected = {(1, 0.5): 1, (2, -0.5): -2}
    assert said(check.cases, lambda k, v: [k] if v > 0 else -k, expected) == "right."
    for stub in (lambda k, v: ..., lambda k, v: [...], ...):
        assert DOTS in said(check.cases, stub, expected)
    line = "For (2, -0.5) it should give -2, and yours gives 2."
    assert said(check.cases, lambda k, v: k, expected) == line
    assert "A function" in said(check.cases, 2.0, expected)
    with pytest.raises(ZeroDivisionError):  # an error in a function shows itself
        check.cases("it", lambda k: k / 0, {(1,): 1})


def test_rules_are_tested_in_order(said):
    rules = [(lambda r: len(r) == 3, "Three!"), (lambda r: 1 / min(r) > 0.01, "Too much.")]
    for missing in (..., {"first": ..., "second": 1}):
        assert DOTS in said(check.that, missing, *rules)
    lines = {200: "Three! (This is 200.)", (2,): "Three!", (1, 2, 200): "right."}
    lines |= {(0, 1, 2): "Too much. (This is (0, 1, 2).)", (200, 201, 202): "Too much."}
    for answer, line in lines.items():
        assert said(check.that, answer, *rules) == line
    assert said(check.that, np.True_, (lambda yours: yours is True, "No.")) == "right."


def test_whoever_marks_a_class_hears_what_each_check_says(monkeypatch):
    heard = []
    monkeypatch.setattr(check, "_tell", lambda what, wrong: heard.append((what, wrong is None)))
    check.number("one", 1, 1)
    check.number("two", 3, 2)
    check.that("three", ..., (bool, "It is empty."))
    assert heard == [("one", True), ("two", False), ("three", False)]
