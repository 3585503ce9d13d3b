"""Write book/_static/figures/pool_data.js, what the figure "The swimmer pool" knows.

Swimmer-v5 with two antisymmetric pairs of weights on a grid, without and with the third pair of the
recorded search, and four proposals of that search: the mean return of 20 starts (seeds 0 to 19, as
the book's values are measured), and of seed 0 the return, the metres swum, and how the body moves
in its first 16 of 40 seconds. Ten minutes. Run from the root of the repository:

    python benchmarks/pool_figure.py
"""

from itertools import product
from typing import Any

import figure_data
import numpy as np

from propslib import LinearPolicy, Run, World
from propslib.brain import find_recording

ABOUT = "Runs of Swimmer-v5 in MuJoCo."
GAINS = (-6, -4, -2, 0, 2, 4, 6)
RATES = (0, 1)  # params[13] and minus params[14]: 1 in the proposals from the eighth on
PROPOSALS = (1, 8, 14, 100)
EVERY = 4  # steps of 0.04 s between two frames
FRAMES = 100
# The smallest change that a frame can have: of x and y in metres, of the three angles in radians.
UNITS = (0.02, 0.02, *np.radians([1, 2, 2]))
MIDDLE, MOST = 80, 44  # a change of k units is the character of number 80 + k; k at most 44


def params_of(own: float, wave: float, rate: float) -> np.ndarray:
    """Each joint's pull on its own motor and on the other's, and of its rate; 0 elsewhere."""
    params = np.zeros(18)
    params[[2, 5]] = own, -own
    params[[3, 4]] = wave, -wave
    params[[13, 14]] = rate, -rate
    return params


def written(places: np.ndarray) -> str:
    """The changes from frame to frame of (frames, 5) positions and angles, in characters."""
    drawn, text = np.zeros(5), ""
    for place in places / UNITS:
        change = np.clip(np.round(place - drawn), -MOST, MOST).astype(int)
        drawn += change
        text += "".join(chr(MIDDLE + k) for k in change)
    return text


def swum(world: World, policy: LinearPolicy, params: np.ndarray) -> dict[str, Any]:
    """What is known of one run of seed 0."""
    places = []

    def look(env):
        places.append(env.unwrapped.data.qpos.copy())
        return np.zeros((1, 1, 3), np.uint8)

    episode = world.episode(policy(params), seed=0, frame_every=EVERY, frame=look)
    return {
        "first": round(episode.return_, 2),
        "metres": round(places[-1][0] - places[0][0], 2),
        "motion": written(np.array(places[: FRAMES + 1])),
    }


def value(world: World, policy: LinearPolicy, params: np.ndarray) -> float:
    """The mean return of seeds 0 to 19."""
    return round(float(world.returns(policy, params, range(20)).mean()), 2)


def data() -> dict[str, Any]:
    """All that the figure knows."""
    run = Run.load(find_recording("swimmer-props"))
    with World("Swimmer-v5") as world:
        policy = LinearPolicy(world)
        grid = []
        for rate, wave, own in product(RATES, GAINS, GAINS):
            params = params_of(own, wave, rate)
            grid.append({"value": value(world, policy, params)} | swum(world, policy, params))
        proposals = []
        for trial in (run.proposals[k - 1] for k in PROPOSALS):
            about = {"number": trial.iteration, "params": trial.params.tolist()}
            about["value"] = round(trial.value, 2)
            proposals.append(about | swum(world, policy, trial.params))
        seconds = EVERY * world.env.unwrapped.dt
    shape = {"gains": GAINS, "rates": RATES, "seconds": round(seconds, 3), "units": UNITS}
    return shape | {"middle": MIDDLE, "grid": grid, "proposals": proposals}


def module() -> str:
    """The text of pool_data.js."""
    return figure_data.text("pool", ABOUT, data())


if __name__ == "__main__":
    figure_data.write("pool", module())
