"""Print the built site to one file, _build/book.pdf, with a Chromium and its own print style.

    python book/browser/make_pdf.py [--edition student] [PAGE ...]

Solutions of exercises stand in an appendix. The students' edition, _build/book-student.pdf, has
neither these nor any other answer. PAGE is one page or several, such as book/index, for a part of
the book. Needs the built site (make book) and what browser.py names.

All pages are joined into one before they are printed, so that numbers run through and links lead
from page to page. It is printed twice: the first time tells on which page each heading falls, which
the contents then say.
"""

import argparse
import posixpath
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urljoin, urlsplit

import pikepdf
import yaml
from browser import ROOT, SITE, chromium, served_site
from bs4 import BeautifulSoup, Tag
from playwright.sync_api import Browser, Page

BOOK = ROOT / "_build" / "book.pdf"
APPENDIX = "solutions"
MARGIN = {"top": "18mm", "bottom": "18mm", "left": "16mm", "right": "16mm"}
FOOT = """<div style="font: 8px sans-serif; width: 100%; padding: 0 16mm; color: #555;
display: flex; justify-content: space-between"><span>TITLE</span>
<span class="pageNumber"></span></div>"""
# In the site, a title above the text stands for the first heading of a page.
STYLE = """
#jb-print-docs-body { display: none !important; }
.bd-main .bd-content .bd-article h1:first-of-type { display: block; }
.bd-article + .bd-article { break-before: page; }
.contents { columns: 2; column-gap: 2em; list-style: none; padding: 0; font-size: 8.5pt; }
.contents li { display: flex; justify-content: space-between; }
.contents .level-0 { font-weight: bold; margin-top: 1em; }
.contents .level-1 { margin-top: 0.3em; }
.contents .level-2 { padding-left: 2em; }
.contents a { text-decoration: none; }
"""
# A page loads its pictures as they are needed, paper needs them all.
PREPARE = """async () => {
    document.querySelectorAll("img").forEach((one) => { one.loading = "eager"; });
    await Promise.all([...document.images].map((one) => one.decode()));
    await document.fonts.ready;
}"""


class Heading(NamedTuple):
    """A line of the contents: a part of the book (0), a page (1) or a section of one (2)."""

    level: int
    title: str
    anchor: str


def parts() -> list[tuple[str, list[str]]]:
    """The pages in the order of the book, by its parts; the first part has no name."""
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
    found = [("", [toc["root"]])]
    for part in toc["parts"]:
        pages = []
        for chapter in part["chapters"]:
            pages += [page["file"] for page in (chapter, *chapter.get("sections", []))]
        found.append((part["caption"], pages))
    return found


def anchor(name: str, fragment: str) -> str:
    """What names a place of a page in the joined one, as many pages have a "summary".

    >>> anchor("notebooks/01_worlds", "summary")
    'notebooks/01_worlds--summary'
    """
    return f"{name}--{fragment}"


def destination(name: str, address: str, printed: list[str]) -> str | None:
    """Where a link of a page leads on paper, or None if it leads nowhere there.

    >>> destination("book/setup", "../notebooks/01_worlds.html#summary", ["notebooks/01_worlds"])
    '#notebooks/01_worlds--summary'
    >>> destination("book/setup", "#windows", ["book/setup"])
    '#book/setup--windows'
    >>> destination("book/setup", "../genindex.html", ["notebooks/01_worlds"])
    >>> destination("book/setup", "https://example.org", ["notebooks/01_worlds"])
    'https://example.org'
    """
    link = urlsplit(address)
    if link.scheme:
        return address
    path = posixpath.normpath(posixpath.join(posixpath.dirname(name), link.path))
    page = path.removesuffix(".html") if link.path else name
    return f"#{anchor(page, link.fragment)}" if page in printed else None


def read(name: str) -> BeautifulSoup:
    return BeautifulSoup((SITE / f"{name}.html").read_text(encoding="utf-8"), "html.parser")


def article(name: str, printed: list[str]) -> Tag:
    """The text of a page, ready to stand beside the others."""
    text = read(name).select_one("article.bd-article")
    for link in text.select("a.headerlink"):
        link.decompose()
    for place in text.select("[id]"):
        place["id"] = anchor(name, place["id"])
    text["id"] = anchor(name, "")
    for link in text.select("a[href]"):
        leads_to = destination(name, link["href"], printed)
        if leads_to is None:
            link.unwrap()
        else:
            link["href"] = leads_to
    for source in text.select("[src]"):
        source["src"] = urljoin(f"/{name}", source["src"])
    for details in text.select("details"):
        details["open"] = ""
    for video in text.select("video"):
        del video["controls"]
    # The still pictures of interactive figures are printed.
    for figure in text.select("[data-figure]"):
        del figure["data-figure"]
    return text


def answers(text: Tag) -> list[Tag]:
    """The solutions in code and the answers in words, in their order."""
    return [
        one
        for one in text.select("details, .tag_solution")
        if one.find_parent(class_="tag_solution") is None
        and ("tag_solution" in one["class"] if one.name != "details" else _answers(one))
    ]


def _answers(details: Tag) -> bool:
    title = details.find("summary")
    return title is not None and title.get_text().strip().lower().endswith("answer")


def without_solutions(text: Tag) -> Tag:
    """A page as students get it: of a question to check oneself the options stay."""
    for one in answers(text):
        one.decompose()
    for option in text.select("section[id$='check-yourself'] details"):
        option.name = "p"
        option.find("summary").unwrap()
        option.insert(0, "☐ ")
        for explained in option.find_all(recursive=False):
            explained.decompose()
    return text


def appendix(frame: BeautifulSoup, articles: list[Tag]) -> Tag:
    """The solutions of all exercises, taken out of the pages, as a page of their own."""
    text = frame.new_tag("article", attrs={"class": "bd-article", "id": anchor(APPENDIX, "")})
    whole = _section(frame, text, "h1", "Solutions", anchor(APPENDIX, "all"))
    for page in articles:
        chapter = None
        for exercise in page.select("section:has(> h3)"):
            found = answers(exercise)
            if not found:
                continue
            if chapter is None:
                title = page.find("h1").get_text()
                chapter = _section(frame, whole, "h2", title, anchor(APPENDIX, page["id"]))
            place = anchor(APPENDIX, exercise["id"])
            title = exercise.find("h3").get_text()
            solved = _section(frame, chapter, "h3", "", place)
            solved.h3.append(_link(frame, title, exercise["id"]))
            found[0].insert_before(_link(frame, "The solution is in the appendix.", place))
            solved.extend(one.extract() for one in found)
    return text


def _section(frame: BeautifulSoup, within: Tag, level: str, title: str, place: str) -> Tag:
    section = frame.new_tag("section", id=place)
    section.append(frame.new_tag(level, string=title))
    within.append(section)
    return section


def _link(frame: BeautifulSoup, text: str, place: str) -> Tag:
    return frame.new_tag("a", href=f"#{place}", string=text)


def headings(part: str, articles: list[Tag]) -> Iterator[Heading]:
    """The lines of the contents for one part of the book."""
    if part:
        yield Heading(0, part, articles[0]["id"])
    for text in articles:
        for heading in text.select("section > h1, section > h2"):
            title = heading.get_text()
            yield Heading(int(heading.name[1]), title, heading.parent["id"])


def contents(lines: list[Heading], pages: dict[str, int]) -> str:
    """The list of contents, with the number of each page that is known."""
    items = [
        f'<li class="level-{level}"><a href="#{place}">{escape(title)}</a> '
        f"{pages.get(place, '')}</li>"
        for level, title, place in lines
    ]
    return f"<h2>Contents</h2><ul class='contents'>{''.join(items)}</ul>"


def join(wanted: list[str], *, student: bool = False) -> tuple[BeautifulSoup, list[Heading]]:
    """All those pages as one, in the frame of the book's first, and its headings."""
    frame = read(parts()[0][1][0])
    frame.title.string = "Prompted Policy Search"
    frame.head.append(frame.new_tag("style", string=STYLE))
    articles, lines = [], []
    for part, names in parts():
        own = [article(name, wanted) for name in names if name in wanted]
        own = [without_solutions(text) for text in own] if student else own
        articles += own
        lines += headings(part, own) if own else []
    solutions = appendix(frame, articles)
    if not student and solutions.select_one("h2"):
        lines += headings("Appendix", [solutions])
        articles.append(solutions)
    articles[0].append(frame.new_tag("div", id="contents"))
    frame.select_one("article.bd-article").replace_with(*articles)
    return frame, lines


def print_page(page: Page, text: str, path: Path) -> None:
    """Print a page of the site that has this text."""
    page.unroute_all()
    page.route("**/joined.html", lambda route: route.fulfill(body=text, content_type="text/html"))
    page.goto("joined.html", wait_until="networkidle")
    page.evaluate(PREPARE)
    page.pdf(
        path=path,
        format="A4",
        margin=MARGIN,
        print_background=True,
        display_header_footer=True,
        header_template="<span></span>",
        footer_template=FOOT.replace("TITLE", page.title()),
        tagged=True,
    )


def page_numbers(path: Path) -> dict[str, int]:
    """On which page of the file each place falls that a link leads to, from 1."""
    with pikepdf.open(path) as book:
        numbers = {page.objgen: number for number, page in enumerate(book.pages, 1)}
        places = book.Root.Dests.items()
        return {name.removeprefix("/"): numbers[place[0].objgen] for name, place in places}


def finish(path: Path, lines: list[Heading]) -> int:
    """Give the file an outline and pack it, which halves it. How many pages it has."""
    with pikepdf.open(path, allow_overwriting_input=True) as book:
        with book.open_outline() as outline:
            siblings = [outline.root]
            for level, title, place in lines:
                item = pikepdf.OutlineItem(title, book.Root.Dests[f"/{place}"])
                del siblings[level + 1 :]
                siblings[-1].append(item)
                siblings += [item.children] * (level + 2 - len(siblings))
        book.save(path, object_stream_mode=pikepdf.ObjectStreamMode.generate)
        return len(book.pages)


def print_book(
    wanted: list[str], path: Path, address: str, browser: Browser, *, student: bool = False
) -> int:
    """Print those pages of the site at this address to a file. How many sheets they fill."""
    frame, lines = join(wanted, student=student)
    place, numbers = frame.select_one("#contents"), {}
    page = browser.new_page(
        base_url=f"{address}/book/", color_scheme="light", reduced_motion="reduce"
    )
    page.set_default_timeout(300_000)
    for _ in range(2):
        place.clear()
        place.append(BeautifulSoup(contents(lines, numbers), "html.parser"))
        print_page(page, str(frame), path)
        numbers = page_numbers(path)
    page.close()
    return finish(path, lines)


def main() -> None:
    """Print all pages or those named."""
    known = [name for _, names in parts() for name in names]
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--edition", choices=("whole", "student"), default="whole")
    parser.add_argument("pages", nargs="*", default=known)
    asked = parser.parse_args()
    wanted, student = asked.pages, asked.edition == "student"
    if unknown := sorted(set(wanted) - set(known)):
        raise ValueError(f"Not in _toc.yml: {', '.join(unknown)}. Name pages as it does.")
    path = BOOK.with_stem("book-student") if student else BOOK
    with served_site() as address, chromium() as browser:
        count = print_book(wanted, path, address, browser, student=student)
    print(f"The book: {path}, {count} pages, {path.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
