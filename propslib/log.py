"""The file of a run: JSON lines that are only added to, by one process at a time.

    {"format": "props-run/2", "config": {...}, "versions": {...}, ..., "crc": "5d3a9c1f"}
    {"event": "warmup", "index": 0, "params": [...], "returns": [...], "value": -3.6, "crc": ...}
    {"event": "ask", "iteration": 1, "reply": "params[0]: ...", "params": [...], "crc": ...}
    {"event": "tell", "iteration": 1, "params": [...], "returns": [...], "value": -5.8, "crc": ...}

Each line ends in the CRC-32 of all lines so far, so that a line that was changed, lost, doubled or
moved is noticed. (Logs of format 1, the older recordings, have none.) A last line without a line
break was torn by a crash: it is passed over, and cut off when the run goes on.
"""

from __future__ import annotations

import json
import os
import socket
import sys
from pathlib import Path
from typing import Any, BinaryIO
from zlib import crc32

FORMATS = ("props-run/1", "props-run/2")
ROOM = 2**18  # bytes that are taken on the disk before a model is paid for an answer
_CRC = b', "crc": "'


class Log:
    """A run's file, open and locked for writing. Raises RuntimeError where it is in use already.

    path
        The file; made where there is none, with the folders above it.

    `records` are the lines that were there, the header first.
    """

    def __init__(self, path: Path):
        self.path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file = os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT | _BINARY), "r+b", buffering=0)
        try:
            self._lock()
            data = self._file.read()
            self.records, self._crc = ([], 0) if _is_torn_header(data) else _read(path, data)
        except BaseException:
            self._file.close()
            raise
        self._end = data.rfind(b"\n") + 1 if self.records else 0
        self._holder.write_text(f"process {os.getpid()} on {socket.gethostname()}")

    def append(self, record: dict[str, Any]) -> None:
        """Add a line. When this returns, it survives a power cut.

        Raises OSError where the disk refuses the line, of which then nothing is left in the file.
        """
        line, crc = _to_line(record, self._crc)
        try:
            self._write(line)
            self._file.truncate(self._end + len(line))
            os.fsync(self._file.fileno())
        except BaseException:
            self._file.truncate(self._end)
            raise
        self._end, self._crc = self._end + len(line), crc

    def reserve(self) -> None:
        """Take room on the disk for the next line. Raises OSError where there is none."""
        self._write(b" " * ROOM)
        os.fsync(self._file.fileno())

    def close(self) -> None:
        """Let others write to the file. Closing twice does no harm."""
        if not self._file.closed:
            self._file.truncate(self._end)
            self._holder.unlink(missing_ok=True)
            self._file.close()

    def _write(self, data: bytes) -> None:
        self._file.seek(self._end)
        while data:  # an unbuffered write may write a part, and say so only by its result
            data = data[self._file.write(data) :]

    @property
    def _holder(self) -> Path:
        return self.path.with_name(f"{self.path.name}.lock")

    def _lock(self) -> None:
        try:
            _lock_file(self._file)
        except OSError as error:
            holder = self._holder.read_text() if self._holder.exists() else "another process"
            raise RuntimeError(
                f"{self.path} is being written by {holder}: wait until that search ends, or give "
                "this one another log."
            ) from error


def read_records(path: Path) -> list[dict[str, Any]]:
    """The lines of a log, the header first, without one that a crash has torn.

    Raises FileNotFoundError, and ValueError, with file and line, where it is no log or was changed.
    """
    return _read(path, path.read_bytes())[0]


def _read(path: Path, data: bytes) -> tuple[list[dict[str, Any]], int]:
    """The lines as records, and the checksum of them all."""
    records: list[dict[str, Any]] = []
    crc = 0
    for number, line in enumerate(data.split(b"\n")[:-1], start=1):
        try:
            record, crc = _from_line(line, crc)
            _check_format(record if number == 1 else records[0], "crc" in record)
        except (ValueError, RecursionError) as error:
            raise ValueError(f"{path}, line {number}: {error}") from error
        record.pop("crc", None)
        records.append(record)
    if not records:
        raise ValueError(f"{path} is not a run log: it has no first line.")
    return records, crc


def _to_line(record: dict[str, Any], before: int) -> tuple[bytes, int]:
    # A reply cut in the middle of a character must reach the disk like any other.
    text = json.dumps(record, ensure_ascii=False, allow_nan=False).encode("utf-8", "surrogatepass")
    crc = crc32(text[:-1], before)
    return text[:-1] + _CRC + f'{crc:08x}"}}\n'.encode(), crc


def _from_line(line: bytes, before: int) -> tuple[dict[str, Any], int]:
    body, mark, end = line.rpartition(_CRC)
    crc = crc32(body if mark else line, before)
    if mark and end != f'{crc:08x}"}}'.encode():
        raise ValueError("its checksum does not fit: this line or one before it was changed.")
    record = json.loads(line, parse_constant=_refuse_constant)
    if not isinstance(record, dict):
        raise ValueError("it is not an object of JSON.")
    return record, crc


def _check_format(header: dict[str, Any], checked: bool) -> None:
    if header.get("format") not in FORMATS:
        raise ValueError(f"not a run log, whose first line names one of the formats {FORMATS}.")
    if not checked and header["format"] != FORMATS[0]:
        raise ValueError("it has no checksum.")


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is no number that a log may hold.")


def _is_torn_header(data: bytes) -> bool:
    start = f'{{"format": "{FORMATS[-1]}"'.encode()
    return b"\n" not in data and start.startswith(data[: len(start)])


if sys.platform == "win32":
    import msvcrt

    _BINARY = os.O_BINARY

    def _lock_file(file: BinaryIO) -> None:
        file.seek(2**30)  # beyond what is read: Windows keeps others from reading what is locked
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        file.seek(0)

else:
    import fcntl

    _BINARY = 0

    def _lock_file(file: BinaryIO) -> None:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
