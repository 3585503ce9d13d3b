"""The searches of the recordings, set up again from their headers."""

import gymnasium as gym
import numpy as np
from gymnasium.spaces import Box
from gymnasium.wrappers import DiscretizeObservation, TransformObservation

from propslib import LinearPolicy, LLMBrain, Run, TablePolicy, World, chat
from propslib.brain import find_recording

FOLDER = find_recording("mountaincar-props").parent
NAMES = sorted(path.stem for path in FOLDER.glob("*.jsonl"))


def load(name):
    return Run.load(find_recording(name))


class DisguisedWorld(World):
    """Returns of the parameters Q (p - c), rescaled, as the recordings' README defines it."""

    def __init__(self, env_id, size, seed, offset, scale, shift):
        super().__init__(env_id)
        rng = np.random.default_rng(seed)
        q, r = np.linalg.qr(rng.normal(size=(size, size)))
        self.rotation = q * np.sign(np.diag(r))
        self.centre = rng.uniform(-offset, offset, size)
        self.scale, self.shift = scale, shift

    def returns(self, policy, params, seeds):
        seen = self.rotation @ (np.asarray(params) - self.centre)
        return self.scale * super().returns(policy, seen, seeds) + self.shift


def world_of(config):
    if "disguise" in config:
        return DisguisedWorld(config["env_id"], config["size"], **config["disguise"])
    if "bins" in config:
        low, high = (np.array(config[key], dtype=np.float64) for key in ("bin_low", "bin_high"))

        def binned(env: gym.Env) -> gym.Env:
            clipped = TransformObservation(
                env, lambda state: np.clip(state, low, high), Box(low, high, dtype=np.float64)
            )
            return DiscretizeObservation(clipped, bins=tuple(config["bins"]))

        return World(config["env_id"], wrap=binned)
    return World(config["env_id"], **config.get("env_options", {}))


def policy_of(config, world):
    if config["policy"] == "table":
        return TablePolicy(world)
    return LinearPolicy(
        world,
        low=config["low"],
        high=config["high"],
        decimals=config["decimals"],
        spread=config["warmup_std"],
    )


def brain_of(name, config, policy):
    """The brain that replays a recording. Table runs answer in rows, and repeat a table twice."""
    table_rows = config.get("reply") == "rows"
    return LLMBrain(
        chat(f"recorded:{name}"),
        policy,
        prompt="props" if table_rows else config["prompt"],
        optimum=config.get("optimum"),
        description=config.get("description"),
        step_size=config.get("step_size", 1.0),
        rows=table_rows,
        repeats=table_rows,
        missing=0.0 if config.get("sparse") else None,
    )
