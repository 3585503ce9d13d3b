"""Replays a recorded search, without any model."""

import re

import numpy as np

from ...run import Run
from ..base import Reply
from . import BoundChat


class Recorded(BoundChat):
    """Replays a recorded search: proposal i of the prompt gets reply i of the recording.

    A recording can only answer for its own search, so the brain that it is bound to must have been
    told the point that the recording had evaluated just before.

    recording
        A recording's name or the path of any run log.

    Calling it raises ValueError where the search that asks is another one, the prompt names no
    iteration, or more proposals are asked for than were recorded.
    """

    def __init__(self, name: str, recording: str):
        self.name, self.run = name, Run.load(recording)
        named = [reply["model"] for reply in self.run.replies if reply.get("model")]
        self.model = self.run.header.get("model") or (named[-1] if named else "")

    def __call__(self, prompt: str) -> Reply:
        """The recorded reply: see `Recorded`."""
        iterations = re.findall(r"iteration (\d+) of", prompt)
        if not iterations:
            raise ValueError("The prompt does not say 'iteration i of N', so it has no replay.")
        iteration, proposals = int(iterations[-1]), self.run.proposals
        if not 1 <= iteration <= len(proposals):
            has = f"{self.name} has {len(proposals)} proposals, not {iteration}"
            raise ValueError(f"{has}: lower the budget, or name a live model.")
        before = [trial.params for trial in self.run.trials if trial.iteration < iteration]
        told = [trial.params for trial in self._brain.trials] if self._brain else before
        if before and not any(np.array_equal(params, before[-1]) for params in told):
            use = f"which tried {before[-1].tolist()}: use its settings, or a live model."
            raise ValueError(f"This search is not the one that {self.name} replays, {use}")
        return Reply(proposals[iteration - 1].reply, model=self.model, usd=0.0)
