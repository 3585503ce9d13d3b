"""Optional: what calls of a model used, and what that costs."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Self


@dataclass(frozen=True)
class Price:
    """What a model's tokens cost, in US dollars per million.

    >>> price = Price(
    ...     input=2.5, output=10.0, cached=1.25
    ... )
    >>> price.usd(
    ...     3_000_000, 100_000,
    ...     tokens_cached=2_000_000,
    ... )
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
        return ((tokens_in - cached) * at_new + cached * at_cached + tokens_out * self.output) / 1e6


@dataclass(frozen=True)
class Usage:
    """What calls of a model used, together. None where a part is unknown.

    >>> usage = Usage(
    ...     calls=2, usd=0.0119,
    ...     tokens_in=5210, tokens_out=140,
    ...     tokens_cached=2048,
    ... )
    >>> print(usage)
    2 calls; 5,210 tokens in (2,048 cached), 140 out; $0.0119
    """

    calls: int = 0
    tokens_in: int | None = 0
    tokens_out: int | None = 0
    tokens_cached: int | None = 0
    seconds: float | None = 0.0
    usd: float | None = 0.0

    @classmethod
    def of(cls, calls: Iterable[Mapping[str, Any]]) -> Self:
        """The sum over the `ask` events of a run."""
        calls = list(calls)
        sums = {"tokens_cached": sum(call.get("tokens_cached") or 0 for call in calls)}
        for name in ("tokens_in", "tokens_out", "seconds", "usd"):
            parts = [call.get(name) for call in calls]
            sums[name] = None if None in parts else sum(parts)
        return cls(len(calls), **sums)

    def __str__(self) -> str:
        in_, out = ("?" if n is None else f"{n:,}" for n in (self.tokens_in, self.tokens_out))
        cached = f" ({self.tokens_cached:,} cached)" if self.tokens_cached else ""
        money = "price unknown" if self.usd is None else f"${self.usd:.4f}" if self.usd else "$0"
        return f"{self.calls:,} calls; {in_} tokens in{cached}, {out} out; {money}"
