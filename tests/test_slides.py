"""What becomes a slide of a chapter, and that slides fetch nothing: book/slides/make_slides.py."""

import importlib
import re
import tomllib
from pathlib import Path

import nbformat
import pytest

ROOT = Path(__file__).parents[1]
CHAPTERS = sorted((ROOT / "notebooks").glob("[0-9][0-9]_*.ipynb"))


@pytest.fixture
def slides(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "book" / "slides"))
    return importlib.import_module("make_slides")


def test_key_sentences_are_shown_and_the_rest_is_noted(slides):
    text = "# A\n\nOne. Two. Three.\n\nMore.\n\n- a\n- b"
    assert slides.divide(text) == ("# A\n\nOne. Two.\n\n- a\n- b", "Three.\n\nMore.")
    figure = '<div class="props-figure">\n\nOne.\n\nTwo.\n\n</div>'
    assert slides.divide(figure) == (figure, "")


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_each_section_begins_a_slide_and_solutions_are_left_out(slides, path):
    cells = slides.arrange(nbformat.read(path, as_version=4).cells)
    assert cells[0].metadata.slideshow.slide_type == "slide"
    for cell in cells:
        kind = cell.metadata.slideshow.slide_type
        heading = cell.cell_type == "markdown" and re.match(r"##? ", cell.source)
        assert (kind == "slide") == bool(heading), cell.source
        assert not {"solution", "check", "stub"} & set(cell.metadata.get("tags", []))
        folded = "<details" in cell.source and kind != "notes"
        assert folded == bool(re.match(r"\*\*\d\. ", cell.source))
        assert not folded or kind == "subslide"


def test_links_lead_to_slides_and_to_the_site(slides):
    text = "[a](02_policies.ipynb#noise), [b](../book/setup.md), ![c](../book/figures/c.png)"
    expected = "[a](02_policies.html), [b](../html/book/setup.html), ![c](figures/c.png)"
    assert slides.to_site(text) == expected


def test_options_of_a_question_open_on_its_slide(slides):
    option = "<details><summary>A.</summary>\n\nNo. See `b`,\nand $c$.\n\n</details>"
    shown, noted = slides.divide(f"**1. Which?**\n\n{option}")
    inside = "<p>No. See <code>b</code>, and $c$.</p>"
    assert shown == f"**1. Which?**\n\n<details><summary>A.</summary>{inside} </details>"
    assert noted == ""


def test_slides_show_no_marks_of_citations(slides):
    text = "A (2025). *B*: [A, 2025](../book/references.bib#a2025b).\n- C, and `{e}`"
    assert slides.to_site(text) == "A (2025). *B*.\n- C, and `{e}`"


def test_a_slide_has_a_heading_and_no_code_that_draws(slides):
    cells = slides.arranged(ROOT / "notebooks" / "04_mountaincar.ipynb")
    for slide in slides.slides_of(cells):
        first = slide[0].source
        assert first.startswith("#") or slides.QUESTION.match(first), first
        for cell in slide:
            assert slides.draws(cell) == ("transient" in cell.metadata)


@pytest.mark.parametrize("plan", ["afternoon", "three", "six"])
def test_the_deck_of_a_session_has_forty_slides_at_most(slides, plan):
    plans = tomllib.loads((slides.HERE / "plans.toml").read_text(encoding="utf-8"))
    for chapters in plans[plan]:
        assert all((ROOT / "notebooks" / f"{name}.ipynb").exists() for name in chapters)
        share = slides.LONGEST_DECK // len(chapters)
        assert share * len(chapters) <= 40
    cells = slides.arranged(ROOT / "notebooks" / f"{chapters[0]}.ipynb")
    kept = slides.slides_of(slides.shorten(cells, share))
    assert len(kept) == share < len(slides.slides_of(cells))
    assert kept[0][0].source == cells[0].source


def test_slides_fetch_nothing_from_elsewhere(slides):
    title, page = slides.make(ROOT / "notebooks" / "04_mountaincar.ipynb")
    assert title == "MountainCar with ProPS"
    places = re.findall(r'<(?:script|img|link|video)[^>]+(?:src|href)="([^"]+)"', page)
    assert not [address for address in places if address.startswith(("http", "//"))]
    assert "import mermaid" not in page.partition("<body")[0] and "require.js" not in page
