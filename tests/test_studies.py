"""The committed studies: whole, and a random sample of them computed again each time."""

# ruff: noqa: NPY002  (the package cma draws from NumPy's global generator)

from functools import partial

import memory
import numpy as np
import pytest
import studies

from propslib import Run, Trial

WORLDS = [world for world in studies.WORLDS if (studies.FOLDER / f"{world}.jsonl").exists()]
QUICK = [world for world in WORLDS if world != "swimmer"]
ROWS = {world: studies.load(studies.FOLDER / f"{world}.jsonl") for world in WORLDS}
SWEEP = studies.load(studies.FOLDER / "sweep.jsonl")
RECORDED = studies.load(studies.FOLDER / "recorded.jsonl")
CHANCE = np.random.default_rng()  # another sample each time; a failure names what it drew


def one(rows):
    return rows[CHANCE.integers(len(rows))]


def assert_same(row, other, what):
    """Processors may add up in another order, which changes the last digits."""
    for name in ("best", "held_out", "blocks", "params"):
        assert row[name] == pytest.approx(other[name], abs=2e-3), (name, what)


def judged_again(world, row):
    """A copy of the row, of the same point judged anew; on Swimmer one block of it."""
    task = studies.Task(world)
    if world != "swimmer":
        blocks = task.judge([np.array(row["params"])])[0]
    else:
        k = CHANCE.integers(studies.BLOCKS)
        size = task.judges // studies.BLOCKS
        starts = 10_000 + size * k + np.arange(size)
        block = task.world.returns(task.linear, row["params"], starts.tolist()).mean()
        blocks = [*row["blocks"]]
        blocks[k] = float(block)
    return row | {"blocks": blocks, "held_out": float(np.mean(blocks))}


@pytest.mark.parametrize("world", QUICK)
def test_a_search_drawn_at_random_is_made_again(world):
    drawn = one([r for r in ROWS[world] if r["brain"] not in studies.SLOW and r["proposals"] == 20])
    key = drawn["brain"], drawn["step"], drawn["seed"]
    task = studies.Task(world)
    again = studies.rows_of(task, [key], studies.searched(task, [key], 20), (20,))
    assert_same(again[0], drawn, key)


@pytest.mark.parametrize("world", WORLDS)
def test_a_point_drawn_at_random_is_judged_again(world):
    drawn = one([row for row in ROWS[world] if "blocks" in row])
    assert_same(judged_again(world, drawn), drawn, (world, drawn["brain"], drawn["seed"]))


def test_a_recorded_search_drawn_at_random_is_judged_again():
    drawn = one([row for row in RECORDED if "blocks" in row])
    assert_same(judged_again(drawn["world"], drawn), drawn, drawn["recording"])
    folder = "" if drawn["recording"] in sum(studies.SINGLE.values(), ()) else "repeated/"
    run = Run.load(folder + drawn["recording"])
    tried = run.trials[: len(run.warmup) + drawn["proposals"]]
    best = max(tried, key=lambda trial: trial.value)
    assert best.params.tolist() == drawn["params"]
    assert drawn["episodes"] == sum(len(trial.returns) for trial in tried)


def test_a_point_found_from_recorded_warm_up_points_earns_what_is_written():
    """A search drawn at random: its best point, undisguised, on the search's own starts."""
    drawn = one(studies.load(studies.FOLDER.parent / "memory.jsonl"))
    record = Run.load(f"repeated/{drawn['search']}")
    _, world, policy = memory.set_up(record)
    mark = max(drawn["best"], key=int)
    returns = world.returns(policy, drawn["params"][mark], range(record.config["episodes"]))
    what = drawn["search"], drawn["brain"], drawn["seed"]
    assert returns.mean() == pytest.approx(drawn["best"][mark], abs=0.02), what


@pytest.mark.parametrize("world", WORLDS)
def test_the_committed_searches_are_whole_and_took_the_step_that_the_sweep_chose(world):
    seeds = {}
    for row in ROWS[world]:
        seeds.setdefault((row["brain"], row["proposals"]), []).append(row["seed"])
        assert row["step"] == studies.chosen(world, row["brain"], SWEEP)
    assert {brain for brain, _ in seeds} <= set(studies.names_of(world))
    for (brain, proposals), own in seeds.items():
        assert own == [*range(studies.WORLDS[world][5])], (brain, proposals)


@pytest.mark.parametrize("world", WORLDS)
def test_no_judging_start_is_a_search_start_and_no_swept_seed_is_reported(world):
    _, _, episodes, judges, _, seeds, *_ = studies.WORLDS[world]
    every = [*range(seeds), *studies.SWEPT]
    own = [set(studies.own_starts(seed, episodes).tolist()) for seed in every]
    assert sum(map(len, own)) == len(set.union(*own)) == len(every) * episodes
    assert set.union(*own).isdisjoint(range(10_000, 10_000 + (judges or 0)))
    assert set(studies.SWEPT).isdisjoint(row["seed"] for row in ROWS[world])
    assert {row["seed"] for row in SWEEP} <= set(studies.SWEPT)


def test_the_step_is_the_one_with_the_highest_mean_the_smaller_of_equals():
    rows = [
        {"world": "w", "brain": "CMA-ES", "step": step, "held_out": worth}
        for step, worth in ((3.6, 5.0), (3.6, 1.0), (1.0, 2.0), (1.0, 4.0), (2.0, 2.9))
    ]
    assert studies.chosen("w", "CMA-ES", rows) == studies.chosen("w", "BIPOP", rows) == 1.0
    assert studies.chosen("w", "random", rows) == 0.0


@pytest.fixture
def small(monkeypatch, tmp_path):
    box = studies.BOX
    monkeypatch.setitem(studies.WORLDS, "frozenlake", ("FrozenLake-v1", box, 3, None, 1.0, 3, 2, 2))
    return tmp_path


def test_a_study_goes_on_and_keeps_what_is_there(small):
    measure = partial(studies.measure, "frozenlake", ["random", "BIPOP"], [0, 1], folder=small)
    first = measure(5)
    (small / "frozenlake.jsonl").unlink()
    studies.append(small / "frozenlake.jsonl", [row for row in first if row["seed"] == 0])
    again = measure(5)
    assert sorted(map(str, again)) == sorted(map(str, first))
    more = measure(10)
    assert more[: len(again)] == again
    assert {row["proposals"] for row in more[len(again) :]} == {10}
    swept = {"hill climbing", "hill climbing, numbers", "CMA-ES", "ARS"}
    assert {row["brain"] for row in studies.load(small / "sweep.jsonl")} == swept


def test_brains_meet_the_same_warm_up_on_starts_of_their_seed(small):
    task = studies.Task("cartpole")
    searches = [("random", 0.0, 0), ("CMA-ES", 1.0, 0), ("random", 0.0, 1)]
    trials = studies.searched(task, searches, 2)
    points = [[t.params.tolist() for t in own[:20]] for own in trials]
    assert points[0] == points[1] != points[2]
    alone = studies.searched(task, searches[1:2], 2)[0]
    assert [t.returns.tolist() for t in alone] == [t.returns.tolist() for t in trials[1]]
    point, returns = trials[2][7].params, trials[2][7].returns
    starts = studies.own_starts(1, task.episodes).tolist()
    assert returns.tolist() == task.world.returns(task.linear, point, starts).tolist()


def test_restarts_are_told_one_at_a_time_and_end_at_the_target():
    task = studies.Task("cartpole")

    def asked(target, count, seed=0):
        brain = studies.Restarts(task.linear, sigma=2.0, target=target, seed=seed)
        for k in range(count):
            point = brain.ask().params
            brain.tell(Trial(k + 1, point, -float(np.abs(point - 1).sum().round(1))))
        return brain

    state = np.random.get_state()[1].tolist()
    free = asked(None, 700)
    assert np.random.get_state()[1].tolist() == state
    values = np.array([trial.value for trial in free.trials])
    assert values.tolist() == [trial.value for trial in asked(None, 700).trials]
    assert values[:20].max() < -2 and values.max() > -1
    # It began again: far off, after it had come close.
    assert values[np.argmax(values) :].min() < -20
    told = asked(-3.0, 700)
    first = next(k for k, trial in enumerate(told.trials) if trial.value >= -3.0)
    rest = {tuple(t.params.tolist()) for t in told.trials[first + 30 :]}
    assert rest == {tuple(told.best.params.tolist())}
    with pytest.raises(ValueError, match="RandomSearch, HillClimbing"):
        studies.Restarts(studies.Task("frozenlake").table)


def test_the_recorded_models_were_told_the_same_box():
    for world, names in studies.REPEATED.items():
        for name in names:
            policy = Run.load(f"repeated/{name}").config["policy"]
            box = studies.WORLDS[world][1]
            assert {key: policy[key] for key in box} == box
