"""Finding a chat back end by its name, and what each refuses before anything is sent."""

import pickle

import pytest

from propslib import LLMBrain, Reply, chat, live_or
from propslib.usage import Price

NOWHERE = "http://127.0.0.1:1/v1"
CANARY, NAN = "sk-canary-0123456789", float("nan")
LIVE = ["openai", "anthropic", "gemini"]


def refused(words, *arguments, **options):
    """The sentence that refuses a back end; it never shows a key."""
    with pytest.raises((TypeError, ValueError), match=words) as error:
        chat(*arguments, **options)
    assert CANARY not in str(error.value)
    return str(error.value)


@pytest.mark.parametrize("name", ["gpt-4o", "openai", "openai:", "local:x", "you:me", "", ":x"])
def test_an_unknown_name_is_refused_with_those_there_are(name):
    refused(r"no chat back end .* openai:NAME, .*ollama:NAME", name)


@pytest.mark.parametrize("kind", LIVE)
def test_a_missing_key_names_the_variable_and_the_ways_without(kind, monkeypatch):
    why = refused("needs a key", f"{kind}:any")
    ways = (f"{kind.upper()}_API_KEY", "recorded:", "chat('local')", "chat('you')")
    assert all(words in why for words in ways)
    refused("variable ROUTER_KEY", f"{kind}:any", base_url=NOWHERE, key_env="ROUTER_KEY")
    monkeypatch.setenv("ROUTER_KEY", CANARY)
    assert chat(f"{kind}:any", base_url=NOWHERE)._key is None
    assert chat(f"{kind}:any", base_url=NOWHERE, key_env="ROUTER_KEY")._key == CANARY


ADDRESSES = ["localhost:8000", "ftp://host/v1", "https://", "host", "", "http://a b", CANARY]
ADDRESSES += [f"https://me:{CANARY}@host/v1", f"https://h/v1?k={CANARY}", f"https://h#{CANARY}"]


@pytest.mark.parametrize("url", ADDRESSES)
def test_an_address_that_is_none_or_has_a_secret_is_refused_without_showing_it(url):
    refused("must be like", "openai:any", base_url=url)


def test_headers_from_the_environment_do_not_reach_another_server(monkeypatch):
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", f"Authorization: Bearer {CANARY}")
    refused("OPENAI_CUSTOM_HEADERS", "openai:any", base_url=NOWHERE)


WRONG = [("temperature", NAN, "JSON"), ("seed", {1, 2}, "JSON"), ("temprature", 1, "tempr")]
WRONG += [(f"extra_{part}", {"X": CANARY}, "no options") for part in ("headers", "query")]
WRONG += [("timeout", 0, "timeout is 0"), ("timeout", NAN, "timeout is nan")]
WRONG += [("patience", -1, "patience is -1"), ("api_key", CANARY, "api_key.*environment")]


@pytest.mark.parametrize("kind", LIVE)
@pytest.mark.parametrize(("name", "value", "words"), WRONG, ids=str)
def test_an_option_that_cannot_work_is_refused_at_once(kind, name, value, words):
    refused(words, f"{kind}:any", base_url=NOWHERE, **{name: value})


def test_the_log_gets_the_options_and_a_pickle_finds_the_key_again(policy, monkeypatch):
    monkeypatch.setenv("MY_KEY", CANARY)
    options = {"base_url": NOWHERE, "key_env": "MY_KEY", "temperature": 0.5}
    model = chat("openai:any", **options, price={"input": 1, "output": 2}, patience=1)
    assert LLMBrain(model, policy).config["options"] == options
    assert model.price == Price(input=1, output=2) and model._client.api_key == CANARY
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
    diverts = "GOOGLE_GEMINI_BASE_URL" if kind == "gemini" else f"{kind.upper()}_BASE_URL"
    monkeypatch.setenv(f"{kind.upper()}_API_KEY", CANARY)
    monkeypatch.setenv(diverts, NOWHERE)
    refused(diverts, f"{kind}:any")
    assert chat(f"{kind}:any", base_url=NOWHERE).base_url == NOWHERE
