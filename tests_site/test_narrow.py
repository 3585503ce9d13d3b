"""The drawings for phones: panels below one another, with their scales, and legends that fit."""

import json
from pathlib import Path

import matplotlib.pyplot as plt
import narrow
import numpy as np
import pytest
from matplotlib.lines import Line2D

from propslib import utils

NOTEBOOKS = sorted((Path(__file__).parents[1] / "notebooks").glob("*.ipynb"))
SVG = "image/svg+xml"


@pytest.fixture(autouse=True)
def style():
    with plt.rc_context():
        utils.use_style()
        yield
    plt.close("all")


def test_panels_in_a_row_stand_below_one_another_each_with_the_scale():
    figure, axes = plt.subplots(1, 2, figsize=(7, 3), sharey=True)
    axes[0].set_ylabel("value")
    narrow.make_narrow(figure)
    figure.draw_without_rendering()
    first, second = (ax.get_window_extent() for ax in axes)
    assert second.y1 < first.y0 and first.x0 == pytest.approx(second.x0)
    assert [ax.get_ylabel() for ax in axes] == ["value", "value"]
    assert axes[1].yaxis.get_tick_params()["labelleft"]
    assert figure.get_figwidth() == narrow.WIDTH
    figure, axes = plt.subplots(1, 2, figsize=(7, 3), sharey=True)
    for ax, label in zip(axes, ("seen", "worth"), strict=True):
        ax.set_ylabel(label)
    narrow.make_narrow(figure)
    assert [ax.get_ylabel() for ax in axes] == ["seen", "worth"]


def test_many_small_panels_stand_in_pairs_and_rows_stay_rows():
    figure, axes = plt.subplots(1, 5, figsize=(8.5, 3), sharey=True)
    narrow.make_narrow(figure)
    figure.draw_without_rendering()
    places = [ax.get_subplotspec() for ax in axes]
    assert [(p.rowspan.start, p.colspan.start) for p in places] == [
        (0, 0), (0, 1), (1, 0), (1, 1), (2, 0)
    ]  # fmt: skip
    figure, axes = plt.subplots(3, 1, figsize=(7, 5))
    narrow.make_narrow(figure)
    assert [ax.get_subplotspec().rowspan.start for ax in axes] == [0, 1, 2]


def test_a_panel_has_the_scale_where_its_left_neighbour_has_another():
    for shared, shown in ((True, "yes no yes no yes no"), ("row", "yes no yes yes yes no")):
        figure, grid = plt.subplots(2, 3, figsize=(8.5, 5), sharey=shared)
        for ax in grid[:, 0]:
            ax.set_ylabel("value")
        narrow.make_narrow(figure)
        for ax, wanted in zip(grid.flat, shown.split(), strict=True):
            assert ax.yaxis.get_tick_params()["labelleft"] == (wanted == "yes")
            assert ax.get_ylabel() == ("value" if wanted == "yes" else "")


def test_a_legend_that_is_too_wide_gets_fewer_columns_and_the_plot_grows():
    figure, ax = plt.subplots(figsize=(7, 3))
    for name in "abc":
        ax.plot([0, 1], label=f"a rather long name of a line {name}")
    legend = figure.legend(loc="outside upper center", ncols=3)
    narrow.make_narrow(figure)
    figure.draw_without_rendering()
    shown = legend.get_window_extent()
    assert shown.x0 >= 0 and shown.x1 <= figure.bbox.x1 and shown.y1 <= figure.bbox.y1
    assert shown.y0 > ax.get_window_extent().y1
    assert figure.get_figheight() > 3


def test_a_legend_that_gets_fewer_columns_keeps_its_title_and_no_empty_line():
    high = []
    for title in ("", "seeds"):
        figure, ax = plt.subplots(figsize=(7, 3))
        for name in "abc":
            ax.plot([0, 1], label=f"a rather long name of a line {name}")
        legend = figure.legend(loc="outside upper center", ncols=3, title=title or None)
        narrow.make_narrow(figure)
        figure.draw_without_rendering()
        assert legend.get_title().get_text() == title
        high.append(legend.get_window_extent().height)
    assert high[0] < high[1] - 10


def test_a_title_is_clear_of_the_label_above_it():
    figure, axes = plt.subplots(1, 2, figsize=(7, 3))
    for ax in axes:
        ax.set(xlabel="proposal", title="all values")
    narrow.make_narrow(figure)
    figure.draw_without_rendering()
    label, title = axes[0].xaxis.label.get_window_extent(), axes[1].title.get_window_extent()
    assert label.y0 - title.y1 > 10


def test_the_marks_of_a_legend_stay_when_its_columns_change():
    figure, ax = plt.subplots(figsize=(7, 3))
    cell, arrow = ax.bar(0, 1), ax.plot([0, 1], "<")[0]
    names = [f"a cell with an arrow, number {k}" for k in range(3)]
    legend = figure.legend([(cell, arrow)] * 3, names, ncols=3, loc="outside lower center")
    before = len(legend.findobj(Line2D))
    narrow.make_narrow(figure)
    figure.draw_without_rendering()
    assert legend._ncols == 1 and len(legend.findobj(Line2D)) == before == 3
    assert [text.get_text() for text in legend.get_texts()] == names


def test_a_drawing_that_keeps_its_shape_is_as_wide_as_its_panel():
    for shape in ((10, 10), (4, 12), (9, 6)):
        figure, axes = plt.subplots(1, 2, figsize=(7, 3))
        for ax in axes:
            ax.imshow(np.zeros(shape))
            ax.set(title="a map", xlabel="across")
        figure.legend([axes[0].patch], ["a tile"], loc="outside lower center")
        narrow.make_narrow(figure)
        figure.draw_without_rendering()
        for ax in axes:
            assert ax.title.get_window_extent().y1 < figure.bbox.y1
            place, shown = ax.get_position(original=True), ax.get_position()
            assert shown.width > 0.95 * place.width and shown.height > 0.95 * place.height


def test_a_long_label_becomes_two_lines_and_a_short_one_stays():
    figure, ax = plt.subplots()
    ax.set(xlabel="policies evaluated", ylabel="value (mean return of 20 episodes on new starts)")
    narrow.make_narrow(figure)
    assert ax.get_xlabel() == "policies evaluated" and ax.get_ylabel().count("\n") == 1


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
def test_every_plot_of_a_notebook_has_a_narrow_copy(path):
    """`make outputs NOTEBOOKS=...` draws it."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    plots = [out for cell in cells for out in cell.get("outputs", ()) if SVG in out.get("data", ())]
    assert all("</svg>" in out["metadata"].get(SVG, {}).get("narrow", "") for out in plots)
