"""The record of a search, read back and reported."""

import numpy as np
import pytest
import small_search
from recorded import load

from propslib import LinearPolicy, Run, World, held_out


@pytest.fixture(scope="module")
def record():
    return load("mountaincar-props")


@pytest.fixture(scope="module")
def setup():
    with World("MountainCarContinuous-v0") as world:
        yield world, LinearPolicy(world)


def test_a_record_is_read_back_with_its_best_so_far(record):
    assert (len(record.warmup), len(record.proposals)) == (20, record.config["budget"]) == (20, 60)
    assert record.best.iteration == 31 and record.best.params.tolist() == [0.1, 6.0, 0.0]
    assert record.warmup[0].reply == "" and record.warmup[0].returns.shape == (20,)
    values = [trial.value for trial in record.trials]
    assert record.best_so_far.tolist() == [max(values[: k + 1]) for k in range(80)]
    with pytest.raises(ValueError, match="empty"):
        Run({"config": {}}).best  # noqa: B018


def test_one_name_serves_to_search_and_to_load(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    small_search.run("gpt-4.1", tmp_path / "calls", budget=1)
    assert [path.name for path in tmp_path.glob("gpt*")] == ["gpt-4.1.jsonl"]
    assert len(Run.load("gpt-4.1").proposals) == len(Run.load("gpt-4.1.jsonl").proposals) == 1
    assert len(Run.load("mountaincar-props").proposals) == 60
    with pytest.raises(FileNotFoundError, match="'no such'.* mountaincar-props,"):
        Run.load("no such")


def test_held_out_return_is_the_one_that_the_recordings_table_reports(record, setup):
    """notebooks/recordings/README.md: 90.9 [85.0, 95.9], over seeds 10000 onwards."""
    world, policy = setup
    reported = held_out(world, policy, record.best.params)
    found = reported.mean, reported.low, reported.high
    assert found == pytest.approx((90.9, 85.0, 95.9), abs=0.5)
    returns = world.returns(policy, record.best.params, range(10_000, 10_100))
    np.testing.assert_array_equal(reported.returns, returns)
