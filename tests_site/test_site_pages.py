"""Every page of the built site: errors, requests, headings, pictures, axe-core, links, search."""

import json
import os
import re
from functools import cache
from itertools import pairwise
from pathlib import Path
from urllib.parse import unquote, urldefrag, urljoin

import pytest
from axe_playwright_python.sync_playwright import Axe
from browser import SITE

# What Sphinx makes around the pages; axe looks at these, too.
AROUND = ["search.html", "genindex.html", "404.html"]
CHAPTERS = [
    path.relative_to(SITE).as_posix()
    for folder in ("book", "notebooks")
    for path in sorted((SITE / folder).glob("*.html"))
]
PAGES = CHAPTERS + AROUND
AXE = Axe()
# Not "preload": it fetches what style sheets import, from the wrong folder.
OPTIONS = {"resultTypes": ["violations"], "preload": False}


@pytest.fixture(scope="session")
def record():
    """Collects weights, times and findings; written where SITE_REPORT says."""
    found = {}
    yield found
    if "SITE_REPORT" in os.environ:
        Path(os.environ["SITE_REPORT"]).write_text(json.dumps(found, indent=1), encoding="utf-8")


TIMES = """() => {
    const [page] = performance.getEntriesByType("navigation");
    const paint = performance.getEntriesByName("first-contentful-paint")[0];
    const files = performance.getEntriesByType("resource");
    return {
        bytes: page.encodedBodySize + files.reduce((sum, one) => sum + one.encodedBodySize, 0),
        files: files.length + 1,
        paint: Math.round(paint?.startTime ?? 0),
        loaded: Math.round(page.loadEventEnd),
    };
}"""


HEADINGS = """(found) => found.map((one) => Number(one.tagName[1]))"""
NAMELESS = """(found) => found.filter((one) => !one.getAttribute("alt")?.trim()
    || /\\.(png|svg|jpg)$/.test(one.getAttribute("alt"))).map((one) => one.src)"""


def unreadable(page):
    """What axe-core finds serious or critical, as text; and the names of all that it finds."""
    violations = AXE.run(page, options=OPTIONS).response["violations"]
    bad = [
        f"{one['id']}: {node['target']} {node['html'][:120]}"
        for one in violations
        if one["impact"] in ("serious", "critical")
        for node in one["nodes"]
    ]
    return bad, [f"{one['id']} ({one['impact']})" for one in violations]


@pytest.mark.parametrize("path", PAGES)
def test_a_page_is_open_to_all_readers(visit, record, path):
    """axe-core in both schemes; `visit` sees to errors and requests."""
    page = visit(path, motion="reduce")
    page.wait_for_load_state("networkidle")
    found = record.setdefault(path, {"times": page.evaluate(TIMES)})
    bad = {}
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        page.locator(f"html[data-theme={scheme}]").wait_for()
        bad[scheme], found[scheme] = unreadable(page)
    assert bad == {"light": [], "dark": []}


@pytest.mark.parametrize("path", CHAPTERS)
def test_a_page_has_its_form(visit, path):
    """Headings in order, a text for every picture, and nothing wider than the screen."""
    page = visit(path, motion="reduce")
    levels = page.locator("article :is(h1, h2, h3, h4, h5, h6)").evaluate_all(HEADINGS)
    assert levels[0] == 1 and levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))
    assert page.locator("article img").evaluate_all(NAMELESS) == []
    assert too_wide(page) == []


@pytest.mark.parametrize("path", AROUND)
def test_what_sphinx_makes_is_no_wider_than_the_screen(visit, path):
    assert too_wide(visit(path, motion="reduce")) == []


def too_wide(page):
    """The screens, by their width in pixels, on which a page must be pushed aside to be read."""
    found = []
    for width in (1280, 820, 390):
        page.set_viewport_size({"width": width, "height": 900})
        if page.evaluate("document.documentElement.scrollWidth") > width:
            found.append(width)
    return found


def test_a_page_without_pictures_is_light(visit):
    """What every page loads, before any compression: style sheets, one font, few scripts."""
    page = visit("book/licence.html")
    page.wait_for_load_state("networkidle")
    assert page.evaluate(TIMES)["bytes"] < 1_000_000


@cache
def anchors(path):
    return set(re.findall(r'\bid="([^"]+)"', (SITE / path).read_text(encoding="utf-8")))


@pytest.mark.parametrize("path", [*PAGES, "index.html"])
def test_every_link_within_the_site_leads_somewhere(path):
    text = (SITE / path).read_text(encoding="utf-8")
    here = f"http://site/{path}"
    for link in set(re.findall(r'\b(?:href|src)="([^"]+)"', text)):
        address, anchor = urldefrag(urljoin(here, link.replace("&amp;", "&")))
        if not address.startswith("http://site/"):
            continue
        target = unquote(address.removeprefix("http://site/")).partition("?")[0]
        assert (SITE / target).is_file(), link
        if anchor and target.endswith(".html"):
            assert unquote(anchor) in anchors(target), link


def test_the_first_address_has_an_icon(visit, address):
    """The page at the root names none, so that browsers ask for this one."""
    page = visit("book/index.html")
    assert page.request.get(f"{address}/favicon.ico").ok


def test_the_book_is_read_from_page_to_page(visit):
    page = visit("index.html")
    page.wait_for_url("**/book/index.html")
    seen = ["book/index.html"]
    while page.locator("a.right-next").count():
        with page.expect_navigation():
            page.locator("a.right-next").click()
        seen.append(page.url.partition("//")[2].partition("/")[2])
    assert sorted(seen) == sorted(CHAPTERS)


@pytest.mark.parametrize(
    ("door", "title"), [("Read", "Worlds"), ("Run", "Setup"), ("Teach", "Teaching")]
)
def test_the_three_doors_open(visit, door, title):
    page = visit("book/index.html", width=390, touch=True)
    with page.expect_navigation(wait_until="commit", timeout=120_000):
        page.locator(".door", has_text=re.compile(f"^\\s*{door}")).tap()
    assert title in page.locator("article h1").inner_text()


@pytest.mark.parametrize(
    ("words", "chapter"),
    [("held-out", "02_policies"), ("Swimmer", "05_swimmer"), ("winner's curse", "02_policies")],
)
def test_the_search_finds(visit, words, chapter):
    page = visit("book/index.html")
    page.keyboard.press("Control+k")
    page.keyboard.type(words)
    page.keyboard.press("Enter")
    page.wait_for_url("**/search.html?q=*")
    found = page.locator("#search-results li a[href]")
    found.first.wait_for()
    page.get_by_text("Search finished").wait_for()
    addresses = found.evaluate_all("(links) => links.map((one) => one.getAttribute('href'))")
    assert any(chapter in address for address in addresses)


def test_the_moving_picture_plays_pauses_and_plays_again(visit):
    page = visit("book/index.html")
    place = page.locator(".landing-live")
    score = place.locator(".score")
    place.get_by_text("Proposal 4: the model writes").wait_for(timeout=60_000)
    place.get_by_role("button", name="Pause").click()
    before = score.inner_text()
    page.wait_for_timeout(1500)
    assert score.inner_text() == before
    place.get_by_role("button", name="Play").click()
    place.get_by_text("Mean return of 20 episodes: 93.37").wait_for(timeout=120_000)
    place.get_by_role("button", name="Play again").click(timeout=120_000)
    place.get_by_text("Proposal 1: the model writes").wait_for()


def test_the_moving_picture_stands_still_for_those_who_want_that(visit):
    place = visit("book/index.html", motion="reduce").locator(".landing-live")
    assert place.get_by_role("button", name="Play again").is_visible()
    assert "93.37" in place.locator(".score").inner_text()
    points = place.locator(".point[visibility=visible]")
    assert points.count() == 60


def test_the_moving_picture_moves_on_a_page_opened_as_a_file(browser, address):
    with browser.new_context() as context:
        page = context.new_page()
        page.goto((SITE / "book" / "index.html").as_uri())
        page.get_by_text("Mean return of 20 episodes: 93.37").wait_for(timeout=120_000)


def test_without_javascript_the_first_page_has_its_picture(browser, address):
    with browser.new_context(java_script_enabled=False) as context:
        page = context.new_page()
        page.goto(f"{address}/book/index.html")
        picture = page.locator(".landing img")
        assert picture.evaluate("(node) => node.naturalWidth") > 300


def test_a_missing_address_shows_the_page_for_it_in_every_folder(browser, address):
    with browser.new_context() as context:
        page = context.new_page()
        missing = []
        page.on("response", lambda answer: answer.status >= 400 and missing.append(answer.url))
        answer = page.goto(f"{address}/notebooks/deep/down/nothing.html")
        assert answer.status == 404
        assert page.get_by_role("heading", name="Page not found").is_visible()
        with page.expect_navigation():
            page.get_by_role("link", name="The first page").click()
        assert page.locator("article h1").inner_text().startswith("Prompted Policy Search")
        assert [url for url in missing if not url.endswith("nothing.html")] == []


def test_the_picture_of_a_shared_link_is_there():
    page = (SITE / "book" / "index.html").read_text(encoding="utf-8")
    picture = re.search(r'<meta property="og:image" content="([^"]+)"', page)[1]
    assert (SITE / "book" / picture).resolve().is_file()
    assert '<meta property="og:title" content="Prompted Policy Search"' in page


# How the pages look: what a designer found wrong, and what holds it right.
NOTEBOOKS = [path for path in CHAPTERS if re.match(r"notebooks/\d\d_", path)]
SIDEWAYS = """(boxes) => boxes.filter((one) => one.scrollWidth > one.clientWidth + 1)
    .map((one) => one.textContent.slice(0, 60))"""
FONT = "(node) => [parseFloat(getComputedStyle(node).fontSize), getComputedStyle(node).fontWeight]"


@pytest.mark.parametrize("path", NOTEBOOKS)
def test_a_chapter_opens_with_a_picture_and_shows_its_code_whole(visit, path):
    page = visit(path, motion="reduce")
    opening = page.locator("article figure.shown").first
    assert opening.bounding_box()["y"] < 900
    assert opening.locator("figcaption").inner_text().startswith("Figure ")
    goals = page.locator("details.goals")
    assert goals.get_attribute("open") is None and "In class" in goals.inner_text()
    assert page.locator("div.cell_input pre").evaluate_all(SIDEWAYS) == []


@pytest.mark.parametrize("path", NOTEBOOKS)
def test_plots_keep_letters_that_can_be_read(visit, path):
    """On every screen: none is shown with letters below 9 pixels."""
    page = visit(path, width=390, motion="reduce")
    sizes = """(plots) => plots.filter((one) => one.clientWidth)
        .map((one) => (11 * one.clientWidth) / one.viewBox.baseVal.width)"""
    assert min(page.locator("svg.plot").evaluate_all(sizes), default=9) >= 9
    assert page.locator("div.cell_output img[src$='.png']").count() == 0


def test_higher_headings_are_larger_and_stronger(visit):
    page = visit("notebooks/01_worlds.html")
    sizes = [page.locator(f"article h{level}").first.evaluate(FONT) for level in (1, 2, 3)]
    assert all(a[0] > b[0] and int(a[1]) >= int(b[1]) for a, b in pairwise(sizes))


def test_plots_take_the_ink_of_the_theme(visit):
    page = visit("notebooks/01_worlds.html", scheme="dark", motion="reduce")
    ink = page.locator("svg.plot text").first.evaluate("(node) => getComputedStyle(node).fill")
    assert min(map(int, re.findall(r"\d+", ink)[:3])) > 150


@pytest.mark.parametrize("motion", ["reduce", "no-preference"])
def test_films_play_in_view_and_have_their_controls_below(visit, motion):
    page = visit("notebooks/01_worlds.html", motion=motion)
    film = page.locator("video.film").first
    assert film.get_attribute("poster").startswith("data:image/jpeg")
    film.scroll_into_view_if_needed()
    bar = page.locator(".film-bar").first
    bar.get_by_role("button", name="Play" if motion == "reduce" else "Pause").wait_for()
    assert bar.bounding_box()["y"] >= film.bounding_box()["y"] + film.bounding_box()["height"]
    page.wait_for_timeout(500)
    assert film.evaluate("(node) => node.paused") == (motion == "reduce")


def test_the_lens_stands_before_the_words(visit):
    page = visit("search.html")
    lens = page.locator("main form.bd-search :is(i, svg)").first.bounding_box()
    field = page.locator("main form.bd-search input").first
    start = field.evaluate("(node) => parseFloat(getComputedStyle(node).paddingLeft)")
    assert lens["x"] + lens["width"] <= field.bounding_box()["x"] + start


def test_a_word_of_the_glossary_says_what_it_means_to_pointer_and_keyboard(visit):
    page = visit("notebooks/04_mountaincar.html", motion="reduce")
    word, meaning = page.locator("a.glossed").first, page.locator(".meaning")
    word.hover()
    assert meaning.inner_text() == word.get_attribute("aria-description")
    page.keyboard.press("Escape")
    assert meaning.is_hidden()
    word.focus()
    assert meaning.is_visible()


def test_on_paper_a_figure_is_its_still(visit):
    page = visit("notebooks/04_mountaincar.html", motion="reduce")
    figure = page.locator(".props-figure-live")
    figure.wait_for()
    page.emulate_media(media="print")
    assert figure.locator("img.still").is_visible()
    assert figure.get_by_role("button", name="Play").is_hidden()


def test_the_first_page_is_named_once():
    page = (SITE / "book" / "index.html").read_text(encoding="utf-8")
    assert re.search(r"<title>([^<]*)", page)[1].strip() == "Prompted Policy Search"
