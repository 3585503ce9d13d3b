"""A tournament: players search one task on equal terms, and a leaderboard reads their logs."""

from __future__ import annotations

import json
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..brain import Brain
from ..judge import HELD_OUT_SEEDS, HeldOut, held_out
from ..policy import Policy
from ..run import Run, Trial
from ..search import search
from ..world import World
from .table import Table

# Logs come from other machines, whose last bits may differ; nobody gains by so little.
TOLERANCE = 1e-4


class Tournament:
    """One task for many players: the same warm-up points, the same budget, a log for each.

    >>> game = Tournament("runs/tournament", world, policy, budget=10)
    >>> game.play("ada", LLMBrain(chat("you"), policy))      # writes runs/tournament/ada.jsonl
    >>> game.leaderboard().table

    Players on one machine share the folder. Players on several send their logs, and these are
    copied into one folder.

    folder
        Where the logs are kept, as `NAME.jsonl`.
    budget
        How many proposals a player may make, at most.
    warmup, episodes, seed
        As in `search`.
    """

    def __init__(
        self,
        folder: str | Path,
        world: World,
        policy: Policy,
        *,
        budget: int,
        warmup: int = 20,
        episodes: int = 20,
        seed: int = 0,
    ):
        self.folder, self.world, self.policy = Path(folder), world, policy
        self.budget, self.warmup, self.episodes, self.seed = budget, warmup, episodes, seed

    def play(self, name: str, brain: Brain) -> Run:
        """Let this brain search under this name; where its log exists, the search goes on.

        Raises ValueError for a name that cannot be a file's, and what `search` raises.
        """
        if not re.fullmatch(r"\w([\w .-]*\w)?", name):
            raise ValueError(
                f"The name {name!r} is also the log's: use letters, digits, blanks, . - and _, "
                "with a letter or digit at both ends."
            )
        log = self.folder / f"{name}.jsonl"
        if log.exists():
            print(f"{name} has a log here, which goes on. If it is not yours, take another name.")
        return search(
            brain,
            self.world,
            self.policy,
            budget=self.budget,
            warmup=self.warmup,
            episodes=self.episodes,
            seed=self.seed,
            log=log,
        )

    def leaderboard(self, held_out_seeds: Iterable[int] = HELD_OUT_SEEDS) -> Leaderboard:
        """All logs of the folder and its subfolders: those that count in order, the others refused.

        A log counts if it is a search of this task with at most `budget` proposals, all there, and
        if the world gives the returns that it claims: each is computed again. What a player
        chose is the best trial of the log, warm-up included, the first of equals. It is played on
        the held-out seeds, and their mean decides. Equal means share a place.

        Raises FileNotFoundError where there is no such folder.
        """
        if not self.folder.is_dir():
            raise FileNotFoundError(f"There is no folder {self.folder}: play first, or name it.")
        paths = {
            path.relative_to(self.folder).as_posix(): path
            for path in sorted(self.folder.rglob("*.jsonl"))
        }
        # Folders and files whose names begin with a dot are the operating system's or JupyterLab's.
        paths = {file: path for file, path in paths.items() if not re.search(r"(^|/)\.", file)}
        names = Counter(_key(path) for path in paths.values())
        found, refused, seeds = [], {}, list(held_out_seeds)
        for file, path in paths.items():
            try:
                if names[_key(path)] > 1:
                    raise ValueError(
                        f"{names[_key(path)]} logs have the name {path.stem}: rename all but one"
                    )
                run = self._read(path)
            except ValueError as error:
                refused[file] = str(error)
            else:
                result = held_out(self.world, self.policy, run.best.params, seeds)
                found.append((path.stem, run, result))
        found.sort(key=lambda entry: -entry[2].mean)
        means = [result.mean for _, _, result in found]
        entries = [
            Entry(
                name,
                run,
                result,
                place=1 + means.index(result.mean),
                shared=means.count(result.mean) > 1,
                behind=HeldOut.of(found[0][2].returns - result.returns),
            )
            for name, run, result in found
        ]
        return Leaderboard(entries, refused)

    def _read(self, path: Path) -> Run:
        """The log of a search that counts. Raises ValueError, which says why it does not."""
        try:
            run = Run.load(path)
            self._check(run)
        except (OSError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise ValueError(f"broken: {type(error).__name__}: {error}") from error
        except ValueError as error:
            raise ValueError(str(error).replace(str(path), "broken: the file")) from error
        return run

    def _check(self, run: Run) -> None:
        asked = {
            "world": self.world.config,
            "policy": self.policy.config,
            "warmup": self.warmup,
            "episodes": self.episodes,
            "seed": self.seed,
        }
        logged = {name: run.config.get(name) for name in asked}
        different = _difference("config", logged, json.loads(json.dumps(asked)))
        if different:
            raise ValueError(f"another task: {different}")
        for what, number in (
            ("was set to", run.config["budget"]),
            ("has", len(run.proposals)),
        ):
            if number > self.budget:
                raise ValueError(f"over budget: it {what} {number} proposals, not {self.budget}")
        if not run.proposals:
            raise ValueError("no proposal yet")
        numbers = [trial.iteration for trial in run.proposals]
        if numbers != list(range(1, len(numbers) + 1)):
            raise ValueError(f"changed: its proposals have the numbers {numbers}")
        rng = np.random.default_rng(self.seed)
        start = [self.policy.sample(rng).tolist() for _ in range(self.warmup)]
        if [trial.params.tolist() for trial in run.warmup] != start:
            raise ValueError("changed: its warm-up points are not those of this tournament")
        self._check_values(run.trials)

    def _check_values(self, trials: list[Trial]) -> None:
        for trial in trials:
            if (self.policy.to_grid(trial.params) != trial.params).any():
                raise ValueError(f"changed: {_which(trial)}, {trial.params}, is not on the grid")
        points = np.array([trial.params for trial in trials])
        returns = self.world.returns(self.policy, points, range(self.episodes))
        for trial, own in zip(trials, returns, strict=True):
            if not abs(trial.value - own.mean()) <= TOLERANCE:  # a NaN is no value either
                raise ValueError(
                    f"changed: {_which(trial)} claims the value {trial.value:.2f}; "
                    f"the world gives its parameters {own.mean():.2f}"
                )
            same = np.shape(trial.returns) == own.shape
            if not (same and np.allclose(trial.returns, own, rtol=0, atol=TOLERANCE)):
                raise ValueError(
                    f"changed: {_which(trial)} claims returns that the world does not give"
                )


@dataclass(frozen=True)
class Entry:
    """A player's search on the leaderboard.

    held_out
        What the chosen point earned on the held-out seeds.
    place, shared
        From 1; the same for equal held-out means, and then it is shared.
    behind
        By how much the first player's point earned more, start by start, with a 95 % interval.
        Where the interval holds 0, the two are not told apart.
    """

    name: str
    run: Run
    held_out: HeldOut
    place: int
    shared: bool
    behind: HeldOut

    @property
    def gap(self) -> float:
        """Best value seen less the held-out mean: how much of it was luck (the winner's curse)."""
        return self.run.best.value - self.held_out.mean


@dataclass(frozen=True)
class Leaderboard:
    """The entries that count, best first, and for each refused file the reason."""

    entries: list[Entry]
    refused: dict[str, str]

    @property
    def table(self) -> Table:
        """The entries as a table to show."""
        rows = []
        for entry in self.entries:
            best = entry.run.best
            rows.append(
                (
                    f"{entry.place}{'=' if entry.shared else ''}",
                    entry.name,
                    len(entry.run.proposals),
                    f"{best.value:.2f} ({best.iteration or 'warm-up'})",
                    entry.held_out,
                    f"{round(entry.gap, 2) + 0.0:.2f}",
                    "" if entry.place == 1 else entry.behind,
                )
            )
        columns = ("place", "player", "proposals", "best seen (at)", "held-out", "gap")
        return Table(rows, (*columns, "behind the first"))

    @property
    def refusals(self) -> Table:
        """The refused files as a table to show."""
        return Table(self.refused.items(), ("file", "why it does not count"))


def _key(path: Path) -> str:
    """What two names must not share: some systems take Ada and ada for one."""
    return unicodedata.normalize("NFC", path.stem).casefold()


def _which(trial: Trial) -> str:
    return f"proposal {trial.iteration}" if trial.iteration else "a warm-up point"


def _difference(name: str, logged: Any, asked: Any) -> str:
    """The first setting that differs, in words; empty where none does."""
    if isinstance(logged, dict) and isinstance(asked, dict):
        parts = (_difference(key, logged.get(key), asked.get(key)) for key in asked | logged)
        return next(filter(None, parts), "")
    return "" if logged == asked else f"its {name} is {logged!r}, not {asked!r}"
