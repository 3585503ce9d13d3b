"""What chapters 11 and 12 share: the tables of the studies, and how a search is drawn."""

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from scipy.stats import t

from propslib import utils
from propslib.study import load_table
from propslib.utils import stats

FOLDER = Path(__file__).parent / "studies"
TITLES = {
    "mountaincar": "MountainCar, box ±6",
    "mountaincar-wide": "MountainCar, box ±10",
    "cartpole": "CartPole",
    "frozenlake": "FrozenLake",
    "swimmer": "Swimmer",
}
SHOWN = ["random", "hill climbing", "CMA-ES", "ARS", "Gaussian process"]
TICKS = [5, 10, 20, 50, 100, 200, 400]
# Below the bold lines, whose colours it would hide.
SEEN = {"color": "k", "ls": "--", "lw": 1.2, "label": "seen by the search", "zorder": 1.9}


@cache
def judged_runs(task: str) -> list[dict[str, Any]]:
    """The rows of a study whose searches were judged."""
    return [row for row in load_table(FOLDER / f"{task}.jsonl") if "blocks" in row]


def column(task: str, brain: str, proposals: int, name: str = "blocks") -> np.ndarray:
    """What a study says of each seed of a brain: (seeds,), or for blocks (seeds, blocks)."""
    rows = sorted(judged_runs(task), key=lambda row: row["seed"])
    own = [row for row in rows if (row["brain"], row["proposals"]) == (brain, proposals)]
    return np.array([row[name] for row in own])


def shown(figure: stats.Interval, digits: int = 0) -> tuple[str, str]:
    """A figure and its interval, as two texts."""
    ends = figure.value, figure.low, figure.high
    texts = [f"{round(x, digits) + 0.0:.{digits}f}" for x in ends]
    return texts[0], "[{}, {}]".format(*texts[1:])


def mean_of(runs: np.ndarray) -> np.ndarray:
    """The mean of runs: (..., runs) -> (...)."""
    return runs.mean(axis=-1)


def mean_difference(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """By how much the mean of the first runs is higher: (..., runs) each -> (...)."""
    return mean_of(first) - mean_of(second)


def as_one_of(questions: int, lead: stats.Interval, seeds: int) -> stats.Interval:
    """The interval that a lead needs as one of so many, for all to hold together in 95 of 100.

    Each may then miss with a chance of 5 % over their number (Bonferroni). Either side of the 95 %
    interval grows as Student's t does for so many seeds.
    """
    far, near = t.ppf([1 - 0.025 / questions, 0.975], seeds - 1)
    low, high = (lead.value + far / near * (end - lead.value) for end in lead[1:])
    return stats.Interval(lead.value, low, high)


def improvement(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """How often a run of the first beats one of the second: (..., runs) each -> (...)."""
    first, second = first[..., :, None], second[..., None, :]
    wins = (first > second) + 0.5 * (first == second)  # ties count half
    return wins.mean(axis=(-2, -1))


def plot_searches(task: str, brain: str, ax: Axes) -> None:
    """Single searches thin, their mean bold, what they saw dashed."""
    color = utils.look(brain)["color"]
    budgets = [n for n in TICKS if len(column(task, brain, n))]
    fresh = np.array([column(task, brain, n, "held_out") for n in budgets])
    seen = np.array([column(task, brain, n, "best") for n in budgets])
    bold = {"lw": 2.4, "ms": 4, "label": "on fresh starts"}
    ax.plot(budgets, mean_of(fresh), "o-", color=color, **bold)
    ax.plot(budgets, mean_of(seen), **SEEN)
    thin = ax.plot(budgets, fresh, color=color, lw=0.8, alpha=0.5)
    thin[0].set_label("single searches")
    f = stats.crossed_interval(mean_of, column(task, brain, budgets[-1]))
    bar = {"lw": 2.4, "marker": "_", "ms": 5, "mew": 1.6}
    ax.plot([1.35 * budgets[-1]] * 2, [f.low, f.high], color=color, **bar)


Draw = Callable[[str, str, Axes], None]


def plot_task(
    task: str, low: float, high: float, draw_model: Draw | None = None, level: float = 0.0
) -> None:
    """A panel for each optimiser, and in the sixth place the model or what the lines mean.

    With the model, every panel has a line at its level.
    """
    fig, axes = plt.subplots(2, 3, figsize=(7, 5.2), sharey=True)
    ticks = [n for n in TICKS if len(column(task, "random", n))]
    ticks = ticks[::2] if len(ticks) > 4 else ticks
    draws = dict.fromkeys(SHOWN, plot_searches) | ({"model": draw_model} if draw_model else {})
    for ax, (name, draw) in zip(axes.flat, draws.items(), strict=False):
        ax.set_xscale("log", base=2)
        ax.set_xticks(ticks, ticks)
        ax.set(title=name, xlim=(0.8 * ticks[0], 1.6 * ticks[-1]))
        draw(task, name, ax)
    fig.get_layout_engine().set(hspace=0.08)
    fig.supxlabel("proposals", x=0.55, size="medium")
    for ax in axes[:, 0]:
        ax.set_ylabel("mean return")
    marks, names = axes[0, 0].get_legend_handles_labels()
    if draw_model:
        end = {"color": utils.look("model")["color"], "lw": 1.2, "ls": "-.", "zorder": 0}
        for ax in axes.flat:
            ax.axhline(level, label="the model at its end", **end)
        at_end = {"transform": axes[0, 0].get_yaxis_transform(), "ha": "right", "va": "bottom"}
        axes[0, 0].text(1, level, "model", size=10, color=end["color"], **at_end)
        stars, what = axes[1, 2].get_legend_handles_labels()
        fig.legend(marks + stars, names + what, loc="outside upper center", ncols=2, borderpad=1)
    else:
        axes[1, 2].axis("off")
        axes[1, 2].legend(marks, names, loc="center")
    axes[0, 0].set_ylim(low, high)
