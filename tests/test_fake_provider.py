"""The provider that the live back ends are tested against, tested with the real SDKs alone."""

import time

import httpx2
import openai
import pytest
from fake_provider import (
    PASSING,
    FakeProvider,
    Usage,
    bad_json,
    cut,
    empty,
    error_in_body,
    filtered,
    hang,
    html,
    no_choice,
    none,
    only_reasoning,
    redirect,
    refused,
    reset,
    reset_in_body,
    sometimes,
    status,
    success,
    truncated,
)
from google import genai

PROMPT = "This is iteration 7 of 10."
TEXT = "params[0]: 2.5, params[1]: -5.0, params[2]: 0.1\nReason 7."


def ask_openai(provider, prompt=PROMPT, timeout=5.0):
    url = provider.base_url("openai")
    with openai.OpenAI(base_url=url, api_key="x", max_retries=0, timeout=timeout) as client:
        return client.chat.completions.create(
            model="gpt-test", messages=[{"role": "user", "content": prompt}], temperature=0.5
        )


def ask_gemini(provider, prompt=PROMPT, timeout=5.0):
    options = {"base_url": provider.base_url("gemini"), "timeout": int(1000 * timeout)}
    with genai.Client(api_key="x", http_options=options) as client:
        return client.models.generate_content(
            model="gemini-test", contents=prompt, config={"temperature": 0.5}
        )


ASK = {"openai": ask_openai, "gemini": ask_gemini}
both = pytest.mark.parametrize("wire", ASK)


def test_a_success_of_openai():
    with FakeProvider(usage=Usage(prompt=50, cached=40, text=9, reasoning=3)) as provider:
        answer = ask_openai(provider)
    assert answer.choices[0].message.content == TEXT
    assert answer.choices[0].finish_reason == "stop" and answer.object == "chat.completion"
    assert answer.model == "gpt-test-as-served"
    usage = answer.usage
    assert (usage.prompt_tokens, usage.completion_tokens, usage.total_tokens) == (50, 12, 62)
    assert usage.prompt_tokens_details.cached_tokens == 40
    assert usage.completion_tokens_details.reasoning_tokens == 3
    (request,) = provider.successes
    assert request.path == "/v1/chat/completions" and request.body["temperature"] == 0.5
    assert request.prompt == PROMPT and request.model == "gpt-test"
    assert request.credentials == "authorization: Bearer x"


def test_a_success_of_gemini():
    with FakeProvider(usage=Usage(prompt=50, cached=40, text=9, reasoning=3)) as provider:
        answer = ask_gemini(provider)
    assert answer.text == TEXT
    assert answer.candidates[0].finish_reason.value == "STOP"
    assert answer.model_version == "gemini-test-as-served"
    usage = answer.usage_metadata
    assert (usage.prompt_token_count, usage.candidates_token_count) == (50, 9)
    assert (usage.thoughts_token_count, usage.cached_content_token_count) == (3, 40)
    (request,) = provider.successes
    assert request.path == "/v1/models/gemini-test:generateContent"
    assert request.body["generationConfig"]["temperature"] == 0.5
    assert request.prompt == PROMPT and request.model == "gemini-test"
    assert request.credentials == "x-goog-api-key: x"


@pytest.mark.parametrize("code", [400, 401, 403, 404, 408, 409, 429, 500, 502, 503, 504, 529])
def test_a_status(code):
    with FakeProvider([status(code, retry_after=3), status(code, message="Why not.")]) as provider:
        with pytest.raises(openai.APIStatusError) as openais:
            ask_openai(provider)
        with pytest.raises(genai.errors.APIError) as geminis:
            ask_gemini(provider)
    assert openais.value.status_code == code and geminis.value.code == code
    assert openais.value.response.headers["Retry-After"] == "3"
    assert openais.value.body["message"] == f"This is the provider's message for {code}."
    assert geminis.value.message == "Why not." and geminis.value.status.isupper()
    assert provider.successes == []


def test_how_long_to_wait_is_said_in_four_forms():
    steps = [
        status(429, retry_after=2, as_date=True),
        status(429, retry_after_ms=250),
        status(429, retry_info=1.5),
    ]
    with FakeProvider(steps) as provider:
        for expected in ({"Retry-After": r".* GMT"}, {"retry-after-ms": "250"}):
            with pytest.raises(openai.RateLimitError) as error:
                ask_openai(provider)
            for name, value in expected.items():
                assert error.value.response.headers[name] == pytest.approx(value) or (
                    error.value.response.headers[name].endswith("GMT")
                )
        with pytest.raises(genai.errors.ClientError) as error:
            ask_gemini(provider)
        assert error.value.details["error"]["details"][0]["retryDelay"] == "1.5s"


CONNECTION = {
    "reset": (reset(), "reset by peer"),
    "reset in body": (reset_in_body(), "reset by peer"),
    "truncated": (truncated(), "incomplete chunked read"),
    "hang": (hang(), "timed out"),
}


@both
@pytest.mark.parametrize("fault", CONNECTION)
def test_a_fault_of_the_connection_is_what_it_says(wire, fault):
    step, words = CONNECTION[fault]
    with FakeProvider([step]) as provider:
        with pytest.raises((openai.APIConnectionError, httpx2.TransportError)) as error:
            ASK[wire](provider, timeout=0.3)
        chain = f"{error.value!r} {error.value.__cause__!r}"
        assert words in chain, chain
        assert provider.steps == [fault] and not provider.successes
        if fault == "hang":
            provider.wait_for(lambda: provider.requests[0].gone)


@both
@pytest.mark.parametrize("step", [bad_json(), html()], ids=lambda step: step.name)
def test_a_body_that_is_not_json(wire, step):
    with FakeProvider([step]) as provider:
        try:
            answer = ASK[wire](provider)
        except ValueError:  # JSONDecodeError
            return
        assert isinstance(answer, str)  # the openai SDK hands a page on as it is


def openai_shape(step):
    with FakeProvider([step]) as provider:
        answer = ask_openai(provider)
    if not answer.choices:
        return answer.choices, getattr(answer, "error", None)
    choice = answer.choices[0]
    return choice.message.content, choice.finish_reason, choice.message.refusal


def test_answers_of_openai_that_cannot_be_used():
    first_line = TEXT.partition("\n")[0]
    assert openai_shape(no_choice()) == ([], None)
    choices, error = openai_shape(error_in_body())
    assert choices is None and error == {"code": 502, "message": "The upstream provider failed."}
    assert openai_shape(none()) == (None, "stop", None)
    assert openai_shape(empty()) == ("", "stop", None)
    assert openai_shape(only_reasoning()) == (None, "stop", None)
    assert openai_shape(cut()) == (first_line, "length", None)
    assert openai_shape(filtered()) == (None, "content_filter", None)
    assert openai_shape(refused("No.")) == (None, "stop", "No.")
    assert openai_shape(success("1, 2, 3")) == ("1, 2, 3", "stop", None)


def gemini_shape(step):
    with FakeProvider([step]) as provider:
        answer = ask_gemini(provider)
    if not answer.candidates:
        feedback = answer.prompt_feedback
        return answer.candidates, feedback and feedback.block_reason.value
    candidate = answer.candidates[0]
    parts = (candidate.content and candidate.content.parts) or []
    return [(bool(part.thought), part.text) for part in parts], candidate.finish_reason.value


def test_answers_of_gemini_that_cannot_be_used():
    first_line = TEXT.partition("\n")[0]
    assert gemini_shape(no_choice()) == ([], None)
    assert gemini_shape(error_in_body()) == (None, None)
    assert gemini_shape(none()) == ([], "STOP")
    assert gemini_shape(empty()) == ([(False, "")], "STOP")
    assert gemini_shape(only_reasoning()) == ([(True, "Let me think. " * 3)], "STOP")
    assert gemini_shape(cut()) == ([(False, first_line)], "MAX_TOKENS")
    assert gemini_shape(filtered()) == ([], "SAFETY")
    assert gemini_shape(filtered("RECITATION")) == ([], "RECITATION")
    assert gemini_shape(refused()) == (None, "PROHIBITED_CONTENT")


@both
def test_a_redirect_leads_to_the_other_server(wire):
    with FakeProvider() as other, FakeProvider([redirect(other)]) as provider:
        ASK[wire](provider)
    assert provider.steps == ["redirect"] and len(other.successes) == 1


@both
def test_the_echo_gives_the_key_away_everywhere(wire):
    with FakeProvider([status(500), success()], echo=True) as provider:
        with pytest.raises((openai.APIStatusError, genai.errors.APIError)) as error:
            ASK[wire](provider)
        answer = ASK[wire](provider)
    key = "Bearer x" if wire == "openai" else "x-goog-api-key: x"
    text = answer.choices[0].message.content if wire == "openai" else answer.text
    model = answer.model if wire == "openai" else answer.model_version
    assert key in str(error.value) and key in text and key in model


@both
def test_the_script_is_played_once_then_all_succeed(wire):
    with FakeProvider([status(500)] * 3) as provider:
        for _ in range(3):
            with pytest.raises((openai.APIStatusError, genai.errors.APIError)):
                ASK[wire](provider)
        for _ in range(2):
            ASK[wire](provider)
    assert provider.steps == ["status 500"] * 3 + ["success"] * 2
    times = [request.arrived for request in provider.requests]
    assert times == sorted(times) and times[-1] < time.monotonic()


def test_random_faults_are_those_of_the_seed():
    def draw(seed):
        script = sometimes(0.3, seed)
        return [next(script).name for _ in range(2000)]

    assert draw(1) == draw(1) != draw(2)
    assert draw(1).count("success") == pytest.approx(1400, abs=60)
    assert set(draw(1)) == {"success"} | {step.name for step in PASSING}
