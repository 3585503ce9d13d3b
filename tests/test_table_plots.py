"""Pictures of tables: what is drawn is what the table says."""

import matplotlib.pyplot as plt
import numpy as np
import pytest

from propslib import CARTPOLE, HOPPER, Binned, Bins, utils
from propslib.utils.table_plots import FILLS


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


def two(**quantities):
    bins = [Bins(name, -1, 1, count) for name, count in quantities.items()]
    return Binned(bins, action_words=("left", "right"))


def cells(axes, label):
    """The middles of the cells of one kind, in the order in which they were drawn."""
    kind = [part for part in axes.collections if part.get_label() == label]
    return [
        tuple(path.get_extents().get_points().mean(axis=0))
        for part in kind
        for path in part.get_paths()
    ]


def marks(axes, mark):
    lines = [line for line in axes.lines if line.get_marker() == mark]
    return sorted(tuple(point) for line in lines for point in line.get_xydata().tolist())


def test_a_table_has_each_action_at_its_place():
    axes = utils.plot_table(two(lean=2, rate=3), [0, 0, 1, 0, 1, 1])
    left, right = [(0.5, 0.5), (1.5, 0.5), (0.5, 1.5)], [(2.5, 0.5), (1.5, 1.5), (2.5, 1.5)]
    assert cells(axes, "left") == left and cells(axes, "right") == right
    assert marks(axes, "<") == sorted(left) and marks(axes, ">") == sorted(right)
    colors = {part.get_label(): part.get_facecolor()[0, :3] for part in axes.collections}
    np.testing.assert_allclose(colors["right"], plt.matplotlib.colors.to_rgb(FILLS[1]))
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["left", "right"]


def test_the_page_shows_the_first_rows_on_top_and_names_its_scales():
    axes = utils.plot_table(two(lean=2, rate=3), np.zeros(6))
    low, high = axes.get_ylim()
    assert low > high
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("rate", "lean")
    shown = [text.get_text().replace("\N{MINUS SIGN}", "-") for text in axes.get_xticklabels()]
    assert shown == ["-0.33", "0.33"] and axes.get_xticks().tolist() == [1, 2]


def test_the_first_quantities_choose_the_panel():
    binned = two(place=2, speed=3, lean=2, rate=4)
    table = np.zeros(binned.states)
    table[binned.state((1, 2, 0, 3))] = 1  # lower row of panels, last of three, its upper right
    axes = utils.plot_table(binned, table)
    ((x, y),) = marks(axes, ">")
    assert x == pytest.approx(2 * (4 + 0.7) + 3.5) and y == pytest.approx(1 * (2 + 0.7) + 0.5)
    panels = [
        [text.get_text() for text in labels]
        for scale in axes.child_axes
        for labels in (scale.get_xticklabels(), scale.get_yticklabels())
    ]
    words = [list(bins.words) for bins in binned.observations]
    assert words[1] in panels and words[0] in panels


def test_states_that_no_reply_named_are_hatched_and_have_a_legend():
    named = np.array([True, False, True, True, False, True])
    axes = utils.plot_table(two(lean=2, rate=3), [0, 0, 1, 0, 1, 1], named=named)
    (hatched,) = [part for part in axes.collections if part.get_hatch()]
    assert cells(axes, hatched.get_label()) == [(1.5, 0.5), (1.5, 1.5)]
    assert len(cells(axes, "left")) == 2 and len(cells(axes, "right")) == 2
    assert axes.get_legend().get_texts()[-1].get_text() == "never named by a reply"
    assert len(marks(axes, "<")) == 3  # the default is still to be seen


def test_cartpole_has_one_cell_a_state_and_no_two_in_one_place():
    axes = utils.plot_table(CARTPOLE, np.arange(324) % 2)
    places = cells(axes, "push left") + cells(axes, "push right")
    assert len(set(places)) == 324


def test_visits_colour_the_states_that_were_met():
    visits = np.array([0, 1, 100, 0, 0, 7])
    axes = utils.plot_visits(two(lean=2, rate=3), visits, bar=False)
    assert cells(axes, "met") == [(1.5, 0.5), (2.5, 0.5), (2.5, 1.5)]
    assert len(cells(axes, "never met")) == 3
    (met,) = [part for part in axes.collections if part.get_label() == "met"]
    np.testing.assert_array_equal(met.get_array(), [1, 100, 7])
    assert (met.norm.vmin, met.norm.vmax) == (1, 100)


def test_two_pictures_of_visits_can_share_a_scale():
    axes = utils.plot_visits(two(lean=2, rate=3), [0, 1, 9, 0, 0, 0], most=1000)
    (met,) = [part for part in axes.collections if part.get_label() == "met"]
    assert met.norm.vmax == 1000 and len(axes.figure.axes) == 2


@pytest.mark.parametrize(
    ("binned", "table", "named", "message"),
    [
        (two(lean=2, rate=3), np.zeros(5), None, r"table needs .* 6 states; got shape \(5,\)"),
        (two(lean=2, rate=3), np.zeros(6), np.ones(4), r"named needs .* 6 states"),
        (two(lean=2, rate=3), np.full(6, 2), None, "numbers 0 to 1"),
        (two(lean=2, rate=1), np.zeros(2), None, "2 to 4 quantities with bins; got 1"),
        (Binned([Bins("a", 0, 1, 2), Bins("b", 0, 1, 2)]), np.zeros(4), None, "0 words"),
        (HOPPER, np.zeros(192), None, "27 words"),
    ],
)
def test_what_cannot_be_drawn_is_refused(binned, table, named, message):
    with pytest.raises(ValueError, match=message):
        utils.plot_table(binned, table, named=named)


def test_no_visits_at_all_are_refused():
    with pytest.raises(ValueError, match="No state was met"):
        utils.plot_visits(two(lean=2, rate=3), np.zeros(6))
