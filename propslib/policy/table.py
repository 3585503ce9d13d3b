"""A table: one action for each numbered state."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from gymnasium.spaces import Discrete

from ..world import World
from .base import Policy


class TablePolicy(Policy):
    """A table: one action for each numbered state. The parameters are the actions.

    >>> policy = TablePolicy(World("FrozenLake-v1"))
    >>> policy([0, 3, 3, 3, 0, 0, 0, 0, 3, 1, 0, 0, 0, 2, 1, 0])(14)
    1

    Raises ValueError for a world whose states or actions are not numbered.
    """

    decimals = 0

    def __init__(self, world: World):
        super().__init__(world)
        if not isinstance(self.observation_space, Discrete) or not isinstance(
            self.action_space, Discrete
        ):
            raise ValueError(
                f"A table needs numbered states and actions; {world.env_id} has "
                f"{self.observation_space} and {self.action_space}."
            )
        self.size = int(self.observation_space.n)
        self.low, self.high = 0, int(self.action_space.n) - 1

    def check(self, params: np.ndarray) -> np.ndarray:
        """The table as a float array. Raises ValueError for what is not an action's number."""
        params = super().check(params)
        wrong = params[(params != np.round(params)) | (params < self.low) | (params > self.high)]
        if wrong.size:
            raise ValueError(
                f"A table holds action numbers from {self.low} to {self.high}; got {wrong[0]}."
            )
        return params

    def __call__(self, params: np.ndarray) -> Callable[[int], int]:
        """The behaviour of this table: see `Policy.__call__`."""
        return self.check(params).astype(int).tolist().__getitem__

    def sample(self, rng: np.random.Generator) -> np.ndarray:
        """Every action uniformly at random: see `Policy.sample`."""
        return rng.integers(self.low, self.high + 1, self.size).astype(float)

    def to_text(self, params: np.ndarray) -> str:
        """A row a state: `state | action`."""
        return "\n".join(f"{state} | {action:g}" for state, action in enumerate(self.check(params)))

    def from_text(self, text: str) -> np.ndarray:
        """Parameters back from `to_text`'s form. Raises ValueError where it cannot be read."""
        rows = [line.split("|") for line in text.strip().splitlines()]
        if [row[0].strip() for row in rows] != [str(state) for state in range(self.size)]:
            raise ValueError(
                f"Expected the states 0 to {self.size - 1} in order, as 'state | action'."
            )
        if any(len(row) != 2 for row in rows):
            raise ValueError("Every line must be 'state | action'.")
        return self.check([float(row[1]) for row in rows])

    def describe(self) -> str:
        """One line about the parameters: see `Policy.describe`."""
        return f"table: one action from 0 to {self.high} for each of {self.size} states"
