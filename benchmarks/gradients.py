"""Policy gradients on the budgets of the searches: PPO and TRPO, counted in episodes.

    pip install -r requirements-network.txt
    python benchmarks/gradients.py
    python benchmarks/gradients.py --worlds swimmer --seeds 5 --folder runs

trains Stable-Baselines3's PPO and sb3-contrib's TRPO and reads each off whenever it has played as
many episodes as a search had by 20, 50, 100 and 400 proposals. Writes one table a world,
benchmarks/studies/gradients-WORLD.jsonl, in the columns of `propslib.study`, and beside them
gradients.json: steps, seconds, sizes of the networks, settings and versions. A training that is
over is kept in runs/gradients and not repeated.
"""

import argparse
import copy
import json
import platform
import time
from importlib.metadata import version
from pathlib import Path

import numpy as np

from propslib import TablePolicy, World, held_out
from propslib.study import load_table
from propslib.world.planning import policy_evaluation

HERE = Path(__file__).parent
LOGS = HERE.parent / "runs" / "gradients"
BRAINS = ("PPO", "TRPO")
COLUMNS = ("brain", "seed", "proposals", "episodes", "best", "held_out", "low", "high")
WARMUP, BUDGETS, SEEDS = 20, (0, 20, 50, 100, 400), 3
MACHINE = "two shared x86-64 cores, one thread"


# The environment, and how many episodes a value averages in its searches.
WORLDS = {
    "mountaincar": ("MountainCarContinuous-v0", 20),
    "cartpole": ("CartPole-v1", 20),
    "frozenlake": ("FrozenLake-v1", 100),
    "swimmer": ("Swimmer-v5", 5),
}

# Those of RL Baselines3 Zoo (Raffin 2020), files hyperparams/ppo.yml and trpo.yml. Its Swimmer is
# v4. On the mountain car its PPO updates after every 8 steps, whose batch of 256 they never fill:
# an hour and more a training for 400 proposals. Here it updates after 512, in batches of 64; of
# three such pairs it learned soonest, in one training each with another seed. It has no FrozenLake:
# our own choice, untuned, undiscounted as every episode ends. `normalize`: observations and rewards
# are divided by their running deviations. "linear x": from x down to 0 at the last step. What is
# not named is the algorithm's default: two hidden layers of 64 tanh units. `max_steps`, where
# training ends at the latest, is ours: enough for 400 proposals, except on CartPole, where networks
# earn 500 before.
FROZEN_LAKE = {
    "max_steps": 4_200_000,
    "n_envs": 16,
    "n_steps": 64,
    "batch_size": 256,
    "gamma": 1.0,
    "learning_rate": 0.001,
}
HYPERPARAMETERS = {
    ("mountaincar", "PPO"): {
        "max_steps": 5_000_000,
        "normalize": True,
        "n_envs": 1,
        "n_steps": 512,
        "batch_size": 64,
        "gamma": 0.9999,
        "learning_rate": 7.77e-05,
        "ent_coef": 0.00429,
        "clip_range": 0.1,
        "n_epochs": 10,
        "gae_lambda": 0.9,
        "max_grad_norm": 5,
        "vf_coef": 0.19,
        "use_sde": True,
        "policy_kwargs": {"log_std_init": -3.29, "ortho_init": False},
    },
    ("mountaincar", "TRPO"): {
        "max_steps": 1_000_000,
        "normalize": True,
        "n_envs": 2,
        "use_sde": True,
        "sde_sample_freq": 4,
    },
    ("cartpole", "PPO"): {
        "max_steps": 400_000,
        "n_envs": 8,
        "n_steps": 32,
        "batch_size": 256,
        "gae_lambda": 0.8,
        "gamma": 0.98,
        "n_epochs": 20,
        "ent_coef": 0.0,
        "learning_rate": "linear 0.001",
        "clip_range": "linear 0.2",
    },
    ("cartpole", "TRPO"): {
        "max_steps": 400_000,
        "n_envs": 2,
        "n_steps": 512,
        "batch_size": 512,
        "cg_damping": 0.001,
        "gae_lambda": 0.98,
        "gamma": 0.99,
        "learning_rate": 0.001,
        "n_critic_updates": 20,
    },
    ("frozenlake", "PPO"): FROZEN_LAKE,
    ("frozenlake", "TRPO"): FROZEN_LAKE,
    ("swimmer", "PPO"): {
        "max_steps": 2_200_000,
        "normalize": True,
        "n_envs": 4,
        "n_steps": 1024,
        "batch_size": 256,
        "gamma": 0.9999,
        "gae_lambda": 0.98,
        "learning_rate": 0.0006,
    },
    ("swimmer", "TRPO"): {
        "max_steps": 2_200_000,
        "normalize": True,
        "n_envs": 2,
        "n_steps": 1024,
        "batch_size": 128,
        "gamma": 0.9999,
        "gae_lambda": 0.95,
        "sub_sampling_factor": 1,
        "cg_max_steps": 25,
        "cg_damping": 0.1,
        "n_critic_updates": 20,
        "learning_rate": 0.001,
    },
}

# The highest return of all, where an episode can earn it.
HIGHEST = {"cartpole": 500}


class Lockstep:
    """Many episodes of one world side by side, so that a network acts in all states at once.

    It has of a `World` what `held_out` asks for: there, the "parameters" are a function from
    states, one a row, to actions, one a row. The returns are those of `World.returns`.
    """

    def __init__(self, world):
        self.world, self._copies = world, []

    def returns(self, policy, act, seeds):
        """One return for each seed. No policy is needed."""
        seeds = list(seeds)
        while len(self._copies) < len(seeds):
            self._copies.append(copy.copy(self.world))
        envs = [world.env for world, _ in zip(self._copies, seeds, strict=False)]
        states = [env.reset(seed=seed)[0] for env, seed in zip(envs, seeds, strict=True)]
        totals = np.zeros(len(seeds))
        running = list(range(len(seeds)))
        while running:
            actions = act(np.stack([states[k] for k in running]))
            over = set()
            for k, action in zip(running, actions, strict=True):
                states[k], reward, terminated, truncated, _ = envs[k].step(action)
                totals[k] += reward
                if terminated or truncated:
                    over.add(k)
            running = [k for k in running if k not in over]
        return totals

    def close(self):
        """Close all environments."""
        for world in [self.world, *self._copies]:
            world.close()


def make_model(name, brain, seed):
    """The untrained network, in its environments, and how it sees a state."""
    from sb3_contrib import TRPO
    from stable_baselines3 import PPO
    from stable_baselines3.common.vec_env import DummyVecEnv, VecNormalize

    settings = dict(HYPERPARAMETERS[name, brain])
    del settings["max_steps"]
    world = World(WORLDS[name][0])
    envs = DummyVecEnv([lambda: copy.copy(world).env] * settings.pop("n_envs"))
    if settings.pop("normalize", False):
        envs = VecNormalize(envs, gamma=settings.get("gamma", 0.99))
    for key, value in settings.items():
        if isinstance(value, str):
            settings[key] = _linear(float(value.removeprefix("linear ")))
    kind = {"PPO": PPO, "TRPO": TRPO}[brain]
    # Each environment is seeded with the next number: no two trainings share one, and none is
    # among those that policies are evaluated on.
    return kind("MlpPolicy", envs, seed=1000 * seed + 100, device="cpu", **settings)


def _linear(start):
    return lambda progress_remaining: start * progress_remaining


def behaviour(model):
    """What the network does now, without chance: a function from rows of states to actions."""
    from stable_baselines3.common.vec_env import VecNormalize

    envs = model.get_env()
    seen = envs.normalize_obs if isinstance(envs, VecNormalize) else np.asarray
    return lambda states: model.predict(seen(states), deterministic=True)[0]


def evaluate(name, world, lockstep, act):
    """The columns `best` to `high` of a row.

    On FrozenLake the network is a table of 16 actions, whose expected return is computed.
    """
    own = range(WORLDS[name][1])
    if name == "frozenlake":
        table = act(np.arange(world.observation_space.n))
        best = world.returns(TablePolicy(world), table, own).mean()
        value = float(policy_evaluation(world, table).value)
        return {"best": float(best), "held_out": value, "low": value, "high": value}
    best = lockstep.returns(None, act, own).mean()
    out = held_out(lockstep, None, act)
    return {"best": float(best), "held_out": out.mean, "low": out.low, "high": out.high}


def train(name, brain, seed, budgets=BUDGETS):
    """Train one network, and read it off at each budget that it reaches.

    Episodes are counted as they end. At the last one of a budget the network is evaluated as it is:
    it has learned from no step after it, and its evaluation draws nothing and is not counted. The
    training ends there, or at the world's last step.
    """
    import torch

    torch.set_num_threads(1)
    env_id, per_value = WORLDS[name]
    settings = HYPERPARAMETERS[name, brain]
    model = make_model(name, brain, seed)
    world = World(env_id)
    lockstep = Lockstep(world)
    pending = sorted(set(budgets))
    points, episodes, evaluation = [], 0, np.zeros(2)
    clock = _clock()

    def after_step(local, _):
        nonlocal episodes, evaluation
        episodes += int(np.sum(local["dones"]))
        steps = local["self"].num_timesteps
        while pending and episodes >= per_value * (WARMUP + pending[0]):
            before = _clock()
            proposals = pending.pop(0)
            figures = evaluate(name, world, lockstep, behaviour(model))
            evaluation += _clock() - before
            cpu = float((_clock() - clock - evaluation)[0])
            points.append(
                {
                    "proposals": proposals,
                    "episodes": per_value * (WARMUP + proposals),
                    **figures,
                    "steps": steps,
                    "cpu_seconds": round(cpu, 1),
                }
            )
            print(f"{name} {brain} {seed}: {points[-1]}", flush=True)
        return bool(pending) and steps < settings["max_steps"]

    model.learn(settings["max_steps"], callback=after_step, log_interval=None)
    cpu, wall = _clock() - clock - evaluation
    lockstep.close()
    model.get_env().close()
    acting = [*model.policy.mlp_extractor.policy_net.parameters()]
    acting += model.policy.action_net.parameters()
    return {
        "world": name,
        "brain": brain,
        "seed": seed,
        "settings": settings,
        "steps": model.num_timesteps,
        "episodes": episodes,
        "cpu_seconds": round(float(cpu), 1),
        "wall_seconds": round(float(wall), 1),
        "parameters": sum(part.numel() for part in model.policy.parameters()),
        "acting_parameters": sum(part.numel() for part in acting),
        "points": points,
    }


def trained(name, brain, seed, folder=LOGS):
    """The record of a training: from its log, or by training, which writes the log."""
    path = Path(folder) / f"{name}-{brain}-{seed}.json"
    if path.exists():
        record = json.loads(path.read_text(encoding="utf-8"))
        if record["settings"] != HYPERPARAMETERS[name, brain]:
            raise ValueError(f"{path} was made with other settings: remove it to train anew.")
        return record
    record = train(name, brain, seed)
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_suffix(".part")
    partial.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    partial.replace(path)
    return record


def best_so_far(record):
    """The rows of one training: at each budget, the best of the networks read off by then.

    Best is, as for a search, the highest mean return on the search's own starts, and the warm-up's
    network is among them. A network that earns the most possible remains the best, however long
    the training would go on. That of 0 proposals, the warm-up alone, is no row.
    """
    world, rows, best = record["world"], [], None
    points = {point["proposals"]: point for point in record["points"]}
    for proposals in BUDGETS:
        point = points.get(proposals)
        if point and (best is None or point["best"] > best["best"]):
            best = point
        perfect = best is not None and best["best"] == HIGHEST.get(world)
        if proposals and (point or perfect):
            episodes = WORLDS[world][1] * (WARMUP + proposals)
            row = record | best | {"proposals": proposals, "episodes": episodes}
            rows.append({column: row[column] for column in COLUMNS})
    return rows


def table(records):
    """The rows of a world's records, for the budgets that every seed of a brain reached.

    The seeds that reach a budget alone are those with short episodes, no fair sample of all.
    """
    rows = [best_so_far(record) for record in records]
    reached = {}
    for record, own in zip(records, rows, strict=True):
        budgets = {row["proposals"] for row in own}
        reached[record["brain"]] = reached.get(record["brain"], budgets) & budgets
    return [row for own in rows for row in own if row["proposals"] in reached[row["brain"]]]


def measure(name, brains=BRAINS, seeds=SEEDS, folder=HERE / "studies", logs=LOGS):
    """Train what is not trained yet, write the world's table into the folder, give its records."""
    records = [trained(name, brain, seed, logs) for brain in brains for seed in range(seeds)]
    lines = "".join(json.dumps(row) + "\n" for row in table(records))
    (Path(folder) / f"gradients-{name}.jsonl").write_text(lines, encoding="utf-8")
    return records


def _clock():
    return np.array([time.process_time(), time.perf_counter()])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--worlds", nargs="+", choices=WORLDS, default=list(WORLDS))
    parser.add_argument("--seeds", type=int, default=SEEDS, help="how many, from 0")
    parser.add_argument("--folder", type=Path, default=HERE / "studies", help="for the tables")
    arguments = parser.parse_args()
    path = arguments.folder / "gradients.json"
    records = {}
    if path.exists():
        for record in json.loads(path.read_text(encoding="utf-8"))["trainings"]:
            records.setdefault(record["world"], []).append(record)
    for name in arguments.worlds:
        records[name] = measure(name, BRAINS, arguments.seeds, arguments.folder)
        rows = load_table(arguments.folder / f"gradients-{name}.jsonl")
        for brain, proposals in dict.fromkeys((row["brain"], row["proposals"]) for row in rows):
            own = [row for row in rows if (row["brain"], row["proposals"]) == (brain, proposals)]
            figures = "  ".join(
                f"{column} {spread(own, column)}" for column in ("best", "held_out")
            )
            print(f"{name:12} {brain:5} {proposals:4}  {figures}")
    trainings = [record for name in WORLDS for record in records.get(name, [])]
    path.write_text(json.dumps(about(trainings), indent=1) + "\n", encoding="utf-8")


def about(trainings):
    """What gradients.json holds: the records, and what made them."""
    packages = ("torch", "stable-baselines3", "sb3-contrib", "gymnasium", "mujoco", "numpy")
    return {
        "machine": MACHINE,
        "arithmetic": fingerprint(),
        "versions": {"python": platform.python_version()}
        | {name: version(name) for name in packages},
        "trainings": trainings,
    }


def fingerprint():
    """The last bits of a little training, which differ between processors, as its numbers may."""
    import torch

    torch.set_num_threads(1)
    states = torch.linspace(-3, 3, 256 * 16).reshape(256, 16).sin()
    weights = [torch.linspace(-1, 1, 16 * 64).reshape(16, 64), torch.ones(64, 4) / 8]
    for part in weights:
        part.requires_grad_()
    optimizer = torch.optim.Adam(weights, lr=0.01)
    for _ in range(20):
        optimizer.zero_grad()
        scores = (states @ weights[0]).tanh() @ weights[1]
        loss = scores.square().mean() - scores.log_softmax(1)[:, 0].mean()
        loss.backward()
        optimizer.step()
    return " ".join(float(part.detach().sum()).hex() for part in (loss, *weights))


def spread(rows, column):
    """The median over seeds with the least and the most: three are too few for an interval."""
    values = [row[column] for row in rows]
    return f"{np.median(values):.2f} [{min(values):.2f}, {max(values):.2f}]"


if __name__ == "__main__":
    main()
