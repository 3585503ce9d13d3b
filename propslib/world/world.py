"""A world says what return a behaviour earns."""

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Self

# pygame, with which Gymnasium draws, greets on standard output when it is imported, and complains
# on standard error where there is no screen.
os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
if sys.platform == "linux" and not {"DISPLAY", "WAYLAND_DISPLAY"} & set(os.environ):
    os.environ.setdefault("SDL_VIDEODRIVER", "dummy")

import gymnasium as gym
import numpy as np
from gymnasium.spaces import Box, Discrete

from ..settings import number

Act = Callable[[Any], Any]
Frame = Callable[[gym.Env], Any]


class World:
    """A Gymnasium environment as a black box: a behaviour goes in, returns come out.

    The environment is made once, reset with a seed before each episode, and closed by `close`
    or at the end of a `with` block. (Those of Box2D are made for each episode, as a reset leaves
    traces in them.)

    >>> world = World(
    ...     "MountainCarContinuous-v0"
    ... )
    >>> def rest(state):
    ...     return [0.0]
    >>> world.episode(rest, seed=0).return_
    0.0

    env_id
        The id of a Gymnasium environment with Box or Discrete observations and actions.
    max_steps
        Step limit of an episode; None keeps the environment's own.
    clip_actions
        Clip every action into the action space first. Off by default: the environment then
        receives what the policy says, and may punish it (MountainCarContinuous charges the
        *raw* action squared).
    wrap
        A function from the made environment to a wrapped one, such as a `Binned` or
        `partial(DiscretizeObservation, bins=10)`, with a wrapper of Gymnasium's. What it has as
        `config` goes into a run's log.
    batch
        Whether `returns` may play many episodes at once, as it can in MountainCarContinuous,
        Swimmer and HalfCheetah. The returns are the same to the last bit; False plays singly.
    env_options
        Everything else goes to `gymnasium.make`.

    Raises ValueError for spaces that are neither Box (of one dimension) nor Discrete (from 0), and
    for an environment without a step limit; Gymnasium raises UnregisteredEnv for an unknown id.
    """

    def __init__(
        self,
        env_id: str,
        *,
        max_steps: int | None = None,
        clip_actions: bool = False,
        wrap: Callable[[gym.Env], gym.Env] | None = None,
        batch: bool = True,
        **env_options: Any,
    ):
        if max_steps is not None:
            env_options["max_episode_steps"] = number("max_steps", max_steps, least=1, whole=True)
        self.env_id, self.clip_actions, self.wrap, self.batch = env_id, clip_actions, wrap, batch
        self._options, self._drawn = env_options, {}
        self._env = env = self._make()
        # Box2D keeps the order of its contacts over a reset: the same seed gives another episode.
        self._renewed = "box2d" in type(env.unwrapped).__module__
        self.observation_space = _supported(env.observation_space, "observation", env_id)
        self.action_space = _supported(env.action_space, "action", env_id)

    def _make(self) -> gym.Env:
        options = self._options | self._drawn
        env = gym.make(self.env_id, disable_env_checker=True, **options)
        self.max_steps = env.spec.max_episode_steps
        if (self.max_steps or 0) < 1:  # None and -1 stand for no limit
            raise ValueError(f"{self.env_id} may never end an episode: give max_steps.")
        return self.wrap(env) if self.wrap else env

    @property
    def env(self) -> gym.Env:
        """The environment itself, made anew where it was closed."""
        if self._env is None:
            self._env = self._make()
        return self._env

    @property
    def config(self) -> dict[str, Any]:
        """What decides this world's returns, for a run's log."""
        config = {"env_id": self.env_id, "env_options": self._options}
        config["clip_actions"] = self.clip_actions
        if self.wrap:
            config["wrapped"] = getattr(self.wrap, "config", None) or str(self.env)
        return config

    def episode(
        self, act: Act, seed: int, *, frame_every: int = 0, frame: Frame | None = None
    ) -> Any:
        """Run one episode and record it.

        act
            A function from a state to an action, for instance `policy(params)`.
        seed
            Resets the environment: the same seed and behaviour give the same episode.
        frame_every
            0: no frames. :math:`k`: one of the start, of every :math:`k`-th step and of the end. An
            environment that cannot draw yet is made anew first, so take `env` after this call.
        frame
            What to take as a frame: a function of the environment. By default its RGB picture.

        Raises ValueError for an action of the wrong shape or one that is not finite, and the
        drawing library's own error, with a note on the cure, where there is no screen to draw on.
        """
        from .trace import record

        if frame_every and frame is None and self.env.render_mode != "rgb_array":
            # An environment can only draw if it was made to, so it is made anew, once.
            self._drawn = {"render_mode": "rgb_array"}
            self.close()
        return record(self, act, seed, frame_every, frame)

    def returns(self, policy: Any, params: np.ndarray, seeds: Iterable[int]) -> np.ndarray:
        """The return of one episode for each seed, played by `policy(params)`.

        params
            Shape (size,), or a batch (m, size).
        seeds
            :math:`n` seeds, each of which resets the environment for one episode.

        Gives (n,), or (m, n) for a batch. A `LinearPolicy` plays its episodes at once where that is
        possible (see `batch` above), with the same returns. Raises ValueError for parameters of the
        wrong shape or that are not finite, and for a policy that was made for other spaces.
        """
        theirs, ours = ((of.observation_space, of.action_space) for of in (policy, self))
        if theirs != ours:
            raise ValueError(f"Make it from this world: it has {ours}, the policy {theirs}.")
        params, seeds = np.asarray(params, dtype=float), list(seeds)
        points = params if params.ndim == 2 else params[None]
        returns = np.full((len(points), len(seeds)), np.nan)  # of what is to be played singly
        if self.batch and returns.size and hasattr(policy, "batch"):
            from . import batch  # optional: imported where it is used

            limits = (self.max_steps, self.clip_actions)
            returns = batch.returns(self.env, policy, points, seeds, *limits)
        for k in np.flatnonzero(~np.isfinite(returns).all(axis=1)):
            act = policy(points[k])
            returns[k] = [self._return(act, seed) for seed in seeds]
            if not np.isfinite(returns[k]).all():
                raise ValueError(f"{self.env_id} gave the returns {returns[k]} for {points[k]}.")
        return returns if params.ndim == 2 else returns[0]

    def _return(self, act: Act, seed: int) -> float:
        rewards = [reward for _, _, reward, _, _ in self.steps(act, seed)]
        return float(np.cumsum(rewards)[-1])  # one after the other, as `Episode.return_` adds

    def steps(self, act: Act, seed: int) -> Iterator[tuple[Any, Any, float, bool, bool]]:
        """Play an episode: the start, then each step as (state, action, reward, ended how)."""
        if self._renewed:
            self.close()
        env = self.env
        state, _ = env.reset(seed=int(seed))
        terminated = truncated = False
        yield state, None, 0.0, terminated, truncated
        while not (terminated or truncated):
            action = act(state)
            if self.clip_actions:
                action = np.clip(action, self.action_space.low, self.action_space.high)
            state, reward, terminated, truncated, _ = env.step(action)
            yield state, action, reward, terminated, truncated

    def close(self) -> None:
        """Close the environment. Closing twice does no harm; playing on makes a new one."""
        if self._env is not None:
            self._env.close()
            self._env = None

    def __getstate__(self) -> dict[str, Any]:
        # A copy of a world, or one sent to another process, makes an environment of its own.
        return self.__dict__ | {"_env": None}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"World({self.env_id!r}, clip_actions={self.clip_actions})"


def _supported(space: gym.Space, what: str, env_id: str) -> Box | Discrete:
    fits = len(space.shape) == 1 if isinstance(space, Box) else isinstance(space, Discrete)
    if not fits or getattr(space, "start", 0) != 0:
        needs = "needs a Box of one dimension or a Discrete from 0: wrap the environment."
        raise ValueError(f"{env_id} has the {what} space {space}; a World {needs}")
    return space
