"""Photograph the interactive figures: the still pictures that pages show without JavaScript.

    python book/browser/make_stills.py                   # all
    python book/browser/make_stills.py watch-in-disguise # some

needs the built site (make book) and what browser.py names. The pictures are committed.
"""

import sys
from collections.abc import Callable
from functools import partial
from io import BytesIO

from browser import ROOT, chromium, served_site
from PIL import Image
from playwright.sync_api import Locator, Page

UNDER_A_HEADER = ".bd-header, .bd-header-article { display: none !important; }"


def number(figure: Locator, label: str, value: float) -> None:
    field = figure.get_by_label(f"{label}, as a number")
    field.fill(str(value))
    field.press("Enter")
    field.blur()


def tune_the_car(figure: Locator) -> None:
    number(figure, "velocity gain", 6)
    number(figure, "bias", 0.1)


def beat_the_model(figure: Locator) -> None:
    propose = figure.get_by_role("button", name="Propose")
    for gain in (3, 5, 6):
        number(figure, "velocity gain", gain)
        propose.click()


def draw_a_lake(figure: Locator) -> None:
    figure.get_by_role("group", name="Map").wait_for()


def prompt_and_reply(figure: Locator) -> None:
    figure.get_by_role("button", name="parameters").click()
    figure.get_by_label("Unusual forms").select_option("a mention first")


def what_it_costs(figure: Locator) -> None:
    figure.get_by_role("table").wait_for()


def paint_the_table(figure: Locator) -> None:
    figure.get_by_label("start from").select_option("the model’s first table")


def winners_curse(figure: Locator) -> None:
    figure.get_by_role("button", name="Do that").click()


def comparison_dial(figure: Locator) -> None:
    figure.get_by_role("button", name="Judge").click()


def swimmer_pool(figure: Locator) -> None:
    figure.get_by_role("button", name="Proposal 14").click()


def race(proposal: int, figure: Locator) -> None:
    figure.get_by_label("Proposals made").fill(str(proposal))
    figure.get_by_label("Proposals made").blur()
    figure.locator("image[href]").nth(1).wait_for()  # both maps are drawn


def watch(proposal: int, figure: Locator) -> None:
    number(figure, "proposal", proposal)
    figure.page.wait_for_timeout(2000)  # until the map is drawn


# The page, the figure on it, and what is done with it first.
STILLS: dict[str, tuple[str, str, Callable[[Locator], None]]] = {
    "tune-the-car": ("notebooks/01_worlds", "car", tune_the_car),
    "beat-the-model": ("notebooks/02_policies", "car", beat_the_model),
    "winners-curse": ("notebooks/02_policies", "curse", winners_curse),
    "prompt-and-reply": ("notebooks/03_brains", "prompt", prompt_and_reply),
    "draw-a-lake": ("notebooks/07_frozenlake", "lake", draw_a_lake),
    "paint-the-table": ("notebooks/08_cartpole", "painter", paint_the_table),
    "comparison-dial": ("notebooks/11_comparison", "dial", comparison_dial),
    "swimmer-pool": ("notebooks/05_swimmer", "pool", swimmer_pool),
    "race-of-brains": ("notebooks/03_brains", "race", partial(race, 13)),
    "race-in-disguise": ("notebooks/10_memory_or_search", "race", partial(race, 9)),
    "what-it-costs": ("book/own-model", "cost", what_it_costs),
    "watch-the-car": ("notebooks/04_mountaincar", "watch", partial(watch, 13)),
    "watch-the-swimmer": ("notebooks/05_swimmer", "watch", partial(watch, 14)),
    "watch-props-plus": ("notebooks/06_props_plus", "watch", partial(watch, 1)),
    "watch-in-disguise": ("notebooks/10_memory_or_search", "watch", partial(watch, 23)),
}


def photograph(page: Page, address: str, name: str) -> None:
    chapter, kind, prepare = STILLS[name]
    page.goto(f"{address}/{chapter}.html")
    page.add_style_tag(content=UNDER_A_HEADER)
    figure = page.locator(f".props-figure-live[data-figure={kind}]")
    prepare(figure)
    picture = Image.open(BytesIO(figure.screenshot())).convert("RGB")
    # Fewer colours, so that the picture is small.
    picture.quantize(256, Image.Quantize.MAXCOVERAGE).save(
        ROOT / "book" / "figures" / f"{name}.png", optimize=True
    )


def main() -> None:
    with served_site() as address, chromium() as browser:
        page = browser.new_page(
            viewport={"width": 1280, "height": 1600},
            device_scale_factor=2,
            color_scheme="light",
            reduced_motion="reduce",
        )
        for name in sys.argv[1:] or STILLS:
            photograph(page, address, name)


if __name__ == "__main__":
    main()
