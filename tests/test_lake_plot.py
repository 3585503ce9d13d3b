"""The table on its lake: arrows that point where the action goes, and what no reply named."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.colors import to_hex
from matplotlib.patches import Rectangle
from matplotlib.quiver import Quiver

from propslib import World, utils

TABLE = [0, 3, 3, 3, 0, 0, 0, 0, 3, 1, 0, 0, 0, 2, 1, 0]
ICE = [0, 1, 2, 3, 4, 6, 8, 9, 10, 13, 14]


@pytest.fixture(scope="module")
def lake():
    with World("FrozenLake-v1") as world:
        yield world


def arrows(axes):
    return next(artist for artist in axes.collections if isinstance(artist, Quiver))


def tiles(axes):
    return [patch for patch in axes.patches if isinstance(patch, Rectangle)]


def test_arrows_point_on_the_page_as_the_world_moves():
    """On ice that is not slippery, every step of every action goes where its arrow points."""
    with World("FrozenLake-v1", is_slippery=False) as world:
        for action in range(4):
            axes = utils.plot_lake(world, [action] * 16)
            drawn = arrows(axes)
            assert drawn.angles == "uv"  # directions are of the page, whatever the axes do
            assert [4 * y + x for x, y in drawn.XY] == ICE
            for (x, y), across, up in zip(drawn.XY, drawn.U, drawn.V, strict=True):
                _, after, _, _ = world.env.unwrapped.P[4 * int(y) + int(x)][action][0]
                below, aside = divmod(after, 4)
                if (aside, below) != (x, y):  # at the edge one stays
                    start, end = axes.transData.transform([(x, y), (aside, below)])
                    assert tuple(np.sign(np.round(end - start, 6))) == (across, up)
        drawn = arrows(utils.plot_lake(world, TABLE))  # each state has its own
        assert drawn.U[:3].tolist() == [-1, 0, 0] and drawn.V[:3].tolist() == [0, 1, 1]


def test_tiles_have_the_letters_of_the_map_and_the_numbers_of_the_states(lake):
    axes = utils.plot_lake(lake)
    assert not axes.collections and axes.get_legend() is None
    written = [text.get_text() for text in axes.texts]
    assert sorted(written) == sorted([*map(str, range(16)), "S", *"HHHH", "G"])
    colours = [to_hex(tile.get_facecolor()) for tile in tiles(axes)]
    assert colours[5] == colours[7] == colours[11] == colours[12] != colours[0]
    assert colours[15] not in (colours[0], colours[5])


def test_states_that_no_reply_named_are_hatched_and_said_to_be(lake):
    named = np.ones(16, dtype=bool)
    named[[2, 5, 6, 15]] = False  # 5 is a hole, 15 the goal
    axes = utils.plot_lake(lake, TABLE, named=named)
    assert [k for k, tile in enumerate(tiles(axes)) if tile.get_hatch()] == [2, 6]
    colours = [to_hex(colour) for colour in arrows(axes).get_facecolor()]
    grey = [state for state, colour in zip(ICE, colours, strict=True) if colour != colours[0]]
    assert grey == [2, 6]
    assert len(axes.get_legend().texts) == 1
    axes = utils.plot_lake(lake, TABLE, named=np.isin(range(16), ICE))
    assert axes.get_legend() is None and not any(tile.get_hatch() for tile in tiles(axes))


def test_numbers_stand_on_their_tiles_of_a_lake_of_another_shape():
    _, given = plt.subplots()
    with World("FrozenLake-v1", desc=["SFFH", "FHFG"], max_steps=9) as world:
        axes = utils.plot_lake(world, [1] * 8, numbers=np.arange(8) / 8, ax=given)
    assert axes is given and len(tiles(axes)) == 8
    assert [tuple(xy) for xy in arrows(axes).XY] == [(0, 0), (1, 0), (2, 0), (0, 1), (2, 1)]
    written = {text.get_text(): text.get_position()[0] for text in axes.texts}
    assert written["0.75"] == 2 and "0.62" not in written  # state 6; 5 is a hole


def test_what_does_not_fit_the_map_is_refused(lake):
    wrong = [("table", [0] * 15, r"16 parameters; got shape \(15,\)")]
    wrong += [("table", [4] * 16, "from 0 to 3; got 4"), ("numbers", 1.0, r"numbers needs .*\(\)")]
    for name, value, words in [*wrong, ("named", [True] * 4, r"named needs .* 16 .*\(4,\)")]:
        with pytest.raises(ValueError, match=words):
            utils.plot_lake(lake, **{name: value})
    for other in ("CartPole-v1", "CliffWalking-v1", "Taxi-v4"):
        with pytest.raises(ValueError, match=f"{other} has no map"):
            utils.plot_lake(World(other, max_steps=9))
