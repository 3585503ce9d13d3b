"""What the notebooks need to show things: plots, films, tables.

Every plotting function draws into the axes it is given, or into a new figure, and gives the axes
back. Colours are those of Okabe and Ito, which colour-blind readers can tell apart.
"""

from __future__ import annotations

import base64
import difflib
import html
import textwrap
from collections.abc import Callable, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

import imageio.v3 as iio
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import SymLogNorm
from PIL import Image, ImageDraw, ImageFont

from .colours import BLUE as BLUE
from .colours import GREEN as GREEN
from .colours import GREY as GREY
from .colours import ORANGE as ORANGE
from .colours import PURPLE as PURPLE
from .colours import RED as RED
from .colours import SKY as SKY
from .draw import draw_hopper as draw_hopper
from .draw import draw_swimmer as draw_swimmer
from .lake_plot import plot_lake as plot_lake
from .policy import LinearPolicy
from .run import Run
from .study_plot import plot_study as plot_study
from .table import Table as Table
from .table_plots import plot_table as plot_table
from .table_plots import plot_visits as plot_visits
from .world import Episode


def use_style() -> None:
    """Set Matplotlib up for the book: sizes, colours, a light ground that suits both themes."""
    plt.rcParams.update(
        {
            "figure.figsize": (7.0, 3.8),
            "figure.dpi": 110,
            "figure.facecolor": "white",
            "figure.constrained_layout.use": True,
            "axes.prop_cycle": plt.cycler(color=[BLUE, ORANGE, GREEN, PURPLE, SKY, RED]),
            "axes.grid": True,
            "grid.alpha": 0.25,
            "axes.spines.top": False,
            "axes.spines.right": False,
            "font.size": 11,
            "legend.frameon": False,
        }
    )


def wrap(text: str, width: int = 84) -> str:
    """The text with its long lines broken, the rest of each indented, to show it on a page.

    >>> print(wrap("one two three", width=9))
    one two
        three
    """
    lines = text.splitlines()
    return "\n".join(textwrap.fill(line, width, subsequent_indent="    ") for line in lines)


def diff(old: str, new: str, width: int = 84) -> str:
    """The lines in which two texts differ, `-` before an old and `+` before a new one.

    >>> print(diff("a car\\nx = 1", "a car\\nx = 2"))
    - x = 1
    + x = 2
    """
    lines = difflib.ndiff(old.splitlines(), new.splitlines())
    return "\n".join(wrap(line, width) for line in lines if line[0] in "-+" and line[1:].strip())


def plot_run(
    run: Run,
    *,
    ax: Axes | None = None,
    label: str = "",
    color: str = BLUE,
    floor: float | None = None,
) -> Axes:
    """The learning curve: every trial as a point, and the best value so far as a line.

    The horizontal axis counts evaluated policies, warm-up included: it costs the same.

    label
        Goes before the legend's entries, to tell several runs in one figure apart.
    floor
        Values below are drawn as triangles on the floor, so that they do not flatten the rest.
    """
    ax = ax or plt.subplots()[1]
    x, values, warm = np.arange(1, len(run.values) + 1), run.values, len(run.warmup)
    shown = values if floor is None else np.maximum(values, floor)
    for part, tint, name in (
        (slice(0, warm), GREY, "warm-up"),
        (slice(warm, None), color, "proposals"),
    ):
        inside = shown[part] == values[part]
        ax.plot(
            x[part][inside], values[part][inside], "o", ms=3.5, color=tint, label=f"{label}{name}"
        )
        ax.plot(x[part][~inside], shown[part][~inside], "v", ms=5, color=tint)
    best = run.best_so_far if floor is None else np.maximum(run.best_so_far, floor)
    ax.step(x, best, where="post", color=color, lw=1.8, label=f"{label}best so far")
    episodes = len(run.trials[0].returns)
    ax.set(xlabel="policies evaluated", ylabel=f"value (mean return of {episodes} episodes)")
    ax.legend()
    return ax


def plot_phase(
    episodes: Sequence[Episode],
    labels: Sequence[str],
    *,
    ax: Axes | None = None,
    axis_labels: tuple[str, str] = ("position x", "velocity v (per step)"),
) -> Axes:
    """The phase portrait: the first two components of the state against each other.

    A dot marks the start, a cross the end of each episode.
    """
    ax = ax or plt.subplots()[1]
    for episode, label in zip(episodes, labels, strict=True):
        (line,) = ax.plot(episode.states[:, 0], episode.states[:, 1], lw=1.2, label=label)
        ax.plot(*episode.states[0, :2], "o", color=line.get_color(), ms=6)
        ax.plot(*episode.states[-1, :2], "x", color=line.get_color(), ms=8, mew=2)
    ax.set(xlabel=axis_labels[0], ylabel=axis_labels[1])
    ax.legend()
    return ax


def plot_landscape(
    x: np.ndarray,
    y: np.ndarray,
    values: np.ndarray,
    *,
    ax: Axes | None = None,
    axis_labels: tuple[str, str] = ("", ""),
    linear: float = 100.0,
    limits: tuple[float, float] | None = None,
    bar: bool = True,
) -> Axes:
    """A heat map of values over two parameters: x across, y up.

    values
        Shape (len(y), len(x)).
    linear
        Values within ±linear are coloured evenly, larger ones by their logarithm.
    limits
        The values at the two ends of the colours; by default the lowest and highest there are.
    bar
        Whether a colour bar says which colour is which value.
    """
    ax = ax or plt.subplots()[1]
    low, high = limits or (float(np.min(values)), float(np.max(values)))
    norm = SymLogNorm(linear, vmin=low, vmax=high)
    mesh = ax.pcolormesh(
        x, y, values, norm=norm, cmap="cividis", shading="nearest", rasterized=True
    )
    if bar:
        ticks = [v for v in (-10_000, -1_000, -300, -100, -50, 0, 50, 100, 300) if low <= v <= high]
        scale = ax.figure.colorbar(mesh, ax=ax, ticks=ticks, label="value (mean return)")
        scale.ax.set_yticklabels([f"{v:g}" for v in ticks])
    ax.set(xlabel=axis_labels[0], ylabel=axis_labels[1])
    ax.grid(False)
    return ax


def mark(ax: Axes, number: int, point: tuple[float, float], offset: tuple[float, float]) -> None:
    """A numbered disc beside a point, joined to it by a line.

    offset
        From the point to the disc's middle, in points (1/72 inch).
    """
    ax.annotate(
        str(number),
        point,
        offset,
        textcoords="offset points",
        ha="center",
        va="center",
        color="white",
        weight="bold",
        bbox={"boxstyle": "circle", "facecolor": RED, "edgecolor": "white"},
        arrowprops={"arrowstyle": "-", "color": RED, "linewidth": 1.5},
    )


def plot_weights(
    policy: LinearPolicy,
    params: np.ndarray,
    inputs: Sequence[str],
    outputs: Sequence[str],
    *,
    ax: Axes | None = None,
) -> Axes:
    """The matrix of a linear policy as a heat map, with its numbers: a row an input, bias last."""
    ax = ax or plt.subplots(figsize=(2.0 + 1.1 * len(outputs), 0.5 * len(inputs) + 1.4))[1]
    weights, bias = policy.matrices(params)
    matrix = np.vstack([weights, bias])
    limit = max(abs(policy.low), abs(policy.high))
    ax.imshow(matrix, cmap="PuOr", vmin=-limit, vmax=limit, aspect="auto")
    for (row, column), number in np.ndenumerate(matrix):
        color = "white" if abs(number) > 0.65 * limit else "black"
        ax.text(column, row, f"{number:.1f}", ha="center", va="center", color=color, fontsize=9)
    ax.set_xticks(range(len(outputs)), outputs)
    ax.set_yticks(range(len(matrix)), [*inputs, "bias"])
    ax.grid(False)
    return ax


class Film:
    """Pictures that move, shown in a notebook with a player's controls.

    frames
        Pictures of equal size, (height, width, 3) uint8.
    alt
        What can be seen, for those who cannot see it.
    """

    def __init__(self, frames: Sequence[np.ndarray], *, fps: int, alt: str):
        if not frames:
            raise ValueError("A film needs frames: run the episode with frame_every=1 or more.")
        # H.264 stores colour at half size, so both sides must be even.
        height, width = (side - side % 2 for side in frames[0].shape[:2])
        self.frames = [frame[:height, :width] for frame in frames]
        self.fps, self.alt = fps, alt

    def save(self, path: str | Path) -> Path:
        """Write the film to a `.mp4` or a `.gif`. Raises ValueError for any other ending."""
        path = Path(path)
        if path.suffix not in (".mp4", ".gif"):
            raise ValueError(f"A film is saved as .mp4 or .gif, not as {path.name!r}.")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(self._encoded(path.suffix))
        return path

    def _encoded(self, suffix: str) -> bytes:
        buffer = BytesIO()
        if suffix == ".gif":
            iio.imwrite(buffer, self.frames, extension=".gif", duration=1000 / self.fps, loop=0)
        else:
            # One thread, so that the same frames give the same bytes.
            options = {"fps": self.fps, "codec": "libx264", "quality": None, "macro_block_size": 2}
            options["output_params"] = ["-crf", "30", "-threads", "1", "-movflags", "+faststart"]
            iio.imwrite(buffer, self.frames, extension=".mp4", plugin="FFMPEG", **options)
        return buffer.getvalue()

    def _repr_html_(self) -> str:
        data = base64.b64encode(self._encoded(".mp4")).decode()
        alt = html.escape(self.alt)
        return (
            '<video class="film" controls loop muted playsinline preload="auto" '
            f'aria-label="{alt}" style="max-width: 100%" '
            f'src="data:video/mp4;base64,{data}">{alt}</video>'
        )

    def __repr__(self) -> str:
        return f"Film({len(self.frames)} frames at {self.fps} a second: {self.alt})"


def film(
    episode: Episode,
    *,
    alt: str,
    fps: int = 30,
    caption: Callable[[int, Any, float], str] | None = None,
) -> Film:
    """A film of an episode that was run with `frame_every`, with a caption in each picture.

    caption
        A function of the step, the state and the return so far; None shows the step and return.

    Raises ValueError for an episode without frames.
    """
    caption = caption or (lambda step, state, total: f"step {step}   return {total:.1f}")
    totals = np.concatenate([[0.0], np.cumsum(episode.rewards)])
    pictures = [
        _write_on(frame, caption(step, episode.states[step], float(totals[step])))
        for step, frame in zip(episode.frame_steps, episode.frames, strict=True)
    ]
    return Film(pictures, fps=fps, alt=alt)


def _write_on(picture: np.ndarray, text: str) -> np.ndarray:
    image = Image.fromarray(picture)
    font = ImageFont.load_default(size=max(12, image.height // 20))
    ImageDraw.Draw(image).text((10, 8), text, fill="black", font=font)
    return np.array(image)
