"""Mark one exercise: a student's code in a locked process, the check in one that it cannot reach.

Both are copies (forks) of a process that has run the chapter up to its exercises. The student's
copy is locked in (sandbox.py) and runs the cells that were handed in. The grader's copy asks it for
the answers (peer.py), runs the chapter's own checks on them, and notes what each check says. So
what a cell prints, or does to the checks in its own process, changes no result.
"""

from __future__ import annotations

import ast
import json
import multiprocessing
import os
import signal
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from IPython.core.interactiveshell import InteractiveShell
from nbformat import NotebookNode
from peer import STUDENTS, Peer
from sandbox import run_apart
from traitlets.config import Config

# The stub of an exercise, its checks, the cells handed in, and those of earlier exercises.
Job = tuple[str, tuple[str, ...], list[str], list[str]]
ROOT = Path(__file__).parents[2]
# All that a student's code may read.
READABLE = [
    *map(Path, (sys.prefix, sys.base_prefix, "/usr", "/lib", "/lib64", "/etc")),
    *(ROOT / name for name in ("propslib", "notebooks", "benchmarks")),
]


@dataclass
class Marked:
    """An exercise of a student, marked.

    checks
        What each check said, in order: what it is about, and what is wrong, or None.
    notes
        Errors of the student's cells, and why the marking ended early where it did.
    """

    checks: list[tuple[str, str | None]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def right(self) -> int:
        return sum(wrong is None for _, wrong in self.checks)


class Marker:
    """Marks the exercises of one chapter, in a process of its own: the chapter is run in it."""

    def __init__(self, chapter: list[NotebookNode], seconds: float, scratch: Path):
        self.seconds = seconds
        self._scratch = scratch
        self._cache = scratch.with_name(f"{scratch.name}-cache")  # too large for copies in memory
        places = {"HOME": str(scratch), "XDG_CACHE_HOME": str(self._cache)}
        os.environ.update(MPLBACKEND="agg", **places)
        tempfile.tempdir = str(scratch)  # the chapter's own files, too
        self._shell = InteractiveShell.instance(config=Config(HistoryManager={"enabled": False}))
        self._nowhere = os.open(os.devnull, os.O_RDWR)
        os.chdir(ROOT / "notebooks")
        for cell in chapter:
            if cell.cell_type == "code":
                errors = self._run([cell.source])
                if errors[0]:
                    raise RuntimeError(f"The chapter itself does not run: {errors[0]}")
        self._names = {k: v for k, v in self._shell.user_ns.items() if not k.startswith("_")}

    def mark(self, stub: str, cells: list[str], checks: list[str]) -> Marked:
        """Mark one exercise: its clean stub and checks, and what was handed in."""
        students, graders = Pipe()
        waiting, student = run_apart(
            lambda: self._students(students), self._scratch, [*READABLE, self._cache]
        )
        said, tell = Pipe(duplex=False)  # after the fork: no line to the results in there
        students.close()
        grader = os.fork()
        if grader == 0:
            try:
                self._graders(Peer(graders, self._names), tell, stub, [stub, *cells], checks)
            finally:
                os._exit(0)
        graders.close()
        tell.close()
        marked = self._listen(said, (student, grader))
        for process in (student, grader):
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        for process in (waiting, grader):
            os.waitpid(process, 0)
        said.close()
        return marked

    def _listen(self, said: Connection, processes: tuple[int, ...]) -> Marked:
        """What the grader's process says, until it ends or the time is up."""
        marked, start = Marked(), time.monotonic()
        while not self._time_is_up(start, processes):
            if said.poll(0.2):
                try:
                    kind, content = json.loads(said.recv_bytes())
                except EOFError:
                    return marked
                (marked.checks if kind == "check" else marked.notes).append(content)
        marked.notes.append(f"Stopped after {time.monotonic() - start:.0f} seconds.")
        return marked

    def _time_is_up(self, start: float, processes: tuple[int, ...]) -> bool:
        """On a busy machine those go on that have not had their seconds of processor time yet."""
        passed = time.monotonic() - start
        if passed < self.seconds:
            return False
        used = sum(map(processor_time, processes))
        return used > self.seconds or used < passed / 20 or passed > 10 * self.seconds

    def _students(self, line: Connection) -> None:
        """In the locked process: run what was handed in, and answer the grader."""
        for stream in (0, 1, 2):
            os.dup2(self._nowhere, stream)
        os.closerange(3, line.fileno())
        os.closerange(line.fileno() + 1, os.sysconf("SC_OPEN_MAX"))
        own = {
            "run": lambda _, cells: self._run(cells),
            "value": lambda _, name: self._shell.user_ns.get(name, ...),
        }
        Peer(line, self._names, STUDENTS | own).serve()

    def _graders(
        self, peer: Peer, tell: Connection, stub: str, cells: list[str], checks: list[str]
    ) -> None:
        """In the grader's process: fetch the answers and check them."""
        from propslib.utils import check

        def say(kind: str, content: Any) -> None:
            tell.send_bytes(json.dumps([kind, content]).encode())

        check._tell = lambda what, wrong: say("check", [what, wrong])
        try:
            for error in filter(None, peer.ask("run", None, cells)):
                say("note", str(error))
            self._run([stub])
            for name in answers(stub):
                self._shell.user_ns[name] = peer.ask("value", None, name)
            for error in filter(None, self._run(checks)):
                say("note", f"The check ended with {error}")
        except (EOFError, OSError):
            say("note", "The student's code ended its own process.")
        except (ValueError, TypeError, LookupError, RecursionError) as error:
            say("note", f"An answer cannot be read: {error}")

    def _run(self, cells: list[str]) -> list[str]:
        """Run cells as a notebook does. The error of each, or an empty text."""
        errors = []
        for source in cells:
            result = self._shell.run_cell(source, silent=True)
            error = result.error_before_exec or result.error_in_exec
            errors.append("" if error is None else f"{type(error).__name__}: {error}"[:500])
        return errors


def processor_time(process: int) -> float:
    """The seconds that a process has used, all its threads together; 0 if it is no more."""
    try:
        text = Path(f"/proc/{process}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return 0.0
    user, system = text.rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def answers(stub: str) -> list[str]:
    """The names that a stub wants to be set; a function that is whole in the stub is not one."""
    names = []
    for statement in ast.parse(stub).body:
        nodes = list(ast.walk(statement))
        if isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
            values = [node.value for node in nodes if isinstance(node, ast.Constant)]
            names += [statement.name] * (... in values or "..." in values)
        elif isinstance(statement, ast.Assign):
            targets = [node for target in statement.targets for node in ast.walk(target)]
            names += [node.id for node in targets if isinstance(node, ast.Name)]
    return names


def prepare(before: list[NotebookNode], seconds: float, scratch: Path) -> None:
    """Run a chapter's cells in this process, for `mark_jobs` and `mark_job`."""
    global _marker
    own = scratch / str(os.getpid())
    own.mkdir()
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # what the chapter prints
    _marker = Marker(before, seconds, own)


def mark_jobs(jobs: list[Job], processes: int) -> list[Marked]:
    """Mark exercises in so many copies of this process, which has run the chapter once for all."""
    with ProcessPoolExecutor(processes, multiprocessing.get_context("fork")) as pool:
        return list(pool.map(mark_job, jobs))


def mark_job(job: Job) -> Marked:
    """Mark an exercise: its stub, its checks, the cells handed in, and those of earlier ones."""
    stub, checks, cells, earlier = job
    marked = _marker.mark(stub, cells, list(checks))
    lacking = any(note.startswith("NameError") for note in marked.notes)
    if lacking and earlier:  # a helper from an earlier exercise
        again = _marker.mark(stub, [*earlier, *cells], list(checks))
        return max(marked, again, key=lambda one: one.right)
    return marked
