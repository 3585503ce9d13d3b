"""What becomes a slide of a chapter, and that slides fetch nothing: book/slides/make_slides.py."""

import re
import tomllib
from copy import deepcopy

import make_slides as slides
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_output
from pages import ROOT

PLANS = tomllib.loads((slides.HERE / "plans.toml").read_text(encoding="utf-8"))


def test_key_sentences_are_shown_and_the_rest_is_noted():
    text = "# A\n\nOne. Two. Three.\n\nMore.\n\n- a\n- b"
    assert slides.divide(text) == ("# A\n\nOne. Two.\n\n- a\n- b", "Three.\n\nMore.")
    figure = '<div class="props-figure">\n\nOne.\n\nTwo.\n\n</div>'
    assert slides.divide(figure) == (figure, "")


def test_options_of_a_question_open_on_its_slide():
    question = "**1. Which?**\n\n<details><summary>A.</summary>{}</details>"
    asked = question.format("\n\nNo. See `b`,\nand $c$.\n\n")
    shown = question.format("<p>No. See <code>b</code>, and $c$.</p> ")
    assert slides.divide(asked) == (shown, "")


def test_cells_that_mainly_import_are_left_out():
    assert slides.is_preparation("import json\nfrom propslib import (\n    check,\n)")
    assert not slides.is_preparation("import torch\n\ntorch.set_default_dtype(torch.float64)")
    assert slides.is_preparation("from a import b\nfrom c import d\n\nmodel = b(d)")
    assert not slides.is_preparation("from a import b\n\nmodel = b()\nmodel.learn()")


def test_each_section_begins_a_slide_and_solutions_are_left_out(chapter):
    for cell in slides.arrange(chapter.cells):
        kind = cell.metadata.slideshow.slide_type
        heading = cell.cell_type == "markdown" and re.match(r"##? ", cell.source)
        assert (kind == "slide") == bool(heading), cell.source
        assert not {"solution", "check", "stub"} & set(cell.metadata.get("tags", []))
        folded = "<details" in cell.source and kind != "notes"
        assert folded == bool(re.match(r"\*\*\d\. ", cell.source))
        assert not folded or kind == "subslide"


def test_links_lead_to_slides_and_to_the_site_and_citations_have_no_marks():
    text = "[a](02_policies.ipynb#noise), [b](../book/setup.md), ![c](../book/figures/c.png)"
    expected = "[a](02_policies.html), [b](../html/book/setup.html), ![c](figures/c.png)"
    assert slides.to_site(text) == expected
    text = "A (2025). *B*: [A, 2025](../book/references.bib#a2025b).\n- C, and `{e}`"
    assert slides.to_site(text) == "A (2025). *B*.\n- C, and `{e}`"


def test_a_slide_has_a_heading_and_no_code_that_draws():
    cells = slides.arranged(ROOT / "notebooks" / "04_mountaincar.ipynb")
    for slide in slides.slides_of(cells):
        first = slide[0].source
        assert first.startswith("#") or slides.QUESTION.match(first), first
        for cell in slide:
            assert slides.draws(cell) == ("transient" in cell.metadata)


@pytest.mark.parametrize("plan", PLANS)
def test_the_deck_of_a_session_has_forty_slides_at_most(plan):
    for parts in PLANS[plan]:
        share = slides.LONGEST_DECK // len(parts)
        assert share * len(parts) <= 40
        for wanted in parts:
            path = ROOT / "notebooks" / f"{wanted['chapter']}.ipynb"
            cells = slides.part(slides.arranged(path), wanted)
            kept = slides.slides_of(slides.shorten(cells, share))
            assert len(kept) <= share and kept[0][0].source == cells[0].source


def test_a_session_shows_the_sections_of_its_plan():
    cells = slides.arrange(map(new_markdown_cell, ["# T", "## A", "One.", "## B", "## C", "## D"]))

    def shown(**wanted):
        return [cell.source for cell in slides.part(cells, {"chapter": "x"} | wanted)]

    assert shown() == ["# T", "## A", "One.", "## B", "## C", "## D"]
    assert shown(until="D", skip=["B"]) == ["# T", "## A", "One.", "## C"]
    assert shown(**{"from": "C"}) == ["## C", "## D"]
    with pytest.raises(ValueError, match="x has no section E"):
        shown(skip=["E"])


def test_of_a_section_is_shown_what_its_first_words_announce():
    picture = new_output("display_data", {"image/png": ""})
    code, drawing = new_code_cell("\n" * 20), new_code_cell("\n" * 20, outputs=[picture])
    a, b, *others = (new_markdown_cell(f"## {name}\n\nOne.") for name in "ABCD")
    cells = slides.arrange([a, code, deepcopy(code), b, deepcopy(code), drawing, *others])
    kept = slides.slides_of(slides.shorten(cells, 4))
    headings = ["## A", "### A (continued)", "## B", "### B (continued)"]
    assert [slide[0].source.split("\n")[0] for slide in kept] == headings
    assert slides.draws(kept[-1][-1])


def test_what_a_session_leaves_out_is_what_the_page_for_teachers_says():
    page = (ROOT / "book" / "teaching.md").read_text(encoding="utf-8")
    three = page.partition("### Three sessions")[2].partition("### Six sessions")[0]
    rows = [row for row in three.splitlines() if "skip *" in row]
    said = {name for row in rows for name in re.findall(r"\*([^*]+)\*", row)}
    skipped = {name for parts in PLANS["three"] for one in parts for name in one.get("skip", [])}
    assert len(said) == 5 and said <= skipped


def test_a_slide_that_goes_on_has_notes():
    code = new_code_cell("\n".join(["x"] * 15))
    cells = [new_markdown_cell("## A\n\nOne. Two. Three."), *map(deepcopy, [code] * 3)]
    first, *rest = slides.slides_of(slides.annotate(slides.arrange(cells)))
    assert [cell.source for cell in first if cell.cell_type == "markdown"][-1] == "Three."
    assert rest and all(slide[-1].source == "One. Two.\n\nThree." for slide in rest)


def test_slides_fetch_nothing_from_elsewhere_not_even_their_formulas():
    title, page = slides.make(ROOT / "notebooks" / "04_mountaincar.ipynb")
    assert title == "MountainCar with ProPS"
    assert not re.findall(r'<(?:script|img|link|video)[^>]+(?:src|href)="(?:http|//)', page)
    assert "import mermaid" not in page.partition("<body")[0] and "require.js" not in page
    code = '<code title="$y$">$z$</code> for $2'
    assert slides.set_formulas(f"$x &lt; 1$ {code}") == f"{slides.mathml('x < 1')} {code}"
