"""The chapters' form; their outputs are compared by nbval."""

import json
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
CHAPTERS = [path for path in NOTEBOOKS if path.stem[0].isdigit()]  # the rest is reference
LONGEST_CELL = 14


@pytest.fixture(params=NOTEBOOKS, ids=lambda path: path.stem)
def cells(request):
    return read(request.param)


@pytest.fixture(params=CHAPTERS, ids=lambda path: path.stem)
def chapter(request):
    return read(request.param)


def read(path):
    return json.loads(path.read_text(encoding="utf-8"))["cells"]


def source(cell):
    return "".join(cell["source"])


def code(cells):
    return [cell for cell in cells if cell["cell_type"] == "code"]


def test_every_notebook_is_in_the_table_of_contents():
    contents = (ROOT / "_toc.yml").read_text(encoding="utf-8")
    assert len(CHAPTERS) >= 6
    for path in NOTEBOOKS:
        assert f"notebooks/{path.stem}" in contents


def test_a_notebook_was_run_once_from_top_to_bottom_without_errors_and_warnings(cells):
    counts = [cell["execution_count"] for cell in code(cells)]
    assert counts == list(range(1, len(counts) + 1))
    for output in (output for cell in code(cells) for output in cell["outputs"]):
        assert output["output_type"] != "error" and output.get("name") != "stderr", output


def test_a_cell_is_short(cells):
    """Twice as long it may be where the page folds it: plots, checks, solutions."""
    for cell in code(cells):
        lines = source(cell).removeprefix("# Solution\n").strip().splitlines()
        tags = {"hide-input", "hide-cell", "remove-cell"} & {*cell["metadata"].get("tags", [])}
        assert len(lines) <= LONGEST_CELL * (2 if tags else 1), source(cell)


def test_every_picture_and_film_has_a_text_that_says_what_is_seen(cells):
    for cell in code(cells):
        for data in (output.get("data", {}) for output in cell["outputs"]):
            if any("image/" in kind for kind in data):
                alt = cell["metadata"].get("mystnb", {}).get("image", {}).get("alt", "")
                assert len(alt) > 30, source(cell)
            page = "".join(data.get("text/html", ""))
            for label in re.findall(r'<video [^>]*aria-label="([^"]*)"', page):
                assert len(label) > 30, source(cell)


def test_a_chapter_has_goals_exercises_with_solutions_a_summary_and_further_reading(chapter):
    prose = "\n".join(source(cell) for cell in chapter if cell["cell_type"] == "markdown")
    assert prose.startswith("# ") and "**Goals**" in source(chapter[0])
    for heading in ("## Exercises", "## Summary", "## Further reading"):
        assert heading in prose
    exercises = re.findall(r"^### Exercise (\d+): ", prose, flags=re.MULTILINE)
    assert 3 <= len(exercises) <= 6
    assert exercises == [str(k) for k in range(1, len(exercises) + 1)]


def test_a_notebook_keeps_no_secret_and_no_path_of_the_machine_it_ran_on():
    for path in NOTEBOOKS:
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"/(home|root|work|Users|tmp)/|sk-[A-Za-z0-9]{20}", text), path.name
