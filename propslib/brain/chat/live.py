"""Optional: models behind a server. One client for all: keys, repeated calls, what a call cost.

A key is read from an environment variable and goes to its own provider only. It is kept out of
`repr`, pickles and logs, and is blanked wherever a server sends it back; so is every option's value
that may be secret.
"""

from __future__ import annotations

import json
import logging
import os
import random
import re
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any
from urllib.parse import quote, urlsplit

from ...run import Price
from ..base import Reply
from ..cost import find_price
from . import ChatError
from .wire import Fault, Http

log = logging.getLogger(__name__)
sleep = time.sleep

OFFLINE = (
    "Without a key: chat('recorded:mountaincar-props') replays a search, chat('local') asks a small"
    " model on this computer (after `make local`), chat('you') asks you."
)
SECRET = 8  # characters: a shorter key, as local servers are given, hides nothing
LONGEST = 500  # characters that are shown of what a server says about a failure
CONFIDENTIAL = ("extra_headers", "extra_query")  # options of which the log gets the names only
_SECRET_NAME = re.compile(r"key|token|secret|passw|auth|cred", re.IGNORECASE)
_SECRET_WORD = re.compile(r"\S{16}|(?=\S*\d)\S{8}")


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
        that is not in prices.toml.
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
        if not timeout > 0 or not patience >= 0:
            raise ValueError(f"timeout is {timeout} and patience {patience}; both are seconds.")
        self.name, self.model, self.key_env = name, model, key_env
        self.base_url, self.timeout, self.patience = _checked_url(base_url), timeout, patience
        if price is None and base_url is None:
            price = find_price(name)
        self.price = price if isinstance(price, Price | None) else Price(**price)
        self._arguments = _checked_options(options)
        self._key = self._find_key()
        self._check(options)

    def __call__(self, prompt: str) -> Reply:
        """Ask the model: see `LiveChat`."""
        return self._ask(prompt, self._arguments)

    @abstractmethod
    def _check(self, options: dict[str, Any]) -> None:
        """Raise TypeError for options that the SDK does not take."""

    @abstractmethod
    def _answer(self, prompt: str, arguments: dict[str, Any]) -> Reply | Fault:
        """One call. A fault is given back, not raised, so that no SDK error hangs on it."""

    @property
    def address(self) -> str:
        """The server that is asked."""
        return self.base_url or self.home

    @property
    def options(self) -> dict[str, Any]:
        """What decides the answers, for a run's log: no key, and no value that may be secret."""
        place = {"base_url": self.base_url, "key_env": self.key_env}
        return {name: value for name, value in place.items() if value is not None} | self._shown

    @property
    def _shown(self) -> dict[str, Any]:
        return {
            name: sorted(value) if name in CONFIDENTIAL else _masked(value, self._secrets)
            for name, value in self._arguments.items()
        }

    @property
    def _secrets(self) -> set[str]:
        """The key, and what the options hold that is not for anybody's eyes."""
        given = {self._key or ""}
        for option in (*CONFIDENTIAL, "extra_body"):
            for name, text in _leaves(self._arguments.get(option)):
                guarded = _SECRET_NAME.search(name) or _SECRET_WORD.search(text)
                given |= {text} if guarded or option in CONFIDENTIAL else set()
        return {text for text in given if len(text) >= SECRET}

    def _blank(self, text: str) -> str:
        """A text from a server without the secrets that it may send back."""
        words = {word for text in self._secrets for word in (text, *re.split(r"[\s=;,]+", text))}
        forms = {form for word in words for form in (word, quote(word, ""), json.dumps(word)[1:-1])}
        for form in sorted(forms, key=len, reverse=True):
            text = text.replace(form, "[key]") if len(form) >= SECRET else text
        return text

    @cached_property
    def _http(self) -> Http:
        return Http(self.address, self.timeout)

    def _ask(self, prompt: str, arguments: dict[str, Any]) -> Reply:
        prompt = prompt.encode("utf-8", "replace").decode()  # half a character cannot be sent
        start, broken, pauses = time.monotonic(), 0, _pauses()
        while isinstance(outcome := self._answer(prompt, arguments), Fault):
            broken += outcome.paid
            outcome.message = self._blank(outcome.message)[:LONGEST]
            pause = next(pauses)
            if outcome.wait:
                pause = outcome.wait + random.uniform(0, min(1, outcome.wait))
            if not outcome.passing or time.monotonic() - start + pause >= self.patience:
                raise ChatError(self._advice(outcome))
            level = logging.WARNING if pause >= 5 else logging.INFO
            log.log(level, "%s Calling again in %.0f s.", outcome.message, pause)
            sleep(pause)
        return self._clean(outcome, 1 + broken, round(time.monotonic() - start, 3))

    def _clean(self, reply: Reply, calls: int, seconds: float) -> Reply:
        """The reply without secrets; calls that broke off are taken to have used as much."""
        names = ("tokens_in", "tokens_out", "tokens_cached")
        used = {name: (got := getattr(reply, name)) and calls * got for name in names}
        shown = {name: self._blank(getattr(reply, name))[:LONGEST] for name in ("model", "problem")}
        usd = self.price.usd(*used.values()) if self.price else None
        text = self._blank(reply.text)
        return replace(reply, text=text, seconds=seconds, usd=usd, **used, **shown)

    def _find_key(self) -> str | None:
        if not self.base_url and os.environ.get(self.diverting):
            raise ValueError(
                f"The environment variable {self.diverting} is set, so it is unclear which server "
                "should get the key. Unset it, or name the server by base_url= and the variable "
                "that holds its key by key_env=."
            )
        names = (self.key_env,) if self.key_env else () if self.base_url else self.key_envs
        # No frame that raises has a key among its variables.
        if odd := [name for name in names if not re.fullmatch(r"[ -~]*", _read(name))]:
            raise ValueError(
                f"{self.name} cannot use {odd[0]}: no key has such characters. Set it again, "
                "unquoted."
            )
        if names and not any(map(_read, names)):
            raise ValueError(
                f"{self.name} needs a key: set the environment variable {' or '.join(names)} "
                f"before Python starts, never in a notebook. {OFFLINE}"
            )
        return next(filter(None, map(_read, names)), None)

    def _advice(self, fault: Fault) -> str:
        key = self.key_env or " or ".join(self.key_envs)
        named = [name for name in self._arguments if re.search(rf"\b{name}\b", fault.message)]
        where = f" and base_url {self.base_url!r}" if self.base_url else ""
        advice = {
            400: f"This model does not take {' and '.join(named)}: leave it out."
            if named
            else f"The server does not take this request: check the options "
            f"{sorted(self._arguments)} and the model's name.",
            401: f"The server refuses the key: check {key}. {OFFLINE}"
            if self._key
            else "The server wants a key: put it into an environment variable and name that by "
            "key_env=.",
            403: f"The key of {key} may not use this model. {OFFLINE}",
            404: f"Check the model's name {self.model!r}{where}.",
        }
        cure = advice.get(fault.status, "Calling again would not help." if fault.status else "")
        if fault.passing:
            late = (fault.wait or 0) > self.patience
            so = f"asks to wait {fault.wait:,.0f} seconds," if late else "went on for"
            cure = (
                f"It {so} longer than patience={self.patience:g} seconds allows. "
                "Try later: the same search goes on from its log."
            )
        return f"{self.name}: {fault.message} {cure} {self.hint}".strip()

    def __repr__(self) -> str:
        return f"chat({self.name!r})"

    def __getstate__(self) -> dict[str, Any]:
        state = {k: v for k, v in self.__dict__.items() if k not in ("_key", "_http", "_client")}
        return state | {"_arguments": self._arguments if self._shown == self._arguments else None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__ |= state
        if self._arguments is None:
            raise ValueError(f"{self.name} was pickled without its secret options: make it anew.")
        self._key = self._find_key()


def _read(name: str) -> str:
    return os.environ.get(name, "").strip()


def _pauses() -> Iterator[float]:
    for k in range(10**9):
        yield min(30.0, 0.5 * 2 ** min(k, 6)) + random.random()


def _leaves(value: Any, name: str = "") -> Iterator[tuple[str, str]]:
    """Every value of nested options as text, with the name that it stands under."""
    if isinstance(value, dict | list):
        pairs = value.items() if isinstance(value, dict) else ((name, part) for part in value)
        for key, part in pairs:
            yield from _leaves(part, key)
    elif value is not None:
        yield name, str(value)


def _masked(value: Any, secrets: set[str]) -> Any:
    if isinstance(value, dict):
        return {key: _masked(part, secrets) for key, part in value.items()}
    if isinstance(value, list):
        return [_masked(part, secrets) for part in value]
    return "[hidden]" if str(value) in secrets else value


def _checked_url(url: str | None) -> str | None:
    # The address is not shown, as it may be a key in the wrong place.
    if url is None:
        return None
    if any(mark in url for mark in "@?#"):
        raise ValueError(
            "base_url must not hold a user, a password, a query or a fragment, for it is written "
            "to the log. Put the key into an environment variable and name that by key_env=."
        )
    if not re.fullmatch(r"https?://(\[[\da-fA-F:.]+\]|[\w.-]+)(:\d+)?(/[!-~]*)?", url):
        raise ValueError("base_url must be like 'https://host/v1'.")
    if urlsplit(url).port == 0:
        raise ValueError("base_url has the port 0; it must be like 'https://host/v1'.")
    return url


def _checked_options(options: dict[str, Any]) -> dict[str, Any]:
    if "api_key" in options:
        raise TypeError(
            "Give no key here, where it would be saved with the notebook: put it into an "
            "environment variable and name that by key_env=."
        )
    try:
        return json.loads(json.dumps(options, allow_nan=False))
    except (TypeError, ValueError) as error:
        raise TypeError(
            f"An option cannot be written to the log: {error}. Use numbers, texts, lists, dicts."
        ) from None
