"""Print the built site to one file, _build/book.pdf, with a Chromium and its own print style.

    python book/print/make_pdf.py [PAGE ...]

PAGE is one page or several, such as book/index, for a part of the book. Needs the built site, and a
Chromium, whose path the environment variable CHROMIUM gives (/usr/bin/chromium by default).
"""

import os
import sys
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from io import BytesIO
from pathlib import Path
from threading import Thread

import yaml
from playwright.sync_api import Page, sync_playwright
from pypdf import PdfWriter

ROOT = Path(__file__).parents[2]
SITE = ROOT / "_build" / "html"
BOOK = ROOT / "_build" / "book.pdf"
MARGIN = {"top": "18mm", "bottom": "18mm", "left": "16mm", "right": "16mm"}
FOOT = """<div style="font: 8px sans-serif; width: 100%; padding: 0 16mm; color: #555;
display: flex; justify-content: space-between"><span class="title"></span>
<span class="pageNumber"></span></div>"""
# Answers are printed; a page loads its pictures as they are needed, paper needs them all.
PREPARE = """async () => {
    document.querySelectorAll("details").forEach((one) => { one.open = true; });
    document.querySelectorAll("img").forEach((one) => { one.loading = "eager"; });
    await Promise.all([...document.images].map((one) => one.decode().catch(() => null)));
    await document.fonts.ready;
    await window.MathJax?.startup?.promise;
}"""


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *args):
        """Say nothing."""


def contents() -> list[tuple[str, str]]:
    """The pages in the order of the book, each with the part it belongs to."""
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
    pages = [(toc["root"], "")]
    for part in toc["parts"]:
        pages += [(chapter["file"], part["caption"]) for chapter in part["chapters"]]
    return pages


def print_page(page: Page, address: str, name: str) -> tuple[str, bytes]:
    """One page of the site, as its title and a PDF."""
    page.goto(f"{address}/{name}.html", wait_until="networkidle")
    page.evaluate(PREPARE)
    title = page.locator("article h1").first.evaluate("(node) => node.firstChild.textContent")
    printed = page.pdf(
        format="A4",
        margin=MARGIN,
        print_background=True,
        display_header_footer=True,
        header_template="<span></span>",
        footer_template=FOOT,
        tagged=True,
    )
    return title, printed


def main() -> None:
    """Print all pages or those named, and join them with an outline."""
    wanted = sys.argv[1:]
    unknown = sorted(set(wanted) - {name for name, _ in contents()})
    if unknown:
        raise ValueError(f"Not in _toc.yml: {', '.join(unknown)}. Name pages as it does.")
    executable = os.environ.get("CHROMIUM", "/usr/bin/chromium")
    handler = partial(Quiet, directory=SITE)
    book, parts = PdfWriter(), {}
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server, sync_playwright() as driver:
        Thread(target=server.serve_forever, daemon=True).start()
        chromium = driver.chromium.launch(executable_path=executable, args=["--no-sandbox"])
        page = chromium.new_page(color_scheme="light", reduced_motion="reduce")
        for name, part in contents():
            if wanted and name not in wanted:
                continue
            address = f"http://127.0.0.1:{server.server_port}"
            title, printed = print_page(page, address, name)
            first = len(book.pages)
            book.append(BytesIO(printed), import_outline=False)
            if part and part not in parts:
                parts[part] = book.add_outline_item(title=part, page_number=first)
            book.add_outline_item(title=title, page_number=first, parent=parts.get(part))
        chromium.close()
        server.shutdown()
    book.add_metadata({"/Title": "Prompted Policy Search", "/Author": "The propslib authors"})
    # Fonts and pictures that several pages have are kept once.
    book.compress_identical_objects()
    BOOK.parent.mkdir(exist_ok=True)
    book.write(BOOK)
    print(f"The book: {BOOK}, {len(book.pages)} pages, {BOOK.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
