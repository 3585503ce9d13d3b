"""The file of a run: JSON lines that are only added to, by one process at a time.

Each of these records is one line in the file, broken here to fit:

.. code-block:: json
    :force:
    :class: record

    {"format": "props-run/2",
     "config": {...}, "versions": {...},
     ..., "crc": "5d3a9c1f"}

    {"event": "warmup", "index": 0,
     "params": [...], "returns": [...],
     "value": -3.6, "crc": ...}

    {"event": "ask", "iteration": 1,
     "reply": "params[0]: ...",
     "params": [...], "crc": ...}

    {"event": "tell", "iteration": 1,
     "params": [...], "returns": [...],
     "value": -5.8, "crc": ...}

Each line ends in the CRC-32 of all lines so far, so that a line that was changed, lost, doubled or
moved is noticed. (Logs of format 1, the older recordings, have none.) A last line without a line
break was torn by a crash: it is passed over, and cut off when the run goes on.
"""

import json
from pathlib import Path
from typing import Any
from zlib import crc32

FORMATS = ("props-run/1", "props-run/2")
CRC = b', "crc": "'


def read_lines(path: Path, data: bytes) -> tuple[list[dict[str, Any]], int]:
    """The lines of a log, the header first, without one that a crash has torn; their checksum.

    Raises ValueError, with file and line, where it is no log or was changed.
    """
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


def _from_line(line: bytes, before: int) -> tuple[dict[str, Any], int]:
    body, mark, end = line.rpartition(CRC)
    crc = crc32(body if mark else line, before)
    if mark and end != f'{crc:08x}"}}'.encode():
        raise ValueError("its checksum does not fit: this line or one before it was changed.")
    record = json.loads(line)
    if not isinstance(record, dict):
        raise ValueError("it is not an object of JSON.")
    return record, crc


def _check_format(header: dict[str, Any], checked: bool) -> None:
    if header.get("format") not in FORMATS:
        raise ValueError(f"not a run log, whose first line names one of the formats {FORMATS}.")
    if not checked and header["format"] != FORMATS[0]:
        raise ValueError("it has no checksum.")
