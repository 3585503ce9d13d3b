"""How long one evaluation takes: `World.returns` against the loop that tutorials often write.

    python benchmarks/rollout.py

times, in turn and in one process on one core, 20 episodes of a linear policy (a) by a loop that
makes the environment anew at each reset and writes a line of text at each step, and (b) by
`World.returns`. Both play the same policy and must earn the same returns. Prints a table, and
writes it with all timings to benchmarks/rollout.json. Compare ratios of one run, not times of two.
"""

import json
import os
import platform
import statistics
import tempfile
import time
from importlib.metadata import version
from pathlib import Path

os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = "1"

import gymnasium as gym
import numpy as np

from propslib import LinearPolicy, Run, World
from propslib.brain import find_recording

EPISODES, ROUNDS = 20, 5
# A policy that never reaches the goal, so that every episode has its full 999 steps, and the best
# swimmer of the book.
CASES = {
    "MountainCarContinuous-v0": [0.0, 1.0, 0.0],
    "Swimmer-v5": Run.load(find_recording("swimmer-props")).best.params,
}


def loop_with_text(env_id, policy, params, seeds):
    """(a): an environment made at each reset, never closed, and a line of text a step."""
    returns = []
    with tempfile.TemporaryFile("w") as log:
        for seed in seeds:
            env = gym.make(env_id)
            act = policy(params)
            state, _ = env.reset(seed=seed)
            log.write("state | action | reward\n")
            total, terminated, truncated = 0.0, False, False
            while not (terminated or truncated):
                action = act(state)
                next_state, reward, terminated, truncated, _ = env.step(action)
                log.write(f"{state} | {action} | {reward}\n")
                total += reward
                state = next_state
            returns.append(total)
    return np.array(returns)


def seconds(function, *arguments):
    start = time.process_time()
    result = function(*arguments)
    return time.process_time() - start, result


def measure(env_id, params):
    with World(env_id) as world:
        policy = LinearPolicy(world)
        steps = sum(world.episode(policy(params), seed).steps for seed in range(EPISODES))
        times = {"a": [], "b": []}
        for _ in range(ROUNDS):
            a, expected = seconds(loop_with_text, env_id, policy, params, range(EPISODES))
            b, returns = seconds(world.returns, policy, params, range(EPISODES))
            if not np.array_equal(returns, expected):
                raise RuntimeError(f"{env_id}: the two ways earned {expected} and {returns}.")
            times["a"].append(a)
            times["b"].append(b)
    ratios = [a / b for a, b in zip(times["a"], times["b"], strict=True)]
    return {
        "environment": env_id,
        "steps": steps,
        "seconds": times,
        "microseconds_a_step": {way: 1e6 * min(times[way]) / steps for way in times},
        "ratios": ratios,
        "ratio": statistics.median(ratios),
    }


def main():
    results = [measure(env_id, params) for env_id, params in CASES.items()]
    print("| environment | steps | (a) µs/step | (b) µs/step | ratio a/b (least to most) |")
    print("| --- | --- | --- | --- | --- |")
    for result in results:
        a, b = result["microseconds_a_step"].values()
        ratios = (
            f"{result['ratio']:.1f} ({min(result['ratios']):.1f} to {max(result['ratios']):.1f})"
        )
        print(f"| {result['environment']} | {result['steps']} | {a:.1f} | {b:.1f} | {ratios} |")
    packages = {name: version(name) for name in ("gymnasium", "mujoco", "numpy")}
    record = {
        "python": platform.python_version(),
        "machine": platform.machine(),
        "packages": packages,
        "episodes": EPISODES,
        "results": results,
    }
    path = Path(__file__).with_suffix(".json")
    path.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    print(f"\nAll timings: {path.name}")


if __name__ == "__main__":
    main()
