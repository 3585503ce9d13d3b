"""An IPython extension: each plot that a notebook shows is drawn a second time, for phones.

The panels of a row stand below one another as far as they must, legends have as many columns as
there is room for, and long titles and labels become two lines. The letters keep their size. The
narrow drawing goes into the metadata of the output, where JupyterLab and nbval do not look.
"""

import textwrap
from math import ceil

from IPython.core import pylabtools
from IPython.core.interactiveshell import InteractiveShell
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.gridspec import GridSpec
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.legend import Legend
from matplotlib.offsetbox import VPacker

WIDTH = 4.4  # inches; a phone shows them on 358 pixels
LEAST = 1.9  # inches, for a panel
LINE = 0.22  # inches, for a line of a legend


def panels_of(figure: Figure) -> list[list[Axes]]:
    """The panels in the order of reading; one with two vertical axes has two `Axes`."""
    places: dict[tuple[int, int], list[Axes]] = {}
    for ax in figure.axes:
        spec = ax.get_subplotspec()
        if spec is not None and ax.get_label() != "<colorbar>":
            places.setdefault((spec.rowspan.start, spec.colspan.start), []).append(ax)
    return [places[place] for place in sorted(places)]


def stack(figure: Figure, panels: list[list[Axes]]) -> None:
    """As many panels in a row as have room."""
    grid = panels[0][0].get_subplotspec().get_gridspec()
    wide, high = figure.get_size_inches()
    columns = min(grid.ncols, max(1, int(WIDTH / max(LEAST, 0.7 * wide / grid.ncols))))
    rows = -(-len(panels) // columns)
    height, grown = high / grid.nrows, WIDTH / columns / (wide / grid.ncols)
    height *= min(1, max(0.8 if height > 3 else 1, grown))
    figure.set_size_inches(WIDTH, rows * min(height, 1.05 * WIDTH / columns))
    if columns == grid.ncols:
        return
    places = GridSpec(rows, columns, figure)
    firsts = [panels[k - k % grid.ncols][0] for k in range(len(panels))]
    labels = [first.get_ylabel() for first in firsts]
    for k, panel in enumerate(panels):
        left, shared = panels[k - k % columns][0], panel[0].get_shared_y_axes().joined
        if shared(panel[0], firsts[k]):
            shown = panel[0] is left or not shared(panel[0], left)
            panel[0].tick_params(labelleft=shown)
            if panel[0].get_ylabel() in ("", labels[k]):
                panel[0].set_ylabel(labels[k] if shown else "")
        for ax in panel:
            ax.set_subplotspec(places[k // columns, k % columns])


def wrap_words(figure: Figure, panels: list[list[Axes]]) -> None:
    """Titles and labels that are longer than their side of a panel, in several lines."""
    for ax in (ax for panel in panels for ax in panel):
        box = ax.get_subplotspec().get_position(figure)
        wide, high = 0.95 * box.width * figure.bbox.width, 0.95 * box.height * figure.bbox.height
        for words, side in ((ax.title, wide), (ax.xaxis.label, wide), (ax.yaxis.label, high)):
            text, shown = words.get_text(), words.get_window_extent()
            lines = ceil(max(shown.width, shown.height) / side)
            if lines > 1 and "\n" not in text:
                words.set_text(textwrap.fill(text, len(text) // lines + 4))


def fit_legends(figure: Figure) -> None:
    """Fewer columns where a legend is wider than the plot, which grows by the lines."""
    for legend in figure.findobj(Legend):
        texts = [text.get_text() for text in legend.get_texts()]
        lines = first = ceil(len(texts) / legend._ncols)
        while legend._ncols > 1 and legend.get_window_extent().width > 0.98 * figure.bbox.width:
            legend.set_ncols(legend._ncols - 1)
            pack(legend)
            lines = ceil(len(texts) / legend._ncols)
        figure.set_figheight(figure.get_figheight() + LINE * (lines - first))


def pack(legend: Legend) -> None:
    """Set a legend's entries in its columns; their marks stay as they are drawn."""
    columns = legend._legend_handle_box.get_children()
    entries = [entry for column in columns for entry in column.get_children()]
    style = {"pad": 0, "sep": columns[0].sep, "align": columns[0].align}
    rows = ceil(len(entries) / legend._ncols)
    parts = [entries[k : k + rows] for k in range(0, len(entries), rows)]
    legend._legend_handle_box._children = [VPacker(children=part, **style) for part in parts]
    legend.set_figure(legend.get_figure())


def fit_shapes(figure: Figure, panels: list[list[Axes]]) -> None:
    """As high as drawings that keep their shape need to be as wide as their panels."""
    shaped = [ax for ax, *_ in panels if ax.get_aspect() != "auto"]
    rows = panels[0][0].get_subplotspec().get_gridspec().nrows
    # A little too low: else the drawing is smaller than its place, and words get no room of it.
    for part in (0.8, 0.97, 0.97, 0.97) if shaped else ():
        figure.draw_without_rendering()
        wide, high = figure.get_size_inches()
        places = [(ax.get_position(original=True), ax.get_data_ratio()) for ax in shaped]
        missing = [part * p.width * wide * ratio - p.height * high for p, ratio in places]
        figure.set_figheight(high + rows * max(missing))


def make_narrow(figure: Figure) -> None:
    """Arrange a figure anew for a phone."""
    panels = panels_of(figure)
    stack(figure, panels)
    layout = figure.get_layout_engine()
    figure.set_layout_engine("none")  # it would fail at words that are too wide
    figure.draw_without_rendering()
    wrap_words(figure, panels)
    fit_legends(figure)
    figure.set_layout_engine(layout)
    if isinstance(layout, ConstrainedLayoutEngine):
        layout.set(hspace=0.08)  # between a label and the title below it
    fit_shapes(figure, panels)


def load_ipython_extension(shell: InteractiveShell) -> None:
    """Let the figures of this kernel bring along a narrow drawing."""
    draw = pylabtools.print_figure

    def draw_twice(figure: Figure, fmt: str = "png", **shape: object) -> object:
        wide = draw(figure, fmt=fmt, **shape)
        if fmt != "svg" or wide is None:
            return wide
        make_narrow(figure)
        return wide, {"narrow": draw(figure, fmt=fmt, **shape)}

    pylabtools.print_figure = draw_twice
