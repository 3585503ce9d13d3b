"""The built site and a Chromium to see it with: for its still pictures, its PDF and its tests.

Needs Playwright for Python (requirements-site.txt), and a Chromium whose path the environment
variable CHROMIUM gives (/usr/bin/chromium by default).
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

from playwright.sync_api import Browser, sync_playwright

ROOT = Path(__file__).parents[2]
SITE = ROOT / "_build" / "html"
CHROMIUM = Path(os.environ.get("CHROMIUM", "/usr/bin/chromium"))


class Handler(SimpleHTTPRequestHandler):
    """Serves the site as hosts of plain files do: with its own page for missing addresses."""

    def log_message(self, *args: object) -> None:
        """Say nothing."""

    def send_error(self, code: int, *args: object) -> None:
        page = (SITE / "404.html").read_bytes()
        self.send_response(code)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(page)))
        self.end_headers()
        self.wfile.write(page)


@contextmanager
def served_site() -> Iterator[str]:
    """The address at which the built site is served, on this machine alone.

    Raises FileNotFoundError where the site is not built.
    """
    if not (SITE / "index.html").exists():
        raise FileNotFoundError(f"There is no site in {SITE}: build it with 'make book'.")
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=SITE)) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@contextmanager
def chromium() -> Iterator[Browser]:
    """A running Chromium.

    Raises FileNotFoundError where there is none.
    """
    if not CHROMIUM.exists():
        raise FileNotFoundError(f"There is no Chromium at {CHROMIUM}: set CHROMIUM to its path.")
    arguments = ["--no-sandbox", "--disable-dev-shm-usage"]
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=str(CHROMIUM), args=arguments)
        yield browser
        browser.close()
