"""The checks of exercises: what they say to right, wrong and missing answers."""

import math

import numpy as np
import pytest

from propslib import check


@pytest.fixture
def said(capsys):
    """What a check prints, as one line without its end."""

    def said_by(function, *arguments, **options):
        assert function("it", *arguments, **options) is None
        text = capsys.readouterr().out
        assert text.count("\n") == 1 and text.startswith("it: ")
        return text.strip()

    return said_by


@pytest.mark.parametrize("answer", [0.25, np.float32(0.25), np.array([0.25]), np.array(0.25)])
def test_a_right_number(said, answer):
    assert said(check.number, answer, 0.25) == "it: right."


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        (..., "three dots"),
        (-24.975, "the sign is not"),
        (2497.5, "a hundred times too large"),
        (24.96, "24.96 is close, and a little too small"),
        (30, "30 is too large."),
        (-3, "-3 is too small."),
        (math.nan, "divided by 0"),
        (math.inf, "inf is too large"),
        ("24.975", "of the type str: '24.975'"),
        (None, "of the type NoneType"),
        (True, "of the type bool"),
        ([24.975], "of the type list"),
        (np.array([24.975, 24.975]), "an array of shape (2,)"),
        (25.0, "Episodes have 999 steps."),
    ],
)
def test_a_wrong_number_is_told_why(said, answer, sentence):
    mistakes = {25.0: "Episodes have 999 steps."}
    line = said(check.number, answer, 24.975, mistakes=mistakes)
    assert line.startswith("it: not yet. ") and sentence in line
    assert "24.975" not in line.replace(repr(answer), "")  # the answer is not given away


def test_within_is_the_largest_difference_that_counts_as_right(said):
    assert said(check.number, 600, 605.5, within=45) == "it: right."
    assert "not yet" in said(check.number, 550, 605.5, within=45)


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        (..., "three dots"),
        ([[1, 2, ...], [4, 5, 6]], "three dots"),
        (np.array([..., ...]), "three dots"),
        ([[1, 2, 3], [4, 5]], "Its rows are not equally long."),
        ([[1, 2, 3], [4, 5, 6]], "right."),
        ([[1, 4], [2, 5], [3, 6]], "Its shape is (3, 2), and (2, 3) is wanted."),
        ([[1, 2, 3], [4, 9, 7]], "2 of 6 entries are wrong. The first is [1, 1]: 9 is too large."),
        ([[1, 2, math.nan], [4, 5, 6]], "The first is [0, 2]: This is nan"),
        ("abc", "of the type str"),
        (None, "of the type NoneType"),
    ],
)
def test_arrays(said, answer, sentence):
    assert sentence in said(check.numbers, answer, [[1, 2, 3], [4, 5, 6]])


def test_an_array_with_rows_and_columns_swapped(said):
    answer = np.arange(9).reshape(3, 3)
    assert said(check.numbers, answer, answer.T) == "it: not yet. Rows and columns are swapped."


@pytest.mark.parametrize(
    ("answer", "choices", "sentence"),
    [
        (..., (True, False), "three dots"),
        (True, (True, False), "right."),
        (False, (True, False), "It is not False."),
        (1, (True, False), "one of True, False, and this is 1."),
        (np.True_, (True, False), "right."),
        ("too low", ("too low", "too high"), "right."),
        ("low", ("too low", "too high"), "one of 'too low', 'too high', and this is 'low'."),
        (1.0, (1, 0.5), "right."),
        (0.5, (1, 0.5), "It is not 0.5."),
        (None, (1, 0.5), "this is None."),
    ],
)
def test_choices(said, answer, choices, sentence):
    assert sentence in said(check.choice, answer, choices[0], choices)


def test_cases_of_a_function(said):
    expected = {(1, 0.5): 1, (2, -0.5): -2}
    assert said(check.cases, lambda k, v: k if v > 0 else -k, expected) == "it: right."
    assert "three dots" in said(check.cases, lambda k, v: ..., expected)
    line = said(check.cases, lambda k, v: k, expected)
    assert line == "it: not yet. For (2, -0.5) it should give -2, and yours gives 2."


def test_an_error_in_a_function_shows_itself():
    with pytest.raises(ZeroDivisionError):
        check.cases("it", lambda k: k / 0, {(1,): 1})


def test_rules_are_tested_in_order(said):
    rules = [
        (lambda r: len(r) == 3, "Three are wanted."),
        (lambda r: max(r) < 100, "That is too much."),
    ]
    assert "three dots" in said(check.that, ..., *rules)
    assert "three dots" in said(check.that, {"first": ..., "second": 1}, *rules)
    assert said(check.that, 200, *rules) == "it: not yet. Three are wanted."  # it has no length
    assert said(check.that, [200], *rules) == "it: not yet. Three are wanted."
    assert said(check.that, [1, 2, 200], *rules) == "it: not yet. That is too much."
    assert said(check.that, [1, 2, 3], *rules) == "it: right."


@pytest.mark.parametrize(
    ("make", "word"),
    [
        (lambda: check.number("it", 1, math.nan), "finite"),
        (lambda: check.numbers("it", 1, [math.inf]), "finite"),
        (lambda: check.number("it", 1, 1, within=-1), "within"),
        (lambda: check.choice("it", 1, 3, (1, 2)), "none of the choices"),
    ],
)
def test_a_check_that_cannot_be_passed_is_an_error(make, word):
    with pytest.raises(ValueError, match=word):
        make()
