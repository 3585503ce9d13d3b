"""The loop: stopped anywhere and resumed, a search is the search that was never stopped."""

import sys
from itertools import chain, repeat
from unittest.mock import Mock

import numpy as np
import pytest
import small_search

from propslib import LinearPolicy, Run, SearchError, search
from propslib.brain import LLMBrain, RandomSearch, Reply
from propslib.write_log import Log

CALLS = 12  # ten proposals, two of which are asked for twice


class Stop(Exception):
    pass


def stop_at(moment):
    """A hook that raises at its call number `moment`, from 0, and never again."""
    return Mock(side_effect=chain([None] * moment, [Stop], repeat(None)))


def content(log):
    """The lines of a log, but for when it was made."""
    run = Run.load(log)
    return [run.header | {"created": ""}, *run.events]


@pytest.fixture
def whole(tmp_path):
    """The log of the search that was never stopped."""
    small_search.run(tmp_path / "whole.jsonl", tmp_path / "whole-calls")
    assert len((tmp_path / "whole-calls").read_text().split()) == CALLS
    return content(tmp_path / "whole.jsonl")


@pytest.fixture
def place(tmp_path):
    return tmp_path / "search.jsonl", tmp_path / "calls"


def assert_resumes(place, whole, **settings):
    log, calls = place
    run = small_search.run(log, calls, **settings)
    assert content(log) == whole
    assert run.events == whole[1:]
    assert len(calls.read_text().split()) == CALLS, "a proposal was asked for twice"


@pytest.mark.parametrize("part", ["world", "model"])
def test_a_failing_world_or_model_costs_nothing(place, whole, part):
    hook = "before_returns" if part == "world" else "before_answer"
    for moment in (0, 4, 3):  # at first, between a refusal and its answer, and later
        with pytest.raises(Stop):
            small_search.run(*place, **{hook: stop_at(moment)})
    assert_resumes(place, whole)


@pytest.mark.parametrize("moment", [0, 4, 5, 13])
def test_a_failing_disk_costs_no_answer(place, whole, monkeypatch, moment):
    """A line that the disk refuses is written when the search is called again."""
    full, write = stop_at(moment), Log._write

    def failing_write(log, data):
        if b'"ask"' not in data:
            write(log, data[: len(data) // 2])
            full()
        write(log, data)

    monkeypatch.setattr(Log, "_write", failing_write)
    with pytest.raises(Stop):
        small_search.run(*place)
    assert_resumes(place, whole)


def test_a_reply_that_the_disk_refuses_is_shown(place, monkeypatch):
    def no_append(run, event):
        raise OSError(5, "Input/output error") if event["event"] == "ask" else None

    monkeypatch.setattr(Run, "append", no_append)
    with pytest.raises(OSError, match="Input/output") as failure:
        small_search.run(*place, warmup=0)
    assert "params[1]: 0.5" in failure.value.__notes__[0]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")
def test_kill_9_costs_nothing(tmp_path, whole):
    """Killed at moments of each kind: before an answer, an evaluation, after a line was written."""
    moments = int(small_search.elsewhere(tmp_path / "count", tmp_path / "count-calls").stdout)
    for moment in (0, 8, 9, 10, 11, np.random.default_rng(12).integers(12, moments)):
        place = tmp_path / f"{moment}.jsonl", tmp_path / f"{moment}-calls"
        assert small_search.elsewhere(*place, moment).returncode == -9
        assert_resumes(place, whole)


def test_a_finished_search_only_reads_its_log_and_another_is_refused(place, whole):
    small_search.run(*place)
    before = place[0].read_bytes()
    assert_resumes(place, whole, before_returns=stop_at(0), before_answer=stop_at(0))
    assert place[0].read_bytes() == before
    for name, value in {"budget": 11, "warmup": 4, "episodes": 3, "seed": 1}.items():
        with pytest.raises(ValueError, match=f"log of another search .*{name}"):
            small_search.run(*place, **{name: value})
    assert place[0].read_bytes() == before


def test_a_model_that_never_answers_well_stops_the_search_with_its_last_reply(place, car, policy):
    brain = LLMBrain(lambda prompt: Reply("I would rather not."), policy)
    settings = {"budget": 2, "warmup": 1, "episodes": 1, "attempts": 3, "log": place[0]}
    with pytest.raises(SearchError, match="no reply of 3 could be used.*I would rather not"):
        search(brain, car, policy, **settings)
    assert len(Run.load(place[0]).refusals) == 3


def test_a_reply_cut_in_the_middle_of_a_character_is_kept(place, car, policy):
    replies = iter(["Sure \ud83d", "params[0]: 1, params[1]: 2, params[2]: 3\nCut \ud83d"])
    brain = LLMBrain(lambda prompt: Reply(next(replies)), policy)
    run = search(brain, car, policy, budget=1, warmup=1, episodes=1, log=place[0])
    assert run.proposals[0].reply.endswith("\ud83d")
    assert Run.load(place[0]).events == run.events


def test_a_progress_bar_shows_the_best(car, policy, capsys):
    for progress, words in ((True, ["3/3", "best="]), (None, [])):
        settings = {"budget": 2, "warmup": 1, "episodes": 1, "progress": progress}
        search(RandomSearch(policy), car, policy, **settings)
        shown = capsys.readouterr().err
        assert all(word in shown for word in words) and bool(shown) == bool(progress)


WRONG = [("budget", 0), ("budget", 1.5), ("warmup", -1), ("episodes", 0)]
WRONG += [("attempts", float("inf")), ("seed", "0")]


@pytest.mark.parametrize(("name", "value"), WRONG)
def test_settings_that_cannot_work_are_refused_before_anything_is_played(policy, name, value):
    with pytest.raises((ValueError, TypeError), match=f"{name} is {value!r}"):
        search(RandomSearch(policy), None, policy, **{"budget": 1} | {name: value})


def test_a_used_brain_and_one_for_another_policy_are_refused(car, policy):
    brain = RandomSearch(policy)
    search(brain, car, policy, budget=1, warmup=1, episodes=1)
    with pytest.raises(ValueError, match="told 2 trials already"):
        search(brain, car, policy, budget=1)
    with pytest.raises(ValueError, match="Make the brain with this policy"):
        search(RandomSearch(LinearPolicy(car, bias=False)), car, policy, budget=1)
