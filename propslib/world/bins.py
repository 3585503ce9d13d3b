"""Optional: bins, which number continuous observations and actions, with names.

A table needs numbered states. The bins of chapters 8 and 9 are `CARTPOLE`, `HOPPER` and
`BIPEDAL_WALKER`.
"""

import tomllib
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise, product
from math import prod
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.spaces import Box, Discrete
from gymnasium.wrappers import DiscretizeAction, TransformAction, TransformObservation
from jinja2 import Template

from ..settings import number

TEXT = Path(__file__).with_name("bins.j2").read_text(encoding="utf-8")
DESCRIPTION = Template(TEXT, trim_blocks=True)


@dataclass
class Bins:
    """One quantity, cut into bins of equal width between two limits.

    >>> sides = ("left", "right")
    >>> lean = Bins(
    ...     "pole angle", -0.2, 0.2,
    ...     sides, "rad",
    ... )
    >>> lean.range(0), lean.range(1)
    ('below 0 rad', 'above 0 rad')

    name, unit
        What the quantity is called, and what it is measured in.
    low, high
        Where the first bin begins and the last one ends. Values outside count to these two.
    words
        What each bin is called; or the number of bins, which are then called by their ranges.

    Raises ValueError where there is no bin, where two have one word, and for limits that are not
    finite or in the wrong order.
    """

    name: str
    low: float
    high: float
    words: Sequence[str] | int
    unit: str = ""

    def __post_init__(self):
        self.low = number(f"{self.name}'s low", self.low)
        self.high = number(f"{self.name}'s high", self.high, above=self.low)
        words, called = self.words, hasattr(self.words, "__len__")
        count = len(words) if called else words
        count = number(f"{self.name}'s number of bins", count, least=1, whole=True)
        self.words = range(count)  # the ranges are asked for before there are words
        self.words = tuple(words if called else map(self.range, range(count)))
        if len(set(self.words)) < count:
            raise ValueError(f"{self.name} calls two bins by one word: {self.words}.")

    def __len__(self) -> int:
        return len(self.words)

    @property
    def edges(self) -> tuple[float, ...]:
        """Where the bins begin and end, one more than there are bins."""
        return tuple(float(edge) for edge in np.linspace(self.low, self.high, len(self) + 1))

    def range(self, index: int) -> str:
        """From where to where a bin goes; the outer ones are open, as values are clipped there."""
        low, high = (f"{edge:.3g}" for edge in self.edges[index : index + 2])
        if len(self) == 1:
            return "any"
        last = f"above {low}" if index == len(self) - 1 else f"{low} to {high}"
        return f"{f'below {high}' if index == 0 else last} {self.unit}".rstrip()

    @property
    def centres(self) -> tuple[float, ...]:
        """The middle of each bin: what an action of that bin is."""
        return tuple((a + b) / 2 for a, b in pairwise(self.edges))


class Binned:
    """A wrapper that numbers the states of an environment, and its actions, bin by bin.

    >>> world = World(
    ...     "CartPole-v1", wrap=CARTPOLE
    ... )
    >>> world.observation_space
    Discrete(324)

    The numbers are those of Gymnasium's `DiscretizeObservation` and `DiscretizeAction`, over the
    limits given here: row-major, the last quantity counting fastest.

    observations
        The bins of the first observations, in the environment's order. Observations beyond them
        are dropped: the table cannot see them.
    actions
        The bins of continuous actions, each of which becomes the middle of its bin; none where
        the environment numbers its actions itself.
    action_words
        What numbered actions are called; with `actions` given, the words of their bins.
    """

    def __init__(
        self,
        observations: Sequence[Bins],
        *,
        actions: Sequence[Bins] = (),
        action_words: Sequence[str] = (),
    ):
        self.observations, self.actions = tuple(observations), tuple(actions)
        self.shape = tuple(map(len, self.observations))
        self.states = prod(self.shape)
        words = (" ".join(part) for part in product(*(bins.words for bins in self.actions)))
        self.action_words = tuple(words) if self.actions else tuple(action_words)

    def __call__(self, env: gym.Env) -> gym.Env:
        """The environment with numbered states, and with numbered actions where it had none.

        Raises ValueError for an environment with fewer observations, or with other actions.
        """
        _check_size("observations", self.observations, env.observation_space, at_most=True)
        env = _numbered(env, self.observations)
        if not self.actions:
            return env
        _check_size("actions", self.actions, env.action_space, at_most=False)
        ends = [(bins.low, bins.high) for bins in self.actions]
        low, high = np.array(ends, env.action_space.dtype).T
        levels = TransformAction(env, lambda action: action, Box(low, high, dtype=low.dtype))
        return DiscretizeAction(levels, bins=tuple(map(len, self.actions)))

    def indices(self, state: int) -> tuple[int, ...]:
        """The bin of each quantity, counted from 0, in a numbered state."""
        return tuple(int(index) for index in np.unravel_index(state, self.shape))

    def state(self, indices: Sequence[int]) -> int:
        """The number of the state that lies in these bins: the inverse of `indices`."""
        return int(np.ravel_multi_index(tuple(indices), self.shape))

    @property
    def cut(self) -> tuple[Bins, ...]:
        """The quantities with more than one bin: those that tell states apart."""
        return tuple(bins for bins in self.observations if len(bins) > 1)

    def words(self, state: int) -> str:
        """A state in words.

        >>> CARTPOLE.words(158)
        'cart in the middle, slow, leaning slightly left, falling left slowly'
        """
        named = zip(self.observations, self.indices(state), strict=True)
        return ", ".join(bins.words[index] for bins, index in named if len(bins) > 1)

    def describe(self) -> str:
        """For a prompt: how states and actions are numbered, a line for each quantity."""
        numbers = {"states": _weighted("b", self.cut), "actions": _weighted("l", self.actions)}
        return DESCRIPTION.render(binned=self, **numbers)

    @property
    def config(self) -> dict[str, Any]:
        """What decides the numbering, for a run's log."""
        axes = {"observations": self.observations, "actions": self.actions}
        return {k: [asdict(b) | {"words": list(b.words)} for b in part] for k, part in axes.items()}

    def __repr__(self) -> str:
        return f"Binned({' x '.join(map(str, self.shape))} = {self.states} states)"


def _numbered(env: gym.Env, bins: Sequence[Bins]) -> gym.Env:
    """`DiscretizeObservation` for these bins, looked up in lists: see benchmarks/bins.py."""
    axes = [(one.edges[1:-1], len(one)) for one in bins]

    def number_of(observation: np.ndarray) -> int:
        state = 0
        # Without `strict`: what comes after the binned quantities is dropped.
        for value, (edges, count) in zip(observation.tolist(), axes, strict=False):
            state = state * count + bisect_right(edges, value)
        return state

    return TransformObservation(env, number_of, Discrete(prod(map(len, bins))))


def _weighted(letter: str, axes: Sequence[Bins]) -> str:
    """How indices make a number, row-major: 6*b0 + b1."""
    steps = [prod(map(len, axes[k:])) for k in range(1, len(axes) + 1)]
    return " + ".join(f"{step}*{letter}{k}".removeprefix("1*") for k, step in enumerate(steps))


def _check_size(what: str, bins: Sequence[Bins], space: gym.Space, *, at_most: bool) -> None:
    size = space.shape[0] if isinstance(space, Box) else 0
    if len(bins) > size or (len(bins) < size and not at_most):
        raise ValueError(f"There are bins for {len(bins)} {what}; the environment has {space}.")


def _of_the_book(name: str) -> Binned:
    bins = tomllib.loads(Path(__file__).with_name("bins.toml").read_text(encoding="utf-8"))[name]
    for part in {"observations", "actions"} & set(bins):
        bins[part] = [Bins(**one) for one in bins[part]]
    return Binned(**bins)


CARTPOLE, HOPPER, BIPEDAL_WALKER = map(_of_the_book, ("CartPole", "Hopper", "BipedalWalker"))
