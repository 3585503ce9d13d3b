"""Optional: a run as the readable folders of the original tutorial."""

from pathlib import Path
from typing import Any

from .policy import Policy


def write_folders(run: Any, folder: Path, policy: Policy) -> Path:
    """Write every trial of a `Run`: see `Run.write_folders`."""
    rows = ["episode,iteration,value,best_so_far,episodes"]
    for k, (trial, best) in enumerate(zip(run.trials, run.best_so_far, strict=True)):
        place = folder / f"episode_{k}"
        place.mkdir(parents=True, exist_ok=True)
        (place / "parameters.txt").write_text(policy.to_text(trial.params), encoding="utf-8")
        # Half a character, where a reply was cut, has no UTF-8 form.
        reply = trial.reply.encode("utf-8", "backslashreplace")
        (place / "parameters_reasoning.txt").write_bytes(reply)
        rows.append(f"{k},{trial.iteration},{trial.value},{best},{len(trial.returns)}")
    (folder / "overall_log.csv").write_text("\n".join([*rows, ""]), encoding="utf-8")
    return folder
