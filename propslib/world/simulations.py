"""Environments of Gymnasium for n episodes at once, computed as Gymnasium computes one.

Equal to the last bit: each starts from the states that the environment's own `reset(seed)` draws,
and computes what its `step` computes, in the same order and precision.
"""

from __future__ import annotations

import math
import os
from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import cache
from typing import Any

import gymnasium as gym
import numpy as np


class Simulation(ABC):
    """n episodes of one environment, each a column.

    least
        The fewest episodes for which this is faster than one after another.
    patience
        The share of episodes still running at which the finished ones are dropped.
    """

    least: int = 1
    patience: float = 0.8

    @abstractmethod
    def __init__(self, env: gym.Env, starts: np.ndarray):
        """Begin at the states (n, numbers) that `start` gave; env is the unwrapped one."""

    @staticmethod
    def fits(env: gym.Env) -> bool:
        """Whether this unwrapped environment is as the class knows it."""
        return True

    @staticmethod
    def start(env: gym.Env, seed: int) -> np.ndarray:
        """The full state after a reset with the seed."""
        env.reset(seed=int(seed))
        return env.unwrapped.state

    @abstractmethod
    def observations(self) -> np.ndarray:
        """(observations, n), of float64."""

    @abstractmethod
    def step(self, actions: np.ndarray) -> tuple[np.ndarray, np.ndarray | None]:
        """Rewards (n,) and which episodes ended (n,), after actions (actions, n) or (n,).

        None where the task ends no episode.
        """

    @abstractmethod
    def keep(self, index: np.ndarray) -> None:
        """Go on with these columns only."""


def _single(numbers: np.ndarray) -> np.ndarray:
    """Rounded to float32, as float64."""
    return numbers.astype(np.float32).astype(float)


def _like(
    scalar: Callable[[Any], float], vector: Callable[[np.ndarray], np.ndarray], width: float
) -> Callable[[np.ndarray], np.ndarray]:
    """The vector form of a function if it gives the scalar form's bits here, else a slow map.

    NumPy has several forms of a function and takes one by the processor. Another form differs in
    the last bit, seldom or often: a * a from math.pow(a, 2) for 1 number in 1,200, as seen with
    glibc. Even then 30,000 numbers all agree by chance with a probability below 1e-10.
    """
    probe = np.random.default_rng(0).uniform(-width, width, 30_000)

    def one_by_one(numbers: np.ndarray) -> np.ndarray:
        return np.fromiter(map(scalar, numbers.tolist()), float, numbers.size)

    return vector if np.array_equal(vector(probe), one_by_one(probe)) else one_by_one


@cache
def _car_functions() -> tuple[Callable, Callable]:
    # np.power and the product a * a round otherwise than math.pow.
    return _like(math.cos, np.cos, 4.0), _like(_square, lambda a: np.float_power(a, 2.0), 10.0)


def _square(a: float) -> float:
    try:
        return math.pow(a, 2)
    except OverflowError:
        return math.inf


@cache
def _pole_functions() -> tuple[Callable, Callable]:
    # The environment calls NumPy with one number at a time.
    return _like(lambda x: np.cos(np.float64(x)), np.cos, 0.5), _like(
        lambda x: np.sin(np.float64(x)), np.sin, 0.5
    )


class MountainCars(Simulation):
    """MountainCarContinuous-v0: its state is float32, most of its steps are float64.

    The environment's precision follows from the types of its numbers. A force within its bounds
    is a float64 of NumPy and makes the step one of float64. A force cut to a bound, or a velocity
    cut to its limit, is a Python float, and what follows is float32. The first step starts from a
    float64 state.
    """

    least = 8
    low, high, goal, limit, power = -1.2, 0.6, 0.45, 0.07, 0.0015

    def __init__(self, env: gym.Env, starts: np.ndarray):
        self.state, self.first = starts.T, True
        self.cos, self.square = _car_functions()

    @classmethod
    def fits(cls, env: gym.Env) -> bool:
        """Whether nobody changed the constants, on whose types the precision depends."""
        found = (env.min_position, env.max_position, env.goal_position, env.max_speed, env.power)
        others = (env.min_action, env.max_action, env.goal_velocity)
        return (*found, *others) == (cls.low, cls.high, cls.goal, cls.limit, cls.power, -1, 1, 0)

    def observations(self) -> np.ndarray:
        return _single(self.state)

    def step(self, actions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        action, (position, velocity) = actions[0], self.state
        low, high, goal, limit = _single(np.array([self.low, self.high, self.goal, self.limit]))
        free, angle = np.abs(action) <= 1.0, 3 * position
        if self.first:
            free[:] = True
        else:
            angle = _single(angle)
        pull = np.clip(action, -1.0, 1.0) * self.power - 0.0025 * self.cos(angle)
        pull = np.where(free, pull, _single(pull))
        # A sum of two float32 numbers in float64, rounded, is their sum in float32.
        velocity = velocity + pull
        double = free & (np.abs(velocity) <= self.limit)
        rounded = np.clip(_single(velocity), -limit, limit)
        velocity = np.where(double, velocity, rounded)
        position = position + velocity
        position = np.where(double, position, _single(position))
        self.state, self.first = np.stack([_single(position), rounded]), False
        self.state[0] = np.clip(self.state[0], low, high)

        at_wall = np.flatnonzero(self.state[0] == low)
        if at_wall.size:
            at_wall = at_wall[~double[at_wall] | (position[at_wall] <= self.low)]
            self.state[1, at_wall] = np.maximum(self.state[1, at_wall], 0.0)
        rewards = -(self.square(action) * 0.1)
        ended = (self.state[0] >= goal) & (velocity >= 0)
        if ended.any():
            ended &= ~double | (position >= self.goal)
            rewards[ended] += 100.0
        return rewards, ended

    def keep(self, index: np.ndarray) -> None:
        self.state = self.state[:, index]


class CartPoles(Simulation):
    """CartPole-v1: its state is float64, what the policy sees is float32."""

    least = 4

    def __init__(self, env: gym.Env, starts: np.ndarray):
        self.env, self.state = env, starts.T
        self.cos, self.sin = _pole_functions()

    @staticmethod
    def fits(env: gym.Env) -> bool:
        """Whether the environment integrates as it does by default; its sizes may be others."""
        return env.kinematics_integrator == "euler"

    def observations(self) -> np.ndarray:
        return _single(self.state)

    def step(self, actions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        env, (x, x_dot, theta, theta_dot) = self.env, self.state
        force = np.where(actions == 1, env.force_mag, -env.force_mag)
        cos, sin = self.cos(theta), self.sin(theta)
        temp = (force + env.polemass_length * np.square(theta_dot) * sin) / env.total_mass
        theta_acc = (env.gravity * sin - cos * temp) / (
            env.length * (4.0 / 3.0 - env.masspole * np.square(cos) / env.total_mass)
        )
        x_acc = temp - env.polemass_length * theta_acc * cos / env.total_mass
        self.state = self.state + env.tau * np.stack([x_dot, x_acc, theta_dot, theta_acc])
        x, _, theta, _ = self.state
        ended = (np.abs(x) > env.x_threshold) | (np.abs(theta) > env.theta_threshold_radians)
        usual, last = (0.0, -1.0) if env._sutton_barto_reward else (1.0, 1.0)
        return np.where(ended, last, usual), ended

    def keep(self, index: np.ndarray) -> None:
        self.state = self.state[:, index]


class MuJoCo(Simulation):
    """The v5 walkers and swimmers of MuJoCo whose observations are positions and velocities."""

    patience = 1.0
    bound = np.inf  # of the velocities in an observation

    def __init__(self, env: gym.Env, starts: np.ndarray):
        from mujoco.batch import Batch

        self.env, self.batch = env, Batch(env.model, len(starts), _threads())
        self.batch.state[:] = starts
        self.qpos, self.qvel, self.ctrl = map(self.batch.bind, ("qpos", "qvel", "ctrl"))
        self.skipped = env.observation_structure["skipped_qpos"]
        self.seconds, self.ids, self.rows = env.dt, None, slice(None)

    @staticmethod
    def start(env: gym.Env, seed: int) -> np.ndarray:
        """The full state after a reset with the seed, with the solver's warm start."""
        import mujoco

        env.reset(seed=int(seed))
        model, data = env.unwrapped.model, env.unwrapped.data
        everything = mujoco.mjtState.mjSTATE_INTEGRATION
        state = np.empty(mujoco.mj_stateSize(model, everything))
        mujoco.mj_getState(model, data, state, everything)
        return state

    def observations(self) -> np.ndarray:
        velocities = self.qvel[self.rows]
        if self.bound < np.inf:
            velocities = np.clip(velocities, -self.bound, self.bound)
        return np.concatenate([self.qpos[self.rows, self.skipped :], velocities], axis=1).T

    def step(self, actions: np.ndarray) -> tuple[np.ndarray, np.ndarray | None]:
        before = self.qpos[self.rows, 0].copy()
        self.ctrl[self.rows] = actions.T
        self.batch.step(self.ids, nstep=self.env.frame_skip)
        rewards = self.env._forward_reward_weight * (
            (self.qpos[self.rows, 0] - before) / self.seconds
        )
        ended = self.add_health(rewards)
        # One after the other, as NumPy adds up to seven numbers.
        cost, *others = actions * actions
        for square in others:
            cost = cost + square
        rewards -= self.env._ctrl_cost_weight * cost
        if self.batch.warning.any():
            # An unstable simulation starts anew: let the environment itself play it.
            rewards[self.batch.warning[self.rows].any(axis=(1, 2))] = np.nan
        return rewards, ended

    def add_health(self, rewards: np.ndarray) -> np.ndarray | None:
        """Add the rewards for being healthy; which episodes ended for not being so."""
        return None

    def keep(self, index: np.ndarray) -> None:
        self.ids = self.rows = np.arange(self.batch.nsim)[self.rows][index]


class Hoppers(MuJoCo):
    """Hopper-v5 and Walker2d-v5: an episode ends when the body falls."""

    bound = 10.0

    def add_health(self, rewards: np.ndarray) -> np.ndarray:
        env, qpos = self.env, self.qpos[self.rows]
        healthy = _within(qpos[:, 1], env._healthy_z_range)
        healthy &= _within(qpos[:, 2], env._healthy_angle_range)
        if hasattr(env, "_healthy_state_range"):
            rest = np.concatenate([qpos[:, 2:], self.qvel[self.rows]], axis=1)
            healthy &= _within(rest, env._healthy_state_range).all(axis=1)
        rewards += healthy * env._healthy_reward
        return ~healthy & env._terminate_when_unhealthy


def _within(numbers: np.ndarray, limits: tuple[float, float]) -> np.ndarray:
    return (limits[0] < numbers) & (numbers < limits[1])


def _threads() -> int:
    """As many as there are processors for this process, or as OMP_NUM_THREADS allows."""
    if hasattr(os, "sched_getaffinity"):
        processors = len(os.sched_getaffinity(0))
    else:
        processors = os.cpu_count() or 1
    allowed = os.environ.get("OMP_NUM_THREADS", "")
    return min(processors, int(allowed)) if allowed.isdigit() and int(allowed) else processors
