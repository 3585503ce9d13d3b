"""A linear policy: action = s W + b, or the highest of such scores."""

from collections.abc import Callable
from typing import Any

import numpy as np
from gymnasium.spaces import Box, Discrete

from ..settings import number
from ..world import World
from .base import Policy


class LinearPolicy(Policy):
    """A linear policy: the action is :math:`s W + b`, or for numbered actions the argmax of that.

    >>> world = World(
    ...     "MountainCarContinuous-v0"
    ... )
    >>> policy = LinearPolicy(world)
    >>> act = policy([0.0, 6.0, 0.1])
    >>> # 6.0 * 0.02 + 0.1
    >>> act(np.array([-0.5, 0.02]))
    array([0.22])

    The parameters are a matrix of shape (observations + 1, actions), row by row, with the bias
    :math:`b` in its last row. Actions are not clipped (Zhou et al. 2025 run it so); see `World`.

    bias
        False leaves :math:`b` out.
    low, high, decimals
        The grid that a search may try.
    spread
        Standard deviation of `sample`, which draws from `normal(0, spread)`.

    Raises ValueError for a world whose states are numbered, for an empty grid, and for a `low` or
    `high` that is not on it.
    """

    SETTINGS = (*Policy.SETTINGS, "bias", "spread")

    def __init__(
        self,
        world: World,
        *,
        bias: bool = True,
        low: float = -6.0,
        high: float = 6.0,
        decimals: int = 1,
        spread: float = 3.0,
    ):
        super().__init__(world)
        if not isinstance(self.observation_space, Box):
            raise ValueError(f"{world.env_id} numbers its states: use a TablePolicy.")
        self._discrete = isinstance(self.action_space, Discrete)
        self._inputs = self.observation_space.shape[0]
        self._outputs = int(self.action_space.n) if self._discrete else self.action_space.shape[0]
        self.bias = bool(bias)
        self.size = (self._inputs + self.bias) * self._outputs
        self.decimals = number("decimals", decimals, least=0, most=12, whole=True)
        self.low = float(number("low", low, decimals=self.decimals))
        self.high = float(number("high", high, above=self.low, decimals=self.decimals))
        self.spread = number("spread", spread, least=0)

    def matrices(self, params: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The matrix :math:`W`, shape (observations, actions), and :math:`b`, shape (actions,).

        Without bias :math:`b` is 0.
        """
        rows = self.check(params).reshape(-1, self._outputs)
        return (rows[:-1], rows[-1]) if self.bias else (rows, np.zeros(self._outputs))

    def __call__(self, params: np.ndarray) -> Callable[[np.ndarray], np.ndarray | int]:
        """The behaviour of these parameters: see `Policy.__call__`."""
        score = _linear_map(*self.matrices(params))
        if self._discrete:
            # Of a few scores, NumPy's argmax takes ten times as long.
            return lambda state: (scores := score(state)).index(max(scores))
        return lambda state: np.array(score(state))

    def batch(self, params: np.ndarray) -> Any:
        """Plays :math:`m` behaviours at once, of parameters (m, size), for `World.returns`.

        None where actions are numbered, and for a class derived from this one, which may act
        otherwise. Raises ValueError as calling the policy does.
        """
        if type(self) is not LinearPolicy or self._discrete:
            return None
        from .lanes import LinearBatch

        pairs = [self.matrices(point) for point in params]
        return LinearBatch(*(np.stack(part, axis=-1) for part in zip(*pairs, strict=True)))

    def sample(self, rng: np.random.Generator) -> np.ndarray:
        """Drawn from `normal(0, spread)` and put on the grid: see `Policy.sample`."""
        return self.to_grid(rng.normal(0, self.spread, self.size))

    def to_text(self, params: np.ndarray) -> str:
        """Like the original tutorial's `parameters.txt`: the rows of :math:`W`, then :math:`b`.

        >>> params = [0.0, 6.0, 0.1]
        >>> print(policy.to_text(params))
        Weights:
        0.0
        6.0
        Bias:
        0.1
        """
        weights, bias = self.matrices(params)
        text = "Weights:\n" + "\n".join(_line(row) for row in weights)
        return text + ("\nBias:\n" + _line(bias) if self.bias else "")

    def from_text(self, text: str) -> np.ndarray:
        """Parameters back from `to_text`'s form: its numbers in their order, whatever the headings.

        Raises ValueError for what is no number, and for too few or too many.
        """
        rows = [line.split(",") for line in text.splitlines() if ":" not in line]
        return self.check([float(number) for row in rows for number in row])

    def describe(self) -> str:
        """One line about the parameters: see `Policy.describe`."""
        inputs = _count(self._inputs, "observation") + (" and a bias" if self.bias else "")
        outputs = _count(self._outputs, "score" if self._discrete else "action")
        outputs += ", the highest of which wins" if self._discrete else ""
        grid = f"in [{self.low}, {self.high}] with {_count(self.decimals, 'decimal')}"
        return f"linear: {inputs} -> {outputs}: {_count(self.size, 'parameter')} {grid}"


def _linear_map(weights: np.ndarray, bias: np.ndarray) -> Callable[[np.ndarray], list[float]]:
    """state -> state @ weights + bias, with the order of the additions fixed.

    `@` rounds the last bit differently from processor to processor, and a chaotic system such as
    the swimmer turns that bit into another return. The terms are added two by two, from first to
    last, which is the order in which the book's recordings were computed.
    """
    pairs = zip(weights.T.tolist(), bias.tolist(), strict=True)
    columns = [(column[::2], [*column[1::2], 0.0], b) for column, b in pairs]

    def score(state: np.ndarray) -> list[float]:
        s = [*state.tolist(), 0.0]  # with a zero more, for an odd number; zip stops before it else
        even, odd = s[::2], s[1::2]
        scores = []
        for even_weights, odd_weights, b in columns:
            total = 0.0
            for w, x, v, y in zip(even_weights, even, odd_weights, odd, strict=False):
                total += w * x + v * y
            scores.append(total + b)
        return scores

    return score


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _line(numbers: np.ndarray) -> str:
    return ", ".join(str(float(number)) for number in numbers)
