"""Optional: a disguise, the same task with other numbers, for asking without memory."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ..settings import number
from .world import World


class Disguised:
    """A world whose parameters are rotated and shifted, and whose values are on another scale.

    >>> hidden = Disguised(world, policy, seed=11, offset=3, scale=0.4, shift=10)
    >>> run = search(brain, hidden, policy, budget=60)       # the brain meets it like any world
    >>> hidden.true_value(run.best.value), hidden.true_params(run.best.params)

    For points p the world plays the policy with the parameters Q (p - c), and shows

        scale * return + shift.

    Q is orthogonal and drawn evenly among all rotations and reflections (Mezzadri 2007, arXiv
    math-ph/0609050: the QR factor of a matrix of normal numbers, R's diagonal made positive); c is
    uniform in [-offset, offset]. So distances between points stay as they are, and so does the
    order of values: the search is as hard as before, but no single parameter means anything. What
    is *not* the same is the box, whose corners lie elsewhere in the true parameters, and its
    middle, which is the true point -Q c instead of 0.

    world, policy
        The true ones. Points are proposed for the same policy: its size, its grid.
    seed
        Draws Q and then c.
    offset
        How far each component of c may lie from 0.
    scale, shift
        Turn a return into the one that is shown. The scale is above 0, so more stays better.

    Raises ValueError for numbers out of range or not finite, and for a table: its actions are
    whole numbers, which no rotation keeps.
    """

    def __init__(
        self,
        world: World,
        policy: Any,
        *,
        seed: int,
        offset: float = 1.0,
        scale: float = 1.0,
        shift: float = 0.0,
    ):
        if not policy.quantities:
            raise ValueError(
                f"A {type(policy).__name__} cannot be disguised: its parameters are the numbers of "
                "actions, which no rotation keeps. For a table, draw a new map."
            )
        self.seed = number("seed", seed, least=0, whole=True)
        self.offset = number("offset", offset, least=0)
        self.scale = number("scale", scale, above=0)
        self.shift = number("shift", shift)
        self.world, self.env_id, self.size = world, world.env_id, policy.size
        self.observation_space, self.action_space = world.observation_space, world.action_space
        rng = np.random.default_rng(self.seed)
        q, r = np.linalg.qr(rng.normal(size=(self.size, self.size)))
        self.rotation = q * np.sign(np.diag(r))
        self.centre = rng.uniform(-offset, offset, self.size)

    @property
    def config(self) -> dict[str, Any]:
        """What decides this world's returns, for a run's log."""
        names = ("seed", "offset", "scale", "shift")
        return self.world.config | {"disguise": {name: getattr(self, name) for name in names}}

    def returns(self, policy: Any, params: np.ndarray, seeds: Iterable[int]) -> np.ndarray:
        """The returns as they are shown: see `World.returns`, whose errors it raises, too."""
        return self.shown_value(self.world.returns(policy, self.true_params(params), seeds))

    def true_params(self, params: np.ndarray) -> np.ndarray:
        """What the policy gets for a proposed point: Q (p - c), shape (size,) or (m, size).

        Raises ValueError for another shape.
        """
        away = self._sized(params) - self.centre
        if away.ndim == 2:
            # Row by row, as a product of matrices rounds the last bit differently.
            return np.array([self.rotation @ row for row in away]).reshape(away.shape)
        return self.rotation @ away

    def shown_params(self, params: np.ndarray) -> np.ndarray:
        """The way back: the point that stands for true parameters, not put on the grid."""
        return self._sized(params) @ self.rotation + self.centre

    def true_value(self, value: float | np.ndarray) -> Any:
        """The return, or value, behind one that was shown."""
        return (value - self.shift) / self.scale

    def shown_value(self, value: float | np.ndarray) -> Any:
        """How a true return, or value, is shown."""
        return self.scale * value + self.shift

    def _sized(self, params: np.ndarray) -> np.ndarray:
        params = np.asarray(params, dtype=float)
        if params.ndim not in (1, 2) or params.shape[-1] != self.size:
            raise ValueError(
                f"This world is disguised for {self.size} parameters; got the shape "
                f"{params.shape}. Make a Disguised for each policy."
            )
        return params

    def close(self) -> None:
        """Close the true world."""
        self.world.close()

    def __enter__(self) -> Disguised:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def __repr__(self) -> str:
        # Without its seed, which would give the disguise away to whoever prints it.
        return f"Disguised({self.world!r})"
