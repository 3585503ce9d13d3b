"""What calls cost: sums done by hand, a price file that is whole, and what stops a search."""

import re
from datetime import date, timedelta

import numpy as np
import pytest
from test_cost_pages import ENTRIES, EXAMPLES

from propslib import LinearPolicy, LLMBrain, RandomSearch, Reply, Run, search
from propslib.brain.cost import count_tokens, find_price, forecast
from propslib.usage import Price

PRICE = Price(input=2.0, output=10.0, cached=1.0)


@pytest.mark.parametrize(
    ("price", "used", "usd"),
    [
        # 200 x 2 + 800 x 0.5 + 60 x 8 = 400 + 400 + 480 dollars for a million of such calls
        (Price(2.0, 8.0, cached=0.5), (1000, 60, 800), 1280e-6),
        (Price(2.0, 8.0, cached=0.5), (1000, 60, 1001), 980e-6),  # no more than was sent
        *((Price(2.0, 8.0, cached=k), (1000, 60, n), 2480e-6) for k, n in ((0.5, None), (None, 9))),
        # 200 x 2.5 + 800 x 0.1 + 60 x 10 = 500 + 80 + 600: what is kept may cost more
        (Price(2.0, 10.0, cached=0.1, written=2.5), (1000, 60, 800), 1180e-6),
        *((Price(2.0, 8.0), used, None) for used in ((None, 60), (1000, None))),
    ],
)
def test_sums_by_hand(price, used, usd):
    assert price.usd(*used) == (usd and pytest.approx(usd))


@pytest.mark.parametrize("name", ENTRIES)
def test_every_entry_of_the_file_is_whole(name):
    price = find_price(name)
    assert 0 < price.cached <= price.input <= (price.written or price.input) <= price.output
    assert date(2026, 1, 1) <= date.fromisoformat(price.date) <= date.today()
    assert re.match(r"https://[\w.-]+/.", price.source)


def test_examples_have_a_price_and_no_end_in_sight():
    assert {name.partition(":")[0] for name in ENTRIES} == set(EXAMPLES)
    assert not any("ends" in ENTRIES[name] for name in EXAMPLES.values())
    old = find_price("openai:gpt-4o")
    assert (old.input, old.cached, old.output) == (2.5, 1.25, 10.0)
    assert ENTRIES["openai:gpt-4o"]["ends"] > date(2026, 11, 1) + timedelta(days=30)


class Meter:
    """A model that answers with the iteration and takes a token for two characters."""

    price = PRICE

    def __init__(self, **used):
        self.prompts, self.used = [], used

    def __call__(self, prompt):
        self.prompts.append(prompt)
        iteration = int(prompt.rpartition("This is iteration ")[2].split()[0])
        text = f"params[0]: 0.0, params[1]: {iteration / 10:.1f}, params[2]: 0.0\nNext."
        used = {"tokens_in": len(prompt) // 2, "tokens_out": 40, "tokens_cached": 100}
        usd = PRICE.usd(*used.values())
        return Reply(**({"text": text} | used | {"seconds": 0.5, "usd": usd} | self.used))


def run(car, log=None, model=None, budget=8, **settings):
    policy = LinearPolicy(car)
    brain = LLMBrain(model or Meter(), policy)
    return search(brain, car, policy, budget=budget, warmup=2, episodes=1, log=log, **settings)


def test_a_run_adds_up_what_its_calls_used_and_a_dry_run_uses_nothing(car, tmp_path, capsys):
    model = Meter()
    dry = run(car, tmp_path / "log", model, dry_run=True)
    assert model.prompts == [] and dry.trials == [] and list(tmp_path.iterdir()) == []
    assert "8 calls" in capsys.readouterr().out
    done = run(car, tmp_path / "log", model)
    tokens_in = sum(len(prompt) // 2 for prompt in model.prompts)
    usage = Run.load(tmp_path / "log.jsonl").usage
    assert (usage.calls, usage.tokens_in, usage.tokens_out) == (8, tokens_in, 320)
    assert usage.tokens_cached == 800 and usage.seconds == 4.0
    # By hand: cached tokens at 1, the others at 2, written ones at 10 dollars a million.
    expected = ((tokens_in - 800) * 2 + 800 * 1 + 320 * 10) / 1e6
    assert done.usage.usd == pytest.approx(expected, rel=1e-12)
    assert Run.load(tmp_path / "log.jsonl").header["price"]["input"] == 2.0


def test_a_price_that_is_unknown_stays_unknown_and_no_model_costs_nothing(car, policy):
    done = run(car, model=lambda prompt: "params[0]: 0, params[1]: 1, params[2]: 2", budget=1)
    assert done.usage.usd is None and "? tokens in, ? out; price unknown" in str(done.usage)
    done = search(RandomSearch(policy), car, policy, budget=2, episodes=1, max_usd=0.01)
    assert len(done.proposals) == 2 and done.usage.usd == 0 and done.stopped == ""


def test_a_search_stops_before_the_call_that_would_exceed_its_limit(car, tmp_path, capsys):
    whole = run(car)
    limit = whole.usage.usd * 0.6
    model = Meter()
    part = run(car, tmp_path / "log", model, max_usd=limit)
    assert 0 < len(part.proposals) < 8
    assert part.usage.usd <= limit
    one_more = len(part.proposals) + 1
    assert run(car, budget=one_more).usage.usd > limit * 0.95, "it stopped long before it had to"
    assert "max_usd" in part.stopped and "goes on from the log" in capsys.readouterr().out
    assert len(model.prompts) == len(part.proposals), "nothing is asked and then thrown away"

    again = run(car, tmp_path / "log", model, max_usd=whole.usage.usd * 2)
    assert again.stopped == "" and len(model.prompts) == 8
    np.testing.assert_array_equal(again.values, whole.values)


@pytest.mark.parametrize("number", [None, 0, -61, True, 1, float("nan"), 10**400])
def test_a_false_usage_neither_lifts_a_limit_nor_earns_money(car, number):
    """What a server reports is believed only where it can be true; else it is estimated."""
    false = dict.fromkeys(("tokens_in", "tokens_out", "tokens_cached", "usd"), number)
    for usd in (number, None):
        model = Meter(**false | {"usd": usd})
        stopped = run(car, model=model, max_usd=0.005)
        assert 0 < len(model.prompts) < 8 and "max_usd" in stopped.stopped
        assert "$-" not in stopped.stopped
    sent = sum(count_tokens(prompt) for prompt in model.prompts)
    assert 400 < sent < 2600


def test_a_limit_that_cannot_be_kept_is_refused_and_one_holds_for_refused_replies_too(car):
    for limit in (0, -1, float("nan")):
        with pytest.raises(ValueError, match="max_usd is"):
            run(car, max_usd=limit)
    with pytest.raises(ValueError, match="price of <lambda> is unknown.*price="):
        run(car, max_usd=1.0, model=lambda prompt: "")
    model = Meter(text="No.", tokens_in=1000, tokens_out=1000)
    stopped = run(car, model=model, attempts=50, max_usd=0.053)
    assert "max_usd" in stopped.stopped and len(model.prompts) == len(stopped.refusals) == 4


@pytest.mark.parametrize("history", [None, (5, 5)])
def test_the_forecast_is_near_the_truth(car, policy, history):
    model, settings = Meter(), {"budget": 60, "warmup": 20}
    brain = LLMBrain(model, policy, history=history)
    brain.begin(60, 20)
    guess = forecast(brain, **settings, seed=0)
    assert guess.calls == 60 and model.prompts == []
    search(LLMBrain(model, policy, history=history), car, policy, **settings, episodes=1)
    assert guess.tokens_in == pytest.approx(sum(map(count_tokens, model.prompts)), rel=0.05)
    assert guess.usd == pytest.approx(PRICE.usd(guess.tokens_in, guess.tokens_out))
