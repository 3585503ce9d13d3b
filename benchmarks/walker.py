"""Chapter 9: does the box hold a linear policy that walks? Found by ARS, kept in `walker.json`.

    python benchmarks/walker.py

Ten to twenty minutes on one core. Another processor rounds otherwise, and walks otherwise. The
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


def episode(env: gym.Env, weights: np.ndarray, seed: int, steps: int) -> tuple[float, np.ndarray]:
    """The return, with a fall for 10, and the states of weights (25, 4), the last row the bias."""
    state, _ = env.reset(seed=seed)
    total, states = 0.0, []
    for _ in range(steps):
        states.append(state)
        state, reward, fallen, _, _ = env.step(np.clip(state @ weights[:-1] + weights[-1], -1, 1))
        total += -10.0 if fallen and reward <= -99 else reward
        if fallen:
            break
    return total, np.array(states)


def unscaled(weights: np.ndarray, mean: np.ndarray, deviation: np.ndarray) -> np.ndarray:
    """The weights for states as they are, of weights for scaled ones."""
    plain = weights[:-1] / deviation[:, None]
    return np.vstack([plain, weights[-1] - mean @ plain])


def search() -> np.ndarray:
    """The weights after the last update, for states as they are."""
    env, rng = gym.make("BipedalWalker-v3").unwrapped, np.random.default_rng(SEED)
    weights, mean, deviation = np.zeros((25, 4)), np.zeros(24), np.ones(24)
    seen, sums, squares = 0, np.zeros(24), np.zeros(24)
    for update in range(UPDATES):
        ways = rng.normal(size=(DIRECTIONS, 25, 4))
        seed, steps = int(rng.integers(1_000_000, 2_000_000)), min(1600, 500 + 3 * update)
        returns = np.empty((DIRECTIONS, 2))
        for k, way in enumerate(ways):
            for side, sign in enumerate((1, -1)):
                tried = unscaled(weights + sign * NOISE * way, mean, deviation)
                returns[k, side], states = episode(env, tried, seed, steps)
                seen, sums, squares = (
                    seen + len(states),
                    sums + states.sum(0),
                    squares + (states**2).sum(0),
                )
        best = np.argsort(-returns.max(axis=1))[: DIRECTIONS // 2]
        step = np.tensordot(returns[best, 0] - returns[best, 1], ways[best], 1)
        weights += RATE / (len(best) * returns[best].std()) * step
        mean = sums / seen
        deviation = np.sqrt(np.maximum(squares / seen - mean**2, 0.01))
        print(f"update {update + 1}: mean return {returns.mean():.1f}", flush=True)
    return unscaled(weights, mean, deviation)


def main() -> None:
    weights = search()
    weights *= min(1, BOX / np.abs(weights).max())  # torques are limited, so this loses little
    params = np.round(weights, DECIMALS).ravel().tolist()
    found = {"seed": SEED, "updates": UPDATES, "params": params}
    (HERE / "walker.json").write_text(json.dumps(found) + "\n")


if __name__ == "__main__":
    main()
