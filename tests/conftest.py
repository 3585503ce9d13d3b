"""Fixtures that several test files share."""

import contextlib
import os
import warnings

import loopback
import matplotlib
import pytest
from hypothesis import settings
from matplotlib import pyplot
from pages import CHAPTERS, read

from propslib import LinearPolicy, World
from propslib.brain.chat import live

matplotlib.use("Agg")
loopback.install()
settings.register_profile("shared machines", deadline=None)  # where an example may take long
settings.load_profile("shared machines")

# Box2D's warnings, from the tool that wraps its C++, end the process where they are errors.
with warnings.catch_warnings(action="ignore"), contextlib.suppress(ImportError):
    import Box2D  # noqa: F401


@pytest.fixture(autouse=True)
def beyond_loopback():
    """Fails a test that reached beyond the loopback address, unless it clears this list."""
    loopback.reached.clear()
    yield loopback.reached
    assert not loopback.reached, f"The test reached for {loopback.reached}"


@pytest.fixture(autouse=True)
def no_keys(monkeypatch):
    """What a person has set for live models is no part of a test."""
    for name in list(os.environ):
        if name == "PROPS_LLM" or name.endswith(("_API_KEY", "_BASE_URL")):
            monkeypatch.delenv(name)


@pytest.fixture(params=["openai", "gemini"])
def wire(request):
    """A wire format of live models."""
    return request.param


@pytest.fixture
def waits(monkeypatch):
    """The seconds that a client would have waited between its calls; it waits for none of them."""
    seconds = []
    monkeypatch.setattr(live, "sleep", seconds.append)
    return seconds


@pytest.fixture(autouse=True)
def no_figures_left():
    yield
    pyplot.close("all")


@pytest.fixture
def car():
    """The mountain car, with episodes of 30 steps so that a search takes no time."""
    with World("MountainCarContinuous-v0", max_steps=30) as world:
        yield world


@pytest.fixture
def lake():
    with World("FrozenLake-v1") as world:
        yield world


@pytest.fixture
def policy(car):
    return LinearPolicy(car)


@pytest.fixture(params=CHAPTERS, ids=lambda path: path.stem)
def chapter(request):
    return read(request.param)
