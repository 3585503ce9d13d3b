"""Equal budgets: random search, hill climbing, CMA-ES, ARS and a Gaussian process, many seeds.

    python benchmarks/studies.py
    python benchmarks/studies.py --worlds swimmer --seeds 10 --budgets 20 50 100 400 --folder runs

prints the interquartile mean of the held-out return for each world, brain and budget, and writes
one table a world, benchmarks/studies/WORLD.csv. The logs of the searches go to runs/studies; the
same command goes on from them after a stop.
"""

import argparse
import time
from pathlib import Path

from propslib import (
    ARS,
    CMAES,
    GaussianProcess,
    HillClimbing,
    LinearPolicy,
    RandomSearch,
    TablePolicy,
    World,
)
from propslib.study import save_table, study, summary

HERE = Path(__file__).parent
LOGS = HERE.parent / "runs" / "studies"

# The environment, its policy, and how many episodes a value averages.
WORLDS = {
    "mountaincar": ("MountainCarContinuous-v0", LinearPolicy, 20),
    "cartpole": ("CartPole-v1", LinearPolicy, 20),
    "frozenlake": ("FrozenLake-v1", TablePolicy, 20),
    "swimmer": ("Swimmer-v5", LinearPolicy, 5),
}
BRAINS = {
    "random": lambda policy, seed: RandomSearch(policy, seed=seed),
    "hill climbing": lambda policy, seed: HillClimbing(policy, seed=seed),
    "CMA-ES": lambda policy, seed: CMAES(policy, seed=seed),
    "ARS": lambda policy, seed: ARS(policy, seed=seed),
    "Gaussian process": lambda policy, seed: GaussianProcess(policy, seed=seed),
}
FOR_TABLES = ("random", "hill climbing")


def measure(name, budgets, seeds, folder, logs=LOGS):
    """Run the study of one world, write its table into the folder, and give the table."""
    env_id, kind, episodes = WORLDS[name]
    names = FOR_TABLES if kind is TablePolicy else BRAINS
    with World(env_id) as world:
        rows = study(
            {brain: BRAINS[brain] for brain in names},
            world,
            kind(world),
            budgets=budgets,
            seeds=range(seeds),
            episodes=episodes,
            # The largest budget is part of a log's settings.
            folder=Path(logs) / f"{name}-{max(budgets)}",
        )
    save_table(rows, Path(folder) / f"{name}.csv")
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--worlds", nargs="+", choices=WORLDS, default=["mountaincar"])
    parser.add_argument("--budgets", nargs="+", type=int, default=[20, 50, 100])
    parser.add_argument("--seeds", type=int, default=5, help="how many, from 0")
    parser.add_argument("--folder", type=Path, default=HERE / "studies", help="for the tables")
    arguments = parser.parse_args()
    for name in arguments.worlds:
        start = time.perf_counter()
        rows = measure(name, arguments.budgets, arguments.seeds, arguments.folder)
        print(f"{name}: {arguments.seeds} seeds, {time.perf_counter() - start:.0f} s")
        for column in ("best", "held_out"):
            print(f"  {column}, interquartile mean [95 % interval]")
            for row in summary(rows, column):
                figure = f"{row['iqm']:8.2f} [{row['low']:.2f}, {row['high']:.2f}]"
                print(f"    {row['brain']:18}{row['proposals']:5} {figure}")


if __name__ == "__main__":
    main()
