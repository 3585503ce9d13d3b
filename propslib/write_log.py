"""Optional: writes the file of a run, for a search that is to be resumed or replayed."""

import json
import os
import platform
import sys
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, BinaryIO
from zlib import crc32

from .read_log import CRC, FORMATS, read_lines

PACKAGES = ("gymnasium", "mujoco", "numpy", "cma", "openai", "google-genai", "xllamacpp")


class Log:
    """A run's file, open and locked for writing. Raises RuntimeError where it is in use already.

    path
        The file; made where there is none, with the folders above it.
    """

    def __init__(self, path: Path):
        self.path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
        self._file = path.open("r+b", buffering=0)
        self._end, self._crc = path.stat().st_size, 0
        try:
            _lock_file(self._file)
        except OSError as error:
            self._file.close()
            why = f"{path} is being written by another process"
            raise RuntimeError(f"{why}: wait for its end, or give another log.") from error

    def resume(self, header: dict[str, Any]) -> list[dict[str, Any]]:
        """The lines that are there: in a new file the header, to which the origin is added.

        Raises ValueError where they belong to a search with another config or were changed.
        """
        data = self._file.read()
        records, self._crc = ([], 0) if _is_torn_header(data) else read_lines(self.path, data)
        self._end = data.rfind(b"\n") + 1 if records else 0
        if not records:
            created = datetime.now(UTC).isoformat(timespec="seconds")
            versions = {"python": platform.python_version()} | {p: _version(p) for p in PACKAGES}
            header = {"format": FORMATS[-1], "created": created} | header | {"versions": versions}
            self.append(header)
            records = [header]
        there, here = records[0]["config"], header["config"]
        both = {name: (there.get(name), here.get(name)) for name in there | here}
        if changed := {name: pair for name, pair in both.items() if pair[0] != pair[1]}:
            why = f"{self.path} is the log of another search (there and here: {changed})"
            raise ValueError(f"{why}: use its settings to resume it, or another path.")
        return records

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

    def close(self) -> None:
        """Let others write to the file. Closing twice does no harm."""
        self._file.close()

    def _write(self, data: bytes) -> None:
        self._file.seek(self._end)
        while data:  # an unbuffered write may write a part, and say so only by its result
            data = data[self._file.write(data) :]


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:  # no search needs all of them
        return "not installed"


def _to_line(record: dict[str, Any], before: int) -> tuple[bytes, int]:
    # A reply cut in the middle of a character must reach the disk like any other.
    text = json.dumps(record, ensure_ascii=False, allow_nan=False).encode("utf-8", "surrogatepass")
    crc = crc32(text[:-1], before)
    return text[:-1] + CRC + f'{crc:08x}"}}\n'.encode(), crc


def _is_torn_header(data: bytes) -> bool:
    start = f'{{"format": "{FORMATS[-1]}"'.encode()
    return b"\n" not in data and start.startswith(data[: len(start)])


if sys.platform == "win32":
    import msvcrt

    def _lock_file(file: BinaryIO) -> None:
        file.seek(2**30)  # beyond what is read: Windows keeps others from reading what is locked
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        file.seek(0)

else:
    import fcntl

    def _lock_file(file: BinaryIO) -> None:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
