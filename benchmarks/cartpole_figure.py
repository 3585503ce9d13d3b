"""Write book/_static/figures/cartpole_data.js, what the figure "Paint the table" knows.

The starts of the evaluation seeds, the edges of the bins, and three tables: a random one, the one
that the model wrote first (from its recording), and what Q-learning finds in 600 episodes. Half a
minute. Run from the root of the repository:

    python benchmarks/cartpole_figure.py
"""

import json
from pathlib import Path
from typing import Any

import numpy as np

from propslib import CARTPOLE, Run, TablePolicy, World
from propslib.brain import find_recording
from propslib.world.planning import q_learning

HEADER = (
    "/** Written by benchmarks/cartpole_figure.py: do not edit. Starts, bins, three tables. */\n"
)
RECORDING = "cartpole-table"


def digits(table: np.ndarray) -> str:
    return "".join(str(int(action)) for action in table)


def data() -> dict[str, Any]:
    """All that the figure knows."""
    with World("CartPole-v1") as world:
        starts = []
        for seed in range(20):
            world.env.reset(seed=seed)
            starts.append([float(number) for number in world.env.unwrapped.state])
    with World("CartPole-v1", wrap=CARTPOLE) as world:
        policy = TablePolicy(world)
        drawn = policy.sample(np.random.default_rng(0))
        learned = q_learning(
            world, episodes=600, seed=0, initial=100.0, epsilon=0.0, progress=False
        ).params
    first = Run.load(find_recording(RECORDING)).proposals[0].params
    return {
        "starts": starts,
        "edges": [list(map(float, bins.edges[1:-1])) for bins in CARTPOLE.observations],
        "words": [list(bins.words) for bins in CARTPOLE.observations],
        "tables": {
            "random": digits(drawn),
            "the model’s first table": digits(first),
            "Q-learning, 600 episodes": digits(learned),
        },
    }


def module() -> str:
    """The text of cartpole_data.js."""
    return f"{HEADER}export const DATA = {json.dumps(data(), ensure_ascii=False)};\n"


if __name__ == "__main__":
    path = Path(__file__).parents[1] / "book" / "_static" / "figures" / "cartpole_data.js"
    path.write_text(module(), encoding="utf-8")
    print(path.name)
