"""Worlds against Gymnasium itself."""

import copy
import json
import pickle
from unittest.mock import Mock

import gymnasium as gym
import numpy as np
import pytest

from propslib import CARTPOLE, LinearPolicy, TablePolicy, World

ENVIRONMENTS = ("MountainCarContinuous-v0", "Pendulum-v1", "CartPole-v1", "Acrobot-v1")
ENVIRONMENTS += ("FrozenLake-v1", "Taxi-v4", "Swimmer-v5", "Hopper-v5")


def random_policy(world, seed=0):
    numbered = isinstance(world.observation_space, gym.spaces.Discrete)
    policy = TablePolicy(world) if numbered else LinearPolicy(world)
    return policy, policy.sample(np.random.default_rng(seed))


def by_gymnasium(env_id, act, seed, clip=False, **options):
    """One episode by Gymnasium alone, written out as its documentation does."""
    env = gym.make(env_id, **options)
    state, _ = env.reset(seed=seed)
    steps, terminated, truncated = [(state, None, 0.0)], False, False
    while not (terminated or truncated):
        action = act(state)
        if clip:
            action = np.clip(action, env.action_space.low, env.action_space.high)
        state, reward, terminated, truncated, _ = env.step(action)
        steps.append((state, action, float(reward)))
    states, actions, rewards = zip(*steps, strict=True)
    return np.array(states), np.array(actions[1:]), np.array(rewards[1:]), terminated, truncated


@pytest.mark.filterwarnings("ignore:.*action.*:UserWarning")
@pytest.mark.parametrize(
    ("env_id", "clip"), [*((env_id, False) for env_id in ENVIRONMENTS), (ENVIRONMENTS[0], True)]
)
def test_an_episode_is_gymnasiums_raw_and_clipped(env_id, clip):
    with World(env_id, max_steps=80, clip_actions=clip) as world:
        policy, params = random_policy(world, 1)
        params = params * 9 if clip else params  # so that there is much to clip
        for seed in (0, 7):
            episode = world.episode(policy(params), seed)
            *arrays, terminated, truncated = by_gymnasium(
                env_id, policy(params), seed, clip, max_episode_steps=80
            )
            for name, expected in zip(("states", "actions", "rewards"), arrays, strict=True):
                np.testing.assert_array_equal(getattr(episode, name), expected)
            assert episode.terminated is bool(terminated)
            assert episode.truncated is bool(truncated)
            assert episode.steps == len(arrays[1]) and episode.seed == seed
            assert episode.return_ == world.returns(policy, params, [seed])[0]


def test_one_environment_is_made_reused_and_closed(monkeypatch):
    make = Mock(side_effect=gym.make)
    monkeypatch.setattr(gym, "make", make)
    with World("MountainCarContinuous-v0", max_steps=5) as world:
        world.returns(LinearPolicy(world), np.zeros((3, 3)), range(4))
        world.env.close = close = Mock()
    world.close()
    assert make.call_count == close.call_count == 1
    assert world.episode(lambda state: [0.0], seed=0).steps == 5  # it opens again


def test_asking_for_frames_changes_nothing_but_gives_pictures():
    with World("MountainCarContinuous-v0", max_steps=10) as world:
        act, config = LinearPolicy(world)([0, 6, 0.1]), str(world.config)
        plain = world.episode(act, seed=2)
        filmed = world.episode(act, seed=2, frame_every=4)
        assert str(world.config) == config
    np.testing.assert_array_equal(plain.states, filmed.states)
    assert plain.frames == [] and filmed.frame_steps == [0, 4, 8, 10]
    assert [frame.shape for frame in filmed.frames] == [(400, 600, 3)] * 4
    assert not np.array_equal(filmed.frames[0], filmed.frames[-1])


def test_a_machine_that_cannot_draw_is_told_what_to_do(car, monkeypatch):
    no_screen = Mock(side_effect=RuntimeError("no OpenGL here"))
    monkeypatch.setattr(type(car.env.unwrapped), "render", no_screen)
    with pytest.raises(RuntimeError, match="no OpenGL here") as failure:
        car.episode(lambda state: [0.0], seed=0, frame_every=1)
    assert "MUJOCO_GL" in failure.value.__notes__[0]


WRONG = [
    ("Blackjack-v1", {"max_steps": 9}, "observation space Tuple"),
    *[("CartPole-v1", {"max_steps": k}, f"max_steps is {k}") for k in (0, 1.5)],
    ("CartPole-v1", {"max_episode_steps": -1}, "give max_steps"),
    ("CliffWalking-v1", {}, "give max_steps"),
]


@pytest.mark.parametrize(("env_id", "options", "words"), WRONG)
def test_a_world_that_cannot_be_made_says_why(env_id, options, words):
    with pytest.raises(ValueError, match=words):
        World(env_id, **options)
    with pytest.raises(gym.error.UnregisteredEnv, match="Did you mean"):
        World("MountainCarContinous-v0")


def test_an_environment_without_a_limit_takes_one():
    with World("CliffWalking-v1", max_steps=np.int64(7)) as world:
        assert world.episode(lambda state: 0, seed=0).steps == 7
        assert json.loads(json.dumps(world.config))["env_options"] == {"max_episode_steps": 7}


def test_bad_actions_parameters_and_policies_of_another_world_are_refused(car, policy):
    for action in (0.0, [0.0, 0.0], [np.nan], [np.inf], None):
        with pytest.raises(ValueError, match="finite numbers"):
            car.episode(lambda state, a=action: a, seed=0)
    with World("CartPole-v1") as world:
        for action in (2, 0.5, -1):
            with pytest.raises(ValueError, match="integer from 0 to 1"):
                world.episode(lambda state, a=action: a, seed=0)
    for params in ([0, np.nan, 0], [[0, 0, 0], [0, 0, np.inf]]):
        with pytest.raises(ValueError, match="finite"):
            car.returns(policy, params, [0])
    with World("Swimmer-v5") as other, pytest.raises(ValueError, match="Make it from this world"):
        car.returns(LinearPolicy(other), np.zeros(18), [0])


@pytest.mark.parametrize(
    ("env_id", "action"), [("BipedalWalker-v3", [0.3, -0.6, -0.5, 0.9]), ("LunarLander-v3", 2)]
)
def test_an_episode_in_box2d_does_not_depend_on_those_before_it(env_id, action):
    pytest.importorskip("Box2D")
    with World(env_id) as world:
        first = [world.episode(lambda state: action, seed).rewards for seed in range(3)]
        again = [world.episode(lambda state: action, seed).rewards for seed in (2, 1, 0)]
    for one, other in zip(first, again[::-1], strict=True):
        np.testing.assert_array_equal(one, other)


COPIED = {"MountainCarContinuous-v0": {"clip_actions": True}, "CartPole-v1": {"wrap": CARTPOLE}}


@pytest.mark.parametrize("again", [copy.copy, lambda world: pickle.loads(pickle.dumps(world))])
@pytest.mark.parametrize(("env_id", "options"), COPIED.items())
def test_a_copied_or_pickled_world_is_the_same_and_has_its_own_environment(env_id, options, again):
    with World(env_id, **options) as world:
        policy, params = random_policy(world)
        expected = world.returns(policy, params, range(3))
        with again(world) as other:
            assert other.config == world.config and other.env is not world.env
            np.testing.assert_array_equal(other.returns(policy, params, range(3)), expected)
        np.testing.assert_array_equal(world.returns(policy, params, range(3)), expected)
