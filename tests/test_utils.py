"""What the notebooks show: films that play, plots that hold the data they are given."""

import base64
import re

import imageio.v3 as iio
import matplotlib.pyplot as plt
import numpy as np
import pytest
from recorded import load

from propslib import LinearPolicy, World, utils


@pytest.fixture(scope="module")
def episode():
    with World("MountainCarContinuous-v0", max_steps=20) as world:
        return world.episode(LinearPolicy(world)([0, 6, 0.1]), seed=0, frame_every=4)


@pytest.mark.parametrize("suffix", [".mp4", ".gif"])
def test_a_film_plays_its_frames(episode, tmp_path, suffix):
    film = utils.film(episode, alt="A car", fps=10)
    frames = iio.imread(film.save(tmp_path / f"film{suffix}"), index=None)
    assert frames.shape == (6, 400, 600, 3)
    # Compressed, a picture is not the same, but it is near: 600 x 400 mostly white.
    assert np.abs(frames[-1].astype(int) - film.frames[-1]).mean() < 3


def test_a_caption_is_given_step_state_and_return_and_stands_in_the_picture(episode):
    seen = []
    plain = utils.Film(episode.frames, fps=10, alt="")
    written = utils.film(episode, alt="", caption=lambda *given: (seen.append(given), "here")[1])
    changed = np.argwhere((plain.frames[1] != written.frames[1]).any(axis=2))
    assert len(changed) > 0 and changed[:, 0].max() < 40
    assert [step for step, _, _ in seen] == [0, 4, 8, 12, 16, 20]
    np.testing.assert_array_equal(seen[2][1], episode.states[8])
    assert seen[-1][2] == pytest.approx(episode.return_)


def test_a_film_shows_itself_with_its_alternative_text_and_always_the_same_bytes(episode):
    page, again = (utils.film(episode, alt='The "car" <swings>')._repr_html_() for _ in range(2))
    assert page.startswith('<video class="film" controls') and "data:video/mp4;base64," in page
    assert 'aria-label="The &quot;car&quot; &lt;swings&gt;"' in page and page == again


@pytest.mark.parametrize(("poster", "frame"), [(0, 0), (0.7, 4), (1, 5)])
def test_a_film_stands_still_at_its_poster(episode, poster, frame):
    film = utils.film(episode, alt="", poster=poster)
    data = re.search(r'poster="data:image/jpeg;base64,([^"]+)"', film._repr_html_())[1]
    still = iio.imread(base64.b64decode(data), extension=".jpg")
    errors = [np.abs(still.astype(int) - one).mean() for one in film.frames]
    assert np.argmin(errors) == frame


def test_the_car_is_drawn_where_it_is():
    with World("MountainCarContinuous-v0", max_steps=2) as world:
        world.env.reset(seed=0)
        middles = []
        for x in (-1.0, -0.5, 0.2):
            world.env.unwrapped.state = np.array([x, 0.0])
            picture = utils.draw_car(world.env).astype(int)
            # Below the flag, which has the same colour.
            orange = (np.abs(picture - (217, 119, 28)).sum(axis=2) < 60)[100:]
            middles.append(np.argwhere(orange)[:, 1].mean())
    expected = [20 + (x + 1.2) / 1.8 * 560 for x in (-1, -0.5, 0.2)]
    np.testing.assert_allclose(middles, expected, atol=14)


def test_a_film_without_frames_or_with_another_ending_is_refused(car, episode, tmp_path):
    odd = utils.Film([np.zeros((31, 41, 3), np.uint8)] * 2, fps=5, alt="")
    assert odd.frames[0].shape == (30, 40, 3)
    with pytest.raises(ValueError, match="frame_every=1"):
        utils.film(car.episode(lambda state: [0.0], seed=0), alt="")
    with pytest.raises(ValueError, match=r"\.mp4 or \.gif"):
        utils.film(episode, alt="").save(tmp_path / "film.avi")


def test_a_learning_curve_holds_every_trial():
    record = load("mountaincar-props")
    axes = utils.plot_run(record, floor=-150)
    points = np.concatenate([line.get_ydata() for line in axes.lines if line.get_marker() in "ov"])
    assert len(points) == 80 and points.min() == -150
    curve = next(line for line in axes.lines if line.get_drawstyle() == "steps-post")
    assert curve.get_ydata()[-1] == record.best.value
    assert "20 episodes" in axes.get_ylabel()


def test_landscapes_and_weights_are_in_place():
    values = np.array([[0.0, 1.0, 2.0], [10.0, 11.0, 12.0]])
    axes = utils.plot_landscape(np.arange(3), np.arange(2), values, axis_labels=("a", "b"))
    np.testing.assert_array_equal(axes.collections[0].get_array().reshape(2, 3), values)
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("a", "b")
    utils.mark(axes, 13, (1.0, 2.0), (10, 10))
    assert (axes.texts[0].get_text(), axes.texts[0].xy) == ("13", (1.0, 2.0))
    with World("Swimmer-v5") as world:
        policy = LinearPolicy(world)
    names = ([f"s{i}" for i in range(8)], ["a0", "a1"])
    axes = utils.plot_weights(policy, np.arange(18) / 3, *names, ax=plt.subplots()[1])
    assert [text.get_text() for text in axes.texts][:3] == ["0.0", "0.3", "0.7"]
    assert axes.get_yticklabels()[-1].get_text() == "bias"


def test_a_phase_portrait_starts_and_ends_where_the_episode_does(episode):
    axes = utils.plot_phase([episode], ["swing"])
    path, start, end = axes.lines
    np.testing.assert_array_equal(path.get_xydata(), episode.states)
    assert tuple(start.get_xydata()[0]) == tuple(episode.states[0])
    assert tuple(end.get_xydata()[0]) == tuple(episode.states[-1])


def test_a_table_shows_every_cell_as_it_is_with_numbers_at_the_right():
    shown = utils.Table([("a", 1), ("<b> & p0*x", 2.5)], ("what", ""))
    page = shown._repr_html_()
    assert (page.count("<tr>"), page.count("</td>")) == (3, 5)
    assert ">what</th><td></td>" in page and ">&lt;b&gt; &amp; p0*x</td>" in page
    assert repr(shown) == "what\na           1\n<b> & p0*x  2.5"
    with pytest.raises(ValueError, match=r"2 columns; this row not: \['b'\]"):
        utils.Table([("a", 1), ("b",)], ("what", "number"))
    rows = [("a-1", "-1.5 [-2, 3]", "-", "word " * 20), ("b", "12 %", "3", "")]
    page = utils.Table(rows, ["name", "value", "best", "reason"])._repr_html_()
    kinds = re.findall(r'<td class="(\w+)" style="text-align: (\w+)"', page)
    sides = [("text", "left"), ("number", "right"), ("number", "right"), ("words", "left")]
    assert kinds == sides * 2
    assert "\N{MINUS SIGN}1.5 [\N{MINUS SIGN}2, 3]" in page and ">a-1<" in page


def test_long_lines_are_broken_and_differences_shown():
    assert utils.wrap("one two three four\nfive", width=9) == "one two\n    three\n    four\nfive"
    assert utils.diff("a\nb\nc", "a\nB\nc\nd") == "- b\n+ B\n+ d"
    assert utils.diff("a\nb", "a\nb") == ""
