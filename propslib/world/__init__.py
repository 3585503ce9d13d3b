"""Worlds: a behaviour goes in, returns come out."""

from .world import World

__all__ = ["World"]
