"""Finding a chat back end by its name, and what each refuses before anything is sent."""

import pickle
import socket

import pytest

from propslib import ChatError, LinearPolicy, LLMBrain, World, chat, live_or
from propslib.run import Price

KEYS = ("OPENAI_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY")
NOWHERE = "http://127.0.0.1:1/v1"
CANARY = "sk-canary-0123456789"


@pytest.fixture(autouse=True)
def no_environment(monkeypatch):
    for name in (*KEYS, "PROPS_LLM", "OPENAI_BASE_URL", "GOOGLE_GEMINI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize("name", ["gpt-4o", "openai", "openai:", "local:x", "you:me", "", ":x"])
def test_an_unknown_name_is_refused_with_those_there_are(name):
    with pytest.raises(ValueError, match=r"no chat back end .* openai:NAME, .*ollama:NAME"):
        chat(name)


@pytest.mark.parametrize(
    ("name", "variable"), [("openai:any", "OPENAI_API_KEY"), ("gemini:any", "GEMINI_API_KEY")]
)
def test_a_missing_key_names_the_variable_and_the_ways_without(name, variable):
    with pytest.raises(ValueError, match="needs a key") as error:
        chat(name)
    for words in (variable, "recorded:", "chat('local')", "chat('you')", "never in a notebook"):
        assert words in str(error.value)


def test_no_list_of_models_stands_in_the_way(monkeypatch):
    for name in KEYS:
        monkeypatch.setenv(name, CANARY)
    for name in ("openai:gpt-99", "gemini:gemini-x", "ollama:qwen9:7b", "openai:meta/llama-x:free"):
        model = chat(name)
        assert model.name == name and name.endswith(model.model)
        assert model.price is None or name.startswith("ollama")


def test_another_server_needs_no_key_and_asks_for_one_only_by_name(monkeypatch):
    assert chat("openai:any", base_url=NOWHERE)._key is None
    with pytest.raises(ValueError, match="environment variable ROUTER_KEY"):
        chat("openai:any", base_url=NOWHERE, key_env="ROUTER_KEY")
    monkeypatch.setenv("ROUTER_KEY", CANARY)
    assert chat("openai:any", base_url=NOWHERE, key_env="ROUTER_KEY")._key == CANARY


@pytest.mark.parametrize("url", ["localhost:8000", "ftp://host/v1", "https://", "host"])
def test_an_address_that_is_none_is_refused(url):
    with pytest.raises(ValueError, match="must be like"):
        chat("openai:any", base_url=url)


@pytest.mark.parametrize(
    "url", [f"https://me:{CANARY}@host/v1", f"https://{CANARY}@host/v1", f"https://h/v1?k={CANARY}"]
)
def test_an_address_with_a_secret_is_refused_without_showing_it(url):
    with pytest.raises(ValueError, match="must not hold") as error:
        chat("openai:any", base_url=url)
    assert CANARY not in str(error.value)


@pytest.mark.parametrize("kind", ["openai", "gemini"])
@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"api_key": CANARY}, "Give no key here"),
        ({"temprature": 1}, "no options \\['temprature'\\]"),
        ({"temperature": float("nan")}, "cannot be written to the log"),
        ({"seed": object()}, "cannot be written to the log"),
    ],
)
def test_options_that_cannot_work_are_refused_at_once(kind, options, words):
    with pytest.raises(TypeError, match=words) as error:
        chat(f"{kind}:any", base_url=NOWHERE, **options)
    assert CANARY not in str(error.value)


def test_gemini_checks_the_kinds_of_its_options():
    with pytest.raises(TypeError, match="temperature"):
        chat("gemini:any", base_url=NOWHERE, temperature="warm")


@pytest.mark.parametrize(
    ("kind", "variable"), [("openai", "OPENAI_BASE_URL"), ("gemini", "GOOGLE_GEMINI_BASE_URL")]
)
def test_a_variable_that_diverts_the_sdk_is_not_followed_silently(monkeypatch, kind, variable):
    for name in KEYS:
        monkeypatch.setenv(name, CANARY)
    monkeypatch.setenv(variable, NOWHERE)
    with pytest.raises(ValueError, match=variable) as error:
        chat(f"{kind}:any")
    assert CANARY not in str(error.value)
    assert chat(f"{kind}:any", base_url=NOWHERE).base_url == NOWHERE


def test_the_log_gets_the_options_but_no_value_of_a_header():
    with World("MountainCarContinuous-v0") as world:
        policy = LinearPolicy(world)
        model = chat(
            "openai:any",
            base_url=NOWHERE,
            temperature=0.5,
            price={"input": 1, "output": 2},
            patience=1,
            extra_headers={"X-Secret": CANARY},
        )
        config = LLMBrain(model, policy).config
    assert config["chat"] == "openai:any"
    assert config["options"] == {
        "base_url": NOWHERE,
        "temperature": 0.5,
        "extra_headers": ["X-Secret"],
    }
    assert model.price == Price(input=1, output=2)


def test_a_pickle_holds_no_key_and_finds_it_again(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", CANARY)
    model = chat("openai:any", temperature=0.5)
    assert model._client.api_key == CANARY
    frozen = pickle.dumps(model)
    assert CANARY.encode() not in frozen
    again = pickle.loads(frozen)
    assert again._key == CANARY and again.options == model.options
    monkeypatch.delenv("OPENAI_API_KEY")
    with pytest.raises(ValueError, match="OPENAI_API_KEY"):
        pickle.loads(frozen)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def test_ollama_that_is_not_running_is_said_at_once_and_what_to_do():
    model = chat("ollama:qwen3:4b", base_url=f"http://127.0.0.1:{free_port()}/v1")
    with pytest.raises(ChatError, match="ollama serve.*ollama pull qwen3:4b"):
        model("Hello")


def test_props_llm_makes_the_book_live(monkeypatch, capsys):
    recorded = "recorded:mountaincar-props"
    assert live_or(recorded).name == recorded
    assert capsys.readouterr().out == ""
    monkeypatch.setenv("PROPS_LLM", f"openai:any base_url={NOWHERE} temperature=0.5 stop=END")
    model = live_or(recorded)
    assert model.name == "openai:any"
    assert model.options == {"base_url": NOWHERE, "temperature": 0.5, "stop": "END"}
    assert "differ from the text" in capsys.readouterr().out
    assert chat(recorded).name == recorded, "a recording that is named is a recording"
    monkeypatch.setenv("PROPS_LLM", "openai:any 0.5")
    with pytest.raises(ValueError, match="name=value"):
        live_or(recorded)
