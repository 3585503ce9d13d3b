"""Replays a recorded search, without any model."""

from __future__ import annotations

import re
from decimal import Decimal
from pathlib import Path

from ...run import Run
from ..base import Reply
from ..cost import find_price


class Recorded:
    """Replays a recorded search: proposal i of the prompt gets reply i of the recording.

    A recording can only answer for its own search, so the prompt must show the point that the
    recording had evaluated just before. The reply depends on the prompt alone.

    recording
        A recording's name or the path of any run log.

    Calling it raises ValueError where the prompt belongs to another search, names no iteration,
    or asks for more proposals than were recorded.
    """

    def __init__(self, name: str, recording: str):
        self.name = name
        self.price = find_price(name)
        self.run = Run.load(find_recording(recording))
        named = [reply["model"] for reply in self.run.replies if reply.get("model")]
        self.model = self.run.header.get("model") or (named[-1] if named else "")

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
        return Reply(proposals[iteration - 1].reply, model=self.model, usd=0.0)


def find_recording(name: str) -> Path:
    """The file of a recording: a path, or a name in the book's `notebooks/recordings`.

    Raises FileNotFoundError, which lists the names there are.
    """
    folder = Path(__file__).parents[3] / "notebooks" / "recordings"
    for path in (Path(name), folder / f"{name}.jsonl"):
        if path.is_file():
            return path
    found = (path.relative_to(folder).with_suffix("") for path in folder.rglob("*.jsonl"))
    names = ", ".join(sorted(path.as_posix() for path in found))
    raise FileNotFoundError(f"There is no recording {name!r}; there are: {names}.")


def _shows(prompt: str, params) -> bool:
    """Whether the prompt shows this point, in words (`params[0]: 0.5; ...`) as a compact row,
    or, of a table, by the states that it met."""
    numbers = [float(number) for number in re.findall(r"params\[\d+\]: (-?[\d.]+)", prompt)]
    size = len(params)
    met = re.findall(r"^(\d+) \| (\d+) \| \d+ \| -?[\d.]+$", prompt, re.MULTILINE)
    if met:
        return all(params[int(state)] == int(action) for state, action in met)
    points = {tuple(numbers[i : i + size]) for i in range(0, len(numbers), size)}
    unit = re.search(r"params in units of ([\d.]+),", prompt)
    unit = Decimal(unit[1]) if unit else 1  # 22 * Decimal("0.1") is 2.2, 22 * 0.1 is not
    for row in re.findall(r"^(-?\d+(?: -?\d+)*)\|-?[\d.]+$", prompt, re.MULTILINE):
        points.add(tuple(float(int(number) * unit) for number in row.split()))
    return tuple(float(number) for number in params) in points
