"""Optional: checks of exercises: each prints one line, "right" or what is wrong.

    >>> number("return", -99.9, expected=99.9)
    return: not yet. The size is right, the sign is not.

A check judges what an answer says, not its form: `[0.25]`, `"0.25"`, `"25 %"` and
`np.float32(0.25)` are all 0.25, `np.True_` and `"yes"` are True, and capitals do not matter. It
never raises an error for a wrong answer, so that a notebook runs on. An answer that is still the
stub's three dots is not yet wrong, but missing. No line gives the expected value away, but for the
cases of a function.
"""

import math
from collections.abc import Callable, Collection, Iterable, Mapping
from numbers import Real
from typing import Any

import numpy as np

MISSING = "Replace the three dots with your answer."
TRUTH = {"true": True, "yes": True, "false": False, "no": False}
Mistakes = Mapping[float, str] | None


def number(
    what: str, yours: Any, expected: float, *, within: float = 0.005, mistakes: Mistakes = None
) -> None:
    """Check one number, given as such, as text, or as a list or array with one entry.

    within
        How far an answer may be from `expected`; larger where it comes from an experiment. Unless
        it is 0, an answer that is no whole number may also be rounded to three digits.
    mistakes
        Wrong answers that are likely, and what to say to each.
    """
    _say(what, yours, lambda plain: _wrong_number(plain, float(expected), within, mistakes or {}))


def numbers(what: str, yours: Any, expected: Any, *, within: float = 0.005) -> None:
    """Check an array of numbers, of any shape; True counts as 1."""
    expected = np.asarray(expected, dtype=float).squeeze()
    _say(what, yours, lambda plain: _wrong_numbers(plain, expected, within))


def choice(what: str, yours: Any, expected: Any, choices: Collection[Any]) -> None:
    """Check an answer that is one of a few, `expected` among them."""
    _say(what, yours, lambda plain: _wrong_choice(plain, expected, choices))


def cases(
    what: str, function: Callable, expected: Mapping[tuple, float], *, within: float = 0.005
) -> None:
    """Check a function that returns a number, by its arguments and what they should give.

    An error in the function is left to show itself: its traceback says more than we could.
    """
    _say(what, function, lambda function: _wrong_case(function, expected, within))


def that(what: str, yours: Any, *rules: tuple[Callable[[Any], Any], str]) -> None:
    """Check an answer that many values could be, by rules in order.

    Each rule is a test of the answer, and a sentence for an answer that does not pass it, or that
    is of a type for which the test makes no sense: the line then says what the answer is. A NumPy
    scalar reaches the tests as Python's own, np.True_ as True.
    """
    answer = yours.item() if isinstance(yours, np.generic) else yours
    _say(what, yours, lambda _: _broken(answer, rules))


def _say(what: str, yours: Any, judge: Callable[[Any], str | None]) -> None:
    _tell(what, MISSING if _missing(plain := _plain(yours)) else judge(plain))


def _tell(what: str, wrong: str | None) -> None:
    # Where a class is marked, book/classroom/mark.py listens here.
    print(f"{what}: right." if wrong is None else f"{what}: not yet. {wrong}")


def _plain(yours: Any) -> Any:
    """What an answer says: lists for arrays, a list's one entry, small letters, Python's types."""
    yours = yours.tolist() if hasattr(yours, "tolist") else yours
    if isinstance(yours, str):
        return _read(yours)
    if isinstance(yours, Iterable):
        entries = [_plain(k) for k in (yours.values() if isinstance(yours, Mapping) else yours)]
        return entries[0] if len(entries) == 1 else entries
    return yours


def _read(text: str) -> bool | float | str:
    """A text as the truth value or the number that it states, or as its words."""
    word = text.strip(" '\"").rstrip(".").casefold().removeprefix("the ")
    try:
        value = float(word.replace("\N{MINUS SIGN}", "-").rstrip("% "))
    except ValueError:
        return TRUTH.get(word, word)
    return value / 100 if word.endswith("%") else value


def _missing(plain: Any) -> bool:
    return any(map(_missing, plain)) if isinstance(plain, list) else plain is ...


def _wrong_number(plain: Any, expected: float, within: float, mistakes: Mistakes) -> str | None:
    """What is wrong with a number; None if it is right."""
    if not isinstance(plain, Real) or isinstance(plain, bool):
        return f"One number is wanted, and this is {plain!r:.60}."
    if math.isnan(plain):
        return "This is nan, not a number: is something divided by 0?"
    if abs(plain - expected) <= within:
        return None
    for mistake in sorted(mistakes, key=lambda mistake: abs(plain - mistake)):
        if abs(plain - mistake) <= within:
            return mistakes[mistake]
    rounded = within > 0 and expected % 1 > 0 and plain == float(f"{expected:.3g}")
    return None if rounded else _far(plain, expected, within)


def _far(value: float, expected: float, within: float) -> str:
    """How a wrong number differs from the expected one."""
    if within < abs(expected) / 4:  # otherwise too much has about the right size
        if abs(-value - expected) <= within:
            return "The size is right, the sign is not."
        if any(math.isclose(value * k, expected, rel_tol=0.01) for k in (100, 0.01, 1000, 0.001)):
            return "Its size is wrong by a hundred or a thousand: is it in another unit?"
    where = "large" if value > expected else "small"
    if abs(value - expected) <= 5 * within:
        return f"{value:g} is close, and a little too {where}: it should be right to {within:g}."
    return f"{value:g} is too {where}."


def _wrong_numbers(plain: Any, expected: np.ndarray, within: float) -> str | None:
    try:
        values = np.asarray(plain, dtype=float)
    except (TypeError, ValueError):
        return f"Rows of numbers, equally long, are wanted, and this is {plain!r:.60}."
    if values.shape != expected.shape:
        return f"Its shape is {values.shape}, and {expected.shape} is wanted."
    pairs = zip(values.flat, expected.flat, strict=True)
    said = [_wrong_number(value, wanted, within, {}) for value, wanted in pairs]
    wrong = [k for k, sentence in enumerate(said) if sentence]
    if not wrong:
        return None
    if expected.T.shape == values.shape and np.allclose(values.T, expected, 0, within):
        return "Rows and columns are swapped."
    place = [int(k) for k in np.unravel_index(wrong[0], values.shape)]
    return f"{len(wrong)} of {len(said)} entries are wrong. The first is {place}: {said[wrong[0]]}"


def _wrong_choice(plain: Any, expected: Any, choices: Collection[Any]) -> str | None:
    for one in choices:
        if plain == _plain(one):
            return None if one == expected else f"It is not {one!r}."
    return f"The answer is one of {', '.join(map(repr, choices))}, and this is {plain!r}."


def _wrong_case(function: Any, expected: Mapping[tuple, float], within: float) -> str | None:
    if not callable(function):
        return f"A function is wanted, and this is {function!r}."
    for arguments, value in expected.items():
        result = _plain(function(*arguments))
        if _missing(result):
            return MISSING
        if _wrong_number(result, float(value), within, {}):
            given = ", ".join(map(str, arguments))
            return f"For ({given}) it should give {value:g}, and yours gives {result}."
    return None


def _broken(answer: Any, rules: Iterable[tuple[Callable[[Any], Any], str]]) -> str | None:
    for test, sentence in rules:
        try:
            if not test(answer):
                return sentence
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
            return f"{sentence} (This is {answer!r:.60}.)"
    return None
