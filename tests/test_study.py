"""Studies: the same table however it was made, and every figure as `search` gives it."""

import json
import subprocess
import sys
from itertools import product
from pathlib import Path

import joblib
import pytest
from small_search import FailingWorld

from propslib import CMAES, LinearPolicy, RandomSearch, Run, held_out, search
from propslib.study import load_table, read_off, study

BRAINS = {"random": lambda policy, seed: RandomSearch(policy, seed=seed)}
BRAINS |= {"CMA-ES": lambda policy, seed: CMAES(policy, seed=seed)}
SETTINGS = {"budgets": [0, 4, 9], "seeds": [0, 3], "warmup": 3, "episodes": 2, "n_jobs": 1}
WRONG = {"empty": {"budgets": []}, "largest of the budgets is 0": {"budgets": [0]}}
WRONG |= {"at least 0": {"budgets": [-1, 5]}, "at least 1": {"budgets": [0, 5], "warmup": 0}}
# A program that kills itself (SIGKILL) before an evaluation, counted from 0.
KILLED = "import sys; from test_study import run; from small_search import killed_at\n"
KILLED += "run(sys.argv[1], killed_at(int(sys.argv[2]))[0])"


def run(folder=None, before_returns=lambda: None, brains=BRAINS, **settings):
    """A study of two brains and two seeds."""
    with FailingWorld("MountainCarContinuous-v0", max_steps=30) as world:
        world.before_returns = before_returns
        return study(brains, world, LinearPolicy(world), folder=folder, **SETTINGS | settings)


@pytest.fixture(scope="module")
def serial():
    return run()


def test_every_row_is_what_a_search_by_hand_gives(serial, car, policy):
    settings, expected = {"budget": 9, "warmup": 3, "episodes": 2}, []
    for (name, make), seed in product(BRAINS.items(), (0, 3)):
        trials = search(make(policy, seed), car, policy, seed=seed, **settings).trials
        for proposals in (0, 4, 9):
            best = max(trials[: 3 + proposals], key=lambda trial: trial.value)
            out = held_out(car, policy, best.params)
            figures = (best.value, best.params.tolist(), out.mean, out.low, out.high)
            expected.append([name, seed, proposals, 2 * (3 + proposals), *figures])
    assert [list(row.values()) for row in serial] == expected
    assert run(budgets=[9, 4, 0, 4], seeds=[0, 3, 0]) == serial


def test_processes_give_the_serial_table_and_a_finished_study_only_judges_again(serial, tmp_path):
    assert run(tmp_path, n_jobs=2) == serial
    names = {"random-0.jsonl", "random-3.jsonl", "CMA-ES-0.jsonl", "CMA-ES-3.jsonl"}
    assert {path.name for path in tmp_path.iterdir()} == names
    evaluations = []
    assert run(tmp_path, lambda: evaluations.append(1)) == serial
    assert len(evaluations) == len({(row["brain"], row["seed"], row["best"]) for row in serial})


def test_a_dask_cluster_gives_the_table_of_the_serial_study(serial):
    distributed = pytest.importorskip("distributed")
    options = {"n_workers": 2, "threads_per_worker": 1, "host": "127.0.0.1"}
    with (
        distributed.LocalCluster(**options, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
        distributed.get_task_stream(client) as stream,
        joblib.parallel_config(backend="dask"),
    ):
        assert run(n_jobs=-1) == serial
    assert stream.data  # the searches ran on its workers


@pytest.mark.parametrize("moment", [0, 20, 45])
def test_a_study_that_was_killed_goes_on_to_the_same_table(serial, tmp_path, moment):
    command = [sys.executable, "-c", KILLED, tmp_path, str(moment)]
    killed = subprocess.run(command, cwd=Path(__file__).parent, check=False)
    assert killed.returncode == -9
    evaluations = []
    assert run(tmp_path, lambda: evaluations.append(1)) == serial
    assert len(evaluations) < 4 * (3 + 9) or not moment  # less than four searches without judging


def test_an_error_names_the_search_that_it_stopped():
    def broken(policy, seed):
        if seed == 3:
            raise OSError("the disk is full")
        return RandomSearch(policy, seed=seed)

    with pytest.raises(OSError, match="the disk is full") as error:
        run(brains=BRAINS | {"broken": broken}, n_jobs=2)
    assert "The search of 'broken' with seed 3 failed." in error.value.__notes__


def test_a_log_of_other_settings_is_refused_by_name(tmp_path):
    run(tmp_path, seeds=[0])
    with pytest.raises(ValueError, match="warmup.*3, 4") as error:
        run(tmp_path, seeds=[0], warmup=4)
    assert "The search of 'random' with seed 0 failed." in error.value.__notes__


def test_a_run_is_read_off_no_further_than_it_went_and_the_callers_world_stays_open(car, policy):
    short = search(RandomSearch(policy), car, policy, budget=3, warmup=2, episodes=2)
    short.stopped = "The limit was reached."
    with pytest.raises(ValueError, match="3 proposals, fewer than the budget 4. The limit was"):
        read_off(short, car, policy, [1, 4])
    for budget, words in ((0, "empty"), (1, "0 proposals, fewer")):
        with pytest.raises(ValueError, match=words):
            read_off(Run(short.header), car, policy, [budget])
    rows = study(BRAINS, car, policy, budgets=[1], seeds=[0], warmup=0, n_jobs=1)
    assert [row["episodes"] for row in rows] == [20, 20] and car._env is not None  # still open


def test_a_bar_counts_searches_and_a_table_is_read_back(serial, tmp_path, capsys):
    for progress, shown in ((True, "4/4"), (False, "")):
        run(progress=progress)
        printed = capsys.readouterr().err
        assert shown in printed and bool(printed) == progress
    path = tmp_path / "table.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in serial))
    assert load_table(path) == serial
    path.write_text("a,b\n1,2\n")
    with pytest.raises(json.JSONDecodeError):
        load_table(path)


@pytest.mark.parametrize("words", WRONG)
def test_settings_that_cannot_work_are_refused(words):
    with pytest.raises(ValueError, match=words):
        run(**WRONG[words])
