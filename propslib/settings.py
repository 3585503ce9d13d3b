"""Checks that a setting is a number in its range, and refuses others with what it may be."""

import math
from typing import Any

import numpy as np

MANY = 400  # decimals: more than a float has


def number(
    name: str,
    value: Any,
    *,
    least: float = -math.inf,
    above: float = -math.inf,
    most: float = math.inf,
    whole: bool = False,
    decimals: int = MANY,
) -> Any:
    """The value of a setting, as an int or a float that JSON can hold; NumPy's numbers are taken.

    >>> number("budget", np.int64(60), least=1, whole=True)
    60

    least, above, most
        What it may be: `least` and `most` are allowed themselves, `above` is not.
    whole
        Whether it must be a whole number.
    decimals
        How many it may have at most.

    Raises TypeError for what is no number, and ValueError for one that is not finite, out of
    range, or has more decimals than it may.
    """
    plain = value.item() if isinstance(value, np.generic) else value
    limits = {"at least": least, "above": above, "at most": most}
    wanted = [f"{words} {limit}" for words, limit in limits.items() if math.isfinite(limit)]
    wanted += [f"with at most {decimals} decimals"] if decimals < MANY else []
    kind = f"a {'whole' if whole else 'finite'} number{', ' if wanted else ''}"
    message = f"{name} is {plain!r}; it must be {kind}{' and '.join(wanted)}."
    if isinstance(plain, bool) or not isinstance(plain, int | float):
        raise TypeError(message)
    fits = -math.inf < plain < math.inf and least <= plain <= most and plain > above
    # A rounding error of binary numbers is no decimal more.
    if not fits or not math.isclose(plain, round(plain, 0 if whole else decimals), abs_tol=1e-14):
        raise ValueError(message)
    return round(plain) if whole else round(plain, decimals)
