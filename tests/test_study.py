"""Studies: the same table however it was made, and every figure as `search` gives it."""

import json
import os
import subprocess
import sys

import joblib
import pytest
import small_study

from propslib import CMAES, RandomSearch, Run, held_out, search
from propslib.study import load_table, read_off, study


@pytest.fixture(scope="module")
def serial():
    return small_study.run()


def test_every_row_is_what_a_search_by_hand_gives(serial, car, policy):
    expected = []
    for name, kind in (("random", RandomSearch), ("CMA-ES", CMAES)):
        for seed in (0, 3):
            brain = kind(policy, seed=seed)
            run = search(brain, car, policy, budget=9, warmup=3, episodes=2, seed=seed)
            for proposals in (0, 4, 9):
                best = max(run.trials[: 3 + proposals], key=lambda trial: trial.value)
                out = held_out(car, policy, best.params)
                played = 2 * (3 + proposals)
                figures = (best.value, best.params.tolist(), out.mean, out.low, out.high)
                expected.append([name, seed, proposals, played, *figures])
    assert [list(row.values()) for row in serial] == expected
    twice = small_study.run(budgets=[9, 4, 0, 4], seeds=[0, 3, 0])
    assert twice == serial


def test_processes_give_the_serial_table_and_a_finished_study_only_judges_again(serial, tmp_path):
    assert small_study.run(tmp_path, n_jobs=2) == serial
    names = {"random-0.jsonl", "random-3.jsonl", "CMA-ES-0.jsonl", "CMA-ES-3.jsonl"}
    assert {path.name for path in tmp_path.iterdir()} == names
    evaluations = []
    assert small_study.run(tmp_path, lambda: evaluations.append(1)) == serial
    assert len(evaluations) == len({(row["brain"], row["seed"], row["best"]) for row in serial})


def test_a_dask_cluster_gives_the_table_of_the_serial_study(serial, tmp_path):
    distributed = pytest.importorskip("distributed")

    def noted(make):
        def noting(policy, seed):
            (tmp_path / str(os.getpid())).touch()
            return make(policy, seed)

        return noting

    brains = {name: noted(make) for name, make in small_study.BRAINS.items()}
    options = {"n_workers": 2, "threads_per_worker": 1, "host": "127.0.0.1"}
    with (
        distributed.LocalCluster(**options, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
        joblib.parallel_config(backend="dask"),
    ):
        assert small_study.run(brains=brains, n_jobs=-1) == serial
        workers = {str(number) for number in client.run(os.getpid).values()}
    there = {path.name for path in tmp_path.iterdir()}
    assert there and there <= workers


@pytest.mark.parametrize("moment", [0, 20, 45])
def test_a_study_that_was_killed_goes_on_to_the_same_table(serial, tmp_path, moment):
    command = [sys.executable, small_study.__file__, tmp_path, str(moment)]
    assert subprocess.run(command, check=False).returncode == -9
    evaluations, whole = [], []
    assert small_study.run(tmp_path, lambda: evaluations.append(1)) == serial
    small_study.run(before_returns=lambda: whole.append(1))
    assert len(evaluations) < len(whole) or not moment


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_an_error_names_the_search_that_it_stopped(n_jobs, tmp_path):
    def broken(policy, seed):
        if seed == 3:
            raise OSError("the disk is full")
        return RandomSearch(policy, seed=seed)

    with pytest.raises(OSError, match="the disk is full") as error:
        small_study.run(tmp_path, brains=small_study.BRAINS | {"broken": broken}, n_jobs=n_jobs)
    assert "The search of 'broken' with seed 3 failed." in error.value.__notes__


def test_a_log_of_other_settings_is_refused_by_name(tmp_path):
    small_study.run(tmp_path, seeds=[0])
    with pytest.raises(ValueError, match="warmup.*3, 4") as error:
        small_study.run(tmp_path, seeds=[0], warmup=4)
    assert "The search of 'random' with seed 0 failed." in error.value.__notes__


def test_a_run_is_read_off_no_further_than_it_went_and_the_callers_world_stays_open(car, policy):
    run = search(RandomSearch(policy), car, policy, budget=3, warmup=0, episodes=2)
    run.stopped = "The limit was reached."
    with pytest.raises(ValueError, match="3 proposals, fewer than the budget 4. The limit was"):
        read_off(run, car, policy, [1, 4])
    with pytest.raises(ValueError, match="empty"):
        read_off(run, car, policy, [0])
    with pytest.raises(ValueError, match="0 proposals, fewer"):
        read_off(Run(run.header), car, policy, [1])
    settings = {"budgets": [1], "seeds": [0], "warmup": 0, "n_jobs": 1}
    rows = study(small_study.BRAINS, car, policy, **settings)
    assert [row["episodes"] for row in rows] == [20, 20] and car._env is not None  # still open


def test_a_bar_counts_searches_and_a_table_is_read_back(serial, tmp_path, capsys):
    for progress, shown in ((True, "4/4"), (False, "")):
        small_study.run(progress=progress)
        printed = capsys.readouterr().err
        assert shown in printed and bool(printed) == progress
    path = tmp_path / "table.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in serial))
    assert load_table(path) == serial
    path.write_text("a,b\n1,2\n")
    with pytest.raises(json.JSONDecodeError):
        load_table(path)


WRONG = [
    *[({"budgets": []}, "empty"), ({"budgets": [0]}, "largest of the budgets is 0")],
    *[({"budgets": [-1, 5]}, "at least 0"), ({"budgets": [0, 5], "warmup": 0}, "at least 1")],
]


@pytest.mark.parametrize(("settings", "words"), WRONG)
def test_settings_that_cannot_work_are_refused(settings, words):
    with pytest.raises(ValueError, match=words):
        small_study.run(**settings)
