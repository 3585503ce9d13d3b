"""What blank searchers propose first, from the warm-ups of chapter 10's recorded first replies.

    python benchmarks/first_blank.py

makes each warm-up again, and asks four blank searchers for a proposal after it (on FrozenLake two,
as a Gaussian process cannot read a table of actions). benchmarks/first_blank.jsonl gets a line for
each warm-up, with the best value in it and the values of the proposals, all on the starts of the
search. Lines that are there are not made again. On one core Swimmer's take a quarter of an hour,
the others a minute.

It needs the packages of requirements-studies.txt.
"""

import json
from pathlib import Path

import numpy as np
from first_replies import FOLDER, set_up
from optimisers import GaussianProcess

from propslib import search
from propslib.brain import Brain, HillClimbing, RandomSearch, Trial
from propslib.study import load_table

OUT = Path(__file__).with_suffix(".jsonl")
TASKS = "cartpole", "mountaincar", "swimmer", "frozenlake"


class BestGuess(GaussianProcess):
    """Proposes the point of the highest expected value, and explores nothing."""

    def score(self, points: np.ndarray) -> np.ndarray:
        """The expected value of each point: (m,)."""
        values = np.array([trial.value for trial in self.trials])
        return self._fitted(values).predict(self._scaled(points))


PROCESSES = {"Gaussian process": GaussianProcess, "Gaussian process, best guess": BestGuess}
OTHERS = {"hill climbing": HillClimbing, "random search": RandomSearch}


def asked_after(warmup: list[Trial], blank: Brain) -> np.ndarray:
    """The first proposal of a brain that was told a warm-up."""
    for trial in warmup:
        blank.tell(trial)
    return blank.ask().params


def from_a_warmup(cell: dict, seed: int) -> dict[str, float]:
    """The best value of a warm-up, and those of the blank searchers' proposals after it."""
    world, policy = set_up(cell)
    episodes = cell["episodes"]
    with world:
        brain = RandomSearch(policy, seed=seed)
        warmup = search(brain, world, policy, budget=1, episodes=episodes, seed=seed).warmup
        values = {"warm-up": max(trial.value for trial in warmup)}
        for name, kind in (OTHERS if cell.get("table") else PROCESSES | OTHERS).items():
            point = asked_after(warmup, kind(policy, seed=seed))
            values[name] = world.returns(policy, point, range(episodes)).mean()
    return {name: round(float(value), 6) for name, value in values.items()}


def main() -> None:
    cells = json.loads((FOLDER / "plan.json").read_text(encoding="utf-8"))["cells"]
    known = {(line["task"], line["seed"]) for line in (load_table(OUT) if OUT.exists() else ())}
    with OUT.open("a", encoding="utf-8") as file:
        for task in TASKS:
            cell = cells[f"{task}-told-the-optimum"]
            for seed in cell["seeds"]:
                if (task, seed) not in known:
                    line = {"task": task, "seed": seed, **from_a_warmup(cell, seed)}
                    file.write(json.dumps(line) + "\n")
                    file.flush()


if __name__ == "__main__":
    main()
