"""Draw the pictures with which the chapters open, book/figures/open-01.svg to open-14.svg.

Each from the book's own worlds, recordings and studies, and for phones a second time, as
open-01-narrow.svg. The page for the tournament's leader has open-15.svg, drawn from its own
leaderboard, and the page for players open-16.svg. Run from the root of the repository, for all or
for some:

    python book/figures/make_openings.py
    python book/figures/make_openings.py 4 11
"""

import json
import re
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from make_hero import landscape
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.lines import Line2D
from matplotlib.patches import Circle, FancyBboxPatch, Patch, Polygon, Rectangle

from propslib import CARTPOLE, Disguised, LinearPolicy, TableBrain, TablePolicy, World, chat, utils
from propslib.brain import find_recording
from propslib.run import Run
from propslib.study import load_table
from propslib.utils.draw import CAR, CAR_COLOR, GROUND, LINE, WHEELS
from propslib.utils.style import INK
from propslib.utils.table_plots import FILLS, HATCH, MARKS, PALE
from propslib.world.planning import best_table, policy_evaluation

FOLDER = Path(__file__).parent
STUDIES = Path(__file__).parents[2] / "benchmarks" / "studies"
WIDE, NARROW = 7.0, 3.56  # the page's text and a phone's, in inches of which one has 101 pixels


def save(draw: Callable[[float], None], path: Path) -> None:
    """A picture in both widths, as PATH.svg and PATH-narrow.svg."""
    for width, name in ((WIDE, ""), (NARROW, "-narrow")):
        draw(width)
        plt.savefig(f"{path}{name}.svg", dpi=160, metadata={"Date": None})
        plt.close()


def panels(width: float, count: int, height: float, **options) -> list[Axes]:
    """Axes side by side in a wide figure, and one above the other in a narrow one."""
    if width == NARROW:
        return list(plt.subplots(count, 1, figsize=(width, height * count), squeeze=False)[1].flat)
    return list(plt.subplots(1, count, figsize=(width, height), squeeze=False, **options)[1].flat)


def recorded(name: str) -> Run:
    return Run.load(find_recording(name))


def say(ax: Axes, words: str, point: tuple, offset: tuple, **style) -> None:
    """Words about a point of a map, on a light ground, some points of the page away."""
    box = {"boxstyle": "round", "facecolor": "#fdfdfd", "edgecolor": "none"}
    place = {"textcoords": "offset points", "va": "center", "color": INK, "bbox": box}
    ax.annotate(words.replace("-", "\N{MINUS SIGN}"), point, offset, **place | style)


def draw_map(ax: Axes, gains: np.ndarray, values: np.ndarray, low: float = -1500, **style) -> None:
    """A map of values from `low` to 100, without a bar."""
    shape = {"axis_labels": ("position gain", "velocity gain"), "bar": False} | style
    utils.plot_landscape(gains, gains, values, ax=ax, limits=(low, 100), **shape)


def add_bar(of: Axes, **place) -> None:
    """A thin bar that says which colour of a map is which value."""
    shape = {"label": "mean return", "ticks": [-1000, -100, 0, 100], "format": "{x:g}"}
    of.figure.colorbar(of.collections[0], **shape | place).minorticks_off()


def on_hill(x: np.ndarray) -> np.ndarray:
    """Where a position is in the picture."""
    return np.stack([100 * (np.asarray(x) + 1.2), 30 * np.sin(3 * np.asarray(x))], axis=-1)


def draw_car(ax: Axes, x: float, alpha: float = 1.0) -> None:
    place, beyond = on_hill(x), on_hill(x + 0.01)
    c, s = (beyond - place) / np.hypot(*(beyond - place))
    turn = 0.45 * np.array([[c, s], [-s, c]])
    outline = np.array(CAR) @ turn + place
    ax.add_patch(Polygon(outline, facecolor=CAR_COLOR, alpha=alpha, zorder=3))
    for wheel in np.array(WHEELS) @ turn + place:
        ax.add_patch(Circle(wheel, 3.2, facecolor=INK, alpha=alpha, zorder=3))


def draw_valley(ax: Axes, positions: np.ndarray, title: str) -> None:
    """The hill, and the car at moments with numbers: where it turned, and where it got to."""
    ax.plot(*on_hill(np.linspace(-1.2, 0.6, 200)).T, color=utils.BLUE, lw=3)
    x, y = on_hill(0.45)
    ax.plot([x, x], [y, y + 26], color="black", lw=1.5)
    ax.add_patch(Polygon([(x, y + 26), (x - 14, y + 21), (x, y + 16)], color=CAR_COLOR))
    turns = np.flatnonzero(np.diff(np.sign(np.diff(positions)))) + 1
    drawn = []
    for moment in sorted({0, *turns, positions.argmax()}, reverse=True):
        if all(abs(positions[moment] - place) > 0.18 for place in drawn):  # or they would blur
            drawn.append(positions[moment])
    for number, place in enumerate(reversed(drawn), 1):
        draw_car(ax, place, alpha=0.3 + 0.7 * (number / len(drawn)) ** 2)
        x, y = on_hill(place) + ((18, 9) if place > 0.4 else (0, 19))  # beside the flag, or above
        ax.text(x, y, number, ha="center", size=9)
    ax.set(title=title, aspect="equal", xlim=(-12, 190), ylim=(-36, 62))
    ax.axis("off")


def worlds(width: float) -> None:
    with World("MountainCarContinuous-v0") as world:
        stuck = world.episode(lambda state: [1.0], seed=0)
        swing = world.episode(lambda state: [6 * state[1] + 0.1], seed=0)
    left, right = panels(width, 2, 2.0)
    draw_valley(left, stuck.states[:, 0], "full throttle: return \N{MINUS SIGN}99.9")
    draw_valley(right, swing.states[:, 0], f"swinging: return {swing.return_:.0f}")


def policies(width: float) -> None:
    """The map of values, and three drivers on it."""
    with World("MountainCarContinuous-v0") as world:
        drivers = np.array([(0.0, 6.0, 0.0), (3.0, 3.0, 0.0), (-3.0, -3.0, 0.0)])
        earned = world.returns(LinearPolicy(world), drivers, range(20)).mean(axis=1)
    (ax,) = panels(width, 1, 3.6)
    draw_map(ax, *landscape(), bar=width == WIDE)
    if width == NARROW:
        add_bar(ax, ax=ax, location="bottom", aspect=40)
        ax.set(xticks=range(-6, 7, 3), yticks=range(-6, 7, 3))
    for (x, v, _), value in zip(drivers, earned, strict=True):
        ax.plot(x, v, "o", ms=9, color="white", mec=INK, mew=2, clip_on=False, zorder=4)
        side, end = ((12, -12), "left") if x < 2 else ((0, -18), "center")
        say(ax, f"earns {value:.0f}", (x, v), side, ha=end, size=10 if width == WIDE else 9)


def box(ax: Axes, corner: tuple, size: tuple, title: str, text: str, tone: str) -> None:
    """A box with a title and text, from its lower left corner on; sizes in inches."""
    (x, y), (width, height) = corner, size
    shape = {"boxstyle": "round,pad=0,rounding_size=0.12", "facecolor": "#fdfdfd"}
    ax.add_patch(FancyBboxPatch(corner, width, height, edgecolor=tone, lw=2, **shape))
    ax.text(x, y + height + 0.15, title, weight="bold", size=10)
    ax.text(x + 0.12, y + height - 0.17, text, color=INK, size=9, va="top", linespacing=1.5)


def brains(width: float) -> None:
    run = recorded("mountaincar-props")
    trial = run.proposals[12]
    lines = [
        f"{', '.join(f'{number:.1f}' for number in t.params)}: {t.value:.2f}"
        for t in run.proposals[4 if width == WIDE else 9 : 12]
    ]
    numbers = ", ".join(f"{number:.1f}" for number in trial.params)
    said = trial.reason if width == WIDE else trial.reason.partition(";")[0] + " …"
    reason = "\n".join(textwrap.wrap(f"“{said}”", 36 if width == WIDE else 38))
    known = "\n".join(["…", *lines]).replace("-", "\N{MINUS SIGN}")
    titles = ("what the model reads", "what it writes", "what that earns")
    there = (trial.returns > 0).sum()
    earned = f"20 episodes, {there}{{}}at the goal\nmean {trial.value:.2f}"
    texts = (known, f"{numbers}\n\n{reason}", earned.format("\n" if width == WIDE else " "))
    tones = (utils.GREY, utils.RED, utils.BLUE)
    arrow = {"arrowstyle": "-|>", "lw": 1.5, "color": utils.GREY}
    back = arrow | {"connectionstyle": "arc3,rad=-0.12"}
    if width == WIDE:
        (ax,) = panels(width, 1, 3.15)
        ax.set(xlim=(0, 7), ylim=(-0.6, 2.6))
        dots, across = (5.82, 1.15), 5
        corners = (0.05, 0.1), (2.55, 0.1), (5.6, 0.1)
        sizes = (2.1, 2.1), (2.65, 2.1), (1.3, 2.1)
        ways = [((2.17, 1.2), (2.53, 1.2), arrow), ((5.22, 1.2), (5.58, 1.2), arrow)]
        ways.append(((6.2, 0.06), (1.1, 0.06), back))
        words = (3.7, -0.46)
    else:
        (ax,) = panels(width, 1, 5.15)
        ax.set(xlim=(0, 3.5), ylim=(-0.05, 5.1))
        dots, across = (0.24, 0.46), 10
        corners = (0.05, 3.7), (0.05, 1.7), (0.05, 0.05)
        sizes = (2.8, 1.1), (2.8, 1.45), (2.8, 1.1)
        ways = [((1.9, 3.67), (1.9, 3.2), arrow), ((1.9, 1.67), (1.9, 1.2), arrow)]
        back |= {"connectionstyle": "arc3,rad=0.2"}
        ways.append(((2.87, 0.5), (2.87, 4.25), back))
        words = (3.45, 2.4)
    for corner, size, title, text, tone in zip(corners, sizes, titles, texts, tones, strict=True):
        box(ax, corner, size, title, text, tone)
    for start, end, look in ways:
        ax.annotate("", end, start, arrowprops=look)
    for k, earns in enumerate(np.sort(trial.returns)[::-1] > 0):  # an episode a dot
        place = dots[0] + 0.2 * (k % across), dots[1] - 0.22 * (k // across)
        ring = {"facecolor": utils.BLUE if earns else "#fdfdfd", "edgecolor": utils.BLUE, "lw": 1.5}
        ax.add_patch(Circle(place, 0.055, **ring))
    turned = {} if width == WIDE else {"rotation": -90, "va": "center"}
    ax.text(*words, "one more line", ha="center", size=9, **turned)
    ax.axis("off")


def draw_search(ax: Axes, run: Run) -> None:
    """The path of a run's proposals over the map of values, and the box in which they lie."""
    draw_map(ax, *landscape(67, reach=6.6))
    ax.add_patch(Rectangle((-6, -6), 12, 12, fill=False, edgecolor="white", ls=":"))
    way = np.array([trial.params[:2] for trial in run.proposals])
    ax.plot(*way[:12].T, "-o", lw=1, ms=3.5, color="white")
    ax.annotate("", way[12], way[11], arrowprops={"arrowstyle": "->", "color": utils.RED, "lw": 2})
    ax.plot(*way[12:].T, "o", ms=4.5, color=utils.RED, mec="white", mew=0.5)
    ax.set(xticks=range(-6, 7, 3), yticks=range(-6, 7, 3))
    line = {"arrowstyle": "-", "color": "white", "ls": ":", "shrinkB": 4}  # no part of the path
    for number, height in ((1, -2.3), (13, 3.8)):
        words = f"proposal {number}\nearns {run.proposals[number - 1].value:.0f}"
        place = {"textcoords": "data", "ha": "right", "ma": "center", "size": 9.5}
        say(ax, words, way[number - 1], (6.2, height), arrowprops=line, **place)


def draw_values(ax: Axes, run: Run) -> None:
    """What a run's proposals earned, a dot each, and the best so far."""
    values, color = [trial.value for trial in run.proposals], utils.look("model")["color"]
    ax.plot(range(1, 61), values, "o", ms=3.5, color=color)
    ax.step(range(1, 61), run.best_so_far[20:], where="post", lw=1.5, color=color)
    ax.text(60, 102, "best so far", ha="right", va="bottom", size=10)
    ax.set(xlabel="proposal", ylabel="value", xlim=(-1, 62), ylim=(-180, 122))
    ax.set(xticks=[1, 13, 30, 60], yticks=[-100, 0, 100])


def mountaincar(width: float) -> None:
    """A search, large, and below or beside it, small, what it earned."""
    run = recorded("mountaincar-props")
    figure = plt.figure(figsize=(width, 4.2 if width == WIDE else 5.3))
    if width == WIDE:
        shape = {"width_ratios": (5, 2), "height_ratios": (40, 1)}
        axes = figure.subplot_mosaic([["map", "values"], ["bar", "."]], **shape)
    else:
        axes = figure.subplot_mosaic([["map"], ["bar"], ["values"]], height_ratios=(40, 1, 16))
    draw_search(axes["map"], run)
    add_bar(axes["map"], cax=axes["bar"], orientation="horizontal")
    draw_values(axes["values"], run)


def links(env, up: int = 1) -> list[np.ndarray]:
    """The two ends of each link of a swimmer, or with 2 for `up` of a hopper, in metres."""
    data, model = env.unwrapped.data, env.unwrapped.model
    ends = []
    for i in np.flatnonzero(model.geom_bodyid > 0):
        half = data.geom_xmat[i].reshape(3, 3)[:, 2] * model.geom_size[i][1]
        ends.append(np.array([data.geom_xpos[i] - half, data.geom_xpos[i] + half])[:, [0, up]])
    return ends


def swimmer(width: float) -> None:
    run = recorded("swimmer-props")
    (ax,) = panels(width, 1, 3.1 if width == WIDE else 2.6)
    gap, metres = (3.6 if width == WIDE else 5.2), range(0, 17, 4)
    with World("Swimmer-v5") as world:
        policy = LinearPolicy(world)
        for row, trial in enumerate((run.proposals[0], run.best)):
            act = policy(trial.params)
            bodies = world.episode(act, seed=0, frame_every=500, frame=links).frames
            for k, body in enumerate(bodies):
                for ends, color in zip(body, (utils.RED, utils.ORANGE, utils.BLUE), strict=True):
                    line = {"lw": 4, "solid_capstyle": "round"}
                    ax.plot(ends[:, 0], ends[:, 1] - gap * row, color=color, **line)
                at = np.mean(body, axis=(0, 1))[0], 0.5 - gap * row
                ax.text(*at, f"{20 * k} s", ha="center", va="bottom", size=9)
            ax.vlines(metres, -1.4 - gap * row, 0.4 - gap * row, color="#b0b0b0", lw=0.8, alpha=0.4)
            words = f"proposal {trial.iteration}: value {trial.value:.0f}"
            ax.text(-1.4, (1.4 if width == WIDE else 2) - gap * row, words)
    ax.grid(False)
    ax.set(xlabel="metres swum in 40 seconds", aspect="equal", yticks=[], xticks=metres)
    ax.set(ylim=(-1.6 - gap, 2.2) if width == WIDE else (-1.7 - gap, 3))
    ax.spines["left"].set_visible(False)


def props_plus(width: float) -> None:
    (ax,) = panels(width, 1, 2.9)
    looks = {
        "plain": ("mountaincar-props", {"color": utils.GREY, "lw": 5, "alpha": 0.6}),
        "described": ("mountaincar-props-plus", utils.look("model, told the task") | {"lw": 2.5}),
    }
    for words, (name, look) in looks.items():
        run = recorded(name)
        best = run.best_so_far[len(run.warmup) - 1 :][:31]
        ax.step(range(len(best)), best, where="post", **look)
        rise = int(np.argmax(best > 80))
        ax.text(rise + 0.6, 45, f"{words}:\n{best[rise]:.0f} at\nproposal {rise}", va="center")
    ax.set(xlabel="proposal (0: best of 20 random points)", ylabel="best value so far")


def lake(width: float) -> None:
    naive = np.array([1, 2, 1, 0, 1, 0, 1, 0, 2, 1, 1, 0, 0, 2, 2, 0])
    with World("FrozenLake-v1") as world:
        tables = {"naive": naive, "best": best_table(world)}
        axes = plt.subplots(1, 2, figsize=(width, width / 2 + 0.3))[1]
        for ax, (name, table) in zip(axes, tables.items(), strict=True):
            utils.plot_lake(world, table, ax=ax)
            arrives = 100 * policy_evaluation(world, table).value
            what = f"{name} table: arrives" if width == WIDE else name
            ax.set_title(f"{what} {arrives:.1f} %")
            for word in ax.texts if width == NARROW else ():  # no room for the tiles' numbers
                word.set(text=word.get_text().strip("0123456789 "), size=8)


UNNAMED = {"facecolor": PALE, "edgecolor": HATCH, "hatch": "////", "lw": 0}


def draw_push(ax: Axes, corner: tuple, action: int) -> None:
    """A cell of a push: its colour and its mark."""
    ax.add_patch(Rectangle(corner, 1, 1, facecolor=FILLS[action], edgecolor="white"))
    ax.plot(corner[0] + 0.5, corner[1] + 0.5, MARKS[action], ms=6, color=INK)


def draw_pole(ax: Axes) -> None:
    """A cart whose pole leans to the right, and the two pushes."""
    ax.plot([-1.9, 1.9], [0.05, 0.05], color=utils.GREY, lw=2)
    ax.add_patch(Rectangle((-0.6, 0.1), 1.2, 0.52, facecolor="#56646f"))
    ax.plot([0, 0.7], [0.62, 3.65], color="#9aa5ad", lw=7, solid_capstyle="round")
    for action, sign in enumerate((-1, 1)):
        arrow = {"arrowstyle": "-|>", "lw": 5, "color": FILLS[action], "mutation_scale": 22}
        ax.annotate("", (sign * 1.9, 0.36), (sign * 0.65, 0.36), arrowprops=arrow)
    ax.set(
        xlim=(-1.9, 1.9), ylim=(0, 3.8), xticks=[], yticks=[], title="the task:\nkeep the pole up"
    )


def draw_slice(ax: Axes, table: np.ndarray, named: np.ndarray) -> None:
    """The part of a table that is for a slow cart in the middle: a push for each state."""
    part, known = (np.reshape(each, CARTPOLE.shape)[1, 1] for each in (table, named))
    for (row, column), action in np.ndenumerate(part):
        if known[row, column]:
            draw_push(ax, (column, row), int(action))
        else:
            ax.add_patch(Rectangle((column, row), 1, 1, **UNNAMED))
    ax.set(xlim=(0, 6), ylim=(6, 0))
    ax.set_xticks([0.9, 5.1], ["falls\nleft", "falls\nright"])
    ax.set_yticks([0.9, 5.1], ["leans\nleft", "leans\nright"])


def draw_numbers(ax: Axes, params: np.ndarray) -> None:
    """The ten numbers below the pushes, the greyer the larger, on the ground of the page."""
    with World("CartPole-v1") as world:
        inputs = ("position", "velocity", "angle", "rate")
        utils.plot_weights(LinearPolicy(world), params, inputs, ("", ""), ax)
    sizes = ax.images[0]
    greys = LinearSegmentedColormap.from_list("", [(0.35, 0.35, 0.35, k) for k in (0, 1)])
    sizes.set(data=abs(sizes.get_array()), cmap=greys, clim=(0, 4))
    for number in ax.texts:
        if number.get_color() != "white":
            number.set_color("black")  # and so light in the dark
    for action in (0, 1):
        draw_push(ax, (action - 0.5, -1.5), action)
    ax.set(ylim=(4.5, -1.5))
    ax.set_ylabel("weight of", size=10, labelpad=6)


def named_states(run: Run) -> np.ndarray:
    """Whether a reply named each state on the way to the best table."""
    with World("CartPole-v1", wrap=CARTPOLE) as world:
        policy, told = TablePolicy(world), {"description": run.config["description"]}
        brain = TableBrain(chat("recorded:cartpole-table"), policy, world, confirm=False, **told)
        brain.begin(budget=len(run.proposals), episodes=20)
        for trial in run.trials:
            brain.tell(trial)
    return brain.named


def cartpole(width: float) -> None:
    """The pole, and two policies in six rows of one height."""
    tables, run = recorded("cartpole-table"), recorded("cartpole-props")
    table, ten = tables.best, run.proposals[0]
    if width == WIDE:
        parts = [["pole", "table", "numbers"], ["key"] * 3]
        axes = plt.figure(figsize=(width, 2.9)).subplot_mosaic(parts, height_ratios=(12, 1))
    else:
        parts = [["pole", "key"], ["table", "numbers"]]
        axes = plt.figure(figsize=(width, 3.7)).subplot_mosaic(parts)
    draw_pole(axes["pole"])
    draw_slice(axes["table"], table.params, named_states(tables))
    draw_numbers(axes["numbers"], ten.params)
    axes["table"].set_title(f"a table:\n{table.value:.0f} of 500 steps")
    axes["numbers"].set_title(f"ten numbers:\n{ten.value:.0f} of 500 steps")
    for name in ("pole", "table", "numbers"):
        axes[name].title.set_size(10)
        axes[name].set_box_aspect(1.25 if name == "numbers" and width == NARROW else 1)
        axes[name].tick_params(labelsize=10, length=0)
        axes[name].grid(False)
        axes[name].spines[:].set_visible(False)
    marks = [{"marker": MARKS[k], "ms": 6, "color": INK, "ls": ""} for k in (0, 1)]
    keys = [(Patch(facecolor=FILLS[k]), Line2D([], [], **marks[k])) for k in (0, 1)]
    words = ("push left", "push right", "no push named")
    place = {"ncols": 3, "loc": "center"} if width == WIDE else {"loc": "center right"}
    axes["key"].legend([*keys, Patch(**UNNAMED)], words, **place)
    axes["key"].axis("off")


def hopper_parts(env) -> list[tuple]:
    """The hopper's torso, thigh, leg and foot: two ends, colour, width."""
    colors = (utils.RED, utils.ORANGE, utils.BLUE, utils.GREEN)
    return [(ends, color, 1) for ends, color in zip(links(env, up=2), colors, strict=True)]


def walker_parts(env) -> list[tuple]:
    """The walker's legs, the one behind in paler colours, and its hull."""
    robot = env.unwrapped
    start = robot.terrain_x[10], robot.terrain_y[10]
    ends = [[leg.GetWorldPoint((0, y)) for y in (0.55, -0.45)] for leg in robot.legs]
    ends.append([robot.hull.GetWorldPoint((x, 0)) for x in (-0.75, 0.85)])
    colors = ("#f3cf80", "#80b8d8", utils.ORANGE, utils.BLUE, utils.RED)
    looks = zip(ends, colors, (1, 1, 1, 1, 2.4), strict=True)
    return [(np.subtract(pair, start), color, width) for pair, color, width in looks]


def draw_robot(ax: Axes, parts: list[tuple], size: float, across: tuple, lw: float) -> None:
    """A robot on the ground, before a wall with a line each metre."""
    for ends, color, thick in parts:
        ax.plot(*ends.T, color=color, lw=lw * thick, solid_capstyle="round")
    ax.axhspan(-1, 0, color=LINE)
    ax.set(xlim=across, ylim=(-0.42 * size, 1.85 * size), aspect="equal", facecolor=GROUND)
    ax.set(xticks=[0, 1], xticklabels=[], yticks=[])
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)


def limits(width: float) -> None:
    """Four moments of the hopper and of the walker."""
    hopper = {"seed": 3, "frame_every": 25, "frame": hopper_parts}
    walker = {"seed": 0, "frame_every": 500, "frame": walker_parts}
    rows = (
        ("Hopper-v5", "hopper: hops", hopper, 2, 0.008, 0.3, 1),
        ("BipedalWalker-v3", "walker: only stands", walker, 0, 0.02, 0, 2),
    )
    high, lw, reach = (3.9, 6, 1) if width == WIDE else (3.5, 4.5, 0.64)
    halves = plt.figure(figsize=(width, high)).subfigures(2)
    for half, (name, does, how, first, step, middle, size) in zip(halves, rows, strict=True):
        with World(name) as world:
            run = recorded(f"{name.partition('-')[0].lower()}-props-plus")
            episode = world.episode(LinearPolicy(world)(run.best.params), **how)
        words = f"{does}, return {episode.return_:,.0f}".replace("-", "\N{MINUS SIGN}")
        half.suptitle(words, size=11, x=0.01, ha="left")
        axes, across = half.subplots(1, 4), (middle - reach * size, middle + reach * size)
        for k, ax in enumerate(axes, first):
            draw_robot(ax, episode.frames[k], size, across, lw)
            at = {"transform": ax.transAxes, "color": INK, "size": 9.5, "va": "top"}
            ax.text(0.05, 0.97, f"{episode.frame_steps[k] * step:g} s", **at)
        axes[0].plot([0, 1], [-0.05 * size] * 2, "|-", color=INK, lw=1)
        axes[0].text(0.5, -0.08 * size, "1 m", color=INK, size=9, ha="center", va="top")


def memory(width: float) -> None:
    """The car's hill, and the same hill in disguise, with a point that is good on the first."""
    with World("MountainCarContinuous-v0") as car:
        two = LinearPolicy(car, bias=False)
        turned = Disguised(car, two, seed=33, offset=2, scale=0.4, shift=10)
        known = np.array([0.0, 5.6])  # a good point of MountainCar, without a bias
        small = width == NARROW
        axes = plt.subplots(1, 2, figsize=(width, 2.85 if small else 3.9))[1]
        names = ("position gain", "velocity gain"), ("first number", "second number")
        titles = ("MountainCar", "in disguise" if small else "MountainCar in disguise")
        for ax, place, labels, title in zip(axes, (car, turned), names, titles, strict=True):
            gains = np.linspace(-6.9, 6.9, 47)  # with room for the ring
            grid = np.array([(a, b) for b in gains for a in gains])
            values = place.returns(two, grid, [0]).reshape(47, 47)
            true = values if place is car else turned.true_value(values)
            draw_map(ax, gains, true, -4000, axis_labels=labels)
            ax.set(title=title, aspect="equal", xticks=[-6, 0, 6], yticks=[-6, 0, 6])
            [earned] = place.returns(two, known, [0])
            value = earned if place is car else turned.true_value(earned)
            ring = {"ms": 9 if small else 12, "mfc": "none", "clip_on": False, "zorder": 4}
            ax.plot(*known, "o", mec="black", mew=4, **ring)
            ax.plot(*known, "o", mec="white", mew=2, **ring)
            words = f"(0, 5.6)\nearns {value:.0f}"
            beside = ((14, -8), "left") if place is car else ((-14, -8), "right")
            spot, side = ((0, -26), "center") if small else beside
            say(ax, words, known, spot, size=9 if small else 10, ha=side)
            if small:
                ax.title.set_size(10.5)
                ax.xaxis.label.set_size(9)
                ax.set_ylabel(labels[1], size=9, labelpad=-3)
        if width == WIDE:
            bar = {"shrink": 0.5, "aspect": 30}
        else:
            axes[0].figure.get_layout_engine().set(h_pad=0.12)
            bar = {"shrink": 0.75, "aspect": 22}
        bar |= {"label": "return (logarithmic below \N{MINUS SIGN}100)", "location": "bottom"}
        bar |= {"ticks": [-4000, -100, 0, 100], "format": "{x:,.0f}"}
        add_bar(axes[1], ax=axes, **bar)


def comparison(width: float) -> None:
    """What the optimisers' runs are worth after 100 proposals."""
    draw_worth(width, load_table(STUDIES / "mountaincar.jsonl"), 100)


def standing(width: float) -> None:
    """The same after 20 proposals in the wide box, with the language model."""
    recordings = {f"mountaincar-plain-{k}" for k in range(2, 7)}
    rows = load_table(STUDIES / "recorded.jsonl")
    rows = [row | {"brain": "model"} for row in rows if row["recording"] in recordings]
    draw_worth(width, rows + load_table(STUDIES / "mountaincar-wide.jsonl"), 20)


def heap(values: np.ndarray, near: float, most: float) -> np.ndarray:
    """How high each dot of sorted values is, so that those within `near` of each other are seen."""
    heights = np.zeros(len(values))
    breaks = np.flatnonzero(np.diff(values) > near) + 1
    for group in np.split(np.arange(len(values)), breaks):
        steps = np.arange(len(group))
        middle_first = (steps + 1) // 2 * np.where(steps % 2, 1, -1)  # 0, 1, -1, 2, -2 and so on
        heights[group] = middle_first * min(0.15 * most, most / len(group))
    return heights


def draw_worth(width: float, rows: list[dict], proposals: int) -> None:
    """A row for each kind of search (BIPOP is CMA-ES until it restarts), a dot for each run."""
    rows = [row for row in rows if row["proposals"] == proposals and row["brain"] != "BIPOP"]
    names = list(dict.fromkeys(row["brain"] for row in rows))
    (ax,) = panels(width, 1, (0.5 if width == WIDE else 0.52) * len(names) + 0.6)
    for y, name in enumerate(names):
        worth = np.sort([max(row["held_out"], -40) for row in rows if row["brain"] == name])
        dots = {"ms": 5, "mec": "white", "mew": 0.4, "color": utils.look(name)["color"]}
        ax.plot(worth, y - heap(worth, 1.5, 0.8 if width == WIDE else 0.5), "o", **dots)
        place = {"va": "center", "transform": ax.get_yaxis_transform()}
        place |= {"s": f"{name.replace('model', 'language model')}, {len(worth)} runs"}
        if width == WIDE:
            ax.text(-0.02, y, ha="right", **place)
        else:
            ax.text(0, y - 0.46, size=9.5, **place)
    ax.set(xlabel="mean return on fresh starts", yticks=[], ylim=(len(names) - 0.45, -0.6))
    ax.spines.left.set_visible(False)


def gradients(width: float) -> None:
    """Fifty actions of chapter 13's first policy, before it learns, on the way and at the end."""
    rng, theta, wanted = np.random.default_rng(0), 0.0, (0, 4, 100)
    grid = np.linspace(-5, 6, 300)
    axes = panels(width, len(wanted), 2.6 if width == WIDE else 1.1, sharey=True)
    for k in range(wanted[-1] + 1):
        actions = rng.normal(theta, 1, 50)
        returns = 100 - (actions - 2) ** 2
        if k in wanted:
            ax = axes[wanted.index(k)]
            ax.plot(grid, 100 - (grid - 2) ** 2, color=utils.GREY, lw=1.5)
            ax.plot(actions, returns, "o", ms=6, color=utils.BLUE, alpha=0.6, mew=0)
            ax.axvline(theta, color=utils.BLUE, lw=1, ls="--")
            bell = 64 + 14 * np.exp(-((grid - theta) ** 2) / 2)
            ax.fill_between(grid, 64, bell, color=utils.BLUE, alpha=0.4, lw=0)
            title = "before learning" if k == 0 else f"after {k} updates"
            ax.set(title=title, xlim=(-4, 6), ylim=(64, 103), xticks=range(-2, 5, 2))
            ax.set_yticks([70, 80, 90, 100] if width == WIDE else [70, 100])
            ax.title.set_size(11)
        theta += 0.05 * np.mean((actions - theta) * (returns - returns.mean()))
    axes[0].set_ylabel("return")
    axes[0].text(-3.7, 96, "actions", size=9.5, color=utils.BLUE)
    axes[0].text(1.7, 70, "policy", size=9.5, color=utils.BLUE)
    for ax in axes if width == WIDE else axes[-1:]:
        ax.set_xlabel("action")
    for ax in axes[:-1] if width == NARROW else ():
        ax.set_xticklabels([])


def draw_stages(ax: Axes, stages: list[tuple], arrows: list[tuple], across: bool) -> None:
    """Boxes (title, two lines, colour, left, bottom, width) with arrows, across a page or down."""
    high = 0.85 if across else 0.5
    for title, words, tone, x, y, wide in stages:
        face = {utils.RED: "#f6c9ad", utils.GREEN: "#bfe3d4"}.get(tone, "#fdfdfd")
        shape = {"boxstyle": "round,pad=0,rounding_size=0.1", "lw": 2, "facecolor": face}
        ax.add_patch(FancyBboxPatch((x, y), wide, high, edgecolor=tone, **shape))
        for n, line in enumerate(words.split("\n")):  # apart: browsers' letters have other widths
            at = x + wide / 2, y + high / 2 + 0.19 * (0.5 - n)
            ax.text(*at, line, ha="center", va="center", color=INK, size=10)
        place = {"ha": "center", "va": "bottom", "size": 9.5, "weight": "bold"}
        ax.text(x + wide / 2, y + high + 0.07, title, **place)
    arrow = {"arrowstyle": "-|>", "lw": 1.5, "color": utils.GREY}
    for one, other in arrows:
        (x, y, wide), (to_x, to_y, to_wide) = stages[one][3:], stages[other][3:]
        if across:  # with a gap at both ends, and arrows from two boxes apart
            aim = to_y + high / 2 + 0.2 * np.sign(y - to_y)
            ends = (to_x - 0.03, aim), (x + wide + 0.03, y + high / 2 + 0.2 * np.sign(to_y - y))
        else:
            ends = (to_x + to_wide / 2, to_y + high + 0.3), (x + wide / 2, y)
        ax.annotate("", *ends, arrowprops=arrow)
    ax.axis("off")


def language_model(width: float) -> None:
    """The way through the network: an observation comes in as a text, or as two vectors."""
    seen = ("CartPole’s state", "0.01, −0.42\n0.03, 0.58", utils.GREY)
    text = ("as a text", "x5 v4\nangle5 spin6", utils.GREY)
    vectors = ("or as two vectors", "2 × 576\nnumbers", utils.GREY)
    body = ("language model", "body: 1 block\nof 30, frozen", utils.RED)
    head = ("two layers", "the head,\ntrained", utils.GREEN)
    action = ("action", "left 12 %\nright 88 %", utils.GREY)
    if width == WIDE:
        (ax,) = panels(width, 1, 2.6)
        ax.set(xlim=(0, 7), ylim=(-0.05, 2.6))
        places = [(0.02, 0.8, 1.3), (1.55, 1.45, 1.45), (1.55, 0.0, 1.45)]
        places += [(3.24, 0.8, 1.4), (4.87, 0.8, 0.93), (6.02, 0.8, 0.95)]
    else:
        (ax,) = panels(width, 1, 4.05)
        ax.set(xlim=(0, 3.5), ylim=(-0.05, 5))
        places = [(1.05, 4.2, 1.4), (0.1, 3.15, 1.5), (1.9, 3.15, 1.5)]
        places += [(1.05, 2.1, 1.4), (1.05, 1.05, 1.4), (1.05, 0.0, 1.4)]
    boxes = zip((seen, text, vectors, body, head, action), places, strict=True)
    arrows = [(0, 1), (0, 2), (1, 3), (2, 3), (3, 4), (4, 5)]
    draw_stages(ax, [box + place for box, place in boxes], arrows, width == WIDE)


def shown_table(notebook: str, head: str) -> list[list[str]]:
    """The rows of a notebook's first table whose head begins so."""
    page = FOLDER.parents[1] / "notebooks" / notebook
    cells = json.loads(page.read_text("utf-8"))["cells"]
    outputs = (out for cell in cells for out in cell.get("outputs", []) if "data" in out)
    texts = ("".join(out["data"]["text/plain"]) for out in outputs)
    rows = next(text for text in texts if text.startswith(head)).splitlines()[1:]
    return [re.split(r"\s{2,}", row) for row in rows]


def game(width: float) -> None:
    """A try in the tournament: the third of the script that plays as long as nobody does."""
    _, *typed, value, _ = shown_table("tournament.ipynb", "proposal")[2]
    boxes = [
        ("you type", f"three numbers:\n{', '.join(typed)}", utils.GREEN),
        ("the game plays", "the car,\nfrom 20 starts", utils.GREY),
        ("you read", f"their value:\n{value}", utils.GREEN),
        ("in the end", "100 new starts\ndecide who wins", utils.GREY),
    ]
    if width == WIDE:
        (ax,) = panels(width, 1, 2)
        ax.set(xlim=(0, 7), ylim=(-0.65, 1.35))
        places = [(0.02 + 1.82 * k, 0.1, 1.5) for k in range(4)]
        back, turn, note = ((4.4, 0.1), (0.8, 0.1)), -0.2, (2.6, -0.55)
    else:
        (ax,) = panels(width, 1, 4)
        ax.set(xlim=(0, 3.5), ylim=(-0.05, 3.95))
        places = [(1.4, 3.1 - 1.03 * k, 1.7) for k in range(4)]
        back, turn, note = ((1.4, 1.3), (1.4, 3.35)), -0.4, (0.45, 2.3)
    draw_stages(
        ax,
        [box + place for box, place in zip(boxes, places, strict=True)],
        [(0, 1), (1, 2), (2, 3)],
        width == WIDE,
    )
    arrow = {"arrowstyle": "-|>", "lw": 1.5, "color": utils.GREY}
    arrow["connectionstyle"] = f"arc3,rad={turn}"
    ax.annotate("", back[1], back[0], arrowprops=arrow)
    words = "10 tries in round 1, 25 in round 2" if width == WIDE else "10 tries,\nthen 25"
    ax.text(*note, words, ha="center", va="center", size=10)


def leader(width: float) -> None:
    """Round 1 as the first leaderboard of the leader's page has it: what was seen, and is worth."""
    rows = shown_table("tournament_leader.ipynb", "place")
    (ax,) = panels(width, 1, 2.6)
    labels = [row[0] for row in rows]
    names = [label.partition(" ")[2] for label in labels]
    for y, (name, row) in enumerate(zip(names, rows, strict=True)):
        seen, mean, low, high = map(float, re.findall(r"-?\d+\.\d+", " ".join(row))[:4])
        color = utils.look(name, utils.PURPLE)["color"]
        ax.plot([low, high], [y + 0.2, y + 0.2], color=color, lw=2)
        for value, face, place in ((seen, color, y - 0.2), (mean, "white", y + 0.2)):
            ax.plot(value, place, "o", mfc=face, mec=color, ms=6, mew=1.5)
    if width != WIDE:
        labels = [label.replace(", told", ",\ntold") for label in labels]
    ax.set_yticks(range(len(rows)), labels)
    ax.set(xlabel="return", xticks=[0, 50, 100], xlim=(-12, 102), ylim=(len(rows) - 0.4, -0.6))
    ax.grid(axis="y", visible=False)


PICTURES = [
    worlds,
    policies,
    brains,
    mountaincar,
    swimmer,
    props_plus,
    lake,
    cartpole,
    limits,
    memory,
    comparison,
    standing,
    gradients,
    language_model,
    leader,
    game,
]


def main() -> None:
    """Draw all pictures or those whose chapters are named."""
    utils.use_style()
    for number in map(int, sys.argv[1:] or range(1, len(PICTURES) + 1)):
        save(PICTURES[number - 1], FOLDER / f"open-{number:02}")


if __name__ == "__main__":
    main()
