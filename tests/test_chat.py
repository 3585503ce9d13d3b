"""Finding a chat back end by its name, and what each refuses before anything is sent."""

import pickle

import pytest

from propslib import LinearPolicy, LLMBrain, Reply, World, chat, live_or
from propslib.usage import Price

NOWHERE = "http://127.0.0.1:1/v1"
CANARY, NAN = "sk-canary-0123456789", float("nan")
LIVE = {"openai": "OPENAI_BASE_URL", "gemini": "GOOGLE_GEMINI_BASE_URL"}
LIVE |= {"anthropic": "ANTHROPIC_BASE_URL"}


@pytest.mark.parametrize("name", ["gpt-4o", "openai", "openai:", "local:x", "you:me", "", ":x"])
def test_an_unknown_name_is_refused_with_those_there_are(name):
    with pytest.raises(ValueError, match=r"no chat back end .* openai:NAME, .*ollama:NAME"):
        chat(name)


@pytest.mark.parametrize("kind", LIVE)
def test_a_missing_key_names_the_variable_and_the_ways_without(kind, monkeypatch):
    with pytest.raises(ValueError, match="needs a key") as error:
        chat(f"{kind}:any")
    ways = (f"{kind.upper()}_API_KEY", "recorded:", "chat('local')", "chat('you')")
    assert all(words in str(error.value) for words in ways)
    with pytest.raises(ValueError, match="environment variable ROUTER_KEY"):
        chat(f"{kind}:any", base_url=NOWHERE, key_env="ROUTER_KEY")
    monkeypatch.setenv("ROUTER_KEY", CANARY)
    assert chat(f"{kind}:any", base_url=NOWHERE)._key is None
    assert chat(f"{kind}:any", base_url=NOWHERE, key_env="ROUTER_KEY")._key == CANARY


ADDRESSES = ["localhost:8000", "ftp://host/v1", "https://", "host", "", "http://a b", CANARY]
ADDRESSES += [f"https://me:{CANARY}@host/v1", f"https://h/v1?k={CANARY}", f"https://h#{CANARY}"]


@pytest.mark.parametrize("url", ADDRESSES)
def test_an_address_that_is_none_or_has_a_secret_is_refused_without_showing_it(url):
    with pytest.raises(ValueError, match="must be like") as error:
        chat("openai:any", base_url=url)
    assert CANARY not in str(error.value)


@pytest.mark.parametrize("kind", LIVE)
def test_options_that_cannot_work_are_refused_at_once(kind):
    wrong = [("temperature", NAN, "JSON"), ("seed", object(), "JSON"), ("temprature", 1, "tempr")]
    wrong += [(f"extra_{part}", {"X": CANARY}, "no options") for part in ("headers", "query")]
    wrong += [("timeout", 0, "timeout is 0"), ("timeout", NAN, "timeout is nan")]
    wrong += [("patience", -1, "patience is -1"), ("api_key", CANARY, "api_key.*environment")]
    for name, value, words in wrong:
        with pytest.raises((TypeError, ValueError), match=words) as error:
            chat(f"{kind}:any", base_url=NOWHERE, **{name: value})
        assert CANARY not in str(error.value)


def test_the_log_gets_the_options_and_a_pickle_finds_the_key_again(monkeypatch):
    monkeypatch.setenv("MY_KEY", CANARY)
    options = {"base_url": NOWHERE, "key_env": "MY_KEY", "temperature": 0.5}
    settings = {"price": {"input": 1, "output": 2}, "patience": 1}
    model = chat("openai:any", **options, **settings)
    with World("MountainCarContinuous-v0") as world:
        config = LLMBrain(model, LinearPolicy(world)).config
    assert config["chat"] == "openai:any" and model.price == Price(input=1, output=2)
    assert config["options"] == options
    assert model._client.api_key == CANARY
    frozen = pickle.dumps(model)
    assert CANARY.encode() not in frozen
    again = pickle.loads(frozen)
    assert again._key == CANARY and again.options == model.options == options
    monkeypatch.delenv("MY_KEY")
    with pytest.raises(ValueError, match="MY_KEY"):
        pickle.loads(frozen)


def test_props_llm_makes_the_book_live(monkeypatch, capsys):
    recorded = "recorded:mountaincar-props"
    assert live_or(recorded).name == recorded
    assert capsys.readouterr().out == ""
    monkeypatch.setenv("PROPS_LLM", f"openai:any base_url={NOWHERE} temperature=0.5 stop=END")
    model = live_or(recorded)
    assert model.name == "openai:any" and model.live
    assert model.options == {"base_url": NOWHERE, "temperature": 0.5, "stop": "END"}
    assert "differ from the text" in capsys.readouterr().out
    assert chat(recorded).name == recorded, "a recording that is named is a recording"
    monkeypatch.setenv("PROPS_LLM", f"openai:any {CANARY}")
    with pytest.raises(ValueError, match="name=value") as error:
        live_or(recorded)
    assert CANARY not in str(error.value)


LINE = "params[0]: 0, params[1]: 1, params[2]: 2"


def asked(policy, answer, **settings):
    return LLMBrain(lambda prompt: answer, policy, **settings).ask()


def test_a_function_of_a_text_to_a_text_is_a_chat_and_other_answers_are_refused(policy):
    proposal = asked(policy, LINE)
    assert proposal.params.tolist() == [0, 1, 2] and proposal.reply == Reply(LINE)
    for answer in (None, Reply(None), Reply(7), Reply(LINE, model=None), 3, b"x"):
        with pytest.raises(TypeError, match="Reply"):
            asked(policy, answer)
    with pytest.raises(TypeError, match="chat is 'openai:x'"):
        LLMBrain("openai:x", policy)
    for number in (-1, True, NAN, 10**400, "many"):
        used = dict.fromkeys(("tokens_in", "tokens_out", "tokens_cached", "seconds", "usd"), number)
        assert asked(policy, Reply(LINE, **used)).reply == Reply(LINE)


def test_settings_of_a_brain_that_cannot_work_are_refused_and_a_blank_copy_has_its_own(policy):
    for missing in (NAN, float("inf"), 99, -7, 0.05):
        with pytest.raises(ValueError, match="missing is"):
            asked(policy, LINE, missing=missing)
    with pytest.raises(ValueError, match="optimum is nan"):
        asked(policy, LINE, optimum=NAN)
    brain = LLMBrain(chat("you"), policy)
    assert brain.chat._brain is brain and brain.blank().chat._brain is not brain


@pytest.mark.parametrize("kind", LIVE)
def test_a_variable_that_diverts_the_sdk_is_not_followed_silently(monkeypatch, kind):
    monkeypatch.setenv(f"{kind.upper()}_API_KEY", CANARY)
    monkeypatch.setenv(LIVE[kind], NOWHERE)
    with pytest.raises(ValueError, match=LIVE[kind]):
        chat(f"{kind}:any")
    assert chat(f"{kind}:any", base_url=NOWHERE).base_url == NOWHERE
