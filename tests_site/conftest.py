"""The built site in a browser: `make test-site`. Not a part of `make test`."""

from contextlib import ExitStack
from functools import cache

import pytest

browser_module = pytest.importorskip("browser", reason="Playwright is not installed")

# The theme says so itself on a first visit.
KNOWN = "Got invalid theme mode"


def entered(stack, manager):
    """What a context manager gives; the tests are skipped where it finds no site or no browser."""
    try:
        return stack.enter_context(manager)
    except FileNotFoundError as error:
        pytest.skip(str(error))


@pytest.fixture(scope="session")
def address():
    """Where the site is served."""
    with ExitStack() as stack:
        yield entered(stack, browser_module.served_site())


@pytest.fixture(scope="session")
def browser():
    with ExitStack() as stack:
        yield entered(stack, browser_module.chromium())


@pytest.fixture(scope="session")
def wrong():
    """The errors and the requests off the site that are seen on pages."""
    return []


@pytest.fixture(scope="session")
def open_tab(browser, address, wrong):
    """A function that opens a tab in which each visit asks for every file again."""

    def said(message):
        if message.type in ("error", "warning") and KNOWN not in message.text:
            wrong.append(message.text)

    def asked(request):
        if not request.url.startswith((address, "data:", "blob:")):
            wrong.append(request.url)

    def opened(touch):
        context = browser.new_context(has_touch=touch)
        # Machines are shared: a slow page is no broken one.
        context.set_default_timeout(120_000)
        page = context.new_page()
        network = context.new_cdp_session(page)
        network.send("Network.enable")
        network.send("Network.setCacheDisabled", {"cacheDisabled": True})
        page.on("console", said)
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("request", asked)
        return page

    return opened


@pytest.fixture(scope="session")
def shared_tab(open_tab):
    """The same tab for all who touch, and one for all others: a new one costs more than a page."""
    return cache(open_tab)


@pytest.fixture(scope="session")
def plain_tab(browser):
    """A page of a browser that runs no JavaScript."""
    return browser.new_context(java_script_enabled=False).new_page()


@pytest.fixture
def visit(open_tab, shared_tab, address, wrong):
    """A function that opens a page as on a first visit; others had its tab before, unless `new`.

    At the end no error and no request off the site may be seen.
    """
    visited = set()

    def leave(page):
        page.goto(f"{address}/favicon.ico")  # a picture: nothing runs there
        page.evaluate("localStorage.clear(); sessionStorage.clear()")

    def open_page(
        path, *, width=1280, scheme="light", motion="no-preference", touch=False, new=False
    ):
        page = open_tab(touch) if new else shared_tab(touch)
        visited.add(page)
        leave(page)
        page.set_viewport_size({"width": width, "height": 900})
        page.emulate_media(media="null", color_scheme=scheme, reduced_motion=motion)
        page.goto(f"{address}/{path}")
        return page

    wrong.clear()
    yield open_page
    for page in visited:
        leave(page)
    assert wrong == []
