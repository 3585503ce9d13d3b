"""Every brain keeps the same contract; and what each does besides."""

import json
import re

import numpy as np
import pytest
from optimisers import ARS, GaussianProcess
from recorded import load

from propslib import LinearPolicy, Proposal, Reply, TablePolicy, Trial, chat
from propslib.brain import CMAES, HillClimbing, LLMBrain, RandomSearch

TOP = np.array([1.0, -2.0, 3.0])


def step_by_step(prompt):
    """A model that proposes (0, 0, 0.1), (0, 0, 0.2), ..."""
    iteration = int(prompt.rpartition("iteration ")[2].split()[0])
    return Reply(f"params[0]: 0.0, params[1]: 0.0, params[2]: {iteration / 10}\nOne step more.")


BRAINS = {
    "random": lambda policy, seed: RandomSearch(policy, seed=seed),
    "cmaes": lambda policy, seed: CMAES(policy, seed=seed),
    "climb": lambda policy, seed: HillClimbing(policy, seed=seed),
    "ars": lambda policy, seed: ARS(policy, directions=3, top=2, seed=seed),
    "gp": lambda policy, seed: GaussianProcess(policy, candidates=400, seed=seed),
    "llm": lambda policy, seed: LLMBrain(step_by_step, policy),
}


@pytest.fixture(params=BRAINS)
def make(request, policy):
    def make(seed=0):
        brain = BRAINS[request.param](policy, seed)
        brain.begin(budget=60, episodes=1)
        return brain

    return make


@pytest.fixture
def table(lake):
    return TablePolicy(lake)


def bowl(params):
    """A smooth hill with its top, 0, at (1, -2, 3), or at these numbers again and again."""
    return -float(np.sum((params - np.resize(TOP, len(params))) ** 2))


def drive(brain, steps, warmup=3):
    """The trials of warm-up points and proposals, each told its value."""
    rng, told = np.random.default_rng(5), len(brain.trials)
    for k in range(warmup + steps):
        params = brain.policy.sample(rng) if k < warmup else brain.ask().params
        brain.tell(Trial((len(brain.proposals) + 1) * (k >= warmup), params, bowl(params)))
    return brain.trials[told:]


def points(trials):
    return np.array([trial.params for trial in trials])


def test_a_brain_told_a_log_again_is_the_brain_that_was_interrupted(make):
    others = str(np.random.get_state())  # noqa: NPY002
    trials = drive(make(), 17)
    assert str(np.random.get_state()) == others  # noqa: NPY002
    for stop in (3, 4, 9, 10, 11, 17, 19):  # in the middle and at the end of a generation
        again = make()
        for trial in trials[:stop]:
            again.tell(trial)
        for _ in ("once", "and asked twice"):
            np.testing.assert_array_equal(again.ask().params, trials[stop].params)


def test_a_blank_brain_was_told_nothing_and_leaves_the_other_as_it_was(make):
    brain, untouched = make(), make()
    for steps in (0, 11):
        drive(brain, steps)
        drive(untouched, steps)
        blank = brain.blank()
        assert blank.trials == [] and blank.best is None and blank.config == brain.config
        np.testing.assert_array_equal(points(drive(blank, 9)), points(drive(make(), 9)))
        np.testing.assert_array_equal(brain.ask().params, untouched.ask().params)


@pytest.mark.parametrize("name", [name for name in BRAINS if name != "llm"])
def test_a_seed_decides_and_the_log_keeps_it(name, policy):
    def proposals(seed):
        return points(drive(BRAINS[name](policy, seed), 15)[3:])

    np.testing.assert_array_equal(proposals(1), proposals(np.int64(1)))
    assert not np.array_equal(proposals(1), proposals(2))
    assert json.loads(json.dumps(BRAINS[name](policy, np.int64(7)).config))["seed"] == 7
    with pytest.raises(ValueError, match="seed is -1"):
        BRAINS[name](policy, -1)


@pytest.mark.parametrize(
    ("kind", "first", "ninth", "table_ninth"),
    [
        (RandomSearch, [-5.0, -3.2, 3.6], [-1.8, 5.3, 0.0], "0113211110223303"),
        (CMAES, [2.0, -2.6, 0.4], [2.2, -4.4, 1.2], None),
        (HillClimbing, [2.0, -2.6, 0.4], [-0.4, -3.8, 1.8], "1111111111112011"),
    ],
)
def test_a_seed_means_the_same_for_ever(kind, first, ninth, table_ninth, policy, table):
    """Studies and chapters were computed with these draws."""
    tried = points(drive(kind(policy, seed=3), 9, warmup=0))
    assert tried[[0, 8]].tolist() == [first, ninth]
    if table_ninth:
        tried = points(drive(kind(table, seed=3), 9, warmup=0))
        assert "".join(f"{action:.0f}" for action in tried[8]) == table_ninth


@pytest.mark.parametrize(
    ("name", "reached", "steps"),
    [("cmaes", -0.02, 150), ("climb", -0.4, 150), ("ars", -0.4, 150), ("gp", -0.02, 30)],
)
def test_climbers_climb_a_hill_better_than_chance(name, reached, steps, policy):
    best = {k: max(t.value for t in drive(BRAINS[k](policy, 0), steps)) for k in (name, "random")}
    assert best[name] > reached > best["random"]


def test_climbers_step_from_the_best_and_hill_climbing_from_the_latest_of_them(policy):
    brain = CMAES(policy, sigma=1e-3)
    best = max(drive(brain, 0, warmup=5), key=lambda trial: trial.value)
    np.testing.assert_array_equal(brain.ask().params, best.params)
    brain = HillClimbing(policy, step=1e-6, draws=1)
    np.testing.assert_array_equal(brain.ask().params, [0, 0, 0])
    for k, (x, value) in enumerate([(1.0, 5.0), (2.0, 7.0), (3.0, 7.0), (4.0, 6.0)]):
        brain.tell(Trial(k, np.full(3, x), value))
    np.testing.assert_array_equal(brain.ask().params, [3, 3, 3])


def test_hill_climbing_widens_its_step_rather_than_repeat_a_point(car):
    coarse = LinearPolicy(car, low=0, high=2, decimals=0)  # 27 points
    tried = points(drive(HillClimbing(coarse, step=0.1, draws=1000), 27, warmup=0))
    assert len(np.unique(tried, axis=0)) == 27
    small = LinearPolicy(car, low=0, high=1, decimals=0)  # 8, and then nothing is left
    assert len(np.unique(points(drive(HillClimbing(small), 12, warmup=0)), axis=0)) == 8


def test_hill_climbing_changes_at_least_one_action_of_a_table(table):
    assert HillClimbing(table).parent.tolist() == [1.0] * 16  # the lower of two middles
    parent = np.arange(16.0) % 4
    changed = []
    for seed in range(400):
        brain = HillClimbing(table, step=2, seed=seed)
        brain.tell(Trial(1, parent, 1.0))
        changed.append(np.flatnonzero(table.check(brain.ask().params) != parent))
    counts = np.array([len(states) for states in changed])
    assert counts.min() >= 1
    # Binomial(16, 1/8), with 0 counted as 1: mean 2 + (7/8)**16 = 2.12, deviation of the mean 0.06.
    assert counts.mean() == pytest.approx(2.12, abs=0.25)
    assert set(np.concatenate(changed)) == set(range(16))


WRONG = [(CMAES, "sigma", 0), (GaussianProcess, "candidates", 1), (ARS, "nu", -1), (ARS, "top", 5)]
WRONG += [(ARS, name, 0) for name in ("alpha", "directions", "top")]
WRONG += [(HillClimbing, *pair) for pair in (("step", 0), ("draws", 0), ("draws", 1.5))]


@pytest.mark.parametrize(("kind", "name", "value"), WRONG)
def test_settings_that_cannot_work_are_refused(kind, name, value, policy, table):
    with pytest.raises(ValueError, match=f"{name} is {value}"):
        kind(policy, **{name: value})
    if kind is not HillClimbing:
        with pytest.raises(ValueError, match="no more and less"):
            kind(table)


def test_ars_moves_as_the_papers_algorithm_1(car):
    fine = LinearPolicy(car, low=-100, high=100, decimals=6)
    brain = ARS(fine, nu=0.5, alpha=0.3, directions=3, top=2, seed=4)
    start = np.array([1.0, 2.0, 3.0])
    brain.tell(Trial(0, start - 1, -5.0))
    brain.tell(Trial(0, start, -4.0))
    trials = drive(brain, 7, warmup=0)
    steps = (points(trials[:6]) - start) / 0.5
    np.testing.assert_allclose(steps[0::2], -steps[1::2], atol=1e-5)
    values = [trial.value for trial in trials[:6]]
    pairs = zip(values[0::2], values[1::2], steps[0::2], strict=True)
    used = sorted(pairs, key=lambda pair: -max(pair[:2]))[:2]
    move = sum((plus - minus) * direction for plus, minus, direction in used)
    expected = start + 0.3 / (2 * np.std([pair[:2] for pair in used])) * move
    np.testing.assert_allclose(trials[6].params, expected, atol=1e-4)
    np.testing.assert_allclose(brain.centre, expected, atol=1e-4)
    new = drive(brain, 1, warmup=0)[0].params
    assert np.abs(new - start - 0.5 * steps[0]).max() > 0.01  # other directions than before


def test_expected_improvement_is_the_mean_of_what_a_sample_gains(policy):
    brain = GaussianProcess(policy)
    with pytest.raises(ValueError, match="2 trials or more; 0 were told"):
        brain.expected_improvement(np.zeros((1, 3)))
    drive(brain, 0, warmup=6)
    where = np.array([[0.5, -1.0, 2.0], [5.0, 5.0, -5.0], TOP])
    values = np.array([trial.value for trial in brain.trials])
    mean, deviation = brain._fitted(values).predict((where + 6) / 12, return_std=True)
    drawn = np.random.default_rng(0).normal(mean, deviation, (400_000, 3))
    gain = np.maximum(drawn - values.max(), 0)
    error = gain.std(axis=0) / 400_000**0.5
    assert (np.abs(brain.expected_improvement(where) - gain.mean(axis=0)) < 4 * error).all()


def llm(policy, told=(), budget=60, **settings):
    brain = LLMBrain(step_by_step, policy, **settings)
    brain.begin(budget, episodes=20)
    for k, (params, value) in enumerate(told):
        brain.tell(Trial(k * (k > 1), np.array(params, dtype=float), value))
    return brain


TOLD = [([1.0, 2.0, 3.0], -5.0), ([0.5, 0.0, -0.1], 7.123)]


def test_the_prompt_follows_its_settings(policy, car):
    prompt = llm(policy, TOLD, budget=7, optimum=42, step_size=0.5).prompt()
    assert "The highest value of f is about 42." in prompt and "steps of about 0.5" in prompt
    assert "params[0]: 0.5; params[1]: 0.0; params[2]: -0.1; f(params): 7.12\n" in prompt
    assert prompt.endswith("This is iteration 1 of 7. Give your two lines.")
    silent = llm(LinearPolicy(car, low=-10, high=2.5, decimals=2)).prompt()
    assert "highest value" not in silent and "None" not in silent and "stops rising" in silent
    assert "Each one lies in [-10.00, 2.50] and has 2 decimals." in silent


@pytest.mark.parametrize(
    ("history", "shown", "words"),
    [
        *((None, "012345", ""), (99, "012345", ""), (2, "45", ", 2 of 6 (the 2 latest)")),
        *((1, "5", ", 1 of 6 (the latest)"), (0, "", ", 0 of 6 (none)")),
        *(((2, 1), "135", ", 3 of 6 (the 2 best and the latest)"), ((1, 0), "3", "(the best)")),
        *(((1, 2), "345", "(the best and the 2 latest)"), ((2, 0), "13", "(the 2 best)")),
    ],
)
def test_history_limits_what_is_shown_and_says_so(policy, history, shown, words):
    told = [(np.full(3, k / 10), value) for k, value in enumerate([1.0, 4.0, 2.0, 9.0, 0.0, 3.0])]
    prompt = llm(policy, told, history=history).prompt()
    lines = [line for line in prompt.splitlines() if "; f(params): " in line]
    assert "".join(line.split("params[0]: 0.")[1][0] for line in lines) == shown
    assert f"{words}, oldest first:" in prompt and (" of 6 (" in prompt) == bool(words)


def test_a_point_that_was_tried_is_refused_with_its_value(policy):
    told = [([0, 0, 0.1], 5.0), ([0, 0, 0], 1.0)]
    proposal = llm(policy, told).ask()
    assert proposal.params is None and "evaluated before, with f(params) = 5.00" in proposal.error
    assert llm(policy, told, repeats=True).ask().params.tolist() == [0, 0, 0.1]


def test_a_prompt_is_one_of_the_books_or_your_own_which_can_use_the_parts(policy, tmp_path):
    for error, words, wrong in (
        (ValueError, "give a description", {"prompt": "props_plus"}),
        (ValueError, "history is -1", {"history": -1}),
        (FileNotFoundError, "'props', 'props_plus'", {"prompt": "prop"}),
    ):
        with pytest.raises(error, match=words):
            llm(policy, **wrong)
    file = tmp_path / "mine.j2"
    file.write_text('Be brave.\n{% include "history.j2" %}\n', encoding="utf-8")
    prompt = llm(policy, TOLD, prompt=str(file)).prompt()
    assert prompt.startswith("Be brave.\nEvaluations so far, oldest first:")


def test_a_recording_refuses_to_answer_for_another_search(policy):
    brain = LLMBrain(chat("recorded:mountaincar-props"), policy)
    brain.begin(60, 20)
    for trial in load("mountaincar-props").warmup[:-1]:
        brain.tell(trial)
    brain.tell(Trial(0, np.array([0.1, 0.2, 0.3]), 0.0))
    with pytest.raises(ValueError, match="not the one that recorded:mountaincar-props replays"):
        brain.ask()
    with pytest.raises(ValueError, match="has 60 proposals, not 61: lower the budget"):
        brain.chat("This is iteration 61 of 61.")
    with pytest.raises(ValueError, match="does not say 'iteration i of N'"):
        brain.chat("Hello")


@pytest.mark.parametrize("decimals", [0, 1, 2])
def test_compact_rows_are_the_trials_exactly(car, decimals):
    policy, rng = LinearPolicy(car, decimals=decimals), np.random.default_rng(1)
    brain = llm(policy, compact=True)
    for _ in range(200):
        brain.tell(Trial(0, policy.sample(rng), float(np.round(rng.normal(0, 100), 2))))
    rows = re.findall(r"^([-\d ]+)\|(\S+)$", brain.prompt(), re.MULTILINE)
    read = [([int(k) / 10**decimals for k in row.split()], float(value)) for row, value in rows]
    assert read == [(trial.params.tolist(), trial.value) for trial in brain.trials]
    assert (f"in units of {0.1**decimals:.{decimals}f}," in brain.prompt()) == (decimals > 0)


@pytest.mark.parametrize("compact", [False, True])
@pytest.mark.parametrize("prompt", ["props", "props_plus"])
def test_a_prompt_without_its_end_is_the_start_of_the_next(policy, prompt, compact):
    """So that a provider's prefix cache hits, from the first prompt to the last."""
    brain = llm(policy, compact=compact, prompt=prompt, description="A car.")
    rng, before = np.random.default_rng(2), "You"
    for k in range(30):
        text = brain.prompt()
        assert text.startswith(before) and len(text) > len(before)
        before = text.rpartition("\n\nThis is iteration")[0] + "\n"
        brain.tell(Trial(max(0, k - 4), policy.sample(rng), rng.normal()))


@pytest.mark.parametrize("length", [1000, 1001, 20_000])
def test_a_long_refused_reply_goes_back_cut_and_says_so(policy, length):
    text = "".join(chr(97 + k % 26) for k in range(length))
    bad = Proposal(None, error="It was cut off.", reply=Reply(text))
    end = llm(policy, TOLD).prompt([bad]).rpartition("Give your two lines.\n\n")[2]
    cut = "was:" if length == 1000 else f"began (the first 1000 of its {length} characters):"
    why = "It could not be used: It was cut off."
    expected = [f"Your reply {cut}", text[:1000], why, "Give your two lines again."]
    assert end.splitlines() == expected
