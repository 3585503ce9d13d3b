"""The work that each live figure of the built site does a frame, on a processor slowed down.

Run with `python benchmarks/frames.py [FIGURE ...]`; needs the built site (`make book`) and what
book/browser/browser.py names. The result goes to frames.json beside it.

The figure plays, and then each slider, and a pointer on what is painted, moves by a step a frame.
Work is the time that scripts, styles and layout take, forced to be done within the frame: 20 ms are
50 frames a second. An empty loop of a million rounds on the page tells how slow the machine is.
"""

import json
import statistics
import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "book" / "browser"))
from browser import chromium, served_site  # noqa: E402

SLOWER = 4
ROUNDS = 3
CHAPTERS = {"car": "01_worlds", "curse": "02_policies", "race": "03_brains", "prompt": "03_brains"}
CHAPTERS |= {"watch": "04_mountaincar", "pool": "05_swimmer", "lake": "07_frozenlake"}
CHAPTERS |= {"painter": "08_cartpole", "dial": "11_comparison"}
PAGES = {figure: f"notebooks/{page}.html" for figure, page in CHAPTERS.items()}
PAGES |= {"contest": "notebooks/02_policies.html", "cost": "book/own-model.html"}
# What sets a figure moving that has no button "Play", or moves it more than that button does.
STARTS = {"curse": "Do that 50 times", "dial": "Judge them on fresh starts", "prompt": None}
STARTS |= {"cost": None}
FRAMES = """async (place, { count, start }) => {
    const found = { unit: [], empty: [], playing: [], moving: [] };
    const real = window.requestAnimationFrame;
    const frame = () => new Promise((next) => real(next));
    const timed = (times, run) => {
        const from = performance.now();
        run();
        place.getBoundingClientRect(); // styles and layout are done by now
        times.push(performance.now() - from);
    };
    const frames = async (times, run) => {
        for (let k = 0; k < count; k++) { await frame(); timed(times, () => run(k / count)); }
    };
    const loop = () => { for (let k = 0, sum = 0; k < 1e6; k++) sum += k; };
    for (let k = 0; k < 5; k++) timed(found.unit, loop);
    await frames(found.empty, () => {});
    const button = [...place.querySelectorAll("button")].find((one) => one.textContent === start);
    if (button) {
        window.requestAnimationFrame = (call) =>
            real((now) => timed(found.playing, () => call(now)));
        button.click();
        for (let k = 0; k < 2 * count; k++) await frame();
        window.requestAnimationFrame = real;
        if (button.textContent === "Pause") button.click();
    }
    for (const slider of place.querySelectorAll("input[type=range]")) {
        await frames(found.moving, (share) => {
            slider.value = Number(slider.min) + share * (slider.max - slider.min);
            slider.dispatchEvent(new Event("input"));
        });
    }
    for (const board of place.querySelectorAll(".paintable, .pad")) {
        board.setPointerCapture = () => {};
        const box = board.getBoundingClientRect();
        const point = (kind, share) => board.dispatchEvent(new PointerEvent(kind, {
            buttons: 1, clientX: box.x + share * box.width, clientY: box.y + share * box.height }));
        await frames(found.moving, (share) => point(share ? "pointermove" : "pointerdown", share));
        timed(found.moving, () => point("pointerup", 1));
    }
    return found;
}"""


def measured(browser, address: str, figure: str) -> dict[str, list[float]]:
    """Median and 95th percentile in ms of each kind of frame, over all rounds."""
    times = {}
    for _ in range(ROUNDS):
        with browser.new_context(viewport={"width": 1280, "height": 900}) as context:
            page = context.new_page()
            page.set_default_timeout(120_000)
            page.goto(f"{address}/{PAGES[figure]}")
            script = figure.replace("contest", "car")
            place = page.locator(f".props-figure-live[data-figure={script}]").first
            place.scroll_into_view_if_needed()
            session = context.new_cdp_session(page)
            session.send("Emulation.setCPUThrottlingRate", {"rate": SLOWER})
            if figure == "contest":
                place.get_by_role("checkbox").check()
            options = {"count": 60, "start": STARTS.get(figure, "Play")}
            for kind, found in place.evaluate(FRAMES, options).items():
                times.setdefault(kind, []).extend(found)
    cuts = {kind: statistics.quantiles(each, n=20) for kind, each in times.items() if each}
    return {kind: [round(cut[9], 2), round(cut[18], 2)] for kind, cut in cuts.items()}


def main() -> None:
    result = {}
    with served_site() as address, chromium() as browser:
        for figure in sys.argv[1:] or PAGES:
            result[figure] = measured(browser, address, figure)
            print(figure, result[figure], flush=True)
    text = json.dumps({"slower": SLOWER, "rounds": ROUNDS, "figures": result}, indent=1)
    (HERE / "frames.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
