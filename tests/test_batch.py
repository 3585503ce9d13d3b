"""Batches against the single Gymnasium environment: every return equal to the last bit."""

import math

import gymnasium as gym
import numpy as np
import pytest

from propslib import CARTPOLE, LinearPolicy, TablePolicy, World
from propslib.world import batch

CAR = "MountainCarContinuous-v0"


class AtOnce(World):
    """A world that fails where it would play an episode singly."""

    def steps(self, act, seed):
        raise AssertionError(f"{self.env_id} was played singly.")


def compare(env_id, params, seeds, *, kind=AtOnce, change=lambda env: None, **options):
    """The returns of a batch, after they were found equal to those of single episodes."""
    with kind(env_id, **options) as world, World(env_id, batch=False, **options) as oracle:
        change(world.env.unwrapped)
        change(oracle.env.unwrapped)
        policy = LinearPolicy(world)
        returns = world.returns(policy, params, seeds)
        np.testing.assert_array_equal(returns, oracle.returns(policy, params, seeds), strict=True)
    return returns


def draw(size, number, scales, seed=0):
    """Random parameters, a block for each scale; rounded to one decimal in every other block."""
    rng = np.random.default_rng(seed)
    blocks = [rng.normal(0, scale, (number // len(scales), size)) for scale in scales]
    blocks[::2] = [np.round(block, 1) for block in blocks[::2]]
    return np.concatenate(blocks)


@pytest.mark.parametrize("clip", [False, True])
def test_mountain_car_with_200_random_policies_raw_and_clipped(clip):
    params = draw(3, 200, (0.1, 1, 3, 10, 100), seed=clip)
    params[::10, 1] = np.abs(params[::10, 1]) + 6  # so that some arrive
    returns = compare(CAR, params, [2**31 - 1], clip_actions=clip)
    assert (returns > 50).any() and (returns < -30).any()
    assert (returns < -1e5).any() != clip


def test_mountain_car_at_the_goal_the_wall_and_the_step_limit():
    """Where the car arrives, where it is stopped, where position and velocity are cut."""
    params = np.array([[0, 30, -1], [0, 100, 0], [0, 12, -0.9], [0, 7, -0.4], [-0.5, 9, -0.9]])
    with World(CAR) as world:
        states = [world.episode(act, 0).states for act in map(LinearPolicy(world), params)]
    position, velocity = np.concatenate(states).T
    assert (position == np.float32(-1.2)).any() and (np.abs(velocity) == np.float32(0.07)).any()
    around = np.random.default_rng(5).normal([0, 8, 0], [1, 4, 0.5], (15, 3))
    returns = compare(CAR, np.concatenate([params, around]), range(5))
    assert 10 < (returns > 50).sum() < 90  # some arrive, some do not


@pytest.mark.parametrize("clip", [False, True])
@pytest.mark.parametrize("env_id", ["Swimmer-v5", "HalfCheetah-v5"])
def test_mujoco_with_random_policies(env_id, clip, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)  # MuJoCo leaves its log where it runs
    size, scales = (18, (0.3, 3, 30, 300)) if env_id == "Swimmer-v5" else (108, (0.1, 3))
    returns = compare(env_id, draw(size, 16, scales), [0, 9], max_steps=40, clip_actions=clip)
    assert returns.shape == (16, 2) and len(np.unique(returns)) > 20
    if env_id == "Swimmer-v5" and not clip:  # to the very end
        compare(env_id, draw(size, 1, (3,)), [0])


@pytest.mark.parametrize(
    "options",
    [
        {"ctrl_cost_weight": 0.5, "reset_noise_scale": 0.3, "frame_skip": 2},
        {"forward_reward_weight": 3.0, "exclude_current_positions_from_observation": False},
    ],
)
def test_the_environments_own_options_are_honoured(options):
    with World("Swimmer-v5", **options) as world:
        params = draw(LinearPolicy(world).size, 12, (0.03, 0.3))
    returns = compare("Swimmer-v5", params, range(3), max_steps=50, **options)
    usual = compare("Swimmer-v5", params[:, :18], range(3), max_steps=50)
    assert not np.array_equal(returns, usual)


def test_what_changes_the_cars_arithmetic_goes_to_the_loop():
    params = np.array([[0, 8, 0.0], [0, 9, 0.1]])
    others = {"power": 0.003, "max_speed": 0.05, "min_position": -0.9, "max_position": 0.3}
    others |= {"goal_position": 0.3, "min_action": -0.2, "max_action": 0.2, "goal_velocity": 0.05}
    for other in others.items():
        compare(CAR, params, range(4), kind=World, change=lambda env, o=other: setattr(env, *o))


def test_one_policy_and_a_batch_have_their_own_shapes():
    with AtOnce(CAR, max_steps=20) as world:
        policy = LinearPolicy(world)
        params = draw(3, 4, (3,))
        many = world.returns(policy, params, range(9))
        assert many.shape == (4, 9) and many.dtype == float
        one = world.returns(policy, params[1], range(9))
        np.testing.assert_array_equal(one, many[1], strict=True)
        seeds = np.arange(9)[::-1]
        np.testing.assert_array_equal(world.returns(policy, params, seeds), many[:, ::-1])
        assert world.returns(policy, params, []).shape == (4, 0)
        assert world.returns(policy, np.empty((0, 3)), range(9)).shape == (0, 9)


def test_neither_chunks_nor_threads_matter(monkeypatch):
    params = draw(3, 12, (1, 10))
    expected = compare(CAR, params, range(3), max_steps=300)
    monkeypatch.setattr(batch, "CHUNK", 7)
    np.testing.assert_array_equal(compare(CAR, params, range(3), max_steps=300), expected)
    for threads in ("2", "some"):
        monkeypatch.setenv("OMP_NUM_THREADS", threads)
        compare("Swimmer-v5", draw(18, 6, (0.1, 1, 3)), range(2), max_steps=20)


class Halved(gym.ActionWrapper):
    def action(self, action):
        return action / 2


class Reversed(LinearPolicy):
    def __call__(self, params):
        return super().__call__(-np.asarray(params))


SINGLY = [(CAR, Reversed, None), (CAR, LinearPolicy, Halved), ("CartPole-v1", LinearPolicy, None)]
SINGLY += [("CartPole-v1", TablePolicy, CARTPOLE), ("InvertedPendulum-v5", LinearPolicy, None)]


@pytest.mark.parametrize(("env_id", "kind", "wrap"), SINGLY)
def test_other_worlds_and_policies_play_one_after_another(env_id, kind, wrap):
    with World(env_id, max_steps=9, wrap=wrap) as world:
        policy = kind(world)
        params = policy.sample(np.random.default_rng(0))
        five = np.stack([params] * 5)
        assert np.isnan(batch.returns(world.env, policy, five, range(5), 9, False)).all()
        expected = [world.episode(policy(params), seed).return_ for seed in range(5)]
        np.testing.assert_array_equal(world.returns(policy, five, range(5)), [expected] * 5)


def test_batch_false_plays_one_after_another():
    with AtOnce(CAR, batch=False) as world, pytest.raises(AssertionError, match="singly"):
        world.returns(LinearPolicy(world), np.zeros(3), range(9))


REFUSED = [(CAR, p) for p in ([0, 1e200, 0], [1e308] * 3, [0, math.nan, 0], [0, 1], [[[0, 1, 2]]])]
REFUSED += [("Swimmer-v5", [[0] * 18, [1e200] * 18])]  # the cost of an action is not finite


@pytest.mark.filterwarnings("ignore:overflow:RuntimeWarning")
@pytest.mark.parametrize(("env_id", "params"), REFUSED, ids=str)
def test_errors_are_those_of_single_episodes(env_id, params):
    errors = []
    for at_once in (True, False):
        with World(env_id, max_steps=9, batch=at_once) as world:
            with pytest.raises((OverflowError, ValueError)) as caught:
                world.returns(LinearPolicy(world), params, range(9))
            errors.append(repr(caught.value))
    assert errors[0] == errors[1]


def test_an_unstable_simulation_is_left_to_the_environment(monkeypatch, tmp_path):
    """MuJoCo then starts the simulation anew, in the middle of an episode."""
    monkeypatch.chdir(tmp_path)  # MuJoCo leaves its log where it runs
    params = draw(18, 4, (3,))

    def coarse(env):
        env.model.opt.timestep = 0.5

    with World("Swimmer-v5", max_steps=30) as world:
        coarse(world.env.unwrapped)
        at_once = batch.returns(world.env, LinearPolicy(world), params, [0, 1], 30, False)
    assert np.isnan(at_once).any()
    compare("Swimmer-v5", params, [0, 1], kind=World, change=coarse, max_steps=30)


def test_a_processors_own_function_is_only_used_where_it_is_the_same():
    x = np.linspace(-3, 3, 1001)
    others = [(math.cos, lambda x: np.nextafter(np.cos(x), 2.0)), (batch._power, lambda a: a * a)]
    for scalar, vector in others:
        slow = np.vectorize(scalar, otypes=[float])
        np.testing.assert_array_equal(batch._like(scalar, vector, 10.0)(x), slow(x))
        assert batch._like(scalar, slow, 10.0) is slow
