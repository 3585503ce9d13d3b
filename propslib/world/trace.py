"""Optional: one episode step by step, to be looked at or filmed; a search needs its return only."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.spaces import Box, Discrete


@dataclass(frozen=True)
class Episode:
    """The states, actions and rewards of an episode, and how it ended.

    states
        (T + 1, observations) for :math:`T` steps, the start first; (T + 1,) for numbered states.
    actions
        (T, actions), or (T,) where actions are numbered; as the environment received them.
    rewards
        (T,): one reward a step.
    seed
        The seed that the episode was reset with.
    terminated, truncated
        How it ended: the task ended it (goal reached, robot fallen), or the step limit did.
    frames, frame_steps
        Pictures of the environment, where asked for, and the steps they were taken after, 0 being
        the start (see `World.episode`).
    """

    states: np.ndarray
    actions: np.ndarray
    rewards: np.ndarray
    seed: int
    terminated: bool
    truncated: bool
    frames: Sequence[Any] = field(default=(), repr=False)
    frame_steps: Sequence[int] = field(default=(), repr=False)

    @property
    def steps(self) -> int:
        """How many steps :math:`T` the episode took."""
        return len(self.rewards)

    @property
    def return_(self) -> float:
        """The return: the undiscounted sum of the rewards."""
        # One after the other; Python's `sum` compensates from 3.12 on.
        return float(np.cumsum(self.rewards)[-1])


def record(world: Any, act: Callable, seed: int, frame_every: int, frame: Any) -> Episode:
    """Play an episode in a `World`: see `World.episode`."""
    taken, frames, frame_steps = [], [], []
    checked = partial(_checked, act, world.action_space)
    for step, one in enumerate(world.steps(checked, seed)):
        taken.append(one)
        if frame_every and (one[-2] or one[-1] or step % frame_every == 0):
            frames.append((frame or _picture)(world.env))
            frame_steps.append(step)
    states, actions, rewards, terminated, truncated = zip(*taken, strict=True)
    rewards = np.array([float(reward) for reward in rewards[1:]])
    ends = (bool(terminated[-1]), bool(truncated[-1]))
    arrays = (np.array(states), np.array(actions[1:]), rewards)
    return Episode(*arrays, seed, *ends, frames, frame_steps)


def _picture(env: gym.Env) -> np.ndarray:
    try:
        return env.render()
    except Exception as error:  # each drawing library has its own kind
        cure = "set MUJOCO_GL to egl or osmesa before Python starts, or give `frame` a function"
        error.add_note(f"Without a screen {cure}.")
        raise


def _checked(act: Callable, space: Box | Discrete, state: Any) -> Any:
    action = act(state)
    if isinstance(space, Discrete):
        if not space.contains(action):
            raise ValueError(f"The action {action!r} is not an integer from 0 to {space.n - 1}.")
    elif np.shape(action) != space.shape or not np.isfinite(action).all():
        raise ValueError(f"The action {action!r} is not {space.shape[0]} finite numbers in a list.")
    return action
