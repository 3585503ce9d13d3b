"""Optional: pictures of tables, on their lake or by their bins: actions, and visits of states."""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import PatchCollection
from matplotlib.colors import LinearSegmentedColormap, LogNorm
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, Rectangle

from ..policy.table import TablePolicy
from ..world import World
from ..world.bins import Binned, Bins
from .style import BLUE, GREY

# Each action has a colour and a mark, so that neither is needed alone.
FILLS = ("#a9cbe6", "#f6d08a", "#a6d9c8", "#e6c3d5")
MARKS = ("<", ">", "^", "s")
INK, PALE, HATCH = "#26323a", "#f4f6f7", "#b8c4cc"
UNNAMED = "not named for this table"
GAP = 0.7  # between panels, in cells
SHADES = LinearSegmentedColormap.from_list("visits", ("#cfc8e6", "#2a0a5e"))
TILES = {"S": "#eaf3f9", "F": "#eaf3f9", "H": "#33424f", "G": "#bfe3d4"}
DARK = "#4a5a66"
HATCHED = {"facecolor": TILES["F"], "edgecolor": HATCH, "hatch": "////", "linewidth": 0}
DIRECTIONS = np.array([(-1, 0), (0, -1), (1, 0), (0, 1)])  # left, down, right, up on the page


def plot_table(binned: Binned, table: np.ndarray, *, named: np.ndarray | None = None) -> Axes:
    """A binned table as small maps: a panel for each bin of the first quantities, a cell a state.

    Of the quantities with more than one bin, the last goes across each panel and the one before it
    down; the two before those, where there are any, tell the panels apart, across and down. Each
    action has its colour and its mark.

    table
        Shape (states,): an action for each state.
    named
        Shape (states,), bool: the states that a reply named (see `TableBrain.named`). The others
        are pale and hatched: their action is the default or was drawn at random.

    Raises ValueError for more than four quantities with bins, for more than four actions or others
    than `binned.action_words` has words for, and for a table or named without one entry for each
    state.
    """
    table, words = np.reshape(table, binned.states), binned.action_words
    if len(words) > len(MARKS) or not np.isin(table, range(len(words))).all():
        raise ValueError(f"A table is drawn with up to 4 actions, numbers of words: {words}.")
    named = np.ones(binned.states) if named is None else named
    named = np.reshape(named, binned.states).astype(bool)
    ax, x, y = _panels(binned)
    legend = {}
    for action, (word, fill, mark) in enumerate(zip(words, FILLS, MARKS, strict=False)):
        _cells(ax, x, y, (table == action) & named, word, facecolor=fill, edgecolor="white", lw=0.8)
        for chosen, ink in ((named, INK), (~named, GREY)):
            here = (table == action) & chosen
            ax.plot(x[here], y[here], mark, ms=4, color=ink)
        legend[word] = (Patch(facecolor=fill), Line2D([], [], marker=mark, ms=5, color=INK, ls=""))
    if not named.all():
        style = {"facecolor": PALE, "edgecolor": HATCH, "hatch": "////", "lw": 0}
        _cells(ax, x, y, ~named, UNNAMED, **style)
        legend[UNNAMED] = Patch(**style)
    ax.figure.legend(legend.values(), legend, ncols=len(legend), loc="outside lower center")
    return ax


def plot_visits(
    binned: Binned, visits: np.ndarray, *, most: int | None = None, ax: Axes | None = None
) -> Axes:
    """How often each state of a binned world was met, in the panels of `plot_table`.

    visits
        Shape (states,): counts. States that were never met are grey; the darker, the more.
    most
        The count at the dark end of the scale, which is logarithmic; None: the largest there is.

    Raises ValueError as `plot_table` does.
    """
    visits = np.reshape(visits, binned.states)
    ax, x, y = _panels(binned, ax)
    _cells(ax, x, y, visits == 0, "never met", facecolor=PALE, edgecolor="white", lw=0.8)
    met = _cells(ax, x, y, visits > 0, "met", edgecolor="white", lw=0.8)
    met.set(cmap=SHADES, norm=LogNorm(1, max(most or int(visits.max()), 2)))
    met.set_array(visits[visits > 0])
    style = {"location": "bottom", "shrink": 0.5, "format": "{x:,.0f}"}
    ax.figure.colorbar(met, ax=ax, label="visits (grey: never met)", **style)
    return ax


def _panels(binned: Binned, ax: Axes | None = None) -> tuple[Axes, np.ndarray, np.ndarray]:
    """Axes for a picture, and the middle of each state's cell, in cells from the upper left.

    Scales of the cells stand on the left and below, words of the panels on the right and above.
    """
    cut = list(binned.cut)
    panel_y, panel_x, down, across = [Bins("", 0, 1, [""])] * (4 - len(cut)) + cut
    counts = [len(bins) for bins in (panel_y, panel_x, down, across)]
    row, column, y, x = np.unravel_index(np.arange(binned.states), counts)
    x, y = x + column * (counts[3] + GAP) + 0.5, y + row * (counts[2] + GAP) + 0.5
    ax = ax or plt.subplots(figsize=(7.0, 0.29 * y.max() + 1.6))[1]
    for side, bins, panels in (("x", across, panel_x), ("y", down, panel_y)):
        starts = np.arange(len(panels)) * (len(bins) + GAP)
        # The outermost edges are open, so that no number belongs there.
        edges = np.unique([1, len(bins) // 2, len(bins) - 1])
        numbers = [f"{bins.edges[edge]:.2g}".replace("-", "\N{MINUS SIGN}") for edge in edges]
        axis = ax.xaxis if side == "x" else ax.yaxis
        axis.set_ticks(np.add.outer(starts, edges).ravel(), numbers * len(panels), fontsize=9)
        axis.set_label_text(f"{bins.name} ({bins.unit})" if bins.unit else bins.name)
        scale = ax.secondary_xaxis("top") if side == "x" else ax.secondary_yaxis("right")
        words = scale.xaxis if side == "x" else scale.yaxis
        turned = {} if side == "x" else {"rotation": -90, "va": "center"}
        words.set_ticks(starts + len(bins) / 2, panels.words, fontsize=9, **turned)
        scale.tick_params(length=0)
        scale.spines[:].set_visible(False)
    ax.set(xlim=(-0.2, x.max() + 0.7), ylim=(y.max() + 0.7, -0.2), aspect="equal")
    ax.grid(False)
    ax.spines[:].set_visible(False)
    return ax, x, y


def _cells(ax: Axes, x, y, which: np.ndarray, label: str, **style) -> PatchCollection:
    corners = zip(x[which] - 0.5, y[which] - 0.5, strict=True)
    cells = PatchCollection([Rectangle(corner, 1, 1) for corner in corners], **style)
    cells.set_label(label)
    return ax.add_collection(cells)


def plot_lake(
    world: World,
    table: np.ndarray | None = None,
    *,
    named: np.ndarray | None = None,
    numbers: np.ndarray | None = None,
    ax: Axes | None = None,
) -> Axes:
    """The map of a FrozenLake, with the chosen direction of a table as an arrow on each tile.

    Each tile has the number of its state; S is the start, H a hole, G the goal. Holes and the goal
    have no arrow, as nothing is done there.

    table
        Shape (states,): the actions 0 left, 1 down, 2 right, 3 up. None draws the bare map.
    named
        Shape (states,), bool: the states that a reply named (see `TableBrain.named`). The other
        tiles are hatched, with grey arrows and a legend under the map.
    numbers
        Shape (states,): a number for each state, written under its arrow with two decimals.

    Raises ValueError for a table, named or numbers that do not have one entry for each state, and
    AttributeError or KeyError for a world without such a map.
    """
    letters = world.env.unwrapped.desc
    ice = np.isin(letters, (b"S", b"F")).ravel()
    named = np.ones(letters.size) if named is None else named
    unnamed = ice & ~np.reshape(named, letters.size).astype(bool)
    ax = ax or plt.subplots(figsize=(7.0, 0.85 * len(letters)))[1]
    _draw_tiles(ax, letters.astype(str), unnamed)
    y, x = np.unravel_index(np.flatnonzero(ice), letters.shape)
    if table is not None:
        across, up = DIRECTIONS[TablePolicy(world).check(table).astype(int)[ice]].T
        shape = {"width": 0.08, "headwidth": 3.5, "headlength": 3, "headaxislength": 3}
        shape |= {"pivot": "mid", "units": "x", "scale_units": "x", "scale": 2.2, "zorder": 3}
        ax.quiver(x, y, across, up, color=np.where(unnamed[ice], GREY, BLUE), **shape)
    if numbers is not None:
        for place in zip(x, y, np.reshape(numbers, letters.size)[ice], strict=True):
            ax.text(place[0], place[1] + 0.4, f"{place[2]:.2f}", color=DARK, ha="center", size=8)
    if unnamed.any():
        ax.figure.legend([Patch(**HATCHED, fill=False)], [UNNAMED], loc="outside lower center")
    return ax


def _draw_tiles(ax: Axes, letters: np.ndarray, unnamed: np.ndarray) -> None:
    for state, ((row, column), letter) in enumerate(np.ndenumerate(letters)):
        plain = {"facecolor": TILES[letter], "edgecolor": "white", "linewidth": 1.5}
        style = HATCHED if unnamed[state] else plain
        ax.add_patch(Rectangle((column - 0.5, row - 0.5), 1, 1, **style))
        ink = "white" if letter == "H" else DARK
        look = {"color": ink, "size": max(7, 12 - len(letters)), "va": "top"}
        number = f"{state} S" if letter == "S" else str(state)
        ax.text(column - 0.44, row - 0.42, number, **look)
        if letter in "HG":
            ax.text(column, row + 0.1, letter, color=ink, weight="bold", ha="center", va="center")
    rows, columns = letters.shape
    ax.set(xlim=(-0.5, columns - 0.5), ylim=(rows - 0.5, -0.5), aspect="equal")
    ax.set_axis_off()
