"""Policies: parameters in, behaviour out."""

from .base import Policy
from .linear import LinearPolicy

__all__ = ["LinearPolicy", "Policy"]
