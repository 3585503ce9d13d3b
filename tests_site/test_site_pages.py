"""Every page of the built site: errors, requests, headings, pictures, axe-core, links, search."""

import json
import os
import re
import subprocess
import sys
from functools import cache
from html import unescape
from io import BytesIO
from itertools import pairwise
from pathlib import Path
from urllib.parse import unquote, urldefrag, urljoin

import make_pages
import matplotlib.pyplot as plt
import pytest
from axe_playwright_python.base import AXE_SCRIPT
from browser import SITE
from PIL import Image

# What Sphinx makes around the pages; axe looks at these, too.
AROUND = ["search.html", "genindex.html", "404.html"]
CHAPTERS = [
    path.relative_to(SITE).as_posix()
    for folder in ("book", "notebooks")
    for path in sorted((SITE / folder).glob("*.html"))
]
PAGES = CHAPTERS + AROUND
NUMBERED = re.compile(r"notebooks/\d\d_")
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


# Code and formulas look the same everywhere: axe-core sees a few. Of plots it sees the letters.
THIN = """() => {
    const all = (which) => [...document.querySelectorAll(which)];
    const most = (which, kept, change) => all(which).slice(kept).forEach(change);
    most("div.cell pre", 4, (one) => { one.textContent = one.textContent.slice(0, 60); });
    most("math, button.copybtn", 5, (one) => one.remove());
    most("svg.narrow, svg.plot :is(path, use, line, image, defs)", 0, (one) => one.remove());
    most("svg.plot g:not(:has(text))", 0, (one) => one.remove());
}"""


# Words in the same kind of place have the same colours: two of each are enough.
ALIKE = """() => {
    const seen = {};
    const kind = (one) => [one.tagName, one.getAttribute("class"), one.getAttribute("style")];
    for (const word of document.querySelectorAll("article *:not(:has(*)):not(svg:not(.plot) *)")) {
        let where = "";
        for (let one = word; one.tagName !== "ARTICLE"; one = one.parentElement) where += kind(one);
        seen[where] = (seen[where] ?? 0) + 1;
        if (seen[where] > 2) word.remove();
    }
    document.querySelectorAll("svg.plot g:not(:has(text))").forEach((one) => one.remove());
}"""


def unreadable(page, **options):
    """What axe-core, which is in the page, finds serious or critical; the names of all it finds."""
    violations = page.evaluate("(options) => axe.run(options)", OPTIONS | options)["violations"]
    bad = [
        f"{one['id']}: {node['target']} {node['html'][:120]}"
        for one in violations
        if one["impact"] in ("serious", "critical")
        for node in one["nodes"]
    ]
    return bad, [f"{one['id']} ({one['impact']})" for one in violations]


# The height in pixels of a plot's letters of 11 points.
LETTERS = """(plots) => plots.filter((one) => one.clientWidth && one.querySelector("text"))
    .map((one) => (11 * one.clientWidth) / one.viewBox.baseVal.width)"""
# Words of plots that lie on others or leave their plot.
CROWDED = """(plots) => plots.filter((one) => one.clientWidth).flatMap((plot) => {
    const edge = plot.getBoundingClientRect();
    const letters = [...plot.querySelectorAll("text")];
    const words = letters.map((one) => [one, one.getBoundingClientRect()]);
    const out = ([, a]) => a.left < edge.left - 2 || a.right > edge.right + 2
        || a.top < edge.top - 2 || a.bottom > edge.bottom + 2;
    const area = (a) => Math.max(0, a.right - a.left) * Math.max(0, a.bottom - a.top);
    const on = ([, a], [, b]) => area({
        left: Math.max(a.left, b.left), right: Math.min(a.right, b.right),
        top: Math.max(a.top, b.top), bottom: Math.min(a.bottom, b.bottom),
    }) > 0.15 * Math.min(area(a), area(b));
    const pairs = words.flatMap((a, k) =>
        words.slice(k + 1).filter((b) => on(a, b)).map((b) => [a, b]));
    return [...words.filter(out).map(([one]) => one.textContent + " leaves the plot"),
        ...pairs.map(([[a], [b]]) => a.textContent + " on " + b.textContent)]
        .map((what) => (plot.getAttribute("aria-label") || "").slice(0, 50) + ": " + what);
})"""
SIDEWAYS = """(boxes) => boxes.filter((one) => one.scrollWidth > one.clientWidth + 1)
    .map((one) => one.textContent.slice(0, 60))"""


def opens_badly(page):
    """What a chapter's first screen lacks, and its code that is wider than the page."""
    opening = page.locator("article figure.shown").first
    caption = opening.locator("figcaption").inner_text()
    goals = page.locator("details.goals")
    there = {
        "a picture": opening.bounding_box()["y"] < 900,
        "a caption": caption.startswith("Figure\N{NO-BREAK SPACE}"),
        "goals, folded": goals.get_attribute("open") is None and "In class" in goals.inner_text(),
    }
    wide = page.locator("div.cell_input pre").evaluate_all(SIDEWAYS)
    return [what for what, seen in there.items() if not seen] + wide


def small_on_a_phone(page):
    """390 pixels wide: letters lower than 9 pixels, words on others, and plots of dots."""
    page.set_viewport_size({"width": 390, "height": 900})
    letters = page.locator("svg.plot").evaluate_all(LETTERS)
    dots = page.locator("div.cell_output img[src$='.png']").count()
    crowded = page.locator("svg.narrow").evaluate_all(CROWDED)
    return [height for height in letters if height < 9] + crowded + ["a plot of dots"] * dots


# How much lighter than the page's ground the lines of data are that a plot draws, by their colours.
LINES = """(lines) => {
    const light = (colour) => colour.match(/[\\d.]+/g).slice(0, 3)
        .map((one) => ((one / 255 + 0.055) / 1.055) ** 2.4)
        .reduce((sum, one, k) => sum + one * [0.2126, 0.7152, 0.0722][k], 0.05);
    const ground = light(getComputedStyle(document.body).backgroundColor);
    return Object.fromEntries(lines.map((one) => getComputedStyle(one).stroke)
        .filter((one) => one !== "none").map((one) => [one, light(one) / ground]));
}"""
DARK = [f"notebooks/{name}.html" for name in ("03_brains", "04_mountaincar", "08_cartpole")]
DARK += ["notebooks/11_comparison.html"]


def lost_in_the_dark(page):
    """The lines of plots that are hardly lighter than the ground, in the dark scheme."""
    set_scheme(page, "dark")
    lines = page.locator('svg.plot:not(.narrow) path[clip-path][style*="fill: none"]')
    found = lines.evaluate_all(LINES)
    set_scheme(page, "light")
    few = {} if len(found) > 2 else {"lines": len(found)}
    return few | {one: ratio for one, ratio in found.items() if ratio < 2.5}


def set_scheme(page, scheme):
    page.emulate_media(color_scheme=scheme)
    page.locator(f"html[data-theme={scheme}]").wait_for()


def badly_named(page):
    """What modules of the reference lack: a heading each, and names beside it that are whole."""
    names = page.locator(".bd-sidebar-secondary .toc-h3 > a code").all()
    edges = [box["x"] + box["width"] for one in names if (box := one.bounding_box())]
    heads = page.locator("article section section > h2").count()
    there = {
        "names that are whole": edges and max(edges) <= 1280,
        "a heading each": page.locator(".module").count() == heads,
        "optional, said once": page.get_by_text(re.compile("^Optional: ")).count() == 0,
    }
    return [what for what, seen in there.items() if not seen]


TEXT_PAGES = [path for path in CHAPTERS if path.startswith("book/")]
LETTERED = ["book/notation.html", "book/references.html", "genindex.html"]
BROKEN = """(names) => names
    .filter((one) => one.offsetHeight > 1.5 * parseFloat(getComputedStyle(one).lineHeight))
    .map((one) => one.textContent)"""


@pytest.mark.parametrize("path", PAGES)
def test_a_page_is_open_to_all_readers(visit, record, path):
    """Its headings, pictures, width, a chapter's opening, and axe-core in both schemes.

    No name with a hyphen is broken and no example or formula is cut on a phone, no line of a plot
    is lost in the dark, every module has a heading and its name, and each letter above a list leads
    to its group.
    """
    page = visit(path, motion="reduce")
    page.wait_for_load_state("networkidle")
    found = record.setdefault(path, {"times": page.evaluate(TIMES)})
    wrong = {"wider than the screen": too_wide(page)}
    if path in [*TEXT_PAGES, "notebooks/tournament_leader.html"]:  # 390 pixels wide by now
        wrong["broken names"] = page.locator(".bd-article .pre > .one").evaluate_all(BROKEN)
        wrong["cut"] = page.locator(".bd-article :is(pre, div.math)").evaluate_all(SIDEWAYS)
    page.set_viewport_size({"width": 1280, "height": 900})
    wrong["megabytes"] = max(found["times"]["bytes"] / 1e6 - 3, 0)
    if "reference-" in path:
        wrong["modules"] = badly_named(page)
    if path in LETTERED:
        links = page.locator(".letters a").all_inner_texts()
        letters = page.locator(".letter").all_inner_texts()
        wrong["letters"] = [] if links == letters == sorted(links) else [links, letters]
    if path in CHAPTERS:
        levels = page.locator("article :is(h1, h2, h3, h4, h5, h6)").evaluate_all(HEADINGS)
        ordered = all(after <= before + 1 for before, after in pairwise(levels))
        wrong["headings"] = [] if levels[0] == levels.count(1) == 1 and ordered else levels
        wrong["pictures"] = page.locator("article img").evaluate_all(NAMELESS)
    if NUMBERED.match(path):
        wrong["opening"] = opens_badly(page)
        wrong["small"] = small_on_a_phone(page)
        page.set_viewport_size({"width": 1280, "height": 900})
    if path in DARK:
        wrong["lost in the dark"] = lost_in_the_dark(page)
    page.evaluate(AXE_SCRIPT)
    page.evaluate(THIN)
    wrong["form"], found["form"] = unreadable(page, rules={"color-contrast": {"enabled": False}})
    page.evaluate(ALIKE)
    for scheme in ("light", "dark"):
        set_scheme(page, scheme)
        wrong[scheme], found[scheme] = unreadable(page, runOnly=["color-contrast"])
    assert {what: which for what, which in wrong.items() if which} == {}


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
def text_of(path):
    return (SITE / path).read_text(encoding="utf-8")


@cache
def anchors(path):
    return set(re.findall(r'\bid="([^"]+)"', text_of(path)))


@pytest.mark.parametrize("path", [*PAGES, "index.html"])
def test_every_link_within_the_site_leads_somewhere(path):
    here = f"http://site/{path}"
    for link in set(re.findall(r'\b(?:href|src)="([^"]+)"', text_of(path))):
        address, anchor = urldefrag(urljoin(here, link.replace("&amp;", "&")))
        if not address.startswith("http://site/"):
            continue
        target = unquote(address.removeprefix("http://site/")).partition("?")[0]
        assert (SITE / target).is_file(), link
        if anchor and target.endswith(".html"):
            assert unquote(anchor) in anchors(target), link


NUMBER = re.compile(r'(?:<strong>|caption-number">)Figure[ \xa0](?:\d+\.)?(\d+)\. ')


@pytest.mark.parametrize("path", CHAPTERS)
def test_the_figures_of_a_page_are_counted_from_one(path):
    numbers = [int(number) for number in NUMBER.findall(text_of(path))]
    assert numbers == [*range(1, len(numbers) + 1)]


def test_the_first_address_has_an_icon(visit, address):
    """The page at the root names none, so that browsers ask for this one."""
    page = visit("book/index.html")
    assert page.request.get(f"{address}/favicon.ico").ok


def test_the_first_address_leads_to_the_first_page(visit):
    visit("index.html").wait_for_url("**/book/index.html")


def test_the_book_is_read_from_page_to_page():
    seen = ["book/index.html"]
    while link := re.search(r'class="right-next"\s+href="([^"]+)"', text_of(seen[-1])):
        seen.append(urljoin(f"http://site/{seen[-1]}", link[1]).removeprefix("http://site/"))
        assert len(seen) <= len(CHAPTERS)
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
    page.get_by_text(re.compile(r"\d+ results? for")).wait_for()
    addresses = found.evaluate_all("(links) => links.map((one) => one.getAttribute('href'))")
    assert any(chapter in address for address in addresses)


def test_results_quote_sentences_and_have_short_names(visit):
    page = visit("search.html?q=return")
    page.get_by_text(re.compile(r"\d+ results for “return”")).wait_for()
    page.wait_for_load_state("networkidle")
    titles = page.locator("#search-results li > a").all_inner_texts()
    assert titles[0] == "Glossary: return" and {"World.returns", "1. Worlds"} <= {*titles}
    assert len(titles) == len({*titles})
    chapters = [int(title.partition(".")[0]) for title in titles if title[0].isdigit()]
    places = [titles.index(title) for title in titles if title[0].isdigit()]
    assert chapters == sorted(chapters) and places == [*range(1, len(places) + 1)]
    marked = page.locator("#search-results .highlighted").all_inner_texts()
    assert {"return", "returns", "return_"} <= {*marked}
    quoted = page.locator("#search-results p.context").all_inner_texts()
    assert len(quoted) > 20 and not [text for text in quoted if re.search(r"\\|>>>|…\S", text)]


def test_the_moving_picture_plays_pauses_and_plays_again(visit):
    page = visit("book/index.html", new=True)  # a clock stays in its tab
    place = page.locator(".landing-live")
    score = place.locator(".score")
    page.clock.install()
    page.reload()
    page.clock.run_for(10_000)
    assert "Proposal " in place.inner_text()
    place.get_by_role("button", name="Pause").click()
    before = score.inner_text()
    page.clock.run_for(3000)
    assert score.inner_text() == before
    place.get_by_role("button", name="Play").click()
    page.clock.run_for(60_000)
    assert "Mean return of 20 episodes: 93.37" in place.inner_text()
    place.get_by_role("button", name="Play again").click()
    page.clock.run_for(2000)
    place.get_by_text("Proposal 1: the model writes").wait_for()
    assert place.locator(".point.later").count() == 60  # hollow, as they are to come


def test_the_moving_picture_stands_still_for_those_who_want_that(visit):
    place = visit("book/index.html", motion="reduce").locator(".landing-live")
    assert place.get_by_role("button", name="Play again").is_visible()
    assert "93.37" in place.locator(".score").inner_text()
    assert place.locator(".point").count() == 60
    assert place.locator(".point.later").count() == 0


def test_the_moving_picture_moves_on_a_page_opened_as_a_file(browser, address):
    with browser.new_context() as context:
        page = context.new_page()
        page.clock.install()
        page.goto((SITE / "book" / "index.html").as_uri())
        page.clock.run_for(60_000)
        assert "Mean return of 20 episodes: 93.37" in page.locator(".landing-live").inner_text()


def test_without_javascript_the_first_page_has_its_picture(plain_tab, address):
    plain_tab.goto(f"{address}/book/index.html")
    picture = plain_tab.locator(".landing img")
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
    page = text_of("book/index.html")
    picture = re.search(r'<meta property="og:image" content="([^"]+)"', page)[1]
    assert (SITE / "book" / picture).resolve().is_file()
    assert '<meta property="og:title" content="Prompted Policy Search"' in page


# How the pages look: what a designer found wrong, and what holds it right.
FONT = "(node) => [parseFloat(getComputedStyle(node).fontSize), getComputedStyle(node).fontWeight]"


def test_higher_headings_are_larger_and_stronger(visit):
    page = visit("notebooks/01_worlds.html")
    sizes = [page.locator(f"article h{level}").first.evaluate(FONT) for level in (1, 2, 3)]
    assert all(a[0] > b[0] and int(a[1]) >= int(b[1]) for a, b in pairwise(sizes))


def test_plots_take_the_ink_of_the_theme(visit):
    page = visit("notebooks/01_worlds.html", scheme="dark", motion="reduce")
    ink = page.locator("svg.plot text").first.evaluate("(node) => getComputedStyle(node).fill")
    assert min(map(int, re.findall(r"\d+", ink)[:3])) > 150


def test_the_boxes_of_a_diagram_are_dark_in_the_dark_and_their_words_light(visit):
    page = visit("notebooks/14_language_model_policy.html", scheme="dark", motion="reduce")
    plot = page.locator("svg.plot", has_text="looks back").first
    parts = [plot.get_by_text("norm").first, plot.locator('path[style*="#fdfdfd"]').first]
    fills = [part.evaluate("(node) => getComputedStyle(node).fill") for part in parts]
    assert fills == ["rgb(206, 214, 221)", "rgb(42, 48, 59)"]


def test_the_contents_of_a_page_fit_their_column(visit):
    page = visit("notebooks/11_comparison.html", motion="reduce")
    column = page.locator(".bd-sidebar-secondary")
    assert column.evaluate("(node) => node.scrollWidth - node.clientWidth") <= 0


def test_each_plot_has_a_narrow_copy_for_phones(visit):
    page = visit("notebooks/09_limits.html", width=390, motion="reduce")
    wide, narrow = page.locator("svg.plot:not(.narrow)").all(), page.locator("svg.narrow").all()
    assert len(wide) == len(narrow) > 5
    assert not any(one.is_visible() for one in wide) and all(one.is_visible() for one in narrow)
    boxes = [one.bounding_box() for one in narrow]
    assert all(box["x"] >= 0 and box["x"] + box["width"] <= 390 for box in boxes)
    page.set_viewport_size({"width": 1280, "height": 900})
    assert all(one.is_visible() for one in wide) and not any(one.is_visible() for one in narrow)


def test_on_a_phone_a_row_that_is_too_wide_becomes_lines_with_the_columns_names(visit):
    page = visit("notebooks/11_comparison.html", width=390, motion="reduce")
    assert page.locator(".bd-article table").evaluate_all(SIDEWAYS) == []
    table = page.locator("table.stacked").first
    names = table.locator("thead th").all_inner_texts()
    row = table.locator("tbody tr").first.locator("td, th")
    heads = row.evaluate_all("(all) => all.map((one) => one.dataset.head ?? null)")
    assert heads == [None, *names[1:]]  # the first cell names the row by itself
    title, *others = (one.bounding_box() for one in row.all())
    assert all(one["y"] > title["y"] and one["x"] + one["width"] <= 390 for one in others)


def test_on_a_phone_a_row_that_a_number_names_says_what_the_number_is(visit):
    page = visit("notebooks/05_swimmer.html", width=390, motion="reduce")
    first = page.locator("table.stacked td:first-child", has_text="3 and 4").first
    assert first.get_attribute("data-head") == "pair of params"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_film_has_the_ground_of_the_page(visit, scheme):
    page = visit("notebooks/01_worlds.html", scheme=scheme, motion="reduce")
    picture = Image.open(BytesIO(page.locator("video.film").first.screenshot())).convert("L")
    assert (picture.getpixel((20, picture.height - 20)) < 60) == (scheme == "dark")


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


IMPORTED = """
import importlib, sys
from sphinx.ext.autodoc.mock import mock
missing, mocks, modules = (line.split() for line in sys.stdin)
sys.modules |= dict.fromkeys(missing)
with mock(mocks):
    for name in modules:
        importlib.import_module(name)
"""


def test_the_reference_is_built_without_the_packages_of_live_models():
    """In a fresh environment `make book` has those of requirements.txt, and what is mocked."""
    root = SITE.parents[1]
    live = (root / "requirements-live.txt").read_text(encoding="utf-8")
    packages = set(re.findall(r"(?m)^([a-z]\w*)\S*==", live))
    mocks = re.search(r"autodoc_mock_imports: \[(.*)\]", (root / "_config.yml").read_text())
    mocks = mocks[1].split(", ")
    pages = (path.read_text(encoding="utf-8") for path in (root / "book").glob("reference-*.md"))
    modules = re.findall(r"automodule:: (\S+)", "".join(pages))
    assert {"httpx2", "openai"} <= packages and len(modules) > 20
    told = "\n".join(map(" ".join, (packages - {*mocks}, mocks, modules)))
    done = subprocess.run([sys.executable, "-c", IMPORTED], input=told, text=True)
    assert done.returncode == 0


def test_the_first_page_is_named_once():
    page = text_of("book/index.html")
    assert re.search(r"<title>([^<]*)", page)[1].strip() == "Prompted Policy Search"


SHIFTS = """() => new Promise((tell) => {
    let sum = 0;
    const seen = new PerformanceObserver((list) => {
        for (const shift of list.getEntries()) sum += shift.hadRecentInput ? 0 : shift.value;
    });
    seen.observe({ type: "layout-shift", buffered: true });
    setTimeout(() => tell(sum), 1000);
})"""


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("path", ["book/rl-in-one-page.html", "notebooks/02_policies.html"])
def test_lines_stay_where_they_are_when_formulas_are_set(visit, path, width):
    page = visit(path, width=width, motion="reduce")
    page.wait_for_load_state("networkidle")
    assert page.evaluate(SHIFTS) < 0.05


def test_no_rule_asks_what_the_whole_page_holds():
    """It would have all of it styled anew whenever a figure moves: 100 ms a frame instead of 5."""
    for path in (SITE / "_static").rglob("*.css"):
        if path.name in ("custom.css", "figures.css", "formulas.css"):
            whole = r"(?<![\w.-])(?:html|body|:root)(?:\[[^\]]*\]|[.#][\w-]+)*:has\("
            assert not re.search(whole, path.read_text(encoding="utf-8")), path


def test_the_font_of_formulas_has_all_their_signs():
    """By the ranges that it was made with."""
    style = text_of("_static/math/formulas.css")
    ranges = re.findall(r"U\+([0-9A-F]+)(?:-([0-9A-F]+))?", style)
    kept = {one for low, high in ranges for one in range(int(low, 16), int(high or low, 16) + 1)}
    formulas = re.findall(r"(?s)<math.*?</math>", "".join(map(text_of, PAGES)))
    signs = set(unescape(re.sub("<[^>]*>", "", "".join(formulas))))
    assert len(formulas) > 300 and {sign for sign in signs if ord(sign) not in kept} == set()


def rounded(folder):
    """The pictures of make_pages.py in a folder, to the pixel."""
    names = [f"{name}{kind}.svg" for name in make_pages.PICTURES for kind in ("", "-narrow")]
    texts = [(folder / name).read_text(encoding="utf-8") for name in names]
    return [re.sub(r"\d+\.\d+", lambda found: str(round(float(found[0]))), text) for text in texts]


def test_the_pictures_of_text_pages_say_what_the_pages_say(tmp_path):
    """They are drawn again: the plans' minutes and chapters are read from the teaching page."""
    with plt.rc_context():
        make_pages.draw(tmp_path)
    assert rounded(tmp_path) == rounded(make_pages.FOLDER)
    lengths = {sum(part for part, _ in one) for plan in make_pages.plans().values() for one in plan}
    assert lengths == {90, 180}


def test_the_score_of_the_moving_picture_stands_on_one_line(visit):
    for width in (390, 1280):
        page = visit("book/index.html", width=width, motion="reduce")
        score = page.locator(".landing .score")
        assert score.bounding_box()["height"] < 1.9 * score.evaluate(FONT)[0]
        assert page.locator(".landing .mark").is_visible()
        button = page.locator(".landing button").bounding_box()
        frame = page.locator(".landing-live").bounding_box()
        assert button["x"] + button["width"] < frame["x"] + frame["width"]


@pytest.mark.parametrize("width", [390, 820, 1280])
def test_the_search_page_begins_where_other_pages_do(visit, width):
    left = [
        visit(path, width=width)
        .locator(":is(article, .bd-search-container) h1")
        .bounding_box()["x"]
        for path in ("search.html", "book/licence.html")
    ]
    assert left[0] == pytest.approx(left[1], abs=1)
