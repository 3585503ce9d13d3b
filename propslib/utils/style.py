"""Optional: the book's look: Matplotlib's settings, and a colour and a line for each brain."""

import sys
from pathlib import Path

import matplotlib.pyplot as plt

# Okabe and Ito's colours, which colour-blind readers can tell apart.
BLUE, ORANGE, GREEN, PURPLE = "#0072B2", "#E69F00", "#009E73", "#CC79A7"
SKY, RED, GREY, INK = "#56B4E9", "#D55E00", "#767676", "#1F2D38"
_BROWN, _INDIGO = "#8B5A2B", "#332288"

# Brains whose colours are hard to tell apart for some readers have different lines.
_BRAINS = {
    "model": (RED, "-"),
    "modeltoldthetask": (RED, (0, (6, 2))),
    "modeldisguised": (RED, (0, (3, 1, 1, 1))),
    "smallmodel": (_INDIGO, "-"),
    "you": (BLUE, "-"),
    "random": (GREY, (0, (1, 1.2))),
    "cmaes": (ORANGE, "-"),
    "bipop": (_BROWN, "-"),
    "hillclimbing": (GREEN, (0, (5, 1.5))),
    "ars": (PURPLE, (0, (3, 1, 1, 1, 1, 1))),
    "gaussianprocess": (SKY, "-"),
    "ppo": (GREEN, "-"),
    "trpo": (BLUE, (0, (5, 1.5))),
}


def look(brain: str, other: str | None = None) -> dict:
    """The colour and the line that a brain has in every plot, as arguments for Matplotlib.

    Spaces, hyphens and capitals do not matter: "CMA-ES" is "CMAES".

    other
        The colour of a brain that the book does not know.

    Raises KeyError for such a brain where there is no other colour.

    >>> look("CMA-ES")
    {'color': '#E69F00', 'linestyle': '-'}
    """
    key = "".join(filter(str.isalnum, brain.lower()))
    for word in ("recorded", "language", "search"):
        key = key.replace(word, "")
    if key not in _BRAINS and other is None:
        raise KeyError(f"No colour for the brain {brain!r}: there are {', '.join(_BRAINS)}.")
    return dict(zip(("color", "linestyle"), _BRAINS.get(key, (other, "-")), strict=True))


def use_style() -> None:
    """Set Matplotlib up for the book: one width, letters as large as the page's, sharp lines.

    In a notebook, figures are shown as SVG, whose letters stay letters.
    """
    plt.style.use(Path(__file__).with_name("book.mplstyle"))
    if "IPython" in sys.modules and sys.modules["IPython"].get_ipython() is not None:
        from matplotlib_inline.backend_inline import set_matplotlib_formats

        shape = {"bbox_inches": None, "dpi": 220, "metadata": {"Date": None}}
        set_matplotlib_formats("svg", **shape)
