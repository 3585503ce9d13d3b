"""Optional: the picture of a study: curves over the budget, with every run."""

from collections.abc import Iterable

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes

from ..study import Row
from .style import look

LABELS = {"best": "best value so far", "held_out": "held-out return of the best point"}


def plot_study(
    rows: Iterable[Row],
    column: str = "held_out",
    *,
    ax: Axes | None = None,
    floor: float | None = None,
    bars: bool = False,
) -> Axes:
    """Curves of a study: each run as a thin line, and over them the interquartile mean of all.

    The band, or bar, is the 95 % bootstrap interval of the interquartile mean (see `iqm_interval`).

    rows
        The table of a `study`; at least two seeds for each brain.
    column
        `held_out`, what the chosen point is worth on fresh seeds, or `best`, the highest value on
        the search's own seeds.
    floor
        Values below are drawn on the floor, so that they do not flatten the rest.
    bars
        Draw the intervals as bars side by side instead of bands, which mix where many overlap.

    Raises KeyError for another column, and ValueError for a brain with one seed only.
    """
    from .stats import summary  # it needs SciPy, which not every chapter has

    rows, floor = list(rows), -np.inf if floor is None else floor
    means = summary(rows, column)
    ax = ax or plt.subplots()[1]
    names = list(dict.fromkeys(row["brain"] for row in rows))
    for k, name in enumerate(names):
        style = look(name, f"C{k}")
        color = style["color"]
        own = [row for row in rows if row["brain"] == name]
        for seed in dict.fromkeys(row["seed"] for row in own):
            run = [row for row in own if row["seed"] == seed]
            x, y = [row["proposals"] for row in run], [row[column] for row in run]
            ax.plot(x, np.maximum(y, floor), color=color, lw=0.7, alpha=0.3)
        mean = [row for row in means if row["brain"] == name]
        x = [row["proposals"] for row in mean]
        ends = [[row[end] for row in mean] for end in ("low", "iqm", "high")]
        low, middle, high = np.maximum(ends, floor)
        if bars:
            x = [budget * 1.04 ** (k - len(names) // 2) for budget in x]
            ax.vlines(x, low, high, color=color, lw=1.5)
        else:
            ax.fill_between(x, low, high, color=color, alpha=0.15, lw=0)
        ax.plot(x, middle, marker="o", ms=3.5, lw=2, label=name, **style)
    ax.set(xlabel="proposals", ylabel=LABELS[column])
    ax.legend()
    return ax
