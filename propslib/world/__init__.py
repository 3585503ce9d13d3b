"""Worlds: a behaviour goes in, returns come out."""

from .world import Episode, World

__all__ = ["Episode", "World"]
