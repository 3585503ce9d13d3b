"""The figures on the page for teachers: minutes add up, costs are those of the library."""

import importlib
import re
from pathlib import Path

import pytest
from forecasts import EXAMPLES, forecast_of

from propslib.brain.cost import find_price

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "book" / "teaching.md").read_text(encoding="utf-8")


def minutes(text):
    """Of each table in the text, the sum of its minutes."""
    tables = re.findall(r"^\| minutes .*\n\|[-|]+\|\n((?:\|.*\n)+)", text, re.MULTILINE)
    return [sum(map(int, re.findall(r"^\| (\d+) ", rows, re.MULTILINE))) for rows in tables]


def test_the_plans_fill_their_time():
    afternoon, _, rest = PAGE.partition("### Three sessions of 90 minutes")
    three, _, six = rest.partition("### Six sessions of 90 minutes")
    assert minutes(afternoon) == [180]
    assert minutes(three) == [90, 90, 90]
    sessions = {}
    for session, length in re.findall(r"^\| (\d) \| (\d+) \|", six, re.MULTILINE):
        sessions[session] = sessions.get(session, 0) + int(length)
    assert sessions == dict.fromkeys("123456", 90)


def test_a_class_of_thirty_costs_what_the_library_says():
    columns = [(5, "props"), (60, "props"), (30, "props_plus")]
    searches = [forecast_of("MountainCarContinuous-v0", *column) for column in columns]
    rows = re.findall(r"^\| `(\w+:\S+)` \| ([\d.| ]+) \|$", PAGE, re.MULTILINE)
    assert len(rows) == 4 and set(EXAMPLES.values()) < {name for name, _ in rows}
    for name, cells in rows:
        price = find_price(name)
        assert str(price.date)[:7] in ("2026-10", "2026-11")
        for shown, usage in zip(cells.split("|"), searches, strict=True):
            usd = 30 * price.usd(usage.tokens_in, usage.tokens_out)
            # Estimates without the tokenizer may differ a little.
            assert float(shown) == pytest.approx(usd, abs=0.006, rel=0.02), name


@pytest.fixture
def goals(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "book" / "_ext"))
    return importlib.import_module("goals")


def test_goals_are_read_from_every_chapter(goals):
    chapters = sorted(ROOT.glob(goals.CHAPTERS))
    assert len(chapters) >= 10
    for path in chapters:
        title, found, length = goals.read_goals(goals.first_cell(path))
        assert title and 3 <= len(found) <= 8 and 30 <= length <= 90


@pytest.mark.parametrize("text", ["# A title\n\nIn class: 5 minutes.", "**Goals**\n- a;\n"])
def test_a_chapter_without_goals_or_time_is_named(goals, text):
    with pytest.raises(ValueError, match="a title, its \\*\\*Goals\\*\\*, and its time in class"):
        goals.read_goals(text)
