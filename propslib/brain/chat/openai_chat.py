"""Models of OpenAI, of Ollama, and of every server that speaks as OpenAI does."""

from __future__ import annotations

import inspect
import os
import weakref
from dataclasses import replace
from functools import cached_property
from typing import Any

from ..base import Reply
from ..cost import find_price
from .live import (
    UNREADABLE,
    LiveChat,
    connection_fault,
    given,
    incomplete,
    refuse_unknown,
    status_fault,
)
from .retry import Fault


class OpenAIChat(LiveChat):
    """A model behind the chat completions of OpenAI, or of any server that speaks alike.

    >>> OpenAIChat("openai:gpt-4o", "gpt-4o", temperature=0.7, seed=1)  # doctest: +SKIP
    chat('openai:gpt-4o')

    Options are those of `chat.completions.create` in the openai SDK. See `LiveChat`.
    """

    key_envs = ("OPENAI_API_KEY",)
    home = "https://api.openai.com/v1"
    diverting = "OPENAI_BASE_URL"

    def _check(self, options: dict[str, Any]) -> None:
        from openai.resources.chat import Completions

        if self.base_url and os.environ.get("OPENAI_CUSTOM_HEADERS"):
            raise ValueError(
                "The environment variable OPENAI_CUSTOM_HEADERS is set, and the SDK would send "
                "its headers to base_url too. Unset it; give headers by extra_headers=."
            )
        taken = set(inspect.signature(Completions.create).parameters)
        refuse_unknown(options, taken - {"self", "model", "messages", "stream", "timeout"})

    @cached_property
    def _client(self) -> Any:
        return self._connect()

    def _connect(self) -> Any:
        import openai

        client = openai.OpenAI(
            api_key=self._key or "no key",
            admin_api_key="no key",
            base_url=self.base_url or self.home,
            timeout=self.timeout,
            max_retries=0,
            http_client=openai.DefaultHttpxClient(
                follow_redirects=False, trust_env=self._trusts_proxies()
            ),
        )
        weakref.finalize(self, client.close)
        if self.base_url:  # these name a customer of OpenAI
            client.organization = client.project = None
        return client

    def _answer(self, prompt: str) -> Reply | Fault:
        import openai

        message = {"role": "user", "content": prompt}
        try:
            completion = self._client.chat.completions.create(
                model=self.model, messages=[message], **self._arguments
            )
        except openai.APITimeoutError:
            return Fault(f"No answer within {self.timeout:g} seconds.")
        except openai.APIConnectionError as error:
            return connection_fault(error.__cause__, self.base_url or self.home)
        except openai.APIStatusError as error:
            body = error.body if isinstance(error.body, dict) else {}
            message = body.get("message") or error.message
            fault = status_fault(error.status_code, message, error.response.headers)
            # Sent with 429, but an empty account does not fill by waiting.
            fault.passing &= error.code != "insufficient_quota"
            return fault
        except (openai.OpenAIError, ValueError):
            return Fault(UNREADABLE)
        if not isinstance(completion, openai.types.chat.ChatCompletion):
            return Fault(UNREADABLE)
        return _openai_reply(completion)


class OllamaChat(OpenAIChat):
    """A model of an Ollama server on this computer, or at `base_url`: see `OpenAIChat`."""

    def __init__(self, name: str, model: str, **options: Any):
        settings = {"base_url": "http://localhost:11434/v1", "price": find_price(name)}
        super().__init__(name, model, **(settings | options))

    def _advice(self, fault: Fault) -> str:
        if fault.status is None and not fault.passing:
            return f"{fault} Start Ollama (`ollama serve`), then `ollama pull {self.model}`."
        if fault.status == 404:
            return f"{self.name}: {fault} Fetch the model first: `ollama pull {self.model}`."
        return super()._advice(fault)


def _openai_reply(completion: Any) -> Reply:
    # The SDK passes on what a server sent, also where it is not what was promised.
    usage = completion.usage
    reply = Reply(
        "",
        model=given(completion, "model", str) or "",
        tokens_in=given(usage, "prompt_tokens", int),
        tokens_out=given(usage, "completion_tokens", int),
        tokens_cached=given(getattr(usage, "prompt_tokens_details", None), "cached_tokens", int),
    )
    choices = given(completion, "choices", list)
    if not choices:
        error = getattr(completion, "error", None)  # routers report a model's failure like this
        said = error.get("message") if isinstance(error, dict) else None
        return replace(reply, problem=f"The server sent no answer{f': {said}' if said else '.'}")
    message, finish = getattr(choices[0], "message", None), getattr(choices[0], "finish_reason", "")
    text, refusal = given(message, "content", str) or "", given(message, "refusal", str) or ""
    reasoned = any(getattr(message, name, None) for name in ("reasoning_content", "reasoning"))
    if refusal or finish == "content_filter":
        problem = f"A content filter withheld the answer. {refusal}".strip()
    else:
        problem = incomplete(text, finish == "length", reasoned)
    return replace(reply, text=text, problem=problem)
