"""Statistics over seeds, against SciPy, hand-made cases, and enumeration."""

import itertools
import re

import numpy as np
import pytest
from scipy.stats import mannwhitneyu, trim_mean

from propslib.utils.stats import Interval, iqm, iqm_interval, probability_of_improvement


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        ([7.0], 7.0),
        ([1.0, 2.0, 9.0], 4.0),  # of three none is left out
        ([0.0, 1.0, 3.0, 100.0], 2.0),
        ([100.0, 1, 2, 3, 6], 11 / 3),
        ([[0.0, 1.0], [3.0, 100.0]], 2.0),  # all tasks together
        ([99.07] * 9 + [0.0], 99.07),  # one failure of ten does not move it
    ],
)
def test_the_interquartile_mean_of_small_cases(scores, expected):
    assert iqm(scores) == pytest.approx(expected)


@pytest.mark.parametrize("shape", [(10,), (7,), (5, 3)])
def test_the_interquartile_mean_is_a_trimmed_mean(shape):
    scores = np.random.default_rng(0).normal(size=shape)
    assert iqm(scores) == trim_mean(scores, 0.25, axis=None)


def test_the_bootstrap_interval_is_that_of_all_resamples_there_are():
    scores = np.array([1.0, 2.0, 4.0, 9.0])
    every = [trim_mean(draw, 0.25) for draw in itertools.product(scores, repeat=4)]
    interval = iqm_interval(scores, resamples=100_000)
    expected = np.percentile(every, [2.5, 97.5])
    assert interval.value == iqm(scores)
    np.testing.assert_allclose([interval.low, interval.high], expected, atol=0.01)


def test_the_bootstrap_draws_each_task_by_itself():
    # Runs of one task are all alike, so drawing within tasks changes nothing. Drawing from all
    # scores together would.
    apart = np.column_stack([np.zeros(5), np.full(5, 10.0)])
    assert iqm_interval(apart) == Interval(5.0, 5.0, 5.0)


def test_a_wider_level_and_fewer_runs_widen_the_interval():
    scores = np.random.default_rng(1).normal(size=40)

    def width(scores, level=0.95):
        interval = iqm_interval(scores, level=level)
        assert interval.low < interval.value < interval.high
        return interval.high - interval.low

    assert width(scores, 0.5) < width(scores) < width(scores[:8])


def test_the_interval_covers_the_truth_about_as_often_as_it_says():
    rng = np.random.default_rng(2)
    covered = 0
    for _ in range(300):
        interval = iqm_interval(rng.normal(size=20), resamples=300)
        covered += interval.low < 0 < interval.high
    # 95 % nominally; the percentile bootstrap of 20 numbers covers a little less.
    assert 0.87 < covered / 300 < 0.98


@pytest.mark.parametrize(
    ("x", "y", "expected"),
    [
        ([2, 3], [0, 1], 1.0),
        ([0, 1], [2, 3], 0.0),
        ([1, 1], [1, 1, 1], 0.5),
        ([1, 3], [2, 2], 0.5),
        ([1, 2, 3], [2, 2], 0.5),
        ([0, 2, 3, 4], [1, 2], (0 + 1.5 + 2 + 2) / 8),
        ([[2, 0], [3, 1]], [[0, 2], [1, 3]], 0.5),  # better in one task, worse in the other
    ],
)
def test_the_probability_of_improvement_of_small_cases(x, y, expected):
    assert probability_of_improvement(x, y).value == pytest.approx(expected)


def test_the_probability_of_improvement_is_mann_whitneys():
    rng = np.random.default_rng(3)
    x, y = rng.integers(0, 9, (8, 2)).astype(float), rng.integers(0, 9, (6, 2)).astype(float)
    expected = np.mean([mannwhitneyu(a, b).statistic / 48 for a, b in zip(x.T, y.T, strict=True)])
    there, back = probability_of_improvement(x, y), probability_of_improvement(y, x)
    assert there.value == pytest.approx(expected)
    assert there.value + back.value == pytest.approx(1)
    assert there.low <= there.value <= there.high
    assert (there.low, there.high) == pytest.approx((1 - back.high, 1 - back.low), abs=0.03)


# What rliable 1.2.0 gives for the scores below, with 50,000 and 20,000 repetitions.
RLIABLE_IQM = (42.53125, 31.58125, 59.0125)
RLIABLE_IMPROVEMENT = (0.42083, 0.27083, 0.575)


def test_intervals_equal_those_of_rliable():
    rng = np.random.default_rng(4)
    x, y = np.round(rng.gamma(2, 30, (10, 3)), 1), np.round(rng.gamma(2, 40, (8, 3)), 1)
    ours = iqm_interval(x, resamples=50_000)
    np.testing.assert_allclose((ours.value, ours.low, ours.high), RLIABLE_IQM, rtol=0.01)
    ours = probability_of_improvement(x, y, resamples=20_000)
    np.testing.assert_allclose((ours.value, ours.low, ours.high), RLIABLE_IMPROVEMENT, rtol=0.02)


def test_a_seed_decides_and_figures_are_written_with_their_ends():
    scores = [1.0, 2.0, 4.0, 9.0]
    assert iqm_interval(scores, resamples=50) == iqm_interval(scores, resamples=50)
    assert iqm_interval(scores, resamples=50) != iqm_interval(scores, resamples=50, seed=1)
    assert str(Interval(1.234, -5, 9)) == "1.23 [-5.00, 9.00]"


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: iqm([]), "1 runs or more; got (0,)"),
        (lambda: iqm(np.zeros((2, 2, 2))), "got (2, 2, 2)"),
        (lambda: iqm([1, np.nan]), "must be finite; got nan"),
        (lambda: iqm_interval([1.0]), "2 runs or more; got (1,)"),
        (lambda: iqm_interval([1.0, 2.0], level=95), "level is 95"),
        (lambda: iqm_interval([1.0, 2.0], resamples=0), "resamples is 0"),
        (
            lambda: probability_of_improvement(np.zeros((2, 2)), np.zeros((2, 3))),
            "x has 2 tasks and y 3",
        ),
    ],
)
def test_scores_that_cannot_be_used_are_refused(call, words):
    with pytest.raises(ValueError, match=re.escape(words)):
        call()
