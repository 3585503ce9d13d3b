"""Write what the moving picture of the first page shows, out of the search mountaincar-props.

Three proposals as the model wrote them, each with one drive of the car under it, and the values of
all proposals. book/_static/landing.js moves them. Run from the root of the repository:

    python book/figures/make_landing.py
"""

import json
from pathlib import Path

from propslib import LinearPolicy, Run, World
from propslib.brain import find_recording

DATA = Path(__file__).parents[1] / "_static" / "landing_data.js"
SCENES = (1, 4, 13)
START = 3  # the seed of the episode that is shown
STEPS = 260  # of a drive that does not arrive, so much is shown
EVERY = 2


def drive(world: World, policy: LinearPolicy, params: list[float]) -> dict:
    """The positions of the car, every second step, and whether it arrives."""
    episode = world.episode(policy(params), START)
    last = len(episode.states) if episode.terminated else STEPS
    positions = [round(float(x), 3) for x in episode.states[:last:EVERY, 0]]
    return {"positions": positions, "arrives": bool(episode.terminated)}


def main() -> None:
    """Collect the scenes and the values, and write them as one assignment."""
    run = Run.load(find_recording("mountaincar-props"))
    scenes = []
    with World("MountainCarContinuous-v0") as world:
        policy = LinearPolicy(world)
        for k in SCENES:
            trial = run.proposals[k - 1]
            params = [float(number) for number in trial.params]
            scene = {"proposal": k, "params": params, "reason": trial.reason}
            scenes.append(scene | drive(world, policy, params))
    data = {
        "scenes": scenes,
        "values": [round(trial.value, 2) for trial in run.proposals],
        "start": round(max(trial.value for trial in run.warmup), 2),
        "every": EVERY,
    }
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    note = "// Made by book/figures/make_landing.py from the recorded search mountaincar-props.\n"
    DATA.write_text(f"{note}window.propsLanding = {text};\n", encoding="utf-8")


if __name__ == "__main__":
    main()
