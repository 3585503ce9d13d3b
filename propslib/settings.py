"""Settings that are numbers: plain ones of Python, or refused with the value and what it may be."""

from __future__ import annotations

import math
from typing import Any

import numpy as np


def number(
    name: str,
    value: Any,
    *,
    least: float = -math.inf,
    above: float = -math.inf,
    most: float = math.inf,
    whole: bool = False,
) -> Any:
    """The value of a setting, as an int or a float that JSON can hold; NumPy's numbers are taken.

    >>> number("budget", np.int64(60), least=1, whole=True)
    60

    least, above, most
        What it may be: `least` and `most` are allowed themselves, `above` is not.
    whole
        Whether it must be a whole number.

    Raises TypeError for what is no number, and ValueError for one that is not finite, out of
    range, or not whole though it must be.
    """
    plain = value.item() if isinstance(value, np.generic) else value
    wanted = _wanted(least, above, most, whole)
    if isinstance(plain, bool) or not isinstance(plain, int | float):
        raise TypeError(f"{name} is {value!r}; it must be {wanted}.")
    fits = -math.inf < plain < math.inf and least <= plain <= most and plain > above
    if not fits or (whole and plain != int(plain)):
        raise ValueError(f"{name} is {plain}; it must be {wanted}.")
    return int(plain) if whole else plain


def _wanted(least: float, above: float, most: float, whole: bool) -> str:
    limits = {"at least": least, "above": above, "at most": most}
    bounds = [f"{words} {limit}" for words, limit in limits.items() if math.isfinite(limit)]
    kind = "a whole number" if whole else "a finite number"
    return f"{kind}, {' and '.join(bounds)}" if bounds else kind
