"""Optional: a live model for the whole book, named by the environment variable `PROPS_LLM`."""

import json
import os
from typing import Any

from . import Chat, chat


def live_or(recorded: str) -> Chat:
    """The back end that the environment variable PROPS_LLM names, or else this one.

    >>> live_or("recorded:mountaincar-props").name
    'recorded:mountaincar-props'

    PROPS_LLM holds a name for `chat`, and options after it where there are any:
    `PROPS_LLM="openai:my-model base_url=http://localhost:8000/v1 temperature=0.5"`.
    """
    name, *options = os.environ.get("PROPS_LLM", "").split() or [recorded]
    if name != recorded:
        print(f"{name} answers here, not the recording {recorded}: results differ from the text.")
    return chat(name, **dict(map(_option, options)))


def _option(word: str) -> tuple[str, Any]:
    name, equals, value = word.partition("=")
    if not equals:
        # The word is not shown: it may be a key that was pasted here.
        raise ValueError("PROPS_LLM has a word without '='; options are given as name=value.")
    try:
        return name, json.loads(value)
    except json.JSONDecodeError:
        return name, value
