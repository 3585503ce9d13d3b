"""The live back ends, through the real SDKs and against a server that fails in every way."""

import json
import signal
import socket
import subprocess
import sys
import time
from itertools import chain, cycle
from types import SimpleNamespace

import live_client
import pytest
from fake_provider import (
    BROKEN,
    HANG,
    LENGTH,
    PASSING,
    UNUSABLE,
    FakeProvider,
    Step,
    answering,
    sending,
    status,
    success,
)
from live_client import MODEL, back_end, talk

from propslib import Run, SearchError, chat
from propslib.brain import ChatError
from propslib.brain.chat import live

PROMPT = "This is iteration 7 of 10."
TEXT = "params[0]: 2.5, params[1]: -5.0, params[2]: 0.1\nReason 7."
by_name = {"ids": lambda step: step.name}


def searched(provider, wire, log, **settings):
    return live_client.run(wire, provider.base_url(wire), log, **settings)


def asked(wire, *script, **options):
    """The reply of a provider with this script, and the provider."""
    with FakeProvider(script) as provider:
        return talk(provider, wire, **options)(PROMPT), provider


def content(log):
    """A log without what may differ between two runs: times and tokens."""
    differ = {"created", "crc", "seconds", "tokens_in", "tokens_out", "tokens_cached"}
    records = (json.loads(line) for line in log.read_text().splitlines())
    return [{k: v for k, v in record.items() if k not in differ} for record in records]


SAMPLING = {"temperature": 0.25, "seed": 11}
OPTIONS = {
    "openai": SAMPLING | {"max_tokens": 300, "extra_body": {"top_k": 40, "provider": {"a": "b"}}},
    "gemini": SAMPLING | {"max_output_tokens": 300, "thinking_config": {"thinking_budget": 128}},
}
SENT = {
    "openai": SAMPLING | {"max_tokens": 300, "top_k": 40, "provider": {"a": "b"}},
    "gemini": SAMPLING | {"maxOutputTokens": 300, "thinkingConfig": {"thinking_budget": 128}},
}


def test_options_reach_the_wire_and_the_log_and_belong_to_the_search(wire, tmp_path):
    options = OPTIONS[wire]
    with FakeProvider() as provider:
        run = searched(provider, wire, tmp_path / "log", options=options, budget=1)
        with pytest.raises(ValueError, match="another search.*temperature"):
            searched(provider, wire, tmp_path / "log", options={"temperature": 0.5}, budget=1)
        talk(provider, wire)(PROMPT)
        with pytest.raises(TypeError, match="temprature"):
            talk(provider, wire, temprature=1.0)
    request, bare = provider.requests
    assert (request.body.get("generationConfig") or request.body).items() >= SENT[wire].items()
    assert request.model == MODEL[wire].partition(":")[2]
    brain, served = run.config["brain"], {"base_url": provider.base_url(wire)}
    assert (brain["chat"], brain["options"]) == (MODEL[wire], options | served)
    assert not {"temperature", "seed", "max_tokens", "top_p"} & set(bare.body)
    assert not bare.body.get("generationConfig")


def test_a_reply_is_read_whole_and_logged(wire, tmp_path):
    usage = {"prompt": 5210, "cached": 2048, "text": 70, "reasoning": 30}
    price = {"input": 2.0, "cached": 1.0, "output": 10.0}
    thought = answering("success", TEXT, reasoning="params[0]: 1.0, params[1]: 1.0, params[2]: 1")
    with FakeProvider([thought], **usage) as provider:
        reply = talk(provider, wire, price=price)(PROMPT)
        run = searched(provider, wire, tmp_path / "log.jsonl", budget=3)
    assert (reply.text, reply.problem) == (TEXT, "")
    assert reply.model == MODEL[wire].partition(":")[2] + "-as-served"
    assert (reply.tokens_in, reply.tokens_out, reply.tokens_cached) == (5210, 100, 2048)
    assert reply.usd == pytest.approx((3162 * 2 + 2048 * 1 + 100 * 10) / 1e6)
    assert 0 < reply.seconds < 5
    for one in (run, Run.load(tmp_path / "log.jsonl")):
        used = one.usage  # Nobody knows this model's price.
        assert (used.calls, used.tokens_in, used.tokens_out, used.usd) == (3, 3 * 5210, 300, None)
        assert {ask["model"] for ask in one.replies} == {reply.model}


FALSE = [0, -5, True, 12.5, 1e300, 10**400, 10**12, "100", None, [1], {}]


@pytest.mark.parametrize("number", FALSE, ids=lambda number: str(number)[:8])
def test_a_false_usage_is_an_unknown_one(wire, number):
    usage = dict.fromkeys(("prompt", "cached", "text", "reasoning"), number)
    with FakeProvider(**usage) as provider:
        reply = talk(provider, wire, price={"input": 1, "output": 1})(PROMPT)
    assert (reply.text, reply.problem) == (TEXT, "") and not reply.tokens_cached
    assert (reply.tokens_in, reply.tokens_out, reply.usd) == (None, None, None)


@pytest.mark.parametrize("fault", [*PASSING, *BROKEN], **by_name)
def test_a_failure_that_may_pass_is_called_again(wire, fault, waits):
    """What broke off in the middle may have been paid for, and is taken to have used as much."""
    reply, provider = asked(wire, fault)
    assert provider.steps == [fault.name, "success"]
    assert len(waits) == 1 and 0 < waits[0] < 3
    calls = 2 if fault in BROKEN else 1
    assert (reply.text, reply.tokens_in, reply.tokens_out) == (TEXT, 100 * calls, 25 * calls)


def drip(place):
    """An answer that never ends: a byte now and then, in its headers or in its body."""

    def play(handler):
        handler.wfile.write(b"HTTP/1.1 200 OK\r\n" + (b"\r\n" if place == "body" else b""))
        while not handler.server.provider.stopping.wait(0.05):
            handler.wfile.write(b" " if place == "body" else b"X-A: b\r\n")

    return Step(f"drip in the {place}", play)


@pytest.mark.parametrize("step", [HANG, drip("headers"), drip("body")], **by_name)
def test_a_call_has_a_limit_in_all(wire, step, waits):
    start = time.monotonic()
    reply, provider = asked(wire, step, timeout=0.5)
    assert 0.4 < time.monotonic() - start < 10
    assert reply.text == TEXT and provider.steps == [step.name, "success"]
    with pytest.raises(ChatError, match="in time"):
        asked(wire, step, timeout=0.5, patience=0)


def test_pauses_grow_up_to_a_bound_and_are_not_all_alike(wire, waits):
    reply, provider = asked(wire, *PASSING * 3)
    assert reply.text == TEXT and len(provider.steps) == 3 * len(PASSING) + 1
    assert waits[5] > 4 * waits[0] and max(waits) < 90
    assert len({round(seconds, 6) for seconds in waits[-10:]}) == 10


GOOGLE = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "41s"}


@pytest.mark.parametrize(
    ("form", "least", "most"),
    [
        ({"retry_after": "0.3"}, 0.3, 0.6),
        ({"details": GOOGLE}, 41, 45),
        # What cannot be read is passed over.
        *(({"retry_after": odd}, 0, 3) for odd in ("soon", "-5", "nan", "inf", "Mon, 32 Foo 2026")),
    ],
)
def test_a_wait_that_a_server_asks_for_is_obeyed(wire, form, least, most, waits):
    if "details" in form and wire == "openai":
        pytest.skip("Google's form")
    assert asked(wire, status(429, **form))[0].text == TEXT
    assert len(waits) == 1 and least <= waits[0] <= most


@pytest.mark.parametrize(
    ("header", "words"), [(None, "went on"), (3600, "3,600 s"), ("1e9", "1,000,000,000 s")]
)
def test_who_has_no_patience_is_told_at_once_and_why(wire, header, words, waits):
    step = status(503, **({"retry_after": header} if header else {}))
    with pytest.raises(ChatError, match=f"503.*{words}.*patience"):
        asked(wire, step, patience=20 if header else 0.2)
    assert waits == []


WRONG_KEY = {"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID"}
BALANCE = {"code_word": "insufficient_quota", "message": "You exceeded your current quota."}
LASTING = {
    "options": (status(400, message="Nope."), "400.*Nope.*options"),
    "a parameter": (status(400, message="'temperature' must be 1."), "options .*temperature"),
    "key": (status(401), "401.*MY_KEY"),
    "model": (status(403), "403.*MY_KEY"),
    "name": (status(404), "404.*test"),
    "other": (status(404, message="x" * 2_000_000), "404: xxx"),
    "account": (status(429, **BALANCE), "current quota"),
    "google's key": (status(400, details=WRONG_KEY), "MY_KEY"),
}


@pytest.mark.parametrize("kind", LASTING)
def test_a_failure_that_will_not_pass_is_not_called_again(wire, kind, waits, monkeypatch):
    monkeypatch.setenv("MY_KEY", "abc")
    step, words = LASTING[kind]
    if (kind, wire) in [("account", "gemini"), ("google's key", "openai")]:
        pytest.skip("the other provider's")
    with pytest.raises(ChatError, match=words) as error:
        asked(wire, step, key_env="MY_KEY", temperature=0.5)
    assert MODEL[wire] in str(error.value) and len(str(error.value)) < 1500
    assert waits == []


REPORTED = {  # errors in the body of a 200, and whether they may pass
    '{"error": {"message": "overloaded", "code": 502}}': True,
    '{"error": {"message": "overloaded", "code": "503"}}': True,
    '{"error": {"type": "overloaded_error", "message": "Busy"}}': True,
    '{"error": "the model is loading"}': True,
    '[{"error": {"code": 503, "message": "Busy", "status": "UNAVAILABLE"}}]': True,
    '{"object": "error", "message": "CUDA out of memory", "code": 500}': True,
    '{"choices": [{"error": {"code": 502, "message": "Busy"}, "message": {"content": ""}}]}': True,
    '{"error": {"message": "No such model", "code": 404}}': False,
    '{"error": {"message": "Empty account", "code": "insufficient_quota"}}': False,
}


@pytest.mark.parametrize("body", REPORTED)
def test_an_error_inside_a_200_is_a_fault_by_its_code(wire, body, waits):
    if REPORTED[body]:
        assert asked(wire, sending("reported", body))[0].text == TEXT and len(waits) == 1
    else:
        with pytest.raises(ChatError):
            asked(wire, sending("reported", body))
        assert waits == []


def test_no_server_at_all(wire, waits):
    with socket.socket() as silent:  # It keeps its port, so that no other test's server gets it.
        silent.bind(("127.0.0.1", 0))
        url = "http://{}:{}".format(*silent.getsockname())
        with pytest.raises(ChatError, match=f"{url}.* start it"):
            back_end(wire, url)(PROMPT)
        assert waits == []
        with pytest.raises(ChatError, match="ollama serve.*ollama pull smollm2"):
            chat("ollama:smollm2", base_url=url)(PROMPT)
    with FakeProvider([status(404)]) as other, pytest.raises(ChatError, match="ollama pull"):
        chat("ollama:smollm2", base_url=other.base_url("openai"))(PROMPT)


SENTENCE = {"none": "empty", "empty": "empty", "only reasoning": "reasoning", "cut": "cut off"}
SENTENCE |= {"filtered": "withheld", "refused": "withheld", "no choice": "no answer"}


@pytest.mark.parametrize("step", UNUSABLE, **by_name)
def test_an_answer_that_cannot_be_used_is_refused_with_a_sentence(wire, step, tmp_path, waits):
    log = tmp_path / "log.jsonl"
    with FakeProvider([success(), step, success(), step, step, step]) as provider:
        with pytest.raises(SearchError, match="proposal 3: no reply of 3") as error:
            searched(provider, wire, log, budget=3, attempts=3)
        refusal, *last = Run.load(log).refusals
        run = searched(provider, wire, log, budget=3, attempts=3)
    assert len(run.proposals) == 3 and waits == [] and len(provider.requests) == 7
    assert (refusal["iteration"], refusal["params"]) == (2, None)
    sentence, again = refusal["error"], provider.requests[2].prompt
    assert SENTENCE[step.name] in sentence and "{" not in sentence
    assert sentence in again and "None" not in again and refusal["tokens_in"] == 100
    assert len(last) == 3 and last[-1]["error"] in str(error.value)


@pytest.mark.parametrize("reason", ["RECITATION", "OTHER", "A_NEW_REASON", 3])
def test_it_is_said_why_an_answer_was_withheld(wire, reason):
    step = answering("withheld", refusal=f"I cannot: {reason}", finish=(None, reason))
    assert str(reason) in asked(wire, step)[0].problem


PARTS = [
    [{"type": "text", "text": TEXT[:9]}, {"type": "text", "text": TEXT[9:]}],
    [{"type": "thinking", "thinking": [{"type": "text", "text": "Hm."}]}, {"text": TEXT}],
    [{"type": "reasoning", "text": "Hm."}, {"type": "output_text", "text": TEXT}, None, 7],
    *({"type": "text", "text": TEXT}, [TEXT]),
]


@pytest.mark.parametrize("parts", PARTS, ids=str)
def test_a_text_in_parts_is_joined(parts):
    assert asked("openai", answering("parts", parts))[0].text == TEXT


NOT_PROMISED = {
    "openai": [
        *({"choices": "none"}, {"choices": [None]}, {"choices": [{}]}),
        *({"choices": [{"message": message}]} for message in (None, {"content": 7})),
        {"choices": [{"message": {"content": [{"type": "thinking"}]}, "finish_reason": ["stop"]}]},
        {"choices": [{"message": {"content": ""}}], "usage": "much", "model": 7, "error": {}},
    ],
    "gemini": [
        *({"candidates": "none"}, {"candidates": [None]}, {"candidates": [{}]}),
        {"candidates": [{"content": "Hello", "finishReason": {"a": 1}}]},
        {"candidates": [{"content": {"parts": [{"functionCall": {"name": "f"}}]}}]},
        {"candidates": [{"content": {"parts": [{"text": 7}]}}], "usageMetadata": "much"},
        {"usageMetadata": {"promptTokenCount": 5}, "promptFeedback": 7},
    ],
}
ODD = [None, [], {}, "Hello", 7, [[]], [None]]
BODIES = [(wire, body) for wire, bodies in NOT_PROMISED.items() for body in bodies + ODD]


@pytest.mark.parametrize(("wire", "body"), BODIES, ids=str)
def test_json_that_is_not_what_was_promised_ends_no_search(wire, body, waits):
    reply, _ = asked(wire, sending("other json", json.dumps(body)))
    assert len(waits) == (not body or not isinstance(body, dict))
    assert bool(reply.problem) == (not waits)


@pytest.mark.parametrize("code", [200, 400, 503])
@pytest.mark.parametrize("body", [b"[" * 100_000, b"\xff\xfe", b"", b'{"error": [1', b"null"])
def test_no_body_raises_anything_else(wire, code, body, waits):
    step = sending("odd", body, code)
    if code == 400 and not (wire == "gemini" and body[:2] == b"[["):
        with pytest.raises(ChatError, match="options"):
            asked(wire, step)
    else:
        assert asked(wire, step)[0].text == TEXT


def test_half_a_character_can_be_shown_again_and_printed(wire, tmp_path, waits):
    """Half of a surrogate pair: JSON can carry it, UTF-8 cannot."""
    half = answering("half", "Fast \ud83d", finish=LENGTH)
    withheld = answering("withheld", refusal="\ud83d", finish=(None, "\ud83d"))
    with FakeProvider([half, withheld]) as provider, pytest.raises(SearchError) as error:
        searched(provider, wire, tmp_path / "log.jsonl", budget=1, attempts=2)
    str(error.value).encode()
    assert waits == [] and "Fast" in provider.requests[1].prompt


def start(provider, log, **settings):
    """The same search in a process of its own."""
    settings |= {"wire": "openai", "url": provider.base_url("openai"), "log": str(log)}
    command = [sys.executable, live_client.__file__, json.dumps(settings)]
    return subprocess.Popen(command, stderr=subprocess.PIPE, text=True)


posix = pytest.mark.skipif(sys.platform == "win32", reason="Windows has neither signal")
SLOW = [HANG, status(503, retry_after="60")]


@posix
@pytest.mark.parametrize("fault", SLOW, ids=["call", "wait"])
def test_ctrl_c_stops_at_once_and_loses_nothing(fault, tmp_path):
    log = tmp_path / "log.jsonl"
    with FakeProvider([success()] * 3 + [fault]) as provider:
        process = start(provider, log, budget=6)
        provider.wait_for(lambda: len(provider.requests) == 4)
        time.sleep(0.3)  # the client now waits, for the answer or between two calls
        pressed = time.monotonic()
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=20)
        assert time.monotonic() - pressed < 10  # the call and the wait take a minute and more
        assert process.returncode != 0 and "KeyboardInterrupt" in errors
        assert len(Run.load(log).proposals) == 3 and len(provider.requests) == 4


@posix
def test_killed_again_and_again_nothing_is_lost_and_nothing_paid_for_twice(tmp_path, waits):
    """kill -9 before a question, in a call that hangs, in a wait, and before an evaluation, while
    every third call fails. Only a reply that had not reached the log is paid for again."""
    log, budget = tmp_path / "log.jsonl", 24
    script = ((success(), success(), fault) for fault in cycle([*PASSING, *BROKEN]))
    with FakeProvider(chain.from_iterable(script)) as provider:

        def killed(**settings):
            process = start(provider, log, budget=budget, **settings)
            _, errors = process.communicate(timeout=120)
            assert process.returncode == -signal.SIGKILL, errors

        def killed_in(step):
            process = start(provider, log, budget=budget)
            paid = len(provider.successes)
            provider.wait_for(lambda: len(provider.successes) >= paid + 3)
            last = Step("the last", step.play)
            provider.script = chain([last], provider.script)
            provider.wait_for(lambda: last.name in provider.steps)
            time.sleep(0.2)  # the client now waits, for the answer or between two calls
            assert provider.steps[-1] == last.name
            process.kill()
            process.communicate()
            provider.requests[-1].step += " before a kill"

        killed(killed_at=["ask", 4])
        killed_in(SLOW[0])
        killed(killed_at=["evaluate", 7])  # three of these are for the warm-up points
        killed_in(SLOW[1])
        assert 8 < len(Run.load(log).proposals) < budget
        killed(killed_at=["reply", 3])
        searched(provider, "openai", log, budget=budget)
        assert len(provider.successes) == budget + 1
        searched(provider, "openai", tmp_path / "whole.jsonl", budget=budget)
    assert content(log) == content(tmp_path / "whole.jsonl")


def test_patience_counts_all_waits_together(wire, waits, monkeypatch):
    """By a clock that stands still during the calls, whose length is a busy machine's affair."""
    monkeypatch.setattr(live, "time", SimpleNamespace(monotonic=lambda: sum(waits)))
    with pytest.raises(ChatError, match="503"):
        asked(wire, *[status(503, retry_after="0.1")] * 1000, patience=1.0)
    assert 4 <= len(waits) <= 9 and sum(waits) < 1.0
