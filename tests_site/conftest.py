"""The built site in a browser: `make test-site`. Not a part of `make test`."""

import os
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

sync_api = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")

ROOT = Path(__file__).parents[1]
SITE = ROOT / "_build" / "html"
CHROMIUM = Path(os.environ.get("CHROMIUM", "/usr/bin/chromium"))
# The theme says so itself on a first visit.
KNOWN = "Got invalid theme mode"


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *args):
        """Say nothing."""


@pytest.fixture(scope="session")
def address():
    """Where the site is served."""
    if not (SITE / "index.html").exists():
        pytest.skip("the site is not built: make book")
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=SITE)) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.fixture(scope="session")
def browser():
    if not CHROMIUM.exists():
        pytest.skip(f"there is no Chromium at {CHROMIUM}: set CHROMIUM to its path")
    arguments = ["--no-sandbox", "--disable-dev-shm-usage"]
    with sync_api.sync_playwright() as driver:
        chromium = driver.chromium.launch(executable_path=str(CHROMIUM), args=arguments)
        yield chromium
        chromium.close()


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
