"""The book's look: colours that colour-blind readers can tell apart, and Matplotlib's settings."""

from __future__ import annotations

import matplotlib.pyplot as plt

BLUE, ORANGE, GREEN, PURPLE, SKY, RED = (
    "#0072B2",
    "#E69F00",
    "#009E73",
    "#CC79A7",
    "#56B4E9",
    "#D55E00",
)
GREY = "#8a8a8a"


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
