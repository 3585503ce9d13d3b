"""The disguise: what it keeps, what it changes, and who notices."""

from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare, ks_2samp

from propslib import Disguised, LinearPolicy, RandomSearch, Run, TablePolicy, World
from propslib.search import search

OF_THE_CAR = {"seed": 11, "offset": 3.0, "scale": 0.4, "shift": 10.0}


@given(st.integers(0, 2**31), st.floats(0, 10))
@settings(max_examples=30)
def test_it_is_the_rotation_and_the_shift_of_the_recordings_readme_and_can_be_undone(seed, offset):
    with World("Swimmer-v5") as world:
        policy = LinearPolicy(world)
        hidden = Disguised(world, policy, seed=seed, offset=offset, scale=0.3, shift=-2)
    rng = np.random.default_rng(seed)
    q, r = np.linalg.qr(rng.normal(size=(18, 18)))
    q *= np.where(np.diag(r) < 0, -1.0, 1.0)
    centre = rng.uniform(-offset, offset, 18)
    np.testing.assert_array_equal(hidden.centre, centre)
    points = np.random.default_rng(seed).normal(0, 3, (4, 18))
    true = hidden.true_params(points)
    np.testing.assert_allclose(true, (q @ (points - centre).T).T, atol=1e-12)
    np.testing.assert_allclose(hidden.shown_params(true), points, atol=1e-12)
    np.testing.assert_allclose(hidden.shown_params(true[0]), points[0], atol=1e-12)


def test_what_is_shown_is_the_true_return_of_the_true_parameters_on_another_scale(car, policy):
    hidden = Disguised(car, policy, **OF_THE_CAR)
    points = np.random.default_rng(0).uniform(-6, 6, (3, 3))
    shown = hidden.returns(policy, points, range(4))
    for row, point in zip(shown, points, strict=True):
        true = car.returns(policy, hidden.rotation @ (point - hidden.centre), range(4))
        np.testing.assert_array_equal(row, 0.4 * true + 10)
        np.testing.assert_array_equal(row, hidden.returns(policy, point, range(4)))
    np.testing.assert_allclose(hidden.shown_value(hidden.true_value(shown)), shown, atol=1e-12)


ORDERS = [np.eye(3)[list(order)] for order in permutations(range(3))]
SIGNS = [np.diag(signs) for signs in product((1, -1), repeat=3)][1:]


@pytest.mark.parametrize(("turn", "turns"), [("permutation", ORDERS), ("signs", SIGNS)])
def test_other_turns_are_all_orders_or_all_signs_each_as_likely(car, policy, turn, turns):
    drawn = [Disguised(car, policy, seed=seed, turn=turn).rotation for seed in range(700)]
    counts = [sum(np.array_equal(one, rotation) for rotation in drawn) for one in turns]
    assert sum(counts) == 700 and chisquare(counts).pvalue > 1e-3


def test_a_search_meets_it_like_any_world_and_its_log_has_the_disguise(car, policy, tmp_path):
    def run(**disguise):
        hidden, log = Disguised(car, policy, **disguise), tmp_path / "hidden"
        return search(RandomSearch(policy), hidden, policy, budget=2, warmup=1, log=log)

    run(**OF_THE_CAR | {"seed": np.int64(11)})
    config = Run.load(tmp_path / "hidden.jsonl").config
    assert config["world"] == car.config | {"disguise": OF_THE_CAR}
    for other in ({"seed": 12}, {"turn": "signs"}):
        with pytest.raises(ValueError, match="disguise"):
            run(**OF_THE_CAR | other)
    signs = Disguised(car, policy, seed=1, turn="signs")
    again = Disguised(car, policy, **signs.config["disguise"])
    np.testing.assert_array_equal(again.rotation, signs.rotation)
    assert LinearPolicy(again).config == policy.config
    assert "1234567" not in repr(Disguised(car, policy, seed=1234567))
    with Disguised(World("MountainCarContinuous-v0"), policy, seed=1) as own:
        pass
    assert own.world._env is None


BAD = [("offset", -1), ("offset", np.nan), ("scale", 0), ("scale", np.inf), ("shift", np.nan)]
BAD += [("seed", -1), ("seed", 0.5), ("turn", "mirror")]


def test_bad_settings_tables_and_other_sizes_are_refused(car, policy, lake):
    for name, value in BAD:
        with pytest.raises(ValueError, match=f"{name} is '?{value}"):
            Disguised(car, policy, **{"seed": 0} | {name: value})
    with pytest.raises(ValueError, match="draw a new map"):
        Disguised(lake, TablePolicy(lake), seed=0)
    hidden = Disguised(car, policy, seed=0)
    with pytest.raises(ValueError, match=r"3 parameters; got shape \(2,\)"):
        hidden.returns(LinearPolicy(car, bias=False), np.zeros(2), [0])
    with pytest.raises(ValueError, match=r"3 parameters; got shape \(2, 3\)"):
        hidden.true_params(np.zeros((1, 2, 3)))


def test_normal_points_around_the_centre_are_worth_what_normal_points_around_zero_are(car, policy):
    """A normal distribution of equal spread in all directions looks the same from every side."""
    hidden = Disguised(car, policy, **OF_THE_CAR | {"offset": 30})
    rng = np.random.default_rng(0)
    around_zero, around_centre, elsewhere = rng.normal(0, 3, (3, 300, 3))
    true = car.returns(policy, around_zero, [0])[:, 0]
    shown = hidden.returns(policy, hidden.centre + around_centre, [0])[:, 0]
    assert ks_2samp(hidden.true_value(shown), true).pvalue > 1e-3
    # The test can fail: around the origin instead of the centre the values are others.
    shown = hidden.returns(policy, elsewhere, [0])[:, 0]
    assert ks_2samp(hidden.true_value(shown), true).pvalue < 1e-3
