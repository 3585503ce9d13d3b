"""Committed studies and first replies: whole, and a sample computed again."""

# ruff: noqa: NPY002  (the package cma draws from NumPy's global generator)

import hashlib
import json
from functools import partial
from random import Random

import first_replies
import memory
import numpy as np
import pytest
import studies

from propslib import LLMBrain, Run, Trial, search
from propslib.brain import StopSearch

WORLDS = [world for world in studies.WORLDS if (studies.FOLDER / f"{world}.jsonl").exists()]
ROWS = {world: studies.load(studies.FOLDER / f"{world}.jsonl") for world in WORLDS}
SWEEP = studies.load(studies.FOLDER / "sweep.jsonl")
RECORDED = studies.load(studies.FOLDER / "recorded.jsonl")
PLAN = json.loads((first_replies.FOLDER / "plan.json").read_text(encoding="utf-8"))
REPLIES = studies.load(first_replies.FOLDER / "replies.jsonl")
JUDGED = studies.load(first_replies.HERE / "first_replies.jsonl")
BLANK = studies.load(first_replies.HERE / "first_blank.jsonl")
DRAW = Random(2026)


def near(number):
    """Processors may add up in another order, which changes the last digits."""
    return pytest.approx(number, abs=2e-3)


def judge_again(world, row):
    """Judge the row's point anew; on Swimmer, where that takes seconds, one block of it."""
    task, point, what = studies.Task(world), np.array(row["params"]), f"{world}: {row}"
    assert row["held_out"] == near(np.mean(row["blocks"])), what
    if world != "swimmer":
        assert task.judge([point])[0] == near(row["blocks"]), what
    else:
        block, size = DRAW.randrange(studies.BLOCKS), task.judges // studies.BLOCKS
        starts = 10_000 + size * block + np.arange(size)
        returns = task.world.returns(task.linear, point, starts.tolist())
        assert returns.mean() == near(row["blocks"][block]), what


@pytest.mark.parametrize("world", [world for world in WORLDS if world != "swimmer"])
def test_a_search_drawn_at_random_is_made_again(world):
    early = [row for row in ROWS[world] if row["proposals"] == 20]
    drawn = DRAW.choice([row for row in early if row["brain"] not in studies.SLOW])
    task, key = studies.Task(world), (drawn["brain"], drawn["step"], drawn["seed"])
    (again,) = studies.rows_of(task, [key], studies.searched(task, [key], 20), (20,))
    for name in ("best", "held_out", "blocks", "params"):
        assert again[name] == near(drawn[name]), (name, key)


@pytest.mark.parametrize("world", WORLDS)
def test_a_point_drawn_at_random_is_judged_again(world):
    judge_again(world, DRAW.choice([row for row in ROWS[world] if "blocks" in row]))


def test_a_recorded_search_drawn_at_random_is_judged_again():
    drawn = DRAW.choice([row for row in RECORDED if "blocks" in row])
    judge_again(drawn["world"], drawn)
    folder = "" if drawn["recording"] in sum(studies.SINGLE.values(), ()) else "repeated/"
    run = Run.load(folder + drawn["recording"])
    tried = run.trials[: len(run.warmup) + drawn["proposals"]]
    best = max(tried, key=lambda trial: trial.value)
    assert best.params.tolist() == drawn["params"]
    assert drawn["episodes"] == sum(len(trial.returns) for trial in tried)


def test_a_point_found_from_recorded_warm_up_points_earns_what_is_written():
    """A search drawn at random: its best point, undisguised, on the search's own starts."""
    drawn = DRAW.choice(studies.load(studies.FOLDER.parent / "memory.jsonl"))
    record = Run.load(f"repeated/{drawn['search']}")
    _, world, policy = memory.set_up(record)
    mark = max(drawn["best"], key=int)
    returns = world.returns(policy, drawn["params"][mark], range(record.config["episodes"]))
    chaotic = "swimmer" in drawn["search"]  # see test_recordings
    assert returns.mean() == pytest.approx(drawn["best"][mark], abs=2 if chaotic else 0.02), drawn


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


def test_a_study_goes_on_and_keeps_what_is_there(monkeypatch, tmp_path):
    small = ("FrozenLake-v1", studies.BOX, 3, None, 1.0, 3, 2, 2)
    monkeypatch.setitem(studies.WORLDS, "frozenlake", small)
    measure = partial(studies.measure, "frozenlake", ["random", "BIPOP"], [0, 1], folder=tmp_path)
    first, path = measure(5), tmp_path / "frozenlake.jsonl"
    path.unlink()
    studies.append(path, [row for row in first if row["seed"] == 0])
    again, more = measure(5), measure(10)
    assert sorted(map(str, again)) == sorted(map(str, first))
    assert more[: len(again)] == again
    assert {row["proposals"] for row in more[len(again) :]} == {10}
    swept = {"hill climbing", "hill climbing, numbers", "CMA-ES", "ARS"}
    assert {row["brain"] for row in studies.load(tmp_path / "sweep.jsonl")} == swept


def test_brains_meet_the_same_warm_up_on_starts_of_their_seed():
    task = studies.Task("cartpole")
    searches = [("random", 0.0, 0), ("CMA-ES", 1.0, 0), ("random", 0.0, 1)]
    trials = studies.searched(task, searches, 2)
    points = [[t.params.tolist() for t in own[:20]] for own in trials]
    assert points[0] == points[1] != points[2]
    (alone,) = studies.searched(task, searches[1:2], 2)
    assert [t.returns.tolist() for t in alone] == [t.returns.tolist() for t in trials[1]]
    trial, starts = trials[2][7], studies.own_starts(1, task.episodes).tolist()
    singly = task.world.returns(task.linear, trial.params, starts)
    assert trial.returns.tolist() == singly.tolist()


def test_restarts_are_told_one_at_a_time_and_end_at_the_target():
    task = studies.Task("cartpole")

    def values_told(target):
        brain = studies.Restarts(task.linear, sigma=2.0, target=target)
        for k in range(700):
            point = brain.ask().params
            brain.tell(Trial(k + 1, point, -float(np.abs(point - 1).sum().round(1))))
        return [trial.value for trial in brain.trials]

    state = np.random.get_state()[1].tolist()
    free = values_told(None)
    assert np.random.get_state()[1].tolist() == state
    assert free == values_told(None)
    assert max(free[:20]) < -2 and max(free) > -1
    assert min(free[np.argmax(free) :]) < -20  # it began again, far off
    aimed = values_told(-3.0)
    first = next(k for k, value in enumerate(aimed) if value >= -3.0)
    assert {*aimed[first + 30 :]} == {max(aimed)}
    with pytest.raises(ValueError, match="RandomSearch, HillClimbing"):
        studies.Restarts(studies.Task("frozenlake").table)


def test_the_recorded_models_were_told_the_same_box():
    for world, names in studies.REPEATED.items():
        for name in names:
            policy = Run.load(f"repeated/{name}").config["policy"]
            assert studies.WORLDS[world][1].items() <= policy.items()


def test_the_replies_are_those_that_the_plan_asked_for_first():
    planned = sorted(PLAN["runs"][: len(REPLIES)])
    for lines in (REPLIES, JUDGED):
        assert sorted([one["cell"], one["seed"]] for one in lines) == planned


@pytest.mark.parametrize("draw", range(4))
def test_a_prompt_a_reply_and_its_worth_are_as_recorded(draw):
    reply = DRAW.choice([one for one in REPLIES if "swimmer" not in one["cell"]])
    cell, seed, asked = PLAN["cells"][reply["cell"]], reply["seed"], []

    def chat(prompt):
        asked.append(hashlib.sha256(prompt.encode()).hexdigest())
        if len(asked) > 1:
            raise StopSearch("only the first was asked for")
        return reply["reply"]

    world, policy = first_replies.set_up(cell)
    with world:
        brain = LLMBrain(chat, policy, **cell["brain"])
        run = search(brain, world, policy, budget=50, episodes=cell["episodes"], seed=seed)
    assert asked[0] == reply["prompt_sha256"]
    kind = reply["cell"].removesuffix("-told-the-optimum")  # the blank searchers' worlds
    ours = [one for one in BLANK if (one["task"], one["seed"]) == (kind, seed)]
    assert all(one["warm-up"] == pytest.approx(run.best_so_far[19]) for one in ours)
    np.testing.assert_array_equal(run.proposals[0].params, reply["params"])
    assert run.proposals[0].value == pytest.approx(reply["value"])
    held_out = {(one["cell"], one["seed"]): one["held_out"] for one in JUDGED}[reply["cell"], seed]
    assert first_replies.judge(cell, reply["params"]) == pytest.approx(held_out, abs=1e-5)
