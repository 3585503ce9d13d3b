"""What a search will cost: the whole of it before it starts, and each call before it is made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..run import Price, Run, Trial, Usage
from .base import Brain, Proposal, StopSearch
from .cost import CHARACTERS_A_TOKEN, count_tokens

REPLY = 100  # tokens that a reply of two lines takes; hidden reasoning comes on top
COUNTED = 40  # so many prompts of a forecast are counted; between them lengths lie on a line


def forecast(brain: Brain, budget: int, warmup: int, seed: int) -> Usage:
    """About what a whole search would use: its real prompts, with random points in them.

    Replies are taken to have 100 tokens each, no token to be cached, no reply to be refused.
    """
    brain = brain.blank()
    rng = np.random.default_rng(seed)
    iterations = np.linspace(1, budget, min(budget, COUNTED)).round().astype(int)
    tokens = []
    for k in range(1 - warmup, budget + 1):
        if k in iterations:
            tokens.append(count_tokens(brain.prompt()))
        brain.tell(Trial(max(k, 0), brain.policy.sample(rng), -123.45))
    if not any(tokens):
        return Usage()
    tokens_in = round(np.interp(range(1, budget + 1), iterations, tokens).sum())
    usd = brain.price.usd(tokens_in, budget * REPLY) if brain.price else None
    return Usage(budget, tokens_in, budget * REPLY, seconds=None, usd=usd)


@dataclass(frozen=True)
class Limits:
    """What the calls of a search may use together: US dollars, and tokens in and out.

    Raises ValueError for a limit that is not above 0.
    """

    max_usd: float | None = None
    max_tokens: int | None = None

    def __post_init__(self):
        for name in ("max_usd", "max_tokens"):
            limit = getattr(self, name)
            if limit is not None and not limit > 0:
                raise ValueError(f"{name} is {limit}; it must be above 0, or None for no limit.")

    def check_price(self, brain: Brain) -> None:
        """Raise ValueError where max_usd cannot be kept, as the model's price is unknown."""
        if self.max_usd is not None and brain.prompt() and brain.price is None:
            raise ValueError(
                f"max_usd={self.max_usd} cannot be kept: the price of {brain.config['chat']} is "
                "unknown. Give it, in US dollars per million tokens, as "
                "chat(..., price={'input': ..., 'output': ...}), or set max_tokens."
            )

    def check(self, brain: Brain, run: Run, refused: Sequence[Proposal]) -> None:
        """Raise StopSearch where the next call would probably exceed a limit."""
        if self.max_usd is None and self.max_tokens is None:
            return
        prompt = brain.prompt(refused)
        if not prompt:
            return
        replies = run.replies
        used = [_used(reply) for reply in replies]
        following = _following(prompt, replies)
        if self.max_tokens is not None:
            spent, more = sum(map(sum, used)), sum(following)
            if spent + more > self.max_tokens:
                raise StopSearch(
                    f"The next call would take about {more:,} tokens; {spent:,} are used, and "
                    f"max_tokens is {self.max_tokens:,}: raise it to go on."
                )
        if self.max_usd is not None:
            spent = sum(_paid(reply, brain.price) for reply in replies)
            more = brain.price.usd(*following)
            if spent + more > self.max_usd:
                raise StopSearch(
                    f"The next call would cost about ${more:.4f}; ${spent:.4f} are spent, and "
                    f"max_usd is {self.max_usd:g}: raise it to go on."
                )


def _used(reply: dict[str, Any]) -> tuple[int, int]:
    """Tokens in and out of a call; an estimate where the server did not report them."""
    tokens_in, tokens_out = reply.get("tokens_in"), reply.get("tokens_out")
    if tokens_in is None:
        tokens_in = round(reply.get("prompt_characters", 0) / CHARACTERS_A_TOKEN)
    if tokens_out is None:
        tokens_out = count_tokens(reply["reply"])
    return tokens_in, tokens_out


def _paid(reply: dict[str, Any], price: Price) -> float:
    usd = reply.get("usd")
    return price.usd(*_used(reply), reply.get("tokens_cached")) if usd is None else usd


def _following(prompt: str, replies: list[dict[str, Any]]) -> tuple[int, int]:
    """Tokens in as the last call had them per character, tokens out as the longest reply had."""
    known = [
        reply for reply in replies if reply.get("tokens_in") and reply.get("prompt_characters")
    ]
    if known:
        last = known[-1]
        tokens_in = round(len(prompt) * last["tokens_in"] / last["prompt_characters"])
    else:
        tokens_in = count_tokens(prompt)
    return tokens_in, max((_used(reply)[1] for reply in replies), default=REPLY)
