"""The picture of a study shows its rows."""

import matplotlib.pyplot as plt
import numpy as np
import pytest

from propslib.utils import plot_study
from propslib.utils.stats import summary

ROWS = [
    {"brain": name, "seed": seed, "proposals": n, "best": x + n + 1, "held_out": x + n}
    for name, x0 in (("first", 0.0), ("second", -50.0))
    for seed, x in enumerate(x0 + np.array([0.0, 2.0, 3.0, 10.0]))
    for n in (5, 10, 20)
]


@pytest.mark.parametrize(("column", "shift"), [("held_out", 0), ("best", 1)])
def test_every_run_is_a_faint_line_and_the_mean_a_strong_one(column, shift):
    ax = plot_study(ROWS, column)
    lines = ax.get_lines()
    faint = [line for line in lines if (line.get_alpha() or 1) < 0.5]
    strong = [line for line in lines if line not in faint]
    assert len(faint) == 8 and [line.get_label() for line in strong] == ["first", "second"]
    np.testing.assert_array_equal(faint[3].get_xydata(), [[n, 10 + n + shift] for n in (5, 10, 20)])
    mean = [[n, 2.5 + n + shift] for n in (5, 10, 20)]
    np.testing.assert_array_equal(strong[0].get_xydata(), mean)
    assert {line.get_color() for line in faint[:4]} == {strong[0].get_color()}
    assert strong[0].get_color() != strong[1].get_color()


def test_the_band_is_the_interval_of_the_interquartile_mean():
    band = plot_study(ROWS).collections[0].get_paths()[0].vertices
    expected = {(r["proposals"], r[end]) for r in summary(ROWS)[:3] for end in ("low", "high")}
    assert expected <= {tuple(corner) for corner in band}


def test_bars_are_the_same_intervals_side_by_side():
    ax = plot_study(ROWS, bars=True)
    bars = np.array([lines.get_segments() for lines in ax.collections])  # brain, budget, end, x y
    expected = [[r["low"], r["high"]] for r in summary(ROWS)]
    np.testing.assert_allclose(bars[..., 1].reshape(-1, 2), expected)
    assert len(np.unique(bars[..., 0])) == 6
    np.testing.assert_allclose(bars[1, :, 0, 0], [5, 10, 20])


def test_a_floor_and_axes_are_as_asked():
    ax = plt.subplots()[1]
    assert plot_study(ROWS, ax=ax, floor=-20) is ax
    assert min(line.get_ydata().min() for line in ax.get_lines()) == -20
    assert [t.get_text() for t in ax.get_legend().get_texts()] == ["first", "second"]
    assert ax.get_ylabel() == "held-out return of the best point"


def test_tables_that_cannot_be_drawn_are_refused():
    with pytest.raises(KeyError, match="worst"):
        plot_study(ROWS, "worst")
    with pytest.raises(ValueError, match="2 runs or more"):
        plot_study(ROWS[:3])
