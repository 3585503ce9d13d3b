"""A search of ten proposals that can be made to fail anywhere. Also a program, to be killed.

As `small_search.py LOG CALLS MOMENT` it writes a line to CALLS for each answer of the model, and
kills itself (SIGKILL) at the moment of this number.
"""

import itertools
import os
import signal
import subprocess
import sys
from pathlib import Path

from propslib import LinearPolicy, LLMBrain, Reply, World, search

BAD_FIRST = {4: "I cannot do that.", 7: "params[0]: 99, params[1]: 0, params[2]: 0\nFar out."}


class FailingWorld(World):
    """A short mountain car that calls `before_returns` before each evaluation."""

    before_returns = staticmethod(lambda: None)

    def returns(self, policy, params, seeds):
        self.before_returns()
        return super().returns(policy, params, seeds)


def run(log, calls, before_answer=lambda: None, before_returns=lambda: None, **settings):
    """The model answers by the iteration in the prompt; two first answers cannot be used."""

    def scripted(prompt):
        before_answer()
        iteration = int(prompt.rpartition("This is iteration ")[2].split()[0])
        with Path(calls).open("a") as file:
            file.write(f"{iteration}\n")
        text = f"params[0]: 0, params[1]: {iteration / 2}, params[2]: 0.1\nReason {iteration}."
        if "could not be used" not in prompt:
            text = BAD_FIRST.get(iteration, text)
        return Reply(text, model="scripted-1", tokens_in=len(prompt), tokens_out=len(text))

    with FailingWorld("MountainCarContinuous-v0", max_steps=30) as world:
        world.before_returns = before_returns
        policy = LinearPolicy(world)
        settings = {"budget": 10, "warmup": 3, "episodes": 2} | settings
        return search(LLMBrain(scripted, policy), world, policy, log=log, **settings)


def elsewhere(log, calls, moment=10**6):
    """The search in a process of its own: its end, and what it put out."""
    command = [sys.executable, __file__, str(log), str(calls), str(moment)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def killed_at(moment):
    """A function that kills this process at call number `moment`, counted from 0; the count."""
    moments = itertools.count()

    def here():
        if next(moments) == moment:
            os.kill(os.getpid(), signal.SIGKILL)

    return here, moments


if __name__ == "__main__":
    here, moments = killed_at(int(sys.argv[3]))
    fsync = os.fsync
    os.fsync = lambda number: (fsync(number), here())
    run(*sys.argv[1:3], here, here)
    print(next(moments))
