"""What blank searchers propose first, from the warm-ups of chapter 10's recordings.

    python benchmarks/first_blank.py

tells the 20 warm-up points of three recorded searches to a Gaussian process and asks it once, with
as many seeds as the chapter gives random search. benchmarks/first_blank.json gets the points. A
table of actions it cannot read, so FrozenLake is left out. It takes half a minute.

Then it makes the warm-ups of the recorded first replies, and asks four blank searchers for one
proposal after each. benchmarks/first_blank.jsonl gets a line for each warm-up, with the best value
in it and the values of the proposals, all on the 20 starts of the search. Lines that are there are
not made again. On one core Swimmer's take a quarter of an hour, the others a minute.

It needs the packages of requirements-studies.txt.
"""

import json
from pathlib import Path

import numpy as np
from first_replies import FOLDER, set_up
from optimisers import GaussianProcess

from propslib import LinearPolicy, Run, World, search
from propslib.brain import Brain, HillClimbing, RandomSearch, Trial
from propslib.study import load_table

OUT = Path(__file__).with_suffix(".json")
COUNTS = {
    "mountaincar-props": ("MountainCarContinuous-v0", 200),
    "swimmer-props": ("Swimmer-v5", 30),
    "cartpole-props": ("CartPole-v1", 200),
}
TASKS = "cartpole", "mountaincar", "swimmer"


class BestGuess(GaussianProcess):
    """Proposes the point of the highest expected value, and explores nothing."""

    def expected_improvement(self, points: np.ndarray) -> np.ndarray:
        """The expected value of each point in the place of its improvement: (m,)."""
        values = np.array([trial.value for trial in self.trials])
        return self._fitted(values).predict(self._scaled(points))


BRAINS = {
    "Gaussian process, best guess": BestGuess,
    "hill climbing": HillClimbing,
    "random search": RandomSearch,
}


def asked_after(warmup: list[Trial], blank: Brain) -> np.ndarray:
    """The first proposal of a brain that was told a warm-up."""
    for trial in warmup:
        blank.tell(trial)
    return blank.ask().params


def first_proposal(name: str, seed: int) -> list[float]:
    """The first proposal of a Gaussian process after the warm-up of a recorded search."""
    with World(COUNTS[name][0]) as world:
        blank = GaussianProcess(LinearPolicy(world), seed=seed)
    return asked_after(Run.load(name).warmup, blank).tolist()


def from_a_warmup(cell: dict, seed: int) -> dict[str, float]:
    """The best value of a warm-up, and those of the blank searchers' proposals after it."""
    world, policy = set_up(cell)
    with world:
        first = GaussianProcess(policy, seed=seed)
        run = search(first, world, policy, budget=1, episodes=cell["episodes"], seed=seed)
        best = run.best_so_far[len(run.warmup) - 1]
        values = {"warm-up": best, "Gaussian process": run.proposals[0].value}
        for name, brain in BRAINS.items():
            point = asked_after(run.warmup, brain(policy, seed=seed))
            values[name] = world.returns(policy, point, range(cell["episodes"])).mean()
    return {name: round(float(value), 6) for name, value in values.items()}


def main() -> None:
    found = {
        name: [first_proposal(name, seed) for seed in range(count)]
        for name, (_, count) in COUNTS.items()
    }
    OUT.write_text(json.dumps(found) + "\n", encoding="utf-8")
    cells = json.loads((FOLDER / "plan.json").read_text(encoding="utf-8"))["cells"]
    path = OUT.with_suffix(".jsonl")
    known = {(line["task"], line["seed"]) for line in (load_table(path) if path.exists() else ())}
    with path.open("a", encoding="utf-8") as file:
        for task in TASKS:
            cell = cells[f"{task}-told-the-optimum"]
            for seed in cell["seeds"]:
                if (task, seed) not in known:
                    line = {"task": task, "seed": seed, **from_a_warmup(cell, seed)}
                    file.write(json.dumps(line) + "\n")
                    file.flush()


if __name__ == "__main__":
    main()
