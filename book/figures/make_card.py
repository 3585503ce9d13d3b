"""Draw the picture that is shown where someone shares a link, book/_static/card.png.

The valley, the car at its goal, and the numbers of proposal 13 of the search mountaincar-props.
Run from the root of the repository:

    python book/figures/make_card.py
"""

from io import BytesIO
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Circle, Polygon
from PIL import Image

from propslib import Run, utils
from propslib.brain import find_recording
from propslib.utils.draw import CAR

PICTURE = Path(__file__).parents[1] / "_static" / "card.png"
PROPOSAL = 13
GOAL = 0.45
ORANGE, GREY, GROUND = "#d9771c", "#44546a", "#f7f5ef"


def to_picture(position: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """From positions of the car to pixels of the card, 1200 x 630."""
    return 40 + (position + 1.2) / 1.8 * 1120, 55 + 115 * (np.sin(3 * position) + 1)


def draw_car(ax: Axes, position: float) -> None:
    """The car on its slope."""
    (x, beyond), (y, higher) = to_picture(np.array([position, position + 0.01]))
    angle = np.arctan2(higher - y, beyond - x)
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    place = np.array([x, y])
    ax.add_patch(Polygon(1.6 * np.array(CAR) @ turn.T + place, closed=True, fc=ORANGE, zorder=3))
    for wheel in ((-13, 8), (14, 8)):
        centre = 1.6 * np.array(wheel) @ turn.T + place
        ax.add_patch(Circle(centre, 13, fc=GREY, zorder=4))


def main() -> None:
    """Draw the card and save it."""
    utils.use_style()
    trial = Run.load(find_recording("mountaincar-props")).proposals[PROPOSAL - 1]
    fig = plt.figure(figsize=(12, 6.3), dpi=100, facecolor=GROUND, layout="none")
    ax = fig.add_axes((0, 0, 1, 1))
    ax.set(xlim=(0, 1200), ylim=(0, 630))
    ax.axis("off")
    ax.plot(*to_picture(np.linspace(-1.2, 0.6, 200)), lw=9, color=utils.BLUE)
    x, y = to_picture(np.array([GOAL]))
    flag = [(x[0], y[0] + 140), (x[0] - 48, y[0] + 119), (x[0], y[0] + 98)]
    ax.plot([x[0], x[0]], [y[0], y[0] + 140], lw=5, color=GREY)
    ax.add_patch(Polygon(flag, closed=True, fc=ORANGE, ec=GREY, lw=3))
    draw_car(ax, 0.22)
    ax.text(70, 530, "Prompted Policy Search", size=50, weight="bold", color="#1f2d38")
    ax.text(70, 465, "A language model reads numbers and what they earned,", size=24, color=GREY)
    ax.text(70, 425, "and answers with the next.", size=24, color=GREY)
    numbers = "  ".join(f"{number:.1f}" for number in trial.params)
    ax.text(70, 345, numbers, size=38, family="monospace", color=utils.BLUE)
    earned = f"earn {trial.value:.2f}".replace("-", "\N{MINUS SIGN}")
    ax.text(540, 345, earned, size=30, color="#a84400")
    drawn = BytesIO()
    fig.savefig(drawn, dpi=100)
    # Few colours, so that the picture is small.
    Image.open(drawn).convert("RGB").quantize(64).save(PICTURE, optimize=True)


if __name__ == "__main__":
    main()
