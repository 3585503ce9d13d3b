"""Draw the book's opening picture, book/_static/hero.png, from the search mountaincar-props.

Left, the path of the proposals on the landscape of returns; right, the learning curve with what
the model wrote at proposal 13. Run from the root of the repository:

    python book/figures/make_hero.py
"""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes

from propslib import LinearPolicy, Run, World, utils
from propslib.brain import find_recording

PICTURE = Path(__file__).parents[1] / "_static" / "hero.png"
TURNING_POINTS = (1, 8, 13)
QUOTES = ("continuous mountain car", "pump energy cheaply", "and reach the goal")
WHITE_EDGE = {"color": "white", "mec": "black", "mew": 0.6}


def landscape(
    points: int = 61, episodes: int = 3, reach: float = 6
) -> tuple[np.ndarray, np.ndarray]:
    """Gains of shape (points,), and values of shape (velocity gains, position gains) at bias 0."""
    with World("MountainCarContinuous-v0") as world:
        policy = LinearPolicy(world)
        gains = np.linspace(-reach, reach, points)
        grid = np.array([(x, y, 0.0) for y in gains for x in gains])
        values = world.returns(policy, grid, range(episodes)).mean(axis=1)
    return gains, values.reshape(points, points)


def draw_path(run: Run, ax: Axes) -> None:
    """The proposals, joined in order, over the landscape."""
    gains, values = landscape()
    names = ("position gain", "velocity gain")
    utils.plot_landscape(
        gains, gains, values, ax=ax, axis_labels=names, limits=(-1500, 100), bar=False
    )
    path = np.array([trial.params[:2] for trial in run.proposals])
    ax.plot(*path.T, "-o", lw=1.6, ms=6, **WHITE_EDGE)
    for k, offset in zip(TURNING_POINTS, [(34, 26), (-34, 4), (52, -30)], strict=True):
        utils.mark(ax, k, path[k - 1], offset)
    ax.set(xlim=(-6, 6), ylim=(-6.3, 6.3), title="60 proposals on the landscape")


def draw_curve(run: Run, ax: Axes) -> None:
    """The value of every trial, the best so far, and what the model wrote at the jump."""
    utils.plot_run(run, ax=ax, floor=-150)
    ax.get_legend().remove()
    jump = run.proposals[TURNING_POINTS[-1] - 1]
    missing = [quote for quote in QUOTES if quote not in jump.reason]
    if missing:
        raise ValueError(f"The reason at proposal {jump.iteration} does not say {missing}.")
    for k, offset in zip(TURNING_POINTS, [(-34, 40), (4, 42), (-44, -10)], strict=True):
        utils.mark(ax, k, (len(run.warmup) + k, run.proposals[k - 1].value), offset)
    words = "“… {} …\n… {}\n{}”".format(*QUOTES)
    ax.text(35, -35, words, color="#a84400", style="italic", va="top", linespacing=1.25)
    ax.text(35, -106, "the model's reason\nat proposal 13", va="top", color="#444444")
    ax.text(4, -138, "warm-up", color="#555555")
    ax.text(80, 50, "proposals, best so far", color=utils.BLUE, ha="right")
    ax.set(xlabel="policies evaluated", ylabel="mean return of 20 episodes", ylim=(-158, 112))
    ax.set_title("… and what they earned")


def main() -> None:
    """Draw both halves and save them."""
    utils.use_style()
    plt.rcParams.update({"font.size": 18, "axes.titlesize": 19})
    run = Run.load(find_recording("mountaincar-props"))
    fig, (left, right) = plt.subplots(
        1, 2, figsize=(14, 5.6), dpi=100, width_ratios=(5, 7), facecolor="white"
    )
    draw_path(run, left)
    draw_curve(run, right)
    fig.savefig(PICTURE, dpi=100, metadata={"Software": None})


if __name__ == "__main__":
    main()
