"""Optional: statistics over seeds and starts, after Agarwal et al. (2021).

A search is one draw of luck, so a method is judged by several searches with different seeds. Few
searches make a mean ± deviation misleading: one that failed moves both far. The interquartile mean
leaves the best and the worst quarter out, and a bootstrap interval says how far to trust it.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.stats import bootstrap, norm, t, trim_mean


class Interval(NamedTuple):
    """A figure, with the ends of its bootstrap interval."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.value:.2f} [{self.low:.2f}, {self.high:.2f}]"


def iqm(scores: np.ndarray, axis: int = -1) -> np.ndarray:
    """The interquartile mean: the mean of the middle half of the scores along an axis.

    >>> # 1 and 100 are left out.
    >>> round(float(iqm([1, 2, 3, 6, 100])), 2)
    3.67

    scores
        (..., runs). Of :math:`n` runs the `n // 4` lowest and the `n // 4` highest are left out.
    """
    return trim_mean(scores, 0.25, axis=axis)


def iqm_interval(scores: np.ndarray, *, resamples: int = 10_000) -> Interval:
    """The interquartile mean with a percentile bootstrap interval.

    The runs are drawn again with replacement, `resamples` times by a fixed generator; 95 % of the
    interquartile means lie in the interval.

    scores
        (runs,): at least 2 runs.

    Raises ValueError for fewer runs, and for scores that are not finite.
    """
    settings = {"n_resamples": resamples, "batch": 500, "method": "percentile"}
    settings["rng"] = np.random.default_rng(0)
    found = bootstrap((_checked(scores, 1, least=2),), iqm, **settings)
    return Interval(float(iqm(scores)), *map(float, found.confidence_interval))


def crossed_interval(
    statistic: Callable[..., np.ndarray], *samples: np.ndarray, resamples: int = 2_000
) -> Interval:
    """A figure of runs that were all judged on the same starts, with chance in both counted.

    >>> def difference(a, b):
    ...     return a.mean(-1) - b.mean(-1)
    >>> # Three runs each, on two starts.
    >>> first = [
    ...     [90, 94], [92, 95], [91, 93]
    ... ]
    >>> second = [
    ...     [80, 88], [85, 84], [82, 85]
    ... ]
    >>> print(crossed_interval(
    ...     difference, first, second
    ... ))
    8.50 [5.00, 11.33]

    The runs of each sample and the starts, which all samples share, are drawn again with
    replacement (Owen 2007). The percentiles lie further out than usual, as Student's t does for
    as few runs as the smallest sample has (Hesterberg 2015, "expanded percentile"): without this
    an interval of five runs that should hold the truth 95 times in 100 holds it 88 times.

    statistic
        Gets an array (..., runs) of each run's mean for each sample; gives (...).
    samples
        (runs, starts), or (runs, blocks) where each block has as many starts: at least 2 runs
        each. Where the runs of two samples belong together, give one sample of their differences.

    Raises ValueError for samples of other shapes, and for what is not finite.
    """
    samples = tuple(_checked(sample, 2, least=2) for sample in samples)
    sizes, widths = zip(*(sample.shape for sample in samples), strict=True)
    if len(set(widths)) > 1:
        raise ValueError(f"Samples on {widths} starts do not fit together.")
    rng = np.random.default_rng(0)
    starts = rng.integers(widths[0], size=(resamples, widths[0]))
    runs = [rng.integers(size, size=(resamples, size)) for size in sizes]
    means = [sample[:, starts].mean(axis=2).T for sample in samples]
    drawn = statistic(*map(np.take_along_axis, means, runs, [1] * len(runs)))
    least = min(sizes)
    share = norm.cdf(t.ppf(0.025, least - 1) * np.sqrt(least / (least - 1)))
    low, high = np.quantile(drawn, [share, 1 - share])
    value = statistic(*(sample.mean(axis=1) for sample in samples))
    return Interval(float(value), float(low), float(high))


def _checked(scores: np.ndarray, axes: int, least: int) -> np.ndarray:
    """The scores as a float array with so many axes and at least so many runs."""
    scores = np.asarray(scores, dtype=float)
    if scores.ndim != axes or len(scores) < least:
        raise ValueError(f"Scores need {axes} axes and {least} runs or more; got {scores.shape}.")
    if not np.isfinite(scores).all():
        raise ValueError(f"Scores must be finite; got {scores[~np.isfinite(scores)][0]}.")
    return scores
