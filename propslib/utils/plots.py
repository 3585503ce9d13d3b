"""Optional: plots of runs, landscapes, phases and weights.

Every plotting function draws into the axes it is given, or into a new figure, and returns them.
"""

from collections.abc import Sequence

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import SymLogNorm

from ..policy import LinearPolicy
from ..run import Run
from ..world.trace import Episode
from .style import GREY, INK, RED, look


def plot_run(
    run: Run,
    *,
    ax: Axes | None = None,
    label: str = "",
    brain: str = "model",
    floor: float | None = None,
) -> Axes:
    """The learning curve: every trial as a point, and the best value so far as a line.

    The horizontal axis counts evaluated policies, warm-up included: it costs the same.

    label
        Goes before the legend's entries, to tell several runs in one figure apart.
    brain
        Whose colour and line the run gets (see `look`).
    floor
        Values below are drawn as triangles on the floor, so that they do not flatten the rest.
    """
    ax, style = ax or plt.subplots()[1], look(brain)
    x, floor = np.arange(1, len(run.values) + 1), -np.inf if floor is None else floor
    warm, low = x <= len(run.warmup), run.values < floor
    for part, tint, name in ((warm, GREY, "warm-up"), (~warm, style["color"], "proposals")):
        dots, triangles = part & ~low, part & low
        ax.plot(x[dots], run.values[dots], "o", ms=3.5, color=tint, label=f"{label}{name}")
        ax.plot(x[triangles], np.full(triangles.sum(), floor), "v", ms=5, color=tint)
    best = np.maximum(run.best_so_far, floor)
    ax.step(x, best, where="post", lw=1.8, label=f"{label}best so far", **style)
    episodes = len(run.trials[0].returns)
    ax.set(xlabel="policies evaluated", ylabel=f"value (mean return of {episodes} episodes)")
    ax.legend()
    return ax


def plot_phase(episodes: Sequence[Episode], labels: Sequence[str], ax: Axes | None = None) -> Axes:
    """The car's phase portrait: the two components of its state against each other.

    A dot marks the start, a cross the end of each episode.
    """
    ax = ax or plt.subplots()[1]
    for episode, label in zip(episodes, labels, strict=True):
        (line,) = ax.plot(episode.states[:, 0], episode.states[:, 1], lw=0.8, label=label)
        ax.plot(*episode.states[0, :2], "o", color=line.get_color(), ms=6, mew=2, zorder=3)
        ax.plot(*episode.states[-1, :2], "x", color=line.get_color(), ms=9, mew=2, zorder=3)
    ax.set(xlabel="position $x$", ylabel="velocity $v$ (per step)")
    ax.legend()
    return ax


def plot_landscape(
    x: np.ndarray,
    y: np.ndarray,
    values: np.ndarray,
    *,
    ax: Axes | None = None,
    axis_labels: tuple[str, str] = ("", ""),
    limits: tuple[float, float] | None = None,
    bar: bool = True,
) -> Axes:
    """A heat map of values over two parameters: x across, y up.

    values
        Shape (len(y), len(x)). Within ±100 they are coloured evenly, beyond by their logarithm.
    limits
        The values at the two ends of the colours; by default the lowest and highest there are.
    bar
        Whether a colour bar says which colour is which value.
    """
    ax = ax or plt.subplots()[1]
    low, high = limits or (float(np.min(values)), float(np.max(values)))
    style = {"norm": SymLogNorm(100, vmin=low, vmax=high), "cmap": "cividis"}
    mesh = ax.pcolormesh(x, y, values, shading="nearest", rasterized=True, **style)
    if bar:
        ticks = [v for v in (-10_000, -1_000, -300, -100, -50, 0, 50, 100, 300) if low <= v <= high]
        style = {"ticks": ticks, "format": "{x:g}", "label": "mean return"}
        ax.figure.colorbar(mesh, ax=ax, **style)
    ax.set(xlabel=axis_labels[0], ylabel=axis_labels[1])
    ax.grid(False)
    return ax


def mark(ax: Axes, number: int, point: tuple[float, float], offset: tuple[float, float]) -> None:
    """A numbered disc beside a point, joined to it by a line.

    offset
        From the point to the disc's middle, in points (1/72 inch).
    """
    letters = {"ha": "center", "va": "center", "color": "white", "weight": "bold"}
    disc = {"boxstyle": "circle", "facecolor": RED, "edgecolor": "white"}
    line = {"arrowstyle": "-", "color": RED, "linewidth": 1.5}
    shape = {"textcoords": "offset points", "bbox": disc, "arrowprops": line}
    ax.annotate(str(number), point, offset, **shape, **letters)


def plot_weights(
    policy: LinearPolicy,
    params: np.ndarray,
    inputs: Sequence[str],
    outputs: Sequence[str],
    ax: Axes,
) -> Axes:
    """The matrix of a linear policy as a heat map, with its numbers: a row an input, bias last."""
    weights, bias = policy.matrices(params)
    matrix = np.vstack([weights, bias])
    limit = max(abs(policy.low), abs(policy.high))
    ax.imshow(matrix, cmap="PuOr", vmin=-limit, vmax=limit, aspect="auto")
    for (row, column), number in np.ndenumerate(matrix):
        color = "white" if abs(number) > 0.65 * limit else INK
        ax.text(column, row, f"{number:.1f}", ha="center", va="center", color=color, fontsize=9)
    ax.set_xticks(range(len(outputs)), outputs)
    ax.set_yticks(range(len(matrix)), [*inputs, "bias"])
    ax.grid(False)
    return ax
