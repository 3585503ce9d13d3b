"""The sets of notebooks for students and for instructors."""

import re

import make_notebooks as make
import nbformat
import pytest
from pages import CHAPTERS, NOTEBOOKS, exercises, of, read


def said(cells):
    """What the checks among these cells printed, line by line."""
    outputs = [out for cell in of(cells, "check") for out in cell.outputs]
    return "".join(out["text"] for out in outputs).splitlines()


@pytest.fixture(params=CHAPTERS, ids=lambda path: path.stem)
def pair(request):
    """A chapter and its form for students."""
    return read(request.param), make.student(read(request.param))


def test_the_program_writes_both_sets_whose_instructors_is_the_chapters(tmp_path, monkeypatch):
    for name in make.SETS:
        command = ["make_notebooks.py", name, "--folder", str(tmp_path / name)]
        monkeypatch.setattr("sys.argv", command)
        make.main()
    for path in NOTEBOOKS:
        student, instructor = (tmp_path / name / path.name for name in make.SETS)
        assert instructor.read_bytes() == path.read_bytes()
        assert student.read_text(encoding="utf-8") == make.student_text(path)


def test_a_students_notebook_holds_all_but_solutions_answers_and_outputs(pair):
    chapter, student = pair
    nbformat.validate(student)
    kept = [cell.source for cell in student.cells]
    text = "\n".join(kept)
    assert of(chapter.cells, "solution")
    for cell in chapter.cells:
        tags = {*cell.metadata.get("tags", [])}
        if "solution" in tags:
            assert cell.source not in text
        elif "hold" not in tags and "<details>" not in cell.source:
            assert cell.source in kept
    options = r"<summary>(.*?)</summary>(.*?)</details>"
    found = [option for c in chapter.cells for option in re.findall(options, c.source, re.DOTALL)]
    answers = [answer for title, answer in found if title.lower().endswith("answer")]
    assert answers and not [answer for answer in answers if answer.strip() in text]
    assert not re.search(r"answer</summary>", text, re.IGNORECASE)
    code = [cell for cell in student.cells if cell.cell_type == "code"]
    assert all(cell.outputs == [] and cell.execution_count is None for cell in code)


def test_each_exercise_has_a_stub(pair):
    chapter, student = pair
    assert len(exercises(student)) == len(exercises(chapter)) >= 3
    headings = sum(len(make.EXERCISE.findall(cell.source)) for cell in chapter.cells)
    assert headings == len(exercises(chapter))  # each begins a cell
    for before, after in zip(exercises(chapter), exercises(student), strict=True):
        (stub,) = of(after, "stub")
        assert stub.cell_type == ("code" if of(before, "solution") else "markdown")


def test_a_notebook_that_somebody_worked_in_is_kept(tmp_path, capsys):
    path = tmp_path / "01_worlds.ipynb"
    make.write(path, "as made")
    make.write(path, "as made")
    assert capsys.readouterr().out == ""
    path.write_text("with my work")
    make.write(path, "as made")
    assert path.read_text() == "with my work"
    assert "01_worlds.ipynb was changed and is kept" in capsys.readouterr().out


def test_hints_stay_and_answers_go():
    form = "<details><summary>{}</summary>\n\n{}\n\n</details>"
    hint, answer = form.format("Hint", "The sign."), form.format("Answer", "Minus 1.")
    cell = nbformat.v4.new_markdown_cell(f"Think.\n\n{hint}\n\n{answer}")
    shown = make.student(nbformat.v4.new_notebook(cells=[cell])).cells[0].source
    assert shown.endswith(hint) and "Minus" not in shown


WITH_CHECKS = [path for path in CHAPTERS if of(read(path).cells, "check")]


@pytest.fixture(params=WITH_CHECKS, ids=lambda path: path.stem)
def chapter(request):
    return read(request.param)


def test_an_exercise_in_code_has_a_stub_a_hint_a_check_and_a_solution_in_this_order(chapter):
    for part in exercises(chapter):
        if not of(part, "solution"):
            assert not of(part, "stub", "check")
            continue
        kinds = ["hint" if "<summary>Hint" in cell.source else None for cell in part]
        for kind in ("stub", "check", "solution"):
            kinds = [kind if of([cell], kind) else k for cell, k in zip(part, kinds, strict=True)]
        first_four = list(dict.fromkeys(kind for kind in kinds if kind))
        assert first_four == ["stub", "hint", "check", "solution"], part[0].source
        for cell in of(part, "check"):
            assert "remove-cell" in cell.metadata.tags and cell.metadata.jupyter.source_hidden
        # As nbval finds it again; test_exercises.py runs the solutions.
        assert said(part) and all(": not yet. " in line for line in said(part))


def test_a_question_to_check_yourself_has_one_right_option_and_each_says_why(chapter):
    """They stand before the exercises, and students keep them."""
    asked = [cell.source for cell in chapter.cells if cell.id.startswith("quiz-")]
    assert 3 <= len(asked) <= 4
    headings = [cell.source.split("\n")[0] for cell in chapter.cells]
    assert headings.index("## Check yourself") + len(asked) + 1 == headings.index("## Exercises")
    kept = [cell.source for cell in make.student(chapter).cells]
    for number, source in enumerate(asked, 1):
        assert source in kept
        question, *options = re.split(r"\s*<details><summary>", source)
        assert re.fullmatch(rf"\*\*{number}\. .*\?\*\*", question), question
        assert len(options) >= 3
        verdicts = []
        for option in options:
            what, why = option.split("</summary>\n\n")
            verdicts.append(why.split()[0])
            assert what and why.endswith("\n\n</details>") and len(why) > 60, option
        assert sorted(verdicts) == ["No."] * (len(options) - 1) + ["Yes."], verdicts
