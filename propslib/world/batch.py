"""Many episodes at once, each with the very return that a single Gymnasium environment gives.

`BATCHED` lists the environments. `World.returns` asks for a batch unasked and plays everything else
one episode after another. `tests/test_batch.py` holds the two equal to the last bit.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.spaces import Box
from gymnasium.wrappers import OrderEnforcing, TimeLimit

from .simulations import CartPoles, Hoppers, MountainCars, MuJoCo, Simulation

BATCHED: dict[str, type[Simulation]] = {
    "gymnasium.envs.classic_control.continuous_mountain_car:Continuous_MountainCarEnv": (
        MountainCars
    ),
    "gymnasium.envs.classic_control.cartpole:CartPoleEnv": CartPoles,
    "gymnasium.envs.mujoco.swimmer_v5:SwimmerEnv": MuJoCo,
    "gymnasium.envs.mujoco.half_cheetah_v5:HalfCheetahEnv": MuJoCo,
    "gymnasium.envs.mujoco.hopper_v5:HopperEnv": Hoppers,
    "gymnasium.envs.mujoco.walker2d_v5:Walker2dEnv": Hoppers,
}
CHUNK = 4096  # episodes played together: their arrays fit into a processor's cache


def returns(
    env: gym.Env,
    policy: Any,
    params: np.ndarray,
    seeds: Sequence[int],
    *,
    max_steps: int,
    clip: bool = False,
) -> np.ndarray | None:
    """The return of one episode for each parameter vector and seed, or None: play them singly.

    env
        As `gymnasium.make` gives it. It is reset once for each seed.
    policy, params
        What has a method `rows`, as `LinearPolicy` has, and (m, size) parameters for it.
    seeds
        n seeds.
    max_steps
        Step limit of an episode.
    clip
        Whether actions are clipped into the action space first.

    Gives (m, n), or None for an environment, a policy or a number of episodes for which a batch
    is not written or not faster. A return that is not finite must be played singly: the
    environment itself may raise an error or mend its state there. Raises ValueError for
    parameters that the policy refuses.
    """
    kind = _kind(env)
    episodes = len(params) * len(seeds)
    if kind is None or episodes < kind.least or not hasattr(policy, "rows"):
        return None
    act = policy.rows(params)
    if act is None:
        return None
    starts = np.array([kind.start(env, seed) for seed in seeds])
    result = np.empty(episodes)
    with np.errstate(all="ignore"):
        for first in range(0, episodes, CHUNK):
            row, column = np.divmod(np.arange(first, min(first + CHUNK, episodes)), len(seeds))
            simulation = kind(env.unwrapped, starts[column])
            space = env.action_space if clip else None
            result[first : first + CHUNK] = _play(simulation, act.take(row), max_steps, space)
    return result.reshape(len(params), len(seeds))


def _kind(env: gym.Env) -> type[Simulation] | None:
    while isinstance(env, OrderEnforcing | TimeLimit):
        env = env.env
    kind = BATCHED.get(f"{type(env).__module__}:{type(env).__name__}")
    return kind if kind and kind.fits(env) else None


def _play(simulation: Simulation, act: Any, max_steps: int, space: Box | None) -> np.ndarray:
    ids = np.arange(act.size)
    result, totals, alive = np.empty(ids.size), np.zeros(ids.size), np.ones(ids.size, bool)
    for _ in range(max_steps):
        actions = act(simulation.observations())
        if space is not None:
            actions = np.clip(actions, space.low[:, None], space.high[:, None])
        rewards, ended = simulation.step(actions)
        totals += rewards
        if ended is None:
            continue
        ended &= alive
        if ended.any():
            result[ids[ended]] = totals[ended]
            alive &= ~ended
            # To drop the finished costs a copy of all others, so a few may idle on.
            if alive.mean() <= simulation.patience:
                keep = np.flatnonzero(alive)
                if not keep.size:
                    return result
                ids, totals, alive = ids[keep], totals[keep], alive[keep]
                act = act.take(keep)
                simulation.keep(keep)
    result[ids[alive]] = totals[alive]
    return result
