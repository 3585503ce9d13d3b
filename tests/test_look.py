"""The book's look: colours of brains, plots as parts of a page, captions, sizes of scripts."""

import re
from itertools import combinations

import formulas
import look
import matplotlib.pyplot as plt
import numpy as np
import pytest
from docutils import nodes
from matplotlib.colors import to_rgb
from pages import ROOT

from propslib import utils
from propslib.utils.style import _BRAINS

STATIC = ROOT / "book" / "_static"

# How people see who lack one kind of cones, on linear RGB: Machado, Oliveira, Fernandes (2009).
SIGHT = {
    "all cones": [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
    "no red cones": [[0.152, 1.053, -0.205], [0.115, 0.786, 0.099], [-0.004, -0.048, 1.052]],
    "no green cones": [[0.367, 0.861, -0.228], [0.280, 0.673, 0.047], [-0.012, 0.043, 0.969]],
    "no blue cones": [[1.256, -0.077, -0.179], [-0.078, 0.931, 0.148], [0.005, 0.691, 0.304]],
}


def linear_rgb(color):
    rgb = np.array(to_rgb(color))
    return np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)


def lab(color, sight):
    """A colour as it is seen, in CIELAB, where equal distances look equal."""
    linear = np.clip(np.array(sight) @ linear_rgb(color), 0, 1)
    to_xyz = [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]
    xyz = np.array(to_xyz) @ linear / [0.9505, 1, 1.089]
    f = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


@pytest.mark.parametrize("sight", SIGHT)
def test_brains_are_told_apart_by_all_eyes(sight):
    """By colour, or where two colours look alike, by the line."""
    for (one, (color, line)), (two, (other, dashes)) in combinations(_BRAINS.items(), 2):
        apart = np.linalg.norm(lab(color, SIGHT[sight]) - lab(other, SIGHT[sight]))
        assert apart > 15 or line != dashes, (one, two, apart)


def test_a_brain_is_seen_on_the_page():
    """Lines against white: 3 to 1 for those that carry a comparison alone, 1.9 for the pale."""
    for color, _ in _BRAINS.values():
        assert 1.05 / (linear_rgb(color) @ [0.2126, 0.7152, 0.0722] + 0.05) > 1.9, color


def test_a_brain_has_one_look_whatever_it_is_called():
    assert utils.look("CMA-ES") == utils.look("CMAES") == utils.look("cma-es")
    assert utils.look("RandomSearch") == utils.look("random search") == utils.look("random")
    assert utils.look("language model (recorded)") == utils.look("model")
    with pytest.raises(KeyError, match="tabu"):
        utils.look("tabu")
    assert utils.look("tabu", "C1")["color"] == "C1"


def test_the_figures_have_the_colours_of_the_plots():
    light = (STATIC / "figures" / "figures.css").read_text("utf-8").partition("html[data-theme")[0]
    found = {name: color.upper() for name, color in re.findall(r"--(\w+): (#\w+);", light)}
    shared = {name: color.upper() for name, (color, _) in _BRAINS.items() if name in found}
    assert len(shared) == 8 and shared.items() <= found.items()


def test_a_plot_takes_the_ink_and_the_font_of_its_page_and_knows_its_width(tmp_path):
    with plt.rc_context():
        utils.use_style()
        _, axes = plt.subplots(1, 2)
        axes[0].plot([0, 1], [1, 0], "--", color="black", label="a < b")
        axes[1].plot([0, 1], [1, 0], "o-", mfc="white", mec="black", **{"color": utils.RED})
        axes[0].legend()
        plt.savefig(tmp_path / "plot.svg")
    plot = look.page_plot((tmp_path / "plot.svg").read_text(encoding="utf-8"), 'Two "lines"')
    assert plot.startswith("<svg") and plot.count("<svg") == 1
    assert 'aria-label="Two &quot;lines&quot;"' in plot and 'role="img"' in plot
    assert "a &lt; b" in plot  # letters are letters
    assert not re.search("font-family|<style|<metadata", plot)
    assert re.search(r'"[^"]*dash[^"]*stroke: currentColor', plot)  # dashed lines, too
    assert plot.count("stroke: currentColor") > 8 and utils.RED.lower() in plot
    assert (plot.count("fill: #ffffff"), plot.count("fill: var(--pst-color-background)")) == (0, 2)
    assert 'style="--full: 704px"' in plot  # seven inches are as wide as the page's text
    assert not re.findall(r'id="(?:figure|axes|patch|line2d|text)_\d+"', plot)


@pytest.mark.parametrize("inside", ["none", "white", utils.GREY])
def test_a_black_edge_takes_the_ink_of_the_page_whatever_it_holds(tmp_path, inside):
    ax = plt.subplots()[1]
    ax.plot([0, 1], [1, 0], "D", mfc=inside, mec="black", ms=8)
    plt.savefig(tmp_path / "plot.svg")
    plot = look.page_plot((tmp_path / "plot.svg").read_text(encoding="utf-8"), "Diamonds")
    assert "stroke: #000000" not in plot


def test_a_line_in_italics_below_a_picture_is_its_caption_and_goals_are_found():
    picture = nodes.paragraph("", "", nodes.image(uri="a.svg", alt="A"))
    caption = nodes.paragraph("", "", nodes.Text(""), nodes.emphasis("", "One step."))
    prose = nodes.paragraph("", "", nodes.emphasis("", "No"), nodes.Text(" caption."))
    still = nodes.paragraph("", "", nodes.emphasis("", "In JupyterLab this is a still."))
    assert look.is_picture(picture) and not look.is_picture(prose)
    assert [look.is_caption(node) for node in (caption, prose, still)] == [True, False, False]
    goals, role = (nodes.paragraph("", "", nodes.strong("", word)) for word in ("Goals", "Role"))
    assert look.is_goals(goals) and not look.is_goals(role)


def test_a_caption_of_a_live_figure_belongs_to_the_whole():
    start, end = (nodes.raw("", text) for text in ('<div class="props-figure">', "</div>"))
    inner = nodes.paragraph("", "", nodes.image(uri="a.png"))
    nodes.section("", start, inner, end)
    assert look.is_picture(end) and look.opening(end) is start and look.opening(inner) is inner
    assert look.following(inner) is end and look.following(end) is None


def test_the_scripts_stay_small():
    """2,200 lines, and 200 for each of five later figures."""
    scripts = [*STATIC.glob("*.js"), *(STATIC / "figures").glob("*.js")]
    text = "\n".join(path.read_text(encoding="utf-8") for path in scripts)
    code = re.findall(r"^ *(?!//)\S", re.sub(r"(?s)/\*.*?\*/", "", text), re.MULTILINE)
    assert len(code) <= 3200
    assert [path.name for path in scripts if path.stat().st_size > 60_000] == []


def test_signs_of_a_formula_have_the_spaces_that_latex_gives_them():
    for tex in ("b = -1", "(-1, 1)", r"1,\; -1", "-1", r"x \approx -1", "a - 1", "f(a) - 1"):
        assert ('form="prefix"' in formulas.mathml(tex)) == ("- 1" not in tex), tex
    for tex, room in ((r"\cos(3x)", "0"), (r"2\cos 3x", "0.167em")):
        assert f'<mo lspace="{room}" rspace="{room}">cos' in formulas.mathml(tex)


def test_text_that_was_wrapped_is_joined_and_other_lines_are_left():
    text = "a reason of many half-baked words, which goes on and on " * 8
    assert look.joined(utils.wrap(f"one: {text}")) == f"one: {text}".rstrip()
    for table in ("name\n    1 2\n    3 4", "x" * 90 + "\n    y"):
        assert look.joined(table) == table


def test_an_interval_may_stand_below_its_figure_and_a_word_may_break():
    halves = '<span class="whole">{}</span> <span class="whole">{}</span>'
    pairs = [("12 [3, 4]", ("12", "[3, 4]")), ("0.7 ± 0.1", ("0.7", "± 0.1"))]
    for text, parts in pairs:
        assert halves.format(*parts) in look.in_class('number">', text)
    assert "whole" not in look.in_class('text">', "hill climbing (two steps, or three of them)")
    assert [look.room(text) for text in ("1 of 20", "never", "x" * 61)] == [
        *("figures", "term", "sentence")
    ]


def test_a_long_signature_has_a_line_for_each_parameter_and_no_list():
    entries = "".join(f'<dd><em class="sig-param">{name}</em>, </dd>\n' for name in "ab")
    context = {"body": f"f(<dl>\n{entries}</dl>)"}
    look.parameters_in_lines(None, "page", "page.html", context, None)
    lines = [f'<span><em class="sig-param">{name}</em>, </span>\n' for name in "ab"]
    assert context["body"] == f'f(<span class="lines">{"".join(lines)}</span>)'
