"""The chapters' form; their outputs are compared by nbval."""

import re

import pytest
from pages import CHAPTERS, NOTEBOOKS, ROOT, prose, read

LONGEST_CELL = 14


@pytest.fixture(params=NOTEBOOKS, ids=lambda path: path.stem)
def code(request):
    """The code cells of a notebook."""
    return [cell for cell in read(request.param).cells if cell.cell_type == "code"]


def test_every_notebook_is_in_the_table_of_contents_and_keeps_no_secret():
    contents = (ROOT / "_toc.yml").read_text(encoding="utf-8")
    assert len(CHAPTERS) >= 6
    for path in NOTEBOOKS:
        assert f"notebooks/{path.stem}" in contents
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"/(home|root|work|Users|tmp)/|sk-[A-Za-z0-9]{20}", text), path.name


def test_a_notebook_was_run_once_from_top_to_bottom_without_errors_and_warnings(code):
    assert [cell.execution_count for cell in code] == [*range(1, len(code) + 1)]
    for output in (output for cell in code for output in cell.outputs):
        assert output.output_type != "error" and output.get("name") != "stderr", output


def test_a_cell_is_short(code):
    """Twice as long it may be where the page folds it: plots, checks, solutions."""
    for cell in code:
        lines = cell.source.removeprefix("# Solution\n").strip().splitlines()
        tags = {"hide-input", "hide-cell", "remove-cell"} & {*cell.metadata.get("tags", [])}
        assert len(lines) <= LONGEST_CELL * (2 if tags else 1), cell.source


def test_every_picture_and_film_has_a_text_that_says_what_is_seen(code):
    for cell in code:
        for data in (output.get("data", {}) for output in cell.outputs):
            said = re.findall(r'<video [^>]*aria-label="([^"]*)"', data.get("text/html", ""))
            if any("image/" in kind for kind in data):
                said.append(cell.metadata.get("mystnb", {}).get("image", {}).get("alt", ""))
            assert all(len(text) > 30 for text in said), cell.source


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_a_chapter_has_goals_exercises_with_solutions_a_summary_and_further_reading(path):
    chapter = read(path)
    text = prose(chapter)
    assert text.startswith("# ") and "**Goals**" in chapter.cells[0].source
    for heading in ("## Exercises", "## Summary", "## Further reading"):
        assert heading in text
    exercises = re.findall(r"^### Exercise (\d+): ", text, flags=re.MULTILINE)
    assert 3 <= len(exercises) <= 6
    assert exercises == [str(k) for k in range(1, len(exercises) + 1)]
