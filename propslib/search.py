"""The search loop: ask the brain, evaluate in the world, tell the brain, write it down."""

import hashlib
import json
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from tqdm import tqdm

from .brain import Brain, Proposal, Reply, StopSearch
from .policy import Policy
from .run import Run
from .settings import number
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
    dry_run: bool = False,
) -> Run:
    """Let the brain search the policy's parameters for a high value in the world.

    >>> world = World("CartPole-v1")
    >>> policy = LinearPolicy(world)
    >>> brain = HillClimbing(policy)
    >>> run = search(
    ...     brain, world, policy, budget=20
    ... )
    >>> run.best.value
    84.95

    The value of a point is its mean return over the evaluation seeds 0 to `episodes - 1`, the
    same for every point and every brain. Returns are rounded to 6 decimals as they are written, and
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
        Where to keep the run: a path, to which `.jsonl` is added, as `Run.load` takes it. Where it
        exists, the search that wrote it goes on, and asks and plays nothing twice. None: in memory.
    progress
        Show a progress bar. None: in a terminal, and wherever a live model is asked.
    max_usd
        What all calls of the model together may cost, in US dollars. The search stops before the
        call that would probably exceed it. The same call with more goes on from the log.
    dry_run
        Ask and evaluate nothing; print about what the whole search would use and cost. (A
        `TableBrain` plays a few episodes, as its prompts show some.)

    The run's `stopped` says why a search ended early: at a limit, or because the person who
    answers wished so. Press `Ctrl-C` to stop at once; the same call goes on from the log.

    Raises SearchError when no reply of `attempts` in a row could be used, ValueError and TypeError
    for settings that cannot work, ValueError for a log that was changed or is another search's, and
    RuntimeError for one that another process writes to. All but the first before anything is asked.
    """
    given = {"budget": (budget, 1), "warmup": (warmup, 0), "episodes": (episodes, 1)}
    given |= {"seed": (seed, 0), "attempts": (attempts, 1)}
    settings = {name: number(name, x, least=n, whole=True) for name, (x, n) in given.items()}
    attempts = settings.pop("attempts")
    _check_brain(brain, policy)
    limit = None
    if max_usd is not None:
        from .brain.cost import Limit  # optional

        limit = Limit(brain, max_usd)
    header = _header(settings, world, policy, brain)
    brain.begin(settings["budget"], settings["episodes"])
    if dry_run:
        from .brain.cost import forecast  # optional

        used = forecast(brain, settings["budget"], settings["warmup"], settings["seed"])
        print(f"The whole search: about {used}")
        return Run(header)
    with closing(Run.open(log, header)) as run:
        try:
            _go_on(run, brain, world, policy, attempts, limit, progress)
        except StopSearch as stop:
            run.stopped = str(stop)
            again = "The same call goes on from the log." if log else "It had no log to go on from."
            print(f"Stopped before proposal {len(run.proposals) + 1}. {stop} {again}")
    return run


def _go_on(run, brain, world, policy, attempts, limit, progress) -> None:
    """The loop itself, from where the run is to the end of its budget."""
    for trial in run.trials:
        brain.tell(trial)
    warmup, total = run.config["warmup"], run.config["warmup"] + run.config["budget"]
    if progress is None and getattr(getattr(brain, "chat", None), "live", False):
        progress = True
    hidden = None if progress is None else not progress  # None: tqdm looks for a terminal
    rng = np.random.default_rng(run.config["seed"])
    points = [policy.sample(rng) for _ in range(warmup)]
    with tqdm(total=total, initial=len(run.trials), disable=hidden) as bar:
        while (index := len(run.trials)) < total:
            if index < warmup:
                params, event = points[index], {"event": "warmup", "index": index}
            else:
                event = {"event": "tell", "iteration": index - warmup + 1}
                params = _ask(brain, run, event["iteration"], attempts, limit)
            returns = np.round(world.returns(policy, params, range(run.config["episodes"])), 6)
            event |= {"params": params.tolist(), "returns": returns.tolist()}
            run.append(event | {"value": float(returns.mean())})
            brain.tell(run.trials[-1])
            bar.set_postfix(best=f"{run.best.value:.2f}")
            bar.update()


def _ask(brain: Brain, run: Run, iteration: int, attempts: int, limit: Any) -> np.ndarray:
    """The parameters of this proposal: from the log where they are there already."""
    refused = []
    for event in run.events:
        if event["event"] == "ask" and event["iteration"] == iteration:
            if event["params"] is not None:
                return np.array(event["params"], dtype=float)
            refused.append(Proposal(None, error=event["error"], reply=Reply(event["reply"])))
    for _ in range(attempts):
        if limit:
            limit.check(run, refused)
        proposal = brain.ask(refused)
        try:
            run.append({"event": "ask", "iteration": iteration} | _in_log(proposal))
        except OSError as error:
            if proposal.reply:
                error.add_note(f"This reply is not in the log: {proposal.reply.text!r}")
            raise
        if proposal.params is not None:
            return proposal.params
        refused.append(proposal)
    raise SearchError(
        f"The search stopped at proposal {iteration}: no reply of {attempts} could be used. "
        f"The last one: {refused[-1].reply.text!r}. Why not: {refused[-1].error} "
        "What was found so far is in the log; the same call goes on from there."
    )


def _in_log(proposal: Proposal) -> dict[str, Any]:
    event = asdict(proposal.reply) if proposal.reply else {}
    if proposal.reply:
        event["reply"] = event.pop("text")
        del event["problem"]  # the error says the same
        prompt = proposal.prompt.encode("utf-8", "surrogatepass")
        event["prompt_sha256"] = hashlib.sha256(prompt).hexdigest()
        event["prompt_characters"] = len(proposal.prompt)
    event["params"] = None if proposal.params is None else proposal.params.tolist()
    return event | ({"error": proposal.error} if proposal.error else {})


def _check_brain(brain: Brain, policy: Policy) -> None:
    if brain.trials:
        raise ValueError(f"This brain was told {len(brain.trials)} trials already: make a new one.")
    if brain.policy.config != policy.config:
        both = f"The brain is for {brain.policy.describe()}; the policy is {policy.describe()}."
        raise ValueError(f"{both} Make the brain with this policy.")


def _header(settings: dict[str, Any], world: World, policy: Policy, brain: Brain) -> dict[str, Any]:
    price = getattr(getattr(brain, "chat", None), "price", None)
    config = settings | {"world": world.config, "policy": policy.config, "brain": brain.config}
    # As it will be read back, with NumPy's numbers as plain ones and lists for tuples.
    header = {"config": config, "price": price and asdict(price)}
    return json.loads(json.dumps(header, default=lambda number: number.item()))
