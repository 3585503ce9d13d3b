"""A study of two brains and two seeds. Also a program, to be killed.

python tests/small_study.py FOLDER MOMENT

runs it with logs in FOLDER and kills itself (SIGKILL) before evaluation MOMENT, counted from 0.
"""

import sys

from small_search import FailingWorld, killed_at

from propslib import CMAES, LinearPolicy, RandomSearch
from propslib.study import study

BRAINS = {
    "random": lambda policy, seed: RandomSearch(policy, seed=seed),
    "CMA-ES": lambda policy, seed: CMAES(policy, seed=seed),
}
SETTINGS = {"budgets": [0, 4, 9], "seeds": [0, 3], "warmup": 3, "episodes": 2, "n_jobs": 1}


def run(folder=None, before_returns=lambda: None, brains=BRAINS, **settings):
    with FailingWorld("MountainCarContinuous-v0", max_steps=30) as world:
        world.before_returns = before_returns
        return study(brains, world, LinearPolicy(world), folder=folder, **SETTINGS | settings)


if __name__ == "__main__":
    run(sys.argv[1], killed_at(int(sys.argv[2]))[0])
