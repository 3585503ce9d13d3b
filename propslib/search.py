"""The loop that joins brain, world and policy: ask, evaluate, tell, and write it down."""

from __future__ import annotations

import hashlib
import platform
from dataclasses import asdict
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np
from tqdm import tqdm

from .brain import Brain, Proposal, Reply, StopSearch
from .brain.cost import Limits, forecast
from .policy import Policy
from .run import FORMAT, Run
from .world import World


class SearchError(RuntimeError):
    """A search that cannot go on. Its log is intact: the same call resumes it."""


def search(
    brain: Brain,
    world: World,
    policy: Policy,
    *,
    budget: int,
    warmup: int = 20,
    episodes: int = 20,
    seed: int = 0,
    attempts: int = 5,
    log: str | Path | None = None,
    progress: bool | None = None,
    max_usd: float | None = None,
    max_tokens: int | None = None,
    dry_run: bool = False,
) -> Run:
    """Let the brain search the policy's parameters for a high value in the world.

    The value of a point is its mean return over the evaluation seeds 0 .. episodes - 1, the same
    for every point and every brain. Returns are rounded to 6 decimals as they are written, and
    the value is the mean of what is written.

    brain
        A new brain, that was told nothing yet.
    budget
        How many proposals the brain may make.
    warmup
        How many random points (`policy.sample`) it is told first. They cost evaluations too.
    episodes
        How many episodes a value averages.
    seed
        Draws the warm-up points.
    attempts
        How many replies one proposal may take, where some cannot be used.
    log
        Where to keep the run: a path, to which `.jsonl` is added. Where it exists, the search
        that wrote it goes on, and asks and evaluates nothing twice. None keeps it in memory.
    progress
        Show a progress bar. None: in a terminal, and wherever a live model is asked.
    max_usd, max_tokens
        What all calls of the model together may cost, in US dollars, and use, in tokens in and
        out. The search stops before the call that would probably exceed it. The same call with
        more goes on from the log.
    dry_run
        Ask and evaluate nothing; print about what the whole search would use and cost. (A
        `TableBrain` plays a few episodes, as its prompts show some.)

    The run's `stopped` says why a search ended early: at a limit, or because the person who
    answers wished so. Press Ctrl-C to stop at once; the same call goes on from the log.

    Raises SearchError when no reply of `attempts` in a row could be used, and ValueError for
    settings that cannot work or for a log of another search.
    """
    _check(brain, policy, budget, warmup, episodes, attempts)
    limits = Limits(max_usd, max_tokens)
    limits.check_price(brain)
    settings = {"budget": budget, "warmup": warmup, "episodes": episodes, "seed": seed}
    config = settings | {"world": world.config, "policy": policy.config, "brain": brain.config}
    header = _header(config, brain)
    brain.begin(budget, episodes)
    if dry_run:
        print(f"The whole search: about {forecast(brain, budget, warmup, seed)}")
        return Run(header)
    run = Run.open(log, header)

    def evaluate(params: np.ndarray) -> dict[str, Any]:
        returns = np.round(world.returns(policy, params, range(episodes)), 6)
        return {
            "params": params.tolist(),
            "returns": returns.tolist(),
            "value": float(returns.mean()),
        }

    for trial in run.trials:
        brain.tell(trial)

    if progress is None and getattr(getattr(brain, "chat", None), "live", False):
        progress = True
    hidden = None if progress is None else not progress  # None: tqdm looks for a terminal
    with tqdm(total=warmup + budget, disable=hidden) as bar:

        def tell(event: dict[str, Any]) -> None:
            run.append(event)
            brain.tell(run.trials[-1])
            bar.set_postfix(best=f"{run.best.value:.2f}")
            bar.update()

        bar.update(len(run.trials))
        rng = np.random.default_rng(seed)
        points = [policy.sample(rng) for _ in range(warmup)]
        for index in range(len(run.warmup), warmup):
            tell({"event": "warmup", "index": index} | evaluate(points[index]))
        try:
            for iteration in range(len(run.proposals) + 1, budget + 1):
                params = _ask(brain, run, iteration, attempts, limits)
                tell({"event": "tell", "iteration": iteration} | evaluate(params))
        except StopSearch as stop:
            run.stopped = str(stop)
    if run.stopped:
        again = "The same call goes on from the log." if log else "It had no log to go on from."
        print(f"Stopped before proposal {len(run.proposals) + 1}. {run.stopped} {again}")
    return run


def _ask(brain: Brain, run: Run, iteration: int, attempts: int, limits: Limits) -> np.ndarray:
    """The parameters of this proposal: from the log where they are there already."""
    refused = []
    for event in run.events:
        if event["event"] == "ask" and event["iteration"] == iteration:
            if event["params"] is not None:
                return np.array(event["params"], dtype=float)
            refused.append(_logged_refusal(event))
    for _ in range(attempts):
        limits.check(brain, run, refused)
        proposal = brain.ask(refused)
        run.append({"event": "ask", "iteration": iteration} | _proposal_event(proposal))
        if proposal.params is not None:
            return proposal.params
        refused.append(proposal)
    raise SearchError(
        f"The search stopped at proposal {iteration}: no reply of {attempts} could be used. "
        f"The last one: {refused[-1].reply.text!r}. Why not: {refused[-1].error} "
        "What was found so far is in the log; the same call goes on from there."
    )


def _check(
    brain: Brain, policy: Policy, budget: int, warmup: int, episodes: int, attempts: int
) -> None:
    for name, number, least in (
        ("budget", budget, 1),
        ("warmup", warmup, 0),
        ("episodes", episodes, 1),
        ("attempts", attempts, 1),
    ):
        if number < least:
            raise ValueError(f"{name} is {number}; it must be at least {least}.")
    if brain.trials:
        raise ValueError(
            f"This brain was told {len(brain.trials)} trials already: make a new one for each "
            "search. A log tells it the trials of an interrupted search by itself."
        )
    if brain.policy.config != policy.config:
        raise ValueError(
            f"The brain proposes for {brain.policy.describe()}; the policy to search is "
            f"{policy.describe()}. Make the brain with this policy."
        )


def _header(config: dict[str, Any], brain: Brain) -> dict[str, Any]:
    packages = ("gymnasium", "mujoco", "numpy", "cma", "openai", "google-genai", "xllamacpp")
    versions = {name: _version(name) for name in packages}
    return {
        "format": FORMAT,
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "config": config,
        "price": brain.price and asdict(brain.price),
        "versions": {"python": platform.python_version()} | versions,
    }


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:  # no search needs all of them
        return "not installed"


def _proposal_event(proposal: Proposal) -> dict[str, Any]:
    event: dict[str, Any] = {}
    if proposal.reply is not None:
        event |= asdict(proposal.reply)
        event["reply"] = event.pop("text")
        del event["problem"]  # the error says the same
        prompt = proposal.prompt.encode("utf-8", "surrogatepass")
        event["prompt_sha256"] = hashlib.sha256(prompt).hexdigest()
        event["prompt_characters"] = len(proposal.prompt)
    event["params"] = None if proposal.params is None else proposal.params.tolist()
    return event | ({"error": proposal.error} if proposal.error else {})


def _logged_refusal(event: dict[str, Any]) -> Proposal:
    return Proposal(None, error=event["error"], reply=Reply(event["reply"]))
