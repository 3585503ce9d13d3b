"""Policies against NumPy's matrix product, and their texts against themselves."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from propslib import LinearPolicy, TablePolicy, World
from propslib.settings import number

NAMES = ("MountainCarContinuous-v0", "Hopper-v5", "CartPole-v1", "FrozenLake-v1")
CAR, HOPPER, CART, LAKE = map(World, NAMES)
LINEAR = [LinearPolicy(world, bias=bias) for world in (CAR, HOPPER, CART) for bias in (True, False)]
TABLE = TablePolicy(LAKE)
FINITE = st.floats(-1e6, 1e6)


@pytest.mark.parametrize("policy", LINEAR)
@given(data=st.data())
def test_a_linear_policy_is_the_matrix_product_and_its_text_reads_back(policy, data):
    params = data.draw(arrays(float, policy.size, elements=FINITE))
    np.testing.assert_array_equal(policy.from_text(policy.to_text(params)), params)
    state = data.draw(arrays(float, policy.observation_space.shape, elements=FINITE))
    inputs = len(state)
    matrix = params.reshape(inputs + policy.bias, -1)  # row by row, the bias last
    scores = state @ matrix[:inputs] + (matrix[-1] if policy.bias else 0)
    action = policy(params)(state)
    if policy.action_space.shape:
        # Two orders of adding differ by a few last bits of the largest term.
        largest = np.abs(state[:, None] * matrix[:inputs]).max() + np.abs(matrix).max()
        np.testing.assert_allclose(action, scores, rtol=0, atol=1e-14 * largest)
        assert action.shape == policy.action_space.shape
    elif np.ptp(scores) > 1e-3:
        assert action == np.argmax(scores)


def test_sums_are_added_two_by_two_from_first_to_last():
    """1e16 + 1 is 1e16 in double precision, so the order of the additions shows."""
    swimmer = LinearPolicy(World("Swimmer-v5"))
    params = np.zeros((9, 2))
    params[:8, 0] = [1e16, 1, -1e16, 1, 0, 0, 0, 0]
    expected = ((1e16 + 1) + (-1e16 + 1)) + 0
    assert swimmer(params.ravel())(np.ones(8))[0] == expected == 1.0 - 1.0


def test_text_reads_like_the_tutorials_parameters_txt_and_another_is_refused():
    assert LINEAR[0].to_text([0, 6, 0.1]) == "Weights:\n0.0\n6.0\nBias:\n0.1"
    assert TABLE.to_text([3] * 16).splitlines()[15] == "15 | 3"
    texts = ["0.0\n6.0", "0.0\n6.0, 1.0\nBias:\n0.1", "0.0\n6.0,\nBias:\n0.1"]
    texts += [f"0.0\n6.0\nBias:\n{last}" for last in ("abc", "nan")]
    for text in ("", *(f"Weights:\n{text}" for text in texts)):
        with pytest.raises(ValueError, match="."):
            LINEAR[0].from_text(text)


@pytest.mark.parametrize("policy", [*LINEAR, TABLE])
def test_samples_lie_on_the_grid_and_repeat_and_the_policy_says_so(policy):
    for draw in (policy.sample, policy.uniform):
        samples = np.array([draw(np.random.default_rng(s)) for s in range(200)])
        assert samples.min() >= policy.low and samples.max() <= policy.high
        np.testing.assert_array_equal(samples, np.round(samples, policy.decimals))
        np.testing.assert_array_equal(samples[7], draw(np.random.default_rng(7)))
    assert str(policy.size) in policy.describe()
    assert json.loads(json.dumps(policy.config))["size"] == policy.size


def test_a_table_holds_actions_and_policies_for_the_wrong_kind_of_world_are_refused():
    point = TABLE.to_grid(np.linspace(-2, 5, 16))
    assert TABLE(point)(0) == 0 and TABLE(point)(15) == 3
    for action in (0.5, 4, -1):
        with pytest.raises(ValueError, match="from 0 to 3"):
            TABLE([action] * 16)
    with pytest.raises(ValueError, match="TablePolicy"):
        LinearPolicy(LAKE)
    with pytest.raises(ValueError, match="numbered"):
        TablePolicy(CART)


def test_the_ends_of_the_grid_are_points_of_it_and_a_grid_without_is_refused():
    policy = LinearPolicy(CAR, low=-0.1 - 0.2, high=np.float32(2), decimals=np.int64(1))
    assert (policy.low, policy.high) == (-0.3, 2.0)
    assert policy.to_grid([9, -9, 0.26]).tolist() == [2.0, -0.3, 0.3]
    assert not np.signbit(policy.to_grid([-0.01, -0.0, 0.0])).any()  # a point has one text
    wrong = [("high", 1), ("high", 0.26), ("high", np.inf), ("low", 0.01), ("low", np.nan)]
    wrong += [("spread", np.inf), ("spread", -1)]
    for name, value in [*wrong, *(("decimals", d) for d in (400, -1, 0.5))]:
        with pytest.raises(ValueError, match=f"{name} is {value}"):
            LinearPolicy(CAR, **{"low": 1, "high": 2} | {name: value})


@pytest.mark.parametrize("value", [1.5, np.float64(1.5), 0, -3, np.inf, -np.inf, np.nan, 7])
def test_numbers_out_of_range_are_refused_with_their_value(value):
    with pytest.raises(ValueError, match=rf"n is {value}"):
        number("n", value, least=1, most=6, whole=True)
    with pytest.raises(TypeError, match="n is True"):
        number("n", True)
    with pytest.raises(ValueError, match="above 1"):
        number("n", 1, above=1)
    plain = number("n", np.float32(6), above=1, most=6, whole=True)
    assert (plain, type(plain)) == (6, int)
