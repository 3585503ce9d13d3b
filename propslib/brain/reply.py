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

Each step passes over the text a fixed number of times, so a long reply cannot stall it.
"""

import math
import re
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from .answer import ReplyError, answer_text, first_ten, shorten


def _pattern(*parts: str) -> re.Pattern[str]:
    return re.compile("".join(parts), re.IGNORECASE | re.ASCII)


# Parts of the patterns, and then the patterns by the functions that use them.
_NUMBER = r"[-+]?[ \t]{0,2}(?:(?:0|[1-9][0-9]*)(?:\.[0-9]+|\.(?=e))?|\.[0-9]+)(?:e[-+]?[0-9]+)?"
_DIGIT = r"[ \t]*[-+]?[ \t]*\.?[0-9]"  # here a number begins
_NONE = r"(?:nan|inf(?:inity)?|none|null)\b|∞"
_WORDS = r"(?:one|two|three|four|five|six|seven|eight|nine|ten|half|pi)\b"
_REASON = r"(?:and|because|since|so|as|for|which|while|where|with|but|is|to)\b"
_NAME = (
    r"params?(?:[ \t]?\[[ \t]?(?=[0-9]+[ \t]?\])|[ \t]?\((?=[0-9]+\))|[ \t]?_\{?)"
    r"([0-9]{1,9})(?![0-9])[ \t]?[\])}]?"
)
_OPEN, _CLOSE = r"[ \t)\]}({\[]*", r"[ \t)\]}]*"
_SEPARATORS = rf"(?:{_OPEN}(?:[.!]{_CLOSE})?(?:[,;|&•—]|-(?=[ \t])|and\b))*"
_BULLET = r"(?:(?:[-+*•→]|[-=]>)[ \t]+)?(?:\(?[0-9]{1,4}[.):][ \t]+)?"
_LISTED = rf"[ \t>|({{\[#]*{_BULLET}[ \t({{\[]*"  # before the first name of a line
_ASIDE_ROUND = rf"\((?!{_DIGIT}[^()a-z]*\))"

_FENCE = _pattern(r"```[a-z0-9]*(?=[ \t]*\n)|`|</?[a-z][a-z0-9]{0,20}[ \t]?/?>")
_PAIRS = [  # **bold**, _italic_, "quoted", $typeset$; the star of 2*params[0] has no partner
    _pattern(
        rf"(?<![a-z0-9)\]}}{m}])({m}{{1,3}})(?=[^ \t\n={m}])([^{m}]*)(?<=[^ \t\n{m}])\1(?![a-z0-9{m}])"
    )
    for m in (r"\*", "_", '"', "'", r"\$")
]
_ASIDE = _pattern(  # a comment in parentheses, or one to the end of its line
    rf"(?<=[ \t]){_ASIDE_ROUND}[^()\n]*\)|(?:#|//(?!{_DIGIT})",
    rf"|(?:—|(?<=[ \t])-(?=[ \t]))(?!{_DIGIT}|[ \t]*(?:{_NAME}|\n)))[^\n]*",
)
_EVERY_NAME = _pattern(_NAME)
_ASSIGNMENT = _pattern(
    _NAME, r"[ \t]*(?:(?::=|[-=]>|→|=|:|\||is\b)|([-+*/%^~!<>&]{1,2}=|[<>~≤≥≠≈]))[ \t]*"
)
_PLAIN = _pattern(  # one number, and nothing after it that could change it
    rf"({_NUMBER})(?:(?={_CLOSE}(?:\n|\Z|[.!](?:[ \t\n,;|&•]|\Z)|[,;|&•—](?!{_DIGIT})))",
    rf"|(?=[ \t)\]}}]+(?:{_REASON}(?!{_DIGIT}|[ \t]+{_WORDS})|[-—][ \t]*(?:\n|\Z)|{_ASIDE_ROUND}",
    "|[\u2600-\u27bf\U0001f000-\U0001faff])))",
)
_RAW = _pattern(rf"(?:[^\n,;|&•]|[,;|&•](?={_DIGIT}))*")
_SAYS = _pattern(rf"[0-9½¼¾²³]|\b{_WORDS}|{_NONE}")  # else it is a placeholder
_SAME_LINE = _pattern(_SEPARATORS, _OPEN)
_NEXT_LINE = _pattern(
    rf"({_SEPARATORS}){_OPEN}(?:[.!]{_OPEN})?(?:\|[^\n]*)?\n(?:[ \t>|)\]}}({{\[-]*\n)*", _LISTED
)
_STARTS_LINE = _pattern(rf"\n{_LISTED}\Z")
# "params[1]: 5 was slow" begins a reason, not a row.
_SENTENCE = _pattern(rf"{_NUMBER}\.?[ \t,;]*(?!and\b)[a-z]+[ \t.,;]+(?:[a-z]|\Z)")
_CHANGED = _pattern(  # what makes the name after it something else: 2*, -, log(, "do not use"
    r"(?:[0-9][\])}]?[ \t]*\|?|[-+*/^%<=~×·÷±√Δ∆∂≤≥≠≈|]|\\[a-z]+|[a-z0-9]\(|(?:[a-z_]+|[^\0-\x7f])\Z",
    r"|\b(?:do not|don't|never|avoid|instead of|rather than)\b[^.:;!?\n]{0,30})[ \t]*[({\[]?[ \t]*\Z",
)
_ITEM = rf"(?:[-+]?[ \t]{{0,2}}[.0-9][-+.0-9e]*|[-+]?(?:{_NONE}))"
_LABEL = (
    r"\b(?:params?|parameters|answer|proposal|final|instead|point|next)\b"
    r"[^\n:=|\[\](){}0-9]{0,30}[:=][ \t]*"
)
_LIST = _pattern(  # a line of its own or after a label; without brackets "0,5" may be one number
    r"(?:\n(?:(?=[^\n]*\|)(?=[^\n]*[a-z])(?P<above>[^\n]*)\n)?(?:[ \t|:-]+\n)?[ \t>|{*•]*",
    rf"|(?P<label>{_LABEL}))(?:(?P<open>[\[(])[ \t\n]*(?P<inside>{_ITEM}(?:[ \t\n]*[,;|][ \t\n]*{_ITEM})*)",
    r"[ \t\n]*[,;]?[ \t\n]*[\])](?:[ \t})\].,;]*(?=\n|\Z)|[ \t]*,[ \t\n]*[a-z_]+[ \t]*:)",
    rf"|(?![-+] |[0-9]+,[0-9]+[ \t]*\n)(?P<bare>{_ITEM}(?:[ \t]*[,;|][ \t]*{_ITEM})*)[ \t|,;.]*(?=\n|\Z))",
)
_ITEMS = _pattern(_ITEM)
_LETTER = _pattern("[a-z]")


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
    first. Single parameters that a sentence mentions beside a proposal do not count. Values must
    lie in [low, high] as written; then they are ROUNDED to ``decimals`` (None: kept as written),
    and the rounded point is what the model should be shown. With ``missing`` given, parameters that
    the reply does not name take that value, and any assignments make a proposal.

    >>> reply = "Sure! **params[1]**: 6, params[0] = −.25\\nparams[1]: 5 was too slow."
    >>> read_params(reply, size=2, low=-6, high=6)
    array([-0.25,  6.  ])
    >>> read_params("params[0]: 99", size=2, low=-6, high=6)
    Traceback (most recent call last):
    propslib.brain.answer.ReplyError: params[0] is 99, outside -6 to 6; missing: params[1]. ...

    Raises ReplyError if the reply cannot be used, ValueError if size < 1 or low > high.
    """
    if size < 1 or not low <= high:
        raise ValueError(f"need size >= 1 and low <= high, got size={size}, low={low}, high={high}")
    example = ", ".join(f"params[{i}]: <number>" for i in range(min(size, 2)))
    amount = f"all {size} numbers" if size > 1 else "one number"
    if missing is not None:
        amount = f"the numbers that are not {missing:g}"
    dots = ", ..." if size > 2 else "."
    cure = f"Send {amount}, each once and from {low:g} to {high:g}, as {example}{dots}"

    layers = _layers(answer_text(reply, cure))
    blocks = [block for layer in layers for block in _blocks(layer, size)]
    lists = list(_lists(layers[0]))
    whole = [b for b in blocks if missing is not None or max(len(b), len(_values(b))) >= size]
    whole = sorted([*whole, *(b for b in lists if len(b) == size)], key=lambda b: b[0].start)
    best = max(whole[:1] or blocks, key=lambda block: len(_values(block)), default=[])
    values, named = _values(best), range(size)
    if missing is not None:
        named = [int(name[1]) for layer in layers for name in _EVERY_NAME.finditer(layer)]
    faults = _faults(best, low, high, size)
    faults.append(_names("missing", {*named} & {*range(size)} - {*values}))
    if not best:
        faults = ["The reply holds no proposal that can be read"]
        faults += [f"a list in it has {len(items)} numbers, not {size}" for items in lists[:1]]
    for other in whole:
        if _values(other) != values:
            both = f"{_shown(best, other)} and {_shown(other, best)}"
            faults = [f"The reply holds two different proposals, {both}"]
    if any(faults):
        raise ReplyError(f"{'; '.join(filter(None, faults))}. {cure}")
    params = [values.get(i, missing) for i in range(size)]
    if decimals is not None:
        params = [round(value, decimals) for value in params]
    return np.array(params, dtype=float) + 0.0  # adding 0 turns -0.0 into 0.0


def _layers(text: str) -> list[str]:
    """The text without bold, quotes and comments, and its comments alone, each in its place."""
    text = _FENCE.sub(_blank, text)
    for pair in _PAIRS:
        text = pair.sub(lambda found: " " * len(found[1]) + found[2] + " " * len(found[1]), text)
    main = _ASIDE.sub(_blank, text)
    signs = zip(text, main, strict=True)
    return [main, "".join(sign if sign != kept or sign == "\n" else " " for sign, kept in signs)]


def _blank(found: re.Match) -> str:
    return "".join(sign if sign in "()\n" else " " for sign in found[0])


def _assignments(text: str) -> Iterator[_Assignment]:
    """Names with an operator and what may be a value: "params[1]: 2", not "params[1]: <number>"."""
    names = list(_ASSIGNMENT.finditer(text))
    for name, after in zip(names, [*names[1:], None], strict=False):
        segment = text[name.end() : after and after.start()]
        plain = None if name[2] else _PLAIN.match(segment)
        written = plain[1] if plain else _RAW.match(segment)[0].rstrip(" \t")
        if plain or _SAYS.search(written[:24]):
            value, shown = _number(written) if plain else None, (name[2] or "") + written
            yield _Assignment(int(name[1]), value, shown, name.start(), name.end() + len(written))


def _blocks(text: str, size: int) -> list[list[_Assignment]]:
    """Assignments that belong together: on one line, or on lines of their own up to the last."""
    blocks, named, listed, end = [], set(), False, 0
    for found in _assignments(text):
        gap = text[end : found.start]
        line = len(named) < size and _NEXT_LINE.fullmatch(gap)
        row = line and (listed or line[1].strip(" \t")) and not _SENTENCE.match(
            text, found.end - len(found.text)
        )
        if blocks and (row or _SAME_LINE.fullmatch(gap)):
            blocks[-1].append(found)
        else:
            before = text[max(end, found.start - 80) : found.start]
            named, listed = set(), bool(_STARTS_LINE.search(before))
            if not listed and (odd := _CHANGED.search(before)):
                shown = before[odd.start() :] + text[found.start : found.end]
                found = found._replace(value=None, text=shown)
            blocks.append([found])
        end = found.end
        named |= {found.index} & {*range(size)}
    return blocks


def _lists(text: str) -> Iterator[list[_Assignment]]:
    """The lists of numbers that fill a line or follow a label, as assignments."""
    for found in _LIST.finditer(text):
        kind = "inside" if found["open"] else "bare"
        body, place, above = found[kind], found.start(kind), found["above"] or ""
        items = [*_ITEMS.finditer(body)]
        if len({*",;|"} & {*body}) > 1 or (len(items) == 1 and not (found["label"] or found["open"] == "[")):
            continue  # two separators, or one number that may count lines
        columns = [*range(len(items))]
        if "|" in body and above:
            columns = [int(name[1]) for name in _EVERY_NAME.finditer(above)]
            if len(columns) != len(items) or _LETTER.search(_EVERY_NAME.sub("", above)):
                continue  # a table of something else
        yield [
            _Assignment(k, _number(item[0]), item[0], place + item.start(), place + item.end())
            for k, item in zip(columns, items, strict=True)
        ]


def _values(block: list[_Assignment]) -> dict[int, float | None]:
    return {a.index: a.value for a in reversed(block)}


def _faults(block: list[_Assignment], low: float, high: float, size: int) -> list[str]:
    """What is wrong with the numbers of a block."""
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


def _shown(block: list[_Assignment], other: list[_Assignment]) -> str:
    """A block as it was written, as far as another one differs from it."""
    same = _values(other).items()
    parts = [f"params[{a.index}]: {shorten(a.text)}" for a in block if a[:2] not in same]
    return f"'{first_ten(parts, ', ')}'"


def _number(text: str) -> float | None:
    """The number that a text is; None for NaN, 1e999 and 007, half of a 1,007."""
    plain = re.fullmatch(_NUMBER, text.rstrip("."), re.IGNORECASE)
    value = float(re.sub(r"[ \t]", "", text)) if plain else math.nan
    return value if math.isfinite(value) else None


def _names(fault: str, indices: set[int]) -> str:
    names = [f"params[{i}]" for i in sorted(indices)]
    return f"{fault}: {first_ten(names, ', ')}" if names else ""
