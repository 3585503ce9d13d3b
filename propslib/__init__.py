"""Prompted Policy Search: a language model proposes, a world answers, nothing else optimises."""

from importlib import import_module
from typing import Any

from .brain import Brain, LLMBrain, Proposal, RandomSearch, Reply, ReplyError, chat, live_or
from .policy import LinearPolicy, Policy, TablePolicy
from .run import Run, Trial
from .search import SearchError, search
from .world import Episode, World

# What not every reader needs is imported when it is first used: the name, and where it is.
_OPTIONAL = {
    "ARS": "brain",
    "BIPEDAL_WALKER": "world.bins",
    "Binned": "world.bins",
    "Bins": "world.bins",
    "CARTPOLE": "world.bins",
    "CMAES": "brain",
    "ChatError": "brain",
    "Disguised": "world.disguise",
    "GaussianProcess": "brain",
    "HOPPER": "world.bins",
    "HillClimbing": "brain",
    "TableBrain": "brain",
    "check": "utils",
    "held_out": "judge",
}

__all__ = [
    "Brain",
    "Episode",
    "LLMBrain",
    "LinearPolicy",
    "Policy",
    "Proposal",
    "RandomSearch",
    "Reply",
    "ReplyError",
    "Run",
    "SearchError",
    "TablePolicy",
    "Trial",
    "World",
    "chat",
    "live_or",
    "search",
    *_OPTIONAL,
]


def __getattr__(name: str) -> Any:
    if name not in _OPTIONAL:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_OPTIONAL[name]}"), name)
    globals()[name] = value  # a function keeps its name, where its module has the same one
    return value
