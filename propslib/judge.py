"""Optional: what parameters are worth, judged on starts that no search used."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Self

import numpy as np

from .policy import Policy
from .world import World

HELD_OUT_SEEDS = range(10_000, 10_100)


@dataclass(frozen=True)
class HeldOut:
    """The mean return on seeds that the search never saw, with a 95 % bootstrap interval."""

    mean: float
    low: float
    high: float
    returns: np.ndarray = field(repr=False)

    @classmethod
    def of(cls, returns: np.ndarray) -> Self:
        """The mean of these returns, with its interval: see `held_out`."""
        draws = np.random.default_rng(0).choice(returns, size=(10_000, len(returns)))
        low, high = np.percentile(draws.mean(axis=1), [2.5, 97.5])
        return cls(float(returns.mean()), float(low), float(high), returns)

    def __str__(self) -> str:
        return f"{self.mean:.2f} [{self.low:.2f}, {self.high:.2f}]"


def held_out(
    world: World, policy: Policy, params: np.ndarray, seeds: Iterable[int] = HELD_OUT_SEEDS
) -> HeldOut:
    """What the parameters are worth on seeds that no search used: the figure to report.

    The interval is the percentile bootstrap (Efron and Tibshirani 1993): the returns are drawn
    again with replacement, 10,000 times by a fixed generator, and 95 % of the means lie in it.

    seeds
        By default `HELD_OUT_SEEDS`, which are 10,000 to 10,099: a search uses those from 0 on.
    """
    return HeldOut.of(world.returns(policy, params, seeds))
