"""Exact values against enumeration, known optima and Gymnasium's own episodes; Q-learning."""

from itertools import product

import gymnasium as gym
import numpy as np
import pytest

from propslib import TablePolicy, World
from propslib.world import planning
from propslib.world.planning import Dynamics, best_table, policy_evaluation, value_iteration

LAKE = World("FrozenLake-v1")


def sampled(world, table, episodes):
    return world.returns(TablePolicy(world), table, range(episodes))


def random_rules(seed, states=4, actions=2, horizon=6):
    """A made-up world with rewards of both signs, random ends and a random start."""
    rng = np.random.default_rng(seed)
    probabilities = rng.dirichlet(np.full(states, 0.2), (states, actions))
    endings = probabilities * rng.uniform(0, 0.5, probabilities.shape)
    rewards = rng.normal(size=(states, actions))
    return Dynamics(probabilities, endings, rewards, rng.dirichlet(np.ones(states)), horizon)


def test_worlds_that_cannot_be_computed_and_tables_that_are_none_are_refused():
    def negate_and_record(env):
        negated = gym.wrappers.TransformReward(env, lambda reward: -reward)
        return gym.wrappers.RecordEpisodeStatistics(negated)

    worlds = {
        "CartPole.*q_learning": World("CartPole-v1"),
        "TransformReward changes": World("FrozenLake-v1", wrap=negate_and_record),
        "Taxi.*all its rules": World("Taxi-v4", fickle_passenger=True),
    }
    for words, world in worlds.items():
        for function in (value_iteration, best_table, lambda w: policy_evaluation(w, [])):
            with pytest.raises(ValueError, match=words):
                function(world)
    for table in ([0] * 15, [[0] * 16], [0.5] * 16, [4] * 16, [-1] * 16, [np.nan] * 16):
        with pytest.raises(ValueError, match="16 actions from 0 to 3; got"):
            policy_evaluation(LAKE, table)


def test_frozen_lake_has_the_known_optimum_and_the_known_best_table():
    with World("FrozenLake-v1", wrap=gym.wrappers.RecordEpisodeStatistics) as harmless:
        solution = value_iteration(harmless)
    assert round(solution.value, 4) == 0.7442
    assert solution.values.shape == solution.actions.shape == (101, 16)
    assert not solution.values[0].any() and not solution.actions[0].any()
    table = best_table(LAKE)
    assert table.tolist() == [0, 3, 3, 3, 0, 0, 0, 0, 3, 1, 0, 0, 0, 2, 1, 0]
    assert round(policy_evaluation(LAKE, table).value, 4) == 0.7402


def test_worlds_without_chance_are_solved():
    with World("FrozenLake-v1", is_slippery=False) as world:
        assert value_iteration(world).value == 1
        assert sampled(world, best_table(world), 3).tolist() == [1, 1, 1]
    with World("CliffWalking-v1", max_steps=100) as world:  # around the cliff in 13 steps
        assert value_iteration(world).value == -13
        assert sampled(world, best_table(world), 1).tolist() == [-13]


@pytest.mark.parametrize(
    ("env_id", "options"),
    [
        ("FrozenLake-v1", {"map_name": "8x8", "max_steps": 50}),  # many end at the limit
        ("CliffWalking-v1", {"is_slippery": True, "max_steps": 40}),  # falls do not end it
    ],
)
def test_exact_values_are_those_of_sampled_episodes(env_id, options):
    with World(env_id, **options) as world:
        table = value_iteration(world).actions[-1]
        returns, exact = sampled(world, table, 700), policy_evaluation(world, table).value
    assert returns.std() > 0
    assert returns.mean() == pytest.approx(exact, abs=4 * returns.std(ddof=1) / np.sqrt(700))


@pytest.mark.parametrize("seed", range(3))
def test_enumeration_finds_no_better_table_and_no_better_plan(seed):
    rules = random_rules(seed)
    values = [policy_evaluation(rules, table).value for table in product((0, 1), repeat=4)]
    best = policy_evaluation(rules, best_table(rules)).value
    assert best == pytest.approx(max(values))
    assert best <= value_iteration(rules).value + 1e-12
    # Every way to act that may look at the state and at the steps to go: 2^(2 * 3) of them.
    rules = random_rules(seed, states=2, horizon=3)
    going_on = rules.probabilities - rules.endings
    best = -np.inf
    for plan in product((0, 1), repeat=6):
        values = np.zeros(2)
        for actions in np.reshape(plan, (3, 2)):
            values = rules.rewards[[0, 1], actions] + going_on[[0, 1], actions] @ values
        best = max(best, rules.start @ values)
        if plan == plan[:2] * 3:
            assert policy_evaluation(rules, plan[:2]).value == pytest.approx(rules.start @ values)
    assert value_iteration(rules).value == pytest.approx(best)


@pytest.mark.parametrize("seed", [1, 2])
def test_no_change_of_one_state_improves_the_best_table(seed):
    rules = random_rules(seed, states=16, actions=4, horizon=5)
    solution, table = value_iteration(rules), best_table(rules)
    assert (table != solution.actions[-1]).sum() >= 2  # it climbed more than once
    value = policy_evaluation(rules, table).value
    assert value < solution.value - 1e-9  # and had to stop by itself
    for state, action in product(range(16), range(4)):
        changed = table.copy()
        changed[state] = action
        assert policy_evaluation(rules, changed).value <= value + 1e-11


def test_q_learning_reaches_the_optimum_of_a_small_lake():
    with World("FrozenLake-v1", desc=["SFH", "FFF", "HFG"], max_steps=50) as world:
        learned = planning.q_learning(world, episodes=2000, seed=0, initial=1.0)
        reached = policy_evaluation(world, learned.params).value
        assert reached == pytest.approx(value_iteration(world).value)
    # Holes and the goal end the episode, so no action is taken there.
    assert np.flatnonzero(learned.visits == 0).tolist() == [2, 6, 8]
    assert learned.params[[2, 6, 8]].tolist() == [0, 0, 0]
    assert learned.returns.shape == (2000,) and learned.returns[-500:].mean() > 0.9


def test_q_learning_follows_from_its_seed_and_its_table_holds_actions_that_were_tried():
    first, again, other = (planning.q_learning(LAKE, episodes=30, seed=seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(first.q, again.q)
    assert (first.q != other.q).any()

    def tried(epsilon):
        # From -1 each untried action looks worse than the first, which is then repeated.
        learned = planning.q_learning(LAKE, episodes=200, seed=0, epsilon=epsilon, initial=-1.0)
        return (learned.q != -1.0).sum()

    assert tried(0.0) <= 11 < tried((1.0, 0.0))
    learned = planning.q_learning(LAKE, episodes=1, seed=0, initial=5.0)
    met = np.flatnonzero(learned.visits)
    # Every try lowers q from 5, so that an untried action would always look best.
    assert 0 < len(met) < 11 and (learned.q[met, learned.params[met].astype(int)] < 5).all()


class Clock(gym.Env):
    """One state, one action, reward 1 a step; the task ends the episode after `ends` steps."""

    observation_space = action_space = gym.spaces.Discrete(1)

    def __init__(self, ends=0):
        self.ends = ends

    def reset(self, *, seed=None, options=None):
        self.steps = 0
        return 0, {}

    def step(self, action):
        self.steps += 1
        return 0, 1.0, self.steps == self.ends, False, {}


@pytest.mark.parametrize(("ends", "worth"), [(1, 1.0), (0, 100.0)])
def test_q_learning_looks_beyond_the_step_limit_and_not_beyond_the_end(ends, worth):
    """Where only the limit of one step ends it, 1 + 0.99 * 1 + 0.99^2 * 1 + ..."""
    with World("FrozenLake-v1", wrap=lambda env: gym.wrappers.TimeLimit(Clock(ends), 1)) as world:
        learned = planning.q_learning(world, episodes=200, seed=0, initial=100)
    assert learned.q[0, 0] == pytest.approx(worth)
    assert learned.returns.tolist() == [1.0] * 200 and learned.visits.tolist() == [200]


def test_settings_of_q_learning_that_cannot_work_are_refused():
    for wrong in ({"episodes": 0}, {"episodes": 2.5}, {"epsilon": -0.1}, {"epsilon": (0.5, 1.1)}):
        with pytest.raises(ValueError, match=f"{next(iter(wrong))} is"):
            planning.q_learning(LAKE, **{"episodes": 1, "seed": 0} | wrong)
    with World("CartPole-v1") as world, pytest.raises(ValueError, match="numbered states"):
        planning.q_learning(world, episodes=1, seed=0)
