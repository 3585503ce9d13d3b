"""Optional: a language model that improves a policy table, from what happened when it was tried."""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from ..policy.table import TablePolicy
from ..run import Trial
from ..settings import number
from ..world import World
from ..world.trace import Episode
from .base import Proposal
from .chat import Chat
from .cost import count_tokens
from .llm import PromptedBrain
from .rows import read_rows

FRESH_SEEDS = 20_000  # where they begin: beyond those of the search and the held-out ones
VALUES_SHOWN = 100  # of the tables tried so far, the latest
LAST_STEPS = 12  # of an episode that is shown; how it ended matters most

# Of each step of an episode: what the prompt calls it, and how it is computed.
CREDITS = {
    "return": ("mean return of the episodes of these visits", lambda e: [e.return_] * e.steps),
    "to_go": ("mean return from the visit on", lambda e: np.cumsum(e.rewards[::-1])[::-1]),
}


class Visited(NamedTuple):
    """A state that was met: what was done there, how often, and what it led to on average."""

    state: int
    action: int
    visits: int
    credit: float


def gather(
    world: World, policy: TablePolicy, params: np.ndarray, episodes: int, credit: str
) -> tuple[list[Visited], list[str], list[str]]:
    """Play the table on the evaluation seeds 0 to `episodes - 1` once more, and look.

    The episodes are those that its value averages, as the same seed gives the same episode. Gives

    - the states met, in order of their numbers; the last state of an episode is not among them, as
      nothing was done there;
    - the two episodes of the highest returns, and then the two of the lowest, a line each. Of equal
      returns the earlier episode counts as better.
    """
    act, credit_of = policy(params), CREDITS[credit][1]
    gained: dict[int, list[float]] = defaultdict(list)
    played = [world.episode(act, seed) for seed in range(episodes)]
    for episode in played:
        for state, earned in zip(episode.states.tolist(), credit_of(episode), strict=False):
            gained[state].append(earned)
    means = {state: float(np.cumsum(all_)[-1]) / len(all_) for state, all_ in gained.items()}
    visited = [Visited(s, act(s), len(gained[s]), means[s]) for s in sorted(gained)]
    lines = [_line(episode) for episode in sorted(played, key=lambda episode: -episode.return_)]
    return visited, lines[:2], lines[2:][-2:]


def _line(episode: Episode) -> str:
    steps = zip(episode.states.tolist(), episode.actions.tolist(), strict=False)
    last = " ".join(f"{state}:{action}" for state, action in list(steps)[-LAST_STEPS:])
    earned = f"return {episode.return_:.6g}, {episode.steps} steps"
    return f"{earned}, last steps (state:action): {last} then state {episode.states[-1]}"


@dataclass
class _Table:
    """A table that was tried, and what is known of it beyond its value."""

    trial: Trial
    named: np.ndarray
    fresh: list[np.ndarray] = field(default_factory=list)
    evidence: tuple[list[Visited], list[str], list[str]] | None = None

    @property
    def value(self) -> float:
        return float(np.concatenate(self.fresh).mean()) if self.fresh else self.trial.value


class TableBrain(PromptedBrain):
    """A language model writes a policy table: it is told the task, sees what happened, and answers
    with rows `state | action`. States without a row keep the action of the best table.

    >>> name = "recorded:frozenlake-table"
    >>> model = chat(name)
    >>> brain = TableBrain(
    ...     model, policy, world,
    ...     description=LAKE,
    ... )

    After LLM-RL-Agent (Shah 2024), which has the model write whole tables.

    policy, world
        The table's policy and the world that it is tried in, where the brain looks at the episodes
        of the last table.
    description
        What the task is, in words: states, actions, rewards.
    credit
        What each state that was met is credited with: `"return"`, the mean return of the episodes
        that met it, or `"to_go"`, the mean return from the visit on.
    credit_name
        What the prompt calls it; None takes the words above.
    confirm
        A table that beats the best one is played again, together with the best one, on seeds that
        neither was chosen by, and becomes the best only if it wins there too. The value of the
        best table is the mean of such fresh returns; it is less inflated than the highest value
        seen, but not free of luck, as winning again takes some. This tells good tables from clearly
        worse ones, not near-ties. False is the plain rule: the higher value wins, and a lucky table
        stays.
    default
        The action of every state, before any table was tried.
    action_words
        Words for the actions that a reply may use for their numbers; a `Binned` world has its own.
    tokens
        The most tokens that a prompt may have, refused replies apart. Where all that was met
        does not fit, the states that were met most often are shown.

    Raises ValueError for a policy that is no table, settings that cannot work and, when it is
    asked, a prompt that has more tokens even without a state.
    """

    rows = True
    SETTINGS = ("description", "credit", "credit_name", "confirm", "default", "tokens")

    def __init__(
        self,
        chat: Chat,
        policy: TablePolicy,
        world: World,
        *,
        description: str,
        credit: str = "return",
        credit_name: str | None = None,
        confirm: bool = True,
        default: int = 0,
        action_words: Sequence[str] = (),
        tokens: int = 8000,
    ):
        if policy.quantities:
            raise ValueError(f"A TableBrain writes tables; the policy is {policy.describe()}.")
        if credit not in CREDITS:
            raise ValueError(f"The credit {credit!r} is unknown; there are {', '.join(CREDITS)}.")
        super().__init__(chat, policy, "table")
        self.world, self.description, self.confirm = world, description, confirm
        self.credit, self.credit_name = credit, credit_name or CREDITS[credit][0]
        self.tokens = number("tokens", tokens, least=1, whole=True)
        self.default = number("default", default, whole=True)
        self.start = policy.check(np.full(policy.size, self.default))
        # Of a `Binned`, which has words and cuts; other wrappers have neither.
        cut = getattr(world.wrap, "cut", ())
        self._words = {"bins": [len(b) for b in cut], "bin_words": [b.words for b in cut]}
        self._words["action_words"] = action_words or getattr(world.wrap, "action_words", ())

    def _forget(self) -> None:
        super()._forget()
        self._best: _Table | None = None
        self._last: _Table | None = None

    @property
    def best(self) -> Trial | None:
        """The table that the next proposal starts from; None before any was tried."""
        return self._best.trial if self._best else None

    @property
    def named(self) -> np.ndarray:
        """Whether a reply named the state on the way to the best table, shape (size,), bool.

        The others have the action of the first table: the default, or drawn at random.
        """
        return self._best.named if self._best else np.zeros(self.policy.size, dtype=bool)

    def tell(self, trial: Trial) -> None:
        """What a table earned; decides which is the best from now on: see `Brain.tell`.

        With `confirm` a table that looks better is played again here.
        """
        named = self.named.copy()
        if trial.reply:
            named[list(self._read_rows(trial.reply))] = True
        super().tell(trial)
        self._last = table = _Table(trial, named)
        if self._best is None or (trial.value > self._best.value and self._is_better(table)):
            self._best = table

    def _is_better(self, table: _Table) -> bool:
        """Whether a table beats the best one; with `confirm`, on fresh seeds, the same for both."""
        if not self.confirm:
            return True
        first = FRESH_SEEDS + len(self.trials) * self.episodes
        seeds = range(first, first + self.episodes)
        for played in (self._best, table):
            played.fresh.append(self.world.returns(self.policy, played.trial.params, seeds))
        return table.fresh[-1].mean() > self._best.fresh[-1].mean()

    def read(self, text: str) -> np.ndarray:
        """The table that a reply proposes: the best one with its rows changed, shape (size,).

        Raises ReplyError, with the sentence for whoever replied, where it cannot be used.
        """
        table = (self.best.params if self.best else self.start).copy()
        rows = self._read_rows(text)
        table[list(rows)] = list(rows.values())
        return table

    def _read_rows(self, text: str) -> dict[int, int]:
        actions = self.policy.high + 1
        return read_rows(text, states=self.policy.size, actions=actions, **self._words)

    def prompt(self, refused: Sequence[Proposal] = ()) -> str:
        """The prompt for the next proposal, of at most `tokens` tokens without refused replies."""

        def too_long(shown: int) -> bool:
            return count_tokens(self._render(shown)) > self.tokens

        shown = self.policy.size
        if too_long(shown):
            # From none upwards, the first number of states that is too many.
            shown = bisect_left(range(shown), True, key=too_long) - 1
        if shown < 0:
            raise ValueError(f"The prompt has more than {self.tokens} tokens even without a state.")
        return self._render(shown, refused)

    def _render(self, shown: int, refused: Sequence[Proposal] = ()) -> str:
        """The prompt with at most so many states of the best table and of those that were met."""
        names = ("description", "budget", "episodes", "default", "credit_name")
        best, last, states = self._best, self._last, list(range(self.policy.size))
        if best and shown < len(states):
            states = [row.state for row in self._met(best, shown)]
        return self.template.render(
            **{name: getattr(self, name) for name in names},
            size=self.policy.size,
            iteration=len(self.proposals) + 1,
            trials=len(self.trials),
            values=[f"{trial.value:.2f}" for trial in self.trials[-VALUES_SHOWN:]],
            best=best,
            states=states,
            visited=self._met(last, shown) if last else [],
            last=last,
            refused=refused,
        ).strip()

    def _met(self, table: _Table, most: int) -> list[Visited]:
        """So many of the states that a table met, the most often met, ordered by their numbers."""
        settings = (table.trial.params, self.episodes, self.credit)
        table.evidence = table.evidence or gather(self.world, self.policy, *settings)
        chosen = sorted(table.evidence[0], key=lambda row: (-row.visits, row.state))[:most]
        return sorted(chosen, key=lambda row: row.state)
