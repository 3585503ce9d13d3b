"""Write book/_static/figures/race_data.js, what the figure "Race of brains" knows.

Two recorded searches of the language model on MountainCarContinuous, one plain (chapter 3) and one
in disguise (chapter 10), and what CMA-ES and random search propose from the same warm-up points,
with three seeds each. Values are true returns. Half a minute. Run from the root of the repository:

    python benchmarks/race_figure.py
"""

from collections.abc import Iterable
from typing import Any

import figure_data
from memory import searched

from propslib import CMAES, LinearPolicy, RandomSearch, Run, World
from propslib.brain import find_recording
from propslib.world.disguise import Disguised

ABOUT = "Searches of random and CMA-ES."
SEEDS = range(3)
# The first step of CMA-ES is that of the chapter with the search.
TASKS = {
    "plain": ("mountaincar-props", {}),
    "disguised": ("repeated/mountaincar-disguised-202", {"sigma": 2.0}),
}


def task_of(name: str, settings: dict[str, float], seeds: Iterable[int] = SEEDS) -> dict[str, Any]:
    """A recorded search with its disguise, and the searches of the others with these seeds."""
    run = Run.load(find_recording(name))
    config = run.config
    hidden = config.get("world", config).get("disguise")
    shape = config["policy"] if isinstance(config["policy"], dict) else config
    about = {"recording": name, "box": shape["high"], "budget": len(run.proposals), "others": {}}
    with World("MountainCarContinuous-v0") as world:
        policy = LinearPolicy(world, low=shape["low"], high=shape["high"])
        place = Disguised(world, policy, **hidden) if hidden else world
        brains = {f"random, seed {k}": RandomSearch(policy, seed=k) for k in seeds}
        brains |= {f"CMA-ES, seed {k}": CMAES(policy, seed=k, **settings) for k in seeds}
        for label, brain in brains.items():
            about["others"][label] = [
                [*trial.params.tolist(), round(float(true(place, trial.value)), 2)]
                for trial in searched(brain, place, policy, run)[len(run.warmup) :]
            ]
    if hidden:
        about["scale"], about["shift"] = place.scale, place.shift
        about["turn"], about["centre"] = place.rotation.tolist(), place.centre.tolist()
    return about


def true(place: Any, value: float) -> float:
    """The return behind a value, which a disguise shows on another scale."""
    return place.true_value(value) if isinstance(place, Disguised) else value


def data() -> dict[str, Any]:
    """All that the figure knows."""
    return {key: task_of(name, settings) for key, (name, settings) in TASKS.items()}


def module() -> str:
    """The text of race_data.js."""
    return figure_data.text("race", ABOUT, data(), separators=(",", ":"))


if __name__ == "__main__":
    figure_data.write("race", module())
