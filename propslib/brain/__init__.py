"""What all brains have in common, and those that ask a language model."""

from importlib import import_module
from typing import Any

from ..run import Trial, find_recording
from .base import Brain, Proposal, Reply, StopSearch
from .chat import ChatError, chat
from .llm import LLMBrain, PromptedBrain
from .reply import ReplyError, read_params

# What not every reader needs is imported when it is first used: the name, and where it is.
_OPTIONAL = {
    **dict.fromkeys(("CMAES", "HillClimbing", "RandomSearch"), "optimisers"),
    "TableBrain": "table",
    "live_or": "chat.environment",
    "read_rows": "rows",
}

__all__ = ["Brain", "LLMBrain", "PromptedBrain", "Proposal", "Reply", "ReplyError", "StopSearch"]
__all__ += ["ChatError", "Trial", "chat", "find_recording", "read_params"]
__all__ += list(_OPTIONAL)


def __getattr__(name: str) -> Any:
    if name not in _OPTIONAL:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_OPTIONAL[name]}"), name)
