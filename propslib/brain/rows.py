"""Optional: read the rows of a policy table out of the text that a language model wrote.

A model is asked for a reason and then rows ``state | action``, and mostly obeys. As in `reply`,
reading is kind to form and strict about content. These forms are understood, also mixed:

- a row on its own line: ``3 | 1``, ``State 3: action 1``, ``3 -> left``, ``3 | 0 (left) # why``;
- a line of pairs: ``0:3 1:2 2:2``, also in braces, as JSON has them;
- a table under a header, which may put the columns in another order or have more of them;
- bins for a state: ``1 | 0 | 3 | 2 | 0``, ``middle | * | upright | 3 | left``, ``(1,0,3,2): 0``.

Everything else is prose and is passed over. Nothing is guessed. It takes two steps:

1. ``_line_rows`` finds rows in the lines of the reply: what they call the state and the action;
2. ``_Names`` looks those up, and ``read_rows`` checks that no state has two actions.

Each step passes over the text a fixed number of times, so a long reply cannot stall it.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Any

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

    >>> read_rows("Left at last.\\n2 | 0\\n0: up", states=3, actions=2, action_words=["left", "up"])
    {0: 1, 2: 0}
    >>> read_rows("* | 1 | 0\\n2 | 1 | 1", states=6, actions=2, bins=(3, 2))
    {1: 0, 3: 0, 5: 1}
    >>> read_rows("0 | 5", states=3, actions=2)
    Traceback (most recent call last):
    propslib.brain.answer.ReplyError: The action of state 0 is '5'. Send rows state | action: ...

    Raises ReplyError if the reply cannot be used: no row, a state or bin that does not exist,
    something else than an action, two actions for a state. Raises ValueError for settings that
    contradict each other.
    """
    names = _Names(states, actions, tuple(bins), bin_words, action_words)
    source = answer_text(reply, names.cure)
    try:
        found = list(_line_rows(source, names))
    except ReplyError as error:
        raise ReplyError(f"{error}. {names.cure}") from None
    if not found:
        raise ReplyError(f"The reply holds no row that can be read. {names.cure}")

    read, faults = [], {}  # a dict, as a set that keeps the order
    for row in dict.fromkeys(found):
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
    if faults:
        raise ReplyError(f"{first_ten(list(faults), '; ')}. {names.cure}")
    return dict(sorted(table.items()))


class _Names:
    """What states, bins and actions are called, and how to ask for them."""

    def __init__(self, states, actions, bins, bin_words, action_words):
        self.numbers = np.arange(states).reshape(bins or states)
        self.states = _numbered(states, ())
        words = bin_words or [()] * len(bins)
        every = dict.fromkeys(_ANY, slice(None))
        self.axes = [_numbered(*axis) | every for axis in zip(bins, words, strict=True)]
        self.actions = _numbered(actions, action_words)
        self.bin_names = set().union(*self.axes)
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
                cells = tuple(_plain_cell(cell) for cell in number.split(","))
            elif len(self.axes) != 1:
                raise ReplyError(f"There is no state {shorten(number)}")
        if len(cells) != len(self.axes):
            columns = " or ".join(str(n) for n in sorted({1, len(self.axes) or 1}))
            raise ReplyError(f"{shorten(shown)} is {len(cells)} columns, a state has {columns}")
        place = [_find(cell, axis) for cell, axis in zip(cells, self.axes, strict=True)]
        if None in place:
            axis, cell = place.index(None) + 1, shorten(cells[place.index(None)])
            raise ReplyError(f"The bin of axis {axis} in {shorten(shown)} is '{cell}'")
        states = np.ravel(self.numbers[tuple(place)]).tolist()
        return states, place.count(slice(None)), self._action(shown, text)

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
        name = _plain_cell(_plain_line(str(word).translate(ALIKE)))
        if not name or "|" in name or name in _ANY or names.setdefault(name, i) != i:
            raise ValueError(f"The word {word!r} cannot name number {i} alone of {list(words)}")
    return names


def _find(text: str, names: dict[str, Any]) -> Any:
    """The number that a text means: ``"0"``, ``"left"`` or both, ``"0 (left)"``; else None."""
    name, _, aside = text.partition("(")
    found = names.get(name.strip())
    agrees = names.get(aside.rstrip(" )"), found) == found
    return names.get(text, found if agrees else None)


def _plain_line(text: str) -> str:
    """A line in lower case with single spaces, without bold, code, bullet, quote and comment."""
    bare = text.replace("`", " ").replace("**", " ").replace("_", " ").casefold()
    bare = ROW_PATTERNS["prefix"].sub("", " ".join(bare.split()), count=1)
    return ROW_PATTERNS["zeros"].sub("", ROW_PATTERNS["comment"].sub("", bare))


def _plain_cell(text: str) -> str:
    return text.strip(" *\"'") or text.strip()


def _cells(line: str) -> list[str]:
    cells = [_plain_cell(cell) for cell in line.removeprefix("|").split("|")]
    while len(cells) > 2 and cells[-1][:1] in ("", "#"):
        cells.pop()
    return cells


def _line_rows(text: str, names: _Names) -> Iterator[_Row]:
    """The rows in the lines of a text; ``columns`` says where the table that we are in has them."""
    lines = [_plain_line(line) for line in text.split("\n")]
    columns, width = None, 0
    for line, below in zip(lines, [*lines[1:], ""], strict=True):
        cells = _cells(line) if "|" in line else []
        if not cells and (line or not columns):  # a table ends; rows may follow after a blank line
            columns = None
        if not line or ROW_PATTERNS["rule"].fullmatch(line):
            continue
        if _is_header(cells, below):
            columns, width = _columns(cells, len(names.axes)), len(cells)
        elif columns is None:
            yield from _plain_rows(line, cells, names)
        elif columns:  # a table without actions has none, and its rows are passed over
            if len(cells) > width:
                raise ReplyError(f"The row '{shorten(line)}' has more columns than its header")
            cells += [""] * (width - len(cells))
            yield tuple(cells[i] for i in columns[:-1]), cells[columns[-1]]


def _is_header(cells: list[str], below: str) -> bool:
    if len(cells) < 2 or ROW_PATTERNS["numbered"].fullmatch(cells[0]):
        return False
    # Of two cells, both must be names: "I give state | action rows" is a sentence.
    words = cells if len(cells) == 2 else " ".join(cells).split()
    named = not {"action", "actions"}.isdisjoint(words) or {"a", "s"} <= {*cells}
    return named or bool(ROW_PATTERNS["rule"].fullmatch(below))


def _columns(header: list[str], axes: int) -> tuple[int, ...]:
    """The columns that hold the state, then the one of the action; none if there is no action.

    >>> _columns(["action", "why", "state"], 0)
    (2, 0)
    """
    action, state = (
        [i for i, name in enumerate(header) if name in (word, f"{word}s", word[0])]
        or [i for i, name in enumerate(header) if word in name.split()]
        for word in ("action", "state")
    )
    if not action:
        return ()
    if not state:  # all others, or those before the action
        others = [i for i in range(len(header)) if i != action[0]]
        state = others if len(others) in (1, axes) else others[: action[0]]
    if len(action) > 1 or len(state) not in (1, axes):
        shown = shorten(" | ".join(header))
        raise ReplyError(f"The header '{shown}' does not tell the columns of state and action")
    return (*state, *action)


def _plain_rows(line: str, cells: list[str], names: _Names) -> Iterator[_Row]:
    """The rows in a line that stands under no header; none if it is prose."""
    operation = ROW_PATTERNS["operation"].fullmatch(line)
    if not ROW_PATTERNS["pair"].sub("", line).strip(" ,;|{}"):
        yield from (((pair[1],), pair[2]) for pair in ROW_PATTERNS["pair"].finditer(line))
    elif len(cells) > 1 and (
        ROW_PATTERNS["numbered"].fullmatch(cells[0])
        or names.bin_names.issuperset(cells[:-1])
        or (len(cells) == len(names.axes) + 1 and cells[-1] in names.actions)
    ):
        yield tuple(cells[:-1]), cells[-1]
    elif ROW_PATTERNS["object"].search(line):
        raise ReplyError(f"The JSON in '{shorten(line)}' is not of states and actions alone")
    elif operation and names.begins.match(operation[3].strip(" *\"'")):
        yield (operation[2],), _plain_cell(operation[3].rstrip(" ,;|{}"))
