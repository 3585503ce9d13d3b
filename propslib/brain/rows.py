"""Optional: read the rows of a policy table out of the text that a language model wrote.

A model is asked for a reason and then rows ``state | action``, and mostly obeys. Each row is read
from a line of its own, and these forms are understood, also mixed:

- ``3 | 1``, ``| State 3 | action 1 |``, ``3: left``, ``3 -> left``, ``3 | left # why``;
- bins for a state: ``1 | 0 | 3 | 2 | 0``, ``middle | * | upright | 3 | left``.

Everything else is prose and is passed over, but for JSON and a table whose last column is not the
action, which are refused. Nothing is guessed. The reader passes over the text a fixed number of
times, so a long reply cannot stall it.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from .answer import ALIKE, ROW_PATTERNS, ReplyError, answer_text, first_ten, shorten

_ANY = ("*", "any")
_Row = tuple[tuple[str, ...], str]  # what names the state (one text or one for each axis), action


def read_rows(
    reply: str,
    *,
    states: int,
    actions: int,
    bins: Sequence[int] = (),
    bin_words: Sequence[Sequence[str]] = (),
    action_words: Sequence[str] = (),
) -> dict[int, int]:
    """The states that a reply names and the action it gives each, in the order of the states.

    States count from 0 to ``states - 1``, actions from 0 to ``actions - 1``. ``bins`` gives the
    number of bins on each axis of a binned world; its states are numbered row by row
    (`numpy.ravel_multi_index`). ``bin_words`` has the word of every bin of every axis,
    ``action_words`` a word for each action; upper and lower case are the same. A bin ``*`` or
    ``any`` stands for every bin of its axis; where rows disagree about a state, the row with the
    fewest of them holds: a rule and its exceptions. Bins are read in the order of the axes,
    whatever a header calls them.

    >>> read_rows(
    ...     "Left at last.\\n2 | 0\\n0: up",
    ...     states=3, actions=2,
    ...     action_words=["left", "up"],
    ... )
    {0: 1, 2: 0}
    >>> read_rows(
    ...     "* | 1 | 0\\n2 | 1 | 1",
    ...     states=6, actions=2, bins=(3, 2),
    ... )
    {1: 0, 3: 0, 5: 1}
    >>> size = {"states": 3, "actions": 2}
    >>> read_rows("0 | 5", **size)
    Traceback (most recent call last):
    propslib.brain.answer.ReplyError: The action of state 0 is '5'. Send rows state | action: ...

    Raises ReplyError if the reply cannot be used: no row, a state or bin that does not exist,
    something else than an action, two actions for a state. Raises ValueError for settings that
    contradict each other.
    """
    names = _Names(states, actions, tuple(bins), bin_words, action_words)
    read, faults = [], {}  # a dict, as a set that keeps the order
    for row in dict.fromkeys(_rows(answer_text(reply, names.cure), names)):
        try:
            read.append(names.look_up(*row))
        except ReplyError as error:
            faults[str(error)] = True
    table: dict[int, int] = {}
    holds: dict[int, int] = {}  # the number of * in the row that a state's action comes from
    for numbers, stars, action in sorted(read, key=lambda row: row[1]):
        for state in numbers:
            decides = holds.setdefault(state, stars) == stars
            if decides and table.setdefault(state, action) != action:
                both = f"{table[state]} and {action}"
                faults[f"State {state} was given two different actions, {both}"] = True
    if not table:
        faults = faults or {"The reply holds no row that can be read": True}
    if faults:
        raise ReplyError(f"{first_ten(list(faults), '; ')}. {names.cure}")
    return dict(sorted(table.items()))


class _Names:
    """What states, bins and actions are called, and how to ask for them."""

    def __init__(self, states, actions, bins, bin_words, action_words):
        self.numbers = np.arange(states).reshape(bins or states)
        words = bin_words or [()] * len(bins)
        every = dict.fromkeys(_ANY, slice(None))
        self.axes = [_numbered(*axis) | every for axis in zip(bins, words, strict=True)]
        self.actions = _numbered(actions, action_words)
        self.bin_names = set().union(*self.axes)
        what = f"rows state | action: states 0 to {states - 1}, actions 0 to {actions - 1}"
        self.cure = f"Send {what}"
        if action_words:
            self.cure += f" ({first_ten([str(word) for word in action_words], ', ')})"
        if bins:
            last = ", ".join(str(count - 1) for count in bins)
            self.cure += f"; or a bin of each axis for the state, from 0 to at most ({last})"
        self.cure += "."

    def is_row(self, cells: list[str]) -> bool:
        """Whether the cells of a line are meant as a row, rightly or not."""
        return len(cells) > 1 and bool(
            ROW_PATTERNS["numbered"].fullmatch(cells[0])
            or self.bin_names.issuperset(cells[:-1])
            or (len(cells) == len(self.axes) + 1 and cells[-1] in self.actions)
        )

    def look_up(self, cells: tuple[str, ...], text: str) -> tuple[list[int], int, int]:
        """The states that a row means, how many * it has, and the action it gives them."""
        shown = shorten(" | ".join(cells))
        number = cells[0].removeprefix("state").strip()
        place: list[int | slice | None] = []
        if len(cells) == 1 and number.isdecimal() and int(number) < self.numbers.size:
            states = [int(number)]
        elif len(cells) == len(self.axes):
            place = [axis.get(cell) for cell, axis in zip(cells, self.axes, strict=True)]
            if None in place:
                axis, cell = place.index(None) + 1, shorten(cells[place.index(None)])
                raise ReplyError(f"The bin of axis {axis} in {shown} is '{cell}'")
            states = np.ravel(self.numbers[tuple(place)]).tolist()
        else:
            raise ReplyError(f"There is no state {shown}")
        action = self.actions.get(text.removeprefix("action").strip(" :="))
        if action is None:
            raise ReplyError(f"The action of state {shown} is '{shorten(text)}'")
        return states, place.count(slice(None)), action


def _numbered(count: int, words: Sequence[str]) -> dict[str, int]:
    """Each of `count` things by its number and by its word, as `_rows` reads it."""
    names = {str(i): i for i in range(count)}
    if len(words) not in (0, count):
        raise ValueError(f"{len(words)} words for {count} things: {list(words)}")
    for i, word in enumerate(words):
        name = _plain_cell(_plain_line(str(word).translate(ALIKE)))
        if not name or "|" in name or name in _ANY or names.setdefault(name, i) != i:
            raise ValueError(f"The word {word!r} cannot name number {i} alone of {list(words)}")
    return names


def _plain_line(text: str) -> str:
    """A line in lower case with single spaces, without bold, code, bullet, quote and comment."""
    bare = text.replace("`", " ").replace("**", " ").replace("_", " ").casefold()
    bare = ROW_PATTERNS["prefix"].sub("", " ".join(bare.split()), count=1)
    return ROW_PATTERNS["comment"].sub("", bare).rstrip(" ,;.")


def _plain_cell(text: str) -> str:
    return text.strip(" *\"'") or text.strip()


def _cells(line: str, names: _Names) -> list[str]:
    pair = ROW_PATTERNS["pair"].fullmatch(line)
    if pair and (pair[2] in names.actions or ROW_PATTERNS["action"].fullmatch(pair[2])):
        return [pair[1], _plain_cell(pair[2])]
    return [_plain_cell(cell) for cell in line.removeprefix("|").removesuffix("|").split("|")]


def _rows(text: str, names: _Names) -> Iterator[_Row]:
    """The rows of a text. Raises ReplyError for JSON, and where the last column is no action."""
    lines = [_plain_line(line) for line in text.split("\n")]
    for line, below in zip(lines, [*lines[1:], ""], strict=True):
        cells = _cells(line, names)
        columns = ["action" in cell or cell == "a" for cell in cells]
        ruled = ROW_PATTERNS["rule"].fullmatch(below) and not columns[-1]
        if names.is_row(cells):
            yield tuple(cells[:-1]), cells[-1]
        elif len(cells) > 1 and (any(columns[:-1]) or ruled):
            raise ReplyError(
                f"The header '{shorten(line)}' does not end in one action. {names.cure}"
            )
        elif ROW_PATTERNS["object"].search(line):
            raise ReplyError(f"'{shorten(line)}' is JSON. {names.cure}")
