"""The figures on the page "Using your own model" are those that the library gives."""

import json
import re
import tomllib
from pathlib import Path

import pytest
from forecasts import forecast_of

from propslib.brain.cost import PRICES, find_price

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "book" / "own-model.md").read_text(encoding="utf-8")
ENTRIES = tomllib.loads(PRICES.read_text(encoding="utf-8"))
NAME = r"`((?:openai|anthropic|gemini):[^`]+)`"


@pytest.fixture(scope="module")
def searches():
    """The searches of the table's columns, as forecasts."""
    columns = [
        ("MountainCarContinuous-v0", 60, "props"),
        ("MountainCarContinuous-v0", 30, "props_plus"),
        ("MountainCarContinuous-v0", 400, "props"),
        ("Swimmer-v5", 400, "props"),
    ]
    return [forecast_of(*column) for column in columns]


def test_the_table_of_costs(searches):
    rows = re.findall(rf"^\| {NAME} ((?:\| [\d.]+ )+)\|$", PAGE, re.MULTILINE)
    assert len(rows) == 6
    for name, cells in rows:
        price = find_price(name)
        for shown, usage in zip(cells.split("|")[1:], searches, strict=True):
            usd = price.usd(usage.tokens_in, usage.tokens_out)
            # Rounded to cents; estimates without the tokenizer may differ a little.
            assert float(shown) == pytest.approx(usd, abs=0.006, rel=0.02), name


def test_the_prices_are_of_the_months_that_the_page_names_and_no_example_ends():
    assert "October and November 2026" in PAGE
    for name in {
        *re.findall(NAME, PAGE),
        *re.findall(r'chat\("((?:openai|anthropic|gemini):\S+)"', PAGE),
    }:
        if "MODEL" not in name and find_price(name):
            assert find_price(name).date in ("2026-10-26", "2026-11-22"), name
            assert "ends" not in ENTRIES[name], f"{name} ends: name another model"


def test_the_dry_run(searches):
    shown = re.search(r"about (60 calls; .*)\n", PAGE)[1]
    usage = searches[0]
    usd = find_price("openai:gpt-6.1-sol").usd(usage.tokens_in, usage.tokens_out)
    assert shown == f"60 calls; {usage.tokens_in:,} tokens in, 6,000 out; ${usd:.4f}"


def test_the_table_of_prompts():
    measured = json.loads((ROOT / "benchmarks" / "tokens.json").read_text(encoding="utf-8"))
    columns = [[form["tokens"] for form in task["forms"].values()] for task in measured["results"]]
    shown = re.findall(r"\| ([\d.]+) million \| ([\d.]+) million \|", PAGE)
    assert len(shown) == 4
    for cells, tokens in zip(shown, zip(*columns, strict=True), strict=True):
        assert [f"{number / 1e6:.2f}" for number in tokens] == list(cells)
