"""What a model's tokens cost: prices by name, from one dated file."""

from __future__ import annotations

import math
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

from ..run import Price

PRICES = Path(__file__).with_name("prices.toml")
FREE = ("local", "ollama", "recorded", "you")
CHARACTERS_A_TOKEN = 1.6  # of the compact prompts in benchmarks/tokens.json; the others have more


def find_price(name: str) -> Price | None:
    """The price of a chat back end by its whole name; None where it is unknown.

    >>> find_price("openai:gpt-4o").input
    2.5

    Prices are list prices, in `prices.toml` with their dates. What runs on this computer, a person
    and a recording cost nothing.
    """
    if name.partition(":")[0] in FREE:
        return Price(0.0, 0.0)
    entry = _prices().get(name)
    return Price(**entry | {"date": entry["date"].isoformat()}) if entry else None


@cache
def _prices() -> dict[str, Any]:
    return tomllib.loads(PRICES.read_text(encoding="utf-8"))


def count_tokens(text: str) -> int:
    """About how many tokens a model makes of a text.

    Exact for OpenAI's models since GPT-4o, as far as is known (their vocabulary is o200k). Other
    models' tokens differ: those that cut numbers into single digits make more of a prompt's rows.
    """
    tokenizer = _tokenizer()
    if tokenizer is None:
        return math.ceil(len(text) / CHARACTERS_A_TOKEN)
    # Half a character, where a reply was cut, has no UTF-8 form: it is counted as "?".
    return tokenizer.count(text.encode("utf-8", "replace").decode("utf-8"))


@cache
def _tokenizer() -> Any:
    try:
        import quicktok
    except ImportError:  # it has no package for some computers: see requirements.txt
        return None
    return quicktok.get_encoding("o200k_base")
