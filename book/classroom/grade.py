"""Mark what a class has handed in: one table, and a page for each student.

    python book/classroom/grade.py submissions            # into _grades

`submissions` holds the students' notebooks, as they saved them from `make student`: in a folder for
each student (submissions/ada/01_worlds.ipynb), or with the name in the file's
(submissions/ada_01_worlds.ipynb). What is read of a notebook is the cells beneath the heading of
each exercise: its stub and what was written beside it. They are moved into a clean copy of the
chapter and run there, locked in and for at most some seconds (mark.py, sandbox.py).

_grades/grades.csv has a row for each student and a column for each exercise: how many of its checks
say "right". _grades/STUDENT.html shows what each check said, _grades/to-read.html all answers in
words, _grades/not-used.html the files that could not be used, and why.
"""

from __future__ import annotations

import argparse
import csv
import html
import json
import multiprocessing
import os
import re
import stat
import sys
import tempfile
import time
from collections import defaultdict
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from pathlib import Path

import nbformat
from make_notebooks import CHAPTERS, EXERCISE, ROOT, has_tag, split, student
from mark import Marked, mark_jobs, prepare
from nbformat import NotebookNode
from sandbox import NotLocked

LARGEST = 5_000_000  # bytes of one notebook
NAME = re.compile(r"[^\W_]([\w .-]*\w)?")
PAGE = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title>
<style>body {{ font: 1rem/1.5 sans-serif; max-width: 45rem; margin: 2rem auto; padding: 0 1rem }}
pre {{ white-space: pre-wrap; background: #f4f4f4; padding: 0.5rem }}</style></head>
<body><h1>{title}</h1>
{body}
</body></html>
"""


@dataclass(frozen=True)
class Exercise:
    """An exercise of a clean chapter. One in words has no stub and no checks."""

    chapter: str
    number: str
    title: str
    stub: str
    checks: tuple[str, ...]
    own: frozenset[str]  # the texts of its cells, which are nobody's answer

    @property
    def name(self) -> str:
        return f"{self.chapter[:2]}.{self.number}"


@dataclass
class Student:
    """What one student handed in, by exercise: cells and words; and what became of it."""

    cells: dict[str, list[str]] = field(default_factory=dict)
    words: dict[str, list[str]] = field(default_factory=dict)
    marked: dict[str, Marked] = field(default_factory=dict)


def exercises(chapter: Path) -> tuple[list[NotebookNode], list[Exercise]]:
    """The cells of a student's chapter before its exercises, and these."""
    parts = list(split(student(nbformat.read(chapter, as_version=4)).cells))
    before, found = [], []
    for part in parts:
        heading = EXERCISE.match(part[0].source) if part else None
        if heading:
            code = [cell for cell in part if cell.cell_type == "code"]
            stub = "\n".join(cell.source for cell in code if has_tag(cell, "stub"))
            checks = tuple(cell.source for cell in code if has_tag(cell, "check"))
            title = part[0].source.partition("\n")[0].removeprefix("### ")
            own = frozenset(cell.source.strip() for cell in part)
            found.append(Exercise(chapter.stem, heading[1], title, stub, checks, own))
        elif not found:
            before += part
    return before, found


def read_cells(path: Path) -> list[NotebookNode]:
    """The cells of a notebook that somebody else wrote. Raises ValueError where it is none."""
    found = path.lstat()
    if not stat.S_ISREG(found.st_mode):
        raise ValueError("it is no regular file")
    if found.st_size > LARGEST:
        raise ValueError(f"it has {found.st_size / 1e6:.0f} MB, and {LARGEST / 1e6:.0f} may be")
    try:
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        return [
            nbformat.from_dict(
                {
                    "cell_type": str(cell["cell_type"]),
                    "source": "".join(cell["source"]),
                    "metadata": {"tags": list(cell.get("metadata", {}).get("tags", []))},
                }
            )
            for cell in cells
        ]
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise ValueError(f"it is no notebook: {type(error).__name__}") from error


def whose(path: Path, folder: Path, chapters: list[str]) -> tuple[str, str]:
    """The student and the chapter that a file's place says. Raises ValueError where it does not."""
    chapter = next((chapter for chapter in chapters if chapter in path.stem), None)
    if chapter is None:
        raise ValueError("its name holds no chapter's, such as 01_worlds")
    place = path.relative_to(folder).parts
    name = place[0] if len(place) > 1 else path.stem.replace(chapter, "").strip(" _-.")
    if not NAME.fullmatch(name):
        raise ValueError(f"its student is called {name!r}: use letters, digits, blanks, . - and _")
    return name, chapter


def collect(
    folder: Path, known: dict[str, list[Exercise]]
) -> tuple[dict[str, Student], dict[str, str]]:
    """What each student handed in, and for each file that cannot be used the reason."""
    students: dict[str, Student] = defaultdict(Student)
    refused, seen = {}, {}
    for path in sorted(folder.rglob("*")):
        file = path.relative_to(folder).as_posix()
        if path.is_dir() or "/." in f"/{file}":
            continue
        try:
            if path.suffix != ".ipynb":
                raise ValueError("it is no notebook (.ipynb)")
            name, chapter = whose(path, folder, list(known))
            if (name, chapter) in seen:
                raise ValueError(f"{name} has handed in {seen[name, chapter]}, too")
            cells = read_cells(path)
        except (ValueError, OSError) as error:
            refused[file] = str(error)
        else:
            seen[name, chapter] = file
            take(students[name], cells, known[chapter])
    return dict(sorted(students.items())), refused


def take(one: Student, cells: list[NotebookNode], known: list[Exercise]) -> None:
    """Sort a notebook's cells by exercise."""
    by_number = {exercise.number: exercise for exercise in known}
    for part in split(cells):
        heading = EXERCISE.match(part[0].source) if part else None
        exercise = by_number.get(heading[1]) if heading else None
        if exercise is None:
            continue
        added = [
            cell
            for cell in part
            if cell.source.strip() not in exercise.own and not has_tag(cell, "check")
        ]
        name = exercise.name
        one.cells[name] = [cell.source for cell in added if cell.cell_type == "code"]
        one.words[name] = [cell.source for cell in added if cell.cell_type == "markdown"]


def mark_class(
    chapter: Path, students: dict[str, Student], seconds: float, processes: int
) -> tuple[dict[str, int], dict[str, str]]:
    """Mark one chapter of all students.

    How many checks each of its exercises in code has, and why some cannot be marked here.
    """
    before, known = exercises(chapter)
    known = [exercise for exercise in known if exercise.checks]
    wanted = [(name, e) for name, one in students.items() for e in known if e.name in one.cells]
    jobs = [(e.stub, e.checks, [], []) for e in known]
    for name, exercise in wanted:
        cells = students[name].cells
        before_it = known[: known.index(exercise)]
        earlier = [cell for e in before_it for cell in cells.get(e.name, [])]
        jobs.append((exercise.stub, exercise.checks, cells[exercise.name], earlier))
    with tempfile.TemporaryDirectory(prefix="marking-") as scratch:
        fork, chapters = multiprocessing.get_context("fork"), (before, seconds, Path(scratch))
        with ProcessPoolExecutor(1, fork, prepare, chapters) as apart:
            marked = apart.submit(mark_jobs, jobs, processes).result()
    blank = dict(zip((e.name for e in known), marked, strict=False))
    wrong = {name: found for name, found in blank.items() if found.right or not found.checks}
    for (name, exercise), found in zip(wanted, marked[len(known) :], strict=True):
        if exercise.name not in wrong:
            students[name].marked[exercise.name] = found
    totals = {name: len(found.checks) for name, found in blank.items() if name not in wrong}
    reason = "nobody was marked: untouched, its checks say {}. A higher LIMIT may help"
    return totals, {
        f"exercise {name}": reason.format("; ".join(found.notes) or "right")
        for name, found in wrong.items()
    }


def leave_out(chapter: list[Exercise], students: dict[str, Student]) -> None:
    """Forget what was handed in for a chapter."""
    for one in students.values():
        for exercise in chapter:
            one.cells.pop(exercise.name, None)
            one.words.pop(exercise.name, None)


def write(
    folder: Path,
    known: dict[str, list[Exercise]],
    students: dict[str, Student],
    refused: dict[str, str],
    totals: dict[str, int],
) -> None:
    """The table, the pages, and the list of files that could not be used."""
    folder.mkdir(parents=True, exist_ok=True)
    every = [exercise for found in known.values() for exercise in found]
    columns = [e for e in every if any(e.name in one.cells for one in students.values())]
    with (folder / "grades.csv").open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        heads = [
            f"{e.name} (of {totals.get(e.name, '?')})" if e.checks else f"{e.name} (words)"
            for e in columns
        ]
        table.writerow(["student", *heads, "checks right", "notes"])
        for name, one in students.items():
            cells = [_cell(one, exercise) for exercise in columns]
            notes = sum(len(found.notes) for found in one.marked.values())
            right = sum(found.right for found in one.marked.values())
            table.writerow([name, *cells, right, notes or ""])
    for name, one in students.items():
        body = "\n".join(_shown(e, one, totals) for e in columns if e.name in one.cells)
        _page(folder / f"{name}.html", name, body)
    spoken = [e for e in columns if not e.checks]
    body = "\n".join(
        f"<h2>{html.escape(f'{e.name} {e.title}')}</h2>"
        + "".join(
            f"<h3>{html.escape(name)}</h3>{_pre(one.words[e.name])}"
            for name, one in students.items()
            if one.words.get(e.name)
        )
        for e in spoken
    )
    _page(folder / "to-read.html", "Answers in words", body)
    items = "".join(f"<li>{html.escape(f'{file}: {why}')}</li>" for file, why in refused.items())
    _page(folder / "not-used.html", "Files that were not used", f"<ul>{items}</ul>")


def _cell(one: Student, exercise: Exercise) -> int | str:
    if exercise.name not in one.cells:
        return ""
    if exercise.checks:
        return one.marked[exercise.name].right if exercise.name in one.marked else "not marked"
    return "to read" if one.words[exercise.name] else ""


def _shown(exercise: Exercise, one: Student, totals: dict[str, int]) -> str:
    name = exercise.name
    parts = [f"<h2>{html.escape(f'{name} {exercise.title}')}</h2>"]
    if marked := one.marked.get(name):
        lines = [f"{what}: {'right.' if wrong is None else wrong}" for what, wrong in marked.checks]
        items = "".join(f"<li>{html.escape(line)}</li>" for line in [*lines, *marked.notes])
        parts.append(f"<p>{marked.right} of {totals[name]}</p><ul>{items}</ul>")
    parts += [_pre(one.cells[name]), _pre(one.words[name])]
    return "".join(parts)


def _pre(texts: list[str]) -> str:
    return "".join(f"<pre>{html.escape(text)}</pre>" for text in texts)


def _page(path: Path, title: str, body: str) -> None:
    path.write_text(PAGE.format(title=html.escape(title), body=body), encoding="utf-8")


def grade(folder: Path, into: Path, seconds: float, processes: int) -> str:
    """Mark a folder. What was done, in a line. Raises FileNotFoundError where there is none."""
    if not folder.is_dir():
        raise FileNotFoundError(f"There is no folder {folder}: name the one with the notebooks.")
    chapters = {path.stem: path for path in sorted(CHAPTERS.glob("[0-9]*.ipynb"))}
    known = {stem: exercises(path)[1] for stem, path in chapters.items()}
    students, refused = collect(folder, known)
    totals = {}
    for stem, path in chapters.items():
        if any(e.name in one.cells for one in students.values() for e in known[stem]):
            print(f"{stem} ...", flush=True)
            try:
                counted, troubles = mark_class(path, students, seconds, processes)
                totals |= counted
                refused |= troubles
            except BrokenProcessPool:  # what broke it was printed
                refused[stem] = "the chapter itself does not run here (the last needs make network)"
                leave_out(known[stem], students)
    write(into, known, students, refused, totals)
    return f"{len(students)} students, {len(refused)} files not used: {into / 'grades.csv'}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--into", type=Path, default=ROOT / "_grades")
    parser.add_argument("--seconds", type=float, default=30, help="for each exercise")
    parser.add_argument("--processes", type=int, default=os.cpu_count())
    wanted = parser.parse_args()
    start = time.monotonic()
    try:
        done = grade(wanted.folder, wanted.into, wanted.seconds, wanted.processes)
    except (FileNotFoundError, NotLocked) as error:
        sys.exit(str(error))
    print(f"{done} ({time.monotonic() - start:.0f} s)")


if __name__ == "__main__":
    main()
