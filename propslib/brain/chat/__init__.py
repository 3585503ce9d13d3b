"""Chat back ends: functions from a prompt to a `Reply`, found by name.

Any function that takes a text and returns a text, or a `Reply`, is a chat back end; `chat` only
finds the ones that come with the book.
"""

import copy
from collections.abc import Callable
from importlib import import_module
from typing import Any, Self

from ..base import Reply

Chat = Callable[[str], Reply | str]

# Where each back end is: the class and the module, which is imported when the back end is named.
BACK_ENDS = {
    "recorded": "recorded.Recorded",
    "openai": "providers.OpenAIChat",
    "anthropic": "providers.AnthropicChat",
    "gemini": "providers.GeminiChat",
    "ollama": "providers.OllamaChat",
    "local": "local.LocalChat",
    "you": "you.You",
}
ALONE = ("local", "you")  # their names take no model


class ChatError(RuntimeError):
    """A model could not be asked. A search's log is intact: the same call resumes it."""


class BoundChat:
    """A chat back end that serves each brain by a copy of its own, which knows the brain."""

    _brain: Any = None

    def bind(self, brain: Any) -> Self:
        """This back end for one brain."""
        bound = copy.copy(self)
        bound._brain = brain
        return bound


def chat(name: str, **options: Any) -> Chat:
    """The chat back end of this name.

    `recorded:NAME`
        Replays the recorded search NAME, or any run log by its path, without any model.
    `openai:MODEL`, `anthropic:MODEL`, `gemini:MODEL`
        A model of OpenAI, Anthropic or Google, with the key in `OPENAI_API_KEY`,
        `ANTHROPIC_API_KEY` or `GEMINI_API_KEY`.
    `openai:MODEL` with `base_url=`
        A model of any server that speaks as OpenAI does: llama.cpp, vLLM, a router.
    `ollama:MODEL`
        A model of the Ollama server on this computer.
    `local`
        A small model inside this process, after `make local`: see `LocalChat`.
    `you`
        Whoever sits at the keyboard.

    options
        What the model's provider takes, such as `temperature` and `seed`, and the settings of
        `LiveChat`: `base_url`, `key_env`, `timeout`, `patience`, `price`. They are written to the
        log.

    Raises ValueError for a name that it does not know and where a key is missing, TypeError for
    options that the back end does not take.
    """
    kind, _, model = name.partition(":")
    if kind not in BACK_ENDS or bool(model) == (kind in ALONE):
        known = ", ".join(kind if kind in ALONE else f"{kind}:NAME" for kind in BACK_ENDS)
        other = "To use any other model, give LLMBrain a function from a text to a text."
        raise ValueError(f"There is no chat back end {name!r}; known: {known}. {other}")
    module, _, back_end = BACK_ENDS[kind].partition(".")
    return getattr(import_module(f"{__name__}.{module}"), back_end)(name, model, **options)
