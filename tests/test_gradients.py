"""Policy gradients: episodes counted as Gymnasium counts them, starts as in every search."""

import itertools
import json
from functools import partial

import gradients
import numpy as np
import pytest
from gymnasium.wrappers import RecordEpisodeStatistics

from propslib import LinearPolicy, World, held_out
from propslib.study import load_table

STUDIES = gradients.HERE / "studies"
ABOUT = json.loads((STUDIES / "gradients.json").read_text(encoding="utf-8"))
FIGURES = ("best", "held_out", "low", "high")
KIND = ("frozenlake", "PPO")


@pytest.fixture
def torch():
    """With the packages of chapters 13 and 14, and one thread beside other tests."""
    for package in ("stable_baselines3", "sb3_contrib", "torch"):
        module = pytest.importorskip(package, reason=f"{package} is of requirements-network.txt")
    module.set_num_threads(1)
    return module


@pytest.fixture
def linear(torch, monkeypatch):
    """Makes a model whose actions are a linear map of what it sees."""

    def make(world, brain, weights, bias, **settings):
        kind = gradients.HYPERPARAMETERS[world, brain]
        monkeypatch.setitem(kind, "policy_kwargs", {"net_arch": []} | settings)
        model = gradients.make_model(world, brain, 0)
        with torch.no_grad():
            model.policy.action_net.weight.copy_(torch.tensor(weights))
            model.policy.action_net.bias.copy_(torch.tensor(bias))
        return model

    return make


@pytest.mark.parametrize("env_id", ["MountainCarContinuous-v0", "CartPole-v1", "Swimmer-v5"])
def test_side_by_side_the_returns_are_those_of_the_world(env_id):
    rng = np.random.default_rng(0)
    with World(env_id, max_steps=40) as world:
        policy, lockstep = LinearPolicy(world), gradients.Lockstep(world)
        for scale, seeds in ((1, [3, 10_005, 3]), (30, range(8)), (3, range(10_000, 10_004))):
            params = rng.normal(0, scale, policy.size)
            act = policy(params)
            found = lockstep.returns(None, lambda rows, act=act: [act(row) for row in rows], seeds)
            assert found.tolist() == world.returns(policy, params, seeds).tolist()
        lockstep.close()


@pytest.mark.parametrize("seed", range(3))
def test_a_network_that_is_a_linear_policy_earns_its_returns(linear, seed):
    with World("CartPole-v1") as world:
        policy, lockstep = LinearPolicy(world), gradients.Lockstep(world)
        params = policy.sample(np.random.default_rng(seed))
        weights, bias = policy.matrices(params)
        act = gradients.behaviour(linear("cartpole", "PPO", weights.T, bias))
        row = gradients.evaluate("cartpole", world, lockstep, act)
        best, out = world.returns(policy, params, range(20)), held_out(world, policy, params)
        assert [row[c] for c in FIGURES] == [best.mean(), out.mean, out.low, out.high]
        lockstep.close()


def test_a_network_sees_states_as_it_was_trained_to(linear):
    """In terms of the normalised state; forces beyond 1 are clipped, as in training."""
    mean, var = np.array([-0.4, 0.01]), np.array([0.25, 0.0004])
    weights, bias = np.array([0.2, 30.0]), 0.1
    terms = weights[None] * np.sqrt(var), [bias + weights @ mean]
    model = linear("mountaincar", "TRPO", *terms, log_std_init=0.0)
    seen = model.get_env().obs_rms
    seen.mean, seen.var = mean, var
    with World("MountainCarContinuous-v0", clip_actions=True) as world:
        expected = world.returns(LinearPolicy(world), [*weights, bias], range(8))
        lockstep = gradients.Lockstep(World("MountainCarContinuous-v0"))
        found = lockstep.returns(None, gradients.behaviour(model), range(8))
        lockstep.close()
    assert found == pytest.approx(expected, abs=0.01)  # the network has single precision
    assert np.ptp(expected) > 0.1


@pytest.fixture
def small(torch, monkeypatch):
    """Budgets count values of two episodes from 0; gives the models as they are made."""
    models, make = [], gradients.make_model
    monkeypatch.setattr(gradients, "WARMUP", 0)
    monkeypatch.setattr(gradients, "World", partial(World, wrap=RecordEpisodeStatistics))
    monkeypatch.setattr(gradients, "make_model", lambda *p: models.append(make(*p)) or models[-1])
    monkeypatch.setitem(gradients.WORLDS, "cartpole", ("CartPole-v1", 2))
    return models


@pytest.mark.parametrize("brain", gradients.BRAINS)
def test_episodes_are_counted_as_gymnasium_counts_them(small, monkeypatch, brain):
    moments, evaluate = [], gradients.evaluate

    def counted():
        envs = small[-1].get_env().envs
        lengths = sum(sum(env.length_queue) + env.episode_lengths for env in envs)
        return sum(env.episode_count for env in envs), lengths

    def noting(*arguments):
        moments.append(counted())
        return evaluate(*arguments)

    monkeypatch.setattr(gradients, "evaluate", noting)
    record = gradients.train("cartpole", brain, 1, budgets=[20, 7])
    assert [point["episodes"] for point in record["points"]] == [14, 40]
    assert [point["proposals"] for point in record["points"]] == [7, 20]
    at_once = len(small[-1].get_env().envs)
    for point, (episodes, steps) in zip(record["points"], moments, strict=True):
        assert point["episodes"] <= episodes < point["episodes"] + at_once
        assert point["steps"] == steps
    # The training ended there.
    assert (record["episodes"], record["steps"]) == moments[-1] == counted()


def test_an_evaluation_leaves_the_training_as_it_was(small):
    often = gradients.train("cartpole", "TRPO", 2, budgets=[1, 3, 9])
    once = gradients.train("cartpole", "TRPO", 2, budgets=[9])
    same = ("steps", "episodes", *FIGURES)
    assert [often["points"][-1][c] for c in same] == [once["points"][-1][c] for c in same]


@pytest.fixture
def invented(monkeypatch):
    """`train` replaced by records, of which those of odd seeds end early; gives its calls."""
    calls = []

    def train(name, brain, seed):
        calls.append((name, brain, seed))
        reached = (0, 20, 50) if seed % 2 == 0 else (0, 20)
        points = [{"proposals": n, "steps": n, **dict.fromkeys(FIGURES, seed + n)} for n in reached]
        start = {"world": name, "brain": brain, "seed": seed, "points": points}
        return start | {"settings": gradients.HYPERPARAMETERS[name, brain]}

    monkeypatch.setattr(gradients, "train", train)
    return calls


def test_what_is_trained_with_these_settings_is_not_trained_again(invented, tmp_path, monkeypatch):
    first = gradients.measure("swimmer", ["PPO"], 2, tmp_path, tmp_path / "logs")
    assert invented == [("swimmer", "PPO", 0), ("swimmer", "PPO", 1)]
    again = gradients.measure("swimmer", ["PPO"], 3, tmp_path, tmp_path / "logs")
    assert invented[2:] == [("swimmer", "PPO", 2)]
    assert again[:2] == first
    gradients.trained("swimmer", "PPO", 0, tmp_path)
    monkeypatch.setitem(gradients.HYPERPARAMETERS["swimmer", "PPO"], "gamma", 0.5)
    with pytest.raises(ValueError, match="swimmer-PPO-0.json was made with other settings"):
        gradients.trained("swimmer", "PPO", 0, tmp_path)


def test_a_budget_that_not_all_seeds_reached_is_left_out(invented, tmp_path):
    gradients.measure("swimmer", ["PPO", "TRPO"], 3, tmp_path, tmp_path)
    rows = load_table(tmp_path / "gradients-swimmer.jsonl")
    found = [(r["brain"], r["seed"], r["proposals"], r["episodes"], r["held_out"]) for r in rows]
    assert found == [(b, s, 20, 200, s + 20) for b in ("PPO", "TRPO") for s in (0, 1, 2)]


def test_a_row_is_the_best_network_so_far_which_the_highest_return_ends():
    def rows(world, values):
        pairs = zip(gradients.BUDGETS, values, strict=False)
        rest = {"low": 0, "high": 500}
        points = [{"proposals": n, "best": x, "held_out": x - 1} | rest for n, x in pairs]
        found = gradients.best_so_far({"world": world, "brain": "PPO", "seed": 4, "points": points})
        return [(row["proposals"], row["episodes"], row["best"], row["held_out"]) for row in found]

    expected = [(20, 200, 30, 29), (50, 350, 30, 29), (100, 600, 40, 39)]
    assert rows("swimmer", [10, 30, 20, 40]) == expected
    assert rows("swimmer", [30, 10]) == expected[:1]
    solved = [(n, 20 * (20 + n), 500, 499) for n in (20, 50, 100, 400)]
    assert rows("cartpole", [500, 480]) == solved
    assert rows("cartpole", [480, 490]) == [(20, 800, 490, 489)]


def test_a_sample_of_the_committed_results_is_computed_again(torch):
    committed = next(r for r in ABOUT["trainings"] if (r["world"], r["brain"]) == KIND)
    again = gradients.train(*KIND, 0, budgets=[0])
    found, expected = (one["points"][0] | {"cpu_seconds": None} for one in (again, committed))
    assert again["acting_parameters"] == committed["acting_parameters"]
    here = gradients.fingerprint(), torch.__version__
    if here != (ABOUT["arithmetic"], ABOUT["versions"]["torch"]):
        # Where a processor rounds otherwise, the training is another sample of the same: it learns
        # more than chance, which arrives in 1 of 70 episodes.
        assert found.pop("held_out") > 0.05
        found, expected = found["episodes"], expected["episodes"]
    assert found == expected


def test_all_trainings_are_committed_with_these_settings_and_their_tables():
    there = [(record["world"], record["brain"], record["seed"]) for record in ABOUT["trainings"]]
    seeds = range(gradients.SEEDS)
    assert there == list(itertools.product(gradients.WORLDS, gradients.BRAINS, seeds))
    for record in ABOUT["trainings"]:
        assert record["settings"] == gradients.HYPERPARAMETERS[record["world"], record["brain"]]
    for name, (_, episodes) in gradients.WORLDS.items():
        records = [record for record in ABOUT["trainings"] if record["world"] == name]
        rows = load_table(STUDIES / f"gradients-{name}.jsonl")
        assert rows == gradients.table(records)
        read_off = {(row["brain"], row["proposals"]) for row in rows}
        assert read_off == set(itertools.product(gradients.BRAINS, gradients.BUDGETS[1:]))
        assert all(row["episodes"] == episodes * (20 + row["proposals"]) for row in rows)
