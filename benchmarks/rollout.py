"""How long evaluations take: `World.returns` against other loops, from slow to the ceiling.

    python benchmarks/rollout.py

times, in turn and in one process with one thread, 20 episodes of a linear policy:

(a) a loop that makes the environment anew at each reset and writes a line of text at each step;
(b) one environment, reset for each episode: `World(..., batch=False).returns`;
(c) the batch: `World.returns`; on the mountain car also for a landscape of 100 x 100 policies;
(d) EnvPool, where it is installed (it is not a requirement). It ignores `reset(seed=...)`, so its
    episodes start elsewhere, and its returns can be compared on average only;
(e) for the swimmer, a closed loop in C around MuJoCo's `mj_step` (swimmer_loop.c), where there is
    a C compiler: as fast as the physics allows.

(a), (b), (c) and (e) must earn the same returns, to the last bit. Prints a table of CPU time, and
writes it with all timings to benchmarks/rollout.json. Compare ratios of one run, not times of two.
"""

import ctypes
import json
import os
import platform
import shutil
import statistics
import subprocess
import tempfile
import time
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from unittest.mock import patch

os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = "1"

import gymnasium as gym
import mujoco
import numpy as np

from propslib import LinearPolicy, Run, World
from propslib.brain import find_recording
from propslib.world import batch

EPISODES, ROUNDS, GRID = 20, 7, 100
CAR, SWIMMER = "MountainCarContinuous-v0", "Swimmer-v5"
# A policy that never reaches the goal, so that every episode has its full 999 steps, and the best
# swimmer of the book.
CASES = {CAR: [0.0, 1.0, 0.0], SWIMMER: Run.load(find_recording("swimmer-props")).best.params}


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


def pool(env_id, policy, params, steps):
    """(d): as many steps of EnvPool as the episodes have, one environment for each episode."""
    import envpool

    weights, bias = policy.matrices(params)
    envs = envpool.make_gymnasium(env_id, num_envs=EPISODES, num_threads=1)
    states, _ = envs.reset()
    for _ in range(steps):
        states, *_ = envs.step((states @ weights + bias).astype(np.float32))
    envs.close()


def compiled(folder):
    """The loop of swimmer_loop.c; None without a C compiler."""
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        return None
    package, target = Path(mujoco.__file__).parent, Path(folder) / "swimmer_loop.so"
    library = next(package.glob("libmujoco.*"))
    # Contracted, a product and a sum would be rounded once instead of twice.
    options = ["-O2", "-shared", "-fPIC", "-ffp-contract=off", f"-I{package / 'include'}"]
    source = Path(__file__).with_name("swimmer_loop.c")
    subprocess.run([compiler, *options, source, library, "-o", target], check=True)
    play = ctypes.CDLL(str(target)).play
    numbers = np.ctypeslib.ndpointer(float, flags="C_CONTIGUOUS")
    play.argtypes = [ctypes.c_void_p] * 2 + [numbers] * 2 + [ctypes.c_int] * 2
    play.argtypes += [ctypes.c_double] * 2
    play.restype = ctypes.c_double
    return play


def ceiling(play, world, policy, params, seeds):
    """(e): resets by Gymnasium, every step in C."""
    env, (weights, bias) = world.env.unwrapped, policy.matrices(params)
    settings = (env.frame_skip, world.max_steps, env._forward_reward_weight, env._ctrl_cost_weight)
    returns = []
    for seed in seeds:
        world.env.reset(seed=seed)
        addresses = env.model._address, env.data._address
        returns.append(play(*addresses, weights.copy(), bias.copy(), *settings))
    return np.array(returns)


def seconds(function, *arguments):
    start = time.process_time()
    result = function(*arguments)
    return time.process_time() - start, result


def measure(env_id, params, play):
    with World(env_id) as world, World(env_id, batch=False) as single:
        policy = LinearPolicy(world)
        length = single.episode(policy(params), 0).steps
        ways = {
            "a": (loop_with_text, env_id, policy, params),
            "b": (single.returns, policy, params),
            "c": (world.returns, policy, params),
        }
        if env_id == SWIMMER and play:
            ways["e"] = (ceiling, play, world, policy, params)
        times = {way: [] for way in ways}
        if find_spec("envpool"):
            pool(env_id, policy, params, 1)  # it is imported before the clock runs
        for _ in range(ROUNDS):
            found = {}
            for way, call in ways.items():
                taken, found[way] = seconds(*call, range(EPISODES))
                times[way].append(taken)
            if not all(np.array_equal(returns, found["a"]) for returns in found.values()):
                raise RuntimeError(f"{env_id}: the ways earned {found}.")
            if find_spec("envpool"):
                taken, _ = seconds(pool, env_id, policy, params, length)
                times.setdefault("d", []).append(taken)
    return summary(env_id, times, EPISODES * length)


def summary(name, times, steps):
    ratios = {
        way: [a / taken for a, taken in zip(times["a"], times[way], strict=True)]
        for way in sorted(times)
    }
    return {
        "environment": name,
        "steps": steps,
        "seconds": times,
        "microseconds_a_step": {
            way: 1e6 * statistics.median(times[way]) / steps for way in sorted(times)
        },
        "times_faster_than_a": {
            way: [statistics.median(r), min(r), max(r)] for way, r in ratios.items()
        },
    }


class StepCount(batch.MountainCars):
    """Earns 1 a step, so that returns are lengths."""

    def step(self, actions):
        rewards, ended = super().step(actions)
        return np.ones_like(rewards), ended


def landscape(params):
    """(c) for 100 x 100 policies x 20 seeds, against (a) for one of them, both per step."""
    grid = np.linspace(-6, 6, GRID)
    policies = np.array([(0.0, gain, bias) for gain in grid for bias in grid])
    with World(CAR) as world:
        policy = LinearPolicy(world)
        (key,) = (key for key, kind in batch.BATCHED.items() if kind is batch.MountainCars)
        with patch.dict(batch.BATCHED, {key: StepCount}):
            steps = int(world.returns(policy, policies, range(EPISODES)).sum())
        times = {"a": [], "c": []}
        for _ in range(3):
            a, _ = seconds(loop_with_text, CAR, policy, params, range(EPISODES))
            times["a"].append(a * steps / (EPISODES * world.max_steps))
            times["c"].append(seconds(world.returns, policy, policies, range(EPISODES))[0])
    return summary(f"{CAR}, {GRID} x {GRID} policies", times, steps)


def main():
    with tempfile.TemporaryDirectory() as folder:
        play = compiled(folder)
        results = [measure(env_id, params, play) for env_id, params in CASES.items()]
    results.append(landscape(CASES[CAR]))
    print("| environment | steps | way | µs/step | times faster than (a) (least to most) |")
    print("| --- | --- | --- | --- | --- |")
    for result in results:
        for way, taken in result["microseconds_a_step"].items():
            middle, least, most = result["times_faster_than_a"][way]
            ratio = "" if way == "a" else f"{middle:.1f} ({least:.1f} to {most:.1f})"
            name = result["environment"]
            print(f"| {name} | {result['steps']} | ({way}) | {taken:.3g} | {ratio} |")
    times = results[1]["seconds"]
    for way in sorted({"d", "e"} & set(times)):
        shares = [other / own for other, own in zip(times[way], times["c"], strict=True)]
        middle, least, most = statistics.median(shares), min(shares), max(shares)
        print(
            f"\n{SWIMMER}: (c) has {middle:.0%} of the speed of ({way}), {least:.0%} to {most:.0%}"
        )
    names = ["gymnasium", "mujoco", "numpy", *(["envpool"] if find_spec("envpool") else [])]
    record = {
        "python": platform.python_version(),
        "machine": platform.machine(),
        "packages": {name: version(name) for name in names},
        "episodes": EPISODES,
        "results": results,
    }
    path = Path(__file__).with_suffix(".json")
    path.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    print(f"\nAll timings: {path.name}")


if __name__ == "__main__":
    main()
