"""Judge a tournament: read the logs of all players, refuse what does not count, rank the others.

    from leaderboard import leaderboard
    leaderboard(game).table

Logs come from strangers. Each is looked at before it is read, each claim is computed again, and
where a log does not show a search, its line is marked.
"""

from __future__ import annotations

import hashlib
import json
import secrets
import stat
import unicodedata
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from tournament import Tournament, check_name

from propslib import brain as brains
from propslib.brain import Brain, Reply
from propslib.judge import HeldOut, held_out
from propslib.run import Run
from propslib.utils.table import Table

# Logs come from other machines, whose last bits may differ; nobody gains by so little.
TOLERANCE = 1e-4
LARGEST = 5_000_000  # bytes of one log
BROKEN = (OSError, LookupError, TypeError, AttributeError, RecursionError, OverflowError)


def leaderboard(game: Tournament, judging: int | None = None, *, starts: int = 100) -> Leaderboard:
    """All logs of the folder and its subfolders: those that count in order, the others refused.

    A log counts if it is a search of this task with at most `budget` proposals, all there, and
    if the world gives the returns that it claims: each is computed again. What a player
    chose is the best trial of the log, warm-up included, the first of equals. It is played
    from new starts, and their mean decides. Equal means share a place.

    judging
        Draws the seeds of these starts. Leave it out, and it is drawn now, so that nobody can
        have tried them; the leaderboard's `judging` says it, for whoever wants to check.

    Raises FileNotFoundError where there is no such folder.
    """
    if not game.folder.is_dir():
        raise FileNotFoundError(f"There is no folder {game.folder}: play first, or name it.")
    judging = secrets.randbits(32) if judging is None else judging
    seeds = np.random.default_rng(judging).integers(10**6, 2**31, size=starts).tolist()
    files = [path for path in sorted(game.folder.rglob("*")) if not path.is_dir()]
    names = Counter(_key(path) for path in files if path.suffix == ".jsonl")
    found, refused = [], {}
    for path in files:
        file = path.relative_to(game.folder).as_posix()
        try:
            if f"/{file}".count("/."):
                raise ValueError("hidden: JupyterLab's or the system's, no player's")
            run = _read(game, path, names[_key(path)])
        except ValueError as error:
            refused[file] = str(error)
        else:
            result = held_out(game.world, game.policy, run.best.params, seeds)
            found.append(Entry(path.stem, run, result, _mark(game, run)))
    found.sort(key=lambda entry: -entry.held_out.mean)
    return Leaderboard([_placed(entry, found) for entry in found], refused, judging)


def _read(game: Tournament, path: Path, namesakes: int) -> Run:
    """The log of a search that counts. Raises ValueError, which says why it does not."""
    if path.suffix != ".jsonl":
        raise ValueError("no log: its name does not end in .jsonl")
    check_name(path.stem)
    if namesakes > 1:
        raise ValueError(f"{namesakes} logs have the name {path.stem}: rename all but one")
    try:
        file = path.lstat()
        if not stat.S_ISREG(file.st_mode) or file.st_size > LARGEST:
            raise ValueError(f"no log: only a regular file of {LARGEST:,} bytes at most is read")
        run = Run.load(path)
        _check(game, run)
    except BROKEN as error:
        raise ValueError(f"broken: {type(error).__name__}: {error}") from error
    except ValueError as error:
        raise ValueError(str(error).replace(str(path), "broken: the file")) from error
    return run


def _check(game: Tournament, run: Run) -> None:
    asked = {"world": game.world.config, "policy": game.policy.config}
    asked |= {"warmup": game.warmup, "episodes": game.episodes, "seed": game.seed}
    logged = {name: run.config.get(name) for name in asked}
    different = _difference("config", logged, json.loads(json.dumps(asked)))
    if different:
        raise ValueError(f"another task: {different}")
    number = max(run.config["budget"], len(run.proposals))
    if number > game.budget:
        raise ValueError(f"over budget: {number} proposals, not {game.budget}")
    numbers = [trial.iteration for trial in run.proposals]
    if not numbers:
        raise ValueError("no proposal yet")
    if numbers != list(range(1, len(numbers) + 1)):
        raise ValueError(f"changed: its proposals have the numbers {numbers}")
    rng = np.random.default_rng(game.seed)
    start = [game.policy.sample(rng).tolist() for _ in range(game.warmup)]
    if [trial.params.tolist() for trial in run.warmup] != start:
        raise ValueError("changed: its warm-up points are not those of this tournament")
    points = np.array([trial.params for trial in run.trials])
    on_grid = np.array([game.policy.to_grid(point) for point in points])
    off_grid = (on_grid != points).any(axis=1)
    returns = game.world.returns(game.policy, on_grid, range(game.episodes))
    for trial, own, off in zip(run.trials, returns, off_grid, strict=True):
        which = f"proposal {trial.iteration}" if trial.iteration else "a warm-up point"
        if off:
            raise ValueError(f"changed: {which}, {trial.params}, is not on the grid")
        claimed, given = np.array([*trial.returns, trial.value]), np.array([*own, own.mean()])
        if claimed.shape != given.shape or not np.allclose(claimed, given, 0, TOLERANCE):
            told, earned = f"{trial.value:.2f}", f"{own.mean():.2f}"
            told = "other returns" if told == earned else told
            raise ValueError(f"changed: claims {told} for {which}, which earns {earned}")


def _mark(game: Tournament, run: Run) -> str:
    """Why the log does not show a search; empty where its brain, asked again, says the same.

    A person or a model is asked by giving the logged replies to the prompts that the brain
    would write: a log without the replies, or with replies to other prompts, is marked.
    """
    try:
        brain = _brain(game, run)
        brain.begin(run.config["budget"], game.episodes)
        return _asked_again(brain, run)
    except (*BROKEN, ValueError, StopIteration):
        return "shows no search"


def _brain(game: Tournament, run: Run) -> Brain:
    settings = dict(run.config["brain"])
    kind = getattr(brains, settings.pop("brain"))
    if settings.pop("chat", None) is None:
        return kind(game.policy, **settings)
    replies = iter(run.replies)
    return kind(lambda prompt: Reply(next(replies)["reply"]), game.policy, **settings)


def _asked_again(brain: Brain, run: Run) -> str:
    trials, asked = iter(run.trials), []
    for event in run.events:
        if event["event"] == "ask":
            proposal = brain.ask(asked)
            asked.append(proposal)
            prompt = (proposal.prompt or "").encode("utf-8", "surrogatepass")
            if prompt and hashlib.sha256(prompt).hexdigest() != event["prompt_sha256"]:
                return f"proposal {event['iteration']} answers another prompt"
            continue
        trial = next(trials)
        if not (trial.warmup or np.array_equal(asked[-1].params, trial.params)):
            return f"its brain does not make proposal {trial.iteration}"
        brain.tell(trial)
        asked = []
    return ""


@dataclass(frozen=True)
class Entry:
    """A player's search on the leaderboard.

    held_out
        What the chosen point earned from the new starts.
    mark
        Why the log is no proof of a search: see the page for the leader. Empty where it is one.
    place, shared
        From 1; the same for equal held-out means, and then it is shared.
    behind
        By how much the first player's point earned more, start by start, with a 95 % interval.
        Where the interval holds 0, the two are not told apart.
    """

    name: str
    run: Run
    held_out: HeldOut
    mark: str = ""
    place: int = 0
    shared: bool = False
    behind: HeldOut | None = None

    @property
    def gap(self) -> float:
        """Best value seen less the held-out mean: how much of it was luck (the winner's curse)."""
        return self.run.best.value - self.held_out.mean


@dataclass(frozen=True)
class Leaderboard:
    """The entries that count, best first; why each refused file does not; what drew the starts."""

    entries: list[Entry]
    refused: dict[str, str]
    judging: int

    @property
    def table(self) -> Table:
        """The entries as a table to show; with their marks where there are any."""
        marked = any(entry.mark for entry in self.entries)
        rows = [
            (
                f"{entry.place}.{'=' if entry.shared else ''} {entry.name}",
                entry.held_out,
                "" if entry.place == 1 else entry.behind,
                f"{entry.run.best.value:.2f} ({entry.run.best.iteration})",
                f"{round(entry.gap, 2) + 0.0:.2f}",
                len(entry.run.proposals),
                *[entry.mark] * marked,
            )
            for entry in self.entries
        ]
        columns = ("place and player", "held-out", "behind the first", "best seen (at)", "gap")
        return Table(rows, (*columns, "proposals", *["mark"] * marked))

    @property
    def refusals(self) -> Table:
        """The refused files as a table to show."""
        return Table(self.refused.items(), ("file", "why it does not count"))


def _placed(entry: Entry, found: list[Entry]) -> Entry:
    means = [other.held_out.mean for other in found]
    mean, ahead = entry.held_out.mean, found[0].held_out.returns
    twins = [one.name for one in found if one is not entry and _alike(one.run, entry.run)]
    mark = "; ".join(filter(None, [entry.mark, twins and f"the same as {', '.join(twins)}"]))
    behind, shared = HeldOut.of(ahead - entry.held_out.returns), means.count(mean) > 1
    return replace(entry, mark=mark, place=1 + means.index(mean), shared=shared, behind=behind)


def _alike(one: Run, other: Run) -> bool:
    """Whether two logs hold the same proposals and the same words, or are of one origin."""
    said = [
        [(event["params"], event.get("reply")) for event in run.events if event["event"] == "ask"]
        for run in (one, other)
    ]
    return said[0] == said[1]


def _key(path: Path) -> str:
    """What two names must not share: some systems take Ada and ada for one."""
    return unicodedata.normalize("NFC", path.stem).casefold()


def _difference(name: str, logged: Any, asked: Any) -> str:
    """The first setting that differs, in words; empty where none does."""
    if isinstance(logged, dict) and isinstance(asked, dict):
        parts = (_difference(key, logged.get(key), asked.get(key)) for key in asked | logged)
        return next(filter(None, parts), "")
    return "" if logged == asked else f"its {name} is {logged!r}, not {asked!r}"
