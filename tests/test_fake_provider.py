"""The provider that the live back ends are tested against, tested with the real SDKs alone."""

import httpx2
import openai
import pytest
from fake_provider import (
    BROKEN,
    HANG,
    PASSING,
    UNUSABLE,
    FakeProvider,
    Usage,
    redirect,
    sometimes,
    status,
)
from google import genai

PROMPT = "This is iteration 7 of 10."
TEXT = "params[0]: 2.5, params[1]: -5.0, params[2]: 0.1\nReason 7."
ERRORS = (openai.APIError, genai.errors.APIError, httpx2.TransportError, ValueError)


def ask(provider, wire):
    """What a real SDK makes of an answer: text, reason to end, model, tokens."""
    url = provider.base_url(wire)
    if wire == "openai":
        with openai.OpenAI(base_url=url, api_key="x", max_retries=0, timeout=0.5) as client:
            messages = [{"role": "user", "content": PROMPT}]
            answer = client.chat.completions.create(model="test", messages=messages)
        choice, usage = answer.choices[0], answer.usage
        tokens = (usage.prompt_tokens, usage.completion_tokens)
        refusal = choice.message.refusal
        return choice.message.content, refusal or choice.finish_reason, answer.model, tokens
    with genai.Client(api_key="x", http_options={"base_url": url, "timeout": 500}) as client:
        answer = client.models.generate_content(model="test", contents=PROMPT)
    usage, end = answer.usage_metadata, answer.candidates[0].finish_reason.value.lower()
    tokens = (usage.prompt_token_count, usage.candidates_token_count + usage.thoughts_token_count)
    return answer.text, end, answer.model_version, tokens


both = pytest.mark.parametrize("wire", ["openai", "gemini"])


@both
def test_a_success_and_what_was_asked(wire):
    with FakeProvider(usage=Usage(prompt=50, cached=40, text=9, reasoning=3)) as provider:
        assert ask(provider, wire) == (TEXT, "stop", "test-as-served", (50, 12))
    (request,) = provider.successes
    assert (request.prompt, request.model) == (PROMPT, "test")
    assert request.credentials.lower() in ("authorization: bearer x", "x-goog-api-key: x")


@both
def test_each_failure_is_one_and_then_all_succeed(wire):
    faults = [*PASSING, *BROKEN, HANG, status(404, retry_after="3")]
    with FakeProvider(faults) as provider:
        for _ in faults:
            with pytest.raises((*ERRORS, AttributeError, TypeError)):
                ask(provider, wire)
        assert ask(provider, wire)[0] == TEXT
    assert provider.steps == [*(fault.name for fault in faults), "success"]
    assert len(provider.successes) == 1


@both
def test_answers_that_cannot_be_used_are_what_they_say(wire):
    def heard(step):
        with FakeProvider([step]) as provider:
            try:
                return ask(provider, wire)[:2]
            except (IndexError, TypeError):
                return "no answer"

    heard = {step.name: heard(step) for step in UNUSABLE}
    first_line = TEXT.partition("\n")[0]
    cut = {"openai": "length", "gemini": "max_tokens"}[wire]
    filtered = {"openai": "content_filter", "gemini": "safety"}[wire]
    assert heard["none"] == heard["only reasoning"] == (None, "stop")
    assert heard["empty"] == ("", "stop") and heard["no choice"] == "no answer"
    assert heard["cut"] == (first_line, cut) and heard["filtered"] == (None, filtered)
    assert "help" in str(heard["refused"]) if wire == "openai" else heard["refused"] == "no answer"


@both
def test_the_echo_gives_the_key_away_and_a_redirect_leads_away(wire):
    with FakeProvider([status(500)], echo=True) as provider:
        with pytest.raises(ERRORS, match="your request had .*: (Bearer )?x"):
            ask(provider, wire)
        text, _, model, _ = ask(provider, wire)
        assert "your request had" in text and "your request had" in model
    with FakeProvider() as other, FakeProvider([redirect(other)]) as provider:
        ask(provider, wire)
    assert provider.steps == ["redirect"] and len(other.successes) == 1


def test_random_faults_are_those_of_the_seed():
    def draw(seed):
        script = sometimes(0.3, seed)
        return [next(script).name for _ in range(2000)]

    assert draw(1) == draw(1) != draw(2)
    assert draw(1).count("success") == pytest.approx(1400, abs=60)
    assert set(draw(1)) == {"success"} | {step.name for step in [*PASSING, *BROKEN]}
