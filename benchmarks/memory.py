"""What the model's repeated searches found, and what others find from the same warm-up points.

    python benchmarks/memory.py

takes each search in notebooks/recordings/repeated, tells its 20 warm-up points to CMA-ES (first
step sizes 1 and 2), hill climbing (1), ARS (2), a Gaussian process and random search, and lets each
make as many proposals, with the same 20 episodes a value, in the world as the model met it, plain
or disguised. The steps are those that benchmarks/studies.py found best, or nearly, on Swimmer.
Each has five seeds on the mountain car, where the model has ten searches. On Swimmer the two whose
steps need no choice have three, and the others one.

benchmarks/memory.jsonl gets a line for each search, the model's too: after 1, 5, 10, 20, 30, 40 and
50 proposals the highest value so far, as a true return, with the true parameters; and for the last
of them the mean return, and its standard error, on starts that no search used (2,000 of the car,
200 of the swimmer). Lines that are there are not made again, so a stopped run goes on. On one
core the car's searches take about half an hour, Swimmer's two and a half hours.
"""

import json
from pathlib import Path

import numpy as np
from optimisers import ARS, GaussianProcess

from propslib import CMAES, HillClimbing, LinearPolicy, RandomSearch, Run, Trial, World
from propslib.world.disguise import Disguised

ROOT = Path(__file__).resolve().parents[1]
SEARCHES = sorted((ROOT / "notebooks" / "recordings" / "repeated").glob("*.jsonl"))
MARKS = (1, 5, 10, 20, 30, 40, 50)
STARTS = {"mountaincar": range(10_000, 12_000), "swimmer": range(10_000, 10_200)}
# By name and first step size.
BRAINS = {
    ("CMA-ES", 2.0): lambda policy, seed: CMAES(policy, sigma=2.0, seed=seed),
    ("Gaussian process", 0.0): lambda policy, seed: GaussianProcess(policy, seed=seed),
    ("CMA-ES", 1.0): lambda policy, seed: CMAES(policy, sigma=1.0, seed=seed),
    ("hill climbing", 1.0): lambda policy, seed: HillClimbing(policy, step=1.0, seed=seed),
    ("ARS", 2.0): lambda policy, seed: ARS(policy, nu=2.0, alpha=1.0, seed=seed),
    ("random search", 0.0): lambda policy, seed: RandomSearch(policy, seed=seed),
}


def seeds(search, step):
    """How often a brain with such a first step searches from the warm-up of a recorded search."""
    if search.startswith("mountaincar"):
        return range(5)
    return range(1 if step or "untold" in search else 3)


def set_up(record):
    """The world as it was shown, the true one, and the policy of a recorded search."""
    config = record.config
    world = World(config["world"]["env_id"])
    names = ("low", "high", "decimals", "spread")
    policy = LinearPolicy(world, **{name: config["policy"][name] for name in names})
    disguise = config["world"].get("disguise")
    return Disguised(world, policy, **disguise) if disguise else world, world, policy


def searched(brain, place, policy, record):
    """The trials of a brain that was told the record's warm-up points."""
    episodes = record.config["episodes"]
    brain.begin(record.config["budget"], episodes)
    for trial in record.warmup:
        brain.tell(trial)
    for iteration in range(1, record.config["budget"] + 1):
        params = brain.ask().params
        returns = np.round(place.returns(policy, params, range(episodes)), 6)
        brain.tell(Trial(iteration, params, float(returns.mean()), returns))
    return brain.trials


def row_of(name, trials, place, world, policy):
    """The best so far at the marks, in true returns and parameters, and the last of them judged."""
    hidden = place is not world
    warm = [trial for trial in trials if trial.warmup]
    best, points = {}, {}
    for mark in (0, *(mark for mark in MARKS if len(warm) + mark <= len(trials))):
        top = max(trials[: len(warm) + mark], key=lambda trial: trial.value)
        best[mark] = round(float(place.true_value(top.value) if hidden else top.value), 4)
        points[mark] = (place.true_params(top.params) if hidden else top.params).tolist()
    last = max(trials, key=lambda trial: trial.value)
    judged = place.true_params(last.params) if hidden else last.params
    returns = world.returns(policy, judged, STARTS[name.split("-")[0]])
    return {
        "best": best,
        "params": points,
        "held_out": round(float(returns.mean()), 4),
        "error": round(float(returns.std(ddof=1) / np.sqrt(len(returns))), 4),
    }


def main():
    path = Path(__file__).with_suffix(".jsonl")
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    keys = ("search", "brain", "step", "seed")
    done = {tuple(json.loads(line)[key] for key in keys) for line in lines}

    def keep(*key, trials, settings):
        row = dict(zip(keys, key, strict=True)) | row_of(key[0], trials, *settings)
        with path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")
        print(*key, f"best {max(row['best'].values()):.1f}, {row['held_out']:.1f}", flush=True)

    for brain, make in {("model", 0.0): None, **BRAINS}.items():
        for search in SEARCHES:
            record, name = Run.load(search), search.stem
            settings = set_up(record)
            for seed in seeds(name, brain[1]) if make else [0]:
                key = (name, *brain, seed)
                if key not in done:
                    place, _, policy = settings
                    trials = (
                        searched(make(policy, seed), place, policy, record)
                        if make
                        else record.trials
                    )
                    keep(*key, trials=trials, settings=settings)
            settings[1].close()


if __name__ == "__main__":
    main()
