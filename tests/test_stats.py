"""Statistics over seeds, against SciPy, hand-made cases, and enumeration."""

import itertools
import re

import numpy as np
import pytest
from scipy.stats import trim_mean

from propslib.utils.stats import Interval, crossed_interval, iqm, iqm_interval


def test_the_interquartile_mean_is_a_trimmed_mean():
    assert iqm([1.0, 2.0, 9.0]) == 4  # of three none is left out
    assert iqm([100.0, 1, 2, 3, 6]) == pytest.approx(11 / 3)
    for size in (1, 7, 8, 20):
        scores = np.random.default_rng(0).normal(size=size)
        assert iqm(scores) == trim_mean(scores, 0.25)


def test_the_bootstrap_interval_is_that_of_all_resamples_there_are():
    scores = [1.0, 2.0, 4.0, 9.0]
    every = [trim_mean(draw, 0.25) for draw in itertools.product(scores, repeat=4)]
    interval = iqm_interval(scores, resamples=100_000)
    assert interval.value == iqm(scores)
    np.testing.assert_allclose(interval[1:], np.percentile(every, [2.5, 97.5]), atol=0.01)


def test_an_interval_is_the_same_each_time_and_says_what_it_is():
    scores = [1.0, 2.0, 4.0, 9.0]
    assert iqm_interval(scores, resamples=50) == iqm_interval(scores, resamples=50)
    assert str(Interval(1.234, -5, 9)) == "1.23 [-5.00, 9.00]"


def mean(scores):
    return scores.mean(axis=-1)


def difference(first, second):
    return mean(first) - mean(second)


def judged(rng, runs, starts=20, spread=1.0, common=1.0, own=0.5):
    """Scores (runs, starts) of true mean 0: each run is off, and so is each start, for all."""
    scores = rng.normal(0, spread, (runs, 1)) + rng.normal(0, common, starts)
    return scores + rng.normal(0, own, (runs, starts))


@pytest.mark.parametrize("runs", [5, 20])
@pytest.mark.parametrize("statistic", [mean, iqm])
def test_the_interval_covers_runs_and_starts(runs, statistic):
    rng, covered, blind = np.random.default_rng(runs), 0, 0
    for _ in range(200):
        scores = judged(rng, runs, common=2.0)
        _, low, high = crossed_interval(statistic, scores, resamples=200)
        covered += low < 0 < high
        # The interval over the seeds alone, as if the starts' mean were exact.
        _, low, high = crossed_interval(statistic, scores.mean(1, keepdims=True), resamples=200)
        blind += low < 0 < high
    assert 0.90 < covered / 200 < 0.995
    assert runs < 20 or blind / 200 < 0.87


def test_pairs_of_runs_on_the_same_starts_tell_more_than_two_groups():
    rng, covered, widths = np.random.default_rng(5), 0, []
    for _ in range(200):
        first = judged(rng, 10, spread=3.0)
        second = first + judged(rng, 10, spread=0.5, common=0.0) + 1.0
        pairs = crossed_interval(mean, second - first, resamples=200)
        groups = crossed_interval(difference, second, first, resamples=200)
        covered += pairs.low < 1 < pairs.high
        widths.append((groups.high - groups.low) / (pairs.high - pairs.low))
    assert 0.90 < covered / 200 < 0.995
    assert np.median(widths) > 2


def test_of_many_runs_and_one_start_the_interval_is_the_plain_bootstraps():
    scores = np.random.default_rng(6).gamma(2, 30, 60)
    plain = iqm_interval(scores, resamples=20_000)
    crossed = crossed_interval(iqm, scores[:, None], resamples=20_000)
    assert crossed.value == plain.value
    np.testing.assert_allclose(crossed, plain, rtol=0.03)
    assert crossed.low <= plain.low + 0.3 and plain.high - 0.3 <= crossed.high


@pytest.mark.parametrize(
    ("function", "samples", "words"),
    [
        (iqm_interval, [np.zeros((2, 2))], "got (2, 2)"),
        (iqm_interval, [[1, np.nan]], "must be finite; got nan"),
        (iqm_interval, [[1.0]], "2 runs or more; got (1,)"),
        (crossed_interval, [mean, np.zeros((1, 2))], "2 runs or more; got (1, 2)"),
        (crossed_interval, [difference, np.zeros((2, 2)), np.zeros((2, 3))], "on (2, 3) starts"),
    ],
)
def test_scores_that_cannot_be_used_are_refused(function, samples, words):
    with pytest.raises(ValueError, match=re.escape(words)):
        function(*samples)
