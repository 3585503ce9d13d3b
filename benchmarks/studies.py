"""Equal budgets: what six kinds of search find, with many seeds, judged on fresh starts.

    python benchmarks/studies.py
    python benchmarks/studies.py --worlds swimmer --proposals 100

Each study seed draws the 20 warm-up points of its searches, the same for every brain, and has
search starts of its own: seed s plays its k-th episode from start 100,000 + 1,000 s + k. The best
point so far after 0, 1, 5, 10, 20, 50, 100, 200 and 400 proposals is judged on the starts from
10,000 on, which no search uses and which are the same for all: 2,000 of them, 200 on Swimmer. On
FrozenLake its expected return is computed.

The first step sizes are swept first, with seeds that are not reported, into
benchmarks/studies/sweep.jsonl; a search takes the step whose points after 100 proposals (50 on
Swimmer) are worth most on average, the smaller one of equals. BIPOP takes that of CMA-ES.

benchmarks/studies/WORLD.jsonl gets a line for each brain, seed and budget, with the parameters and
with the means over 20 blocks of the judging starts, so that anyone can judge again. Searches that
are there are not made again: the same command goes on after a stop. The Gaussian process, whose
proposals take longer the more trials it has, stops at 100.
"""

import argparse
import json
import os
import time
from itertools import product
from pathlib import Path

import numpy as np
from gymnasium.wrappers import FlattenObservation
from lockstep import Lake, Linear
from optimisers import ARS, GaussianProcess, Restarts

from propslib import (
    CMAES,
    HillClimbing,
    LinearPolicy,
    RandomSearch,
    Run,
    TablePolicy,
    Trial,
    World,
)
from propslib.study import load_table
from propslib.world.planning import Dynamics, policy_evaluation

FOLDER = Path(__file__).parent / "studies"
LOGS = Path(__file__).parents[1] / "runs" / "studies"
WARMUP, MARKS = 20, (0, 1, 5, 10, 20, 50, 100, 200, 400)
BLOCKS = 20
JUDGED_SWIMMER = (20, 50, 100, 200, 400)  # a point's 200 episodes take ten seconds
SWEPT = range(100, 110)  # seeds of the sweep
STEPS = (1.0, 2.0, 3.6)

# Of each world: the environment, the box and the spread of the warm-up points, how many episodes a
# value averages, the starts that judge, the highest value, the study seeds, the proposals and the
# seeds of the sweep.
BOX = {"low": -6.0, "high": 6.0, "spread": 3.0}
WORLDS = {
    "mountaincar": ("MountainCarContinuous-v0", BOX, 20, 2000, 100.0, 20, 100, 10),
    "mountaincar-wide": (
        *("MountainCarContinuous-v0", {"low": -10.0, "high": 10.0, "spread": 4.0}),
        *(20, 2000, 100.0, 20, 100, 10),
    ),
    "frozenlake": ("FrozenLake-v1", BOX, 100, None, 1.0, 20, 100, 10),
    "cartpole": ("CartPole-v1", BOX, 20, 2000, 500.0, 20, 100, 10),
    "swimmer": ("Swimmer-v5", BOX, 5, 200, 350.0, 10, 50, 3),
}
# By name: what makes a brain of a policy, a step size, a seed and the highest value.
BRAINS = {
    "random": lambda policy, step, seed, most: RandomSearch(policy, seed=seed),
    "hill climbing": lambda policy, step, seed, most: HillClimbing(policy, step=step, seed=seed),
    "CMA-ES": lambda policy, step, seed, most: CMAES(policy, sigma=step, seed=seed),
    "BIPOP": lambda policy, step, seed, most: Restarts(policy, sigma=step, target=most, seed=seed),
    "ARS": lambda policy, step, seed, most: ARS(policy, nu=step, alpha=step / 2, seed=seed),
    "Gaussian process": lambda policy, step, seed, most: GaussianProcess(policy, seed=seed),
}
# On the lake these two change a table itself; the others set 64 numbers, a preference for each
# action in each state. Hill climbing does both.
OF_TABLES = ("random", "hill climbing")
WITH_NUMBERS = "hill climbing, numbers"
# The recorded searches of the language model, by world; none of them was told the task. The single
# ones came first; those in `repeated` follow a plan that was fixed before the first answer.
SINGLE = {
    "mountaincar": ("mountaincar-props", "mountaincar-props-2"),
    "mountaincar-wide": ("mountaincar-props-wide",),
    "frozenlake": ("frozenlake-props",),
    "cartpole": ("cartpole-props",),
    "swimmer": ("swimmer-props",),
}
REPEATED = {
    "mountaincar-wide": [f"mountaincar-plain-{k}" for k in range(2, 7)],
    "swimmer": [f"swimmer-plain-{k}" for k in range(1, 6)]
    + [f"swimmer-untold-{k}" for k in range(6, 9)],
}
SLOW = {"Gaussian process": 100}  # the most proposals that it makes


class Task:
    """A world, the policies of its brains, and how points are played and judged."""

    def __init__(self, name):
        env_id, box, self.episodes, self.judges, self.most, *_ = WORLDS[name]
        self.name = name
        if name == "frozenlake":
            self.world = World(env_id)
            self.rules, self.lake = Dynamics.of(self.world), Lake(self.world)
            one_hot = World(env_id, wrap=FlattenObservation)  # state 3 becomes 0 0 0 1 0 ...
            self.table = TablePolicy(self.world)
            self.linear = LinearPolicy(one_hot, bias=False, **box)
            self.play = self.lake.returns
        elif name == "swimmer":
            self.world = World(env_id)
            self.linear, self.play = LinearPolicy(self.world, **box), self._singly
            self.kept = {tuple(key): returns for key, returns in self._lines()}
        else:
            together = Linear(env_id, **box)
            self.world, self.linear, self.play = together.world, together.policy, together.returns

    def make(self, brain, step, seed):
        """A new brain of its policy."""
        on_table = self.name == "frozenlake" and brain in OF_TABLES
        policy = self.table if on_table else self.linear
        return BRAINS[brain.removesuffix(", numbers")](policy, step, seed, self.most)

    def _singly(self, params, seeds):
        """Returns that are kept on disk, so that a search of minutes can go on after a stop."""
        found = []
        for point, own in zip(params, seeds, strict=True):
            key = (*np.asarray(point).tolist(), int(own[0]), len(own))
            if key not in self.kept:
                returns = self.world.returns(self.linear, point, own.tolist())
                self.kept[key] = np.round(returns, 6).tolist()
                LOGS.mkdir(parents=True, exist_ok=True)
                with (LOGS / f"{self.name}.jsonl").open("a") as file:
                    file.write(json.dumps([key, self.kept[key]]) + "\n")
            found.append(self.kept[key])
        return np.array(found)

    def _lines(self):
        path = LOGS / f"{self.name}.jsonl"
        lines = path.read_text().splitlines(keepends=True) if path.exists() else []
        return [json.loads(line) for line in lines if line.endswith("\n")]

    def judge(self, points):
        """For each point the means over the blocks of judging starts, or the exact value alone."""
        if self.judges is None:
            tables = self.lake.tables(points)
            return [[round(policy_evaluation(self.rules, t).value, 6)] for t in tables]
        starts, result = 10_000 + np.arange(self.judges), []
        for first in range(0, len(points), 25):
            some = points[first : first + 25]
            returns = self.play(some, np.tile(starts, (len(some), 1)))
            blocks = returns.reshape(len(some), BLOCKS, -1).mean(axis=2)
            result += np.round(blocks, 3).tolist()
        return result


def own_starts(seed, episodes):
    """The seeds of a study seed's episodes."""
    return 100_000 + 1_000 * seed + np.arange(episodes)


def searched(task, searches, proposals):
    """The trials of searches that run side by side, each a brain's name, a step and a seed."""
    starts = np.array([own_starts(seed, task.episodes) for *_, seed in searches])
    rngs = [np.random.default_rng(seed) for *_, seed in searches]
    brains = [task.make(*own) for own in searches]
    for brain in brains:
        brain.begin(proposals, task.episodes)
    for number in range(-WARMUP, proposals):
        if number < 0:
            points = [b.policy.sample(rng) for b, rng in zip(brains, rngs, strict=True)]
        else:
            points = [brain.ask().params for brain in brains]
        returns = np.round(task.play(points, starts), 6)
        for brain, point, own in zip(brains, points, returns, strict=True):
            brain.tell(Trial(max(0, number + 1), point, float(own.mean()), own))
    return [brain.trials for brain in brains]


def rows_of(task, searches, trials, marks=MARKS, judged=MARKS):
    """A row for each search and mark, with the best point by then and what it is worth."""
    rows = []
    for (brain, step, seed), own in zip(searches, trials, strict=True):
        warm = sum(trial.warmup for trial in own)
        for mark in (mark for mark in marks if warm + mark <= len(own)):
            tried = own[: warm + mark]
            best = max(tried, key=lambda trial: trial.value)
            row = {"brain": brain, "step": step, "seed": seed, "proposals": mark}
            row |= {"episodes": task.episodes * len(tried), "best": round(float(best.value), 4)}
            rows.append(row | {"params": best.params.tolist()})
    shown = [row for row in rows if row["proposals"] in judged]
    points = dict.fromkeys(tuple(row["params"]) for row in shown)
    worth = dict(zip(points, task.judge([*points]), strict=True))
    for row in shown:
        row["blocks"] = worth[tuple(row["params"])]
        row["held_out"] = round(float(np.mean(row["blocks"])), 6)
    return rows


def load(path):
    """The rows of a table; none where there is no file yet."""
    return load_table(path) if path.exists() else []


def append(path, rows):
    """Write the rows behind those that are there, all or none."""
    path.parent.mkdir(parents=True, exist_ok=True)
    before = path.read_text(encoding="utf-8") if path.exists() else ""
    partial = path.with_suffix(".part")
    partial.write_text(before + "".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    partial.replace(path)


def names_of(world):
    """The brains of a world."""
    return [*BRAINS] + ([WITH_NUMBERS] if world == "frozenlake" else [])


def swept(world, folder=FOLDER):
    """The sweep's rows, after sweeping this world where that was not done yet."""
    *_, proposals, seeds = WORLDS[world]
    path = folder / "sweep.jsonl"
    if world not in {row["world"] for row in load(path)}:
        brains = [b for b in names_of(world) if b not in ("random", "BIPOP", *SLOW)]
        searches = [*product(brains, STEPS, SWEPT[:seeds])]
        task = Task(world)
        rows = rows_of(task, searches, searched(task, searches, proposals), *[(proposals,)] * 2)
        append(path, [{"world": world} | row for row in rows])
    return load(path)


def chosen(world, brain, rows):
    """The step by the sweep's rows; 0 for a brain that has none."""
    brain = {"BIPOP": "CMA-ES"}.get(brain, brain)
    worth = {}
    for row in rows:
        if (row["world"], row["brain"]) == (world, brain):
            worth.setdefault(row["step"], []).append(row["held_out"])
    return max(sorted(worth), key=lambda step: np.mean(worth[step]), default=0.0)


def measure(world, brains, seeds, proposals, folder=FOLDER):
    """Make the searches that are missing, side by side, and write their rows; give all rows."""
    path = folder / f"{world}.jsonl"
    sweep = swept(world, folder) if {*brains} - {"random", *SLOW} else []
    rows = load(path)
    known = {(row["brain"], row["seed"], row["proposals"]) for row in rows}
    steps = {brain: chosen(world, brain, sweep) for brain in brains}
    searches = [
        (brain, steps[brain], seed)
        for brain, seed in product(brains, seeds)
        if (brain, seed, proposals) not in known
    ]
    if searches:
        start, task = time.perf_counter(), Task(world)
        marks = MARKS if world != "swimmer" else JUDGED_SWIMMER
        found = rows_of(task, searches, searched(task, searches, proposals), judged=marks)
        append(path, [r for r in found if (r["brain"], r["seed"], r["proposals"]) not in known])
        took = f"{time.perf_counter() - start:.0f} s, {time.process_time():.0f} s of processor"
        print(f"{world} to {proposals}, seeds {[*seeds]}: {steps}; {took} in all", flush=True)
    return load(path)


def read_recordings(worlds, folder=FOLDER):
    """Judge the recorded searches that are not judged yet, and write their rows; give all rows."""
    path = folder / "recorded.jsonl"
    known = {row["recording"] for row in load(path)}
    for world in worlds:
        single = [(name, name) for name in SINGLE[world]]
        repeated = [(name, f"repeated/{name}") for name in REPEATED.get(world, ())]
        task = None
        for name, where in single + repeated:
            if name in known:
                continue
            task, run = task or Task(world), Run.load(where)
            if world == "swimmer":
                task.episodes = 20
            marks = (*MARKS[:-2], len(run.proposals))
            judged = JUDGED_SWIMMER if world == "swimmer" else marks
            found = rows_of(
                task, [("model", 0.0, run.config["seed"])], [run.trials], sorted({*marks}), judged
            )
            append(path, [{"recording": name, "world": world} | row for row in found])
            print(f"recorded {name}: {[row.get('held_out') for row in found]}", flush=True)
    return load(path)


def main():
    every = [*BRAINS, WITH_NUMBERS]
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--worlds", nargs="+", choices=WORLDS, default=list(WORLDS))
    parser.add_argument("--brains", nargs="+", choices=every, default=every)
    parser.add_argument("--proposals", type=int, choices=MARKS[1:], default=MARKS[-1])
    parser.add_argument("--seeds", type=int, help="how many, from 0; otherwise 20, Swimmer 10")
    parser.add_argument("--folder", type=Path, default=FOLDER, help="for the tables")
    arguments = parser.parse_args()
    os.environ["OMP_NUM_THREADS"] = "1"  # one process, one thread
    read_recordings([world for world in arguments.worlds if world != "swimmer"], arguments.folder)
    plan = list(jobs(arguments.worlds, arguments.proposals, arguments.seeds))
    for world, brains, seeds, proposals in plan:
        chosen_ones = [brain for brain in brains if brain in arguments.brains]
        measure(world, chosen_ones, seeds, proposals, arguments.folder)
    read_recordings(arguments.worlds, arguments.folder)


def jobs(worlds, proposals, count=None):
    """What is measured, the quick ones first: worlds, brains, seeds, proposals.

    Searches of minutes come seed by seed, so that whole seeds are there to report.
    """
    for world in (world for world in worlds if world != "swimmer"):
        quick = [brain for brain in names_of(world) if brain not in SLOW]
        yield world, quick, range(count or WORLDS[world][5]), proposals
    for world, (brain, most) in product(worlds, SLOW.items()):
        for seed in range(count or WORLDS[world][5]):
            if world != "swimmer":
                yield world, [brain], [seed], min(most, proposals)
    if "swimmer" in worlds:
        free = ["random", *SLOW]  # those without a step need no sweep
        others = [brain for brain in names_of("swimmer") if brain not in free]
        budgets = [mark for mark in (50, 100, 400) if mark < proposals] + [proposals]
        for budget, brains in product(budgets, (free, others)):
            own = [brain for brain in brains if budget <= SLOW.get(brain, budget)]
            for seed in range(count or WORLDS["swimmer"][5]):
                yield "swimmer", own, [seed], budget


if __name__ == "__main__":
    main()
