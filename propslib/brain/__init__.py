"""Brains: what proposes parameters. All are asked and told; one is a language model."""

from .base import Brain, Proposal, Reply, StopSearch, Trial
from .chat import chat, find_recording
from .llm import LLMBrain
from .numeric import CMAES, RandomSearch
from .reply import ReplyError, read_params, read_rows

__all__ = [
    "CMAES",
    "Brain",
    "LLMBrain",
    "Proposal",
    "RandomSearch",
    "Reply",
    "ReplyError",
    "StopSearch",
    "Trial",
    "chat",
    "find_recording",
    "read_params",
    "read_rows",
]
