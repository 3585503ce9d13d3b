"""Chat back ends: functions from a prompt to a `Reply`, found by name.

Any function that takes a text and returns a `Reply` is a chat back end; `chat` only finds the
ones that come with the book.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path

from ..run import Run
from .base import Reply

Chat = Callable[[str], Reply]


def chat(name: str) -> Chat:
    """The chat back end of this name.

    `recorded:NAME`
        Replays the recorded search NAME (see `find_recording`), without any model.

    Raises ValueError for a name that it does not know.
    """
    kind, _, model = name.partition(":")
    if kind not in BACK_ENDS or not model:
        known = ", ".join(f"{kind}:NAME" for kind in BACK_ENDS)
        raise ValueError(
            f"There is no chat back end {name!r}; known: {known}. "
            "To use any other model, give LLMBrain a function from a text to a Reply."
        )
    return BACK_ENDS[kind](model)


class Recorded:
    """Replays a recorded search: proposal i of the prompt gets reply i of the recording.

    A recording can only answer for its own search, so the prompt must show the point that the
    recording had evaluated just before. The reply depends on the prompt alone.

    name
        A recording's name or the path of any run log.

    Calling it raises ValueError where the prompt belongs to another search, names no iteration,
    or asks for more proposals than were recorded.
    """

    def __init__(self, name: str):
        self.name = f"recorded:{name}"
        self.run = Run.load(find_recording(name))
        self.model = self.run.header.get("model", "")

    def __call__(self, prompt: str) -> Reply:
        iterations = re.findall(r"iteration (\d+) of", prompt)
        if not iterations:
            raise ValueError(
                "The prompt does not say 'iteration i of N', so it cannot be replayed."
            )
        iteration, proposals = int(iterations[-1]), self.run.proposals
        if not 1 <= iteration <= len(proposals):
            raise ValueError(
                f"{self.name} has {len(proposals)} proposals, not {iteration}: "
                "lower the budget, or name a live model."
            )
        before = [trial for trial in self.run.trials if trial.iteration < iteration]
        if before and not _shows(prompt, before[-1].params):
            raise ValueError(
                f"This search is not the one that {self.name} replays: before iteration "
                f"{iteration} that had tried {before[-1].params.tolist()}. Use its world, policy, "
                "warm-up and seed (they are in Run.load(...).config), or name a live model."
            )
        return Reply(proposals[iteration - 1].reply, model=self.model)


def find_recording(name: str) -> Path:
    """The file of a recording: a path, or a name in the book's `notebooks/recordings`.

    Raises FileNotFoundError, which lists the names there are.
    """
    folder = Path(__file__).parents[2] / "notebooks" / "recordings"
    for path in (Path(name), folder / f"{name}.jsonl"):
        if path.is_file():
            return path
    names = ", ".join(sorted(path.stem for path in folder.glob("*.jsonl")))
    raise FileNotFoundError(f"There is no recording {name!r}; there are: {names}.")


def _shows(prompt: str, params) -> bool:
    """Whether the prompt shows this point, in words (`params[0]: 0.5; ...`) or as a compact row."""
    numbers = [float(number) for number in re.findall(r"params\[\d+\]: (-?[\d.]+)", prompt)]
    size = len(params)
    points = {tuple(numbers[i : i + size]) for i in range(0, len(numbers), size)}
    unit = re.search(r"params in units of ([\d.]+),", prompt)
    unit = Decimal(unit[1]) if unit else 1  # 22 * Decimal("0.1") is 2.2, 22 * 0.1 is not
    for row in re.findall(r"^(-?\d+(?: -?\d+)*)\|-?[\d.]+$", prompt, re.MULTILINE):
        points.add(tuple(float(int(number) * unit) for number in row.split()))
    return tuple(float(number) for number in params) in points


BACK_ENDS: dict[str, Callable[[str], Chat]] = {"recorded": Recorded}
