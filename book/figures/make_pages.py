"""Draw the pictures that pages of text show, in book/figures: `PICTURES` names them.

Each also for phones, as lessons-narrow.svg. Run from the root of the repository:

    python book/figures/make_pages.py
"""

import re
from functools import partial
from itertools import groupby, pairwise
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from make_openings import WIDE, save
from matplotlib.axes import Axes
from matplotlib.patches import FancyBboxPatch, Patch

from propslib import LinearPolicy, Run, World, utils
from propslib.utils.style import INK
from propslib.world.planning import best_table

FOLDER = Path(__file__).parent
PLAN = re.compile(r"^### (.+)$\n((?:(?!^##).*\n)+)", re.MULTILINE)
ROW = re.compile(r"^\| (.+?) \| (.+) \|$", re.MULTILINE)
PART = re.compile(r"\*\*(\d+)\*\* (.+?)(?: <br> |$)")
NUMBERS = re.compile(r"[Cc]hapters? ((?:\d+(?:, )?)+)")
# The last chapter of each kind of work, its name and its colour, each as light as no other.
KINDS = [
    (0, "opening, break, homework, talk", "#ffffff"),
    (2, "chapters 1, 2: car and policy", "#8cc0e8"),
    (4, "chapters 3, 4: prompt and search", "#f2b48c"),
    (9, "chapters 5 to 9: other tasks", "#d3efe4"),
    (12, "chapters 10 to 12: what it shows", "#c08bad"),
]
EDGE = {"edgecolor": utils.GREY, "linewidth": 0.6}

Piece = tuple[int, list[int]]


def piece(minutes: str, what: str) -> Piece:
    """The minutes of a row, and the chapters that it names; homework names them only in passing."""
    plain = re.sub(r"\[([^\]]+)\]\([^)]*\)", r"\1", what)
    found = [] if plain.startswith("Homework") else NUMBERS.findall(plain)
    return int(minutes), [int(number) for text in found for number in re.findall(r"\d+", text)]


def sessions(section: str) -> list[list[Piece]]:
    """The pieces of each session, out of the tables of a plan."""
    found: list[list[Piece]] = []
    for first, rest in ROW.findall(section):
        parts = PART.findall(rest)
        if first == "minutes":
            found.append([])
        elif parts:
            found.append([piece(*part) for part in parts])
        elif first.isdigit():
            found[-1].append(piece(first, rest))
    return found


def plans() -> dict[str, list[list[Piece]]]:
    """The plans of the teaching page, by their headings."""
    page = (FOLDER.parent / "teaching.md").read_text(encoding="utf-8")
    found = {title: sessions(section) for title, section in PLAN.findall(page)}
    return {title: parts for title, parts in found.items() if parts}


def named(chapters: list[int]) -> str:
    """Chapters in few signs: 4, 10 or 7–9."""
    if len(chapters) > 2:
        return f"{chapters[0]}–{chapters[-1]}"
    return ", ".join(map(str, chapters))


def halves(parts: list[Piece]) -> list[list[Piece]]:
    """An afternoon in two rows of 90 minutes, for a phone."""
    first = next(k for k in range(len(parts)) if sum(part for part, _ in parts[:k]) == 90)
    return [parts[:first], parts[first:]]


def lessons(width: float) -> None:
    wide = width == WIDE
    ax = plt.subplots(figsize=(width, 4.0 if wide else 5.4))[1]
    places, labels, y = [], [], 0.0
    ticks = range(0, (180 if wide else 90) + 1, 30)
    for title, parts in plans().items():
        if not wide and len(parts) == 1:
            title, parts = f"{title}, in two rows", halves(parts[0])
        ax.text(0, y, title, weight="bold", size=10, va="center")
        top = y + 0.5
        for number, pieces in enumerate(parts, 1):
            y += 1
            places.append(y)
            labels.append(f"session {number}" if "sessions" in title else "")
            start = 0
            for minutes, chapters in pieces:
                kinds = [next(c for last, _, c in KINDS if k <= last) for k in chapters or [0]]
                share, left = (minutes - 1) / len(kinds), start + 0.5
                for color, group in groupby(kinds):
                    part = share * len([*group])
                    ax.barh(y, part, left=left, height=0.72, color=color, **EDGE)
                    left += part
                if minutes >= 15:
                    middle = start + minutes / 2
                    words = named(chapters)
                    ax.text(middle, y, words, color=INK, size=9, ha="center", va="center")
                start += minutes
        lines = [tick for tick in ticks if tick <= start]
        ax.vlines(lines, top, y + 0.5, color=utils.GREY, lw=0.6, alpha=0.4, zorder=0)
        y += 1.3
    ax.set(xlim=(0, ticks[-1] + 1), ylim=(y - 0.6, -0.7), xticks=ticks)
    ax.set_xlabel("minutes", size=9)
    ax.set_yticks(places, labels)
    ax.tick_params(labelsize=9)
    ax.tick_params(axis="y", length=0)
    ax.grid(visible=False)
    ax.spines["left"].set_visible(False)
    marks = [
        Patch(facecolor=color, label=name, **EDGE) for _, name, color in [*KINDS[1:], KINDS[0]]
    ]
    if wide:
        ax.legend(handles=marks, loc="lower right", fontsize=9)
    else:
        ax.figure.legend(handles=marks, loc="outside upper left", fontsize=9)


STEPS = ["prompt", "reply", "parameters", "episodes", "returns"]
ONCE = ["written", "by the model", "read", "played", "earned"]
AGAIN = ["written anew", "from the log", "read anew", "played anew", "earned anew"]
NEUTRAL = "#d5dde3"
TONES = {"brain": utils.RED, "world": utils.BLUE}  # what proposes, and what answers
LINE = {"arrowstyle": "-|>", "lw": 1.5, "color": utils.GREY}


def plate(ax: Axes, center: tuple, size: tuple, tone: str, face: str = "#fdfdfd") -> None:
    """A rounded box with nothing in it."""
    (x, y), (across, high) = center, size
    shape = {"boxstyle": "round,pad=0,rounding_size=0.08", "facecolor": face, "lw": 2}
    corner = (x - across / 2, y - high / 2)
    ax.add_patch(FancyBboxPatch(corner, across, high, edgecolor=tone, **shape))


def box(
    ax: Axes, center: tuple, size: tuple, words: tuple[str, str], tone: str, letters=9, **face
) -> None:
    """A box around its name and what is done there."""
    plate(ax, center, size, tone, **face)
    x, y = center
    for line, rise, weight in zip(words, (0.1, -0.1), ("bold", "normal"), strict=True):
        ax.text(x, y + rise, line, ha="center", va="center", color=INK, size=letters, weight=weight)


def arrow(ax: Axes, start: tuple, end: tuple, **options) -> None:
    ax.annotate("", end, start, arrowprops=LINE | options)


def recording(width: float) -> None:
    """Twice the same five steps, and the log between them."""
    wide = width == WIDE
    ax = plt.subplots(figsize=(width, 2.9 if wide else 4.6))[1]
    size = (1.2, 0.5) if wide else (1.16, 0.5)
    ways = [0.62 + 1.44 * k for k in range(5)] if wide else [3.85 - 0.85 * k for k in range(5)]
    tones = [utils.GREY, TONES["brain"], utils.GREY, TONES["world"], utils.GREY]
    lanes = (2.2, 0.4) if wide else (0.6, 2.92)
    titles = ("once, with a model", "in each replay")
    log = 1.3 if wide else 1.76  # where the log is, across the lanes

    def at(way: float, lane: float) -> tuple[float, float]:
        return (way, lane) if wide else (lane, way)

    half = size[1] / 2 if wide else size[0] / 2
    for lane, does in zip(lanes, (ONCE, AGAIN), strict=True):
        for way, *words, tone in zip(ways, STEPS, does, tones, strict=True):
            logged = {"face": NEUTRAL, "tone": utils.GREY} if words[1] == "from the log" else {}
            box(ax, at(way, lane), size, tuple(words), **({"tone": tone} | logged))
        step = (size[0] if wide else -size[1]) / 2
        for before, after in pairwise(ways):
            arrow(ax, at(before + step, lane), at(after - step, lane))
    thick = 0.17
    ends = (0.02, 7.0 - 0.02) if wide else (4.15, 0.35)
    middle = (ends[0] + ends[1]) / 2
    area = (ends[1] - ends[0], 2 * thick) if wide else (2 * thick, ends[0] - ends[1])
    plate(ax, at(middle, log), area, utils.GREY, NEUTRAL)
    words = {"ha": "center", "va": "center", "color": INK, "size": 9}
    if wide:
        ax.text(middle, log, "the log: each reply, its parameters and returns", **words)
    side = [1 if lane > log else -1 for lane in lanes]
    for k in (1, 2, 4):
        arrow(ax, at(ways[k], lanes[0] - side[0] * half), at(ways[k], log + side[0] * thick))
    arrow(ax, at(ways[1], log + side[1] * thick), at(ways[1], lanes[1] - side[1] * half))
    compared = {"arrowstyle": "<|-|>", "linestyle": "--"}
    ends = at(ways[4], lanes[1] - side[1] * half), at(ways[4], log + side[1] * thick)
    arrow(ax, *ends, **compared)
    if wide:
        ax.text(ways[4] - 0.1, 0.88, "compared by the tests", ha="right", va="center", size=9)
        for lane, title in zip(lanes, titles, strict=True):
            ax.text(0.02, lane + 0.44, title, weight="bold", size=10, va="center")
        ax.set(xlim=(0, 7), ylim=(0.1, 2.8))
    else:
        for k, text in enumerate(("compared", "by the tests")):
            ax.text(2.3, ways[4] - 0.23 - 0.17 * k, text, ha="right", va="center", size=9)
        for lane, title in zip((*lanes, log), (*titles, "the log"), strict=True):
            place = {"ha": "center", "va": "center"}
            ax.text(lane, 4.38, title.replace("with ", "with\n"), weight="bold", size=9, **place)
        ax.set(xlim=(0, 3.52), ylim=(-0.05, 4.6))
    ax.axis("off")


def functions(width: float) -> None:
    """What four functions of `utils` draw, each with its name."""
    wide, high = width == WIDE, 5.35 if width == WIDE else 11.1
    places = [
        (0.85, 9.25, 2.6, 1.6),
        (0.85, 6.7, 2.6, 1.6),
        (0, 2.3, 3.5, 3.5),
        (0, 0.1, 3.5, 1.75),
    ]
    if wide:  # from the left, from below, across, high; the lower two reach to the edges
        places = [(0.85, 3.3, 2.35, 1.8), (4.55, 3.3, 2.35, 1.8)]
        places += [(0, 0.1, 2.25, 2.25), (2.48, 0.1, 4.5, 2.25)]
    figure = plt.figure(figsize=(width, high))
    figure.set_layout_engine("none")
    parts = np.divide(places, (width, high, width, high))
    axes = [figure.add_axes(part) for part in parts]
    car, run = World("MountainCarContinuous-v0"), Run.load("mountaincar-props")
    act, lake = LinearPolicy(car)(run.best.params), World("FrozenLake-v1")
    played = car.episode(act, 0, frame_every=30, frame=utils.draw_car)
    utils.plot_run(run, floor=-500, ax=axes[0])
    axes[0].set_ylabel("mean return")
    axes[1].set_prop_cycle(color=[utils.look("model")["color"]])
    utils.plot_phase([played], ["the best policy"], axes[1])
    axes[1].set(ylim=(-0.06, 0.09))
    utils.plot_lake(lake, best_table(lake), ax=axes[2])
    axes[3].imshow(played.frames[2])
    axes[3].axis("off")
    for ax, name in zip(axes, ("plot_run", "plot_phase", "plot_lake", "draw_car"), strict=True):
        ax.set_title(f"{name}()", weight="bold", size=10, loc="left")


NAMES = [("recorded:NAME", "a recording"), ("local", "a small model in Python")]
NAMES += [("openai:MODEL", "a model over the network"), ("you", "a person, at the keyboard")]
DOES = "writes the prompt\nreads the reply\nplays the episodes"


def answers(width: float) -> None:
    """The loop, and a frame around those of whom one answers."""
    wide, high = width == WIDE, 2.5 if width == WIDE else 4.5
    ax = plt.subplots(figsize=(width, high))[1]
    search = ((0.97, 1.25), (1.8, 1.2)) if wide else ((1.76, 3.88), (2.2, 1.15))
    frame = ((5.05, 1.25), (3.75, 2.4)) if wide else ((1.76, 1.37), (3.3, 2.66))
    plate(ax, *search, utils.GREY)
    lines_at(ax, search[0], "search", DOES, letters=10)
    plate(ax, *frame, TONES["brain"], "none")
    middle, top = frame[0][0], frame[0][1] + frame[1][1] / 2
    words = {"size": 10, "va": "center"}
    ax.text(middle, top - 0.2, "who answers: one of these", weight="bold", ha="center", **words)
    for k, (name, who) in enumerate(NAMES):
        if wide:
            y = top - 0.6 - 0.48 * k
            plate(ax, (middle, y), (3.45, 0.38), utils.GREY)
            ax.text(middle - 1.6, y, name, color=INK, weight="bold", **words)
            ax.text(middle - 0.3, y, who, color=INK, **words)
        else:
            y = top - 0.64 - 0.56 * k
            box(ax, (middle, y), (2.9, 0.48), (name, who), utils.GREY, letters=10)
    if wide:
        arrow(ax, (1.87, 1.4), (3.17, 1.4))
        arrow(ax, (3.17, 1.1), (1.87, 1.1))
        ax.text(2.52, 1.56, "prompt", ha="center", **words)
        ax.text(2.52, 0.93, "reply", ha="center", **words)
    else:
        arrow(ax, (1.5, 3.3), (1.5, 2.7))
        arrow(ax, (2.02, 2.7), (2.02, 3.3))
        ax.text(1.4, 3.0, "prompt", ha="right", **words)
        ax.text(2.12, 3.0, "reply", ha="left", **words)
    ax.set(xlim=(0, width - 0.04), ylim=(0, high))
    ax.axis("off")


ROOMS = {
    "utils": "shows and checks\nplots, films, statistics",
    "search.py": "the loop\nwith study.py",
    "brain": "proposes parameters\nprompts, replies,\nchats, optimisers",
    "run.py": "the record of a search\nwith read_log.py,\nwrite_log.py",
    "policy": "turns numbers into acts\nlinear, table, network",
    "world": "what a behaviour earns\nepisodes, bins,\nplanning, disguise",
}


def lines_at(ax: Axes, center: tuple, name: str, text: str, letters: float = 9) -> None:
    """A name and the lines below it, as a block around a place."""
    lines = [name, *text.split("\n")]
    for k, line in enumerate(lines):
        y = center[1] + 0.0195 * letters * ((len(lines) - 1) / 2 - k) - 0.005 * letters
        weight = "normal" if k else "bold"
        ax.text(center[0], y, line, ha="center", color=INK, size=letters, weight=weight)


def rooms(width: float) -> None:
    """The library's folders, in the order in which one imports the next."""
    wide = width == WIDE
    ax = plt.subplots(figsize=(width, 2.57 if wide else 5.8))[1]
    across, high = (1.9, 0.95) if wide else (2.7, 0.66)
    places = [(1.76, 6.5 - 0.93 * k) for k in range(6)]
    if wide:
        places = [(0.97 + 2.52 * (k % 3), 2.98 - 1.42 * (k // 3)) for k in range(6)]
    for (x, y), (name, text) in zip(places, ROOMS.items(), strict=True):
        plate(ax, (x, y), (across, high), TONES.get(name, utils.GREY))
        shown = name if ".py" in name else f"{name}/"
        lines_at(ax, (x, y), shown, text if wide else text.replace(",\n", ", "))
    for (x, y), (after, below) in pairwise(places):
        if below < y and wide:  # on to the next row
            turn, half = (y + below) / 2, high / 2
            ax.plot([x, x, after], [y - half, turn, turn], color=utils.GREY, lw=1.5)
            arrow(ax, (after, turn), (after, below + half), shrinkA=0)
            at = ((x + after) / 2, turn + 0.11)
        else:
            side = (across / 2, 0) if wide else (0, -high / 2)
            arrow(ax, (x + side[0], y + side[1]), (after - side[0], below - side[1]))
            at = ((x + after) / 2, y + 0.12) if wide else (x + 0.1, (y + below) / 2)
        ax.text(*at, "imports", ha="center" if wide else "left", va="center", size=9)
    ax.set(xlim=(0, width - 0.02), ylim=(1.03, 3.5) if wide else (1.45, 6.9))
    ax.axis("off")


ROLES = [("brain", "proposes parameters"), ("policy", "turns them into acts")]
ROLES += [("world", "says what these earn"), ("search", "joins the three")]


def nouns(width: float, here: str = "") -> None:
    """The four nouns of the library, in the ring in which a search goes round them.

    The box of the noun that a page is about is filled.
    """
    wide = width == WIDE
    ax = plt.subplots(figsize=(width, 1.9 if wide else 3.6))[1]
    line = {"color": utils.GREY, "lw": 1.5, "solid_capstyle": "butt", "solid_joinstyle": "miter"}
    if wide:
        places = [(0.86, 1.5), (3.62, 1.5), (6.1, 1.5), (3.62, 0.4)]
        turns = [([6.1, 6.1, 5.5], [1.23, 0.4, 0.4]), ([2.78, 0.86, 0.86], [0.4, 0.4, 0.8])]
        ways = [((1.7, 1.5), (2.76, 1.5)), ((4.46, 1.5), (5.24, 1.5))]
        ways += [((5.5, 0.4), (4.48, 0.4)), ((0.86, 0.8), (0.86, 1.21))]
        names, along = [(2.23, 1.64), (4.85, 1.64), (5.28, 0.54), (1.82, 0.54)], "center"
    else:
        places = [(1.0, 3.3 - k) for k in range(4)]
        turns = [([1.84, 2.9, 2.9, 2.4], [0.3, 0.3, 3.3, 3.3])]
        ways = [((1.0, 3.03 - k), (1.0, 2.59 - k)) for k in range(3)]
        ways += [((2.4, 3.3), (1.86, 3.3))]
        names, along = [*[(1.1, 2.8 - k) for k in range(3)], (3.0, 1.8)], "left"
    for turn in turns:
        ax.plot(*turn, **line)
    for way in ways:
        arrow(ax, *way, shrinkA=0)
    for at, role in zip(places, ROLES, strict=True):
        face = {"face": NEUTRAL} if role[0] == here else {}
        box(ax, at, (1.68, 0.54), role, TONES.get(role[0], utils.GREY), letters=10, **face)
    for at, name in zip(names, ("parameters", "actions", "return", "value"), strict=True):
        ax.text(*at, name, ha=along, va="center", size=10)
    ax.set(xlim=(0, width - 0.04), ylim=(0, 1.9 if wide else 3.6))
    ax.axis("off")


PICTURES = {"lessons": lessons, "recording": recording, "rooms": rooms}
PICTURES |= {"functions": functions, "answers": answers, "nouns": nouns}
PICTURES |= {f"nouns-{name}": partial(nouns, here=name) for name, _ in ROLES}


def draw(folder: Path) -> None:
    utils.use_style()
    for name, picture in PICTURES.items():
        save(picture, folder / name)


if __name__ == "__main__":
    draw(FOLDER)
