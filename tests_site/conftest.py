"""The built site in a browser: `make test-site`. Not a part of `make test`."""

from contextlib import ExitStack

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


@pytest.fixture
def visit(browser, address):
    """A function that opens a page; at the end no error and no request off the site may be seen."""
    contexts, wrong = [], []

    def open_page(path, *, width=1280, scheme="light", motion="no-preference", touch=False):
        context = browser.new_context(
            viewport={"width": width, "height": 900},
            color_scheme=scheme,
            reduced_motion=motion,
            has_touch=touch,
        )
        # Machines are shared: a slow page is no broken one.
        context.set_default_timeout(120_000)
        contexts.append(context)
        page = context.new_page()

        def said(message):
            if message.type in ("error", "warning") and KNOWN not in message.text:
                wrong.append(message.text)

        def asked(request):
            if not request.url.startswith((address, "data:", "blob:")):
                wrong.append(request.url)

        page.on("console", said)
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("request", asked)
        page.goto(f"{address}/{path}")
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert not wrong
