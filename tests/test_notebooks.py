"""The form of chapters; solutions wait until they are asked for; citations are plain links."""

import re

import mark_solutions as mark
import nbformat
import pytest
from citations import cite
from pages import CHAPTERS, NOTEBOOKS, ROOT, of, prose, read
from person import converse, kernel


@pytest.fixture(params=NOTEBOOKS, ids=lambda path: path.stem)
def notebook(request):
    return read(request.param)


@pytest.fixture
def code(notebook):
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def test_every_notebook_is_in_the_table_of_contents_and_keeps_no_secret():
    contents = (ROOT / "_toc.yml").read_text(encoding="utf-8")
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
        assert len(lines) <= (28 if tags else 14), cell.source


def test_every_picture_and_film_has_a_text_that_says_what_is_seen(code):
    for cell in code:
        for data in (output.get("data", {}) for output in cell.outputs):
            said = re.findall(r'<video [^>]*aria-label="([^"]*)"', data.get("text/html", ""))
            if any("image/" in kind for kind in data):
                said.append(cell.metadata.get("mystnb", {}).get("image", {}).get("alt", ""))
            assert all(len(text) > 30 for text in said), cell.source


def test_no_notebook_shows_a_role_as_it_is_written(notebook):
    """And none has an empty cell; what is cited is in the bibliography."""
    text = prose(notebook)
    assert all(cell.source.strip() for cell in notebook.cells)
    assert not re.findall(r"\{[\w:]+\}`", text)
    assert {*re.findall(r"\]\(\.\./book/references\.bib#(\w+)\)", text)} <= {*mark.labels()}


def test_a_chapter_has_exercises_a_summary_and_further_reading(chapter):
    text = prose(chapter)
    for heading in ("## Exercises", "## Summary", "## Further reading"):
        assert heading in text
    exercises = re.findall(r"^### Exercise (\d+): ", text, flags=re.MULTILINE)
    assert 3 <= len(exercises) <= 6
    assert exercises == [str(k) for k in range(1, len(exercises) + 1)]


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_a_chapter_has_the_form_that_a_class_needs(path):
    chapter = read(path)
    assert of(chapter.cells, "solution")
    for cell in of(chapter.cells, "solution"):
        assert cell.metadata.jupyter == {"outputs_hidden": True, "source_hidden": True}
        assert "waits" not in str(cell.outputs)
    mark.mark(chapter, mark.labels())
    assert nbformat.writes(chapter) + "\n" == path.read_text(encoding="utf-8")


def test_a_solution_waits_for_a_person_until_its_first_line_is_deleted():
    """As JupyterLab runs a cell, or as a program does."""

    def run(source, somebody):
        outputs, _ = converse(client, source, [] if somebody else None)
        return "".join(out.get("text", out.get("evalue", "")) for out in outputs)

    solution = "# Solution\nanswer = 6 * 7\nprint(answer)"
    with kernel(cwd=str(ROOT)) as client:
        run(mark.SWITCH, True)
        assert "delete its first line" in run(solution, True)
        assert "not defined" in run("print(answer)", True)
        assert run(solution, False) == "42\n"
        assert run("answer = 1", True) == ""
        assert run(solution.partition("\n")[2], True) == "42\n"
        run(mark.SWITCH, True)  # a second time
        assert run(solution, True).count("waits") == 1


def test_the_site_makes_citations_of_links_to_sources():
    source = ["the car: [Moore, 1990](../book/references.bib#moore1990), [x](y.md#z)"]
    cite(None, "notebooks/01_worlds", source)
    assert source == ["the car: {cite}`moore1990`, [x](y.md#z)"]
    labels = {"sutton2018": "Sutton and Barto, 2018", "coulom2002": "Coulom, 2002"}
    labels["promptpo2026"] = "Hatgis-Kessell and Brunskill, 2026"
    assert labels.items() <= mark.labels().items()
