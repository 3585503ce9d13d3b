"""Random search: the brain that learns nothing, to compare every other with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..policy import Policy
from ..settings import number
from .base import Brain, Proposal


class RandomSearch(Brain):
    """Proposes uniformly random points of the policy's box, or tables, whatever it is told.

    seed
        The k-th proposal depends on the seed and k alone.
    """

    def __init__(self, policy: Policy, *, seed: int = 0):
        super().__init__(policy)
        self.seed = number("seed", seed, least=0, whole=True)

    def ask(self, refused: Sequence[Proposal] = ()) -> Proposal:
        """A uniformly random point: see `Brain.ask`."""
        rng = np.random.default_rng([self.seed, len(self.proposals)])
        return Proposal(self.policy.uniform(rng))

    @property
    def config(self) -> dict[str, Any]:
        """The settings: see `Brain.config`."""
        return super().config | {"seed": self.seed}
