"""Fixtures that several test files share."""

import matplotlib
import pytest

from propslib import LinearPolicy, World

matplotlib.use("Agg")


@pytest.fixture
def car():
    """The mountain car, with episodes of 30 steps so that a search takes no time."""
    with World("MountainCarContinuous-v0", max_steps=30) as world:
        yield world


@pytest.fixture
def policy(car):
    return LinearPolicy(car)
