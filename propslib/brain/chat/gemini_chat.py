"""Gemini models, through google-genai."""

from __future__ import annotations

import json
import re
import weakref
from dataclasses import replace
from functools import cached_property
from typing import Any

from ..base import Reply
from .live import (
    UNREADABLE,
    LiveChat,
    connection_fault,
    incomplete,
    refuse_unknown,
    status_fault,
)
from .retry import Fault, seconds_to_wait


class GeminiChat(LiveChat):
    """A Gemini model, through google-genai.

    >>> GeminiChat("gemini:gemini-2.5-flash", "gemini-2.5-flash", seed=1)  # doctest: +SKIP
    chat('gemini:gemini-2.5-flash')

    Options are those of `GenerateContentConfig`, such as temperature, seed, max_output_tokens,
    `thinking_config={"thinking_budget": 0}`. See `LiveChat`.
    """

    key_envs = ("GEMINI_API_KEY", "GOOGLE_API_KEY")
    home = "https://generativelanguage.googleapis.com/"
    diverting = "GOOGLE_GEMINI_BASE_URL"

    def _check(self, options: dict[str, Any]) -> None:
        from google.genai.types import GenerateContentConfig

        refuse_unknown(options, set(GenerateContentConfig.model_fields) - {"http_options"})
        try:
            GenerateContentConfig(**self._arguments)
        except ValueError as error:
            raise TypeError(f"{self.name} does not take these options: {error}") from None

    @cached_property
    def _client(self) -> Any:
        from google import genai

        client = genai.Client(
            vertexai=False,
            api_key=self._key or "no key",
            http_options={
                "base_url": self.base_url or self.home,
                "timeout": int(1000 * self.timeout),  # milliseconds
                "retry_options": {"attempts": 1},
                "client_args": {"follow_redirects": False, "trust_env": self._trusts_proxies()},
            },
        )
        weakref.finalize(self, client.close)
        return client

    def _answer(self, prompt: str) -> Reply | Fault:
        import httpx2
        from google.genai import errors

        try:
            response = self._client.models.generate_content(
                model=self.model, contents=prompt, config=self._arguments
            )
        except httpx2.TimeoutException:
            return Fault(f"No answer within {self.timeout:g} seconds.")
        except httpx2.TransportError as error:
            return connection_fault(error, self.base_url or self.home)
        except errors.APIError as error:
            fault = status_fault(error.code, error.message, error.response.headers)
            details = json.dumps(error.details, default=str)
            if "API_KEY_INVALID" in details:  # comes with 400, as a wrong option does
                fault.status = 401
            delay = re.search(r'"retryDelay": "([\d.]+)s"', details)
            if fault.retry_after is None and delay:
                fault.retry_after = seconds_to_wait(delay[1])
            return fault
        except (ValueError, TypeError):  # the SDK trips over JSON that is no object
            return Fault(UNREADABLE)
        return _gemini_reply(response)


def _gemini_reply(response: Any) -> Reply:
    usage = response.usage_metadata
    written = usage and [usage.candidates_token_count, usage.thoughts_token_count]
    reply = Reply(
        "",
        model=response.model_version or "",
        tokens_in=usage and usage.prompt_token_count,
        tokens_out=usage and sum(count or 0 for count in written),
        tokens_cached=usage and usage.cached_content_token_count,
    )
    if not response.candidates:
        reason = response.prompt_feedback and response.prompt_feedback.block_reason
        blocked = f"A content filter withheld the answer: {reason.name}." if reason else ""
        return replace(reply, problem=blocked or "The server sent no answer.")
    candidate = response.candidates[0]
    parts = (candidate.content and candidate.content.parts) or []
    text = "".join(part.text or "" for part in parts if not part.thought)
    reasoned = any(part.thought for part in parts)
    reason = candidate.finish_reason.name if candidate.finish_reason else "STOP"
    if reason in ("STOP", "MAX_TOKENS"):
        problem = incomplete(text, reason == "MAX_TOKENS", reasoned)
    else:
        problem = f"The provider withheld the answer: {reason}."
    return replace(reply, text=text, problem=problem)
