"""Marking a class: honest students get their points, hostile ones lose theirs and nothing else."""

import csv
import multiprocessing
import os
import re
import socket
import subprocess
import sys
import tomllib
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from unittest.mock import MagicMock

import grade
import mark
import nbformat
import pytest
from make_notebooks import student, student_text
from pages import ROOT, exercises, of, read

pytestmark = pytest.mark.slow

FOLDER = ROOT / "book" / "classroom"
CHAPTER = ROOT / "notebooks" / "01_worlds.ipynb"
HALF = "return_a, return_b, return_c = -24.975, 96.4, 1"
# Each takes the place of the answer to the first exercise.
HOSTILE = tomllib.loads(Path(__file__).with_name("hostile_answers.toml").read_text("utf-8"))
DENIED = ("PermissionError", "Read-only", "OSError", "ProcessLookupError")


def handed_in(answers, last=4):
    """The student's chapter up to the last exercise, with these cells in the places of stubs."""
    notebook = student(read(CHAPTER))
    for number, source in answers.items():
        (stub,) = of(exercises(notebook)[number - 1], "stub")
        stub.source = source
    if last < 4:
        end = notebook.cells.index(exercises(notebook)[last][0])
        notebook.cells = notebook.cells[:end]
    return notebook


def solutions():
    parts = enumerate(exercises(read(CHAPTER)), start=1)
    return {number: "\n".join(c.source for c in of(part, "solution")) for number, part in parts}


@pytest.fixture(scope="module")
def server():
    """A socket that nobody is to reach."""
    with socket.create_server(("127.0.0.1", 0)) as one:
        one.settimeout(0.1)
        yield one


@pytest.fixture(scope="module")
def graded(server, tmp_path_factory):
    """A class of honest and hostile students, marked: the table's rows by student, the pages."""
    folder, place, into = (tmp_path_factory.mktemp(name) for name in ("in", "place", "out"))
    for name in ("a.txt", "b.txt"):
        (place / name).write_text("kept")
    port = server.getsockname()[1]
    cells = {"ada": solutions(), "Zoë B": {1: HALF}, "blank": {}}
    for name, source in HOSTILE.items():
        source = source.replace("{place}", str(place)).replace("{port}", str(port))
        cells[name] = solutions() | {1: source.replace("{pid}", str(os.getpid()))}
    for name, answers in cells.items():
        (folder / name).mkdir()
        last = 2 if name in HOSTILE else 4
        nbformat.write(handed_in(answers, last), folder / name / "01_worlds.ipynb")
    helped = handed_in({1: "def cost(a, n):\n    return 0.1 * a**2 * n", 2: "..."})
    code = "fastest, earns_most, time_helps = 1, 0.2, cost(1, 1) > 1  # <script>alert(1)</script>"
    spare = nbformat.v4.new_code_cell(code)
    helped.cells.insert(helped.cells.index(of(exercises(helped)[1], "stub")[0]) + 1, spare)
    nbformat.write(helped, folder / "helped_01_worlds.ipynb")
    (folder / "letter.txt").write_text("Dear teacher")
    (folder / "torn_01_worlds.ipynb").write_text('{"cells": [')
    (folder / "01_worlds.ipynb").write_text("{}")
    os.mkfifo(folder / "pipe_01_worlds.ipynb")
    (folder / "device_01_worlds.ipynb").symlink_to("/dev/zero")
    with (folder / "big_01_worlds.ipynb").open("wb") as file:
        file.truncate(182_000_000)
    limits = ["--into", into, "--seconds", "20", "--processes", "2"]
    command = [sys.executable, FOLDER / "grade.py", folder, *limits]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    with pytest.raises(TimeoutError):
        server.accept()
    assert [(place / name).read_text() for name in ("a.txt", "b.txt")] == ["kept", "kept"]
    assert f"{len(cells) + 1} students, 6 files" in done.stdout
    return table(into), into


def table(folder):
    """The rows of the marks, by student."""
    with (folder / "grades.csv").open(encoding="utf-8") as file:
        return {row["student"]: row for row in csv.DictReader(file)}


def points(row):
    return [int(value) for name, value in row.items() if name.startswith("01.") and value]


def test_honest_students_get_what_their_answers_are_worth(graded):
    rows, _ = graded
    columns = [name for name in rows["ada"] if name.startswith("01.")]
    assert columns == ["01.1 (of 3)", "01.2 (of 4)", "01.3 (of 1)", "01.4 (of 2)"]
    assert points(rows["ada"]) == [3, 4, 1, 2] and rows["ada"]["notes"] == ""
    expected = {"Zoë B": [2, 0, 0, 0], "blank": [0, 0, 0, 0], "helped": [0, 3, 0, 0]}
    assert {name: points(rows[name]) for name in expected} == expected


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_answer_earns_nothing_and_harms_nobody(graded, name):
    rows, into = graded
    assert points(rows[name]) == [0, 4]
    page = (into / f"{name}.html").read_text()
    if name == "loops":  # endless prints may meet the limit of memory first
        assert "Stopped after" in page
    if name in ("deletes", "writes", "kills", "forks", "calls"):
        assert any(word in page for word in DENIED)


def test_files_that_cannot_be_used_are_listed_with_the_reason(graded):
    _, into = graded
    page = (into / "not-used.html").read_text()
    reasons = {"letter.txt": "no notebook", "torn_01_worlds.ipynb": "no notebook"}
    reasons |= {"pipe_01_worlds.ipynb": "regular", "device_01_worlds.ipynb": "regular"}
    reasons |= {"01_worlds.ipynb": "student", "big_01_worlds.ipynb": "182 MB"}
    for file, why in reasons.items():
        assert re.search(f"<li>{file}[^<]*{why}", page), file


def test_a_page_shows_code_as_text(graded):
    _, into = graded
    page = (into / "helped.html").read_text()
    assert "<script>" not in page and "&lt;script&gt;" in page


def test_a_chapter_that_does_not_run_here_is_named_and_the_others_are_marked(tmp_path, monkeypatch):
    for chapter in ("01_worlds", "14_language_model_policy"):
        text = student_text(ROOT / "notebooks" / f"{chapter}.ipynb")
        (tmp_path / f"ada_{chapter}.ipynb").write_text(text, encoding="utf-8")

    def mark_class(path, students, seconds, processes):
        if path.stem.startswith("14"):
            raise grade.BrokenProcessPool
        found = grade.exercises(path)[1]
        students["ada"].marked = {e.name: grade.Marked() for e in found}
        return {e.name: len(e.checks) for e in found if e.checks}, {}

    monkeypatch.setattr(grade, "mark_class", mark_class)
    done = grade.grade(tmp_path, tmp_path / "out", 1, 1)
    assert done.startswith("1 students, 1 files not used")
    assert "make network" in (tmp_path / "out" / "not-used.html").read_text()
    assert "14." not in (tmp_path / "out" / "grades.csv").read_text()


def test_an_exercise_that_cannot_be_marked_here_stops_no_other(tmp_path, monkeypatch):
    text = student_text(CHAPTER)
    (tmp_path / "ada_01_worlds.ipynb").write_text(text, encoding="utf-8")
    slow, fine = grade.Marked([], ["Stopped"]), grade.Marked([("(a)", "not yet")])

    pool = MagicMock()
    submit = pool.return_value.__enter__.return_value.submit
    submit.side_effect = lambda task, jobs, processes: MagicMock(
        result=lambda: [slow, *[fine] * (len(jobs) - 1)]
    )
    monkeypatch.setattr(grade, "ProcessPoolExecutor", pool)
    grade.grade(tmp_path, tmp_path / "out", 1, 1)
    assert "exercise 01.1: nobody was marked" in (tmp_path / "out" / "not-used.html").read_text()
    row = table(tmp_path / "out")["ada"]
    assert row["01.1 (of ?)"] == "not marked" and row["01.2 (of 1)"] == "0"


def test_what_a_chapter_keeps_in_its_cache_may_be_large_and_can_be_read(tmp_path):
    """Chapter 14 keeps weights of 540 MB there; a student's own folder in memory has 64."""
    keeps = "import os, pathlib\nkept = pathlib.Path(os.environ['XDG_CACHE_HOME']) / 'kept'\n"
    keeps += "kept.parent.mkdir()\nkept.write_bytes(bytes(10**8))"
    checks = "from propslib.utils import check\ncheck.number('size', size, 10**8)"
    job = ("size = ...", (checks,), ["size = len(kept.read_bytes())"], [])
    chapter, fork = [nbformat.v4.new_code_cell(keeps)], multiprocessing.get_context("fork")
    with ProcessPoolExecutor(1, fork, mark.prepare, (chapter, 20, tmp_path)) as pool:
        marked = pool.submit(mark.mark_job, job).result()
    assert marked.right == 1 and marked.notes == []


@pytest.mark.parametrize(
    ("passed", "used", "over"), [(20, 40, False), (31, 31, True), (31, 8, False), (31, 1, True)]
)
def test_only_processor_time_counts_on_a_busy_machine(monkeypatch, passed, used, over):
    marker = object.__new__(mark.Marker)
    marker.seconds = 30
    monkeypatch.setattr(mark, "processor_time", lambda process: used)
    monkeypatch.setattr(mark.time, "monotonic", lambda: 1000.0)
    assert marker._time_is_up(1000 - passed, (1,)) is over
    assert marker._time_is_up(1000 - 301, (1,))


def test_processor_time_is_that_of_the_process():
    used = sum(os.times()[:2])
    assert mark.processor_time(os.getpid()) == pytest.approx(used, abs=1)
    assert mark.processor_time(2**22 + 1) == 0


def test_answers_in_words_are_collected():
    chapter = ROOT / "notebooks" / "09_limits.ipynb"
    known = grade.exercises(chapter)[1]
    (spoken,) = [e for e in known if not e.checks]
    notebook = student(read(chapter))
    (place,) = of(exercises(notebook)[int(spoken.number) - 1], "stub")
    one = grade.Student()
    grade.take(one, notebook.cells, known)
    assert one.words[spoken.name] == []
    place.source = "It *depends*."
    grade.take(one, notebook.cells, known)
    assert one.words[spoken.name] == ["It *depends*."]
