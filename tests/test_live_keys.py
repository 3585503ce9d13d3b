"""A key goes to its own provider and nowhere else: not to another server, not into any text."""

import json
import logging
import pickle
import re
import traceback

import live_client
import pytest
from fake_provider import BROKEN, HANG, PASSING, UNUSABLE, FakeProvider, sending, status, success
from live_client import back_end, talk

from propslib import LLMBrain, Run, SearchError, chat, search
from propslib.brain import ChatError

PROMPT = "This is iteration 7 of 10."
CANARY = "sk-canary-Zm9vYmFy0123456789"
VARIABLES = [("openai", "MY_ROUTER_KEY"), ("gemini", "GOOGLE_API_KEY")]
LASTING = [status(code) for code in (400, 401, 403, 404)]
FAILING = [*LASTING, *PASSING, *BROKEN, HANG]
pytestmark = pytest.mark.usefixtures("waits")


@pytest.fixture(params=VARIABLES, ids="-".join)
def keyed(request, monkeypatch):
    """A wire, and the variable that holds the canary."""
    monkeypatch.setenv(request.param[1], CANARY)
    return dict(zip(("wire", "key_env"), request.param, strict=True))


@pytest.fixture
def everything_logged(caplog):
    """All loggers there are, at their most talkative."""
    caplog.set_level(logging.DEBUG)
    for name in list(logging.root.manager.loggerDict):
        if name.startswith(("openai", "httpx", "httpcore", "google", "tenacity", "propslib")):
            caplog.set_level(logging.DEBUG, logger=name)
    return caplog


def said_by(error):
    """Every text that an exception and all that hangs on it can be made to show."""
    texts, seen = [], set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        texts += [str(error), repr(error), repr(error.args), repr(vars(error))]
        texts += traceback.format_exception(error)
        shown = traceback.TracebackException.from_exception(error, capture_locals=True)
        # The first frame is the test's own, which knows the canary.
        shown.stack[:] = shown.stack[1:]
        texts += shown.format(chain=False)
        error = error.__cause__ or error.__context__
    return "\n".join(texts)


def assert_clean(*texts):
    for text in texts:
        place = text.find(CANARY)
        assert place < 0, f"The key is shown: {text[max(0, place - 300) : place + 100]}"


def pickled(thing):
    return pickle.dumps(thing).decode("latin-1")


def all_that_arrived(provider):
    return "\n".join(f"{one.path} {one.headers} {one.body}" for one in provider.requests)


def raised_by(call):
    with pytest.raises((ChatError, SearchError)) as error:
        call()
    return error.value


@pytest.mark.parametrize("step", [*FAILING, success(), *UNUSABLE], ids=lambda step: step.name)
def test_neither_failure_nor_answer_nor_model_shows_the_key(
    keyed, step, policy, everything_logged, capfd
):
    options = {"timeout": 0.5} if step == HANG else {}
    with FakeProvider([step] * 2, echo=True) as provider:
        model = talk(provider, **keyed, patience=0.2, **options)
        assert_clean(repr(model), repr(LLMBrain(model, policy)), pickled(model))
        shown = raised_by(lambda: model(PROMPT)) if step in FAILING else model(PROMPT)
        assert CANARY in provider.requests[0].credentials, "the server did not get the key"
    assert_clean(said_by(shown) if step in FAILING else repr(shown), pickled(shown))
    parts = (model.options, model.name, model.price, model.model, model.base_url)
    assert_clean(repr(model), repr(parts), repr(LLMBrain(model, policy).config), pickled(model))
    assert_clean(*capfd.readouterr(), everything_logged.text)
    for record in everything_logged.records:
        assert_clean(repr(vars(record)), record.getMessage())


def test_nothing_that_a_search_leaves_has_the_key(
    keyed, car, policy, tmp_path, capfd, everything_logged
):
    """Log, folders, replay, repr, pickles: after every failure that there is."""
    log = tmp_path / "log.jsonl"
    script = [success(), *PASSING, *BROKEN, *UNUSABLE, success(), *UNUSABLE[1:]]
    with FakeProvider(script, echo=True) as provider:
        place = (keyed["wire"], provider.base_url(keyed["wire"]), log)
        settings = {"options": {"key_env": keyed["key_env"]}, "attempts": len(UNUSABLE)}
        stopped = raised_by(lambda: live_client.run(*place, **settings))
        run = live_client.run(*place, **settings)
        assert all(CANARY in request.credentials for request in provider.requests)
    assert provider.steps.count("success") == 4
    replies = [event["reply"] for event in run.replies]
    assert "your request had" in "".join(replies), "the server did not repeat the key"

    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert files == [log]
    assert_clean(*(path.read_bytes().decode("utf-8") for path in files))
    assert_clean(*capfd.readouterr(), everything_logged.text, said_by(stopped))
    replay = LLMBrain(chat(f"recorded:{log}"), policy, history=3)
    replayed = search(replay, car, policy, budget=4, warmup=3, episodes=2)
    assert (replayed.values == run.values).all()
    for thing in (run, Run.load(log), replayed, run.usage, run.proposals, stopped):
        assert_clean(repr(thing), str(thing), pickled(thing))


@pytest.mark.parametrize("odd", ["", " \n", f"“{CANARY}”", f"{CANARY}\n{CANARY}"], ids=ascii)
def test_a_key_that_no_header_can_hold_is_refused_at_once(wire, monkeypatch, odd):
    """None, quotes from a word processor, two lines: calling again would not help."""
    monkeypatch.setenv("MY_ROUTER_KEY", odd)
    with FakeProvider() as provider:
        with pytest.raises(ValueError, match="MY_ROUTER_KEY") as error:
            talk(provider, wire, key_env="MY_ROUTER_KEY", patience=0.2)(PROMPT)
        assert "patience" not in str(error.value)
        assert_clean(said_by(error.value))
        monkeypatch.setenv("MY_ROUTER_KEY", f" {CANARY}\r\n")  # as files on Windows leave it
        talk(provider, wire, key_env="MY_ROUTER_KEY")(PROMPT)
    assert provider.requests[0].credentials.endswith(CANARY)


@pytest.mark.parametrize("name", ["api_key", "user_token", "Authorization", "SECRET", "other"])
def test_a_key_among_the_options_is_refused_and_not_shown(name):
    """What is in extra_body is written to the log; a number or a switch there is no secret."""
    secret = "sk-abc" if name == "other" else "opensesame"
    for value in (secret, [secret], {"deeper": {name: secret}}):
        with pytest.raises(ValueError, match="extra_body holds a key") as error:
            back_end("openai", "http://127.0.0.1:9/v1", extra_body={"provider": {name: value}})
        assert secret not in str(error.value)
    harmless = {"min_tokens": 5, "stop_token_ids": [1], "provider": {"sort": "throughput"}}
    model = back_end("openai", "http://127.0.0.1:9/v1", extra_body=harmless)
    assert model.options["extra_body"] == harmless


@pytest.mark.parametrize("value", ["Zm9vYmFyMDEyMzQ1Njc4OQ", "Bearer Zm9vYmFyMDEyMzQ1Njc4OQ"])
def test_a_long_text_among_the_options_is_sent_and_blanked_where_it_would_be_shown(value):
    body, secret = {"note": value, "reasoning_enabled_here": False}, value.split()[-1]
    with FakeProvider([status(500), success(f"{value} is said")]) as provider:
        model = back_end("openai", provider.base_url("openai"), extra_body=body)
        reply = model(PROMPT)
        assert secret in all_that_arrived(provider)
    shown = json.dumps(model.options)
    assert secret not in shown + reply.text and "is said" in reply.text
    assert '"reasoning_enabled_here": false' in shown and '"note": "' in shown


EVERY_KEY = [f"OPENAI_{kind}" for kind in ("API_KEY", "ADMIN_KEY", "ORG_ID", "PROJECT_ID")]
EVERY_KEY += ["ANTHROPIC_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY", "AZURE_OPENAI_API_KEY"]


def test_another_server_gets_the_key_that_is_meant_for_it_and_no_other(wire, monkeypatch):
    """The environment diverts no call, and no proxy for the world is used for this computer."""
    for name in EVERY_KEY:
        monkeypatch.setenv(name, CANARY)
    monkeypatch.setenv("MY_ROUTER_KEY", "for-the-router")
    with FakeProvider([status(429)]) as provider, FakeProvider() as evil:
        monkeypatch.setenv("OPENAI_BASE_URL", evil.base_url("openai"))
        monkeypatch.setenv("GOOGLE_GEMINI_BASE_URL", evil.base_url("gemini"))
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
            monkeypatch.setenv(name, evil.url)
        talk(provider, wire)(PROMPT)
        talk(provider, wire, key_env="MY_ROUTER_KEY")(PROMPT)
        assert len(provider.requests) == 3 and evil.requests == []
    assert "for-the-router" in provider.requests[2].credentials
    assert_clean(all_that_arrived(provider))


def test_another_server_that_wants_a_key_is_told_how_to_get_one(wire):
    with FakeProvider([status(401)]) as provider:
        error = str(raised_by(lambda: talk(provider, wire)(PROMPT)))
    assert "key_env" in error and not re.search("(OPENAI|GEMINI|GOOGLE)_API_KEY", error)


def test_a_redirect_does_not_carry_the_key_away(keyed):
    with FakeProvider() as other, FakeProvider() as provider:
        there = sending("redirect", b"", 307, Location=f"{other.url}/v1/chat/completions")
        provider.script = iter([there] * 20)
        error = raised_by(lambda: talk(provider, **keyed, patience=0.2)(PROMPT))
    assert "307" in str(error)
    assert CANARY in provider.requests[0].credentials
    assert_clean(all_that_arrived(other), said_by(error))
    assert len(provider.requests) == 1, "a redirect does not pass"


HOMES = {"openai:any": "api.openai.com", "anthropic:any": "api.anthropic.com"}
HOMES |= {"gemini:any": "generativelanguage.googleapis.com"}


@pytest.mark.parametrize("name", HOMES)
def test_without_base_url_a_call_goes_to_the_provider_alone(name, monkeypatch, beyond_loopback):
    for variable in EVERY_KEY:
        monkeypatch.setenv(variable, CANARY)
    monkeypatch.setenv(f"{name.partition(':')[0].upper()}_API_KEY", "sk-only-mine-12345")
    model = chat(name, patience=0.1)
    assert model._client.__dict__.get("api_key", "sk-only-mine-12345") == "sk-only-mine-12345"
    error = raised_by(lambda: model(PROMPT))
    assert len(beyond_loopback) == 1 and HOMES[name] in beyond_loopback[0]
    beyond_loopback.clear()
    assert_clean(said_by(error))


def test_a_secret_that_is_cut_is_blanked_before(keyed):
    with FakeProvider([status(400, message="x" * 465 + CANARY)]) as provider:
        assert CANARY[:8] not in str(raised_by(lambda: talk(provider, **keyed)(PROMPT)))
