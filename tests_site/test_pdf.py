"""The printed book: what leads where in it."""

import pytest

pikepdf = pytest.importorskip("pikepdf", reason="pikepdf is not installed")

from bs4 import BeautifulSoup  # noqa: E402
from make_pdf import (  # noqa: E402
    Heading,
    appendix,
    contents,
    destination,
    join,
    print_book,
    without_solutions,
)

PRINTED = ["book/setup", "notebooks/01_worlds"]


@pytest.mark.parametrize(
    ("address", "leads_to"),
    [
        ("../notebooks/01_worlds.html#summary", "#notebooks/01_worlds--summary"),
        ("../notebooks/01_worlds.html", "#notebooks/01_worlds--"),
        ("#windows", "#book/setup--windows"),
        ("https://example.org/a.html#b", "https://example.org/a.html#b"),
        ("../notebooks/02_policies.html", None),
        ("../genindex.html", None),
    ],
)
def test_links_lead_to_printed_pages_or_off_the_site(address, leads_to):
    assert destination("book/setup", address, PRINTED) == leads_to


def test_joined_pages_name_no_place_twice_and_every_link_has_one(address):
    frame, lines = join(["book/index", "book/notation", "notebooks/01_worlds"])
    names = [place["id"] for place in frame.select("article [id], article[id]")]
    assert len(set(names)) == len(names)
    inner = [link["href"] for link in frame.select("article a[href^='#']")]
    assert inner and {link.removeprefix("#") for link in inner} <= set(names)
    assert {line.anchor for line in lines} <= set(names)


def test_printed_pages_have_an_outline_and_inner_links(address, browser, tmp_path):
    wanted, path = ["book/setup", "book/licence"], tmp_path / "book.pdf"
    count = print_book(wanted, path, address, browser)
    with pikepdf.open(path) as book:
        sheets = {page.objgen: number for number, page in enumerate(book.pages, 1)}
        assert len(sheets) == count
        with book.open_outline() as outline:
            before, reference = outline.root
            assert [before.title, reference.title] == ["Before you start", "Reference"]
            setup, licence = before.children[0], reference.children[0]
            install = next(item for item in setup.children if item.title == "Install")
            assert sheets[setup.destination[0].objgen] == 1
            assert sheets[install.destination[0].objgen] < count
            assert sheets[licence.destination[0].objgen] == count
        actions = [
            note.A for page in book.pages for note in page.get("/Annots", []) if "/A" in note
        ]
        outside = [str(action.URI) for action in actions if "/URI" in action]
    assert outside and not [link for link in outside if link.startswith(address)]


def test_contents_name_the_sheet_of_each_heading():
    lines = [Heading(0, "A part", "a--"), Heading(1, "A page", "a--"), Heading(2, "More", "a--b")]
    items = BeautifulSoup(contents(lines, {"a--": 3, "a--b": 14}), "html.parser").select("li")
    assert [item.get_text() for item in items] == ["A part 3", "A page 3", "More 14"]
    assert [item.a["href"] for item in items] == ["#a--", "#a--", "#a--b"]


PAGE = """<article id="a--"><h1>A page</h1><section id="a--one"><h3>Exercise 1</h3><p>Text</p>
<details><summary>Hint</summary>Think.</details><div class="tag_solution"><details><summary>Show the
code</summary>x = 1</details></div>
<details><summary>Our answer</summary>It is 1.</details></section>
<section id="a--check-yourself"><h2>Check yourself</h2><details><summary>An option.</summary>
<p>Yes. Because.</p></details></section></article>"""


def test_the_students_edition_has_no_solutions_and_no_answers():
    text = without_solutions(BeautifulSoup(PAGE, "html.parser")).get_text()
    assert "Think." in text and "☐ An option." in text
    assert not [word for word in ("x = 1", "It is 1.", "Yes.") if word in text]


def test_solutions_stand_in_an_appendix_that_pages_and_exercises_lead_to():
    page = BeautifulSoup(PAGE, "html.parser")
    solutions = appendix(page, page.select("article"))
    assert "x = 1" not in page.get_text() and "It is 1." not in page.get_text()
    assert "x = 1" in solutions.get_text() and "It is 1." in solutions.get_text()
    assert [one["href"] for one in solutions.select("a")] == ["#a--one"]
    (place,) = (one["href"] for one in page.select("#a--one > a"))
    assert solutions.find(id=place.removeprefix("#")).h3.get_text() == "Exercise 1"
    assert [one.get_text() for one in solutions.select("h1, h2")] == ["Solutions", "A page"]
