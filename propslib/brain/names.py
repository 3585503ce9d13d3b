"""Optional: what the states, bins and actions of a policy table are called in a reply."""

import re
from collections.abc import Sequence

import numpy as np

from .answer import ALIKE, ROW_PATTERNS, ReplyError, first_ten, shorten

_ANY = ("*", "any")


class Names:
    """What states, bins and actions are called, and how to ask for them."""

    def __init__(self, states, actions, bins, bin_words, action_words):
        self.numbers = np.arange(states).reshape(bins or states)
        self.states = _numbered(states, ())
        words = bin_words or [()] * len(bins)
        self.axes = [_numbered(*axis) for axis in zip(bins, words, strict=True)]
        self.actions = _numbered(actions, action_words)
        self.bin_names = set(_ANY).union(*self.axes) if bins else set()
        words = [re.escape(name) + r"(?!\w)" for name in self.actions if not name.isdecimal()]
        operator = ROW_PATTERNS["operator"].pattern
        words += [rf"-?[0-9]+(?![0-9]| ?{operator})", r"-?\w+$"]  # not 4 -> 8 -> 9, a path
        self.begins = re.compile(rf"(?:action[ :=]+)?(?:{'|'.join(words)})")
        what = f"rows state | action: states 0 to {states - 1}, actions 0 to {actions - 1}"
        self.cure = f"Send {what}"
        if action_words:
            self.cure += f" ({first_ten([str(word) for word in action_words], ', ')})"
        if bins:
            last = ", ".join(str(count - 1) for count in bins)
            self.cure += f"; or a bin of each axis for the state, from 0 to at most ({last})"
        self.cure += "."

    def look_up(self, cells: tuple[str, ...], text: str) -> tuple[list[int], int, int]:
        """The states that a row means, how many * it has, and the action it gives them."""
        shown = cells[0] if len(cells) == 1 else f"({', '.join(cells)})"
        if len(cells) == 1:
            number = re.sub(r"^states? ?|^s(?=-?[0-9])", "", cells[0]).strip("()")
            if number in self.states:
                return [self.states[number]], 0, self._action(number, text)
            if "," in number:
                cells = tuple(plain_cell(cell) for cell in number.split(","))
            elif len(self.axes) != 1:
                raise ReplyError(f"There is no state {shorten(number)}")
        if len(cells) != len(self.axes):
            columns = " or ".join(str(n) for n in sorted({1, len(self.axes) or 1}))
            raise ReplyError(f"{shorten(shown)} is {len(cells)} columns, a state has {columns}")
        place, stars = [], 0
        for i, (cell, axis) in enumerate(zip(cells, self.axes, strict=True)):
            found = slice(None) if cell in _ANY else _find(cell, axis)
            if found is None:
                raise ReplyError(
                    f"The bin of axis {i + 1} in {shorten(shown)} is '{shorten(cell)}'"
                )
            place.append(found)
            stars += cell in _ANY
        action = self._action(shown, text)
        return np.ravel(self.numbers[tuple(place)]).tolist(), stars, action

    def _action(self, state: str, text: str) -> int:
        text = text.strip(" ,;.")
        action = _find(text.removeprefix("action").strip(" :="), self.actions)
        if action is None:
            raise ReplyError(f"The action of state {shorten(state)} is '{shorten(text)}'")
        return action


def _numbered(count: int, words: Sequence[str]) -> dict[str, int]:
    """Each of `count` things by its number and by its word, as `_line` writes it."""
    names = {str(i): i for i in range(count)}
    if len(words) not in (0, count):
        raise ValueError(f"{len(words)} words for {count} things: {list(words)}")
    for i, word in enumerate(words):
        name = plain_cell(plain_line(str(word).translate(ALIKE)))
        if not name or "|" in name or name in _ANY or names.setdefault(name, i) != i:
            raise ValueError(f"The word {word!r} cannot name number {i} alone of {list(words)}")
    return names


def _find(text: str, names: dict[str, int]) -> int | None:
    """The number that a text means: ``"0"``, ``"left"`` or both, ``"0 (left)"``; else None."""
    name, _, aside = text.partition("(")
    found = names.get(name.strip())
    agrees = names.get(aside.rstrip(" )"), found) == found
    return names.get(text, found if agrees else None)


def plain_line(text: str) -> str:
    """A line in lower case with single spaces, without bold, code, bullet, quote and comment."""
    bare = text.replace("`", " ").replace("**", " ").replace("_", " ").casefold()
    bare = ROW_PATTERNS["prefix"].sub("", " ".join(bare.split()), count=1)
    return ROW_PATTERNS["zeros"].sub("", ROW_PATTERNS["comment"].sub("", bare))


def plain_cell(text: str) -> str:
    return text.strip(" *\"'") or text.strip()
