"""Chapter 9: does the box hold a linear policy that walks? Found by ARS, kept in `walker.json`.

    python benchmarks/walker.py

Five minutes on a fast core. Where sums round otherwise, another walker comes out, or none. The
search is not one of the book's studies: it sees the state scaled by the means and deviations that
it has met (V2 of Mania et al., 2018), and a fall costs 10, not 100, so that it dares to move.
"""

import json
from pathlib import Path

import gymnasium as gym
import numpy as np

HERE = Path(__file__).parent
SEED, UPDATES, DIRECTIONS, NOISE, RATE = 1, 140, 16, 0.05, 0.03
BOX, DECIMALS = 6.0, 1


class Scaling:
    """The mean and deviation of the states met so far."""

    def __init__(self) -> None:
        self.count, self.sums, self.squares = 1e-3, np.zeros(24), np.zeros(24)

    def see(self, states: np.ndarray) -> None:
        self.count += len(states)
        self.sums += states.sum(axis=0)
        self.squares += (states**2).sum(axis=0)

    def undo(self, params: np.ndarray) -> np.ndarray:
        """Weights (25, 4), the last row the bias, for states as they are."""
        weights = params.reshape(25, 4)
        mean, deviation = np.zeros(24), np.ones(24)
        if self.count >= 1:
            mean = self.sums / self.count
            spread = np.maximum(self.squares / self.count - mean**2, 0)
            deviation = np.maximum(np.sqrt(spread), 0.1)
        plain = weights[:-1] / deviation[:, None]
        return np.vstack([plain, weights[-1] - mean @ plain])


def episode(
    env: gym.Env, weights: np.ndarray, seed: int, steps: int = 1600, fall: float = -100.0
) -> tuple[float, np.ndarray]:
    """The return, with so much for a fall, and the states before each step."""
    state, _ = env.reset(seed=seed)
    total, states = 0.0, []
    for _ in range(steps):
        states.append(state)
        state, reward, over, _, _ = env.step(np.clip(state @ weights[:-1] + weights[-1], -1, 1))
        total += fall if reward <= -99 else reward
        if over:
            break
    return total, np.array(states)


def in_box(weights: np.ndarray) -> np.ndarray:
    """Shrunk into the box and rounded. Torques are limited, so that loses little."""
    return np.round(weights * min(1, BOX / np.abs(weights).max()), DECIMALS)


def main() -> None:
    env, rng = gym.make("BipedalWalker-v3").unwrapped, np.random.default_rng(SEED)
    params, scaling = np.zeros(100), Scaling()
    for update in range(UPDATES):
        ways = rng.normal(size=(DIRECTIONS, 100))
        seed, steps = int(rng.integers(1_000_000, 2_000_000)), min(1600, 500 + 3 * update)
        pairs = [[scaling.undo(params + side * NOISE * way) for side in (1, -1)] for way in ways]
        returns = np.empty((DIRECTIONS, 2))
        for k, pair in enumerate(pairs):
            for side, tried in enumerate(pair):
                returns[k, side], states = episode(env, tried, seed, steps, fall=-10.0)
                if k < 3 and side == 0:
                    scaling.see(states)
        best = np.argsort(-returns.max(axis=1))[: DIRECTIONS // 2]
        rate = RATE / (len(best) * (returns[best].std() + 1e-8))
        params = params + rate * ((returns[best, 0] - returns[best, 1]) @ ways[best])
        if (update + 1) % 20 == 0:
            found = in_box(scaling.undo(params))
            starts = rng.integers(1_000_000, 2_000_000, size=8)
            value = np.mean([episode(env, found, int(start))[0] for start in starts])
            print(f"update {update + 1}: value on 8 starts {value:.1f}", flush=True)
    kept = {
        "seed": SEED,
        "updates": UPDATES,
        "params": in_box(scaling.undo(params)).ravel().tolist(),
    }
    (HERE / "walker.json").write_text(json.dumps(kept) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
