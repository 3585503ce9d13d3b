"""Write book/_static/figures/cartpole_data.js, what the figure "Paint the table" knows.

The starts of the evaluation seeds, the edges of the bins, and three tables: a random one, the one
that the model wrote first (from its recording), and what Q-learning finds in 600 episodes. Half a
minute. Run from the root of the repository:

    python benchmarks/cartpole_figure.py
"""

from typing import Any

import figure_data
import numpy as np

from propslib import CARTPOLE, Run, TablePolicy, World
from propslib.brain import find_recording
from propslib.world.planning import q_learning

ABOUT = "Starts, bins, three tables."
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
    return figure_data.text("cartpole", ABOUT, data(), ensure_ascii=False)


if __name__ == "__main__":
    figure_data.write("cartpole", module())
