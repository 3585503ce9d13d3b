"""Train one agent of chapter 14 and keep its learning curve.

    python benchmarks/train_network.py cartpole --backbone pretrained --reading text --seed 0

writes benchmarks/network/NAME.csv, a row after each evaluation, NAME.json, the settings and the
result, and NAME.pt, the agent (without its critic). A run whose NAME.json is there is finished,
and skipped; one that was stopped goes on from its last checkpoint in runs/network, and gives what
it would have given without the stop. See README.md in this folder.
"""

import argparse
import csv
import importlib.metadata
import json
import os
import platform
import shlex
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import gymnasium as gym
import mujoco
import numpy as np
import torch
from agent import Agent, Features, evaluate
from sb3_contrib import TRPO
from stable_baselines3 import PPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.utils import set_random_seed
from stable_baselines3.common.vec_env import VecEnvWrapper, VecNormalize

from propslib.policy.network import (
    EmbeddingExtractor,
    HeadPolicy,
    TextExtractor,
    count_parameters,
    load_backbone,
)

ROOT = Path(__file__).resolve().parent
LETTERS = list("abcdefghijklmnopq")
TASKS = {
    "cartpole": {
        "env": "CartPole-v1",
        "steps": 200_000,
        "worlds": 8,
        "checkpoint": 10,  # rollouts between checkpoints
        "evaluate": 1,  # rollouts between evaluations
        "episodes": 10,  # of an evaluation
        "enough": 475,  # reached by two evaluations on end, it ends the training
        "names": ["x", "v", "angle", "spin"],
        "limits": [2.4, 2.5, 0.2, 2.5],
    },
    "halfcheetah": {
        "env": "HalfCheetah-v5",
        "steps": 1_000_000,
        "worlds": 32,
        "checkpoint": 40,
        "evaluate": 20,
        "episodes": 5,
        "enough": np.inf,
        "names": LETTERS,
        "limits": [2.5] * 17,  # of standard deviations: observations are normalised
    },
}
ROLLOUT = 2048  # steps of all worlds together between updates
SETTINGS = {
    # Stable-Baselines3's own defaults, in rollouts of 2,048 steps.
    ("cartpole", "PPO"): {"batch_size": 64, "n_epochs": 10, "learning_rate": 3e-4},
    ("halfcheetah", "PPO"): {"batch_size": 64, "n_epochs": 10, "learning_rate": 3e-4},
    # RL Baselines3 Zoo, hyperparams/trpo.yml, HalfCheetah-v4; there 2 worlds of 1,024 steps.
    ("halfcheetah", "TRPO"): {
        "batch_size": 128,
        "gamma": 0.99,
        "gae_lambda": 0.95,
        "cg_max_steps": 25,
        "cg_damping": 0.1,
        "n_critic_updates": 20,
        "learning_rate": 1e-3,
        "target_kl": 0.04,
    },
}
SETTINGS["cartpole", "TRPO"] = SETTINGS["halfcheetah", "TRPO"] | {"target_kl": 0.01}
# What `all` trains, the most telling first.
CARTPOLE = "cartpole --backbone {} --seed {}".format
CHEETAH = "halfcheetah --algorithm TRPO --reading embedding --backbone {} --seed {}".format
TUNED = "--reading embedding --tune {}".format
QUEUE = [
    *(f"cartpole --seed {seed}" for seed in range(5)),
    *(CARTPOLE(weights, seed) for seed in range(5) for weights in ("pretrained", "random")),
    *(
        f"cartpole --backbone {weights} --reading embedding --seed {seed}"
        for seed in range(5)
        for weights in ("pretrained", "random")
    ),
    *(f"{CARTPOLE('random', seed)} --reading embedding --layers 0" for seed in range(5)),
    *(f"halfcheetah --algorithm TRPO --seed {seed}" for seed in range(3)),
    *(CHEETAH(weights, seed) for seed in range(3) for weights in ("pretrained", "random")),
    *(
        f"{CARTPOLE(weights, seed)} {TUNED('map')}"
        for seed in range(5)
        for weights in ("pretrained", "random")
    ),
    *(
        f"{CARTPOLE('pretrained', seed)} {TUNED(tune)}"
        for seed in range(3)
        for tune in ("lora", "last")
    ),
    *(f"cartpole --head relu3 --seed {seed}" for seed in range(5)),
    *(f"halfcheetah --algorithm TRPO --head relu3 --seed {seed}" for seed in range(3)),
    *(f"halfcheetah --algorithm PPO --seed {seed}" for seed in range(3)),
]
PACKAGES = ("torch", "stable_baselines3", "sb3_contrib", "transformers", "gymnasium", "mujoco")
COLUMNS = ["steps", "episodes", "evaluated", "deviation", "training", "cpu_s"]


class Curve(BaseCallback):
    """A row after each evaluation.

    evaluated and deviation are mean and standard deviation of the returns of the policy without
    chance in its actions, on starts that no training uses; training is the mean return of the
    training episodes that finished since the row before (empty where there are none).
    """

    def __init__(self, options, path, rows=(), episodes=0, cpu=0.0):
        super().__init__()
        self.task, self.path = TASKS[options.task], path
        self.rows, self.episodes, self.cpu = list(rows), episodes, cpu
        self.new, self.clock = [], time.process_time()

    def _on_step(self):
        self.new += [info["episode"]["r"] for info in self.locals["infos"] if "episode" in info]
        return not self.enough

    def _on_rollout_start(self):
        if self.num_timesteps // (ROLLOUT) % self.task["evaluate"] == 0:
            self.evaluate()

    def evaluate(self):
        self.num_timesteps = self.model.num_timesteps
        if self.enough or (self.rows and self.rows[-1][0] == self.num_timesteps):
            return  # it is over, or has just been done, before a checkpoint
        returns = play(self.model, self.task, range(10_000, 10_000 + self.task["episodes"]))
        self.episodes += len(self.new)
        training = round(float(np.mean(self.new)), 1) if self.new else ""
        row = [self.num_timesteps, self.episodes]
        row += [round(float(returns.mean()), 1), round(float(returns.std()), 1), training]
        self.rows.append([*row, round(self.seconds, 1)])
        self.new = []
        with self.path.open("w", newline="", encoding="utf-8") as file:
            csv.writer(file, lineterminator="\n").writerows([COLUMNS, *self.rows])
        print(self.path.stem, dict(zip(COLUMNS, self.rows[-1], strict=True)), flush=True)

    @property
    def seconds(self):
        return self.cpu + time.process_time() - self.clock

    @property
    def enough(self):
        last = [row[2] for row in self.rows[-2:]]
        return len(last) == 2 and min(last) >= self.task["enough"]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("task", choices=[*TASKS, "all"], help="all: whatever is not finished")
    parser.add_argument("--algorithm", choices=["PPO", "TRPO"], default="PPO")
    parser.add_argument("--backbone", choices=["none", "pretrained", "random"], default="none")
    parser.add_argument(
        "--model", default="smollm2", help="or a folder, or gpt2: see load_backbone"
    )
    parser.add_argument("--reading", choices=["text", "embedding"], default="text")
    parser.add_argument("--layers", type=int, default=1, help="the first so many are kept")
    parser.add_argument("--digits", type=int, default=1, help="of each number in a text")
    tunes = ["frozen", "map", "last", "lora"]
    parser.add_argument("--tune", choices=tunes, default="frozen", help="what is trained below")
    parser.add_argument("--head", choices=["tanh2", "relu3"], default="tanh2")
    parser.add_argument("--steps", type=int, help="environment steps; the task's by default")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--folder", type=Path, default=ROOT / "network")
    parser.add_argument("--work", type=Path, default=ROOT.parent / "runs" / "network")
    return parser


def name(options):
    parts = [options.task, options.algorithm, options.backbone]
    if options.backbone != "none":
        parts += [options.reading, f"{options.layers}layers", options.tune]
    parts += [f"{options.digits}digits"] if options.digits != 1 else []
    parts += [options.head] if options.head != "tanh2" else []
    return "-".join([*parts, str(options.seed)]).lower()


def build(options):
    """The untrained model: worlds, what reads them, the head, the algorithm."""
    task = TASKS[options.task]
    worlds, policy = make_vec_env(task["env"], task["worlds"]), {}
    if options.task == "halfcheetah":
        worlds = VecNormalize(worlds)  # observations and rewards to unit scale
    if options.head == "relu3":
        layers = {"pi": [64, 64, 64], "vf": [64, 64, 64]}
        policy = {"net_arch": layers, "activation_fn": torch.nn.ReLU}
    if options.backbone != "none":
        reader, settings = extractor(options)
        if options.tune == "frozen":
            torch.manual_seed(options.seed)  # for the map of an embedding, drawn once
            features = Features(worlds, reader(worlds.observation_space, **settings))
            worlds = VecNormalize(features, norm_reward=False)
        else:
            policy |= {"features_extractor_class": reader, "features_extractor_kwargs": settings}
    algorithm = {"PPO": PPO, "TRPO": TRPO}[options.algorithm]
    settings = SETTINGS[options.task, options.algorithm]
    policy["optimizer_kwargs"] = {"fused": True}  # the same Adam, faster
    common = {
        "n_steps": ROLLOUT // task["worlds"],
        "seed": options.seed,
        "device": "cpu",
        "policy_kwargs": policy,
    }
    return algorithm(HeadPolicy, worlds, **settings, **common)


def extractor(options):
    task, random = TASKS[options.task], options.backbone == "random"
    backbone = load_backbone(options.model, layers=options.layers, random=random, seed=options.seed)
    settings = {"backbone": backbone, "limits": task["limits"]}
    settings |= {"last": {"trained": 1}, "lora": {"lora": 8}}.get(options.tune, {})
    if options.reading == "text":
        return TextExtractor, settings | {"names": task["names"], "digits": options.digits}
    return EmbeddingExtractor, settings | {"tokens": 2}


def play(model, task, seeds):
    agent = Agent(model.get_env(), model.policy)
    return evaluate(agent, lambda: gym.make(task["env"]), seeds)


def train(options, path, checkpoint):
    task = TASKS[options.task]
    steps = options.steps or task["steps"]
    model, curve = build(options), Curve(options, path.with_suffix(".csv"))
    if checkpoint.exists():
        restore(model, curve, torch.load(checkpoint, weights_only=False))
    while model.num_timesteps < steps and not curve.enough:
        # Each checkpoint begins new episodes and new random numbers, stopped there or not: so a
        # run that goes on and one that was never stopped are the same.
        seed = 1000 * (options.seed + 1) + model.num_timesteps // (ROLLOUT)
        set_random_seed(seed)
        model.get_env().seed(seed)
        model.set_env(model.get_env(), force_reset=True)
        chunk = min(task["checkpoint"] * ROLLOUT, steps - model.num_timesteps)
        model.learn(chunk, callback=curve, reset_num_timesteps=False)
        curve.evaluate()
        save(model, curve, checkpoint)
    torch.save(Agent(model.get_env(), model.policy).state, path.with_suffix(".pt"))
    finish(options, path, model, curve)
    model.get_env().close()


def norms(model):
    worlds, found = model.get_env(), []
    while isinstance(worlds, VecEnvWrapper):
        found += [worlds] if isinstance(worlds, VecNormalize) else []
        worlds = worlds.venv
    return [norm for each in found for norm in (each.obs_rms, each.ret_rms)]


def save(model, curve, checkpoint):
    state = {
        "policy": model.policy.state_dict(),
        "optimizer": model.policy.optimizer.state_dict(),
        "norms": [(norm.mean, norm.var, norm.count) for norm in norms(model)],
        "maps": [w.extractor.state_dict() for w in readers(model)],
        "steps": model.num_timesteps,
        "updates": model._n_updates,
        "curve": (curve.rows, curve.episodes, curve.seconds),
    }
    draft = checkpoint.with_suffix(".draft")
    torch.save(state, draft)
    draft.replace(checkpoint)


def restore(model, curve, state):
    model.policy.load_state_dict(state["policy"])
    model.policy.optimizer.load_state_dict(state["optimizer"])
    for norm, saved in zip(norms(model), state["norms"], strict=True):
        norm.mean, norm.var, norm.count = saved
    for reader, saved in zip(readers(model), state["maps"], strict=True):
        reader.extractor.load_state_dict(saved)
    model.num_timesteps, model._n_updates = state["steps"], state["updates"]
    curve.rows, curve.episodes, curve.cpu = state["curve"]


def finish(options, path, model, curve):
    """Written last: what says that the run is finished."""
    task = TASKS[options.task]
    held_out = play(model, task, range(20_000, 20_000 + 2 * task["episodes"]))
    trained, frozen = count_parameters(model.policy)
    frozen += sum(reader.extractor.frozen for reader in readers(model))
    hidden = ("task", "folder", "work")
    header = {
        "command": "python benchmarks/train_network.py " + shlex.join(command(options)),
        **{key: value for key, value in vars(options).items() if key not in hidden},
        "task": options.task,
        "settings": SETTINGS[options.task, options.algorithm],
        "worlds": task["worlds"],
        "rollout": ROLLOUT,
        "parameters": {"trained": trained, "frozen": frozen},
        "held_out": [round(float(value), 1) for value in held_out],
        "enough": curve.enough,
        "steps_done": model.num_timesteps,
        "episodes_done": curve.episodes,
        "cpu_s": round(curve.seconds, 1),
        "machine": f"{os.cpu_count()} processor cores ({platform.machine()}), one used",
        "versions": {"python": platform.python_version()}
        | {package: importlib.metadata.version(package) for package in PACKAGES},
    }
    text = json.dumps(header, indent=1) + "\n"
    path.with_suffix(".json").write_text(text, encoding="utf-8")


def readers(model):
    worlds, found = model.get_env(), []
    while isinstance(worlds, VecEnvWrapper):
        found += [worlds] if isinstance(worlds, Features) else []
        worlds = worlds.venv
    return found


def command(options):
    """What was asked for, without what is the default anyway, and without folders."""
    parser = arguments()
    words = [options.task]
    for key, value in vars(options).items():
        if key not in ("task", "folder", "work") and value != parser.get_default(key):
            words += [f"--{key}", str(value)]
    return words


def finished(options, path):
    """Whether the run has gone as far as is asked for, or has reached what is enough."""
    if not path.exists():
        return False
    header = json.loads(path.read_text(encoding="utf-8"))
    return header["enough"] or header["steps_done"] >= (
        options.steps or TASKS[options.task]["steps"]
    )


def run(options):
    path = options.folder.resolve() / name(options)
    if finished(options, path.with_suffix(".json")):
        print(f"{path.name} is finished already.")
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    checkpoint = options.work.resolve() / f"{path.name}.pt"
    checkpoint.parent.mkdir(parents=True, exist_ok=True)
    torch.set_num_threads(1)
    # HalfCheetah's file of 2011 uses an attribute that MuJoCo now warns of, at every loading.
    mujoco.set_mju_user_warning(lambda message: None)
    with tempfile.TemporaryDirectory() as elsewhere:
        os.chdir(elsewhere)  # where MuJoCo may write its MUJOCO_LOG.TXT
        train(options, path, checkpoint)
        os.chdir(path.parent)


def main():
    options = arguments().parse_args()
    if options.task != "all":
        run(options)
        return
    folders = ["--folder", str(options.folder.resolve()), "--work", str(options.work.resolve())]
    for line in QUEUE:
        subprocess.run([sys.executable, __file__, *line.split(), *folders], check=True)


if __name__ == "__main__":
    main()
