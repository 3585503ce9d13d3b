"""How long it takes to number a state: `Binned` against Gymnasium's `DiscretizeObservation`.

    python benchmarks/bins.py

numbers the same random observations of the book's three binned worlds by both, in turn, which must
agree. Prints a table of the medians of five rounds, in CPU time, and writes it to
benchmarks/bins.json.
"""

import json
import statistics
import time
from pathlib import Path

import gymnasium as gym
import numpy as np
from gymnasium.spaces import Box
from gymnasium.wrappers import DiscretizeObservation, TransformObservation

from propslib import BIPEDAL_WALKER, CARTPOLE, HOPPER

OBSERVATIONS, ROUNDS = 5000, 5
CASES = {"CartPole-v1": CARTPOLE, "Hopper-v5": HOPPER, "BipedalWalker-v3": BIPEDAL_WALKER}


def microseconds(function, points):
    start = time.process_time()
    numbers = [function(point) for point in points]
    return (time.process_time() - start) / len(points) * 1e6, numbers


def main():
    table = []
    print("| environment | Gymnasium's µs | ours µs | ratio (least to most) |")
    print("| --- | --- | --- | --- |")
    for env_id, binned in CASES.items():
        env = binned(gym.make(env_id))
        while not isinstance(env, gym.ObservationWrapper):
            env = env.env
        low, high = np.array([(b.low, b.high) for b in binned.observations]).T
        clipped = TransformObservation(gym.make(env_id), None, Box(low, high, dtype=float))
        gymnasiums = DiscretizeObservation(clipped, binned.shape).observation
        points = np.random.default_rng(0).uniform(low, high, size=(OBSERVATIONS, len(low)))
        rounds = []
        for _ in range(ROUNDS):
            theirs, expected = microseconds(gymnasiums, points)
            ours, numbers = microseconds(env.observation, points)
            if numbers != expected:
                raise SystemExit(f"{env_id}: the numbers differ.")
            rounds.append((theirs, ours))
        ratios = [theirs / ours for theirs, ours in rounds]
        theirs, ours = (statistics.median(column) for column in zip(*rounds, strict=True))
        ratio = f"{statistics.median(ratios):.1f} ({min(ratios):.1f} to {max(ratios):.1f})"
        print(f"| {env_id} | {theirs:.1f} | {ours:.1f} | {ratio} |")
        table.append({"env_id": env_id, "rounds": rounds})
    Path(__file__).with_suffix(".json").write_text(json.dumps(table, indent=1) + "\n")


if __name__ == "__main__":
    main()
