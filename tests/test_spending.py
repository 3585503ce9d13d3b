"""What a search costs, before and while it runs."""

import numpy as np
import pytest

from propslib import LinearPolicy, LLMBrain, RandomSearch, Reply, Run, search
from propslib.brain.cost import count_tokens
from propslib.brain.cost import forecast
from propslib.run import Price

PRICE = Price(input=2.0, output=10.0, cached=1.0)


class Meter:
    """A model that answers with the iteration and takes a token for two characters."""

    name = "metered"
    price = PRICE

    def __init__(self):
        self.prompts = []

    def __call__(self, prompt):
        self.prompts.append(prompt)
        iteration = int(prompt.rpartition("This is iteration ")[2].split()[0])
        text = f"params[0]: 0.0, params[1]: {iteration / 10:.1f}, params[2]: 0.0\nNext."
        used = {"tokens_in": len(prompt) // 2, "tokens_out": 40, "tokens_cached": 100}
        return Reply(text, "metered-1", **used, seconds=0.5, usd=PRICE.usd(*used.values()))


def run(car, log=None, model=None, budget=8, **settings):
    policy = LinearPolicy(car)
    brain = LLMBrain(model or Meter(), policy)
    return search(brain, car, policy, budget=budget, warmup=2, episodes=1, log=log, **settings)


def test_a_run_adds_up_what_its_calls_used(car, tmp_path):
    model = Meter()
    done = run(car, tmp_path / "log", model)
    tokens_in = sum(len(prompt) // 2 for prompt in model.prompts)
    usage = Run.load(tmp_path / "log.jsonl").usage
    assert (usage.calls, usage.tokens_in, usage.tokens_out) == (8, tokens_in, 320)
    assert usage.tokens_cached == 800 and usage.seconds == 4.0
    # By hand: cached tokens at 1, the others at 2, written ones at 10 dollars a million.
    expected = ((tokens_in - 800) * 2 + 800 * 1 + 320 * 10) / 1e6
    assert done.cost == pytest.approx(expected, rel=1e-12)
    assert Run.load(tmp_path / "log.jsonl").header["price"]["input"] == 2.0


def test_a_price_that_is_unknown_stays_unknown(car):
    def own_model(prompt):
        return Reply("params[0]: 0, params[1]: 1, params[2]: 2")

    done = run(car, model=own_model, budget=1)
    assert done.cost is None and done.usage.tokens_in is None
    assert "price unknown" in str(done.usage)


def test_a_brain_without_a_model_costs_nothing(car):
    policy = LinearPolicy(car)
    settings = {"budget": 2, "warmup": 0, "episodes": 1, "max_usd": 0.01, "max_tokens": 5}
    done = search(RandomSearch(policy), car, policy, **settings)
    assert len(done.proposals) == 2 and done.cost == 0 and done.stopped == ""


@pytest.mark.parametrize("unit", ["max_usd", "max_tokens"])
def test_a_search_stops_before_the_call_that_would_exceed_its_limit(car, tmp_path, capsys, unit):
    def used(run):
        usage = run.usage
        return usage.usd if unit == "max_usd" else usage.tokens_in + usage.tokens_out

    whole = run(car)
    limit = used(whole) * 0.6
    model = Meter()
    part = run(car, tmp_path / "log", model, **{unit: limit})
    assert 0 < len(part.proposals) < 8
    assert used(part) <= limit
    one_more = len(part.proposals) + 1
    assert used(run(car, budget=one_more)) > limit * 0.95, "it stopped long before it had to"
    assert unit in part.stopped and "goes on from the log" in capsys.readouterr().out
    assert len(model.prompts) == len(part.proposals), "nothing is asked and then thrown away"

    again = run(car, tmp_path / "log", model, **{unit: used(whole) * 2})
    assert again.stopped == "" and len(model.prompts) == 8
    np.testing.assert_array_equal(again.values, whole.values)


def test_a_limit_holds_for_refused_replies_too(car):
    class Stubborn(Meter):
        def __call__(self, prompt):
            super().__call__(prompt)
            return Reply("No.", tokens_in=1000, tokens_out=1000)

    model = Stubborn()
    stopped = run(car, model=model, attempts=50, max_tokens=9000)
    assert "max_tokens" in stopped.stopped and len(model.prompts) == 4
    assert len(stopped.refusals) == 4


def test_a_server_that_reports_no_tokens_is_limited_by_estimate(car):
    class Silent(Meter):
        def __call__(self, prompt):
            return Reply(super().__call__(prompt).text)

    model = Silent()
    stopped = run(car, model=model, max_tokens=2500)
    assert 0 < len(model.prompts) < 8 and "max_tokens" in stopped.stopped
    assert 1000 < sum(count_tokens(prompt) for prompt in model.prompts) < 2600


def test_a_limit_in_dollars_needs_a_price(car):
    class Unpriced(Meter):
        price = None

    with pytest.raises(ValueError, match="price of metered is unknown.*price="):
        run(car, model=Unpriced(), max_usd=1.0)


@pytest.mark.parametrize("limit", [0, -1, float("nan")])
def test_a_limit_that_is_none_is_refused(car, limit):
    with pytest.raises(ValueError, match="max_usd is"):
        run(car, max_usd=limit)


@pytest.mark.parametrize("history", [None, (5, 5)])
def test_the_forecast_is_near_the_truth(car, history):
    class Exact(Meter):
        def __call__(self, prompt):
            reply = super().__call__(prompt)
            return Reply(reply.text, tokens_in=count_tokens(prompt), tokens_out=40)

    policy = LinearPolicy(car)
    settings = {"budget": 60, "warmup": 20}
    brain = LLMBrain(Exact(), policy, history=history)
    brain.begin(60, 20)
    guess = forecast(brain, **settings, seed=0)
    brain = LLMBrain(Exact(), policy, history=history)
    true = search(brain, car, policy, **settings, episodes=1).usage
    assert guess.calls == 60
    assert guess.tokens_in == pytest.approx(true.tokens_in, rel=0.05)
    assert guess.usd == pytest.approx(PRICE.usd(guess.tokens_in, guess.tokens_out))


def test_a_dry_run_asks_nothing_and_writes_nothing(car, tmp_path, capsys):
    model = Meter()
    dry = run(car, tmp_path / "log", model, dry_run=True)
    assert model.prompts == [] and dry.trials == [] and list(tmp_path.iterdir()) == []
    assert "8 calls" in capsys.readouterr().out
    assert len(run(car, tmp_path / "log", model).proposals) == 8
