"""What a model's tokens cost: prices by name, from one dated file."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

PRICES = Path(__file__).with_name("prices.toml")
FREE = ("local", "ollama", "recorded", "you")


@dataclass(frozen=True)
class Price:
    """US dollars per million tokens: of the prompt, of its cached part, and written."""

    input: float
    output: float
    cached: float | None = None
    source: str = ""
    date: str = ""

    def usd(
        self, tokens_in: int | None, tokens_out: int | None, tokens_cached: int | None = None
    ) -> float | None:
        """The price of a call; None where its tokens are unknown and not free."""
        if self.input == self.output == 0:
            return 0.0
        if tokens_in is None or tokens_out is None:
            return None
        cached = tokens_cached or 0
        at_cached = self.input if self.cached is None else self.cached
        sum_ = (tokens_in - cached) * self.input + cached * at_cached + tokens_out * self.output
        return sum_ / 1e6


def find_price(name: str) -> Price | None:
    """The price of a chat back end by its name; None where it is unknown."""
    if name.partition(":")[0] in FREE:
        return Price(0.0, 0.0)
    entry = _prices().get(name)
    return Price(**entry) if entry else None


@cache
def _prices() -> dict:
    return tomllib.loads(PRICES.read_text(encoding="utf-8"))


def count_tokens(text: str) -> int:
    """About how many tokens a model makes of a text."""
    return round(len(text) / 2.5)


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
