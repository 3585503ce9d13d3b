"""The part of a reply that counts: without its reasoning, in plain signs, and not too long."""

import re
import tomllib
from pathlib import Path


def _compiled(texts: dict[str, str], flags: int) -> dict[str, re.Pattern[str]]:
    """The expressions of `reply.toml`, with those above in the place of their {names}."""
    done: dict[str, str] = {}
    for name, text in texts.items():
        done[name] = re.sub(r"\{([a-z_]+)\}", lambda part: done[part[1]], text)
    return {name: re.compile(text, flags) for name, text in done.items()}


FILE = tomllib.loads(Path(__file__).with_name("reply.toml").read_text(encoding="utf-8"))
PATTERNS = _compiled(FILE["patterns"], re.IGNORECASE | re.ASCII)
ROW_PATTERNS = _compiled(FILE["rows"], re.IGNORECASE)
PAIRS = [PATTERNS[name] for name in FILE["pairs"]]
ALIKE = str.maketrans(*FILE["alike"])
LONGEST = 200_000  # characters; no proposal needs more
_HALF = re.compile("[\ud800-\udfff]")  # half a character, which can be neither printed nor saved


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
    answer, opened = "", ""  # the answer so far, each sign in its place
    for tag in PATTERNS["reasoning"].finditer(text):
        closes = tag[1] or tag[2]
        if closes:  # some servers swallow the opening tag: then all so far was reasoning
            answer = f"{answer if opened else ''}\n".ljust(tag.end())
        elif not opened:
            answer += text[len(answer) : tag.start()]
        opened = "" if closes else tag[0]
    if opened[:1] in ("", "["):  # "[Plan]" without an end is a heading
        answer += text[len(answer) :]
    if not answer.strip(" \t\n"):
        raise ReplyError(f"The reply holds only reasoning and no answer. {cure}")
    return "\n" + PATTERNS["escaped"].sub(lambda found: " " * len(found[0]), answer)


def shorten(text: str) -> str:
    """At most 24 characters of a text."""
    return text if len(text) <= 24 else f"{text[:20]}..."


def first_ten(items: list[str], joint: str) -> str:
    """At most ten items, and how many more there are."""
    return joint.join(items[:10] + [f"and {len(items) - 10} more"] * (len(items) > 10))
