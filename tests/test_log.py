"""The file of a run: whole or refused, written by one process at a time, and never half a line."""

import io
import json
import multiprocessing
import os
import sys
from contextlib import closing

import numpy as np
import pytest
import small_search

from propslib import Run
from propslib.writer import Log

HEADER = {"format": "props-run/2", "config": {}}


@pytest.fixture
def logged(tmp_path):
    """A finished log, its bytes, and the parameters and values that it holds."""
    path = tmp_path / "run.jsonl"
    run = small_search.run(path, tmp_path / "calls")
    return path, path.read_bytes(), told(run)


def told(run):
    return [(t.iteration, t.value, t.params.tolist(), t.returns.tolist()) for t in run.trials]


def faults(data, rng):
    """The log with a byte cut out, flipped or doubled, or with lines dropped, doubled, swapped."""
    lines, place = data.splitlines(keepends=True), int(rng.integers(len(data)))
    i, j = sorted(rng.choice(len(lines), 2, replace=False).tolist())
    flipped = bytes([data[place] ^ (1 << int(rng.integers(8)))])
    yield data[:place] + data[place + 1 :]
    yield data[:place] + flipped + data[place + 1 :]
    yield data[:place] + data[place : place + 1] + data[place:]
    yield b"".join(lines[:i] + lines[i + 1 :])
    yield b"".join(lines[: i + 1] + lines[i:])
    lines[i], lines[j] = lines[j], lines[i]
    yield b"".join(lines)


def test_no_damage_changes_a_number_and_what_is_found_names_file_and_line(logged):
    path, data, whole = logged
    rng, found = np.random.default_rng(0), []
    for _ in range(100):
        for broken in faults(data, rng):
            path.write_bytes(broken)
            try:
                left = told(Run.load(path))
            except ValueError as error:
                found.append(str(error))
            else:
                assert left == whole[: len(left)], "the damage was believed"
    assert all(f"{path}, line " in why or "not a run log" in why for why in found)


WRONG = [
    *[(2, {"value": 999.0}, "its value is 999.0"), (2, {"index": 3}, "'warmup' is out of order")],
    (2, {"params": ["1", 2, 3]}, "not a list"),
    (5, {"params": [9.0, 9.0, 9.0]}, r"but \[9.0, 9.0, 9.0\] was proposed"),
    *[(6, {"iteration": 2}, "'tell' is out of order"), (6, {"event": "told"}, "'told' is out of")],
    *[(6, {"returns": [float("nan"), 0]}, "nan.* not a list of finite numbers")],
    *[(2, {"params": [float("inf"), 1, 2]}, "not a list"), (6, {"value": float("nan")}, "is nan")],
    *[(2, {"event": "tell"}, "it has no 'iteration'"), (6, {"returns": None}, "not a list")],
]


@pytest.mark.parametrize(("line", "change", "why"), WRONG)
def test_an_old_log_without_checksums_is_checked_too(logged, line, change, why):
    path, data, _ = logged
    lines = [json.loads(text) for text in data.splitlines()]
    for record in lines:
        del record["crc"]
    lines[0]["format"] = "props-run/1"
    for new in ({}, change):
        lines[line - 1] |= new
        path.write_text("".join(json.dumps(record) + "\n" for record in lines))
        assert new or len(Run.load(path).proposals) == 10
    with pytest.raises(ValueError, match=why):
        Run.load(path)


@pytest.mark.parametrize("text", [b"", b"\xff\xfe\n", b"[1]\n", b"[" * 9000 + b"\n", b'{"a":1}\n'])
def test_what_is_no_log_is_refused_and_left_alone(tmp_path, text):
    path = tmp_path / "notes.jsonl"
    path.write_bytes(text)
    with pytest.raises(ValueError, match="notes.jsonl"):
        Run.load(path)
    if text:
        with pytest.raises(ValueError, match="notes.jsonl"):
            Run.open(path, HEADER)
    assert path.read_bytes() == text


@pytest.mark.parametrize("cut", [1, 30])
def test_a_torn_last_line_is_passed_over_and_cut_off(logged, cut):
    path, data, whole = logged
    path.write_bytes(data[:-cut])
    assert told(Run.load(path)) == whole[:-1]
    with closing(Log(path)) as log:
        log.resume(Run.load(path).header)
        log.append({"event": "note"})
    assert b"note" in path.read_bytes().splitlines()[-1]
    assert path.read_bytes().count(b"\n") == data.count(b"\n")


def test_a_short_write_is_gone_on_with(tmp_path):
    """An unbuffered write may write a part, and say so by its result only."""

    class Short(io.FileIO):
        def write(self, data):
            return super().write(data[:7])

    log = Log(tmp_path / "run.jsonl")
    whole, log._file = log._file, Short(os.dup(log._file.fileno()), "r+b")
    log.append(HEADER)
    log.close()
    whole.close()
    assert Run.load(log.path).header == HEADER


def fill(path, sent, limit):
    """In a process of its own: append to a log on a disk with room for `limit` bytes only."""
    import resource

    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    log, added = Log(path), 0
    try:
        log.append(HEADER)
        while True:
            log.append({"event": "warmup", "index": added, "text": "x" * 100})
            added += 1
    except OSError:
        sent.send(added)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no limit of this kind")
@pytest.mark.parametrize("limit", [60, 333, 1000])
def test_a_line_that_does_not_fit_leaves_no_part_of_it(tmp_path, limit):
    path = tmp_path / "full.jsonl"
    added = elsewhere(fill, path, limit, how="fork")
    assert path.read_bytes()[-2:] in (b"", b"}\n")
    lines = path.read_bytes().splitlines()
    assert len(lines) in (0, added + 1)
    assert all(json.loads(line)["crc"] for line in lines)


def second(path, sent):
    try:
        small_search.run(path, path.with_suffix(".second"))
    except RuntimeError as error:
        sent.send(str(error))


def elsewhere(target, path, *arguments, how="spawn"):
    """What a function of a path and a pipe sends from a process of its own."""
    here, there = multiprocessing.Pipe()
    context = multiprocessing.get_context(how)
    process = context.Process(target=target, args=(path, there, *arguments))
    process.start()
    process.join(60)
    return here.recv()


def test_a_second_process_is_told_so_and_pays_nothing(tmp_path):
    path, told = tmp_path / "run.jsonl", []

    def meanwhile():
        if not told:
            told.append(elsewhere(second, path))

    run = small_search.run(path, tmp_path / "calls", before_answer=meanwhile)
    assert "by another process" in told[0] and "another log" in told[0]
    assert not path.with_suffix(".second").exists()
    assert len(Run.load(path).proposals) == len(run.proposals) == 10


def test_nothing_is_left_of_a_log_that_was_deleted(tmp_path):
    """A search that the disk stopped must not speak into another one at the same path."""
    path = tmp_path / "run.jsonl"
    run = Run.open(path, HEADER)
    run._log._file.close()
    with pytest.raises(ValueError, match="closed"):
        run.append({"event": "warmup", "index": 0, "params": [1.0], "returns": [1.0], "value": 1.0})
    path.unlink()
    with closing(Run.open(path, HEADER)) as again:
        assert again.trials == run.trials == []
