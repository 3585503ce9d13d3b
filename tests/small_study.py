"""A study of two brains and two seeds. Also a program, to be killed.

python tests/small_study.py FOLDER MOMENT

runs it with logs in FOLDER and kills itself (SIGKILL) before evaluation MOMENT, counted from 0.
"""

import os
import signal
import sys

from small_search import FailingWorld

from propslib import CMAES, LinearPolicy, RandomSearch
from propslib.study import study

BRAINS = {
    "random": lambda policy, seed: RandomSearch(policy, seed=seed),
    "CMA-ES": lambda policy, seed: CMAES(policy, seed=seed),
}


def run(folder=None, before_returns=lambda: None, brains=BRAINS, **settings):
    with FailingWorld("MountainCarContinuous-v0", max_steps=30) as world:
        world.before_returns = before_returns
        settings = {
            "budgets": [0, 4, 9],
            "seeds": [0, 3],
            "warmup": 3,
            "episodes": 2,
            "n_jobs": 1,
        } | settings
        return study(brains, world, LinearPolicy(world), folder=folder, **settings)


def main():
    folder, moment = sys.argv[1], int(sys.argv[2])
    passed = iter(range(10**6))

    def here():
        if next(passed) == moment:
            os.kill(os.getpid(), signal.SIGKILL)

    run(folder, here)
    print(next(passed))


if __name__ == "__main__":
    main()
