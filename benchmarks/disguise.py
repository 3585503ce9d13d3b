"""Random search and CMA-ES on the tasks of the disguised recordings, plain and disguised.

    python benchmarks/disguise.py FOLDER

runs, for MountainCar (60 proposals, 10 seeds, 20 episodes a value) and Swimmer (100 proposals, 6
seeds, 5 episodes a value), both searches from 20 warm-up points, in the box of the recording, as
the task is and in the recording's disguise. Each search keeps its log in FOLDER; logs that are
there already are gone on with. Writes benchmarks/disguise.json: for each search the best value so
far, as a true return, the true parameters of the best point, and its mean return held out.
On two shared cores MountainCar took twelve minutes and Swimmer forty minutes.
"""

import json
import sys
from pathlib import Path

from propslib import CMAES, LinearPolicy, RandomSearch, Run, World, held_out, search
from propslib.brain import find_recording
from propslib.world.disguise import Disguised

TASKS = {"mountaincar": (10, 20, 100), "swimmer": (6, 5, 50)}  # seeds, episodes, held out
BRAINS = {"random search": RandomSearch, "CMA-ES": CMAES}


def of_recording(name):
    """The true world, the policy and the disguised world of a disguised recording."""
    config = Run.load(find_recording(f"{name}-disguised")).config
    world = World(config["env_id"])
    box = {"low": config["low"], "high": config["high"], "spread": config["warmup_std"]}
    policy = LinearPolicy(world, **box)
    return config, world, policy, Disguised(world, policy, **config["disguise"])


def rows_of(name, folder):
    seeds, episodes, tests = TASKS[name]
    config, world, policy, hidden = of_recording(name)
    for seed in range(seeds):
        for kind, brain in BRAINS.items():
            for disguise, place in (("disguised", hidden), ("plain", world)):
                run = search(
                    brain(policy, seed=seed),
                    place,
                    policy,
                    budget=config["budget"],
                    episodes=episodes,
                    seed=seed,
                    log=folder / f"{name}-{brain.__name__}-{disguise}-{seed}",
                    progress=False,
                )
                curve, params = run.best_so_far, run.best.params
                if place is hidden:
                    curve, params = hidden.true_value(curve), hidden.true_params(params)
                result = held_out(world, policy, params, range(10_000, 10_000 + tests))
                yield {
                    "task": name,
                    "brain": kind,
                    "disguise": disguise,
                    "seed": seed,
                    "episodes": episodes,
                    "best_so_far": curve.round(2).tolist(),
                    "params": params.tolist(),
                    "held_out": round(result.mean, 2),
                }
    world.close()


def main():
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    rows = []
    for name in TASKS:
        for row in rows_of(name, folder):
            rows.append(row)
            best, label = row["best_so_far"][-1], (row["brain"], row["disguise"], row["seed"])
            print(name, *label, f"best seen {best:.1f}, held out {row['held_out']:.1f}", flush=True)
            lines = ",\n".join(json.dumps(row) for row in rows)
            Path(__file__).with_suffix(".json").write_text(f"[\n{lines}\n]\n", encoding="utf-8")


if __name__ == "__main__":
    main()
