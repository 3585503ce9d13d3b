"""Read the parameters that a language model proposes, out of the text that it wrote.

A model is asked for ``params[0]: <number>, params[1]: <number>, ...`` and mostly obeys. Reading is
kind to form (bold, code fences, ``=`` for ``:``, a list, a table, a greeting before, a reason
after) and strict about content: what is missing, given twice, out of range or open to two readings
is refused, with a sentence that goes back to the model. Nothing is guessed. It takes four steps:

1. `answer_text` drops the reasoning; ``_layers`` drops bold and quotes, and sets comments apart;
2. ``_assignments`` finds names with an operator. A value counts if it is one plain number and what
   follows is known to end it: a separator, the line's end, a comment, a word such as "because";
3. ``_blocks`` groups the assignments that belong together, ``_lists`` finds lists of numbers;
4. ``read_params`` takes those that give every parameter, and wants them to agree.

What each step looks for is in `reply.toml`. Each passes over the text a fixed number of times, so a
long reply cannot stall it.
"""

import math
import re
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from .answer import PAIRS, PATTERNS, ReplyError, answer_text, first_ten, shorten


class _Assignment(NamedTuple):
    index: int
    value: float | None  # None: what was written is not one plain finite number
    text: str
    start: int
    end: int


def read_params(
    reply: str,
    *,
    size: int,
    low: float,
    high: float,
    decimals: int | None = None,
    missing: float | None = None,
) -> np.ndarray:
    """Return the one proposal that a reply holds, float64 of shape (size,).

    A proposal gives every parameter, in assignments that stand together or as a list. Two that
    differ are refused, whatever is said about them; the same one may be repeated. What stands in
    tags of reasoning, ``<think> ... </think>``, ``[THINK] ... [/THINK]`` and their like, is dropped
    first. Single parameters that a sentence mentions beside a proposal do not count.

    Values must lie in ``[low, high]`` as written; then they are *rounded* to ``decimals`` (None:
    kept as written), and the rounded point is what the model should be shown.

    With ``missing`` given, parameters that the reply does not name take that value, and any
    assignments make a proposal.

    >>> box = {"size": 2, "low": -6, "high": 6}
    >>> reply = (
    ...     "Sure! **params[1]**: 6, "
    ...     "params[0] = −.25\\n"
    ...     "params[1]: 5 was too slow."
    ... )
    >>> read_params(reply, **box)
    array([-0.25,  6.  ])
    >>> read_params("params[0]: 99", **box)
    Traceback (most recent call last):
    propslib.brain.answer.ReplyError: params[0] is 99, outside -6 to 6; missing: params[1]. ...

    Raises ReplyError if the reply cannot be used, ValueError if
    ``size < 1`` or ``low > high``.
    """
    if size < 1 or not low <= high:
        raise ValueError(f"need size >= 1 and low <= high, got size={size}, low={low}, high={high}")
    cure = _cure(size, low, high, missing)
    layers = _layers(answer_text(reply, cure))
    blocks = [block for layer in layers for block in _blocks(layer, size)]
    lists = list(_lists(layers[0]))
    whole = [b for b in blocks if missing is not None or max(len(b), len(_values(b))) >= size]
    whole = sorted([*whole, *(b for b in lists if len(b) == size)], key=lambda b: b[0].start)
    best = max(whole[:1] or blocks, key=lambda block: len(_values(block)), default=[])
    values, wanted = _values(best), {*range(size)}
    if missing is not None:
        names = (int(name[1]) for layer in layers for name in PATTERNS["name"].finditer(layer))
        wanted &= {*names}
    lacking = "missing" if missing is None else "named without a number"
    faults = [*_faults(best, low, high, size), _names(lacking, wanted - {*values})]
    if not best:
        faults = ["The reply holds no proposal that can be read"]
        faults += [f"it has a list of {len(items)}, not of {size}" for items in lists[:1]]
    for other in whole:
        if _values(other) != values:
            both = f"{_shown(best, other)} and {_shown(other, best)}"
            faults = [f"The reply holds two different proposals, {both}"]
    if any(faults):
        raise ReplyError(f"{'; '.join(filter(None, faults))}. {cure}")
    params = [values.get(i, missing) for i in range(size)]
    params = params if decimals is None else [round(value, decimals) for value in params]
    return np.array(params, dtype=float) + 0.0  # adding 0 turns -0.0 into 0.0


def _cure(size: int, low: float, high: float, missing: float | None) -> str:
    example = ", ".join(f"params[{i}]: <number>" for i in range(min(size, 2)))
    amount = f"all {size} numbers" if size > 1 else "one number"
    if missing is not None:
        amount = f"the numbers that are not {missing:g}"
    dots = ", ..." if size > 2 else "."
    return f"Send {amount}, each once and from {low:g} to {high:g}, as {example}{dots}"


def _layers(text: str) -> list[str]:
    """The text without bold, quotes and comments, and its comments alone, each in its place."""
    text = PATTERNS["fence"].sub(_blank, text)
    for pair in PAIRS:
        text = pair.sub(lambda found: " " * len(found[1]) + found[2] + " " * len(found[1]), text)
    main = PATTERNS["aside"].sub(_blank, text)
    signs = zip(text, main, strict=True)
    return [main, "".join(sign if sign != kept or sign == "\n" else " " for sign, kept in signs)]


def _blank(found: re.Match) -> str:
    return "".join(sign if sign in "()\n" else " " for sign in found[0])


def _assignments(text: str) -> Iterator[_Assignment]:
    """Names with an operator and what may be a value: "params[1]: 2", not "params[1]: <number>"."""
    names = list(PATTERNS["assignment"].finditer(text))
    for name, after in zip(names, [*names[1:], None], strict=False):
        segment = text[name.end() : after and after.start()]
        plain = None if name[2] else PATTERNS["value"].match(segment)
        written = plain[1] if plain else PATTERNS["written"].match(segment)[0].rstrip(" \t")
        if plain or PATTERNS["says"].search(written[:24]):
            value, shown = _number(written) if plain else None, (name[2] or "") + written
            yield _Assignment(int(name[1]), value, shown, name.start(), name.end() + len(written))


def _blocks(text: str, size: int) -> Iterator[list[_Assignment]]:
    """Assignments that belong together: on one line, or on lines of their own up to the last."""
    blocks, named, listed, plain, end = [], set(), False, False, 0
    for found in _assignments(text):
        gap = text[end : found.start]
        line = len(named) < size and PATTERNS["next_line"].fullmatch(gap)
        row = line and (listed or line[1].strip(" \t"))
        sentence = PATTERNS["sentence"].match(text, found.end - len(found.text))
        # A value that is no number may be a sentence: what follows without a separator is another.
        same = PATTERNS["same_line"].fullmatch(gap) and (plain or gap.strip(" \t"))
        if blocks and (same or (row and not sentence)):
            blocks[-1].append(found)
        else:
            before = text[max(end, found.start - 80) : found.start]
            named, listed = set(), bool(PATTERNS["starts_line"].search(before))
            if not listed and (changed := PATTERNS["changed"].search(before)):
                shown = before[changed.start() :] + text[found.start : found.end]
                found = found._replace(value=None, text=shown)
            blocks.append([found])
        end, plain = found.end, found.value is not None
        named |= {found.index} & {*range(size)}
    for block in blocks:  # a block of two whole points is two proposals
        step = size if len(block) % size == 0 else len(block)
        yield from (block[k : k + step] for k in range(0, len(block), step))


def _lists(text: str) -> Iterator[list[_Assignment]]:
    """Lists of numbers that fill a line or follow a label, as assignments."""
    columns, end = range(0), -1
    for found in PATTERNS["list"].finditer(text):
        kind = "inside" if found["open"] else "bare"
        items = [*PATTERNS["item"].finditer(found[kind])]
        table = "|" in found[kind]
        if not table or found.start() != end:  # other rows of a table have its columns, too
            columns = _columns(found["above"]) if table and found["above"] else range(len(items))
        alone = found["label"] or found["open"] == "[" or len(items) > 1
        if len({*",;|"} & {*found[kind]}) < 2 and alone and len(columns) == len(items):
            place = found.start(kind)
            yield [
                _Assignment(k, _number(item[0]), item[0], place + item.start(), place + item.end())
                for k, item in zip(columns, items, strict=True)
            ]
        end = found.end()


def _columns(header: str) -> list[int]:
    """The parameters that a table's header names; none if it names something else."""
    indices = [int(name[1]) for name in PATTERNS["name"].finditer(header)]
    other = re.search("[a-z]", PATTERNS["name"].sub("", header), re.IGNORECASE)
    return [] if other else indices


def _number(text: str) -> float | None:
    """The number that a text is; None for NaN, 1e999 and 007, half of a 1,007."""
    plain = PATTERNS["number"].fullmatch(text.removesuffix("."))
    value = float(re.sub("[ \t]", "", text)) if plain else math.nan
    return value if math.isfinite(value) else None


def _values(block: list[_Assignment]) -> dict[int, float | None]:
    return {assignment.index: assignment.value for assignment in reversed(block)}


def _faults(block: list[_Assignment], low: float, high: float, size: int) -> list[str]:
    """What is wrong with the assignments of a block."""
    faults, seen, doubled = [], set(), set()
    for index, value, text, *_ in block:
        if index >= size:
            faults.append(f"params[{index}] does not exist, the last one is params[{size - 1}]")
        elif index in seen:
            doubled.add(index)
        elif value is None:
            faults.append(f"params[{index}] is '{shorten(text)}', not one plain finite number")
        elif not low <= value <= high:
            faults.append(f"params[{index}] is {shorten(text)}, outside {low:g} to {high:g}")
        seen.add(index)
    return [first_ten(faults, "; "), _names("given twice", doubled)]


def _names(fault: str, indices: set[int]) -> str:
    names = [f"params[{i}]" for i in sorted(indices)]
    return f"{fault}: {first_ten(names, ', ')}" if names else ""


def _shown(block: list[_Assignment], other: list[_Assignment]) -> str:
    """A block as it was written, as far as another one differs from it."""
    same = _values(other).items()
    parts = [f"params[{a.index}]: {shorten(a.text)}" for a in block if a[:2] not in same]
    return f"'{first_ten(parts, ', ')}'"
