"""Optional: the picture of a table on its FrozenLake."""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Patch, Rectangle

from ..policy.table import TablePolicy
from ..world import World
from .style import BLUE, GREY
from .table_plots import HATCH, UNNAMED, one_each

TILES = {"S": "#eaf3f9", "F": "#eaf3f9", "H": "#33424f", "G": "#bfe3d4"}
INK = "#4a5a66"
HATCHED = {"facecolor": TILES["F"], "edgecolor": HATCH, "hatch": "////", "linewidth": 0}
DIRECTIONS = np.array([(-1, 0), (0, -1), (1, 0), (0, 1)])  # left, down, right, up on the page


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

    Raises ValueError for a world without such a map, and for a table, named or numbers that do not
    have one entry for each state.
    """
    letters = getattr(world.env.unwrapped, "desc", None)
    if letters is None or not np.isin(letters, [letter.encode() for letter in TILES]).all():
        raise ValueError(f"{world.env_id} has no map of S, F, H and G: plot_lake draws FrozenLake.")
    ice = np.isin(letters, (b"S", b"F")).ravel()
    named = np.ones(letters.size) if named is None else named
    unnamed = ice & ~one_each("named", named, letters.size).astype(bool)
    ax = ax or plt.subplots(figsize=(7.0, 0.85 * len(letters)))[1]
    _draw_tiles(ax, letters.astype(str), unnamed)
    y, x = np.unravel_index(np.flatnonzero(ice), letters.shape)
    if table is not None:
        across, up = DIRECTIONS[TablePolicy(world).check(table).astype(int)[ice]].T
        shape = {"width": 0.08, "headwidth": 3.5, "headlength": 3, "headaxislength": 3}
        shape |= {"pivot": "mid", "units": "x", "scale_units": "x", "scale": 2.2, "zorder": 3}
        ax.quiver(x, y, across, up, color=np.where(unnamed[ice], GREY, BLUE), **shape)
    if numbers is not None:
        for place in zip(x, y, one_each("numbers", numbers, letters.size)[ice], strict=True):
            ax.text(place[0], place[1] + 0.46, f"{place[2]:.2f}", color=INK, ha="center", size=8)
    if unnamed.any():
        ax.legend([Patch(**HATCHED)], [UNNAMED], loc="upper center", bbox_to_anchor=(0.5, 0))
    return ax


def _draw_tiles(ax: Axes, letters: np.ndarray, unnamed: np.ndarray) -> None:
    for state, ((row, column), letter) in enumerate(np.ndenumerate(letters)):
        plain = {"facecolor": TILES[letter], "edgecolor": "white", "linewidth": 1.5}
        style = HATCHED if unnamed[state] else plain
        ax.add_patch(Rectangle((column - 0.5, row - 0.5), 1, 1, **style))
        ink = "white" if letter == "H" else INK
        ax.text(column - 0.44, row - 0.42, str(state), color=ink, size=8, va="top")
        if letter == "S":
            ax.text(column + 0.42, row - 0.42, "S", color=ink, weight="bold", ha="right", va="top")
        elif letter != "F":
            ax.text(column, row, letter, color=ink, weight="bold", ha="center", va="center")
    rows, columns = letters.shape
    ax.set(xlim=(-0.5, columns - 0.5), ylim=(rows - 0.5, -0.5), xticks=[], yticks=[])
    ax.set_aspect("equal")
    ax.grid(False)
    ax.spines[:].set_visible(False)
