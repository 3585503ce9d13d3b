"""Prompted Policy Search: a language model proposes, a world answers, nothing else optimises."""

from .bins import BIPEDAL_WALKER, CARTPOLE, HOPPER, Binned, Bins
from .brain import (
    ARS,
    CMAES,
    Brain,
    ChatError,
    GaussianProcess,
    HillClimbing,
    LLMBrain,
    Proposal,
    RandomSearch,
    Reply,
    ReplyError,
    TableBrain,
    chat,
    live_or,
)
from .disguise import Disguised
from .policy import LinearPolicy, Policy, TablePolicy
from .run import Run, Trial, held_out
from .search import SearchError, search
from .study import study
from .world import Episode, World

__all__ = [
    "ARS",
    "BIPEDAL_WALKER",
    "CARTPOLE",
    "CMAES",
    "HOPPER",
    "Binned",
    "Bins",
    "Brain",
    "ChatError",
    "Disguised",
    "Episode",
    "GaussianProcess",
    "HillClimbing",
    "LLMBrain",
    "LinearPolicy",
    "Policy",
    "Proposal",
    "RandomSearch",
    "Reply",
    "ReplyError",
    "Run",
    "SearchError",
    "TableBrain",
    "TablePolicy",
    "Trial",
    "World",
    "chat",
    "held_out",
    "live_or",
    "search",
    "study",
]
