"""What chapter 14 measures apart from its trainings: speed, legibility, robustness.

    python benchmarks/network.py speed        # states a second, by layers, tokens and batch
    python benchmarks/network.py probe        # what can be read back, by number of examples
    python benchmarks/network.py robustness   # trained agents in worlds that were changed

Each prints its rows and writes benchmarks/network_NAME.json. `robustness` plays the agents whose
NAME.pt lies in benchmarks/network, or in --folder. One thread; see README.md in this folder.
"""

import argparse
import json
import os
import platform
import tempfile
import time
from importlib.metadata import version
from pathlib import Path

import gymnasium as gym
import mujoco
import numpy as np
import torch
from agent import Agent, evaluate
from gymnasium.spaces import Box
from sklearn.linear_model import RidgeCV
from train_network import LETTERS, ROOT, TASKS, arguments, build

from propslib.policy.network import (
    EmbeddingExtractor,
    TextExtractor,
    count_parameters,
    describe,
    load_backbone,
)

NAMES = ["cart position", "cart velocity", "pole angle", "pole velocity"]
FOUR, SEVENTEEN = (Box(-np.inf, np.inf, (n,), np.float32) for n in (4, 17))
SIZES = (150, 300, 600, 1200, 2500, 5000)  # examples that a probe is fitted to
DRAWS, TEST = 3, 1000


# --- speed


def rate(work, states, seconds):
    """States a processor second: calls of `work`, each of which reads so many states."""
    work()
    calls, start = 0, time.process_time()
    while time.process_time() - start < seconds:
        work()
        calls += 1
    return states * calls / (time.process_time() - start)


def acting(extractor, states):
    def work():
        if isinstance(extractor, TextExtractor):
            extractor._known.clear()  # as if all texts were new
        with torch.no_grad():
            extractor(states)

    return work


def learning(extractor, states):
    return lambda: extractor(states).square().mean().backward()


def extractors(backbone):
    """(what is read, how many tokens it becomes, numbers, the extractor)."""
    cartpole, words = TASKS["cartpole"], backbone.tokenizer
    yield "2 embeddings", 2, 4, EmbeddingExtractor(FOUR, backbone, tokens=2)
    for label, numbers, space, names, limits, digits in (
        ("CartPole, a digit each", 4, FOUR, cartpole["names"], cartpole["limits"], 1),
        ("CartPole, in words", 4, FOUR, NAMES, None, 2),
        ("HalfCheetah, a digit each", 17, SEVENTEEN, LETTERS, [2.5] * 17, 1),
        ("HalfCheetah, decimals", 17, SEVENTEEN, None, None, 1),
    ):
        text = describe(np.linspace(-0.42, 0.58, numbers), names, limits, digits=digits)
        tokens = len(words(text)["input_ids"])
        yield label, tokens, numbers, TextExtractor(space, backbone, names, limits, digits)


def speed(options):
    generator = torch.Generator().manual_seed(0)
    for layers in (1, 2, 30):
        backbone = load_backbone("smollm2", layers=layers)
        for label, tokens, numbers, extractor in extractors(backbone):
            row = {"reading": label, "tokens": tokens, "layers": layers}
            row["frozen"] = count_parameters(extractor)[1]
            states = torch.randn(32, numbers, generator=generator) / 2
            row["act"] = round(rate(acting(extractor, states), 32, options.seconds), 1)
            # A frozen backbone that reads text has no gradient to pass on.
            if isinstance(extractor, EmbeddingExtractor):
                row["learn"] = round(rate(learning(extractor, states), 32, options.seconds), 1)
            yield row


# --- what can be read back


def scores(features, numbers, count, seed):
    """R2 of each number, read back from standardised features by a ridge regression."""
    order = np.random.default_rng(seed).permutation(len(numbers))
    fit, test = order[:count], order[-TEST:]
    mean, deviation = features[fit].mean(0), features[fit].std(0) + 1e-6
    standard = (features - mean) / deviation
    model = RidgeCV(np.logspace(-2, 4, 13)).fit(standard[fit], numbers[fit])
    errors = (model.predict(standard[test]) - numbers[test]) ** 2
    return 1 - errors.mean(0) / numbers[test].var(0)


def probe(options):
    task = TASKS["cartpole"]
    limits = np.array(task["limits"])
    states = np.random.default_rng(0).uniform(-limits, limits, (max(SIZES) + TEST, 4))
    for weights, seed in [("pretrained", 0), *(("random", seed) for seed in range(3))]:
        backbone = load_backbone("smollm2", layers=1, random=weights == "random", seed=seed)
        for reading in ("1 digit", "2 digits", "2 embeddings"):
            torch.manual_seed(seed)
            if reading == "2 embeddings":
                extractor = EmbeddingExtractor(FOUR, backbone, 2, task["limits"])
            else:
                digits = int(reading[0])
                extractor = TextExtractor(FOUR, backbone, task["names"], task["limits"], digits)
            rows = torch.tensor(states, dtype=torch.float32).split(64)
            with torch.no_grad():
                features = torch.cat([extractor(some) for some in rows]).double().numpy()
            for count in SIZES:
                found = [scores(features, states / limits, count, draw) for draw in range(DRAWS)]
                row = {"reading": reading, "weights": weights, "seed": seed, "examples": count}
                yield row | {"r2": np.round(found, 3).tolist()}


# --- robustness


def longer(env):
    """CartPole with a pole twice as long, and twice as heavy therefore."""
    cart = env.unwrapped
    cart.length, cart.masspole = 2 * cart.length, 2 * cart.masspole
    cart.total_mass, cart.polemass_length = (
        cart.masscart + cart.masspole,
        cart.masspole * cart.length,
    )
    return env


def heavier(env):
    """HalfCheetah with half as much mass again, and inertia, in each part."""
    env.unwrapped.model.body_mass[:] *= 1.5
    env.unwrapped.model.body_inertia[:] *= 1.5
    return env


class Noisy(gym.ObservationWrapper):
    """Normal noise on each number of an observation, of `deviation` (a number or one for each)."""

    def __init__(self, env, deviation):
        super().__init__(env)
        self.deviation = deviation

    def observation(self, observation):
        noise = self.unwrapped.np_random.normal(0, self.deviation, observation.shape)
        return (observation + noise).astype(observation.dtype)


CHANGES = {
    "cartpole": {
        "as trained": lambda env: env,
        "pole twice as long": longer,
        "noise of 5 % of the scales": lambda env: Noisy(env, [0.12, 0.125, 0.01, 0.125]),
    },
    "halfcheetah": {
        "as trained": lambda env: env,
        "half as heavy again": heavier,
        "noise of 0.1": lambda env: Noisy(env, 0.1),
    },
}
EPISODES = {"cartpole": 20, "halfcheetah": 5}


def robustness(options):
    """What was measured before is kept: remove network_robustness.json to begin anew."""
    before = ROOT / "network_robustness.json"
    rows = json.loads(before.read_text(encoding="utf-8"))["rows"] if before.exists() else []
    known = {(row["name"], row["steps_done"]): row for row in rows}
    for path in sorted(options.folder.resolve().glob("*.json")):
        header = json.loads(path.read_text(encoding="utf-8"))
        if (path.stem, header["steps_done"]) in known:
            yield known[path.stem, header["steps_done"]]
            continue
        if not path.with_suffix(".pt").exists():
            continue
        words = header["command"].split()[2:]
        model = build(arguments().parse_args(words))
        agent = Agent(model.get_env(), model.policy).load(torch.load(path.with_suffix(".pt")))
        task = header["task"]
        seeds = range(30_000, 30_000 + EPISODES[task])
        row = {"name": path.stem} | {key: header[key] for key in KEYS}
        for label, change in CHANGES[task].items():
            make = TASKS[task]["env"]
            returns = evaluate(agent, lambda: change(gym.make(make)), seeds)  # noqa: B023
            row[label] = [round(float(value), 1) for value in returns]
        yield row


KEYS = ("task", "algorithm", "backbone", "reading", "layers", "tune", "head", "seed", "steps_done")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parts = {"speed": speed, "probe": probe, "robustness": robustness}
    parser.add_argument("part", choices=list(parts))
    parser.add_argument("--seconds", type=float, default=1.0, help="of each measurement of speed")
    parser.add_argument("--folder", type=Path, default=ROOT / "network")
    options = parser.parse_args()
    options.folder = options.folder.resolve()
    torch.set_num_threads(1)
    mujoco.set_mju_user_warning(lambda message: None)
    rows = []
    with tempfile.TemporaryDirectory() as elsewhere:
        os.chdir(elsewhere)  # where MuJoCo may write its MUJOCO_LOG.TXT
        for row in parts[options.part](options):
            rows.append(row)
            print(row, flush=True)
        os.chdir(ROOT)
    versions = {package: version(package) for package in ("torch", "transformers", "gymnasium")}
    record = {"machine": platform.machine(), "versions": versions, "rows": rows}
    path = ROOT / f"network_{options.part}.json"
    path.write_text(json.dumps(record) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
