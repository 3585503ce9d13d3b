"""Optional: many searches on equal budgets: every brain with every seed, in one table.

A table is a list of rows, one for each brain, seed and budget, each a dictionary:

brain, seed
    The brain's name, and the seed of the warm-up and of the brain.
proposals, episodes
    The budget, and the episodes played by then, warm-up included.
best, params
    The highest value by then, on the search's own starts, and the point that has it.
held_out, low, high
    What that point earns on starts that the search never saw (see `held_out`), with the
    ends of the mean's 95 % interval.

With pandas, `pandas.DataFrame(rows)` makes a data frame of it.
"""

import copy
import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from tqdm import tqdm

from .brain import Brain
from .judge import HeldOut, held_out
from .policy import Policy
from .run import Run
from .search import search
from .settings import number
from .world import World

Row = dict[str, Any]


def study(
    brains: Mapping[str, Callable[[Policy, int], Brain]],
    world: World,
    policy: Policy,
    *,
    budgets: Iterable[int],
    seeds: Iterable[int],
    folder: str | Path | None = None,
    warmup: int = 20,
    episodes: int = 20,
    n_jobs: int = -1,
    progress: bool | None = None,
) -> list[Row]:
    """Let every brain search with every seed, and read all searches off at the same budgets.

    >>> def new_brain(policy, seed):
    ...     return RandomSearch(
    ...         policy, seed=seed
    ...     )
    >>> rows = study(
    ...     {"random": new_brain},
    ...     world, policy,
    ...     budgets=[20, 50], seeds=range(5),
    ...     folder="runs/study",
    ... )

    One search a brain and seed is run, of the largest budget, and read off at each smaller one. All
    brains meet the same warm-up points for the same seed, and each search has a copy of the world
    for itself. The searches run in as many processes as there are cores. On a cluster of Dask,
    whose scheduler is at `address`, call `study` like this:

    >>> client = distributed.Client(address)
    >>> with joblib.parallel_config(
    ...     backend="dask"
    ... ):
    ...     rows = study(...)

    On one of Ray, call `ray.util.joblib.register_ray()` first, and name the backend `"ray"`. The
    logs stay where the searches run, so a folder must be one that all machines share.

    brains
        For each name a function of the policy and a seed that makes a new brain.
    budgets
        Numbers of proposals, the largest at least 1; 0 is the warm-up alone.
    seeds
        Each draws the warm-up points of its searches and is given to the brains, once.
    folder
        Keeps the log of each search, as `NAME-SEED.jsonl`. The same call goes on from the logs,
        and asks and evaluates in the searches nothing twice. None keeps nothing.
    warmup, episodes
        As in `search`.
    n_jobs
        How many searches run at once: `-1` as many as there are cores, `1` one after the other.
    progress
        Show a progress bar. None: in a terminal.

    Gives the rows, by brain, seed and budget: the same, however many processes made them. Raises
    whatever a search raised, with a note that names the brain and the seed, and ValueError for
    budgets that cannot be and for a search that stopped early. What was logged is intact: the same
    call resumes the study.
    """
    from joblib import Parallel, delayed

    least = 0 if warmup else 1  # proposals, before there is anything to read off
    budgets = sorted({number("budgets", n, least=least, whole=True) for n in budgets})
    largest = number("the largest of the budgets", max(budgets), least=1, whole=True)
    seeds = list(dict.fromkeys(seeds))
    folder = folder and Path(folder).resolve()

    def one(name: str, seed: int) -> list[Row]:
        log = folder and folder / f"{name}-{seed}.jsonl"
        try:
            with copy.copy(world) as own:
                settings = {"budget": largest, "warmup": warmup, "episodes": episodes}
                settings |= {"seed": seed, "log": log, "progress": False}
                run = search(brains[name](policy, seed), own, policy, **settings)
                points = read_off(run, own, policy, budgets)
        except Exception as error:  # whatever it was, it must say which search it stopped
            error.add_note(f"The search of {name!r} with seed {seed} failed.")
            raise
        return [{"brain": name, "seed": seed} | point for point in points]

    pairs = [(name, seed) for name in brains for seed in seeds]
    parallel = Parallel(n_jobs=n_jobs, return_as="generator", batch_size=1)
    done = parallel(delayed(one)(*pair) for pair in pairs)
    hidden = None if progress is None else not progress
    bar = tqdm(done, total=len(pairs), unit="search", disable=hidden)
    return [row for rows in bar for row in rows]


def read_off(run: Run, world: World, policy: Policy, budgets: Iterable[int]) -> list[Row]:
    """What a run had found by each budget: the columns of a table from `proposals` on.

    It serves for recorded runs too, to which `brain` and `seed` are to be added.

    budgets
        Numbers of proposals; 0 is the warm-up alone.

    Raises ValueError where the run has fewer proposals, and where nothing was evaluated by then.
    """
    rows: list[Row] = []
    known: dict[tuple, HeldOut] = {}  # a best point stays so for a while
    for budget in sorted(set(budgets)):
        if budget > len(run.proposals):
            made = f"The run has {len(run.proposals)} proposals"
            raise ValueError(f"{made}, fewer than the budget {budget}. {run.stopped or ''}".strip())
        trials = run.warmup + run.proposals[:budget]
        best = max(trials, key=lambda trial: trial.value)
        point = tuple(best.params.tolist())
        if point not in known:
            known[point] = held_out(world, policy, best.params)
        row = {"proposals": budget, "episodes": sum(len(trial.returns) for trial in trials)}
        row |= {"best": best.value, "params": list(point), "held_out": known[point].mean}
        rows.append(row | {"low": known[point].low, "high": known[point].high})
    return rows


def load_table(path: str | Path) -> list[Row]:
    """Read a table from JSON lines, a row a line. Raises ValueError where a line is no JSON."""
    return [json.loads(line) for line in Path(path).read_text(encoding="utf-8").splitlines()]
