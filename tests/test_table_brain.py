"""The brain that writes tables: what it shows, what it keeps, and when it believes a value."""

import json
from unittest.mock import Mock

import numpy as np
import pytest

from propslib import CARTPOLE, LinearPolicy, TableBrain, TablePolicy, Trial, World, search
from propslib.brain.cost import count_tokens
from propslib.brain.table import gather

GOOD = np.array([0, 3, 3, 3, 0, 0, 0, 0, 3, 1, 0, 0, 0, 2, 1, 0], dtype=float)  # value 0.7402


def brain_for(world, chat=lambda prompt: "Nothing.\n0 | 0", *, episodes=5, **options):
    options = {"description": "A lake."} | options
    brain = TableBrain(chat, TablePolicy(world), world, **options)
    brain.begin(40, episodes)
    return brain


def tell(brain, table, value, iteration=0, reply=""):
    trial = Trial(iteration, np.array(table, dtype=float), value, (), reply)
    brain.tell(trial)
    return trial


def by_hand(world, table, episodes, to_go):
    """Visits and mean credits of each state, counted step by step."""
    credits = {}
    for seed in range(episodes):
        episode = world.episode(TablePolicy(world)(table), seed)
        for step, met in enumerate(episode.states[:-1]):
            credits.setdefault(met, []).append(sum(episode.rewards[step if to_go else 0 :]))
    return [(s, len(of), table[s], pytest.approx(np.mean(of))) for s, of in sorted(credits.items())]


@pytest.mark.parametrize("credit", ["return", "to_go"])
def test_visits_and_credits_are_those_of_the_episodes(lake, credit):
    with World("CartPole-v1", wrap=CARTPOLE) as cart:
        chance = TablePolicy(cart).sample(np.random.default_rng(0))
        for world, table, episodes in ((lake, GOOD, 30), (cart, chance, 3)):
            found = gather(world, TablePolicy(world), table, episodes, credit)[0]
            rows = [(row.state, row.visits, row.action, row.credit) for row in found]
            assert rows == by_hand(world, table, episodes, credit == "to_go")


def test_the_best_and_worst_episodes_end_as_they_ended(lake):
    _, best, worst = gather(lake, TablePolicy(lake), GOOD, 30, "return")
    returns = lake.returns(TablePolicy(lake), GOOD, range(30))
    assert [line.split(",")[0] for line in best + worst] == ["return 1"] * 2 + ["return 0"] * 2
    episode = lake.episode(TablePolicy(lake)(GOOD), int(np.flatnonzero(returns)[0]))
    steps = [f"{s}:{a}" for s, a in zip(episode.states, episode.actions, strict=False)]
    last = f"last steps (state:action): {' '.join(steps[-12:])} then state 15"
    assert best[0] == f"return 1, {episode.steps} steps, {last}"


def test_the_default_action_is_stated_and_a_refused_reply_shown_with_the_reason(lake):
    model = Mock(side_effect=["Up.\n16 | 3", "Down at the left.\n0 | 1\n4 | 1"])
    brain = brain_for(lake, lambda prompt: model(prompt), default=np.int64(2))
    run = search(brain, lake, TablePolicy(lake), budget=1, warmup=0, episodes=2)
    first, second = (call.args[0] for call in model.call_args_list)
    assert "has action 2 in every state" in first
    assert "Your reply was:\nUp.\n16 | 3\nIt could not be used: There is no state 16" in second
    assert run.best.params.tolist() == [1, 2, 2, 2, 1] + [2] * 11
    assert np.flatnonzero(brain.named).tolist() == [0, 4]
    assert json.loads(json.dumps(brain.config))["default"] == 2


@pytest.mark.parametrize("steps", [10, 160, 1600])
def test_the_prompt_is_bounded_whatever_the_episode_lengths(steps):
    """An endless walk over a large frozen sheet without holes or goal meets ever more states."""
    sheet = ["S" + "F" * 39] + ["F" * 40] * 39
    with World("FrozenLake-v1", desc=sheet, max_episode_steps=steps) as world:
        brain = brain_for(world, episodes=10, tokens=1500)
        tell(brain, TablePolicy(world).sample(np.random.default_rng(0)), 0.0)
        prompt = brain.prompt()
        met = brain._met(brain._last, brain.policy.size)
    assert count_tokens(prompt) <= 1500
    rows = [line.split(" | ") for line in prompt.splitlines() if line.count(" | ") == 3][1:]
    shown = {int(row[0]): int(row[2]) for row in rows}
    left_out = [row.visits for row in met if row.state not in shown]
    assert shown.items() <= {row.state: row.visits for row in met}.items()
    assert max(left_out, default=0) <= min(shown.values())
    assert (f"The {len(shown)} states of {len(met)} " in prompt) == bool(left_out)
    if left_out:  # no state more would have fitted
        assert count_tokens(brain._render(len(shown) + 1)) > 1500


def test_named_states_are_those_named_on_the_way_to_the_best_table(lake):
    brain = brain_for(lake, confirm=False)
    tell(brain, np.zeros(16), 0.1)
    tell(brain, GOOD, 0.3, 1, "Good.\n1 | 3\n2 | 3")
    tell(brain, GOOD, 0.2, 2, "Worse.\n3 | 0")
    tell(brain, GOOD, 0.5, 3, "Better.\n8 | 3")
    assert np.flatnonzero(brain.named).tolist() == [1, 2, 8]
    tell(brain, np.zeros(16), 0.1, 4)  # what a reply does not name is the best table's
    assert brain.read("So.\n4 | 1\n13 | 3").tolist() == [*GOOD[:4], 1, *GOOD[5:13], 3, *GOOD[14:]]


def test_bins_and_words_are_understood_where_the_world_has_them():
    with World("CartPole-v1", wrap=CARTPOLE) as cart:
        brain = brain_for(cart, default=1)
        table = brain.read("Left.\n* | * | * | falling left fast | push left\n158 | 0")
    assert sorted(np.flatnonzero(table == 0)) == [*range(0, 158, 6), 158, *range(162, 324, 6)]


def test_a_better_looking_table_must_win_again_on_fresh_seeds(lake):
    """The lucky table never reaches the goal: on fresh seeds it cannot win."""
    brain = brain_for(lake, episodes=50)
    good = tell(brain, GOOD, 0.7)
    tell(brain, np.zeros(16), 0.9, 1)
    assert brain.best is good
    seeds = range(20_000 + 2 * 50, 20_000 + 3 * 50)
    assert brain._best.value == lake.returns(TablePolicy(lake), GOOD, seeds).mean()
    plain = brain_for(lake, episodes=50, confirm=False)
    tell(plain, GOOD, 0.7)
    lucky = tell(plain, np.zeros(16), 0.9, 1)
    assert plain.best is lucky and plain._best.value == 0.9


def test_fresh_seeds_are_of_nobody_else_and_never_used_twice(lake):
    brain = brain_for(lake, episodes=20)
    lake.returns = Mock(wraps=lake.returns)
    for k in range(10):
        tell(brain, GOOD, 1.0 + k, k)  # always better than what it was
    used = [list(call.args[2]) for call in lake.returns.call_args_list]
    assert len(used) == 18 and brain.best.iteration == 0  # it wins no tie
    assert used[::2] == used[1::2]  # the same for both tables
    seeds = [seed for batch in used[::2] for seed in batch]
    assert len(set(seeds)) == len(seeds) == 180
    assert not {*seeds} & {*range(20), *range(10_000, 10_100)}


def test_a_brain_told_a_log_again_decides_the_same_and_a_blank_one_knows_nothing(lake):

    def at_random(prompt):
        seen.append(prompt)
        rng = np.random.default_rng(len(prompt))
        return f"At random.\n{rng.integers(16)} | {rng.integers(4)}"

    seen, prompts, brain = [], [], brain_for(lake, at_random)
    run = search(brain, lake, TablePolicy(lake), budget=12, warmup=3, episodes=5)
    again = brain.blank()
    assert (again.trials, again.best, again._best) == ([], None, None) and not again.named.any()
    for trial in run.trials:
        prompts.append(again.prompt())
        again.tell(trial)
    assert prompts[3:] == seen
    assert (again.best, again._best.value) == (brain.best, brain._best.value)
    assert brain._best.fresh


def test_settings_that_cannot_work_and_a_prompt_that_cannot_fit_say_so(lake):
    for name, value in (("credit", "steps"), ("default", 4), ("default", 0.5), ("tokens", 0)):
        with pytest.raises(ValueError, match=f"{name}.*{value}|got {value}"):
            brain_for(lake, **{name: value})
    with World("CartPole-v1") as cart, pytest.raises(ValueError, match="writes tables"):
        TableBrain(print, LinearPolicy(cart), cart, description="A cart.")
    brain = brain_for(lake, description="A lake. " * 500, tokens=1000)
    with pytest.raises(ValueError, match="more than 1000 tokens even without a state"):
        brain.prompt()
