"""Each exercise's check takes right answers in other forms, and tells tempting wrong ones why.

answers/NN.toml has a table for each exercise of chapter NN that has a check: right answers, and
wrong ones with words of the feedback. An answer is code that runs after the exercise's solution, so
it gives only what it answers in another way. A right one must be right in every line of the check.
"""

import contextlib
import io
import tomllib

import pytest
from pages import ROOT, exercises, of, read

# A chapter leaves its temporary folders to the garbage collector.
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore::ResourceWarning")]

FILES = sorted((ROOT / "tests" / "answers").glob("*.toml"))


def checked(notebook):
    """The cells of each exercise that has a check, by the name that its stub's id begins with."""
    parts = [part for part in exercises(notebook) if of(part, "check")]
    return {of(part, "stub")[0].id.removesuffix("-stub"): part for part in parts}


class Chapter:
    """A chapter's names, made by its cells up to the exercises."""

    def __init__(self, path):
        notebook = read(path)
        self.exercises, self.names = checked(notebook), {}
        first = notebook.cells.index(exercises(notebook)[0][0])
        for cell in notebook.cells[:first]:
            if cell.cell_type == "code":
                exec(cell.source, self.names)

    def solve(self, name):
        """A copy of the names, with those that the solution of an exercise sets."""
        names = dict(self.names)
        for cell in of(self.exercises[name], "solution"):
            with contextlib.redirect_stdout(io.StringIO()):
                exec(cell.source, names)
        return names

    def said(self, name, solved, answer):
        """What the checks of an exercise say to an answer."""
        names, out = dict(solved), io.StringIO()
        with contextlib.redirect_stdout(out):
            exec(answer, names)
            for cell in of(self.exercises[name], "check"):
                exec(cell.source, names)
        return out.getvalue().splitlines()


@pytest.fixture(params=FILES, ids=lambda path: path.stem)
def file(request, monkeypatch):
    monkeypatch.chdir(ROOT / "notebooks")
    monkeypatch.setenv("MPLBACKEND", "Agg")
    return request.param


@pytest.mark.timeout(900)  # some checks run an experiment
def test_right_answers_in_other_forms_pass_and_wrong_ones_are_told_why(file):
    (path,) = (ROOT / "notebooks").glob(f"{file.stem}_*.ipynb")
    chapter, answers = Chapter(path), tomllib.loads(file.read_text(encoding="utf-8"))
    faults = []
    for name, given in answers.items():
        solved = chapter.solve(name)
        for answer in ("", *given["right"]):  # the solution itself, too
            lines = chapter.said(name, solved, answer)
            if not lines or not all(line.endswith(": right.") for line in lines):
                faults.append((name, answer, lines))
        for answer, words in given["wrong"]:
            lines = [line for line in chapter.said(name, solved, answer) if "not yet" in line]
            if not any(words in line for line in lines):
                faults.append((name, answer, words, lines))
    assert not faults, "\n".join(map(str, faults))


def test_each_exercise_has_five_right_answers_and_three_wrong_ones(file):
    (path,) = (ROOT / "notebooks").glob(f"{file.stem}_*.ipynb")
    answers = tomllib.loads(file.read_text(encoding="utf-8"))
    assert list(answers) == list(checked(read(path)))
    for name, given in answers.items():
        assert len(set(given["right"])) >= 5 and len(given["wrong"]) >= 3, name
        assert all(words for _, words in given["wrong"]), name
