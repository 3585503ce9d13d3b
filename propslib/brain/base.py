"""What every brain is: it is asked for parameters, and told what they earned."""

import copy
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, Self

import numpy as np

from ..policy import Policy
from ..run import Trial

MOST_TOKENS = 10_000_000  # no call uses more


def count(tokens: Any) -> int | None:
    """A number of tokens as somebody reports it; None where it cannot be one."""
    return int(tokens) if isinstance(tokens, Integral) and _fits(tokens, MOST_TOKENS) else None


def _fits(number: Any, most: float) -> bool:
    return isinstance(number, Real) and not isinstance(number, bool) and 0 <= number < most


@dataclass
class Reply:
    """What a chat back end answers: the text, and what the call used.

    text
        What the model wrote; empty where it wrote nothing.
    model
        The name of the model that answered, as its server reports it.
    tokens_in, tokens_out, tokens_cached
        Tokens of the prompt; tokens written, hidden reasoning included; and how many of the
        prompt's the provider had kept from earlier calls. None where unknown.
    seconds
        From the call to the answer, waiting and repeated calls included.
    usd
        The price of the call in US dollars; None where unknown.
    problem
        Why the reply cannot be used whatever its text says, as a sentence to the model: it was
        cut off, or filtered.

    Numbers that cannot be true (tokens below 0, NaN seconds) become None.
    """

    text: str
    model: str = ""
    tokens_in: int | None = None
    tokens_out: int | None = None
    seconds: float | None = None
    tokens_cached: int | None = None
    usd: float | None = None
    problem: str = ""

    def __post_init__(self):
        self.tokens_in = count(self.tokens_in) or None
        self.tokens_out = count(self.tokens_out) or None
        self.tokens_cached = count(self.tokens_cached)
        self.seconds = float(self.seconds) if _fits(self.seconds, 1e12) else None
        self.usd = float(self.usd) if _fits(self.usd, 1e12) else None


class StopSearch(Exception):
    """Raised while a brain is asked, to end the search in good order: it can be resumed."""


@dataclass(frozen=True)
class Proposal:
    """What a brain answers when asked.

    params
        Shape (size,), or None for a reply that could not be used.
    error
        Why it could not be used, in words for whoever replied; None otherwise.
    prompt, reply
        What a language model was asked and answered; None for other brains.
    """

    params: np.ndarray | None
    error: str | None = None
    prompt: str | None = None
    reply: Reply | None = None


class Brain(ABC):
    """The base of all brains, which propose one point at a time, for as large a value as they can.

    Its state is the policy's grid, its settings and the trials that it was told, nothing else: a
    brain that is told the trials of a log again goes on exactly where the interrupted one stopped.
    """

    SETTINGS: tuple[str, ...] = ()  # the attributes that decide what it proposes

    def __init__(self, policy: Policy):
        self.policy = policy
        self._forget()
        self.budget = self.episodes = 0

    def blank(self) -> Self:
        """A brain of the same settings that was told nothing."""
        brain = copy.copy(self)
        brain._forget()
        return brain

    def _forget(self) -> None:
        """Be as before anything was told: a brain that keeps more than the trials adds to this."""
        self.trials: list[Trial] = []

    def begin(self, budget: int, episodes: int) -> None:
        """Told before the search: the number of proposals, and of episodes a value averages."""
        self.budget, self.episodes = budget, episodes

    @abstractmethod
    def ask(self, refused: Sequence[Proposal] = ()) -> Proposal:
        """The next proposal. `refused` are this iteration's earlier ones that could not be used."""

    def prompt(self, refused: Sequence[Proposal] = ()) -> str:
        """What the next `ask` would send to a language model; empty for brains without one."""
        return ""

    def tell(self, trial: Trial) -> None:
        """What a point earned, whether this brain proposed it or not."""
        self.trials.append(trial)

    @property
    def proposals(self) -> list[Trial]:
        """The trials told that are not warm-up."""
        return [trial for trial in self.trials if not trial.warmup]

    @property
    def best(self) -> Trial | None:
        """The trial of the highest value, the first of equals; None before any."""
        return max(self.trials, key=lambda trial: trial.value, default=None)

    @property
    def config(self) -> dict[str, Any]:
        """What decides this brain's proposals, for a run's log."""
        settings = {name: getattr(self, name) for name in self.SETTINGS}
        return {"brain": type(self).__name__} | settings


def best_and_last(trials: Sequence[Trial], best: int, last: int) -> list[Trial]:
    """The `best` trials of the highest values and the `last` latest, in the order they came in."""
    order = range(len(trials))
    top = sorted(order, key=lambda i: -trials[i].value)[:best]
    return [trials[i] for i in sorted({*top, *order[max(0, len(order) - last) :]})]
