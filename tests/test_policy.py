"""Policies against NumPy's matrix product, and their texts against themselves."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from propslib import LinearPolicy, TablePolicy, World

finite = st.floats(-1e6, 1e6)


def worlds():
    return {
        env_id: World(env_id)
        for env_id in ("MountainCarContinuous-v0", "Hopper-v5", "CartPole-v1", "FrozenLake-v1")
    }


WORLDS = worlds()
LINEAR = [
    LinearPolicy(WORLDS[env_id], bias=bias)
    for env_id in ("MountainCarContinuous-v0", "Hopper-v5", "CartPole-v1")
    for bias in (True, False)
]
LAKE = TablePolicy(WORLDS["FrozenLake-v1"])


@pytest.mark.parametrize("policy", LINEAR, ids=lambda policy: policy.describe()[:40])
@given(data=st.data())
def test_a_linear_policy_is_the_matrix_product(policy, data):
    params = data.draw(arrays(float, policy.size, elements=finite))
    state = data.draw(arrays(float, policy.observation_space.shape, elements=finite))
    inputs = len(state)
    matrix = params.reshape(inputs + policy.bias, -1)
    scores = state @ matrix[:inputs] + (matrix[-1] if policy.bias else 0)
    action = policy(params)(state)
    if policy.action_space.shape:
        # Two orders of adding differ by a few last bits of the largest term.
        largest = np.abs(state[:, None] * matrix[:inputs]).max() + np.abs(matrix).max()
        np.testing.assert_allclose(action, scores, rtol=0, atol=1e-14 * largest)
        assert action.shape == policy.action_space.shape
    elif np.ptp(scores) > 1e-3:
        assert action == np.argmax(scores)


def test_the_order_of_the_parameters_is_row_major_with_the_bias_last():
    hopper = LINEAR[2]
    params = np.arange(36.0)
    weights, bias = hopper.matrices(params)
    assert weights[0].tolist() == [0, 1, 2] and weights[10].tolist() == [30, 31, 32]
    assert bias.tolist() == [33, 34, 35]


def test_sums_are_added_two_by_two_from_first_to_last():
    """1e16 + 1 is 1e16 in double precision, so the order of the additions shows."""
    swimmer = LinearPolicy(World("Swimmer-v5"))
    params = np.zeros((9, 2))
    params[:8, 0] = [1e16, 1, -1e16, 1, 0, 0, 0, 0]
    expected = ((1e16 + 1) + (-1e16 + 1)) + 0
    assert swimmer(params.ravel())(np.ones(8))[0] == expected == 1.0 - 1.0


@pytest.mark.parametrize("policy", [*LINEAR, LAKE], ids=lambda policy: policy.describe()[:40])
@given(data=st.data())
def test_text_reads_back(policy, data):
    elements = st.integers(0, 3).map(float) if policy is LAKE else finite
    params = data.draw(arrays(float, policy.size, elements=elements))
    np.testing.assert_array_equal(policy.from_text(policy.to_text(params)), params)


def test_text_reads_like_the_tutorials_parameters_txt():
    assert LINEAR[0].to_text([0, 6, 0.1]) == "Weights:\n0.0\n6.0\nBias:\n0.1"
    assert LAKE.to_text([3] * 16).splitlines()[15] == "15 | 3"


@pytest.mark.parametrize(
    ("policy", "text"),
    [
        (LINEAR[0], ""),
        (LINEAR[0], "Weights:\n0.0\n6.0"),
        (LINEAR[0], "Weights:\n0.0\n6.0\nBias:\nabc"),
        (LINEAR[0], "Weights:\n0.0\n6.0, 1.0\nBias:\n0.1"),
        (LINEAR[0], "Weights:\n0.0\nnan\nBias:\n0.1"),
        (LAKE, "0 | 1"),
        (LAKE, LAKE.to_text([0] * 16).replace("7 | 0", "7 | 4")),
        (LAKE, LAKE.to_text([0] * 16).replace("7 | 0", "7 | 0 | 0")),
    ],
)
def test_a_bad_text_is_refused(policy, text):
    with pytest.raises(ValueError, match="."):
        policy.from_text(text)


@pytest.mark.parametrize("policy", [*LINEAR, LAKE], ids=lambda policy: policy.describe()[:40])
def test_samples_lie_on_the_grid_and_repeat(policy):
    samples = np.array([policy.sample(np.random.default_rng(s)) for s in range(200)])
    assert samples.min() >= policy.low and samples.max() <= policy.high
    np.testing.assert_array_equal(samples, np.round(samples, policy.decimals))
    np.testing.assert_array_equal(samples[7], policy.sample(np.random.default_rng(7)))


@given(arrays(float, 3, elements=st.floats(-50, 50)))
def test_the_grid_holds_its_own_points(params):
    policy = LINEAR[0]
    point = policy.to_grid(params)
    np.testing.assert_array_equal(policy.to_grid(point), point)
    inside = np.clip(params, policy.low, policy.high)
    assert np.abs(point - inside).max() <= 0.05 + 1e-12
    assert not np.signbit(point[point == 0]).any()


def test_a_table_on_the_grid_is_a_table():
    point = LAKE.to_grid(np.linspace(-2, 5, 16))
    assert LAKE(point)(0) == 0 and LAKE(point)(15) == 3


def test_policies_for_the_wrong_kind_of_world_are_refused():
    with pytest.raises(ValueError, match="use a TablePolicy"):
        LinearPolicy(WORLDS["FrozenLake-v1"])
    with pytest.raises(ValueError, match="numbered states"):
        TablePolicy(WORLDS["CartPole-v1"])
    with pytest.raises(ValueError, match="empty"):
        LinearPolicy(WORLDS["CartPole-v1"], low=1, high=1)


@pytest.mark.parametrize("table", [[0.5] * 16, [4] * 16, [-1] * 16])
def test_a_table_of_no_actions_is_refused(table):
    with pytest.raises(ValueError, match="action numbers from 0 to 3"):
        LAKE(table)


@pytest.mark.parametrize("policy", [*LINEAR, LAKE], ids=lambda policy: policy.describe()[:40])
def test_a_policy_describes_itself(policy):
    assert str(policy.size) in policy.describe()
    assert policy.config["size"] == policy.size
