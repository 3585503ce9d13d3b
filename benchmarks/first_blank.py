"""What a Gaussian process proposes first, from the warm-ups of the recorded searches of chapter 10.

    python benchmarks/first_blank.py

tells the 20 warm-up points of two recorded searches to a Gaussian process and asks it once, with
as many seeds as the chapter gives random search. benchmarks/first_blank.json gets the points. A
table of actions it cannot read, so FrozenLake is left out. It takes half a minute, and needs the
packages of requirements-studies.txt.
"""

import json
from pathlib import Path

from optimisers import GaussianProcess

from propslib import LinearPolicy, Run, World

OUT = Path(__file__).with_suffix(".json")
COUNTS = {"swimmer-props": ("Swimmer-v5", 30), "cartpole-props": ("CartPole-v1", 200)}


def first_proposal(name: str, seed: int) -> list[float]:
    """The first proposal after the warm-up of a recorded search."""
    with World(COUNTS[name][0]) as world:
        blank = GaussianProcess(LinearPolicy(world), seed=seed)
    for trial in Run.load(name).warmup:
        blank.tell(trial)
    return blank.ask().params.tolist()


if __name__ == "__main__":
    found = {
        name: [first_proposal(name, seed) for seed in range(count)]
        for name, (_, count) in COUNTS.items()
    }
    OUT.write_text(json.dumps(found) + "\n", encoding="utf-8")
