"""Brains: what proposes parameters. All are asked and told; one is a language model."""

from ..run import Trial
from ..run import find_run as find_recording
from .base import Brain, Proposal, Reply, StopSearch
from .bayes import GaussianProcess
from .chat import ChatError, chat, live_or
from .climbing import ARS, HillClimbing
from .llm import LLMBrain, PromptedBrain
from .optimisers import CMAES, RandomSearch
from .reply import ReplyError, read_params
from .rows import read_rows
from .table import TableBrain

__all__ = [
    "ARS",
    "CMAES",
    "Brain",
    "ChatError",
    "GaussianProcess",
    "HillClimbing",
    "LLMBrain",
    "PromptedBrain",
    "Proposal",
    "RandomSearch",
    "Reply",
    "ReplyError",
    "StopSearch",
    "TableBrain",
    "Trial",
    "chat",
    "find_recording",
    "live_or",
    "read_params",
    "read_rows",
]
