"""The figures on the pages about paid models and for teachers are those that the library gives."""

import json
import re
import tomllib

import goals
import pytest
from pages import CHAPTERS, ROOT

from propslib import LinearPolicy, LLMBrain, Run, World
from propslib.brain.cost import PRICES, find_price, forecast

OWN = (ROOT / "book" / "own-model.md").read_text(encoding="utf-8")
TEACHING = (ROOT / "book" / "teaching.md").read_text(encoding="utf-8")
CAR = "MountainCarContinuous-v0"
ENTRIES = tomllib.loads(PRICES.read_text(encoding="utf-8"))
# The models that examples name, one a provider: all are in prices.toml, and none has an end there.
EXAMPLES = {"openai": "openai:gpt-6.1-sol", "anthropic": "anthropic:claude-sonnet-5-5"}
EXAMPLES["gemini"] = "gemini:gemini-3.8-flash"


def forecast_of(env_id, budget, prompt):
    """What a search with a paid model would use, from 20 warm-up points."""
    description = Run.load("mountaincar-props-plus").config["description"]
    settings = {"prompt": prompt, "optimum": 100, "description": description}
    with World(env_id) as world:
        brain = LLMBrain(lambda text: None, LinearPolicy(world), **settings)
    brain.begin(budget, episodes=20)
    return forecast(brain, budget, warmup=20, seed=0)


def costs(page, searches, people=1):
    """Compares a page's table of costs with the library's; gives the number of its rows."""
    rows = re.findall(r"^\| `(\w+:\S+)` ((?:\| [\d.]+ )+)\|$", page, re.MULTILINE)
    for name, cells in rows:
        price = find_price(name)
        assert str(price.date)[:7] in ("2026-10", "2026-11")
        for shown, usage in zip(cells.split("|")[1:], searches, strict=True):
            usd = people * price.usd(usage.tokens_in, usage.tokens_out)
            # Rounded to cents; estimates without the tokenizer may differ a little.
            assert float(shown) == pytest.approx(usd, abs=0.006, rel=0.02), name
    return len(rows)


def test_the_table_of_costs_and_the_dry_run():
    columns = [(CAR, 30, "props_plus"), (CAR, 60, "props"), (CAR, 400, "props")]
    searches = [forecast_of(*column) for column in [*columns, ("Swimmer-v5", 400, "props")]]
    assert costs(OWN, searches) == 6
    shown, usage = re.search(r"about (60 calls; .*)\n", OWN)[1], searches[1]
    usd = find_price("openai:gpt-6.1-sol").usd(usage.tokens_in, usage.tokens_out)
    assert shown == f"60 calls; {usage.tokens_in:,} tokens in, 6,000 out; ${usd:.4f}"


def test_the_prices_are_of_the_months_that_the_page_names_and_no_example_ends():
    assert "October and November 2026" in OWN
    named = [name for name in ENTRIES if re.search(rf'[`"]{re.escape(name)}[`"]', OWN)]
    assert len(named) >= 6
    for name in named:
        assert find_price(name).date in ("2026-10-26", "2026-11-22"), name
        assert "ends" not in ENTRIES[name], f"{name} ends: name another model"


def test_the_table_of_prompts():
    measured = json.loads((ROOT / "benchmarks" / "tokens.json").read_text(encoding="utf-8"))
    columns = [[form["tokens"] for form in task["forms"].values()] for task in measured["results"]]
    shown = re.findall(r"^\| [^|]+ \| ([\d.]+) \| ([\d.]+) \|$", OWN, re.MULTILINE)
    assert len(shown) == 4
    for cells, tokens in zip(shown, zip(*columns, strict=True), strict=True):
        assert [f"{number / 1e6:.2f}" for number in tokens] == list(cells)


def minutes(text):
    """Of each table in the text, the sum of its minutes."""
    tables = re.findall(r"^\| minutes .*\n\|[-:|]+\|\n((?:\|.*\n)+)", text, re.MULTILINE)
    return [sum(map(int, re.findall(r"^\| (\d+) ", rows, re.MULTILINE))) for rows in tables]


def test_the_plans_fill_their_time():
    afternoon, _, rest = TEACHING.partition("### Three sessions of 90 minutes")
    three, _, six = rest.partition("### Six sessions of 90 minutes")
    assert (minutes(afternoon), minutes(three)) == ([180], [90, 90, 90])
    sessions = {}
    for session, what in re.findall(r"^\| (\d) \| (.*<br>.*) \|$", six, re.MULTILINE):
        sessions[session] = sum(map(int, re.findall(r"\*\*(\d+)\*\*", what)))
    assert sessions == dict.fromkeys("123456", 90)


def test_a_class_of_thirty_costs_what_the_library_says():
    columns = [(5, "props"), (60, "props"), (30, "props_plus")]
    searches = [forecast_of(CAR, *column) for column in columns]
    assert costs(TEACHING, searches, people=30) == 4
    assert all(f"| `{name}` |" in TEACHING for name in EXAMPLES.values())


def test_goals_are_read_from_every_chapter():
    assert sorted(ROOT.glob(goals.CHAPTERS)) == CHAPTERS and len(CHAPTERS) >= 10
    for path in CHAPTERS:
        title, found, length = goals.read_goals(goals.first_cell(path))
        assert title and 3 <= len(found) <= 8 and 30 <= length <= 90


@pytest.mark.parametrize("lacking", range(3))
def test_a_chapter_without_title_goals_or_time_is_refused(lacking):
    parts = ["# A", "**Goals**\n\n- a;", "In class: 5 minutes."]
    del parts[lacking]
    with pytest.raises(ValueError, match="a title, its"):
        goals.read_goals("\n\n".join(parts))
