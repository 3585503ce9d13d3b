"""Optional: pictures of binned tables: their actions, and how often their states were met."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import PatchCollection
from matplotlib.colors import LogNorm
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, Rectangle

from ..world.bins import Binned, Bins

# Each action has a colour and a mark, so that neither is needed alone.
FILLS = ("#a9cbe6", "#f6d08a", "#a6d9c8", "#e6c3d5")
MARKS = ("<", ">", "^", "s")
INK, PALE, HATCH = "#26323a", "#f4f6f7", "#b8c4cc"
NEVER_NAMED = {"facecolor": PALE, "edgecolor": HATCH, "hatch": "////", "linewidth": 0}
GAP = 0.7  # between panels, in cells


def plot_table(
    binned: Binned,
    table: np.ndarray,
    *,
    named: np.ndarray | None = None,
    ax: Axes | None = None,
    legend: bool = True,
) -> Axes:
    """A binned table as small maps: a panel for each bin of the first quantities, a cell a state.

    Of the quantities with more than one bin, the last goes across each panel and the one before it
    down; the two before those, where there are any, tell the panels apart, across and down. Each
    action has its colour and its mark.

    table
        Shape (states,): an action for each state.
    named
        Shape (states,), bool: the states that a reply named (see `TableBrain.named`). The others
        are pale and hatched: their action is the default or was drawn at random.
    legend
        Whether a legend under the maps says which mark is which action.

    Raises ValueError for fewer than two or more than four quantities with bins, for more than four
    actions or others than `binned.action_words` has words for, and for a table or named without
    one entry for each state.
    """
    table, words = _actions(binned, table)
    named = np.ones(binned.states, bool) if named is None else named
    named = one_each("named", named, binned.states).astype(bool)
    x, y = _places(binned)
    ax = ax or plt.subplots(figsize=_size(binned))[1]
    handles, labels = [], []
    for action, (word, fill, mark) in enumerate(zip(words, FILLS, MARKS, strict=False)):
        here = (table == action) & named
        if here.any():
            style = {"facecolor": fill, "edgecolor": "white", "linewidth": 0.8}
            ax.add_collection(_cells(x[here], y[here], label=word, **style))
        for chosen, ink in ((here, INK), ((table == action) & ~named, HATCH)):
            ax.plot(x[chosen], y[chosen], mark, ms=4, color=ink)
        sample = Line2D([], [], marker=mark, ms=5, color=INK, ls="")
        handles.append((Patch(facecolor=fill), sample))
        labels.append(word)
    if not named.all():
        label = "never named by a reply"
        ax.add_collection(_cells(x[~named], y[~named], label=label, **NEVER_NAMED))
        handles.append(Patch(**NEVER_NAMED))
        labels.append(label)
    _frame(ax, binned)
    if legend:
        place = {"loc": "upper center", "bbox_to_anchor": (0.5, 0), "borderaxespad": 4}
        ax.legend(handles, labels, ncols=len(handles), **place)
    return ax


def _actions(binned: Binned, table: np.ndarray) -> tuple[np.ndarray, tuple[str, ...]]:
    """The table and the words for its actions, both checked."""
    table = one_each("table", table, binned.states)
    words = binned.action_words
    if not 1 <= len(words) <= len(MARKS):
        raise ValueError(
            f"plot_table tells 1 to {len(MARKS)} actions apart; this world has {len(words)} words "
            "for actions. Give a Binned with action_words."
        )
    if not np.isin(table, range(len(words))).all():
        raise ValueError(
            f"The table has other actions than {words}: numbers 0 to {len(words) - 1}."
        )
    return table, words


def plot_visits(
    binned: Binned,
    visits: np.ndarray,
    *,
    most: int | None = None,
    ax: Axes | None = None,
    bar: bool = True,
) -> Axes:
    """How often each state of a binned world was met, in the panels of `plot_table`.

    visits
        Shape (states,): counts. States that were never met stay white; the darker, the more.
    most
        The count at the dark end of the scale, which is logarithmic; None: the largest there is.
    bar
        Whether a colour bar says which colour is which count.

    Raises ValueError as `plot_table` does, and where no state was met.
    """
    visits = one_each("visits", visits, binned.states)
    if not visits.max() > 0:
        raise ValueError("No state was met at all: there are no visits to draw.")
    x, y = _places(binned)
    ax = ax or plt.subplots(figsize=_size(binned))[1]
    never = visits == 0
    outline = {"facecolor": "white", "edgecolor": "#d5dce0", "linewidth": 0.6}
    ax.add_collection(_cells(x[never], y[never], label="never met", **outline))
    met = _cells(x[~never], y[~never], label="met", edgecolor="white", linewidth=0.8)
    met.set(cmap="cividis_r", norm=LogNorm(1, max(most or int(visits.max()), 2)))
    met.set_array(visits[~never])
    ax.add_collection(met)
    if bar:
        ax.figure.colorbar(met, ax=ax, label="visits (white: none)", shrink=0.8)
    _frame(ax, binned)
    return ax


def _axes(binned: Binned) -> list[Bins | None]:
    """The quantities panel down, panel across, cell down, cell across; None where there is none."""
    cut = list(binned.cut)
    if not 2 <= len(cut) <= 4:
        raise ValueError(f"A picture has room for 2 to 4 quantities with bins; got {len(cut)}.")
    return [None] * (4 - len(cut)) + cut


def _places(binned: Binned) -> tuple[np.ndarray, np.ndarray]:
    """Where each state's cell is: its middle, in cells from the upper left, shapes (states,)."""
    counts = [len(bins) if bins else 1 for bins in _axes(binned)]
    panel_y, panel_x, y, x = np.unravel_index(np.arange(binned.states), counts)
    return x + panel_x * (counts[3] + GAP) + 0.5, y + panel_y * (counts[2] + GAP) + 0.5


def _size(binned: Binned) -> tuple[float, float]:
    return 7.0, 0.29 * _places(binned)[1].max() + 1.6


def _cells(x: np.ndarray, y: np.ndarray, **style) -> PatchCollection:
    corners = zip((x - 0.5).tolist(), (y - 0.5).tolist(), strict=True)
    label = style.pop("label")
    cells = PatchCollection([Rectangle(corner, 1, 1) for corner in corners], **style)
    cells.set_label(label)
    return cells


def _frame(ax: Axes, binned: Binned) -> None:
    """Scales of the cells on the left and below, words of the panels on the right and above."""
    panel_y, panel_x, down, across = _axes(binned)
    for axis, bins, panels in ((ax.xaxis, across, panel_x), (ax.yaxis, down, panel_y)):
        starts = [k * (len(bins) + GAP) for k in range(len(panels) if panels else 1)]
        # The outermost edges are open, so that no number belongs there.
        chosen = sorted({1, len(bins) // 2, len(bins) - 1})
        axis.set_ticks(
            [start + edge for start in starts for edge in chosen],
            [
                f"{bins.edges[edge]:.2g}".replace("-", "\N{MINUS SIGN}")
                for _ in starts
                for edge in chosen
            ],
            fontsize=8,
        )
        axis.set_label_text(f"{bins.name} ({bins.unit})" if bins.unit else bins.name)
    x, y = _places(binned)
    ax.set(xlim=(-0.2, x.max() + 0.7), ylim=(y.max() + 0.7, -0.2), aspect="equal")
    ax.grid(False)
    ax.spines[:].set_visible(False)
    for side, panels, bins in (("top", panel_x, across), ("right", panel_y, down)):
        if panels is None:
            continue
        scale = ax.secondary_xaxis(side) if side == "top" else ax.secondary_yaxis(side)
        axis = scale.xaxis if side == "top" else scale.yaxis
        middles = [k * (len(bins) + GAP) + len(bins) / 2 for k in range(len(panels))]
        axis.set_ticks(middles, panels.words)
        scale.tick_params(length=0)
        scale.spines[:].set_visible(False)
        if side == "right":
            plt.setp(scale.get_yticklabels(), rotation=-90, va="center")


def one_each(name: str, given: np.ndarray, states: int) -> np.ndarray:
    """The entries as an array of shape (states,). Raises ValueError for any other shape."""
    given = np.asarray(given)
    if given.shape != (states,):
        raise ValueError(
            f"{name} needs one entry for each of {states} states; got shape {given.shape}."
        )
    return given
