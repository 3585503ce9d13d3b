"""What is installed where: one version of everything, and no more than a reader needs."""

import sys

import numpy as np
import pytest
from packaging.markers import default_environment
from packaging.requirements import Requirement
from pages import ROOT

from propslib import LinearPolicy, World

PLATFORMS = {"linux": ("linux", "x86_64"), "arm": ("linux", "aarch64"), "mac": ("darwin", "arm64")}
PLATFORMS |= {"intel mac": ("darwin", "x86_64"), "windows": ("win32", "AMD64")}


def required(name):
    lines = (ROOT / name).read_text(encoding="utf-8").splitlines()
    return [Requirement(line) for line in lines if line and not line.startswith(("#", "-"))]


def on(platform, requirements):
    """The versions that a platform gets, by package."""
    system, machine = PLATFORMS[platform]
    place = default_environment() | {"sys_platform": system, "platform_machine": machine}
    found = [r for r in requirements if r.marker is None or r.marker.evaluate(place)]
    assert len({r.name for r in found}) == len(found)
    return {r.name: str(r.specifier) for r in found}


@pytest.mark.parametrize("platform", PLATFORMS)
def test_every_platform_gets_one_version_and_the_locked_one(platform):
    own = [r for r in required("constraints.txt") if "full" not in str(r.marker)]
    locked = on(platform, own)
    for name in ("", "-test", "-live", "-studies"):
        for package, version in on(platform, required(f"requirements{name}.txt")).items():
            assert locked[package] == version, (platform, package)
    mujoco = on(platform, required("requirements.txt"))["mujoco"]
    assert mujoco == ("==3.9.0" if platform == "intel mac" else "==4.0.0")


def test_colab_gets_the_books_versions_and_a_reader_no_package_of_others():
    pinned = [r for name in ("", "-live") for r in required(f"requirements{name}.txt")]
    colab, book = on("linux", required("requirements-colab.txt")), on("linux", pinned)
    assert {name: book[name] for name in colab} == colab
    reader = {r.name for r in required("requirements.txt")}
    for name in ("test", "live", "network", "local", "site", "studies"):
        assert reader.isdisjoint(r.name for r in required(f"requirements-{name}.txt")), name


def test_swimmers_are_simulated_one_by_one_where_mujoco_has_no_batches(monkeypatch):
    with World("Swimmer-v5", max_steps=20) as world:
        policy = LinearPolicy(world)
        points = np.array([policy.sample(np.random.default_rng(seed)) for seed in range(2)])
        together = world.returns(policy, points, range(3))
        monkeypatch.setitem(sys.modules, "mujoco.batch", None)
        np.testing.assert_array_equal(world.returns(policy, points, range(3)), together)
