"""Bins against Gymnasium's own wrapper, and their names against the states they name."""

import json
import re

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.spaces import Box, Discrete
from gymnasium.wrappers import DiscretizeObservation, TransformObservation

from propslib import BIPEDAL_WALKER, CARTPOLE, HOPPER, Binned, Bins, World

PUBLISHED = [
    ("CartPole-v1", CARTPOLE, (3, 3, 6, 6), 2),
    ("Hopper-v5", HOPPER, (2, 3, 2, 2, 2, 2, 1, 2, 1, 1, 1), 27),
    ("BipedalWalker-v3", BIPEDAL_WALKER, (10, 10, 10, 10), 81),
]


@pytest.mark.parametrize(("env_id", "binned", "shape", "actions"), PUBLISHED)
def test_states_are_those_of_gymnasiums_wrapper_over_clipped_limits(env_id, binned, shape, actions):
    """Points inside, outside and exactly on the edges, as the environment's and as wider floats."""
    if env_id.startswith("Bipedal"):
        pytest.importorskip("Box2D")
    low, high = np.array([(b.low, b.high) for b in binned.observations]).T
    size = len(low)
    env = gym.make(env_id)
    space = Box(low, high, dtype=float)
    clipped = TransformObservation(env, lambda state: np.clip(state[:size], low, high), space)
    gymnasiums, ours = DiscretizeObservation(clipped, binned.shape), binned(env)
    assert (binned.shape, len(binned.action_words)) == (shape, actions)
    spaces = Discrete(np.prod(shape)), Discrete(actions)
    assert (ours.observation_space, ours.action_space) == spaces
    while not isinstance(ours, gym.ObservationWrapper):
        ours = ours.env
    rng = np.random.default_rng(0)
    points = rng.normal(0, 2 * np.abs(high).max(), (500, env.observation_space.shape[0]))
    points[::2, :size] = rng.uniform(low, high, (250, size))
    points[:150, :size] = [[rng.choice(b.edges) for b in binned.observations] for _ in range(150)]
    for point in [*points, *points.astype(np.float32)]:
        state = ours.observation(point)
        assert state == gymnasiums.observation(clipped.observation(point))
        assert binned.state(binned.indices(state)) == state


def test_the_torque_levels_are_minus_one_none_and_one():
    with World("Hopper-v5", wrap=HOPPER) as world:
        for action, words in enumerate(HOPPER.action_words):
            torques = world.env.action(action)
            assert torques.tolist() == [float(word) for word in words.split()]
            assert torques.dtype == np.float32
        seen = world.episode(lambda state: 13, seed=0)  # no torque at all
    assert [bins.centres for bins in HOPPER.actions] == [pytest.approx((-1, 0, 1))] * 3
    with World("Hopper-v5") as plain:
        still = plain.episode(lambda state: np.zeros(3), seed=0)
    np.testing.assert_array_equal(seen.rewards, still.rewards)


def test_words_say_where_a_state_lies():
    assert CARTPOLE.state((1, 1, 2, 2)) == 158
    words = "cart in the middle, slow, leaning slightly left, falling left slowly"
    assert CARTPOLE.words(158) == words
    words = [("any",), ("below 1.5", "above 1.5"), ("below 1", "1 to 2", "above 2")]
    assert [Bins("x", 0, 3, n).words for n in (1, np.int64(2), 3)] == words
    assert CARTPOLE.observations[2].range(2) == "-0.0698 to 0 rad"
    assert HOPPER.words(191).count(",") == 6  # quantities of one bin are left out
    everything = {binned.words(s) for binned in (CARTPOLE, HOPPER) for s in range(binned.states)}
    assert len(everything) == 324 + 192


@pytest.mark.parametrize("binned", [CARTPOLE, HOPPER, BIPEDAL_WALKER])
def test_the_description_numbers_states_and_actions_as_they_are(binned):
    """The formulas in the text are evaluated, and compared with the wrapper's numbering."""
    text = binned.describe()
    formula = re.search(r"state number is (.*?),", text)[1]
    for state in np.random.default_rng(2).integers(binned.states, size=50):
        indices = [i for i, n in zip(binned.indices(state), binned.shape, strict=True) if n > 1]
        assert evaluate(formula, "b", indices) == state
    for bins in binned.cut:
        meanings = [f"{i} {w}" for i, w in enumerate(bins.words)]
        assert all(bins.range(i) in text and m in text for i, m in enumerate(meanings))
    if binned.actions:
        formula = re.search(r"action number is (.*?),", text)[1]
        for action, words in enumerate(binned.action_words):
            levels = [("-1", "0", "1").index(word) for word in words.split()]
            assert evaluate(formula, "l", levels) == action


def evaluate(formula, letter, numbers):
    return eval(re.sub(rf"{letter}(\d+)", r"n[\1]", formula), {"n": numbers})


def test_a_runs_log_keeps_the_bins():
    with World("CartPole-v1", wrap=CARTPOLE) as world:
        logged = json.loads(json.dumps(world.config))["wrapped"]
    assert [Bins(**part) for part in logged["observations"]] == list(CARTPOLE.observations)
    assert logged["actions"] == []
    assert json.dumps(Binned([Bins("x", np.float32(0), np.int64(1), 2)]).config)


def test_bins_that_cannot_be_and_those_for_another_environment_are_refused():
    wrong = [{"low": 1}, {"low": 2}, {"high": np.inf}, {"low": np.nan}]
    for one in [*wrong, *({"words": words} for words in (0, (), 1.5, ("a", "a")))]:
        with pytest.raises(ValueError, match="x"):
            Bins("x", **{"low": 0, "high": 1, "words": 2} | one)
    with pytest.raises(ValueError, match="bins for 11 observations"):
        World("CartPole-v1", wrap=HOPPER)
    for env_id in ("Swimmer-v5", "HalfCheetah-v5"):  # with two actions, and with six
        with pytest.raises(ValueError, match="bins for 3 actions"):
            World(env_id, wrap=Binned(CARTPOLE.observations, actions=HOPPER.actions))
