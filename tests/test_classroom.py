"""The sets of notebooks for students and for instructors."""

import re

import make_notebooks as make
import nbformat
import pytest
from pages import NOTEBOOKS, exercises, of, prose


@pytest.fixture
def student(chapter):
    """The chapter's form for students."""
    return make.student(chapter)


def test_the_program_writes_both_sets_whose_instructors_is_the_chapters(tmp_path, monkeypatch):
    for name in make.SETS:
        monkeypatch.setattr("sys.argv", ["", name, "--folder", str(tmp_path / name)])
        make.main()
    for path in NOTEBOOKS:
        student, instructor = (tmp_path / name / path.name for name in make.SETS)
        assert instructor.read_bytes() == path.read_bytes()
        assert student.read_text(encoding="utf-8") == make.student_text(path)


def test_a_students_notebook_holds_all_but_solutions_answers_and_outputs(chapter, student):
    nbformat.validate(student)
    kept = [cell.source for cell in student.cells]
    text = "\n".join(kept)
    assert of(chapter.cells, "solution")
    for cell in chapter.cells:
        if of([cell], "solution"):
            assert cell.source not in text
        elif not of([cell], "hold") and "<details>" not in cell.source:
            assert cell.source in kept
    answers = re.findall(r"(?is)answer</summary>(.*?)</details>", prose(chapter))
    assert answers and not [answer for answer in answers if answer.strip() in text]
    assert not re.search(r"(?i)answer</summary>", text)
    code = [cell for cell in student.cells if cell.cell_type == "code"]
    assert all(cell.outputs == [] and cell.execution_count is None for cell in code)


def test_each_exercise_has_a_stub(chapter, student):
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


def test_an_exercise_in_code_has_a_stub_a_hint_a_check_and_a_solution_in_this_order(chapter):
    assert of(chapter.cells, "check")
    order = ["stub", "Hint", "check", "solution"]
    for part in exercises(chapter):
        found, said = [], []
        for cell in part:
            found += [*cell.metadata.get("tags", []), *re.findall("<summary>(Hint)", cell.source)]
        kinds = [kind for kind in dict.fromkeys(found) if kind in order]
        assert kinds in ([], ["Hint"], order), part[0].source
        for cell in of(part, "check"):
            assert "remove-cell" in cell.metadata.tags and cell.metadata.jupyter.source_hidden
            said += "".join(out.text for out in cell.outputs).splitlines()
        # As nbval finds it again; test_exercises.py runs the solutions.
        assert bool(said) == ("check" in kinds) and all(": not yet. " in line for line in said)


def test_a_question_to_check_yourself_has_one_right_option_and_each_says_why(chapter, student):
    asked = [cell.source for cell in chapter.cells if cell.id.startswith("quiz-")]
    assert 3 <= len(asked) <= 4
    assert asked == [cell.source for cell in student.cells if cell.id.startswith("quiz-")]
    headings = [cell.source.split("\n")[0] for cell in chapter.cells]
    assert headings.index("## Check yourself") + len(asked) + 1 == headings.index("## Exercises")
    form = r"(?s)\A.+</summary>\n\n(Yes|No)\. .{45,}\n\n</details>\Z"
    for number, source in enumerate(asked, 1):
        question, *options = re.split(r"\s*<details><summary>", source)
        assert re.fullmatch(rf"\*\*{number}\. .*\?\*\*", question), question
        verdicts = [verdict for option in options for verdict in re.findall(form, option)]
        assert len(verdicts) == len(options) >= 3 and verdicts.count("Yes") == 1, source
