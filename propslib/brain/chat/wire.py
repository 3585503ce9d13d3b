"""Optional: one call over HTTP, and what its answer says: a reply, or a fault."""

import json
import logging
import re
import socket
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Any

import httpx2

from ..base import Reply

LOOPBACK = ("localhost", "127.0.0.1", "::1")
PASSING_STATUS = (408, 409, 425, 429)  # timeout, conflict, too early, too many; and every 5xx
# What an error inside a 200 stands for, by a part of the provider's word for it; others may pass.
WORDS = {"quota": 402, "auth": 401, "key": 401, "permission": 403, "not_found": 404, "invalid": 400}

for _name in ("httpx2", "openai._base_client"):  # they log addresses, and what a request holds
    logging.getLogger(_name).addFilter(lambda record: False)


@dataclass
class Fault:
    """One failed call, in plain words.

    status
        The HTTP status; None where no answer came.
    passing
        Whether the same call may succeed later.
    wait
        How many seconds the server asks to wait; None where it does not say.
    paid
        Whether an answer had begun, so that the call may cost something all the same.
    """

    message: str
    status: int | None = None
    passing: bool = True
    wait: float | None = None
    paid: bool = False


class Http(httpx2.Client):
    """The client under both SDKs: each call has a connection of its own, and a limit in all.

    A timeout of HTTP counts from byte to byte, so a server that drips would keep a call for ever.
    """

    def __init__(self, address: str, timeout: float):
        self.address, self.limit = address, timeout
        self.here = httpx2.URL(address).host in LOOPBACK
        one = httpx2.Limits(max_keepalive_connections=0)
        super().__init__(timeout=timeout, limits=one, trust_env=not self.here)

    def send(self, request: httpx2.Request, **settings: Any) -> httpx2.Response:
        """Send, and read the whole answer; no redirect is followed. Raises a RequestError."""
        watch = request.extensions["watch"] = _Watch()
        request.extensions["trace"] = watch.see
        timer = threading.Timer(self.limit, watch.cut)
        timer.daemon = True
        timer.start()
        try:
            response = super().send(request, **settings | {"follow_redirects": False})
        except httpx2.TransportError:
            if not watch.late:
                raise
        finally:
            timer.cancel()
        if watch.late:
            raise httpx2.ReadTimeout("The time is up.", request=request)
        return response

    def fault(self, error: httpx2.RequestError) -> Fault:
        """What a call without a whole answer failed by."""
        paid = error.request.extensions["watch"].begun
        if isinstance(error, httpx2.TimeoutException):
            return Fault(f"No whole answer within {self.limit:g} seconds.", paid=paid)
        refused = isinstance(error, httpx2.ConnectError)
        if refused and self.here:  # nobody who listens on this computer: that will not pass
            return Fault(f"No server answers at {self.address}: start it first.", passing=False)
        lasting = isinstance(error, httpx2.LocalProtocolError)  # a header that cannot be sent
        message = "There is no connection." if refused else "The connection broke off."
        return Fault(message, passing=not lasting, paid=paid)


class _Watch:
    """Sees a call's connection, and can cut it."""

    def __init__(self):
        self.socket: socket.socket | None = None
        self.begun = self.late = False

    def see(self, event: str, details: Mapping[str, Any]) -> None:
        if event.endswith(("connect_tcp.complete", "start_tls.complete")):
            self.socket = details["return_value"].get_extra_info("socket")
            if self.late:  # the name's look-up took all the time
                self.cut()
        elif event.endswith("receive_response_headers.complete"):
            self.begun = details["return_value"][1] == 200

    def cut(self) -> None:
        self.late = True
        if self.socket:
            # The plain one: TLS's own would get in the way of the reader that this is to wake.
            with suppress(OSError):
                socket.socket.shutdown(self.socket, socket.SHUT_RDWR)


def read_answer(
    status: int, headers: Mapping[str, str], text: str, form: Callable = lambda body: body
) -> Reply | Fault:
    """The reply in an answer, or the fault that it reports; `form` gives it OpenAI's form."""
    body = None
    with suppress(ValueError, RecursionError):
        body = json.loads(text)
    body = form(body[0] if isinstance(body, list) and body else body)
    choice = dig(body, "choices", 0)
    error = dig(body, "error") or dig(choice, "error")
    if status // 100 != 2 or error or dig(body, "object") == "error":
        return _reported(status, headers, text, error or body)
    if not isinstance(body, dict) or not body:
        page = text.lstrip().startswith("<")  # of some proxy on the way
        return Fault("The server's answer cannot be read.", paid=not page)
    said = _said(dig(choice, "message", "content"))
    return Reply(
        said,
        model=_said(dig(body, "model")),
        tokens_in=dig(body, "usage", "prompt_tokens"),
        tokens_out=dig(body, "usage", "completion_tokens"),
        tokens_cached=dig(body, "usage", "prompt_tokens_details", "cached_tokens"),
        problem=_problem(choice, bool(said.strip())),
    )


def _problem(choice: Any, said: bool) -> str:
    """Why an answer cannot be used, as a sentence to the model; empty where it can."""
    message, finish = dig(choice, "message"), dig(choice, "finish_reason")
    refusal = dig(message, "refusal") or ""
    if refusal or finish == "content_filter":
        return f"A content filter withheld the answer. {refusal}".strip()
    if finish == "length":
        return "The reply was cut off at its greatest allowed length. Be brief."
    if not isinstance(choice, dict):
        return "The server sent no answer."
    return "" if said else "The reply was empty, or only reasoning."


def _said(content: Any) -> str:
    """The text, or the text parts of a list, joined, without thoughts."""
    said = ""
    for part in content if isinstance(content, list) else [content]:
        if isinstance(part, dict):
            thinks = part.get("thought") or part.get("type") not in (None, "text", "output_text")
            part = None if thinks else part.get("text")
        said += part if isinstance(part, str) else ""
    return said


def _reported(status: int, headers: Mapping[str, str], text: str, error: Any) -> Fault:
    """The fault that a server reports, by its status or, inside a 200, by the error's code."""
    plain = "" if text.lstrip().startswith(("<", "{", "[")) else text
    places = (error, dig(error, "message"), dig(error, "detail"), plain, "no reason given")
    said = next(place for place in places if place and isinstance(place, str))
    words = " ".join(str(dig(error, key)) for key in ("code", "type", "status")).lower()
    if status // 100 == 2:
        code = re.search(r"\b[45]\d\d\b", words)
        by_word = next((number for word, number in WORDS.items() if word in words), 500)
        status = int(code[0]) if code else by_word
    if "API_KEY_INVALID" in text:  # Google sends 400 for it, as for a wrong option
        status = 401
    passing = (status in PASSING_STATUS or status >= 500) and "insufficient_quota" not in words
    message = f"The server answered {status}: {said}"
    return Fault(message, status, passing, wait=_wait(headers, text))


def _wait(headers: Mapping[str, str], text: str) -> float | None:
    """The seconds that a server asks to wait: OpenAI's header, everybody's, or Google's text."""
    google = re.search(r'"retryDelay": *"([\d.]+)s"', text)
    asked, exactly = headers.get("retry-after", ""), headers.get("retry-after-ms")
    seconds = -1.0
    with suppress(ValueError, TypeError, OverflowError):
        seconds = parsedate_to_datetime(asked).timestamp() - time.time()
    for said, unit in ((google and google[1], 1), (asked, 1), (exactly, 1000)):
        with suppress(ValueError, TypeError):
            seconds = float(said) / unit
    return seconds if 0 <= seconds < float("inf") else None


def dig(thing: Any, *path: str | int) -> Any:
    """What nested lists and dicts have at this path; None where there is nothing."""
    for step in path:
        try:
            thing = thing[step]
        except (KeyError, IndexError, TypeError):
            return None
    return thing
