"""What all live models over HTTP have in common: keys, repeated calls, what a call cost.

A key is read from an environment variable and goes to its own provider only. It is kept out of
`repr`, pickles and logs, and is blanked wherever a server sends it back.
"""

from __future__ import annotations

import json
import os
import time
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit

from ...run import Price
from ..base import Reply
from ..cost import find_price
from .retry import ChatError, Fault, passes, persist, seconds_to_wait

OFFLINE = (
    "Without a key: chat('recorded:mountaincar-props') replays a search, chat('local') asks a small"
    " model on this computer (after `make local`), chat('you') asks you."
)
SECRET = 8  # characters: a shorter key, as local servers are given, hides nothing
UNREADABLE = "The server's answer cannot be read."
LOOPBACK = ("localhost", "127.0.0.1", "::1")
# Options whose values may be secret: the log gets their names only.
_CONFIDENTIAL = ("extra_headers", "extra_query")


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
        Seconds to wait for a server that sends nothing.
    patience
        Seconds in which a call that fails in a way that may pass is repeated.
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
    diverting: str  # the environment variable by which the SDK would take another address

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
        self.name, self.model = name, model
        self.base_url, self.key_env = _checked_url(base_url), key_env
        self.timeout, self.patience = timeout, patience
        if price is None and base_url is None:
            price = find_price(name)
        self.price = price if isinstance(price, Price | None) else Price(**price)
        self._arguments = _checked_options(options)
        self._key = self._find_key()
        self._check(options)

    def __call__(self, prompt: str) -> Reply:
        """Ask the model: see `LiveChat`."""
        prompt = prompt.encode("utf-8", "replace").decode()  # half a character cannot be sent
        start = time.perf_counter()
        try:
            reply = persist(lambda: self._call(prompt), self.patience)
        except Fault as fault:
            raise ChatError(self._advice(fault)) from None
        return replace(
            reply,
            text=self._without_key(reply.text),
            model=self._without_key(reply.model),
            problem=self._without_key(reply.problem),
            seconds=round(time.perf_counter() - start, 3),
            usd=self.price.usd(reply.tokens_in, reply.tokens_out, reply.tokens_cached)
            if self.price
            else None,
        )

    @property
    def options(self) -> dict[str, Any]:
        """What decides the answers, for a run's log: no key, and no values of extra headers."""
        place = {"base_url": self.base_url, "key_env": self.key_env}
        taken = {
            name: sorted(value) if name in _CONFIDENTIAL else value
            for name, value in self._arguments.items()
        }
        return {name: value for name, value in place.items() if value is not None} | taken

    @abstractmethod
    def _check(self, options: dict[str, Any]) -> None:
        """Raise TypeError for options that the SDK does not take."""

    @abstractmethod
    def _answer(self, prompt: str) -> Reply | Fault:
        """One call. A fault is given back, not raised, so that no SDK error hangs on it."""

    def _call(self, prompt: str) -> Reply:
        outcome = self._answer(prompt)
        if isinstance(outcome, Fault):
            outcome.args = (self._without_key(str(outcome)),)
            raise outcome
        return outcome

    def _find_key(self) -> str | None:
        if not self.base_url and os.environ.get(self.diverting):
            raise ValueError(
                f"The environment variable {self.diverting} is set, so it is unclear which server "
                "should get the key. Unset it, or name the server by base_url= and the variable "
                "that holds its key by key_env=."
            )
        names = (self.key_env,) if self.key_env else () if self.base_url else self.key_envs
        key, problem = _read_key(names)
        if problem:
            raise ValueError(f"{self.name} {problem}")
        return key

    def _without_key(self, text: str) -> str:
        headers = self._arguments.get("extra_headers") or {}
        for secret in (self._key, *headers.values()):
            if isinstance(secret, str) and len(secret) >= SECRET:
                text = text.replace(secret, "[key]")
        return text

    def _advice(self, fault: Fault) -> str:
        advice = {
            400: "The server does not take this request: check the options "
            f"{sorted(self._arguments)} and the model's name.",
            401: f"The server refuses the key: check {self._key_name()}. {OFFLINE}"
            if self._key
            else "The server wants a key: put it into an environment variable and name that by "
            "key_env=.",
            403: f"The key of {self._key_name()} may not use this model. {OFFLINE}",
            404: f"Check the model's name {self.model!r}"
            + (f" and base_url {self.base_url!r}." if self.base_url else "."),
        }
        if fault.passing:
            cure = (
                f"It went on for longer than patience={self.patience:g} seconds allows. "
                "Try later: the same search goes on from its log."
            )
        elif fault.status is None:
            cure = ""
        else:
            cure = advice.get(fault.status, "Calling again would not help.")
        return f"{self.name}: {fault} {cure}".strip()

    def _key_name(self) -> str:
        return self.key_env or " or ".join(self.key_envs)

    def _trusts_proxies(self) -> bool:
        return urlsplit(self.base_url or self.home).hostname not in LOOPBACK

    def __repr__(self) -> str:
        return f"chat({self.name!r})"

    def __getstate__(self) -> dict[str, Any]:
        return {k: v for k, v in self.__dict__.items() if k not in ("_key", "_client")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__ |= state
        self._key = self._find_key()


def given(thing: Any, name: str, kind: type) -> Any:
    """An attribute where it is there and of the kind that it should be, else None."""
    value = getattr(thing, name, None)
    return value if isinstance(value, kind) else None


def incomplete(text: str, cut: bool, reasoned: bool) -> str:
    """What is wrong with an answer that ended too early; empty where nothing is."""
    if cut:
        return "The reply was cut off at its greatest allowed length. Be brief."
    if not text.strip():
        return "The reply was only reasoning, no answer." if reasoned else "The reply was empty."
    return ""


def status_fault(status: int, message: str | None, headers: Mapping[str, str]) -> Fault:
    """The fault that an HTTP status other than success stands for."""
    milliseconds = seconds_to_wait(headers.get("retry-after-ms"))
    asked = milliseconds / 1000 if milliseconds is not None else None
    return Fault(
        f"The server answered {status}: {message or 'no reason given'}",
        status=status,
        passing=passes(status),
        retry_after=seconds_to_wait(headers.get("retry-after")) if asked is None else asked,
    )


def connection_fault(error: BaseException | None, address: str) -> Fault:
    """The fault of a call that got no answer; nobody listening on this computer will not pass."""
    import httpx2

    refused = isinstance(error, httpx2.ConnectError)
    if refused and urlsplit(address).hostname in LOOPBACK:
        return Fault(f"No server answers at {address}: start it first.", passing=False)
    return Fault("There is no connection." if refused else "The connection broke off.")


def _read_key(names: Sequence[str]) -> tuple[str | None, str]:
    """The key in the first of these environment variables that is set, or what is wrong."""
    for name in names:
        key = os.environ.get(name, "").strip()
        if key and not (key.isascii() and key.isprintable()):
            return None, f"cannot use {name}: no key has such characters. Set it again, unquoted."
        if key:
            return key, ""
    if not names:
        return None, ""
    return None, (
        f"needs a key: set the environment variable {' or '.join(names)} before Python starts, "
        f"never in a notebook. {OFFLINE}"
    )


def _checked_url(url: str | None) -> str | None:
    if url is None:
        return None
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError(f"base_url is {url!r}; it must be like 'https://host/v1'.")
    if parts.username or parts.password or parts.query:
        raise ValueError(
            "base_url must not hold a user, a password or a query, for it is written to the log. "
            "Put the key into an environment variable and name that by key_env=."
        )
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


def refuse_unknown(options: dict[str, Any], known: set[str]) -> None:
    """Raise TypeError for options that are not among these."""
    unknown = sorted(set(options) - known)
    if unknown:
        raise TypeError(f"There are no options {unknown}; there are: {sorted(known)}.")
