"""Each exercise's check takes right answers in other forms, and tells tempting wrong ones why.

In answers/NN.toml an answer is code that runs after the exercise's solution, so it gives only what
it answers in another way; with a wrong one stand words of the feedback.
"""

import contextlib
import io
import tomllib

import pytest
from pages import ROOT, exercises, of, read

# A chapter leaves its temporary folders to the garbage collector.
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore::ResourceWarning")]

FILES = sorted((ROOT / "tests" / "answers").glob("*.toml"))


def run(names, cells, answer=""):
    """Run an answer and cells with a copy of the names; gives it, and the lines printed."""
    names, out = dict(names), io.StringIO()
    with contextlib.redirect_stdout(out):
        for source in (answer, *(cell.source for cell in cells)):
            exec(source, names)
    return names, out.getvalue().splitlines()


@pytest.mark.timeout(900)  # some checks run an experiment
@pytest.mark.parametrize("file", FILES, ids=lambda path: path.stem)
def test_right_answers_in_other_forms_pass_and_wrong_ones_are_told_why(file, monkeypatch):
    monkeypatch.chdir(ROOT / "notebooks")
    monkeypatch.setenv("MPLBACKEND", "Agg")
    (path,) = (ROOT / "notebooks").glob(f"{file.stem}_*.ipynb")
    notebook, answers = read(path), tomllib.loads(file.read_text(encoding="utf-8"))
    before = notebook.cells[: notebook.cells.index(exercises(notebook)[0][0])]
    names, _ = run({}, [cell for cell in before if cell.cell_type == "code"])
    parts = [part for part in exercises(notebook) if of(part, "check")]
    assert list(answers) == [of(part, "stub")[0].id.removesuffix("-stub") for part in parts]
    faults = []
    for (name, given), part in zip(answers.items(), parts, strict=True):
        right, wrong = given["right"], given["wrong"]
        assert len(set(right)) >= 5 and len(wrong) >= 3 and all(words for _, words in wrong), name
        solved, checks = run(names, of(part, "solution"))[0], of(part, "check")
        for answer in ("", *right):  # the solution itself, too
            _, lines = run(solved, checks, answer)
            if not lines or not all(line.endswith(": right.") for line in lines):
                faults.append((name, answer, lines))
        for answer, words in wrong:
            _, lines = run(solved, checks, answer)
            if not any("not yet" in line and words in line for line in lines):
                faults.append((name, answer, words, lines))
    assert not faults, "\n".join(map(str, faults))
