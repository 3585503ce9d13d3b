"""Draw book/extra/favicon.ico from book/_static/favicon.svg.

Browsers ask for this file where a page names no icon, as the first one does, which only leads on.
Needs what browser.py names:

    python book/browser/make_favicon.py
"""

from io import BytesIO
from pathlib import Path

from browser import chromium
from PIL import Image

BOOK = Path(__file__).parents[1]
SIZES = [(16, 16), (32, 32), (48, 48)]


def main() -> None:
    drawing = (BOOK / "_static" / "favicon.svg").read_text(encoding="utf-8")
    with chromium() as browser:
        page = browser.new_page(viewport={"width": 64, "height": 64})
        page.set_content(f"<style>body {{ margin: 0 }} svg {{ display: block }}</style>{drawing}")
        picture = Image.open(BytesIO(page.screenshot(omit_background=True)))
    picture.save(BOOK / "extra" / "favicon.ico", sizes=SIZES)


if __name__ == "__main__":
    main()
