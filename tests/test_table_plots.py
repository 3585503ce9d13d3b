"""Pictures of tables: what is drawn is what the table says; arrows point where actions go."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.colors import to_hex

from propslib import CARTPOLE, HOPPER, Binned, Bins, World, utils
from propslib.utils.table_plots import FILLS, GREY

# On the lake: a table, and the states that are neither a hole nor the goal.
TABLE = [0, 3, 3, 3, 0, 0, 0, 0, 3, 1, 0, 0, 0, 2, 1, 0]
ICE = [0, 1, 2, 3, 4, 6, 8, 9, 10, 13, 14]


def of(**quantities):
    bins = [Bins(name, -1, 1, count) for name, count in quantities.items()]
    return Binned(bins, action_words=("left", "right"))


TWO = of(lean=2, rate=3)


def cells(axes, label):
    """The middles of the cells of one kind, in the order in which they were drawn."""
    (kind,) = (part for part in axes.collections if part.get_label() == label)
    return [tuple(path.get_extents().get_points().mean(axis=0)) for path in kind.get_paths()]


def marks(axes, mark):
    lines = [line for line in axes.lines if line.get_marker() == mark]
    return sorted(tuple(point) for line in lines for point in line.get_xydata().tolist())


def test_a_table_has_each_action_at_its_place():
    axes = utils.plot_table(TWO, [0, 0, 1, 0, 1, 1])
    left, right = [(0.5, 0.5), (1.5, 0.5), (0.5, 1.5)], [(2.5, 0.5), (1.5, 1.5), (2.5, 1.5)]
    assert cells(axes, "left") == left and cells(axes, "right") == right
    assert marks(axes, "<") == sorted(left) and marks(axes, ">") == sorted(right)
    fills = [to_hex(part.get_facecolor()[0]) for part in axes.collections]
    assert fills == [*FILLS[:2]] and axes.yaxis_inverted()  # the first rows on top
    assert [text.get_text() for text in axes.figure.legends[0].get_texts()] == ["left", "right"]
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("rate", "lean")
    shown = [text.get_text().replace("\N{MINUS SIGN}", "-") for text in axes.get_xticklabels()]
    assert shown == ["-0.33", "0.33"] and axes.get_xticks().tolist() == [1, 2]


def test_the_first_quantities_choose_the_panel_and_no_two_states_share_a_place():
    binned = of(place=2, speed=3, lean=2, rate=4)
    table = np.zeros(binned.states)
    table[binned.state((1, 2, 0, 3))] = 1  # lower row of panels, last of three, its upper right
    axes = utils.plot_table(binned, table)
    assert marks(axes, ">") == [pytest.approx((2 * (4 + 0.7) + 3.5, 1 * (2 + 0.7) + 0.5))]
    above, right = axes.child_axes
    for labels, bins in ((above.get_xticklabels(), 1), (right.get_yticklabels(), 0)):
        assert [text.get_text() for text in labels] == list(binned.observations[bins].words)
    axes = utils.plot_table(CARTPOLE, np.arange(324) % 2)
    assert len({*cells(axes, "push left"), *cells(axes, "push right")}) == 324


def test_states_that_no_reply_named_are_hatched_and_have_a_legend():
    named = np.array([True, False, True, True, False, True])
    axes = utils.plot_table(TWO, [0, 0, 1, 0, 1, 1], named=named)
    label = axes.figure.legends[0].get_texts()[-1].get_text()
    assert [part.get_label() for part in axes.collections if part.get_hatch()] == [label]
    assert cells(axes, label) == [(1.5, 0.5), (1.5, 1.5)]
    assert len(cells(axes, "left")) == 2 and len(cells(axes, "right")) == 2
    assert len(marks(axes, "<")) == 3  # the default is still to be seen


@pytest.mark.parametrize("most", [None, 1000])
def test_visits_colour_the_states_that_were_met(most):
    axes = utils.plot_visits(TWO, np.array([0, 1, 100, 0, 0, 7]), most=most)
    assert cells(axes, "met") == [(1.5, 0.5), (2.5, 0.5), (2.5, 1.5)]
    assert len(cells(axes, "never met")) == 3 and len(axes.figure.axes) == 2  # with its bar
    met = axes.collections[1]
    assert met.get_array().tolist() == [1, 100, 7]
    assert (met.norm.vmin, met.norm.vmax) == (1, most or 100)


@pytest.mark.parametrize(
    ("binned", "table", "named", "message"),
    [
        (TWO, np.zeros(5), None, r"size 5 into shape \(6,\)"),
        (TWO, np.zeros(6), np.ones(4), r"size 4 into shape \(6,\)"),
        (TWO, np.full(6, 2), None, "'left', 'right'"),
        (of(a=2, b=2, c=2, d=2, e=2), np.zeros(32), None, "too many values"),
        (Binned([Bins("a", 0, 1, 2), Bins("b", 0, 1, 2)]), np.zeros(4), None, "words"),
        (HOPPER, np.zeros(192), None, "up to 4 actions"),
    ],
)
def test_what_cannot_be_drawn_is_refused(binned, table, named, message):
    with pytest.raises(ValueError, match=message):
        utils.plot_table(binned, table, named=named)


def test_arrows_point_on_the_page_as_the_world_moves():
    """On ice that is not slippery, every step of every action goes where its arrow points."""
    with World("FrozenLake-v1", is_slippery=False) as world:
        for action in range(4):
            axes = utils.plot_lake(world, [action] * 16)
            (drawn,) = axes.collections
            assert drawn.angles == "uv"  # directions are of the page, whatever the axes do
            assert axes.yaxis_inverted() and not axes.xaxis_inverted()
            assert [4 * y + x for x, y in drawn.XY] == ICE
            for state, across, up in zip(ICE, drawn.U, drawn.V, strict=True):
                after = world.env.unwrapped.P[state][action][0][1]
                down, right = np.subtract(divmod(after, 4), divmod(state, 4))
                assert (right, -down) in ((across, up), (0, 0))  # at the edge one stays
        (drawn,) = utils.plot_lake(world, TABLE).collections  # each state has its own
        assert drawn.U[:3].tolist() == [-1, 0, 0] and drawn.V[:3].tolist() == [0, 1, 1]


def test_tiles_have_the_letters_of_the_map_and_numbers_on_a_lake_of_any_shape(lake):
    axes = utils.plot_lake(lake)
    assert not axes.collections and not axes.figure.legends
    written = [text.get_text() for text in axes.texts]
    assert sorted(written) == sorted(["0 S", *map(str, range(1, 16)), *"HHHH", "G"])
    colours = [to_hex(tile.get_facecolor()) for tile in axes.patches]
    assert colours[5] == colours[7] == colours[11] == colours[12] != colours[0]
    assert colours[15] not in (colours[0], colours[5])
    _, given = plt.subplots()
    with World("FrozenLake-v1", desc=["SFFH", "FHFG"], max_steps=9) as world:
        axes = utils.plot_lake(world, [1] * 8, numbers=np.arange(8) / 8, ax=given)
    assert axes is given and len(axes.patches) == 8
    assert [tuple(xy) for xy in axes.collections[0].XY] == [(0, 0), (1, 0), (2, 0), (0, 1), (2, 1)]
    written = {text.get_text(): text.get_position()[0] for text in axes.texts}
    assert written["0.75"] == 2 and "0.62" not in written  # state 6; 5 is a hole


def test_states_that_no_reply_named_are_hatched_and_said_to_be(lake):
    named = np.ones(16, dtype=bool)
    named[[2, 5, 6, 15]] = False  # 5 is a hole, 15 the goal
    axes = utils.plot_lake(lake, TABLE, named=named)
    assert [k for k, tile in enumerate(axes.patches) if tile.get_hatch()] == [2, 6]
    colours = map(to_hex, axes.collections[0].get_facecolor())
    grey = [state for state, colour in zip(ICE, colours, strict=True) if colour == GREY.lower()]
    assert grey == [2, 6] and len(axes.figure.legends) == 1
    axes = utils.plot_lake(lake, TABLE, named=np.isin(range(16), ICE))
    assert not axes.figure.legends and not any(tile.get_hatch() for tile in axes.patches)


def test_what_does_not_fit_the_map_is_refused(lake):
    wrong = {r"16 parameters; got shape \(15,\)": {"table": [0] * 15}}
    wrong |= {"from 0 to 3; got 4": {"table": [4] * 16}, "size 1 into": {"numbers": 1.0}}
    wrong |= {"size 4 into": {"named": [True] * 4}}
    for words, settings in wrong.items():
        with pytest.raises(ValueError, match=words):
            utils.plot_lake(lake, **settings)
    for other in ("CartPole-v1", "CliffWalking-v1", "Taxi-v4"):
        with pytest.raises((AttributeError, KeyError)):
            utils.plot_lake(World(other, max_steps=9))
