"""The record of a search: JSON lines on disk, and the object that reads them.

A log is a header and then one line an event, never changed, only added to:

    {"format": "props-run/1", "config": {...}, "versions": {...}, ...}
    {"event": "warmup", "index": 0, "params": [...], "returns": [...], "value": -319.36}
    {"event": "ask", "iteration": 1, "reply": "params[0]: ...", "params": [...]}
    {"event": "tell", "iteration": 1, "params": [...], "returns": [...], "value": -5.88}

An `ask` is written before its evaluation, so that a search that is stopped asks for no reply twice;
only a process killed between the model's answer and this line, which is a moment, loses the answer.
Its `params` are null, with an `error`, where the reply could not be used.
"""

from __future__ import annotations

import csv
import json
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from .policy import Policy
from .world import World

FORMAT = "props-run/1"
HELD_OUT_SEEDS = range(10_000, 10_100)

_ROW = re.compile(r".*[|:] *[\w -]{1,30}\|? *(\n|$)")  # state | action

# Events that the disk refused, by log: a reply that was paid for must not be asked for again.
_unsaved: dict[Path, list[dict[str, Any]]] = {}


@dataclass(frozen=True)
class Trial:
    """Parameters that were tried, and what they earned.

    iteration
        0 for a warm-up point, else the number of the proposal, from 1.
    params, returns
        Shapes (size,) and (episodes,): one return for each evaluation seed.
    value
        The mean of the returns.
    reply
        The whole reply that proposed the parameters; empty for other brains.
    """

    iteration: int
    params: np.ndarray
    value: float
    returns: np.ndarray | tuple[()] = field(default=(), repr=False)
    reply: str = field(default="", repr=False)

    @property
    def warmup(self) -> bool:
        """Whether this point was drawn at random before the search began."""
        return self.iteration == 0

    @property
    def reason(self) -> str:
        """Why the model chose these parameters: the first line of a reply of table rows, and what
        follows the first line of any other."""
        first, _, rest = self.reply.strip().partition("\n")
        return first.strip() if _ROW.match(rest.strip()) else rest.strip()


@dataclass(frozen=True)
class HeldOut:
    """The mean return on seeds that the search never saw, with a 95 % bootstrap interval."""

    mean: float
    low: float
    high: float
    returns: np.ndarray = field(repr=False)

    @classmethod
    def of(cls, returns: np.ndarray, *, resamples: int = 10_000) -> HeldOut:
        """The mean of these returns, with its interval: see `held_out`."""
        draws = np.random.default_rng(0).choice(returns, size=(resamples, len(returns)))
        low, high = np.percentile(draws.mean(axis=1), [2.5, 97.5])
        return cls(float(returns.mean()), float(low), float(high), returns)

    def __str__(self) -> str:
        return f"{self.mean:.2f} [{self.low:.2f}, {self.high:.2f}]"


@dataclass(frozen=True)
class Price:
    """What a model's tokens cost, in US dollars per million.

    >>> Price(input=2.5, output=10.0, cached=1.25).usd(3_000_000, 100_000, tokens_cached=2_000_000)
    6.0

    input, output
        Of the prompt, and of the reply with its hidden reasoning.
    cached
        Of the part of the prompt that the provider had kept from an earlier call; None where that
        costs as much as the rest.
    source, date
        The address where the provider publishes the price, and when it was seen (ISO 8601).
    written
        Of the part that the provider keeps for later calls, where it charges more for that. All
        that was not cached is then taken to be kept, so that a sum is never too low.
    """

    input: float
    output: float
    cached: float | None = None
    source: str = ""
    date: str = ""
    written: float | None = None

    def usd(
        self, tokens_in: int | None, tokens_out: int | None, tokens_cached: int | None = None
    ) -> float | None:
        """The price of calls; None where their tokens are unknown and not free.

        tokens_cached
            How many of `tokens_in` were cached; None for none of them.
        """
        if self.input == self.output == 0:
            return 0.0
        if tokens_in is None or tokens_out is None:
            return None
        # Servers report these numbers; one that contradicts itself must not end a search.
        cached = min(tokens_cached or 0, tokens_in)
        at_cached = self.input if self.cached is None else self.cached
        at_new = self.input if self.written is None else self.written
        sum_ = (tokens_in - cached) * at_new + cached * at_cached + tokens_out * self.output
        return sum_ / 1e6


@dataclass(frozen=True)
class Usage:
    """What calls of a model used, together. None where a part is unknown.

    >>> print(Usage(calls=2, tokens_in=5210, tokens_out=140, tokens_cached=2048, usd=0.0119))
    2 calls; 5,210 tokens in (2,048 cached), 140 out; $0.0119
    """

    calls: int = 0
    tokens_in: int | None = 0
    tokens_out: int | None = 0
    tokens_cached: int | None = 0
    seconds: float | None = 0.0
    usd: float | None = 0.0

    @classmethod
    def of(cls, calls: Iterable[Mapping[str, Any]]) -> Usage:
        """The sum over the `ask` events of a run."""
        calls = list(calls)

        def total(name: str) -> Any:
            parts = [call.get(name) for call in calls]
            return None if None in parts else sum(parts)

        cached = sum(call.get("tokens_cached") or 0 for call in calls)
        rest = {name: total(name) for name in ("tokens_in", "tokens_out", "seconds", "usd")}
        return cls(calls=len(calls), tokens_cached=cached, **rest)

    def __str__(self) -> str:
        def shown(number: int | None) -> str:
            return "?" if number is None else f"{number:,}"

        cached = f" ({self.tokens_cached:,} cached)" if self.tokens_cached else ""
        money = "price unknown" if self.usd is None else f"${self.usd:.4f}"
        return (
            f"{self.calls:,} calls; {shown(self.tokens_in)} tokens in{cached}, "
            f"{shown(self.tokens_out)} out; {money}"
        )


class Run:
    """A search as it was recorded, from a log on disk or in memory.

    >>> run = Run.load("notebooks/recordings/mountaincar-props.jsonl")
    >>> run.best.iteration, run.best.value.__round__(2)
    (31, 93.96)

    header
        The first line: `config`, `versions`, the model, notes.
    events
        The other lines, in order.
    trials
        Every evaluated point, warm-up first, in order.
    stopped
        Why the search ended before its budget was spent; empty where it did not.
    """

    def __init__(self, header: dict[str, Any], path: Path | None = None):
        self.header = header
        self.events: list[dict[str, Any]] = []
        self.trials: list[Trial] = []
        self.path = path
        self.stopped = ""
        self._replies: dict[int, str] = {}

    @classmethod
    def load(cls, path: str | Path) -> Run:
        """Read a log. A torn last line, left by a crash, is passed over.

        Raises FileNotFoundError, and ValueError where the file is not a run log.
        """
        path = Path(path)
        lines = _whole_lines(path.read_bytes())
        records = []
        for number, line in enumerate(lines, start=1):
            try:
                records.append(json.loads(line))
            except json.JSONDecodeError as error:
                raise ValueError(f"{path}, line {number} is not JSON: {error}") from error
        header = records[0] if records else None
        if not isinstance(header, dict) or header.get("format") != FORMAT:
            raise ValueError(
                f"{path} is not a run log: its first line must have format {FORMAT!r}."
            )
        run = cls(header, path)
        for event in records[1:]:
            run._take(event)
        return run

    @classmethod
    def open(cls, path: str | Path | None, header: dict[str, Any]) -> Run:
        """The run to go on with: a new log with this header, or the one at `path`, resumed.

        The path gets the ending `.jsonl` where it has none; with None the run lives in memory
        only. Raises ValueError where the log at `path`
        belongs to a search with another config.
        """
        if path is None:
            return cls(header)
        path = Path(path)
        # A name may have dots of its own, as in runs/gpt-4.1.
        path = path if path.suffix == ".jsonl" else path.with_name(f"{path.name}.jsonl")
        if path.exists() and not _is_torn_header(path.read_bytes()):
            run = cls.load(path)
            _check_same_config(run.config, header["config"], path)
            _mend(path)
            for event in _unsaved.pop(path.resolve(), []):
                if event not in run.events:
                    run.append(event)
            return run
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"")
        run = cls(header, path)
        run._write(header)
        return run

    def append(self, event: dict[str, Any]) -> None:
        """Add an event, on disk first. When this returns, the event survives a power cut.

        Where the disk refuses it, the event is kept in memory, and written when the log is
        opened again in this process.
        """
        try:
            self._write(event)
        except BaseException:
            _unsaved.setdefault(self.path.resolve(), []).append(event)
            raise
        self._take(event)

    def _take(self, event: dict[str, Any]) -> None:
        self.events.append(event)
        iteration = event.get("iteration", 0)
        if event["event"] == "ask" and event["params"] is not None:
            self._replies[iteration] = event.get("reply") or ""
        elif event["event"] in ("warmup", "tell"):
            params, returns = np.array(event["params"], dtype=float), np.array(event["returns"])
            reply = self._replies.get(iteration, "")
            self.trials.append(Trial(iteration, params, event["value"], returns, reply))

    def _write(self, record: dict[str, Any]) -> None:
        if self.path is None:
            return
        line = json.dumps(record, ensure_ascii=False, allow_nan=False) + "\n"
        with self.path.open("ab", buffering=0) as file:
            # A reply cut in the middle of a character must reach the disk like any other.
            file.write(line.encode("utf-8", "surrogatepass"))
            os.fsync(file.fileno())

    @property
    def config(self) -> dict[str, Any]:
        """World, policy, brain and settings of the search."""
        return self.header["config"]

    @property
    def warmup(self) -> list[Trial]:
        """The trials drawn at random before the search."""
        return [trial for trial in self.trials if trial.warmup]

    @property
    def proposals(self) -> list[Trial]:
        """The trials that the brain proposed."""
        return [trial for trial in self.trials if not trial.warmup]

    @property
    def replies(self) -> list[dict[str, Any]]:
        """The `ask` events that hold a model's reply, with what the call used."""
        return [event for event in self.events if event["event"] == "ask" and "reply" in event]

    @property
    def refusals(self) -> list[dict[str, Any]]:
        """The `ask` events whose reply could not be used, each with its `error`."""
        return [reply for reply in self.replies if reply.get("error")]

    @property
    def usage(self) -> Usage:
        """Calls, tokens, seconds and dollars of the whole run, refused replies included."""
        return Usage.of(self.replies)

    @property
    def cost(self) -> float | None:
        """What the model's replies cost, in US dollars; None where a price is unknown."""
        return self.usage.usd

    @property
    def best(self) -> Trial:
        """The trial of the highest value, the first of equals. Raises ValueError before any."""
        if not self.trials:
            raise ValueError("This run has no trial yet, so it has no best one.")
        return max(self.trials, key=lambda trial: trial.value)

    @property
    def values(self) -> np.ndarray:
        """The value of every trial, shape (trials,)."""
        return np.array([trial.value for trial in self.trials])

    @property
    def best_so_far(self) -> np.ndarray:
        """The highest value up to each trial, shape (trials,): the learning curve."""
        return np.maximum.accumulate(self.values)

    def write_folders(self, folder: str | Path, policy: Policy) -> Path:
        """The run as the readable folders of the original tutorial.

        One `episode_K` for each trial with `parameters.txt` (see `Policy.to_text`) and
        `parameters_reasoning.txt` (the whole reply), and `overall_log.csv` with a row a trial.
        """
        folder = Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        with (folder / "overall_log.csv").open("w", newline="", encoding="utf-8") as file:
            log = csv.writer(file)
            log.writerow(["episode", "iteration", "value", "best_so_far", "episodes"])
            for k, (trial, best) in enumerate(zip(self.trials, self.best_so_far, strict=True)):
                place = folder / f"episode_{k}"
                place.mkdir(exist_ok=True)
                (place / "parameters.txt").write_text(
                    policy.to_text(trial.params), encoding="utf-8"
                )
                (place / "parameters_reasoning.txt").write_text(trial.reply, encoding="utf-8")
                log.writerow([k, trial.iteration, trial.value, best, len(trial.returns)])
        return folder

    def __repr__(self) -> str:
        return f"Run(warm-up points: {len(self.warmup)}, proposals: {len(self.proposals)})"


def held_out(
    world: World,
    policy: Policy,
    params: np.ndarray,
    seeds: Iterable[int] = HELD_OUT_SEEDS,
    *,
    resamples: int = 10_000,
) -> HeldOut:
    """What the parameters are worth on seeds that no search used: the figure to report.

    The interval is the percentile bootstrap (Efron 1979): the returns are drawn again with
    replacement, `resamples` times by a fixed generator, and 95 % of the means lie in it.
    """
    return HeldOut.of(world.returns(policy, params, seeds), resamples=resamples)


def _whole_lines(data: bytes) -> list[bytes]:
    return data[: data.rfind(b"\n") + 1].splitlines()


def _is_torn_header(data: bytes) -> bool:
    start = f'{{"format": "{FORMAT}"'.encode()
    return b"\n" not in data and start.startswith(data[: len(start)])


def _mend(path: Path) -> None:
    """Cut off what follows the last line break: a line whose writing was interrupted."""
    data = path.read_bytes()
    whole = data.rfind(b"\n") + 1
    if whole < len(data):
        os.truncate(path, whole)


def _check_same_config(logged: dict, asked: dict, path: Path) -> None:
    asked = json.loads(json.dumps(asked))
    different = [key for key in logged | asked if logged.get(key) != asked.get(key)]
    if different:
        changes = "; ".join(
            f"{key}: {logged.get(key)!r} there, {asked.get(key)!r} here" for key in different
        )
        raise ValueError(
            f"{path} is the log of another search ({changes}). "
            "Use the same settings to resume it, or another path for a new search."
        )
