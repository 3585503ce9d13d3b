"""Batches against the single Gymnasium environment: every return equal to the last bit."""

import math

import gymnasium as gym
import numpy as np
import pytest

from propslib import CARTPOLE, LinearPolicy, TablePolicy, World
from propslib.world import batch, simulations


class AtOnce(World):
    """A world that fails where it would play an episode singly."""

    def _play(self, act, seed, record=None):
        raise AssertionError(f"{self.env_id} was played singly.")


def compare(env_id, params, seeds, *, kind=AtOnce, change=None, **options):
    """The returns of a batch, after they were found equal to those of single episodes."""
    with kind(env_id, **options) as world, World(env_id, batch=False, **options) as oracle:
        if change:
            change(world.env.unwrapped)
            change(oracle.env.unwrapped)
        policy = LinearPolicy(world)
        returns = world.returns(policy, params, seeds)
        np.testing.assert_array_equal(returns, oracle.returns(policy, params, seeds), strict=True)
    return returns


def draw(size, number, scales, seed=0):
    """Random parameters, a block for each scale; rounded to one decimal in every other block."""
    rng = np.random.default_rng(seed)
    rows = [rng.normal(0, scale, (number // len(scales), size)) for scale in scales]
    rows[::2] = [np.round(block, 1) for block in rows[::2]]
    return np.concatenate(rows)


def test_a_batch_is_gymnasium_itself():
    """Without this library: the loop of Gymnasium's documentation."""
    policies = np.array([[0, 6, 0], [-3, 30, 1], [0, 9.5, 0.2], [0.3, 1, 0]])
    with AtOnce("MountainCarContinuous-v0") as world:
        returns = world.returns(LinearPolicy(world), policies, [3, 14, 159])
    for (w_x, w_v, b), row in zip(policies.tolist(), returns, strict=True):
        for seed, return_ in zip([3, 14, 159], row, strict=True):
            env = gym.make("MountainCarContinuous-v0")
            (x, v), _ = env.reset(seed=seed)
            total, terminated, truncated = 0.0, False, False
            while not (terminated or truncated):
                action = np.array([w_x * float(x) + w_v * float(v) + b])
                (x, v), reward, terminated, truncated, _ = env.step(action)
                total += reward
            assert return_ == total


@pytest.mark.parametrize("clip", [False, True])
def test_mountain_car_with_500_random_policies_raw_and_clipped(clip):
    params = draw(3, 500, (0.1, 1, 3, 10, 100), seed=clip)
    params[::10, 1] = np.abs(params[::10, 1]) + 6  # so that some arrive
    returns = compare("MountainCarContinuous-v0", params, [0, 2**31 - 1], clip_actions=clip)
    assert returns.shape == (500, 2)
    assert (returns > 50).any() and (returns < -30).any()
    assert (returns < -1e5).any() != clip


def test_mountain_car_to_the_goal_and_to_the_step_limit():
    rng = np.random.default_rng(5)
    params = rng.normal([0, 8, 0], [1, 4, 0.5], (40, 3))
    returns = compare("MountainCarContinuous-v0", params, range(5))
    assert 20 < (returns > 50).sum() < 190  # some arrive, some do not


def test_mountain_car_at_the_wall():
    """Where the car is stopped, and where position and velocity are cut in float32."""
    params = np.array([[0, 30, -1], [0, 100, 0], [0, 12, -0.9], [0, 7, -0.4], [-0.5, 9, -0.9]])
    with World("MountainCarContinuous-v0") as world:
        states = [
            world.episode(LinearPolicy(world)(row), seed).states
            for row in params
            for seed in (0, 1)
        ]
    at_wall = [(s[:, 0] == np.float32(-1.2)).any() for s in states]
    at_limit = [(np.abs(s[:, 1]) == np.float32(0.07)).any() for s in states]
    assert any(at_wall) and any(at_limit)
    compare("MountainCarContinuous-v0", params, range(40))


def test_cart_pole_with_1000_random_policies():
    params = draw(10, 1000, (0.01, 0.1, 1, 10, 1e3))
    returns = compare("CartPole-v1", params, [0, 1, 77])
    assert returns.min() < 10 and len(np.unique(returns)) > 80


def test_cart_pole_that_stands_until_the_step_limit():
    good = np.array([0, 0.3, 0, 0.6, 0, 11, 0, 2, 0, 0])
    rng = np.random.default_rng(0)
    params = good + rng.normal(0, 1, (60, 10)) * np.repeat([[0.1], [1], [3]], 20, axis=0)
    returns = compare("CartPole-v1", params, range(4), max_steps=300)
    assert (returns == 300).sum() > 10 and len(np.unique(returns)) > 20


@pytest.mark.parametrize("env_id", ["Swimmer-v5", "Hopper-v5"])
def test_mujoco_with_100_random_policies(env_id):
    with World(env_id) as world:
        size = LinearPolicy(world).size
    returns = compare(env_id, draw(size, 100, (0.3, 3, 30, 300)), [0, 9], max_steps=60)
    assert returns.shape == (100, 2) and len(np.unique(returns)) > 150


@pytest.mark.parametrize("env_id", ["HalfCheetah-v5", "Walker2d-v5"])
@pytest.mark.parametrize("clip", [False, True])
def test_more_of_mujoco(env_id, clip, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)  # MuJoCo leaves its log where it runs
    with World(env_id) as world:
        size = LinearPolicy(world).size
    compare(env_id, draw(size, 16, (0.1, 3)), [4, 2], max_steps=80, clip_actions=clip)


def test_mujoco_to_the_very_end():
    """1,000 steps of the swimmer, and hops that last and that end with a fall."""
    compare("Swimmer-v5", draw(18, 2, (3,)), [0])
    standing = draw(36, 12, (0.01, 0.03, 0.1))
    returns = compare("Hopper-v5", standing, [0, 1], terminate_when_unhealthy=False, max_steps=400)
    assert returns.max() > 100
    returns = compare("Hopper-v5", standing, range(3), max_steps=25)
    assert len(np.unique(np.round(returns))) > 3  # episodes of many lengths


OPTIONS = [
    ("CartPole-v1", {"sutton_barto_reward": True}),
    ("Swimmer-v5", {"ctrl_cost_weight": 0.5, "reset_noise_scale": 0.3, "frame_skip": 2}),
    ("Swimmer-v5", {"exclude_current_positions_from_observation": False}),
    ("Hopper-v5", {"healthy_z_range": (1.2, 1.3), "healthy_state_range": (-2.0, 2.0)}),
    ("Hopper-v5", {"healthy_angle_range": (-0.01, 0.01), "clip_actions": True}),
    ("Walker2d-v5", {"healthy_reward": 0.3, "forward_reward_weight": 2.0}),
]


@pytest.mark.parametrize(("env_id", "options"), OPTIONS)
def test_the_environments_own_options_are_honoured(env_id, options):
    with World(env_id, **options) as world, World(env_id) as other:
        size, usual_size = LinearPolicy(world).size, LinearPolicy(other).size
    params = draw(size, 12, (0.03, 0.3))
    returns = compare(env_id, params, range(3), max_steps=50, **options)
    usual = compare(env_id, params[:, :usual_size], range(3), max_steps=50)
    assert not np.array_equal(returns, usual)


def test_an_option_that_changes_the_cars_arithmetic_goes_to_the_loop():
    params = np.array([[0, 8, 0.0], [0, 9, 0.1]])
    usual = compare("MountainCarContinuous-v0", params, range(10))
    fast = compare("MountainCarContinuous-v0", params, range(10), kind=World, goal_velocity=0.05)
    assert not np.array_equal(usual, fast)


def test_what_a_reader_changes_in_an_environment_counts():
    def heavy(env):
        env.gravity, env.length, env.polemass_length = 20.0, 1.0, 0.1

    def strong(env):
        env.power = 0.003

    params = draw(10, 20, (1, 10))
    changed = compare("CartPole-v1", params, range(3), change=heavy)
    assert not np.array_equal(changed, compare("CartPole-v1", params, range(3)))
    compare("MountainCarContinuous-v0", [[0, 6, 0]], range(8), kind=World, change=strong)


def test_one_policy_and_a_batch_have_their_own_shapes():
    with AtOnce("MountainCarContinuous-v0", max_steps=20) as world:
        policy = LinearPolicy(world)
        params = draw(3, 4, (3,))
        many = world.returns(policy, params, range(9))
        assert many.shape == (4, 9) and many.dtype == float
        for row, expected in zip(params, many, strict=True):
            one = world.returns(policy, row, range(9))
            np.testing.assert_array_equal(one, expected, strict=True)
        np.testing.assert_array_equal(
            world.returns(policy, params, np.arange(9)[::-1]), many[:, ::-1]
        )
        assert world.returns(policy, params, []).shape == (4, 0)


def test_more_episodes_than_fit_into_one_chunk(monkeypatch):
    params = draw(10, 30, (1, 10))
    expected = compare("CartPole-v1", params, range(3))
    monkeypatch.setattr(batch, "CHUNK", 7)
    np.testing.assert_array_equal(compare("CartPole-v1", params, range(3)), expected)


@pytest.mark.parametrize("threads", ["1", "2", "some"])
def test_the_number_of_threads_does_not_matter(threads, monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", threads)
    compare("Hopper-v5", draw(36, 6, (0.1, 1, 3)), range(4), max_steps=40)


def test_other_worlds_and_policies_play_one_after_another():
    class Reversed(LinearPolicy):
        def __call__(self, params):
            return super().__call__(-np.asarray(params))

    cases = [
        (World("MountainCarContinuous-v0", max_steps=9), Reversed),
        (World("MountainCarContinuous-v0", max_steps=9, wrap=lambda env: Halved(env)), None),
        (World("CartPole-v1", max_steps=9, wrap=CARTPOLE), TablePolicy),
        (World("FrozenLake-v1"), TablePolicy),
        (World("Pendulum-v1", max_steps=9), LinearPolicy),
        (World("InvertedPendulum-v5", max_steps=9), LinearPolicy),
    ]
    for world, kind in cases:
        with world:
            policy = (kind or LinearPolicy)(world)
            params = policy.sample(np.random.default_rng(0))
            rows = np.stack([params] * 5)
            options = {"max_steps": world.max_steps}
            assert batch.returns(world.env, policy, rows, range(5), **options) is None
            expected = [world.episode(policy(params), seed).return_ for seed in range(5)]
            np.testing.assert_array_equal(world.returns(policy, rows, range(5)), [expected] * 5)


class Halved(gym.ActionWrapper):
    def action(self, action):
        return action / 2


def test_batch_false_plays_one_after_another(monkeypatch):
    def fail(*arguments, **options):
        raise AssertionError("A batch was asked for.")

    monkeypatch.setattr(batch, "returns", fail)
    with World("CartPole-v1", batch=False) as world:
        assert world.returns(LinearPolicy(world), np.zeros(10), range(9)).shape == (9,)
    with World("CartPole-v1") as world, pytest.raises(AssertionError, match="was asked for"):
        world.returns(LinearPolicy(world), np.zeros(10), range(9))


@pytest.mark.parametrize(
    ("params", "error", "words"),
    [
        ([0, 1e200, 0], OverflowError, "range"),
        ([1e308, 1e308, 1e308], OverflowError, "range"),
        ([0, math.nan, 0], ValueError, "must be finite"),
        ([0, 1], ValueError, "3 parameters; got shape"),
        ([[[0, 1, 2]]], ValueError, "3 parameters; got shape"),
    ],
)
def test_errors_are_those_of_single_episodes(params, error, words):
    messages = []
    for at_once in (True, False):
        with World("MountainCarContinuous-v0", batch=at_once) as world:
            policy = LinearPolicy(world)
            with pytest.raises(error, match=words) as caught:
                world.returns(policy, params, range(9))
            messages.append(str(caught.value))
    assert messages[0] == messages[1]


@pytest.mark.filterwarnings("ignore:overflow:RuntimeWarning")
def test_a_return_that_is_not_finite_names_its_parameters():
    """The swimmer's cost of a huge action; the other rows of the batch are fine."""
    params = np.zeros((3, 18))
    params[1] = 1e200
    words = r"gave the return \[-inf.*1\.e\+200"
    with World("Swimmer-v5", max_steps=3) as world, pytest.raises(ValueError, match=words):
        world.returns(LinearPolicy(world), params, [0])


def test_an_unstable_simulation_is_left_to_the_environment(monkeypatch, tmp_path):
    """MuJoCo then starts the simulation anew, in the middle of an episode, and writes a log."""
    monkeypatch.chdir(tmp_path)

    def coarse(env):
        env.model.opt.timestep = 0.5

    params = draw(18, 4, (3,))
    with World("Swimmer-v5", max_steps=30) as world:
        coarse(world.env.unwrapped)
        at_once = batch.returns(
            world.env, LinearPolicy(world), params, [0, 1], max_steps=world.max_steps
        )
    assert np.isnan(at_once).any()
    compare("Swimmer-v5", params, [0, 1], kind=World, change=coarse, max_steps=30)


def test_a_closed_world_and_a_wrong_seed_are_told():
    world = World("CartPole-v1")
    policy = LinearPolicy(world)
    with pytest.raises(gym.error.Error, match="[Ss]eed"):
        world.returns(policy, np.zeros(10), range(-9, 0))
    world.close()
    with pytest.raises(RuntimeError, match="is closed"):
        world.returns(policy, np.zeros(10), range(9))


def test_a_processors_own_cosine_is_only_used_where_it_is_the_same():
    almost = simulations._like(math.cos, lambda x: np.nextafter(np.cos(x), 2.0), 3.0)
    same = simulations._like(math.cos, np.vectorize(math.cos, otypes=[float]), 3.0)
    x = np.linspace(-3, 3, 1001)
    expected = [math.cos(number) for number in x.tolist()]
    np.testing.assert_array_equal(almost(x), expected)
    np.testing.assert_array_equal(same(x), expected)
    product = simulations._like(simulations._square, lambda a: a * a, 10.0)
    np.testing.assert_array_equal(product(x), [math.pow(number, 2) for number in x.tolist()])


def test_returns_are_the_same_without_the_processors_own_functions(monkeypatch):
    def slow(scalar):
        return lambda x: np.array([scalar(number) for number in x.tolist()])

    monkeypatch.setattr(
        simulations, "_car_functions", lambda: (slow(math.cos), slow(simulations._square))
    )
    monkeypatch.setattr(simulations, "_pole_functions", lambda: (slow(np.cos), slow(np.sin)))
    compare("MountainCarContinuous-v0", draw(3, 12, (1, 10)), range(3), max_steps=200)
    compare("CartPole-v1", draw(10, 12, (1, 10)), range(3))
