"""A policy turns a vector of parameters into behaviour: a function from state to action.

Policies hold no parameters. They say how many there are and what values a search may try:
`size` numbers in [`low`, `high`] with `decimals` decimals.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np

from ..world import World


class Policy(ABC):
    """What every policy offers: methods, and these attributes.

    size
        The number of parameters.
    low, high, decimals
        The grid of parameters that a search may try. Calling the policy takes any finite ones.
    quantities
        Whether parameters have more and less, so that a search can move between them; False where
        they are the numbers of actions.
    observation_space, action_space
        Those of the world that it was made for.
    """

    size: int
    low: float
    high: float
    decimals: int
    quantities = True
    SETTINGS: tuple[str, ...] = ("size", "low", "high", "decimals")

    def __init__(self, world: World):
        self.observation_space = world.observation_space
        self.action_space = world.action_space

    @abstractmethod
    def __call__(self, params: np.ndarray) -> Callable[[Any], Any]:
        """The behaviour of these parameters, shape (size,): a function from state to action.

        Raises ValueError for another shape, and for numbers that are not finite.
        """

    @abstractmethod
    def sample(self, rng: np.random.Generator) -> np.ndarray:
        """Random parameters on the grid, shape (size,): where a search warms up."""

    @abstractmethod
    def to_text(self, params: np.ndarray) -> str:
        """The parameters as a short text that a person can read and edit."""

    @abstractmethod
    def describe(self) -> str:
        """One line: what the parameters do, how many there are, and their grid."""

    @property
    def middle(self) -> np.ndarray:
        """The middle of the box, shape (size,): where a search without warm-up starts."""
        return np.full(self.size, (self.low + self.high) / 2)

    @property
    def widest(self) -> float:
        """The widest step that makes sense for `neighbour`: it reaches everywhere."""
        return self.high - self.low

    def uniform(self, rng: np.random.Generator) -> np.ndarray:
        """Parameters on the grid, shape (size,), drawn evenly from the whole box."""
        return self.to_grid(rng.uniform(self.low, self.high, self.size))

    def neighbour(self, params: np.ndarray, step: float, rng: np.random.Generator) -> np.ndarray:
        """Parameters on the grid, shape (size,): these plus `normal(0, step)` in each."""
        return self.to_grid(params + rng.normal(0, step, self.size))

    @property
    def config(self) -> dict[str, Any]:
        """What decides this policy's behaviour and grid, for a run's log."""
        settings = {name: getattr(self, name) for name in self.SETTINGS}
        return {"policy": type(self).__name__} | settings

    def to_grid(self, params: np.ndarray) -> np.ndarray:
        """The nearest parameters that a search may try: clipped into the box and rounded."""
        inside = np.clip(Policy.check(self, params), self.low, self.high)
        return np.round(inside, self.decimals) + 0.0  # turns -0.0 into 0.0: a point has one text

    def check(self, params: np.ndarray) -> np.ndarray:
        """The parameters as a float array, shape (size,).

        Raises ValueError for another shape, and for numbers that are not finite.
        """
        params = np.asarray(params, dtype=float)
        if params.shape != (self.size,):
            raise ValueError(f"This policy has {self.size} parameters; got shape {params.shape}.")
        if not np.isfinite(params).all():
            raise ValueError(f"Parameters must be finite; got {params}.")
        return params
