"""What a model's tokens cost: prices by name, from one dated file."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

PRICES = Path(__file__).with_name("prices.toml")
FREE = ("local", "ollama", "recorded", "you")
CHARACTERS_A_TOKEN = 1.6  # of the compact prompts in benchmarks/tokens.json; the others have more


@dataclass(frozen=True)
class Price:
    """What a model's tokens cost, in US dollars per million.

    >>> Price(input=2.5, output=10.0, cached=1.25).usd(3_000_000, 100_000, tokens_cached=2_000_000)
    6.0

    input, output
        Of the prompt, and of the reply with its hidden reasoning.
    cached
        Of the part of the prompt that the provider had kept from an earlier call; None where that
        costs as much as the rest.
    source, date
        The address where the provider publishes the price, and when it was seen (ISO 8601).
    written
        Of the part that the provider keeps for later calls, where it charges more for that. All
        that was not cached is then taken to be kept, so that a sum is never too low.
    """

    input: float
    output: float
    cached: float | None = None
    source: str = ""
    date: str = ""
    written: float | None = None

    def usd(
        self, tokens_in: int | None, tokens_out: int | None, tokens_cached: int | None = None
    ) -> float | None:
        """The price of calls; None where their tokens are unknown and not free.

        tokens_cached
            How many of `tokens_in` were cached; None for none of them.
        """
        if self.input == self.output == 0:
            return 0.0
        if tokens_in is None or tokens_out is None:
            return None
        # Servers report these numbers; one that contradicts itself must not end a search.
        cached = min(tokens_cached or 0, tokens_in)
        at_cached = self.input if self.cached is None else self.cached
        at_new = self.input if self.written is None else self.written
        sum_ = (tokens_in - cached) * at_new + cached * at_cached + tokens_out * self.output
        return sum_ / 1e6


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


@dataclass(frozen=True)
class Usage:
    """What calls of a model used, together. None where a part is unknown.

    >>> print(Usage(calls=2, tokens_in=5210, tokens_out=140, tokens_cached=2048, usd=0.0119))
    2 calls; 5,210 tokens in (2,048 cached), 140 out; $0.0119
    """

    calls: int = 0
    tokens_in: int | None = 0
    tokens_out: int | None = 0
    tokens_cached: int | None = 0
    seconds: float | None = 0.0
    usd: float | None = 0.0

    @classmethod
    def of(cls, calls: Iterable[Mapping[str, Any]]) -> Usage:
        """The sum over the `ask` events of a run."""
        calls = list(calls)

        def total(name: str) -> Any:
            parts = [call.get(name) for call in calls]
            return None if None in parts else sum(parts)

        cached = sum(call.get("tokens_cached") or 0 for call in calls)
        rest = {name: total(name) for name in ("tokens_in", "tokens_out", "seconds", "usd")}
        return cls(calls=len(calls), tokens_cached=cached, **rest)

    def __str__(self) -> str:
        def shown(number: int | None) -> str:
            return "?" if number is None else f"{number:,}"

        cached = f" ({self.tokens_cached:,} cached)" if self.tokens_cached else ""
        money = "price unknown" if self.usd is None else f"${self.usd:.4f}"
        return (
            f"{self.calls:,} calls; {shown(self.tokens_in)} tokens in{cached}, "
            f"{shown(self.tokens_out)} out; {money}"
        )
