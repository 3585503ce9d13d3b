"""Brains that are not language models, to compare with: random search and CMA-ES."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..policy import Policy, TablePolicy
from ..run import Trial
from .base import Brain, Proposal, need_numbers


class RandomSearch(Brain):
    """Proposes uniformly random points of the policy's box, or tables, whatever it is told.

    seed
        The k-th proposal depends on the seed and k alone.
    """

    def __init__(self, policy: Policy, *, seed: int = 0):
        super().__init__(policy)
        self.seed = seed

    def ask(self, refused: Sequence[Proposal] = ()) -> Proposal:
        """A uniformly random point: see `Brain.ask`."""
        rng = np.random.default_rng([self.seed, len(self.proposals)])
        if isinstance(self.policy, TablePolicy):
            return Proposal(self.policy.sample(rng))
        point = rng.uniform(self.policy.low, self.policy.high, self.policy.size)
        return Proposal(self.policy.to_grid(point))

    @property
    def config(self) -> dict[str, Any]:
        """The settings: see `Brain.config`."""
        return super().config | {"seed": self.seed}


class CMAES(Brain):
    """The covariance matrix adaptation evolution strategy (Hansen 2016, arXiv 1604.00772).

    The work is done by the package `cma`; here it is handed out a point at a time. The search
    starts from the best warm-up point, or the middle of the box where there is none.

    sigma
        The first step size, in units of the parameters.
    seed
        Same seed and same values told: same proposals.

    Raises ValueError for a table of actions, and for a step size that is not above 0.
    """

    def __init__(self, policy: Policy, *, sigma: float = 1.0, seed: int = 0):
        super().__init__(policy)
        need_numbers(policy, self)
        if not sigma > 0:
            raise ValueError(f"sigma is {sigma}; the first step size must be above 0.")
        self.sigma, self.seed = sigma, seed
        self._strategy = None
        self._generation: list[np.ndarray] = []
        self._values: list[float] = []

    def ask(self, refused: Sequence[Proposal] = ()) -> Proposal:
        """The next point of the current generation: see `Brain.ask`."""
        self._breed()
        return Proposal(self.policy.to_grid(self._generation[len(self._values)]))

    def tell(self, trial: Trial) -> None:
        """Adapts when the values of a whole generation are told: see `Brain.tell`."""
        if not trial.warmup:
            self._breed()
            self._values.append(trial.value)
            if len(self._values) == len(self._generation):
                self._strategy.tell(self._generation, [-value for value in self._values])
                self._generation, self._values = [], []
        super().tell(trial)

    def _breed(self) -> None:
        if self._generation:
            return
        if self._strategy is None:
            self._strategy = self._start()
        self._generation = self._strategy.ask()

    def _start(self) -> Any:
        import cma

        middle = np.full(self.policy.size, (self.policy.low + self.policy.high) / 2)
        rng = np.random.default_rng(self.seed)
        options = {
            "bounds": [self.policy.low, self.policy.high],
            # Its own generator, so that NumPy's global one stays untouched.
            "seed": np.nan,
            "randn": lambda *shape: rng.standard_normal(shape),
            "verbose": -9,
        }
        start = self.best.params if self.best else middle
        return cma.CMAEvolutionStrategy(start, self.sigma, options)

    @property
    def config(self) -> dict[str, Any]:
        """The settings: see `Brain.config`."""
        return super().config | {"sigma": self.sigma, "seed": self.seed}
