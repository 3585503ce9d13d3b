"""The part of a reply that counts: without its reasoning, in plain signs, and not too long."""

import re

LONGEST = 200_000  # characters; no proposal needs more
_FLAGS = re.IGNORECASE | re.ASCII
_REASONING = (
    "think|thinking|thoughts?|reason|reasoning|scratchpad|analysis|reflections?|drafts?|"
    "plan|planning|monologue|deliberation|cot|notes?"
)
_TAG = re.compile(rf"[<◁](/?)(?:[a-z]+[_:-])?(?:{_REASONING})[>▷]|\[(/?)(?:{_REASONING})\]", _FLAGS)
_HALF = re.compile("[\ud800-\udfff]")  # half a character, which can be neither printed nor saved
_ESCAPED = re.compile(r"\\[()]|\\(?=[\[\]_{}*])")
ALIKE = str.maketrans(  # minus signs, quotes, line breaks, wide and invisible signs: their plain kin
    "−‐‑‒–﹣－＋：，、；＝‘’“”„\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"
    "\xa0\u2007\u2009\u202f\u200b\u2060\ufeff",
    "-------+:,,;=''\"\"\"\n\n\n\n\n\n\n\n\n       ",
)


class ReplyError(ValueError):
    """A reply that cannot be used. Its text, what is wrong and what to send, goes to the model."""


def answer_text(reply: str | None, cure: str) -> str:
    """The reply without what stands in tags of reasoning, and a line break in the place of each.

    Such tags are ``<think> ... </think>``, ``[THINK] ... [/THINK]`` and their like, as the makers
    of models name them; ``<think>`` without an end hides all that follows. A sign that looks like
    another becomes the plain one, half a character becomes U+FFFD.

    Raises ReplyError, with `cure` at its end, for an empty reply, for reasoning alone and for more
    than `LONGEST` characters.
    """
    if reply and len(reply) > LONGEST:
        why = f"The reply has {len(reply)} characters; at most {LONGEST} are read."
        raise ReplyError(f"{why} {cure}")
    text = _HALF.sub("\ufffd", reply or "").replace("\r\n", " \n").translate(ALIKE)
    if not text.strip(" \t\n"):
        raise ReplyError(f"The reply was empty. {cure}")
    kept, start, opened = [], 0, ""
    for tag in _TAG.finditer(text):
        closes = tag[1] or tag[2]
        if closes and not opened:
            kept.clear()  # some servers swallow the opening tag: all so far was reasoning
        elif not opened:
            kept.append(text[start : tag.start()])
        opened, start = "" if closes else tag[0], tag.end()
    if opened[:1] in ("", "["):  # "[Plan]" without an end is a heading
        kept.append(text[start:])
    answer = "\n".join(kept)
    if not answer.strip(" \t\n"):
        raise ReplyError(f"The reply holds only reasoning and no answer. {cure}")
    return "\n" + _ESCAPED.sub(lambda found: " " * len(found[0]), answer)


def shorten(text: str) -> str:
    """At most 24 characters of a text."""
    return text if len(text) <= 24 else f"{text[:20]}..."


def first_ten(items: list[str], joint: str) -> str:
    """At most ten items, and how many more there are."""
    return joint.join(items[:10] + [f"and {len(items) - 10} more"] * (len(items) > 10))
