"""Optional: what a search costs, before it starts and before each call; prices by name."""

import math
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from ..run import Run, Trial
from ..settings import number
from ..usage import Price, Usage
from .base import Brain, Proposal, StopSearch

PRICES = Path(__file__).with_name("prices.toml")
FREE = ("local", "ollama", "recorded", "you")
CHARACTERS_A_TOKEN = 1.6  # of the compact prompts in benchmarks/tokens.json; the others have more
FEWEST = 10  # characters a token: no text has more, so a server that reports fewer tokens errs
REPLY = 100  # tokens that a reply of two lines takes; hidden reasoning comes on top
COUNTED = 40  # so many prompts of a forecast are counted; between them lengths lie on a line


def find_price(name: str) -> Price | None:
    """The price of a chat back end by its whole name; None where it is unknown.

    >>> find_price(
    ...     "openai:gpt-6.1-sol"
    ... ).input
    2.0

    List prices, each with its source and date. What runs here, a person and a recording are free.
    """
    if name.partition(":")[0] in FREE:
        return Price(0.0, 0.0)
    entry = tomllib.loads(PRICES.read_text(encoding="utf-8")).get(name)
    if entry is None:
        return None
    entry.pop("ends", None)
    return Price(**entry | {"date": entry["date"].isoformat()})


def price_of(brain: Brain) -> Price | None:
    """The price of the model that a brain asks; None where that is unknown."""
    chat = getattr(brain, "chat", None)
    return chat.price if hasattr(chat, "price") else find_price(str(getattr(chat, "name", "")))


def count_tokens(text: str) -> int:
    """About how many tokens a model makes of a text.

    Exact for OpenAI's models since GPT-4o, as far as is known (their vocabulary is o200k). Other
    models' tokens differ: those that cut numbers into single digits make more of a prompt's rows.
    """
    tokenizer = _tokenizer()
    if tokenizer is None:
        return _estimate(len(text))
    # Half a character, where a reply was cut, has no UTF-8 form: it is counted as "?".
    return tokenizer.count(text.encode("utf-8", "replace").decode("utf-8"))


@cache
def _tokenizer() -> Any:
    try:
        import quicktok
    except ImportError:  # it has no package for some computers: see requirements.txt
        return None
    return quicktok.get_encoding("o200k_base")


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
    price = price_of(brain)
    usd = price.usd(tokens_in, budget * REPLY) if price else None
    return Usage(budget, tokens_in, budget * REPLY, seconds=None, usd=usd)


class Limit:
    """What the calls of a search may cost together, in US dollars.

    Raises ValueError for a limit that is not above 0, and for one that cannot be kept, as the
    model's price is unknown.
    """

    def __init__(self, brain: Brain, max_usd: float):
        self.brain, self.price = brain, price_of(brain)
        self.most = number("max_usd", max_usd, above=0)
        if brain.prompt() and self.price is None:
            how = "give chat(..., price={'input': ..., 'output': ...})"
            raise ValueError(f"The price of {brain.config['chat']} is unknown: {how}.")

    def check(self, run: Run, refused: Sequence[Proposal]) -> None:
        """Raise StopSearch where the next call would probably exceed the limit.

        It is taken to have as many tokens in as its prompt or the last call, whichever is more,
        and as many out as the longest reply so far.
        """
        prompt = self.brain.prompt(refused)
        if not prompt:
            return
        used = [_used(reply) for reply in run.replies]
        tokens_in = max([count_tokens(prompt), *(call[0] for call in used[-1:])])
        more = self.price.usd(tokens_in, max((call[1] for call in used), default=REPLY))
        spent = sum(_paid(reply, self.price) for reply in run.replies)
        if spent + more > self.most:
            need = f"The next call would take about ${more:.4f}; ${spent:.4f} are used"
            raise StopSearch(f"{need}, and max_usd is {self.most:,}: raise it to go on.")


def _used(reply: Mapping[str, Any]) -> list[int]:
    """Tokens in and out of a call; an estimate where a server reported none that can be true."""
    sent, written = reply.get("prompt_characters", 0), len(reply["reply"])
    reported = ((reply.get("tokens_in") or 0, sent), (reply.get("tokens_out") or 0, written))
    return [n if n * FEWEST >= max(c, 1) else _estimate(c) for n, c in reported]


def _estimate(characters: int) -> int:
    return math.ceil(characters / CHARACTERS_A_TOKEN)


def _paid(reply: Mapping[str, Any], price: Price) -> float:
    return max(reply.get("usd") or 0.0, price.usd(*_used(reply), reply.get("tokens_cached")))
