"""Checks of exercises: each prints one line, which says that an answer is right or what is wrong.

    >>> number("return", -99.9, expected=99.9)
    return: not yet. The size is right, the sign is not.

Checks never raise an error for a wrong answer, so that a notebook runs on. An answer that is still
the stub's three dots is not yet wrong, but missing. No line gives the expected value away, but for
the cases of a function.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from numbers import Real
from typing import Any

import numpy as np

MISSING = "Put your answer in the place of the three dots."


def number(
    what: str,
    yours: Any,
    expected: float,
    *,
    within: float = 0.005,
    mistakes: Mapping[float, str] | None = None,
) -> None:
    """Check one number, given as such or as an array with one entry.

    within
        How far an answer may be from `expected`; larger where it comes from an experiment.
    mistakes
        Wrong answers that are likely, and what to say to each.

    Raises ValueError where `expected` is not a finite number or `within` is negative.
    """
    _require(expected, within)
    _say(what, _wrong_number(yours, float(expected), within, mistakes or {}))


def numbers(what: str, yours: Any, expected: Any, *, within: float = 0.005) -> None:
    """Check an array of numbers, of any shape. Raises ValueError as `number` does."""
    expected = np.asarray(expected, dtype=float)
    for value in expected.flat:
        _require(value, within)
    _say(what, _wrong_numbers(yours, expected, within))


def choice(what: str, yours: Any, expected: Any, choices: Iterable[Any]) -> None:
    """Check an answer that is one of a few. Raises ValueError if `expected` is none of them."""
    choices = list(choices)
    if expected not in choices:
        raise ValueError(f"The expected answer {expected!r} is none of the choices {choices}.")
    _say(what, _wrong_choice(yours, expected, choices))


def cases(
    what: str,
    function: Callable[..., Any],
    expected: Mapping[tuple, float],
    *,
    within: float = 0.005,
) -> None:
    """Check a function that returns a number, by its arguments and what they should give.

    An error in the function is left to show itself: its traceback says more than we could.
    """
    for value in expected.values():
        _require(value, within)
    _say(what, _wrong_case(function, expected, within))


def that(what: str, yours: Any, *rules: tuple[Callable[[Any], Any], str]) -> None:
    """Check an answer that many values could be, by rules in order.

    Each rule is a test of the answer, and a sentence for an answer that does not pass it, or that
    is of a type for which the test makes no sense.
    """
    _say(what, MISSING if _missing(yours) else _broken(yours, rules))


def _say(what: str, wrong: str | None) -> None:
    print(f"{what}: right." if wrong is None else f"{what}: not yet. {wrong}")


def _require(expected: float, within: float) -> None:
    if not math.isfinite(expected):
        raise ValueError(f"An expected value is {expected}; it must be a finite number.")
    if not within >= 0:
        raise ValueError(f"within is {within}; it must be 0 or more.")


def _wrong_number(
    yours: Any, expected: float, within: float, mistakes: Mapping[float, str]
) -> str | None:
    """What is wrong with a number; None if it is right."""
    if _missing(yours):
        return MISSING
    value = _one(yours)
    if value is None:
        return f"One number is wanted, and this is {_kind(yours)}."
    if math.isnan(value):
        return "This is nan, not a number: is something divided by 0?"
    if abs(value - expected) <= within:
        return None
    for mistake, sentence in mistakes.items():
        if abs(value - mistake) <= within:
            return sentence
    return _direction(value, expected, within)


def _direction(value: float, expected: float, within: float) -> str:
    """How a wrong number differs from the expected one."""
    if abs(-value - expected) <= within:
        return "The size is right, the sign is not."
    if expected and abs(value / 100 - expected) <= within:
        return "This is a hundred times too large: a share is wanted, from 0 to 1."
    where = "large" if value > expected else "small"
    if abs(value - expected) <= 5 * within:
        return f"{value:g} is close, and a little too {where}: it should be right to {within:g}."
    return f"{value:g} is too {where}."


def _wrong_numbers(yours: Any, expected: np.ndarray, within: float) -> str | None:
    if _missing(yours):
        return MISSING
    try:
        values = np.asarray(yours)
    except ValueError:
        return "Its rows are not equally long."
    if values.dtype.kind not in "iuf":
        return f"Numbers are wanted, and this is {_kind(yours)}."
    if values.shape != expected.shape:
        return f"Its shape is {values.shape}, and {expected.shape} is wanted."
    far = ~(np.abs(values - expected) <= within)  # nan is far from all
    if not far.any():
        return None
    if expected.ndim == 2 and values.T.shape == expected.shape:
        swapped = np.abs(values.T - expected) <= within
        if swapped.all():
            return "Rows and columns are swapped."
    place = tuple(int(k) for k in np.argwhere(far)[0])
    sentence = _wrong_number(values[place], float(expected[place]), within, {})
    return f"{far.sum()} of {far.size} entries are wrong. The first is {list(place)}: {sentence}"


def _wrong_choice(yours: Any, expected: Any, choices: list[Any]) -> str | None:
    if yours is ...:
        return MISSING
    for one in choices:
        if _same(yours, one):
            return None if one == expected else f"It is not {one!r}."
    return f"The answer is one of {', '.join(map(repr, choices))}, and this is {yours!r}."


def _wrong_case(
    function: Callable[..., Any], expected: Mapping[tuple, float], within: float
) -> str | None:
    for arguments, value in expected.items():
        result = function(*arguments)
        if result is ...:
            return MISSING
        if _wrong_number(result, float(value), within, {}):
            given = ", ".join(f"{argument:g}" for argument in arguments)
            return f"For ({given}) it should give {value:g}, and yours gives {result}."
    return None


def _broken(yours: Any, rules: Iterable[tuple[Callable[[Any], Any], str]]) -> str | None:
    return next((sentence for test, sentence in rules if not _passes(yours, test)), None)


def _passes(yours: Any, test: Callable[[Any], Any]) -> bool:
    try:
        return bool(test(yours))
    except (AttributeError, LookupError, TypeError, ValueError):
        return False


def _missing(yours: Any) -> bool:
    """Whether an answer is still three dots, or has them among its entries."""
    if isinstance(yours, Mapping):
        yours = list(yours.values())
    if isinstance(yours, np.ndarray) and yours.dtype == object:
        yours = yours.ravel().tolist()
    if isinstance(yours, (list, tuple)):
        return any(_missing(entry) for entry in yours)
    return yours is ...


def _one(yours: Any) -> float | None:
    """An answer as one number; None if it is something else."""
    if isinstance(yours, (bool, np.bool_)):
        return None
    if isinstance(yours, Real):
        return float(yours)
    if isinstance(yours, np.ndarray) and yours.size == 1 and yours.dtype.kind in "iuf":
        return float(yours.item())
    return None


def _same(yours: Any, one: Any) -> bool:
    """Whether an answer is this choice. True is not 1."""
    if isinstance(yours, np.generic):
        yours = yours.item()
    alike = type(yours) is type(one) or None not in (_one(yours), _one(one))
    return alike and yours == one


def _kind(yours: Any) -> str:
    if isinstance(yours, np.ndarray):
        return f"an array of shape {yours.shape}"
    return f"of the type {type(yours).__name__}: {yours!r}"[:80]
