"""Write book/_static/figures/dial_data.js, what the figure "Comparison dial" knows.

From the tables of benchmarks/studies, as chapter 11 reads them: of each
task, brain and budget what the chosen point of every run was worth on the search's own starts and
on fresh ones, and the interquartile means with their intervals.

Run from the root of the repository:

    python benchmarks/dial_figure.py
"""

from pathlib import Path
from typing import Any

import figure_data
import numpy as np

from propslib.study import load_table
from propslib.utils import stats

FOLDER = Path(__file__).parent
ABOUT = "Runs of chapter 11's studies."
BUDGETS = (5, 10, 20, 50, 100, 200, 400)
KINDS = ("best", "held_out")
LEAST = 5  # runs for an interquartile mean
# By the name of its table: the task's name on the page, what a value is, digits of a mean and of a
# run, and the ends of the scale.
TASKS = {
    "mountaincar": ("MountainCar, box ±6", "mean return", 0, 1, -20, 100),
    "mountaincar-wide": ("MountainCar, box ±10", "mean return", 0, 1, -20, 100),
    "cartpole": ("CartPole", "mean return", 0, 1, 0, 500),
    "frozenlake": ("FrozenLake", "share of episodes that arrive", 2, 3, 0, 0.9),
    "swimmer": ("Swimmer", "mean return", 0, 1, -50, 360),
}


def rows_of(task: str) -> list[dict[str, Any]]:
    """The judged runs of the baselines."""
    rows = load_table(FOLDER / "studies" / f"{task}.jsonl")
    return [row for row in rows if "blocks" in row]


def rows_of_model(task: str) -> list[dict[str, Any]]:
    """The model's searches that were repeated by a plan; where there are none, the single ones."""
    rows = [
        row for row in load_table(FOLDER / "studies" / "recorded.jsonl") if row["world"] == task
    ]
    planned = ("-plain-", "-untold-")
    repeated = [row for row in rows if any(kind in row["recording"] for kind in planned)]
    return [row for row in repeated or rows if "held_out" in row]


def enough(found: dict[str, Any], row: dict[str, Any]) -> bool:
    """Whether a row belongs to enough runs of its brain and budget for an interquartile mean."""
    cell = found[row["brain"]].get(row["proposals"], {"best": []})
    return len(cell["best"]) >= LEAST


def runs_of(rows: list[dict[str, Any]], digits: tuple[int, int]) -> dict[str, Any]:
    """By brain and budget: each run's two values, and their interquartile means and intervals."""
    of_mean, of_run = digits
    found: dict[str, Any] = {}
    for row in sorted(rows, key=lambda row: row["seed"]):
        budgets = found.setdefault(row["brain"], {})
        if row["proposals"] in BUDGETS:
            cell = budgets.setdefault(row["proposals"], {kind: [] for kind in KINDS})
            for kind in KINDS:
                cell[kind].append(round(row[kind], of_run) + 0.0)
    cells: dict[tuple[str, int], list[dict[str, Any]]] = {}
    for row in rows:
        if enough(found, row):
            cells.setdefault((row["brain"], row["proposals"]), []).append(row)
    for (brain, proposals), own in cells.items():
        for kind in KINDS:
            ends = [round(end, of_mean) + 0.0 for end in interval(own, kind)]
            found[brain][proposals][f"mean_{kind}"] = ends
    return found


def interval(rows: list[dict[str, Any]], kind: str) -> stats.Interval:
    """The interquartile mean over runs; where blocks of starts judged them, over these too."""
    blocked = kind == "held_out" and "blocks" in rows[0]
    scores = [row["blocks"] if blocked else [row[kind]] for row in rows]
    return stats.crossed_interval(stats.iqm, np.array(scores))


def data() -> dict[str, Any]:
    """All that the figure knows."""
    tasks = {}
    for task, (name, value, of_mean, of_run, low, high) in TASKS.items():
        runs = runs_of(rows_of(task) + rows_of_model(task), (of_mean, of_run))
        shape = {"digits": of_mean, "low": low, "high": high}
        tasks[task] = {"name": name, "value": value} | shape | {"brains": runs}
    return {"budgets": BUDGETS, "tasks": tasks}


def module() -> str:
    """The text of dial_data.js."""
    return figure_data.text("dial", ABOUT, data(), ensure_ascii=False, separators=(",", ":"))


if __name__ == "__main__":
    figure_data.write("dial", module())
