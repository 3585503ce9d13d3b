"""Optional: whom the live client asks: OpenAI and all who speak as it does, and Google."""

import inspect
import os
from functools import cached_property
from typing import Any

import httpx2

from ..base import Reply, count
from ..cost import find_price
from .live import LiveChat
from .wire import Fault, Http, broken_off, dig, read_answer


class OpenAIChat(LiveChat):
    """A model behind the chat completions of OpenAI, or of any server that speaks alike.

    >>> OpenAIChat("openai:gpt-6.1-terra", "gpt-6.1-terra", seed=1)  # doctest: +SKIP
    chat('openai:gpt-6.1-terra')

    Options are those of `chat.completions.create` in the openai SDK. See `LiveChat`.
    """

    key_envs = ("OPENAI_API_KEY",)
    home = "https://api.openai.com/v1"
    diverting = "OPENAI_BASE_URL"

    @property
    def _elsewhere(self) -> bool:
        """Whether another server than OpenAI's is asked."""
        return bool(self.base_url) or self.home != OpenAIChat.home

    def _known(self) -> set[str]:
        from openai.resources.chat import Completions

        if self._elsewhere and os.environ.get("OPENAI_CUSTOM_HEADERS"):
            why = "is set, and its headers would go to every server"
            raise ValueError(f"OPENAI_CUSTOM_HEADERS {why}: unset it.")
        ours = {"self", "model", "messages", "stream", "timeout", "extra_headers", "extra_query"}
        return set(inspect.signature(Completions.create).parameters) - ours

    @cached_property
    def _client(self) -> Any:
        import openai

        keys = {"api_key": self._key or "no key", "admin_api_key": "no key"}
        http = {"base_url": self.address, "http_client": Http(self.address, self.timeout)}
        client = openai.OpenAI(**keys, **http, timeout=self.timeout, max_retries=0)
        if self._elsewhere:  # these name a customer of OpenAI
            client.organization = client.project = None
        return client

    def _answer(self, prompt: str, changes: dict[str, Any]) -> Reply | Fault:
        import openai

        messages = [{"role": "user", "content": prompt}]
        arguments = {"model": self.model, "messages": messages} | self._arguments | changes
        create = self._client.chat.completions.with_raw_response.create
        try:
            response = create(**arguments).http_response
        except openai.APIStatusError as error:
            response = error.response
        except openai.APIConnectionError as error:
            return broken_off(error.__cause__)
        return read_answer(response.status_code, response.headers, response.text)


class AnthropicChat(OpenAIChat):
    """A model of Anthropic, which speaks as OpenAI does too: see `OpenAIChat`."""

    key_envs = ("ANTHROPIC_API_KEY",)
    home = "https://api.anthropic.com/v1"
    diverting = "ANTHROPIC_BASE_URL"


class OllamaChat(OpenAIChat):
    """A model of an Ollama server on this computer, or at `base_url`: see `OpenAIChat`."""

    def __init__(self, name: str, model: str, **options: Any):
        self.hint = f"Start Ollama (`ollama serve`), then `ollama pull {model}`."
        settings = {"base_url": "http://localhost:11434/v1", "price": find_price(name)}
        super().__init__(name, model, **(settings | options))


class GeminiChat(LiveChat):
    """A Gemini model, through google-genai.

    >>> GeminiChat("gemini:gemini-3.8-flash", "gemini-3.8-flash", seed=1)  # doctest: +SKIP
    chat('gemini:gemini-3.8-flash')

    Options are those of `GenerateContentConfig`, such as temperature, seed, max_output_tokens,
    `thinking_config={"thinking_budget": 0}`. See `LiveChat`.
    """

    key_envs = ("GEMINI_API_KEY", "GOOGLE_API_KEY")
    home = "https://generativelanguage.googleapis.com/"
    diverting = "GOOGLE_GEMINI_BASE_URL"

    def _known(self) -> set[str]:
        from google.genai.types import GenerateContentConfig

        try:
            GenerateContentConfig.model_validate(self._arguments, extra="ignore")
        except ValueError as error:
            raise TypeError(f"{self.name} does not take these options: {error}") from None
        ours = {"http_options", "should_return_http_response"}
        return set(GenerateContentConfig.model_fields) - ours

    @cached_property
    def _client(self) -> Any:
        from google import genai

        options = {"base_url": self.address, "httpx_client": Http(self.address, self.timeout)}
        options |= {"timeout": int(1000 * self.timeout), "retry_options": {"attempts": 1}}
        return genai.Client(vertexai=False, api_key=self._key or "no key", http_options=options)

    def _answer(self, prompt: str, changes: dict[str, Any]) -> Reply | Fault:
        from google.genai import errors

        config = self._arguments | changes | {"should_return_http_response": True}
        ask = self._client.models.generate_content
        try:
            response = ask(model=self.model, contents=prompt, config=config).sdk_http_response
        except httpx2.RequestError as error:
            return broken_off(error)
        except errors.APIError as error:
            return read_answer(error.code, error.response.headers, error.response.text)
        except (ValueError, RecursionError):  # an error's body that the SDK cannot read
            return Fault("The server's answer cannot be read.")
        return read_answer(200, {}, response.body or "", _as_openai)


def _as_openai(body: Any) -> Any:
    """Google's answer in OpenAI's form; as it is where it has neither candidates nor usage."""
    candidate, usage = dig(body, "candidates", 0), dig(body, "usageMetadata")
    blocked = dig(body, "promptFeedback", "blockReason")
    if not candidate and not usage and not blocked:
        return body
    end = str(dig(candidate, "finishReason"))
    finish = {"None": "stop", "STOP": "stop", "MAX_TOKENS": "length"}.get(end)
    refusal = blocked or (None if finish else end)
    message = {"content": dig(candidate, "content", "parts"), "refusal": refusal}
    parts = [dig(usage, f"{kind}TokenCount") for kind in ("candidates", "thoughts")]
    written = [count(part) for part in parts if part is not None]
    choice = {"message": message, "finish_reason": finish}
    used = {"prompt_tokens": dig(usage, "promptTokenCount")}
    used["completion_tokens"] = None if None in written else sum(written)
    used["prompt_tokens_details"] = {"cached_tokens": dig(usage, "cachedContentTokenCount")}
    choices = [choice] if candidate or blocked else []
    return {"model": dig(body, "modelVersion"), "choices": choices, "usage": used}
