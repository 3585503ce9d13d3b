"""Optional: one client for all models behind a server: keys, repeated calls, what a call cost.

A key is read from an environment variable and goes to its own provider only. It is kept out of
`repr`, pickles and logs, and is blanked wherever a server sends it back. Options are written to the
log, so those that are named like a secret are refused, and a long text without blanks in
`extra_body`, which may be one, is blanked too.
"""

import json
import logging
import os
import random
import re
import time
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import quote

from ...settings import number
from ...usage import Price
from ..base import Reply
from ..cost import find_price
from . import ChatError
from .wire import Fault

log = logging.getLogger(__name__)
sleep = time.sleep

OFFLINE = (
    "Without a key: chat('recorded:mountaincar-props') replays a search, chat('local') asks a small"
    " model on this computer (after `make local`), chat('you') asks you."
)
KEYS = "A key goes into an environment variable, never into a notebook; key_env= names it."
SHORTEST = 8  # characters: a shorter key, as local servers are given, hides nothing
LONGEST = 500  # characters that are shown of what a server says about a failure
_ADDRESS = re.compile(r"https?://([\w.-]+|\[[\da-fA-F:.]+\])(:\d{1,5})?(/[^\s?#@]*)?")
# In JSON, a text without blanks that is long enough for a key, maybe after "Bearer".
_LONG = re.compile(r'"(?:\w+ )?([^"\s]{16,})"(?!:)')
# A text under the name of a secret, in JSON; and what OpenAI's keys and some others begin with.
_SECRET = re.compile(r'"[^"]*(key|token|secret|passw|auth|cred)[^"]*": \[?"|"sk-', re.IGNORECASE)


class LiveChat(ABC):
    """A chat back end that asks a server. Calling it with a prompt returns a `Reply`.

    name
        What the log calls it.
    model
        The server's name for the model.
    base_url
        Another server than the provider's own. It gets no key but that of `key_env`.
    key_env
        The environment variable that holds the key.
    timeout
        Seconds that a call may take, from its beginning to the answer's last byte.
    patience
        Seconds in which a call that fails in a way that may pass is repeated: after as long as the
        server asks for, or else after 0.5, 1, 2, ... 30 seconds, and up to a second of chance more,
        so that a class of students does not come back all at once.
    price
        US dollars per million tokens, as `Price` or `{"input": 2.5, "output": 10}`, for a model
        whose price the library does not know.
    options
        Whatever else the provider's SDK takes: temperature, seed, ...

    Raises ValueError without a key and for settings that would send it astray, TypeError for
    options that the SDK does not take. Calling raises ChatError where no answer could be had.
    """

    live = True  # a search shows its progress, as the answers take time
    key_envs: tuple[str, ...]
    home: str  # the provider's own address
    diverting = ""  # the environment variable that would name another address
    hint = ""  # what else may help where nobody answers

    def __init__(
        self,
        name: str,
        model: str,
        *,
        base_url: str | None = None,
        key_env: str | None = None,
        timeout: float = 600.0,
        patience: float = 900.0,
        price: Price | Mapping[str, float] | None = None,
        **options: Any,
    ):
        # It is not shown where it is refused: it may hold a key.
        if not _ADDRESS.fullmatch(self.home if base_url is None else base_url):
            form = "'https://host/v1', without user, password, query or fragment"
            raise ValueError(f"base_url must be like {form}, as it is written to the log. {KEYS}")
        self.name, self.model, self.base_url, self.key_env = name, model, base_url, key_env
        self.timeout = number("timeout", timeout, above=0)
        self.patience = number("patience", patience, least=0)
        if price is None and base_url is None:
            price = find_price(name)
        self.price = price if isinstance(price, Price | None) else Price(**price)
        self._arguments = json.loads(json.dumps(options, allow_nan=False))
        if _SECRET.search(json.dumps(options.get("extra_body"))):
            raise ValueError(f"extra_body holds a key, and is written to the log. {KEYS}")
        self._key = self._find_key()
        if unknown := sorted(set(options) - self._known()):
            raise TypeError(f"There are no options {unknown}: see the provider's SDK. {KEYS}")

    @abstractmethod
    def _known(self) -> set[str]:
        """The options that the SDK takes. Raises TypeError for values that it does not."""

    @abstractmethod
    def _answer(self, prompt: str, changes: dict[str, Any]) -> Reply | Fault:
        """One call, with changed options. A fault is given back, not raised, so that no SDK error
        hangs on it, whose frames hold the key."""

    @property
    def address(self) -> str:
        """The server's address."""
        return self.base_url or self.home

    @property
    def options(self) -> dict[str, Any]:
        """What decides the answers, for a run's log."""
        given = {"base_url": self.base_url, "key_env": self.key_env} | self._arguments
        shown = {name: value for name, value in given.items() if value is not None}
        return json.loads(self._blank(json.dumps(shown)))

    def _blank(self, text: str) -> str:
        """A text without the key, and without what `extra_body` holds that may be one."""
        secrets = [self._key or "", *_LONG.findall(json.dumps(self._arguments.get("extra_body")))]
        forms = {form for key in secrets for form in (key, quote(key, ""), json.dumps(key)[1:-1])}
        for form in sorted(forms, key=len, reverse=True):
            text = text.replace(form, "[key]") if len(form) >= SHORTEST else text
        return text

    def __call__(self, prompt: str, **changes: Any) -> Reply:
        """Ask the model, with changed options: see `LiveChat`."""
        prompt = prompt.encode("utf-8", "replace").decode()  # half a character cannot be sent
        start, pause, calls = time.monotonic(), 0.5, 1
        while isinstance(outcome := self._answer(prompt, changes), Fault):
            outcome.message = self._blank(outcome.message)[:LONGEST]
            wait = outcome.wait or pause
            wait += random.uniform(0, min(1, wait))
            if not outcome.passing or time.monotonic() - start + wait >= self.patience:
                raise ChatError(f"{self.name}: {self._advice(outcome)} {self.hint}".strip())
            log.warning("%s Calling again in %.1f s.", outcome.message, wait)
            sleep(wait)
            pause, calls = min(30, 2 * pause), calls + outcome.paid
        return self._clean(outcome, calls, time.monotonic() - start)

    def _clean(self, reply: Reply, calls: int, seconds: float) -> Reply:
        """The reply without the key; calls that broke off are taken to have used as much."""
        names = ("tokens_in", "tokens_out", "tokens_cached")
        used = {name: (got := getattr(reply, name)) and calls * got for name in names}
        texts = {name: self._blank(getattr(reply, name)) for name in ("text", "model", "problem")}
        texts |= {name: texts[name][:LONGEST] for name in ("model", "problem")}
        usd = self.price.usd(*used.values()) if self.price else None
        return replace(reply, seconds=round(seconds, 3), usd=usd, **used, **texts)

    def _find_key(self) -> str | None:
        if not self.base_url and os.environ.get(self.diverting):
            raise ValueError(f"{self.diverting} is set: unset it, or give base_url= and key_env=.")
        names = (self.key_env,) if self.key_env else () if self.base_url else self.key_envs
        key = next(filter(None, map(_read, names)), None)
        if names and not key:
            where = f"the environment variable {' or '.join(names)}, in plain characters"
            raise ValueError(f"{self.name} needs a key: set {where}. {KEYS} {OFFLINE}")
        return key

    def _advice(self, fault: Fault) -> str:
        if fault.passing:
            asked = f"A wait of {fault.wait:,.0f} seconds is" if fault.wait else "That went on for"
            allowed = f"{asked} longer than patience={self.patience:g} seconds allows"
            return f"{fault.message} {allowed}. Try later: the same search goes on from its log."
        key = self.key_env or " or ".join(self.key_envs)
        cures = {
            400: f"Check the options {sorted(self._arguments)} and the model's name.",
            401: f"Check the key in {key}. {OFFLINE}" if self._key else f"It wants a key. {KEYS}",
            403: f"The key of {key} may not use this model. {OFFLINE}",
            404: f"Check the model's name {self.model!r} and the address {self.base_url or ''}.",
        }
        return f"{fault.message} {cures.get(fault.status, '')}"

    def __repr__(self) -> str:
        return f"chat({self.name!r})"

    def __getstate__(self) -> dict[str, Any]:
        """Without the key, which is found again where the pickle is read, and without a client."""
        return {k: v for k, v in self.__dict__.items() if k not in ("_key", "_client")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__ |= state
        self._key = self._find_key()


def _read(name: str) -> str:
    """A key from the environment; empty where no header could hold it."""
    key = os.environ.get(name, "").strip()
    return key if key.isascii() and key.isprintable() else ""
