"""The live back ends, through the real SDKs and against a real server that fails in every way.

One contract, two wire formats: nearly every test runs for both.
"""

import functools
import json
import signal
import subprocess
import sys
import time
from collections import deque
from pathlib import Path

import live_client
import pytest
from fake_provider import (
    PASSING,
    UNUSABLE,
    FakeProvider,
    Step,
    Usage,
    cut,
    filtered,
    hang,
    other_json,
    refused,
    sometimes,
    status,
    success,
)
from live_client import MODEL, back_end

from propslib import Run, SearchError, chat
from propslib.brain import ChatError
from propslib.brain.chat import live as retry

PROMPT = "This is iteration 7 of 10."
TEXT = "params[0]: 2.5, params[1]: -5.0, params[2]: 0.1\nReason 7."


@pytest.fixture(params=MODEL)
def wire(request):
    return request.param


@pytest.fixture(autouse=True)
def no_keys(monkeypatch):
    for name in ("OPENAI_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def waits(monkeypatch):
    """The seconds that a client would have waited between its calls; it waits for none of them."""
    seconds = []
    monkeypatch.setattr(retry, "sleep", seconds.append)
    return seconds


def talk(provider, wire, **options):
    return back_end(wire, provider.base_url(wire), **options)


def searched(provider, wire, log, **settings):
    return live_client.run(wire, provider.base_url(wire), log, **settings)


def content(log):
    """A log without what may differ between two runs: times, and the server's address."""
    header, *events = (json.loads(line) for line in Path(log).read_text().splitlines())
    del header["created"], header["config"]["brain"]["options"]["base_url"]
    for event in events:
        event.pop("seconds", None)
    return [header, *events]


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The content of the log of a search that nothing stopped, by wire and budget."""

    @functools.cache
    def make(wire, budget):
        log = tmp_path_factory.mktemp("whole") / "log.jsonl"
        with FakeProvider() as provider:
            searched(provider, wire, log, budget=budget)
        return content(log)

    return make


# What is sent, and what is read.

OPTIONS = {
    "openai": {
        "temperature": 0.25,
        "seed": 11,
        "max_tokens": 300,
        "max_completion_tokens": 400,
        "reasoning_effort": "low",
        "extra_body": {"top_k": 40, "provider": {"sort": "price"}},
    },
    "gemini": {
        "temperature": 0.25,
        "seed": 11,
        "max_output_tokens": 300,
        "top_k": 40,
        "thinking_config": {"thinking_budget": 128},
    },
}


def test_options_reach_the_wire_and_the_log(wire, tmp_path):
    options = OPTIONS[wire]
    with FakeProvider() as provider:
        url = provider.base_url(wire)
        run = searched(provider, wire, tmp_path / "log", options=options, budget=1)
    (request,) = provider.requests
    if wire == "openai":
        sent = dict(options)
        sent |= sent.pop("extra_body")
        assert request.body.items() >= sent.items()
    else:
        config = request.body["generationConfig"]
        names = ("temperature", "seed", "maxOutputTokens", "topK")
        assert [config[name] for name in names] == [0.25, 11, 300, 40]
        # The SDK sends nested names as they are given; Google's JSON takes both spellings.
        (budget,) = config["thinkingConfig"].items()
        assert budget in [("thinkingBudget", 128), ("thinking_budget", 128)]
    assert request.model == MODEL[wire].partition(":")[2]
    brain = run.config["brain"]
    assert brain["chat"] == MODEL[wire]
    assert brain["options"] == options | {"base_url": url}


def test_without_options_the_provider_decides(wire):
    with FakeProvider() as provider:
        talk(provider, wire)(PROMPT)
    body = provider.requests[0].body
    assert not {"temperature", "seed", "max_tokens", "top_p"} & set(body)
    assert not body.get("generationConfig")


def test_other_options_are_another_search(wire, tmp_path):
    with FakeProvider() as provider:
        searched(provider, wire, tmp_path / "log", options={"temperature": 0.5}, budget=1)
        with pytest.raises(ValueError, match="log of another search.*temperature"):
            searched(provider, wire, tmp_path / "log", options={"temperature": 0.75}, budget=1)


def test_an_option_that_the_sdk_does_not_take_is_refused_early(wire):
    with FakeProvider() as provider:
        with pytest.raises(TypeError, match="temprature"):
            talk(provider, wire, temprature=1.0)
        assert provider.requests == []


def test_a_reply_is_read_whole(wire):
    usage = Usage(prompt=5210, cached=2048, text=70, reasoning=30)
    with FakeProvider(usage=usage) as provider:
        reply = talk(provider, wire, price={"input": 2.0, "cached": 1.0, "output": 10.0})(PROMPT)
    assert (reply.text, reply.problem) == (TEXT, "")
    assert reply.model == MODEL[wire].partition(":")[2] + "-as-served"
    assert (reply.tokens_in, reply.tokens_out, reply.tokens_cached) == (5210, 100, 2048)
    assert reply.usd == pytest.approx((3162 * 2 + 2048 * 1 + 100 * 10) / 1e6)
    assert 0 < reply.seconds < 5


def test_the_log_has_what_each_call_used(wire, tmp_path):
    with FakeProvider() as provider:
        run = searched(provider, wire, tmp_path / "log.jsonl", budget=3)
    again = Run.load(tmp_path / "log.jsonl")
    asks = [event for event in again.events if event["event"] == "ask"]
    assert len(asks) == 3 == len(provider.successes)
    for ask in asks:
        used = [ask[name] for name in ("tokens_in", "tokens_out", "tokens_cached")]
        assert used == [100, 25, 60]
        assert ask["model"].endswith("-as-served") and ask["seconds"] > 0
    for one in (run, again):
        usage = one.usage
        assert (usage.calls, usage.tokens_in, usage.tokens_out) == (3, 300, 75)
        assert one.cost is None  # nobody knows this model's price


# Failures that may pass.


@pytest.mark.parametrize("fault", PASSING, ids=lambda step: step.name)
def test_a_failure_that_may_pass_is_called_again(wire, fault, waits):
    with FakeProvider([fault]) as provider:
        assert talk(provider, wire)(PROMPT).text == TEXT
    assert provider.steps == [fault.name, "success"]
    assert len(waits) == 1 and 0 < waits[0] < 3


def test_a_server_that_hangs_is_called_again(wire, waits):
    with FakeProvider([hang()]) as provider:
        assert talk(provider, wire, timeout=0.5)(PROMPT).text == TEXT
        assert provider.steps[:2] == ["hang", "success"]
        provider.wait_for(lambda: provider.requests[0].gone)
    assert 0.4 < provider.requests[0].gone - provider.requests[0].arrived < 15


def test_thirty_failures_in_a_row_then_success(wire, waits):
    faults = (PASSING * 3)[:30]
    with FakeProvider(faults) as provider:
        assert talk(provider, wire)(PROMPT).text == TEXT
    assert provider.steps == [*(fault.name for fault in faults), "success"]
    assert len(waits) == 30
    # Exponential with jitter, up to a bound: the last ones neither grow nor are all alike.
    assert waits[5] > 4 * waits[0] and max(waits) < 90
    assert len({round(seconds, 6) for seconds in waits[-10:]}) == 10


def test_retry_after_is_obeyed(wire):
    with FakeProvider([status(429, retry_after=0.3), status(503, retry_after=0.3)]) as provider:
        talk(provider, wire)(PROMPT)
    first, second, third = (request.arrived for request in provider.requests)
    assert second - first >= 0.3 and third - second >= 0.3


def test_retry_after_may_be_a_date(wire, waits):
    with FakeProvider([status(429, retry_after=40, as_date=True)]) as provider:
        talk(provider, wire)(PROMPT)
    assert 35 < sum(waits) <= 45  # dates have whole seconds


@pytest.mark.parametrize("header", ["soon", "-5", "nan", "Mon, 32 Foo 2026 25:00:00 GMT"])
def test_a_retry_after_that_cannot_be_read_is_passed_over(wire, waits, header):
    def play(handler):
        handler.error(503, {"Retry-After": header})

    with FakeProvider([Step("odd", play)]) as provider:
        assert talk(provider, wire)(PROMPT).text == TEXT
    assert len(waits) == 1 and 0 <= waits[0] < 3


def test_a_date_in_the_past_does_not_wait(wire, waits):
    with FakeProvider([status(503, retry_after=-100, as_date=True)]) as provider:
        assert talk(provider, wire)(PROMPT).text == TEXT
    assert 0 <= sum(waits) < 3


def test_openais_milliseconds_are_obeyed(waits):
    with FakeProvider([status(429, retry_after_ms=4321)]) as provider:
        talk(provider, "openai")(PROMPT)
    assert 4.321 <= sum(waits) < 8


def test_geminis_retry_info_is_obeyed(waits):
    """Google says how long to wait in the body, not in a header."""
    with FakeProvider([status(429, retry_info=41)]) as provider:
        talk(provider, "gemini")(PROMPT)
    assert 41 <= sum(waits) < 45


def test_impatience(wire):
    """Who has no patience is told at once, and why."""
    with FakeProvider([status(503)] * 9) as provider:
        start = time.monotonic()
        with pytest.raises(ChatError, match="503.*patience") as error:
            talk(provider, wire, patience=0.2)(PROMPT)
        assert time.monotonic() - start < 15
    assert "provider's message for 503" in str(error.value)
    assert len(provider.requests) == 1


def test_a_wait_that_patience_does_not_allow_is_not_begun(wire):
    with FakeProvider([status(429, retry_after=3600)]) as provider:
        start = time.monotonic()
        with pytest.raises(ChatError, match="429"):
            talk(provider, wire, patience=20)(PROMPT)
        assert time.monotonic() - start < 15


def test_patience_counts_all_waits_together(wire):
    """With pauses of 0.1 s and patience for a second, it calls several times, not for ever."""
    with FakeProvider([status(503, retry_after=0.1)] * 1000) as provider:
        start = time.monotonic()
        with pytest.raises(ChatError, match="503"):
            talk(provider, wire, patience=1.0)(PROMPT)
        assert time.monotonic() - start < 15
    assert 2 <= len(provider.requests) <= 11


def test_impatience_leaves_a_log_that_resumes(wire, tmp_path, whole):
    log = tmp_path / "log.jsonl"
    with FakeProvider([success()] * 3 + [status(500)]) as provider:
        with pytest.raises(ChatError, match="500"):
            searched(provider, wire, log, budget=6, options={"patience": 0.2})
        assert len(Run.load(log).proposals) == 3
        searched(provider, wire, log, budget=6)
        assert len(provider.successes) == 6
    assert content(log) == whole(wire, 6)


# Failures that will not pass.

LASTING = {
    400: "options",
    401: "MY_KEY",
    403: "MY_KEY",
    404: "test",  # the model's name
}


@pytest.mark.parametrize("code", LASTING)
def test_a_failure_that_will_not_pass_is_not_called_again(wire, code, waits, monkeypatch):
    monkeypatch.setenv("MY_KEY", "abc")
    with (
        FakeProvider([status(code)]) as provider,
        pytest.raises(ChatError, match=f"provider's message for {code}") as error,
    ):
        talk(provider, wire, key_env="MY_KEY")(PROMPT)
    assert LASTING[code] in str(error.value)
    assert MODEL[wire] in str(error.value)
    assert len(provider.requests) == 1 and waits == []


def test_an_empty_account_does_not_fill_by_waiting(waits):
    """OpenAI sends 429 for it, as for a rate limit, with another code."""
    step = status(429, code_word="insufficient_quota", message="You exceeded your current quota.")
    with FakeProvider([step]) as provider, pytest.raises(ChatError, match="current quota"):
        talk(provider, "openai")(PROMPT)
    assert len(provider.requests) == 1 and waits == []


def test_geminis_word_for_a_wrong_key_is_understood(monkeypatch, waits):
    """Google sends 400 for it, as for a wrong option, with another reason."""
    monkeypatch.setenv("MY_KEY", "abc")
    message = "API key not valid. Please pass a valid API key."
    with (
        FakeProvider([status(400, message=message, reason="API_KEY_INVALID")]) as provider,
        pytest.raises(ChatError, match="API key not valid") as error,
    ):
        talk(provider, "gemini", key_env="MY_KEY")(PROMPT)
    assert "MY_KEY" in str(error.value) and "options" not in str(error.value)
    assert len(provider.requests) == 1 and waits == []


def test_a_lasting_failure_leaves_a_log_that_resumes(wire, tmp_path, whole):
    log = tmp_path / "log.jsonl"
    with FakeProvider([success()] * 3 + [status(401)]) as provider:
        with pytest.raises(ChatError, match="401"):
            searched(provider, wire, log, budget=6)
        searched(provider, wire, log, budget=6)
        assert len(provider.successes) == 6
    assert content(log) == whole(wire, 6)


def test_no_server_at_all(wire, waits):
    with FakeProvider() as provider:
        url = provider.base_url(wire)
    with pytest.raises(ChatError, match="start it") as error:
        back_end(wire, url)(PROMPT)
    assert url in str(error.value) and waits == []


def test_no_ollama(monkeypatch, waits):
    with FakeProvider() as provider:
        url = provider.base_url("openai")
    with pytest.raises(ChatError, match="ollama serve") as error:
        chat("ollama:smollm2", base_url=url)(PROMPT)
    assert "ollama pull smollm2" in str(error.value) and waits == []


def test_an_ollama_that_lacks_the_model():
    with FakeProvider([status(404)]) as provider:
        url = provider.base_url("openai")
        with pytest.raises(ChatError, match="ollama pull smollm2"):
            chat("ollama:smollm2", base_url=url)(PROMPT)
        assert chat("ollama:smollm2", base_url=url)(PROMPT).text == TEXT


# Answers that cannot be used.

SENTENCE = {
    "none": "empty",
    "empty": "empty",
    "only reasoning": "reasoning",
    "cut": "cut off",
    "filtered": "withheld",
    "refused": "withheld",
    "no choice": "no answer",
    "error in body": "no answer",
}
each_unusable = pytest.mark.parametrize("step", UNUSABLE, ids=lambda step: step.name)


@each_unusable
def test_an_answer_that_cannot_be_used_is_refused_with_a_sentence(wire, step, tmp_path, waits):
    log = tmp_path / "log.jsonl"
    with FakeProvider([success(), step]) as provider:
        run = searched(provider, wire, log, budget=3)
    assert provider.steps == ["success", step.name, "success", "success"]
    (refusal,) = Run.load(log).refusals
    assert (refusal["iteration"], refusal["params"]) == (2, None)
    sentence = refusal["error"]
    assert SENTENCE[step.name] in sentence and "{" not in sentence
    first, again = provider.requests[1].prompt, provider.requests[2].prompt
    assert sentence in again and sentence not in first
    assert "None" not in again
    assert len(run.proposals) == 3 and waits == []
    if step.name not in ("no choice", "error in body"):
        assert refusal["tokens_in"] == 100 and refusal["model"].endswith("-as-served")


@each_unusable
def test_after_the_last_attempt_the_search_stops_and_resumes(wire, step, tmp_path):
    log = tmp_path / "log.jsonl"
    with FakeProvider([success(), step, step, step]) as provider:
        with pytest.raises(SearchError, match="proposal 2: no reply of 3 could be used") as error:
            searched(provider, wire, log, budget=3, attempts=3)
        assert len(provider.requests) == 4
        assert len(Run.load(log).refusals) == 3 and len(Run.load(log).proposals) == 1
        last = Run.load(log).refusals[-1]
        assert repr(last["reply"]) in str(error.value) and last["error"] in str(error.value)
        searched(provider, wire, log, budget=3, attempts=3)
        assert len(provider.requests) == 6
    assert [trial.iteration for trial in Run.load(log).proposals] == [1, 2, 3]


def test_a_cut_answer_is_refused_even_where_its_numbers_are_there(wire):
    """A number that was cut can be read as another number."""
    with FakeProvider([cut()]) as provider:
        reply = talk(provider, wire)(PROMPT)
    assert reply.text == TEXT.partition("\n")[0] and "cut off" in reply.problem


@pytest.mark.parametrize("reason", ["RECITATION", "PROHIBITED_CONTENT", "OTHER", "A_NEW_REASON"])
@pytest.mark.filterwarnings("ignore:A_NEW_REASON is not a valid FinishReason:UserWarning")
def test_gemini_says_why_it_withheld_an_answer(reason):
    with FakeProvider([filtered(reason)]) as provider:
        assert reason in talk(provider, "gemini")(PROMPT).problem


def test_openais_refusal_is_shown():
    with FakeProvider([refused("I will not fly this car.")]) as provider:
        assert "I will not fly this car." in talk(provider, "openai")(PROMPT).problem


def test_geminis_thoughts_are_not_its_answer():
    def play(handler):
        handler.answer(TEXT, reasoning="params[0]: 1.0, params[1]: 1.0, params[2]: 1.0")

    with FakeProvider([Step("success", play)]) as provider:
        assert talk(provider, "gemini")(PROMPT).text == TEXT


NOT_PROMISED = {
    "openai": [
        {"object": "error", "message": "CUDA out of memory", "code": 500},
        {"choices": "none"},
        {"choices": [None]},
        {"choices": [{}]},
        {"choices": [{"message": None, "finish_reason": "stop"}]},
        {"choices": [{"message": {"content": 7}, "finish_reason": "stop"}]},
        {"choices": [{"message": {"content": [{"type": "text", "text": "Hello"}]}}]},
        {"choices": [{"message": {"content": ""}}], "usage": {}},
        {"choices": [{"message": {"content": ""}}], "usage": "much", "model": 7},
    ],
    "gemini": [
        {"candidates": "none"},
        {"candidates": [None]},
        {"candidates": [{}]},
        {"candidates": [{"content": "Hello"}]},
        {"candidates": [{"content": {"parts": [{}]}}]},
        {"candidates": [{"content": {"parts": [{"functionCall": {"name": "f"}}]}}]},
        {"candidates": [{"content": {"parts": None}}], "usageMetadata": {}},
        {"candidates": [{"content": {"parts": [{"text": 7}]}}], "usageMetadata": "much"},
    ],
}
for bodies in NOT_PROMISED.values():
    bodies += [None, [], {}, "Hello", 7]


@pytest.mark.parametrize(
    ("wire", "body"),
    [(wire, body) for wire, bodies in NOT_PROMISED.items() for body in bodies],
    ids=str,
)
def test_json_that_is_not_what_was_promised_ends_no_search(wire, body, tmp_path, waits):
    """It is called for again, or refused with a sentence. Nothing else may be raised."""
    with FakeProvider([other_json(body)]) as provider:
        run = searched(provider, wire, tmp_path / "log.jsonl", budget=1)
    assert len(run.proposals) == 1 and len(provider.requests) == 2
    assert len(waits) + len(run.refusals) == 1
    assert len(Run.load(tmp_path / "log.jsonl").proposals) == 1


def test_a_server_that_reports_no_usage_is_used_all_the_same(tmp_path):
    message = {"role": "assistant", "content": TEXT}
    body = {"choices": [{"index": 0, "finish_reason": "stop", "message": message}]}
    with FakeProvider([other_json(body)]) as provider:
        reply = talk(provider, "openai", price={"input": 1, "output": 1})(PROMPT)
    assert (reply.text, reply.problem, reply.model) == (TEXT, "", "")
    used = (reply.tokens_in, reply.tokens_out, reply.tokens_cached, reply.usd)
    assert used == (None, None, None, None)


def test_blank_lines_before_an_answer_are_passed_over(wire):
    """So some providers keep a connection open while a request waits for its turn."""

    def play(handler):
        handler.send(200, b"\n\n" * 50 + handler.body(TEXT))

    with FakeProvider([Step("success", play)]) as provider:
        assert talk(provider, wire)(PROMPT).text == TEXT


def test_an_answer_cut_in_the_middle_of_a_character_can_be_shown_again(wire, tmp_path, waits):
    """Half of a surrogate pair: JSON can carry it, UTF-8 cannot."""

    def play(handler):
        handler.answer("Fast \ud83d", finish={"openai": "length", "gemini": "MAX_TOKENS"})

    with FakeProvider([Step("cut", play)]) as provider:
        options = {"patience": 3.0}
        run = searched(provider, wire, tmp_path / "log.jsonl", budget=1, options=options)
    assert len(run.proposals) == 1 and waits == []
    assert provider.steps == ["cut", "success"] and "Fast" in provider.requests[1].prompt


# Stopped by hand.


def start(wire, provider, log, **settings):
    settings = {"wire": wire, "url": provider.base_url(wire), "log": str(log)} | settings
    command = [sys.executable, live_client.__file__, json.dumps(settings)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


posix = pytest.mark.skipif(sys.platform == "win32", reason="Windows has neither signal")


@posix
@pytest.mark.parametrize("stopped_in", ["a call", "a wait"])
def test_ctrl_c_stops_at_once_and_resumes(wire, stopped_in, tmp_path, whole):
    log = tmp_path / "log.jsonl"
    fault = hang() if stopped_in == "a call" else status(503, retry_after=60)
    with FakeProvider([success()] * 3 + [fault]) as provider:
        process = start(wire, provider, log, budget=6)
        provider.wait_for(lambda: len(provider.requests) == 4, seconds=60)
        time.sleep(0.3)  # the client now waits, for the answer or between two calls
        pressed = time.monotonic()
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=20)
        assert time.monotonic() - pressed < 10  # the call and the wait take a minute and more
        assert process.returncode != 0 and "KeyboardInterrupt" in errors
        assert len(Run.load(log).proposals) == 3 and len(provider.requests) == 4
        searched(provider, wire, log, budget=6)
        assert len(provider.successes) == 6
    assert content(log) == whole(wire, 6)


# Thirty per cent of failures, and killed.

LONG = 200


def assert_each_once(log):
    events = Run.load(log).events
    for kind in ("ask", "tell"):
        iterations = [event["iteration"] for event in events if event["event"] == kind]
        assert iterations == list(range(1, LONG + 1)), kind


def test_a_search_through_a_server_that_fails_three_times_in_ten(wire, tmp_path, waits, whole):
    log = tmp_path / "log.jsonl"
    with FakeProvider(sometimes(0.3, seed=5)) as provider:
        run = searched(provider, wire, log, budget=LONG)
    assert len(run.proposals) == LONG == len(provider.successes)
    assert_each_once(log)
    failed = len(provider.requests) - LONG
    assert len(waits) == failed
    assert failed == pytest.approx(0.3 / 0.7 * LONG, abs=35)
    assert len(set(provider.steps)) == 1 + len(PASSING), "not every kind of fault came"
    assert content(log) == whole(wire, LONG)


def scripted_by(queue, failing):
    """The steps that are put into the queue, each once; meanwhile those of another script."""
    while True:
        yield queue.popleft() if queue else next(failing)


@posix
def test_killed_again_and_again_nothing_is_lost_and_nothing_paid_for_twice(
    wire, tmp_path, waits, whole
):
    """kill -9 before a question, during a call that hangs, in a wait, and before an evaluation."""
    log, queue = tmp_path / "log.jsonl", deque()
    with FakeProvider(scripted_by(queue, sometimes(0.3, seed=6))) as provider:

        def killed(**settings):
            process = start(wire, provider, log, budget=LONG, **settings)
            _, errors = process.communicate(timeout=120)
            assert process.returncode == -signal.SIGKILL, errors

        def killed_in(step):
            process = start(wire, provider, log, budget=LONG)
            paid = len(provider.successes)
            provider.wait_for(lambda: len(provider.successes) >= paid + 20, 60)
            last = Step("the last", step.play)
            queue.append(last)
            provider.wait_for(lambda: last.name in provider.steps, 60)
            time.sleep(0.2)  # the client now waits, for the answer or between two calls
            assert provider.steps[-1] == last.name
            process.kill()
            process.communicate()
            provider.requests[-1].step += " before a kill"

        killed(killed_at=["ask", 30])
        killed_in(hang())
        killed(killed_at=["evaluate", 30])
        killed_in(status(503, retry_after=60))
        assert 90 < len(Run.load(log).proposals) < LONG
        searched(provider, wire, log, budget=LONG)
        assert len(provider.successes) == LONG
    assert_each_once(log)
    assert content(log) == whole(wire, LONG)


@posix
def test_only_a_reply_that_had_not_reached_the_log_is_paid_for_again(wire, tmp_path):
    """The one moment in which a kill costs a reply, as `propslib.run` says."""
    log = tmp_path / "log.jsonl"
    with FakeProvider() as provider:
        process = start(wire, provider, log, budget=5, killed_at=["reply", 3])
        process.communicate(timeout=60)
        assert process.returncode == -9
        run = searched(provider, wire, log, budget=5)
    assert len(run.proposals) == 5 and len(provider.successes) == 6
