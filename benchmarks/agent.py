"""Chapter 14: a trained policy network at play, and worlds that show it features.

A frozen backbone makes the same of the same observation for ever. `Features` makes use of that: it
wraps worlds so that their observations are features already, read once and learned from often.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.spaces import Box

from propslib.policy.network import BasePolicy, FeaturesExtractor, torch

# After propslib, which says what to install where this is missing.
from stable_baselines3.common.vec_env import VecEnv, VecEnvWrapper, VecNormalize  # isort: skip


class Features(VecEnvWrapper):
    """Worlds whose observations are what a frozen extractor makes of them."""

    def __init__(self, venv: VecEnv, extractor: FeaturesExtractor):
        space = Box(-np.inf, np.inf, (extractor.features_dim,), np.float32)
        super().__init__(venv, observation_space=space)
        self.extractor = extractor

    def read(self, observations: np.ndarray) -> np.ndarray:
        """Features (n, width) of observations (n, numbers)."""
        with torch.no_grad():
            return self.extractor(torch.as_tensor(observations, dtype=torch.float32)).numpy()

    def reset(self) -> np.ndarray:
        return self.read(self.venv.reset())

    def step_wait(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[dict]]:
        observations, rewards, dones, infos = self.venv.step_wait()
        for info in infos:
            if "terminal_observation" in info:
                info["terminal_observation"] = self.read(info["terminal_observation"][None])[0]
        return self.read(observations), rewards, dones, infos


class Agent:
    """A policy without chance in its actions, and all that stands between it and a world.

    Called with observations (n, numbers), it answers with n actions.

    worlds
        What the policy was trained in: its normalisers and its `Features` are applied in turn.
    policy
        A policy of Stable-Baselines3.
    """

    def __init__(self, worlds: VecEnv, policy: BasePolicy):
        self.policy, self.wrappers = policy, []
        while isinstance(worlds, VecEnvWrapper):
            self.wrappers.insert(0, worlds)
            worlds = worlds.venv
        self._norms = [w.obs_rms for w in self.wrappers if isinstance(w, VecNormalize)]
        self._maps = [w.extractor for w in self.wrappers if isinstance(w, Features)]

    def __call__(self, observations: np.ndarray) -> np.ndarray:
        for wrapper in self.wrappers:
            read = wrapper.read if isinstance(wrapper, Features) else wrapper.normalize_obs
            observations = read(observations)
        return self.policy.predict(observations, deterministic=True)[0]

    @property
    def state(self) -> dict[str, Any]:
        """What was learned, without the critic: trained parameters, means and variances."""
        learned = self.policy.state_dict().items()
        return {
            "policy": {name: tensor.clone() for name, tensor in learned if "value" not in name},
            "norms": [torch.tensor(np.stack([norm.mean, norm.var])) for norm in self._norms],
            "maps": [extractor.state_dict() for extractor in self._maps],
        }

    def load(self, state: dict[str, Any]) -> Agent:
        """Take over the state of another agent of the same shape."""
        self.policy.load_state_dict(state["policy"], strict=False)
        for norm, saved in zip(self._norms, state["norms"], strict=True):
            norm.mean, norm.var = saved.numpy()
        for extractor, saved in zip(self._maps, state["maps"], strict=True):
            extractor.load_state_dict(saved)
        return self


def evaluate(
    agent: Callable[[np.ndarray], np.ndarray], make: Callable[[], gym.Env], seeds: Sequence[int]
) -> np.ndarray:
    """The returns (n,) of one episode from each of n seeds, played side by side.

    agent
        From observations (k, numbers) to k actions, such as an `Agent`.
    make
        Makes a world with an end to its episodes.
    """
    worlds = gym.vector.SyncVectorEnv([make] * len(seeds))
    observations, _ = worlds.reset(seed=list(seeds))
    returns, running = np.zeros(len(seeds)), np.ones(len(seeds), bool)
    while running.any():
        observations, rewards, terminated, truncated, _ = worlds.step(agent(observations))
        returns += rewards * running
        running &= ~(terminated | truncated)
    worlds.close()
    return returns
