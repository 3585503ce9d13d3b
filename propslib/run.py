"""A search as it was recorded: its trials, in memory and in a log on disk.

The events of a run are, in this order: the `warmup` points; then for each proposal the asks
(`ask`), all but the last refused (their `params` are null, and an `error` says why), and its
`tell`. An `ask` is written before its evaluation, so that a search that is stopped asks for no
reply twice; only a process killed between the model's answer and this line, which is a moment,
loses the answer.
"""

import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

import numpy as np

from .read_log import read_lines

RECORDINGS = Path(__file__).parents[1] / "notebooks" / "recordings"


@dataclass(frozen=True)
class Trial:
    """Parameters that were tried, and what they earned.

    iteration
        0 for a warm-up point, else the number of the proposal, from 1.
    params, returns
        Shapes (size,) and (episodes,): one return for each evaluation seed.
    value
        The mean of the returns.
    reply, reason
        The whole reply that proposed the parameters, and why, in its words: for a table the line
        before its rows, else what follows the first line. Empty for other brains.
    """

    iteration: int
    params: np.ndarray
    value: float
    returns: np.ndarray | tuple[()] = field(default=(), repr=False)
    reply: str = field(default="", repr=False)
    reason: str = field(default="", repr=False)

    @property
    def warmup(self) -> bool:
        """Whether this point was drawn at random before the search began."""
        return self.iteration == 0


class Run:
    """A search as it was recorded, from a log on disk or in memory, with these attributes.

    >>> run = Run.load("mountaincar-props")
    >>> run.best.iteration
    31
    >>> round(run.best.value, 2)
    93.96

    header
        The first line: `config`, `versions`, the model, notes.
    events
        The other lines, in order.
    trials
        Every evaluated point, warm-up first, in order.
    stopped
        Why the search ended before its budget was spent; empty where it did not.
    path
        The log's file; None for a run in memory.
    """

    def __init__(self, header: dict[str, Any], log: Any = None):
        self.header = header
        self.path = log.path if log else None
        self.events: list[dict[str, Any]] = []
        self.trials: list[Trial] = []
        self.stopped = ""
        self._log = log
        self._ask: dict[str, Any] | None = None  # the one that waits for its evaluation

    @classmethod
    def load(cls, name: str | Path) -> Self:
        """Read a log by its path, with or without `.jsonl`, or a recording of the book by its name.

        A torn last line, left by a crash, is passed over. Raises FileNotFoundError, which lists the
        recordings, and ValueError, with file and line, where the file is no log or was changed.
        """
        path = find_recording(name)
        return cls._of(read_lines(path, path.read_bytes())[0], path)

    @classmethod
    def open(cls, name: str | Path | None, header: dict[str, Any]) -> Self:
        """The run to go on with: a new log with this config, or the one of this name, resumed.

        The path gets the ending `.jsonl` where it has none; with None the run lives in memory
        only. Call `close` at the end. Raises ValueError where the log belongs to a search with
        another config or was changed, and RuntimeError where another process writes to it.
        """
        if name is None:
            return cls(header)
        from .write_log import Log

        log = Log(log_path(name))
        try:
            return cls._of(log.resume(header), log.path, log)
        except BaseException:
            log.close()
            raise

    @classmethod
    def _of(cls, records: list[dict[str, Any]], path: Path, log: Any = None) -> Self:
        run = cls(records[0], log)
        run.path = path
        for number, event in enumerate(records[1:], start=2):
            try:
                run._take(event)
            except (ValueError, KeyError, TypeError) as error:
                lacks = "it has no " if isinstance(error, KeyError) else ""
                raise ValueError(f"{path}, line {number}: {lacks}{error}") from error
        return run

    def close(self) -> None:
        """Let others write to the log. What was read and added stays in memory."""
        if self._log:
            self._log.close()
            self._log = None

    def append(self, event: dict[str, Any]) -> None:
        """Add an event, on disk first. When this returns, the event survives a power cut."""
        if self._log:
            self._log.append(event)
        self._take(event)

    def _take(self, event: dict[str, Any]) -> None:
        """Raises ValueError, KeyError or TypeError for an event that cannot stand here."""
        kind = event["event"]
        waiting, number = self._ask, len(self.proposals) + 1
        if kind == "warmup":
            fits = not self.proposals and not waiting and event["index"] == len(self.trials)
        else:
            fits = event["iteration"] == number and bool(waiting) == (kind == "tell")
        if kind not in ("warmup", "ask", "tell") or not fits:
            raise ValueError(f"this {kind!r} is out of order: a line is missing or double.")
        self.events.append(event)
        if kind == "ask":
            self._ask = event if event["params"] is not None else None
        else:
            self.trials.append(self._trial(event, waiting or {}))
            self._ask = None

    def _trial(self, event: dict[str, Any], ask: dict[str, Any]) -> Trial:
        params, returns = _numbers(event["params"]), _numbers(event["returns"])
        if ask and ask["params"] != event["params"]:
            raise ValueError(f"it evaluates {event['params']}, but {ask['params']} was proposed.")
        value = event["value"]
        if not math.isclose(value, returns.mean(), rel_tol=1e-9, abs_tol=1e-9):
            raise ValueError(f"its value is {value}, its returns have the mean {returns.mean()}.")
        reply = ask.get("reply") or ""
        first, _, rest = reply.strip().partition("\n")
        brain = self.config.get("brain", self.config)  # the first recordings name it there
        table = brain.get("brain") == "TableBrain" or brain.get("prompt") == "table"
        reason = (first if table else rest).strip()
        return Trial(event.get("iteration", 0), params, value, returns, reply, reason)

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
    def usage(self) -> Any:
        """What the whole run used, refused replies included: see `Usage`."""
        from .usage import Usage

        return Usage.of(self.replies)

    @property
    def best(self) -> Trial:
        """The trial of the highest value, the first of equals. Raises ValueError before any."""
        return max(self.trials, key=lambda trial: trial.value)

    @property
    def values(self) -> np.ndarray:
        """The value of every trial, shape (trials,)."""
        return np.array([trial.value for trial in self.trials])

    @property
    def best_so_far(self) -> np.ndarray:
        """The highest value up to each trial, shape (trials,): the learning curve."""
        return np.maximum.accumulate(self.values)

    def __repr__(self) -> str:
        return f"Run(warm-up points: {len(self.warmup)}, proposals: {len(self.proposals)})"


def find_recording(name: str | Path) -> Path:
    """The file of a run: a path, with or without `.jsonl`, or the name of one of the recordings.

    Raises FileNotFoundError, which lists the recordings there are.
    """
    for path in (Path(name), log_path(name), log_path(RECORDINGS / name)):
        if path.is_file():
            return path
    found = (path.relative_to(RECORDINGS).with_suffix("") for path in RECORDINGS.rglob("*.jsonl"))
    names = ", ".join(sorted(path.as_posix() for path in found))
    raise FileNotFoundError(f"There is no run log {str(name)!r}; the recordings are: {names}.")


def log_path(name: str | Path) -> Path:
    """The path with the ending of a log. A name may have dots of its own, as in `runs/gpt-4.1`."""
    path = Path(name)
    return path if path.suffix == ".jsonl" else path.with_name(f"{path.name}.jsonl")


def _numbers(values: Any) -> np.ndarray:
    plain = isinstance(values, list) and values and {type(x) for x in values} <= {int, float}
    if not plain or not all(map(math.isfinite, values)):
        raise ValueError(f"{values!r} is not a list of finite numbers.")
    return np.array(values, dtype=float)
