"""Calling a server again, where its failure may pass. One policy for every provider.

The SDKs' own repeats are off: google-genai neither repeats a broken connection nor heeds
Retry-After, and neither SDK repeats an answer that is no JSON.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from email.utils import parsedate_to_datetime
from typing import TypeVar

from tenacity import (
    RetryCallState,
    Retrying,
    retry_if_exception,
    stop_before_delay,
    wait_exponential,
    wait_random,
)

log = logging.getLogger(__name__)
sleep = time.sleep

# Request timeout, conflict, too many requests. Every 5xx may pass too.
PASSING_STATUS = (408, 409, 429)
SHORT = 5.0  # seconds; who waits longer is told why

_backoff = wait_exponential(multiplier=0.5, max=30) + wait_random(0, 1)
Answer = TypeVar("Answer")


class ChatError(RuntimeError):
    """A model could not be asked. A search's log is intact: the same call resumes it."""


class Fault(Exception):
    """One failed call, in plain words.

    status
        The HTTP status; None where no answer came.
    passing
        Whether the same call may succeed later.
    retry_after
        How many seconds the server asks to wait; None where it does not say.
    """

    def __init__(
        self,
        message: str,
        *,
        status: int | None = None,
        passing: bool = True,
        retry_after: float | None = None,
    ):
        super().__init__(message)
        self.status, self.passing, self.retry_after = status, passing, retry_after


def passes(status: int) -> bool:
    """Whether a request that got this HTTP status may succeed later."""
    return status in PASSING_STATUS or status >= 500


def persist(call: Callable[[], Answer], patience: float) -> Answer:
    """What `call` returns, called again while it raises a passing `Fault`.

    Waits as long as the server asks, or else 0.5, 1, 2, ... 30 seconds, and up to a second of
    chance more, so that a class of students does not come back all at once.

    patience
        Seconds from the first call within which the last one must begin.

    Raises the last Fault.
    """
    return Retrying(
        retry=retry_if_exception(lambda error: isinstance(error, Fault) and error.passing),
        wait=_wait,
        stop=stop_before_delay(patience),
        before_sleep=_tell,
        sleep=lambda seconds: sleep(seconds),
        reraise=True,
    )(call)


def seconds_to_wait(header: str | None) -> float | None:
    """What a Retry-After header asks for: seconds, or a date. None where it cannot be read.

    >>> seconds_to_wait("20")
    20.0
    """
    if not header:
        return None
    try:
        seconds = float(header)
    except ValueError:
        try:
            seconds = parsedate_to_datetime(header).timestamp() - time.time()
        except ValueError:
            return None
    return seconds if 0 <= seconds < float("inf") else None


def _wait(state: RetryCallState) -> float:
    asked = state.outcome.exception().retry_after
    return asked + wait_random(0, min(1, asked))(state) if asked else _backoff(state)


def _tell(state: RetryCallState) -> None:
    seconds = state.next_action.sleep
    log.log(
        logging.WARNING if seconds >= SHORT else logging.INFO,
        "%s Calling again in %.0f s.",
        state.outcome.exception(),
        seconds,
    )
