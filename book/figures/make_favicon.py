"""Draw book/extra/favicon.ico from book/_static/favicon.svg.

Browsers ask for this file where a page names no icon, as the first one does, which only leads on.
Needs Playwright for Python and a Chromium, as make_stills.py does:

    python book/figures/make_favicon.py
"""

import os
from io import BytesIO
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

BOOK = Path(__file__).parents[1]
SIZES = [(16, 16), (32, 32), (48, 48)]


def main() -> None:
    drawing = (BOOK / "_static" / "favicon.svg").read_text(encoding="utf-8")
    with sync_playwright() as driver:
        chromium = driver.chromium.launch(
            executable_path=os.environ.get("CHROMIUM", "/usr/bin/chromium"), args=["--no-sandbox"]
        )
        page = chromium.new_page(viewport={"width": 64, "height": 64})
        page.set_content(f"<style>body {{ margin: 0 }} svg {{ display: block }}</style>{drawing}")
        picture = Image.open(BytesIO(page.screenshot(omit_background=True)))
        chromium.close()
    picture.save(BOOK / "extra" / "favicon.ico", sizes=SIZES)


if __name__ == "__main__":
    main()
