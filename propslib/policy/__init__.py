"""Policies: parameters in, behaviour out."""

from .base import Policy
from .linear import LinearPolicy
from .table import TablePolicy

__all__ = ["LinearPolicy", "Policy", "TablePolicy"]
