"""What every policy offers, and the linear one."""

from .base import Policy
from .linear import LinearPolicy

__all__ = ["LinearPolicy", "Policy"]
