"""A search with a live back end against `FakeProvider`. Also a program, to be stopped or killed.

{"killed_at": ["ask", 3]} kills it (SIGKILL) before a reply is asked for the third time, "reply"
when a reply is not in the log yet, "evaluate" when it is.
"""

import json
import os
import signal
import sys
import time
from collections import Counter

import loopback
from small_search import FailingWorld

from propslib import LinearPolicy, LLMBrain, chat, search
from propslib.brain.chat import live

MODEL = {"openai": "openai:gpt-test", "gemini": "gemini:gemini-test"}
CALM = 30.0  # seconds: a busy machine must not look like a server that hangs


def back_end(wire, url, **options):
    """The chat back end for a provider at this base URL."""
    return chat(MODEL[wire], **({"base_url": url, "timeout": CALM} | options))


def talk(provider, wire, **options):
    return back_end(wire, provider.base_url(wire), **options)


def run(wire, url, log, *, options=None, at=lambda moment: None, **settings):
    """A search of `budget` proposals; `at` is called at each of the moments, see above."""
    with FailingWorld("MountainCarContinuous-v0", max_steps=30) as world:
        world.before_returns = lambda: at("evaluate")
        policy = LinearPolicy(world)
        brain = LLMBrain(back_end(wire, url, **(options or {})), policy, history=3)
        ask = brain.ask

        def watched(refused=()):
            at("ask")
            proposal = ask(refused)
            at("reply")
            return proposal

        brain.ask = watched
        settings = {"budget": 4, "warmup": 3, "episodes": 2, "progress": False} | settings
        return search(brain, world, policy, log=log, **settings)


def main():
    loopback.install()
    # A shell that starts the tests in the background has Ctrl-C ignored, in their children too.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    settings = json.loads(sys.argv[1])
    killed_at, seen = settings.pop("killed_at", None), Counter()
    # Between two calls, wait only where the server asked for long.
    live.sleep = lambda seconds: time.sleep(seconds if seconds > 40 else 0.002)

    def at(moment):
        seen[moment] += 1
        if [moment, seen[moment]] == killed_at:
            os.kill(os.getpid(), signal.SIGKILL)

    run(**settings, at=at)


if __name__ == "__main__":
    main()
