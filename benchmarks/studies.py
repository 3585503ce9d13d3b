"""Equal budgets: random search, hill climbing, CMA-ES, ARS and a Gaussian process, many seeds.

    python benchmarks/studies.py
    python benchmarks/studies.py --worlds swimmer --seeds 10 --budgets 20 50 --folder runs/tables

prints the interquartile mean of the held-out return for each world, brain and budget, and writes
one table a world, benchmarks/studies/WORLD.csv, and one of the recorded language models,
recorded.csv. The logs of the searches go to runs/studies; the same command goes on from them after
a stop.
"""

import argparse
import time
from pathlib import Path

import numpy as np
from gymnasium.wrappers import FlattenObservation
from optimisers import ARS, GaussianProcess

from propslib import (
    CMAES,
    HillClimbing,
    LinearPolicy,
    RandomSearch,
    Run,
    TablePolicy,
    World,
)
from propslib.brain import find_recording
from propslib.study import read_off, save_table, study
from propslib.utils.stats import summary
from propslib.world.planning import Dynamics, policy_evaluation

HERE = Path(__file__).parent
LOGS = HERE.parent / "runs" / "studies"

# The environment, and how many episodes a value averages.
WORLDS = {
    "mountaincar": ("MountainCarContinuous-v0", 20),
    "cartpole": ("CartPole-v1", 20),
    "frozenlake": ("FrozenLake-v1", 100),
    "swimmer": ("Swimmer-v5", 5),
}
SEEDS = {"mountaincar": 10, "cartpole": 10, "frozenlake": 10, "swimmer": 5}
BRAINS = {
    "random": lambda policy, seed: RandomSearch(policy, seed=seed),
    "hill climbing": lambda policy, seed: HillClimbing(policy, seed=seed),
    "CMA-ES": lambda policy, seed: CMAES(policy, seed=seed),
    "ARS": lambda policy, seed: ARS(policy, seed=seed),
    "Gaussian process": lambda policy, seed: GaussianProcess(policy, seed=seed),
}
# The recordings of one search with a linear policy, or a table on the lake, and where to read them
# off. The last three were told the task.
RECORDED = {
    "mountaincar-props": [20, 50, 60],
    "mountaincar-props-2": [20, 50, 60],
    "swimmer-props": [20, 50, 100],
    "cartpole-props": [20, 40],
    "frozenlake-props": [20, 40],
    "mountaincar-props-plus": [20, 30],
    "swimmer-props-plus": [20, 50, 80],
    "frozenlake-table": [12],
}
# These change a table itself; the others need numbers, and get a preference for each action.
FOR_TABLES = ("random", "hill climbing")


def measure(name, budgets, seeds, folder, logs=LOGS, brains=tuple(BRAINS)):
    """Run the study of one world, write its table into the folder, and give the table."""
    env_id, episodes = WORLDS[name]
    settings = {
        "budgets": budgets,
        "seeds": seeds,
        "episodes": episodes,
        # The largest budget is part of a log's settings.
        "folder": Path(logs) / f"{name}-{max(budgets)}",
    }
    rows = []
    for names, world, policy, expected in setups(name, env_id):
        chosen = {brain: BRAINS[brain] for brain in names if brain in brains}
        with world:
            if chosen:
                rows += study(chosen, world, policy, expected=expected, **settings)
    save_table(rows, Path(folder) / f"{name}.csv")
    return rows


def read_recordings(folder):
    """Read the recorded language models off, as a study is; write and give the table."""
    rows = []
    for recording, budgets in RECORDED.items():
        name = recording.partition("-")[0]
        _, world, policy, expected = setups(name, WORLDS[name][0])[0]
        with world:
            run = Run.load(find_recording(recording))
            points = read_off(run, world, policy, budgets, expected=expected)
        rows += [{"brain": recording, "seed": run.config["seed"]} | point for point in points]
    save_table(rows, Path(folder) / "recorded.csv")
    return rows


def setups(name, env_id):
    """The world and the policy for which brains, and the expected return where it is known."""
    world = World(env_id)
    if name != "frozenlake":
        return [(BRAINS, world, LinearPolicy(world), None)]
    rules = Dynamics.of(world)
    one_hot = World(env_id, wrap=FlattenObservation)  # state 3 becomes 0 0 0 1 0 ...
    preferences = LinearPolicy(one_hot, bias=False)

    def of_preferences(params):
        act = preferences(params)
        return policy_evaluation(rules, [act(state) for state in np.eye(16)]).value

    def of_table(table):
        return policy_evaluation(rules, table).value

    others = [brain for brain in BRAINS if brain not in FOR_TABLES]
    return [
        (FOR_TABLES, world, TablePolicy(world), of_table),
        (others, one_hot, preferences, of_preferences),
    ]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--worlds", nargs="+", choices=WORLDS, default=list(WORLDS))
    parser.add_argument("--budgets", nargs="+", type=int, default=[20, 50, 100, 400])
    parser.add_argument("--seeds", type=int, help="how many, from 0; otherwise 10, Swimmer 5")
    parser.add_argument("--folder", type=Path, default=HERE / "studies", help="for the tables")
    arguments = parser.parse_args()
    read_recordings(arguments.folder)
    for name in arguments.worlds:
        start = time.perf_counter()
        seeds = range(arguments.seeds or SEEDS[name])
        rows = measure(name, arguments.budgets, seeds, arguments.folder)
        print(f"{name}: {len(seeds)} seeds, {time.perf_counter() - start:.0f} s")
        for column in ("best", "held_out"):
            print(f"  {column}, interquartile mean [95 % interval]")
            for row in summary(rows, column):
                figure = f"{row['iqm']:8.2f} [{row['low']:.2f}, {row['high']:.2f}]"
                print(f"    {row['brain']:18}{row['proposals']:5} {figure}")


if __name__ == "__main__":
    main()
