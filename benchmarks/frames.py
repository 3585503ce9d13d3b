"""The work of each live figure a frame, on a processor slowed down: `python benchmarks/frames.py`.

Names of figures after it measure these only, as in `python benchmarks/frames.py prompt`. Needs the
built site (`make book`) and what book/browser/browser.py names. Work is the time that scripts,
styles and layout take, forced to be done within the frame: 20 ms are 50 frames a second.
"""

import json
import statistics
import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "book" / "browser"))
from browser import chromium, served_site  # noqa: E402

PAGES = {"car": "02_policies", "curse": "02_policies", "race": "03_brains", "prompt": "03_brains"}
PAGES |= {"watch": "04_mountaincar", "pool": "05_swimmer", "lake": "07_frozenlake"}
PAGES |= {"painter": "08_cartpole", "dial": "11_comparison", "cost": "../book/own-model"}
# What sets a figure moving that has no button "Play".
STARTS = {"curse": "Do that 50 times", "dial": "Judge them on fresh starts"}
FRAMES = """async (place, start) => {
    const found = { loop: [], empty: [], playing: [], moving: [] };
    const real = window.requestAnimationFrame;
    const frame = () => new Promise((next) => real(next));
    const timed = (times, run) => {
        const from = performance.now();
        run();
        place.getBoundingClientRect(); // styles and layout are done by now
        times.push(performance.now() - from);
    };
    const frames = async (times, run) => {
        for (let k = 0; k < 60; k++) { await frame(); timed(times, () => run(k / 60)); }
    };
    for (let k = 0; k < 5; k++) timed(found.loop, () => { for (let sum = 0; sum < 1e6; sum++); });
    await frames(found.empty, () => {});
    const button = [...place.querySelectorAll("button")].find((one) => one.textContent === start);
    window.requestAnimationFrame = (call) => real((now) => timed(found.playing, () => call(now)));
    button?.click();
    for (let k = 0; k < 120; k++) await frame();
    window.requestAnimationFrame = real;
    if (button?.textContent === "Pause") button.click();
    for (const slider of place.querySelectorAll("input[type=range]")) {
        await frames(found.moving, (share) => {
            slider.value = Number(slider.min) + share * (slider.max - slider.min);
            slider.dispatchEvent(new Event("input"));
        });
    }
    for (const board of place.querySelectorAll(".paintable, .pad")) {
        const { x, y, width, height } = board.getBoundingClientRect();
        const touch = (kind, share) => board.dispatchEvent(new PointerEvent(kind, {
            buttons: 1, clientX: x + share * width, clientY: y + share * height }));
        board.setPointerCapture = () => {};
        await frames(found.moving, (share) => touch(share ? "pointermove" : "pointerdown", share));
        timed(found.moving, () => touch("pointerup", 1));
    }
    return found;
}"""


def measured(figure: str) -> dict[str, list[float]]:
    """Median and 95th percentile of three visits, in ms, of each kind of frame."""
    times = {}
    with served_site() as address, chromium() as browser:
        for _ in range(3):
            page = browser.new_page(viewport={"width": 1280, "height": 900})
            page.goto(f"{address}/notebooks/{PAGES[figure]}.html", timeout=120_000)
            place = page.locator(f".props-figure-live[data-figure={figure}]").first
            place.scroll_into_view_if_needed()
            slow = ("Emulation.setCPUThrottlingRate", {"rate": 4})
            page.context.new_cdp_session(page).send(*slow)
            for kind, found in place.evaluate(FRAMES, STARTS.get(figure, "Play")).items():
                times[kind] = times.get(kind, []) + found
            page.close()
    cuts = {kind: statistics.quantiles(each, n=20) for kind, each in times.items() if each}
    return {kind: [round(cut[9], 1), round(cut[18], 1)] for kind, cut in cuts.items()}


if __name__ == "__main__":
    path = HERE / "frames.json"
    results = json.loads(path.read_text(encoding="utf-8"))
    results |= {figure: measured(figure) for figure in sys.argv[1:] or PAGES}
    path.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
