"""Optional: many episodes at once, each with the very return that Gymnasium's environment gives.

`World.returns` asks for a batch unasked, and plays everything else one episode after another. Equal
to the last bit: an episode starts from the state that the environment's own `reset(seed)` draws,
and each step computes what its `step` computes, in the same order and precision.
`tests/test_batch.py` holds the two equal.
"""

import math
import os
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.wrappers import OrderEnforcing, TimeLimit

CHUNK = 4096  # episodes played together: their arrays fit into a processor's cache


def returns(
    env: gym.Env, policy: Any, params: np.ndarray, seeds: Sequence[int], max_steps: int, clip: bool
) -> np.ndarray:
    """The return of one episode for each parameter vector and seed; nan where none is computed.

    env
        As `gymnasium.make` gives it. It is reset once for each seed.
    policy, params
        What has a method `batch`, as `LinearPolicy` has, and (m, size) parameters for it.
    seeds
        n seeds.
    max_steps
        Step limit of an episode.
    clip
        Whether actions are clipped into the action space first.

    Gives (m, n): nan for an environment, a policy or a number of episodes for which a batch is not
    written or not faster. A return that is not finite must be played singly: the environment
    itself may raise an error or mend its state there. Raises ValueError for parameters that the
    policy refuses.
    """
    kind, episodes = _kind(env), len(params) * len(seeds)
    act = policy.batch(params) if kind and episodes >= kind.least(env.unwrapped) else None
    if act is None:
        return np.full((len(params), len(seeds)), np.nan)
    starts = np.array([kind.start(env, int(seed)) for seed in seeds])
    space, chunks = env.action_space if clip else None, []
    for first in range(0, episodes, CHUNK):
        point, seed = np.divmod(np.arange(first, min(first + CHUNK, episodes)), len(seeds))
        with np.errstate(all="ignore"):
            simulation = kind(env.unwrapped, starts[seed])
            chunks.append(play(simulation, act.take(point), max_steps, space))
    return np.concatenate(chunks).reshape(len(params), len(seeds))


def _kind(env: gym.Env) -> Any:
    """The class below that computes this environment, or None."""
    while isinstance(env, OrderEnforcing | TimeLimit):  # these change nothing
        env = env.env
    kind = f"{type(env).__module__}:{type(env).__name__}"
    return BATCHED.get(kind.removeprefix("gymnasium.envs."))


def play(simulation: Any, act: Any, max_steps: int, space: Any = None) -> np.ndarray:
    """The return of each episode of a simulation, its actions clipped into the space if given."""
    ids, totals, result = np.arange(act.size), np.zeros(act.size), np.empty(act.size)
    for _ in range(max_steps):
        actions = act(simulation.observations())
        if space is not None:
            actions = np.clip(actions, space.low[:, None], space.high[:, None])
        rewards, ended = simulation.step(actions)
        totals += rewards
        if np.count_nonzero(ended):
            result[ids] = totals  # those that go on are written again
            on = np.flatnonzero(~ended)
            ids, totals, act = ids[on], totals[on], act.take(on)
            simulation.keep(on)
            if not ids.size:
                break
    result[ids] = totals
    return result


def _single(numbers: Any) -> np.ndarray:
    """Rounded to float32, as float64."""
    return np.asarray(numbers).astype(np.float32).astype(float)


def _like(scalar: Callable, vector: Callable, width: float) -> Callable[[np.ndarray], np.ndarray]:
    """The vector form of a function if it gives the scalar form's bits here, else a slow map.

    NumPy has several forms of a function and takes one by the processor. Another form differs in
    the last bit, seldom or often: a * a from math.pow(a, 2) for 1 number in 1,200, as seen with
    glibc. Even then 30,000 numbers all agree by chance with a probability below 1e-10.
    """
    probe = np.random.default_rng(0).uniform(-width, width, 30_000)
    one_by_one = np.vectorize(scalar, otypes=[float])
    return vector if np.array_equal(vector(probe), one_by_one(probe)) else one_by_one


def _power(a: float) -> float:
    # Where a square is infinite the environment itself plays, and raises its error.
    return math.pow(a, 2) if abs(a) < 1e150 else math.inf


cosine = _like(math.cos, np.cos, 4.0)
# np.power and the product a * a round otherwise than math.pow.
square = _like(_power, lambda a: np.float_power(a, 2.0), 10.0)


class MountainCars:
    """MountainCarContinuous-v0: its state is float32, most of its steps are float64.

    The environment's precision follows from the types of its numbers. A force within its bounds
    is a float64 of NumPy and makes the step one of float64. A force cut to a bound, or a velocity
    cut to its limit, is a Python float, and what follows is float32. The first step starts from a
    float64 state.
    """

    # Lowest position and goal, of float64 and of float32.
    limits = tuple(kind([[-1.2], [0.45]]) for kind in (np.array, _single))

    def __init__(self, env: gym.Env, starts: np.ndarray):
        self.state, self.first = starts.T, True

    @staticmethod
    def least(env: gym.Env) -> float:
        """The fewest episodes for which this is faster than one after another.

        Infinite where somebody changed the constants, on whose types the precision depends.
        """
        found = (env.min_position, env.goal_position, env.max_speed, env.max_position, env.power)
        others = (env.min_action, env.max_action, env.goal_velocity)
        return 8 if found + others == (-1.2, 0.45, 0.07, 0.6, 0.0015, -1, 1, 0) else math.inf

    @staticmethod
    def start(env: gym.Env, seed: int) -> np.ndarray:
        """The full state after a reset with the seed."""
        env.reset(seed=seed)
        return env.unwrapped.state

    def observations(self) -> np.ndarray:
        """(observations, n), of float64."""
        return _single(self.state)

    def step(self, actions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Rewards (n,) and which episodes ended (n,), after actions (actions, n) or (n,)."""
        action, (position, velocity) = actions[0], self.state
        free = np.abs(action) <= (np.inf if self.first else 1.0)
        angle = (3 * position).astype(float)
        pull = np.minimum(np.maximum(action, -1.0), 1.0) * 0.0015 - 0.0025 * cosine(angle)
        # A sum of two float32 numbers in float64, rounded, is their sum in float32.
        velocity = velocity + np.where(free, pull, _single(pull))
        double = free & (np.abs(velocity) <= 0.07)
        low, goal = np.where(double, *self.limits)
        velocity = np.where(double, velocity, _single(velocity.clip(-0.07, 0.07)))
        position = position + velocity
        position = np.maximum(np.where(double, position, _single(position)), low)
        velocity[(position == low) & (velocity < 0)] = 0.0
        ended = (position >= goal) & (velocity >= 0)
        self.state, self.first = np.array([position, velocity], np.float32), False
        return 100.0 * ended - square(action) * 0.1, ended

    def keep(self, which: np.ndarray) -> None:
        """Go on with these columns only."""
        self.state = self.state.take(which, axis=1)


class Swimmers:
    """Swimmer-v5 and HalfCheetah-v5, whose episodes end at the step limit only."""

    def __init__(self, env: gym.Env, starts: np.ndarray):
        from mujoco.batch import Batch

        threads = os.environ.get("OMP_NUM_THREADS", "")  # 0: one for each processor
        self.env = env
        self.batch = Batch(env.model, len(starts), int(threads) if threads.isdigit() else 0)
        self.batch.state[:] = starts
        self.qpos, self.qvel = map(self.batch.bind, ("qpos", "qvel"))
        self.skipped = env.observation_structure["skipped_qpos"]

    @staticmethod
    def least(env: gym.Env) -> float:
        """The fewest episodes for which this is faster: MuJoCo 3.9 has no batches."""
        return 1 if find_spec("mujoco.batch") else math.inf

    @staticmethod
    def start(env: gym.Env, seed: int) -> np.ndarray:
        """The full state after a reset with the seed, with the solver's warm start."""
        import mujoco

        env.reset(seed=seed)
        model, data = env.unwrapped.model, env.unwrapped.data
        everything = mujoco.mjtState.mjSTATE_INTEGRATION
        state = np.empty(mujoco.mj_stateSize(model, everything))
        mujoco.mj_getState(model, data, state, everything)
        return state

    def observations(self) -> np.ndarray:
        """(observations, n)."""
        return np.concatenate([self.qpos[:, self.skipped :], self.qvel], axis=1).T

    def step(self, actions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Rewards (n,), not finite where the environment is to play; no episode ends."""
        before = self.qpos[:, 0].copy()
        self.batch.ctrl = actions.T
        self.batch.step(nstep=self.env.frame_skip)
        rewards = self.env._forward_reward_weight * ((self.qpos[:, 0] - before) / self.env.dt)
        # One after the other, as NumPy adds up to seven numbers.
        rewards -= self.env._ctrl_cost_weight * sum(actions * actions)
        # An unstable simulation starts anew, in the middle of an episode.
        rewards[self.batch.warning.any(axis=(1, 2))] = np.nan
        return rewards, np.zeros(len(rewards), bool)


BATCHED = {
    "classic_control.continuous_mountain_car:Continuous_MountainCarEnv": MountainCars,
    "mujoco.swimmer_v5:SwimmerEnv": Swimmers,
    "mujoco.half_cheetah_v5:HalfCheetahEnv": Swimmers,
}
