"""Pictures of tables: what is drawn is what the table says."""

import numpy as np
import pytest
from matplotlib.colors import to_rgb

from propslib import CARTPOLE, HOPPER, Binned, Bins, utils
from propslib.utils.table_plots import FILLS


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
    colors = {part.get_label(): part.get_facecolor()[0, :3] for part in axes.collections}
    np.testing.assert_allclose(colors["right"], to_rgb(FILLS[1]))
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["left", "right"]
    low, high = axes.get_ylim()
    assert low > high  # the first rows on top
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("rate", "lean")
    shown = [text.get_text().replace("\N{MINUS SIGN}", "-") for text in axes.get_xticklabels()]
    assert shown == ["-0.33", "0.33"] and axes.get_xticks().tolist() == [1, 2]


def test_the_first_quantities_choose_the_panel():
    binned = of(place=2, speed=3, lean=2, rate=4)
    table = np.zeros(binned.states)
    table[binned.state((1, 2, 0, 3))] = 1  # lower row of panels, last of three, its upper right
    axes = utils.plot_table(binned, table)
    assert marks(axes, ">") == [pytest.approx((2 * (4 + 0.7) + 3.5, 1 * (2 + 0.7) + 0.5))]
    above, right = axes.child_axes
    for labels, bins in ((above.get_xticklabels(), 1), (right.get_yticklabels(), 0)):
        assert [text.get_text() for text in labels] == list(binned.observations[bins].words)


def test_states_that_no_reply_named_are_hatched_and_have_a_legend():
    named = np.array([True, False, True, True, False, True])
    axes = utils.plot_table(TWO, [0, 0, 1, 0, 1, 1], named=named)
    (hatched,) = [part for part in axes.collections if part.get_hatch()]
    assert cells(axes, hatched.get_label()) == [(1.5, 0.5), (1.5, 1.5)]
    assert len(cells(axes, "left")) == 2 and len(cells(axes, "right")) == 2
    assert axes.get_legend().get_texts()[-1].get_text() == hatched.get_label()
    assert len(marks(axes, "<")) == 3  # the default is still to be seen


def test_cartpole_has_one_cell_a_state_and_no_two_in_one_place():
    axes = utils.plot_table(CARTPOLE, np.arange(324) % 2)
    assert len({*cells(axes, "push left"), *cells(axes, "push right")}) == 324


@pytest.mark.parametrize("most", [None, 1000])
def test_visits_colour_the_states_that_were_met(most):
    axes = utils.plot_visits(TWO, np.array([0, 1, 100, 0, 0, 7]), most=most)
    assert cells(axes, "met") == [(1.5, 0.5), (2.5, 0.5), (2.5, 1.5)]
    assert len(cells(axes, "never met")) == 3 and len(axes.figure.axes) == 2  # with its bar
    (met,) = [part for part in axes.collections if part.get_label() == "met"]
    np.testing.assert_array_equal(met.get_array(), [1, 100, 7])
    assert (met.norm.vmin, met.norm.vmax) == (1, most or 100)


@pytest.mark.parametrize(
    ("binned", "table", "named", "message"),
    [
        (TWO, np.zeros(5), None, r"table needs .* 6 states, not \(5,\)"),
        (TWO, np.zeros(6), np.ones(4), r"named needs .* 6 states"),
        (TWO, np.full(6, 2), None, "'left', 'right'"),
        (of(a=2, b=2, c=2, d=2, e=2), np.zeros(32), None, "too many values"),
        (Binned([Bins("a", 0, 1, 2), Bins("b", 0, 1, 2)]), np.zeros(4), None, "words"),
        (HOPPER, np.zeros(192), None, "up to 4 actions"),
    ],
)
def test_what_cannot_be_drawn_is_refused(binned, table, named, message):
    with pytest.raises(ValueError, match=message):
        utils.plot_table(binned, table, named=named)
