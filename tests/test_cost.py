"""What calls cost: sums done by hand, and a price file that is whole."""

from datetime import date
from urllib.parse import urlsplit

import pytest

from propslib.brain.cost import _prices, find_price
from propslib.run import Price

NAMES = sorted(_prices())


def test_a_million_tokens_in_and_a_tenth_out():
    # 1,000,000 x 2.50 + 100,000 x 10.00 dollars per million
    assert Price(input=2.5, output=10.0).usd(1_000_000, 100_000) == pytest.approx(2.5 + 1.0)


def test_the_cached_part_has_its_own_price():
    price = Price(input=2.0, output=8.0, cached=0.5)
    # 200 x 2 + 800 x 0.5 + 60 x 8 = 400 + 400 + 480 dollars for a million of such calls
    assert price.usd(1000, 60, tokens_cached=800) == pytest.approx(1280e-6)
    assert price.usd(1000, 60, tokens_cached=1000) == pytest.approx(980e-6)
    assert price.usd(1000, 60, tokens_cached=0) == price.usd(1000, 60) == pytest.approx(2480e-6)


def test_without_a_cached_price_all_tokens_in_cost_the_same():
    price = Price(input=2.0, output=8.0)
    assert price.usd(1000, 60, tokens_cached=800) == price.usd(1000, 60)


def test_what_is_kept_for_later_calls_may_cost_more():
    price = Price(input=2.0, output=10.0, cached=0.1, written=2.5)
    # 200 x 2.5 + 800 x 0.1 + 60 x 10 = 500 + 80 + 600
    assert price.usd(1000, 60, tokens_cached=800) == pytest.approx(1180e-6)


def test_unknown_tokens_have_no_price():
    price = Price(input=2.0, output=8.0)
    assert price.usd(None, 60) is None
    assert price.usd(1000, None) is None


def test_no_more_is_cached_than_was_sent():
    price = Price(input=2.0, output=8.0, cached=0.5)
    assert price.usd(1000, 60, tokens_cached=1001) == price.usd(1000, 60, tokens_cached=1000)


@pytest.mark.parametrize(
    "name", ["openai:", "openai:gpt-4", "openai:gpt-4o-2024-05-13", "gpt-4o", "gemini:gpt-4o", ""]
)
def test_only_a_whole_name_that_is_known_has_a_price(name):
    assert find_price(name) is None


@pytest.mark.parametrize("name", ["local", "you", "ollama:llama3.2", "recorded:swimmer-props"])
def test_what_runs_here_costs_nothing(name):
    price = find_price(name)
    assert price.usd(10**9, 10**9) == 0
    assert price.usd(None, None) == 0


def test_a_price_is_found_by_name():
    price = find_price("openai:gpt-4o")
    assert (price.input, price.cached, price.output) == (2.5, 1.25, 10.0)
    assert find_price("gemini:gemini-2.5-flash").output == 2.5


def test_the_file_covers_both_providers():
    assert {name.partition(":")[0] for name in NAMES} == {"openai", "gemini"}


@pytest.mark.parametrize("name", NAMES)
def test_every_entry_of_the_file_is_whole(name):
    price = find_price(name)
    assert 0 < price.cached <= price.input <= price.output
    assert price.written is None or price.input <= price.written <= price.output
    assert date(2026, 1, 1) <= date.fromisoformat(price.date) <= date.today()
    address = urlsplit(price.source)
    assert address.scheme == "https" and address.hostname and address.path
