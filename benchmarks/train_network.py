"""Train one agent of chapter 12 and keep its learning curve.

    python benchmarks/train_network.py --env CartPole-v1 --algorithm PPO --body pretrained \
        --layers 2 --steps 30000 --seed 0

writes benchmarks/network/NAME.csv, a row after each rollout, and NAME.json: the settings, the
parameters trained and frozen, the versions, the device and the command. A run whose NAME.json is
there is finished, and skipped. See README.md in this folder.
"""

import argparse
import csv
import importlib.metadata
import json
import os
import platform
import shlex
import sys
import tempfile
import time
from collections import deque
from pathlib import Path

import mujoco
import numpy as np
import torch
from sb3_contrib import TRPO
from stable_baselines3 import PPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.vec_env import VecNormalize

from propslib.policy.network import (
    EmbeddedReading,
    HeadPolicy,
    TextReading,
    count_parameters,
    load_body,
)

ALGORITHMS = {"PPO": PPO, "TRPO": TRPO}
READINGS = {"embedded": EmbeddedReading, "text": TextReading}
# Rollouts of 8 x 256 = 2,048 steps, as is usual. The rest is the libraries' default, except:
# TRPO solves with 10 steps of conjugate gradients, as its paper does. So that a body can be
# afforded, it takes every second state of a rollout, and the critic five passes instead of ten.
ENVS, ROLLOUT = 8, 256
SETTINGS = {
    "PPO": {"n_steps": ROLLOUT, "batch_size": 64, "n_epochs": 10, "learning_rate": 3e-4},
    "TRPO": {
        "n_steps": ROLLOUT,
        "batch_size": 256,
        "cg_max_steps": 10,
        "target_kl": 0.01,
        "sub_sampling_factor": 2,
        "n_critic_updates": 5,
    },
}
NAMES = {
    "CartPole-v1": ["cart position", "cart velocity", "pole angle", "pole velocity"],
    "HalfCheetah-v5": None,  # seventeen names would be longer than the numbers
}
# What a text shows of HalfCheetah, which needs no more; CartPole's angles are small.
DECIMALS = {"CartPole-v1": 2, "HalfCheetah-v5": 1}
PACKAGES = ("torch", "stable_baselines3", "sb3_contrib", "transformers", "gymnasium", "mujoco")
COLUMNS = ["steps", "episodes", "return_100", "return_new", "updates", "wall_s", "cpu_s"]


class Curve(BaseCallback):
    """A row after each rollout: the returns of the episodes that finished, and the time so far.

    return_100 is the mean return of the last 100 episodes (of all, while there are fewer),
    return_new that of those that finished since the row before; empty where there are none.
    """

    def __init__(self, path):
        super().__init__()
        self.path, self.last, self.new = path, deque(maxlen=100), []
        self.rows, self.episodes = [], 0

    def _on_training_start(self):
        self.wall, self.cpu = time.perf_counter(), time.process_time()

    def _on_step(self):
        for info in self.locals["infos"]:
            if "episode" in info:
                self.new.append(info["episode"]["r"])
        return True

    def _on_rollout_end(self):
        self.last.extend(self.new)
        self.episodes += len(self.new)
        row = [self.num_timesteps, self.episodes, mean(self.last), mean(self.new)]
        row += [self.model._n_updates, *self.seconds]
        self.rows.append(row)
        self.new = []
        with self.path.open("w", newline="", encoding="utf-8") as file:
            csv.writer(file, lineterminator="\n").writerows([COLUMNS, *self.rows])
        print(dict(zip(COLUMNS, row, strict=True)), flush=True)

    @property
    def seconds(self):
        wall, cpu = time.perf_counter() - self.wall, time.process_time() - self.cpu
        return [round(wall, 1), round(cpu, 1)]


def mean(returns):
    return round(float(np.mean(returns)), 2) if returns else ""


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--env", choices=list(NAMES), default="CartPole-v1")
    parser.add_argument("--algorithm", choices=list(ALGORITHMS), default="PPO")
    parser.add_argument("--body", choices=["mlp", "pretrained", "random"], default="mlp")
    parser.add_argument("--model", default="smollm2", help="see propslib.policy.network.load_body")
    parser.add_argument("--reading", choices=list(READINGS), default="embedded")
    parser.add_argument("--layers", type=int, help="the first so many; all by default")
    parser.add_argument("--tokens", type=int, default=2, help="embeddings of an observation")
    parser.add_argument("--trainable", type=int, default=0, help="layers to train; 0: frozen")
    parser.add_argument("--steps", type=int, default=30_000, help="environment steps")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--device", default="cpu", help="cpu or cuda")
    parser.add_argument("--threads", type=int, default=1, help="processor threads of torch")
    folder = Path(__file__).resolve().parent / "network"
    parser.add_argument("--folder", type=Path, default=folder)
    return parser.parse_args()


def name(options):
    parts = [options.env.split("-")[0], options.algorithm, options.body]
    if options.body != "mlp":
        parts += [options.reading, f"{options.layers or 'all'}layers"]
        parts += [f"{options.tokens}tokens"] if options.reading == "embedded" else []
        parts += [f"{options.trainable}trained"] if options.trainable else []
    return "-".join([*parts, str(options.seed)]).lower()


def network(options):
    """The policy's settings: the same head for all bodies, and for none."""
    if options.body == "mlp":
        return {}
    random = options.body == "random"
    body = load_body(options.model, layers=options.layers, random=random, seed=options.seed)
    settings = {"body": body, "trainable": options.trainable}
    if options.reading == "embedded":
        settings |= {"tokens": options.tokens}
    else:
        settings |= {"names": NAMES[options.env], "decimals": DECIMALS[options.env]}
    reading = READINGS[options.reading]
    return {"features_extractor_class": reading, "features_extractor_kwargs": settings}


def worlds(options):
    """Eight worlds at once; HalfCheetah's observations and rewards are brought to unit scale."""
    env = make_vec_env(options.env, n_envs=ENVS, seed=options.seed)
    return VecNormalize(env) if options.env.startswith("HalfCheetah") else env


def train(options, path):
    policy = network(options)
    env = worlds(options)
    model = ALGORITHMS[options.algorithm](
        HeadPolicy,
        env,
        seed=options.seed,
        device=options.device,
        policy_kwargs=policy,
        **SETTINGS[options.algorithm],
    )
    curve = Curve(path.with_suffix(".csv"))
    model.learn(options.steps, callback=curve)
    env.close()
    trained, frozen = count_parameters(model.policy)
    wall, cpu = curve.seconds
    steps = curve.rows[-1][0]
    settings = {key: value for key, value in vars(options).items() if key != "folder"}
    header = {
        "command": "python benchmarks/train_network.py " + shlex.join(sys.argv[1:]),
        **settings,
        "settings": SETTINGS[options.algorithm] | {"n_envs": ENVS},
        "normalised": isinstance(env, VecNormalize),
        "parameters": {"trained": trained, "frozen": frozen},
        "steps_done": steps,
        "wall_s": wall,
        "cpu_s": cpu,
        "steps_per_cpu_s": round(steps / cpu, 1),
        "machine": machine(options.device),
        "versions": {"python": platform.python_version()}
        | {package: importlib.metadata.version(package) for package in PACKAGES},
    }
    # Written last and whole: what says that the run is finished.
    path.with_suffix(".json").write_text(json.dumps(header, indent=1) + "\n", encoding="utf-8")


def machine(device):
    if device.startswith("cuda"):
        return torch.cuda.get_device_name(device)
    return f"{os.cpu_count()} processor cores ({platform.machine()})"


def main():
    options = arguments()
    path = options.folder.resolve() / name(options)
    if path.with_suffix(".json").exists():
        print(f"{path.name} is finished already.")
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    torch.set_num_threads(options.threads)
    # HalfCheetah's file of 2011 uses an attribute that MuJoCo now warns of, at every loading.
    mujoco.set_mju_user_warning(lambda message: None)
    with tempfile.TemporaryDirectory() as elsewhere:
        os.chdir(elsewhere)  # where MuJoCo may write its MUJOCO_LOG.TXT
        train(options, path)
        os.chdir(path.parent)


if __name__ == "__main__":
    main()
