"""Solutions wait until they are asked for, and sources are cited in a form that Jupyter shows."""

import re

import mark_solutions as mark
import nbformat
import pytest
from citations import cite
from pages import CHAPTERS, NOTEBOOKS, ROOT, of, prose, read
from person import converse, kernel

LINK = re.compile(r"\]\(\.\./book/references\.bib#(\w+)\)")


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_a_chapter_has_the_form_that_a_class_needs(path):
    chapter = read(path)
    assert of(chapter.cells, "solution")
    for cell in of(chapter.cells, "solution"):
        assert cell.source.startswith("# Solution\n")
        assert cell.metadata.jupyter == {"outputs_hidden": True, "source_hidden": True}
        assert "waits" not in str(cell.outputs)
    assert len(of(chapter.cells, "hold")) == 1
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


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_no_notebook_shows_a_role_as_it_is_written(path):
    """And none has an empty cell; what is cited is in the bibliography."""
    notebook = read(path)
    assert all(cell.source.strip() for cell in notebook.cells)
    assert not re.findall(r"\{[\w:]+\}`", prose(notebook))
    assert set(LINK.findall(prose(notebook))) <= set(mark.labels())


def test_the_site_makes_citations_of_links_to_sources():
    source = ["the car: [Moore, 1990](../book/references.bib#moore1990), [x](y.md#z)"]
    cite(None, "notebooks/01_worlds", source)
    assert source == ["the car: {cite}`moore1990`, [x](y.md#z)"]
    names = mark.labels()
    assert names["sutton2018"] == "Sutton and Barto, 2018"
    assert names["promptpo2026"] == "Hatgis-Kessell and Brunskill, 2026"
    assert names["coulom2002"] == "Coulom, 2002"
