"""Prompted Policy Search: a language model proposes, a world answers, nothing else optimises."""

from .brain import (
    CMAES,
    Brain,
    ChatError,
    LLMBrain,
    Proposal,
    RandomSearch,
    Reply,
    ReplyError,
    chat,
    live_or,
)
from .policy import LinearPolicy, Policy, TablePolicy
from .run import Run, Trial, held_out
from .search import SearchError, search
from .world import Episode, World

__all__ = [
    "CMAES",
    "Brain",
    "ChatError",
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
    "held_out",
    "live_or",
    "search",
]
