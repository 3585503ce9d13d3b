"""Searches side by side: every return is Gymnasium's, every search the one that runs alone."""

import lockstep
import numpy as np
import pytest
from test_world import by_gymnasium


def played(env_id, act, seed):
    """The return of an episode, by Gymnasium alone, added up from first to last."""
    return by_gymnasium(env_id, act, int(seed))[2].cumsum()[-1]


@pytest.mark.parametrize("env_id", ["CartPole-v1", "MountainCarContinuous-v0"])
def test_a_return_is_gymnasiums(env_id):
    rng = np.random.default_rng(0)
    together = lockstep.Linear(env_id)
    policy = together.policy
    points = [policy.sample(rng) for _ in range(6)]
    points += [np.array([0, -0.1, 0, 1, -1, 1, -1, 1, 0, 0]) if policy.size == 10 else [0.1, 6, 0]]
    seeds = rng.integers(0, 10**6, (len(points), 3))
    expected = [
        [played(env_id, policy(point), seed) for seed in own]
        for point, own in zip(points, seeds, strict=True)
    ]
    assert together.returns(points, seeds).tolist() == expected
    assert together.returns(points[-1:], seeds[-1:]).tolist() == expected[-1:]


def test_a_lake_is_gymnasiums():
    rng = np.random.default_rng(1)
    lake = lockstep.Lake(lockstep.World("FrozenLake-v1"))
    preferences = [rng.normal(0, 3, 64).round(1) for _ in range(4)]
    tables = [p.reshape(16, 4).argmax(axis=1) for p in preferences]
    tables += [np.array([0, 3, 3, 3, 0, 0, 0, 0, 3, 1, 0, 0, 0, 2, 1, 0])]
    seeds = rng.integers(0, 10**6, (len(tables), 60))
    expected = [
        played("FrozenLake-v1", lambda state, table=table: int(table[state]), seed)
        for table, own in zip(tables, seeds, strict=True)
        for seed in own
    ]
    assert lake.returns(tables, seeds).ravel().tolist() == expected
    assert lake.returns(preferences, seeds[:4]).ravel().tolist() == expected[: 4 * 60]
    assert 0.5 < np.mean(expected[4 * 60 :]) < 0.9
