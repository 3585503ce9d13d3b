"""Optional: a table: one action for each numbered state."""

from collections.abc import Callable

import numpy as np
from gymnasium.spaces import Discrete

from ..world import World
from .base import Policy


class TablePolicy(Policy):
    """A policy whose parameters are the actions themselves, in the order of the states.

    >>> lake = World("FrozenLake-v1")
    >>> policy = TablePolicy(lake)
    >>> act = policy([
    ...     0, 3, 3, 3, 0, 0, 0, 0,
    ...     3, 1, 0, 0, 0, 2, 1, 0,
    ... ])
    >>> act(14)
    1
    >>> # 1 is down.

    Raises ValueError for a world whose states or actions are not numbered.
    """

    decimals, quantities = 0, False

    def __init__(self, world: World):
        super().__init__(world)
        spaces = (self.observation_space, self.action_space)
        if not all(isinstance(space, Discrete) for space in spaces):
            raise ValueError(f"A table needs numbered states and actions, not {spaces}.")
        self.size = int(spaces[0].n)
        self.low, self.high = 0, int(spaces[1].n) - 1

    def check(self, params: np.ndarray) -> np.ndarray:
        """The table as a float array. Raises ValueError for what is not an action's number."""
        params = super().check(params)
        wrong = params[(params != np.round(params)) | (params < self.low) | (params > self.high)]
        if wrong.size:
            raise ValueError(f"A table holds action numbers from 0 to {self.high}; got {wrong[0]}.")
        return params

    def __call__(self, params: np.ndarray) -> Callable[[int], int]:
        """The behaviour of this table: see `Policy.__call__`."""
        return self.check(params).astype(int).tolist().__getitem__

    def sample(self, rng: np.random.Generator) -> np.ndarray:
        """Every action drawn evenly: see `Policy.sample`."""
        return rng.integers(self.low, self.high + 1, self.size).astype(float)

    uniform = sample

    @property
    def middle(self) -> np.ndarray:
        """The middle action, the lower of two, in every state: see `Policy.middle`."""
        return np.floor(super().middle)

    @property
    def widest(self) -> float:
        """A step that changes half the actions: see `Policy.widest`."""
        return self.size / 2

    def neighbour(self, params: np.ndarray, step: float, rng: np.random.Generator) -> np.ndarray:
        r"""These with the actions of some states changed.

        Each of :math:`n` states changes with chance :math:`\text{step} / n`, and at least one does.
        """
        actions = self.high + 1
        changed = rng.random(self.size) < step / self.size
        changed[rng.integers(self.size)] |= not changed.any()
        # Adding 1 to actions - 1 gives each of the other actions, and never the same one.
        other = params + rng.integers(1, max(2, actions), self.size)
        return self.to_grid(np.where(changed, other % actions, params))

    def to_text(self, params: np.ndarray) -> str:
        """A row a state: `state | action`."""
        return "\n".join(f"{state} | {action:g}" for state, action in enumerate(self.check(params)))

    def describe(self) -> str:
        """One line about the parameters: see `Policy.describe`."""
        return f"table: one action from 0 to {self.high} for each of {self.size} states"
