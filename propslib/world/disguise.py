"""Optional: a disguise, the same task with other numbers, for asking without memory."""

from collections.abc import Iterable
from typing import Any, Literal, Self

import numpy as np

from ..settings import number
from .world import World


class Disguised:
    """A world whose parameters are turned and shifted, and whose values are on another scale.

    >>> world = World(
    ...     "MountainCarContinuous-v0"
    ... )
    >>> policy = LinearPolicy(world)
    >>> hidden = Disguised(
    ...     world, policy, seed=11,
    ...     offset=3, scale=0.4, shift=10,
    ... )
    >>> # The brain meets it like any world.
    >>> brain = RandomSearch(policy)
    >>> run = search(
    ...     brain, hidden, policy,
    ...     budget=30, episodes=1,
    ... )
    >>> round(run.best.value, 2)
    9.18
    >>> round(hidden.true_value(9.18), 2)
    -2.05
    >>> params = run.best.params
    >>> hidden.true_params(params).round(2)
    array([-3.69,  0.66, -1.78])

    For a point :math:`p` the world plays the policy with the parameters :math:`Q (p - c)`, and
    shows `scale * return + shift`.

    :math:`Q` is orthogonal, and each component of :math:`c` is drawn evenly between minus and plus
    `offset`. So distances between points stay as they are, and so does the order of values: the
    search is as hard as before, but no single parameter means anything. What is *not* the same is
    the box, whose corners lie elsewhere in the true parameters, and its middle, which is the true
    point :math:`-Q c` instead of 0. `config` has what decides the returns, for a run's log.

    world, policy
        The true ones. Points are proposed for the same policy: its size, its grid.
    seed
        Draws :math:`Q` and then :math:`c`.
    turn
        Which :math:`Q` is drawn. `"rotation"`: evenly any rotation or reflection, which mixes all
        parameters (Mezzadri 2007: the :math:`Q` of the QR factors of a matrix of normal numbers,
        with the diagonal of :math:`R` made positive). `"permutation"`: the parameters in another
        order, evenly any. `"signs"`: a diagonal of :math:`1` and :math:`-1`, with at least one
        :math:`-1`.
    offset
        How far each component of :math:`c` may lie from 0.
    scale, shift
        Turn a return into the one that is shown. The scale is above 0, so more stays better.

    Raises ValueError for numbers out of range or not finite, for another turn, and for a table:
    its actions are whole numbers, which no rotation keeps.
    """

    def __init__(
        self,
        world: World,
        policy: Any,
        *,
        seed: int,
        turn: Literal["rotation", "permutation", "signs"] = "rotation",
        offset: float = 1.0,
        scale: float = 1.0,
        shift: float = 0.0,
    ):
        if not policy.quantities:
            raise ValueError("A table's actions cannot be disguised: draw a new map instead.")
        disguise = {"seed": number("seed", seed, least=0, whole=True)}
        disguise["offset"] = number("offset", offset, least=0)
        disguise |= {"scale": number("scale", scale, above=0), "shift": number("shift", shift)}
        if turn != "rotation":  # the only one in older logs, which do not name it
            disguise["turn"] = turn
        self.config = world.config | {"disguise": disguise}
        self.world, self.env_id, self.policy = world, world.env_id, policy
        self.observation_space, self.action_space = world.observation_space, world.action_space
        self.scale, self.shift = scale, shift
        rng = np.random.default_rng(disguise["seed"])
        self.rotation = _orthogonal(turn, policy.size, rng)
        self.centre = rng.uniform(-offset, offset, policy.size)

    def returns(self, policy: Any, params: np.ndarray, seeds: Iterable[int]) -> np.ndarray:
        """The returns as they are shown: see `World.returns`, whose errors it raises, too."""
        return self.shown_value(self.world.returns(policy, self.true_params(params), seeds))

    def true_params(self, params: np.ndarray) -> np.ndarray:
        """What the policy gets for a proposed point: :math:`Q (p - c)`, shape (size,) or (m, size).

        Raises ValueError for another shape, and for numbers that are not finite.
        """
        # Row by row, as a product of matrices rounds the last bit differently.
        rows = [self.policy.check(row) - self.centre for row in np.atleast_2d(params)]
        return np.reshape([self.rotation @ row for row in rows], np.shape(params))

    def shown_params(self, params: np.ndarray) -> np.ndarray:
        """The way back: the point that stands for true parameters, not put on the grid."""
        return np.asarray(params) @ self.rotation + self.centre

    def true_value(self, value: float | np.ndarray) -> Any:
        """The return, or value, behind one that was shown."""
        return (value - self.shift) / self.scale

    def shown_value(self, value: float | np.ndarray) -> Any:
        """How a true return, or value, is shown."""
        return self.scale * value + self.shift

    def close(self) -> None:
        """Close the true world."""
        self.world.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


def _orthogonal(turn: str, size: int, rng: np.random.Generator) -> np.ndarray:
    if turn == "rotation":
        q, r = np.linalg.qr(rng.normal(size=(size, size)))
        return q * np.sign(np.diag(r))
    if turn == "permutation":
        return rng.permutation(np.eye(size))
    if turn != "signs":
        raise ValueError(f"turn is {turn!r}; it must be rotation, permutation or signs.")
    signs = np.ones(size)
    while signs.min() > 0:
        signs = rng.choice([-1.0, 1.0], size)
    return np.diag(signs)
