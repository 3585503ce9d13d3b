"""What the first replies in notebooks/recordings/first-replies are worth on fresh starts.

    python benchmarks/first_replies.py

writes benchmarks/first_replies.jsonl, a line for each reply: its mean return on starts that no
search used, 2,000 of the car and the pole and 200 of the swimmer, from 10,000 on; on FrozenLake
the expected return by the rules. Lines that are there are not made again. On one core Swimmer's
take about ten minutes, the others one.
"""

import json
from pathlib import Path

import numpy as np
from lockstep import Linear

from propslib import LinearPolicy, TablePolicy, World
from propslib.study import load_table
from propslib.world.planning import policy_evaluation

HERE = Path(__file__).resolve().parent
FOLDER = HERE.parent / "notebooks" / "recordings" / "first-replies"
STARTS = {
    "MountainCarContinuous-v0": range(10_000, 12_000),
    "CartPole-v1": range(10_000, 12_000),
    "Swimmer-v5": range(10_000, 10_200),
}


def set_up(cell):
    """The world and the policy of a cell of the plan."""
    world = World(cell["env_id"], **cell.get("options", {}))
    table = cell.get("table", False)
    return world, TablePolicy(world) if table else LinearPolicy(world, **cell.get("policy", {}))


def judge(cell, params):
    """The mean return on fresh starts, or the expected return on the lake."""
    point, starts = np.array(params), STARTS.get(cell["env_id"])
    if starts is not None and cell["env_id"] != "Swimmer-v5":
        together = Linear(cell["env_id"], **cell.get("policy", {}))
        return float(together.returns([point], [list(starts)]).mean())
    world, policy = set_up(cell)
    with world:
        if starts is None:
            return policy_evaluation(world, point).value
        return float(world.returns(policy, point, starts).mean())


def main():
    cells = json.loads((FOLDER / "plan.json").read_text(encoding="utf-8"))["cells"]
    path = HERE / "first_replies.jsonl"
    known = {(line["cell"], line["seed"]) for line in (load_table(path) if path.exists() else ())}
    worth = {}  # several replies propose the same point
    with path.open("a", encoding="utf-8") as file:
        for reply in load_table(FOLDER / "replies.jsonl"):
            name, seed, params = reply["cell"], reply["seed"], reply["params"]
            if (name, seed) in known:
                continue
            key = (cells[name]["env_id"], str(cells[name].get("options")), *params)
            if key not in worth:
                worth[key] = round(judge(cells[name], params), 6)
            line = {"cell": name, "seed": seed, "held_out": worth[key]}
            file.write(json.dumps(line) + "\n")
            file.flush()


if __name__ == "__main__":
    main()
