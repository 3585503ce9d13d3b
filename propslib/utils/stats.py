"""Optional: statistics over seeds, as Agarwal et al. (2021, arXiv 2108.13264) define them.

A search is one draw of luck, so a method is judged by several searches with different seeds. Few
searches make a mean ± deviation misleading: one that failed moves both far. The interquartile mean
leaves the best and the worst quarter out, and a bootstrap interval says how far to trust it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from ..study import Row


@dataclass(frozen=True)
class Interval:
    """A figure, with the ends of its bootstrap interval."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.value:.2f} [{self.low:.2f}, {self.high:.2f}]"


def iqm(scores: np.ndarray) -> float:
    """The interquartile mean: the mean of the middle half of all scores together.

    >>> iqm([1, 2, 3, 6, 100])          # 1 and 100 left out
    3.6666666666666665

    scores
        (runs,) of one task, or (runs, tasks). Of n numbers the n // 4 lowest and the n // 4 highest
        are left out.

    Raises ValueError for no scores, and for scores that are not finite.
    """
    from scipy.stats import trim_mean

    return float(trim_mean(_checked(scores, 1), 0.25, axis=None))


def iqm_interval(
    scores: np.ndarray, *, level: float = 0.95, resamples: int = 10_000, seed: int = 0
) -> Interval:
    """The interquartile mean with a stratified percentile bootstrap interval.

    The runs of each task are drawn again with replacement, task by task, `resamples` times by a
    generator of this seed; a share `level` of the interquartile means lies in the interval.

    scores
        (runs,) of one task, or (runs, tasks): at least 2 runs.

    Raises ValueError for fewer runs, and for scores that are not finite.
    """
    from scipy.stats import trim_mean

    def statistic(*tasks: np.ndarray, axis: int = -1) -> np.ndarray:
        return trim_mean(np.concatenate(tasks, axis=axis), 0.25, axis=axis)

    scores = _checked(scores, 2)
    return Interval(iqm(scores), *_bootstrap(tuple(scores.T), statistic, level, resamples, seed))


def summary(rows: Iterable[Row], column: str = "held_out") -> list[Row]:
    """For each brain and budget the interquartile mean over seeds, with its bootstrap interval.

    column
        `best` or `held_out`.

    Gives rows with `brain`, `proposals`, `runs`, `iqm`, `low` and `high`, in the order of the
    table. Raises ValueError for another column, and for a brain with one seed only.
    """
    if column not in ("best", "held_out"):
        raise ValueError(f"column is {column!r}; it must be 'best' or 'held_out'.")
    groups: dict[tuple[str, int], list[float]] = {}
    for row in rows:
        groups.setdefault((row["brain"], row["proposals"]), []).append(row[column])
    result = []
    for (name, proposals), scores in groups.items():
        figure = iqm_interval(scores)
        result.append(
            {
                "brain": name,
                "proposals": proposals,
                "runs": len(scores),
                "iqm": figure.value,
                "low": figure.low,
                "high": figure.high,
            }
        )
    return result


def probability_of_improvement(
    x: np.ndarray, y: np.ndarray, *, level: float = 0.95, resamples: int = 2_000, seed: int = 0
) -> Interval:
    """How probable it is that a run of x scores higher than a run of y, ties counting half.

    It is the Mann-Whitney statistic over its largest value, averaged over tasks: 1 where every run
    of x is above every run of y, 0.5 where neither is better. It does not say by how much.

    x, y
        (runs,) of one task, or (runs, tasks): at least 2 runs each, not necessarily as many, and
        the same tasks.

    The interval is that of `iqm_interval`, with x and y drawn again each by itself. Raises
    ValueError for fewer runs, different tasks, and scores that are not finite.
    """
    x, y = _checked(x, 2), _checked(y, 2)
    if x.shape[1] != y.shape[1]:
        raise ValueError(f"x has {x.shape[1]} tasks and y {y.shape[1]}; they must be the same.")
    tasks = x.shape[1]

    def statistic(*samples: np.ndarray, axis: int = -1) -> np.ndarray:
        shares = [_share_above(a, b) for a, b in zip(samples[:tasks], samples[tasks:], strict=True)]
        return np.mean(shares, axis=0)

    data = (*x.T, *y.T)
    return Interval(float(statistic(*data)), *_bootstrap(data, statistic, level, resamples, seed))


def _share_above(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Over the last axes of x (..., n) and y (..., m): the share of pairs with x above y."""
    x, y = x[..., :, None], y[..., None, :]
    return ((x > y) + 0.5 * (x == y)).mean(axis=(-2, -1))


def _bootstrap(
    data: tuple, statistic: object, level: float, resamples: int, seed: int
) -> tuple[float, float]:
    from scipy.stats import bootstrap

    if not 0 < level < 1:
        raise ValueError(f"level is {level}; it must lie between 0 and 1.")
    if resamples < 1:
        raise ValueError(f"resamples is {resamples}; it must be at least 1.")
    ends = bootstrap(
        data,
        statistic,
        n_resamples=resamples,
        batch=500,
        confidence_level=level,
        method="percentile",
        vectorized=True,
        rng=np.random.default_rng(seed),
    ).confidence_interval
    return float(ends.low), float(ends.high)


def _checked(scores: np.ndarray, least: int) -> np.ndarray:
    """The scores as a float array (runs, tasks)."""
    scores = np.asarray(scores, dtype=float)
    if scores.ndim not in (1, 2) or len(scores) < least or scores.size == 0:
        raise ValueError(
            f"Scores need the shape (runs,) or (runs, tasks), with {least} runs or more; "
            f"got {scores.shape}."
        )
    if not np.isfinite(scores).all():
        raise ValueError(f"Scores must be finite; got {scores[~np.isfinite(scores)][0]}.")
    return scores.reshape(len(scores), -1)
