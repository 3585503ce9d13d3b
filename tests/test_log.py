"""The file of a run: whole or refused, written by one process at a time, and never half a line."""

import io
import json
from contextlib import closing

import numpy as np
import pytest
import small_search

from propslib import Run
from propslib.read_log import read_lines
from propslib.write_log import Log

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
    """The log with a byte or a line dropped, doubled or swapped with another, or a bit flipped."""
    for parts in ([bytes([byte]) for byte in data], data.splitlines(keepends=True)):
        i, j = rng.choice(len(parts), 2, replace=False).tolist()
        yield b"".join(parts[:i] + parts[i + 1 :])
        yield b"".join(parts[: i + 1] + parts[i:])
        parts[i], parts[j] = parts[j], parts[i]
        yield b"".join(parts)
    flipped = bytearray(data)
    flipped[int(rng.integers(len(data)))] ^= 1 << int(rng.integers(8))
    yield bytes(flipped)


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


NO_LOGS = [b"", b"\xff\xfe\n", b"[1]\n", b"[" * 9000 + b"\n", b'{"a":1}\n', b"Dear diary"]
NO_LOGS += [b'{"format": "props-run/2", "config": {}}\n']  # without its checksum


@pytest.mark.parametrize("text", NO_LOGS)
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
    records, _ = read_lines(path, path.read_bytes())
    assert records[-1] == {"event": "note"} and len(records) == data.count(b"\n")


class SmallDisk(io.FileIO):
    """A disk that takes a few bytes a write, and says so by its result only, until it is full."""

    def __init__(self, path, room):
        super().__init__(path, "r+b")
        self.room = room

    def write(self, data):
        if not self.room:
            raise OSError(28, "No space left on device")
        written = super().write(data[: min(7, self.room)])
        self.room -= written
        return written


@pytest.mark.parametrize(("room", "lines"), [(40, 0), (333, 2), (1000, 7)])
def test_a_line_is_written_whole_or_not_at_all(tmp_path, room, lines):
    def fill():
        for record in [HEADER] + [{"event": "note", "text": "x" * 100}] * 9:
            log.append(record)

    with closing(Log(tmp_path / "run.jsonl")) as log:
        log._file.close()
        log._file = SmallDisk(log.path, room)
        with pytest.raises(OSError, match="No space left"):
            fill()
        left = log.path.read_bytes().splitlines(keepends=True)
    assert [line[-2:] for line in left] == [b"}\n"] * lines


def test_a_second_process_is_told_so_and_pays_nothing(tmp_path):
    path, second = tmp_path / "run.jsonl", []

    def meanwhile():
        if not second:
            second.append(small_search.elsewhere(path, tmp_path / "second").stderr)

    run = small_search.run(path, tmp_path / "calls", before_answer=meanwhile)
    assert "by another process" in second[0] and "another log" in second[0]
    assert not (tmp_path / "second").exists()
    assert len(Run.load(path).proposals) == len(run.proposals) == 10


def test_nothing_is_left_of_a_log_that_was_deleted(tmp_path):
    path = tmp_path / "run.jsonl"
    run = Run.open(path, HEADER)
    run._log._file.close()
    with pytest.raises(ValueError, match="closed"):
        run.append({"event": "warmup", "index": 0, "params": [1.0], "returns": [1.0], "value": 1.0})
    path.unlink()
    with closing(Run.open(path, HEADER)) as again:
        assert again.trials == run.trials == []
