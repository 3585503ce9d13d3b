"""What the small local model finds in 30 proposals on MountainCar, against random search.

    python benchmarks/local_search.py FOLDER [SEEDS]

runs, for each seed 0 .. SEEDS - 1 (10 by default), a search with `chat("local")` and one with
`RandomSearch` from the same 20 warm-up points, each with its log in FOLDER; logs that are there
already are gone on with. Prints the tables and writes them to benchmarks/local_search.json. A
search with the model takes about a minute.
"""

import json
import re
import statistics
import sys
from pathlib import Path

from propslib import LinearPolicy, LLMBrain, RandomSearch, World, chat, search

BUDGET, WARMUP, EPISODES, HISTORY = 30, 20, 20, None
FIRST_LINE = re.compile(r"params\[0\]: -?\d\.\d, params\[1\]: -?\d\.\d, params\[2\]: -?\d\.\d")


def brains(policy, seed):
    local = chat("local", seed=seed)
    yield "model", LLMBrain(local, policy, prompt="props", optimum=100, history=HISTORY)
    yield "random", RandomSearch(policy, seed=seed)


def count_draws(run):
    """How many replies each ask drew: each reads the prompt anew, and tokens_in adds them up."""
    ratios = [ask["prompt_characters"] / ask["tokens_in"] for ask in run.replies]
    characters = max(ratios)  # a token, where one reply was drawn
    return [round(characters / ratio) for ratio in ratios]


def summary(run):
    best = run.best_so_far
    result = {
        "warmup_best": float(run.best_so_far[WARMUP - 1]),
        "best": run.best.value,
        "improved": int((best[WARMUP:] > best[WARMUP - 1 : -1]).sum()),
    }
    if run.replies:
        draws = count_draws(run)
        readable = [bool(FIRST_LINE.fullmatch(ask["reply"].split("\n")[0])) for ask in run.replies]
        result |= {
            "refused": len(run.refusals),
            "repeats_redrawn": sum(draws) - len(draws),
            "readable": sum(readable),
            "replies": len(readable),
            "seconds": sum(ask["seconds"] for ask in run.replies),
        }
    return result


def main():
    folder, seeds = Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 10
    results = {"model": [], "random": []}
    with World("MountainCarContinuous-v0") as world:
        policy = LinearPolicy(world)
        for seed in range(seeds):
            for name, brain in brains(policy, seed):
                log = folder / f"ten-{name}-{seed}"
                settings = {"budget": BUDGET, "warmup": WARMUP, "episodes": EPISODES}
                run = search(brain, world, policy, seed=seed, log=log, progress=False, **settings)
                results[name].append(summary(run))
                print(name, seed, results[name][-1], flush=True)

    print("\n| seed | best of warm-up | local model | random search |")
    print("| --- | --- | --- | --- |")
    pairs = list(zip(results["model"], results["random"], strict=True))
    for seed, (local, random) in enumerate(pairs):
        print(
            f"| {seed} | {local['warmup_best']:.1f} | {local['best']:.1f} | {random['best']:.1f} |"
        )
    for what, average in (("mean", statistics.mean), ("median", statistics.median)):
        row = [average(r["warmup_best"] for r in results["model"])]
        row += [average(r["best"] for r in results[name]) for name in ("model", "random")]
        print(f"| {what} | {' | '.join(f'{value:.1f}' for value in row)} |")

    for name, runs in results.items():
        improved = sum(run["improved"] for run in runs)
        print(
            f"\n{name}: {improved} of {BUDGET * seeds} proposals beat the best before them.", end=""
        )
    total = {
        key: sum(run[key] for run in results["model"])
        for key in ("replies", "readable", "refused", "repeats_redrawn", "seconds")
    }
    print(f"local, all searches: {total}")
    record = {"budget": BUDGET, "history": HISTORY, "results": results}
    path = Path(__file__).with_suffix(".json")
    path.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
