"""Pictures of robots show each part where the physics has it."""

import numpy as np
import pytest

from propslib import World, utils


def place(picture, color):
    """Where a colour is in a picture: (points, 2), row and column."""
    rgb = np.array([int(color[i : i + 2], 16) for i in (1, 3, 5)])
    found = np.argwhere(np.abs(picture.astype(int) - rgb).max(axis=2) < 30)
    assert len(found), f"nothing is {color}"
    return found


def middle(picture, color):
    return place(picture, color).mean(axis=0)


@pytest.fixture(scope="module")
def hopper():
    with World("Hopper-v5") as world:
        yield world


def test_the_swimmer_is_drawn_where_it_is():
    with World("Swimmer-v5", max_steps=8) as world:
        act = lambda state: np.array([1.0, -1.0])  # noqa: E731
        first, last = world.episode(act, 0, frame_every=8, frame=utils.draw_swimmer).frames
    assert first.shape == (240, 480, 3) and first.dtype == np.uint8
    # At rest the three links lie along the middle of the picture, head to the right.
    head, tail = middle(first, utils.RED), middle(first, utils.BLUE)
    assert head[1] > tail[1] + 80 and abs(head[0] - 120) < 15
    assert not np.array_equal(first, last)


def test_the_hopper_stands_on_the_ground(hopper):
    hopper.env.reset(seed=0)
    picture = utils.draw_hopper(hopper.env)
    assert picture.shape == (320, 360, 3) and picture.dtype == np.uint8
    parts = [middle(picture, c) for c in (utils.RED, utils.ORANGE, utils.BLUE, utils.GREEN)]
    rows, columns = np.transpose(parts)
    assert (np.diff(rows) > 0).all()  # torso, thigh, leg, foot, from above
    assert np.ptp(columns[:3]) < 5 and columns[3] > columns[2]  # the toe points to the right
    # The torso's middle is at 1.25 m and its top 0.25 m higher; a metre is 320 / 2.1 pixels.
    top = place(picture, utils.RED)[:, 0].min()
    assert top == pytest.approx(0.88 * 320 - 1.5 * 320 / 2.1, abs=2)


def test_the_picture_follows_the_hopper_and_shows_its_pose(hopper):
    hopper.env.reset(seed=0)
    bare = hopper.env.unwrapped
    pose, still = bare.data.qpos.copy(), np.zeros(6)
    for x, knee in ((0.0, 0.0), (7.0, 0.0), (7.0, -1.0)):
        pose[[0, 4]] = x, knee
        bare.set_state(pose, still)
        picture = utils.draw_hopper(hopper.env)
        assert middle(picture, utils.RED)[1] == pytest.approx(180, abs=3)
        foot = middle(picture, utils.GREEN)[1] - 180
        assert foot > 0 if knee == 0 else foot < -30  # a bent knee draws the foot back
