"""What the notebooks show: films that play, pictures of tasks, plots that hold their data."""

import base64
import re

import imageio.v3 as iio
import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.colors import to_rgb
from recorded import load

from propslib import LinearPolicy, World, utils
from propslib.utils.draw import CAR_COLOR


@pytest.fixture(scope="module")
def episode():
    with World("MountainCarContinuous-v0", max_steps=20) as world:
        return world.episode(LinearPolicy(world)([0, 6, 0.1]), seed=0, frame_every=4)


@pytest.mark.parametrize("suffix", [".mp4", ".gif"])
def test_a_film_plays_its_frames(episode, tmp_path, suffix):
    film = utils.film(episode, alt="A car", fps=10)
    frames = iio.imread(film.save(tmp_path / f"film{suffix}"), index=None)
    assert frames.shape == (6, 400, 600, 3)
    assert np.abs(frames[-1].astype(int) - film.frames[-1]).mean() < 3  # it is compressed


def test_a_caption_is_given_step_state_and_return_and_stands_in_the_picture(episode):
    seen = []
    plain = utils.Film(episode.frames, fps=10, alt="")
    written = utils.film(episode, alt="", caption=lambda *given: (seen.append(given), "here")[1])
    changed = np.argwhere((plain.frames[1] != written.frames[1]).any(axis=2))
    assert len(changed) > 0 and changed[:, 0].max() < 40
    steps, states, totals = zip(*seen, strict=True)
    assert steps == (0, 4, 8, 12, 16, 20)
    np.testing.assert_array_equal(states, episode.states[::4])
    assert totals == pytest.approx([episode.rewards[:step].sum() for step in steps])


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


def test_a_film_without_frames_or_with_another_ending_is_refused(car, episode, tmp_path):
    odd = utils.Film([np.zeros((31, 41, 3), np.uint8)] * 2, fps=5, alt="")
    assert odd.frames[0].shape == (30, 40, 3)
    with pytest.raises(ValueError, match="frame_every=1"):
        utils.film(car.episode(lambda state: [0.0], seed=0), alt="")
    with pytest.raises(ValueError, match=r"\.mp4 or \.gif"):
        utils.film(episode, alt="").save(tmp_path / "film.avi")


def place(picture, color):
    """Rows and columns, (points, 2), at which a picture has a colour."""
    return np.argwhere(np.abs(picture / 255 - to_rgb(color)).max(axis=2) < 0.12)


def middle(picture, color):
    return place(picture, color).mean(axis=0)


def test_the_car_is_drawn_where_it_is(car):
    car.env.reset(seed=0)
    for x in (-1.0, -0.5, 0.2):
        car.env.unwrapped.state = np.array([x, 0.0])
        below_flag = utils.draw_car(car.env)[150:]  # which has the same colour
        across = 30 + (x + 1.2) / 1.8 * 840
        assert middle(below_flag, CAR_COLOR)[1] == pytest.approx(across, abs=21)


@pytest.fixture(scope="module")
def hopper():
    with World("Hopper-v5") as world:
        yield world


def test_the_swimmer_is_drawn_where_it_is():
    with World("Swimmer-v5", max_steps=8) as world:
        episode = world.episode(lambda s: [1, -1], 0, frame_every=8, frame=utils.draw_swimmer)
        first, last = episode.frames
    assert first.shape == (360, 720, 3) and first.dtype == np.uint8
    # At rest the three links lie along the middle of the picture, head to the right.
    head, tail = middle(first, utils.RED), middle(first, utils.BLUE)
    assert head[1] > tail[1] + 120 and abs(head[0] - 180) < 22.5
    assert not np.array_equal(first, last)


def test_the_hopper_stands_on_the_ground(hopper):
    hopper.env.reset(seed=0)
    picture = utils.draw_hopper(hopper.env)
    assert picture.shape == (480, 540, 3) and picture.dtype == np.uint8
    parts = [middle(picture, c) for c in (utils.RED, utils.ORANGE, utils.BLUE, utils.GREEN)]
    rows, columns = np.transpose(parts)
    assert (np.diff(rows) > 0).all()  # torso, thigh, leg, foot, from above
    assert np.ptp(columns[:3]) < 7.5 and columns[3] > columns[2]  # the toe points to the right
    # The torso's middle is at 1.25 m and its top 0.25 m higher; a metre is 480 / 2.1 pixels.
    top = place(picture, utils.RED)[:, 0].min()
    assert top == pytest.approx(0.88 * 480 - 1.5 * 480 / 2.1, abs=2)


def test_the_picture_follows_the_hopper_and_shows_its_pose(hopper):
    hopper.env.reset(seed=0)
    bare = hopper.env.unwrapped
    pose = bare.data.qpos.copy()
    for x, knee in ((0.0, 0.0), (7.0, 0.0), (7.0, -1.0)):
        pose[[0, 4]] = x, knee
        bare.set_state(pose, np.zeros(6))
        picture = utils.draw_hopper(hopper.env)
        assert middle(picture, utils.RED)[1] == pytest.approx(270, abs=4)
        foot = middle(picture, utils.GREEN)[1] - 270
        assert foot > 0 if knee == 0 else foot < -45  # a bent knee draws the foot back


def test_a_learning_curve_holds_every_trial():
    record = load("mountaincar-props")
    axes = utils.plot_run(record, floor=-150)
    *points, curve = axes.lines
    points = np.concatenate([line.get_ydata() for line in points])
    assert len(points) == 80 and points.min() == -150
    assert curve.get_drawstyle() == "steps-post" and curve.get_ydata()[-1] == record.best.value
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
    drawn = utils.plot_phase([episode], ["swing"]).lines
    for line, states in zip(drawn, (slice(None), slice(1), slice(-1, None)), strict=True):
        np.testing.assert_array_equal(line.get_xydata(), episode.states[states])


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
