"""How long a brain thinks: CPU time to be told a trial and to propose the next.

    python benchmarks/asking.py

lets each brain search on a made-up landscape, whose values cost nothing, with the parameters of the
mountain car (3) and of the swimmer (18), 20 warm-up points and 400 proposals. Prints the mean CPU
time of a proposal near the 20th, the 100th and the 400th, one thread, and writes all to
benchmarks/asking.json.
"""

import json
import platform
import time
from importlib.metadata import version
from pathlib import Path

import numpy as np
from studies import BRAINS
from threadpoolctl import threadpool_limits

from propslib import LinearPolicy, Trial, World

PLACES, NEAR = (20, 100, 400), 5  # the mean of so many proposals, up to the place


def value(params):
    """A smooth landscape with its top at 2 in each parameter."""
    return -float(np.square(params - 2).mean())


def seconds_of(brain, policy):
    """CPU seconds of each proposal, and of being told its value: shape (400,)."""
    rng = np.random.default_rng(0)
    for _ in range(20):
        point = policy.sample(rng)
        brain.tell(Trial(0, point, value(point)))
    seconds = []
    for iteration in range(1, max(PLACES) + 1):
        start = time.process_time()
        point = brain.ask().params
        brain.tell(Trial(iteration, point, value(point)))
        seconds.append(time.process_time() - start)
    return np.array(seconds)


def main():
    results = []
    for env_id in ("MountainCarContinuous-v0", "Swimmer-v5"):
        with World(env_id) as world:
            policy = LinearPolicy(world)
        for name, make in BRAINS.items():
            with threadpool_limits(1):
                seconds = seconds_of(make(policy, 0), policy)
            means = {n: round(1000 * seconds[n - NEAR : n].mean(), 2) for n in PLACES}
            results.append({"environment": env_id, "brain": name, "milliseconds": means})
            print(f"{env_id:26}{name:18}", *(f"@{n} {ms:9.2f} ms" for n, ms in means.items()))
    packages = {name: version(name) for name in ("numpy", "scikit-learn", "cma")}
    about = {"python": platform.python_version(), "machine": platform.machine()}
    text = json.dumps(about | {"packages": packages, "results": results}, indent=1)
    Path(__file__).with_suffix(".json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
