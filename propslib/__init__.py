"""Prompted Policy Search: a language model proposes, a world answers, nothing else optimises."""

from importlib import import_module
from typing import Any

from .brain import Brain, ChatError, LLMBrain, Proposal, Reply, ReplyError, chat
from .policy import LinearPolicy, Policy
from .run import Run, Trial
from .search import SearchError, search
from .world import World

# What not every reader needs is imported when it is first used: the name, and where it is.
_OPTIONAL = {
    **dict.fromkeys(("CMAES", "HillClimbing", "RandomSearch", "TableBrain", "live_or"), "brain"),
    **dict.fromkeys(("BIPEDAL_WALKER", "Binned", "Bins", "CARTPOLE", "HOPPER"), "world.bins"),
    "Episode": "world.trace",
    "Disguised": "world.disguise",
    "TablePolicy": "policy.table",
    "check": "utils",
    "held_out": "judge",
}

__all__ = ["Brain", "ChatError", "LLMBrain", "Proposal", "Reply", "ReplyError", "chat"]
__all__ += ["LinearPolicy", "Policy", "Run", "SearchError", "Trial", "World", "search"]
__all__ += list(_OPTIONAL)


def __getattr__(name: str) -> Any:
    if name not in _OPTIONAL:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_OPTIONAL[name]}"), name)
