"""Optional: one call over HTTP, and what its answer says: a reply, or a fault."""

import json
import logging
import multiprocessing
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.pool import ThreadPool
from typing import Any

import httpx2

from ..base import Reply

LOOPBACK = ("localhost", "127.0.0.1", "::1")
PASSING_STATUS = (408, 409, 425, 429)  # timeout, conflict, too early, too many; and every 5xx

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
        Whether the request was sent but no whole answer came, so that it may cost something.
    """

    message: str
    status: int | None = None
    passing: bool = True
    wait: float | None = None
    paid: bool = False


class Http(httpx2.Client):
    """The client under both SDKs: each call has a connection of its own, and a limit in all.

    No redirect is followed, and no proxy for the world is asked for a server of this computer.
    """

    def __init__(self, address: str, limit: float):
        here = httpx2.URL(address).host in LOOPBACK
        one = httpx2.Limits(max_keepalive_connections=0)
        super().__init__(limits=one, trust_env=not here)
        self.limit = limit

    def send(self, request: httpx2.Request, **settings: Any) -> httpx2.Response:
        """Send, and read the whole answer. HTTP's own limit counts from byte to byte, so a server
        that drips would keep a call for ever: it goes on in its thread, and nobody waits."""
        with ThreadPool(1) as pool:
            try:
                return pool.apply_async(super().send, (request,), settings).get(self.limit)
            except multiprocessing.TimeoutError:
                raise httpx2.ReadTimeout("The time is up.", request=request) from None


def broken_off(error: httpx2.RequestError) -> Fault:
    """What a call without a whole answer failed by."""
    url = error.request.url
    if isinstance(error, httpx2.TimeoutException):
        return Fault("There was no whole answer in time.", paid=True)
    if not isinstance(error, httpx2.ConnectError):
        return Fault("The connection broke off.", paid=True)
    if url.host in LOOPBACK:  # nobody listens on this computer: that will not pass
        return Fault(f"No server answers at {url}: start it first.", passing=False)
    return Fault("There is no connection.")


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
    if status != 200 or error or dig(body, "object") == "error":
        return _reported(status, headers, text, error or body)
    if not isinstance(body, dict) or not body:
        return Fault("The server's answer cannot be read.", paid=True)
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
    said = next(one for one in (error, dig(error, "message"), text) if isinstance(one, str))
    if status == 200:
        code = re.search(r"\b[45]\d\d\b", str(dig(error, "code")))
        status = int(code[0]) if code else 500
    # Google sends 400 for it, as for a wrong option, and some routers 200.
    if re.search("api_key_invalid|invalid_api_key", text, re.IGNORECASE):
        status = 401
    passing = (status in PASSING_STATUS or status >= 500) and "insufficient_quota" not in text
    google = re.search(r'"retryDelay": *"([\d.]+)s"', text)
    wait = None
    with suppress(ValueError, TypeError):
        wait = float(headers.get("retry-after") or (google and google[1]))
    wait = wait if wait and 0 < wait < float("inf") else None
    return Fault(f"The server answered {status}: {said}", status, passing, wait)


def dig(thing: Any, *path: str | int) -> Any:
    """What nested lists and dicts have at this path; None where there is nothing."""
    for step in path:
        try:
            thing = thing[step]
        except (KeyError, IndexError, TypeError):
            return None
    return thing
