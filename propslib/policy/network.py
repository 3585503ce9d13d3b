"""Optional: a language model as the policy network: its features and its head.

The report that chapter 14 follows (Verma & Shukla, *Large Language Model as Policy in
Reinforcement Learning*) writes the observation out as text, lets GPT-2 read it, and puts a small
head on what it has read. So do `TextExtractor` and `HeadPolicy`; `EmbeddingExtractor` leaves the
words out. PPO comes from Stable-Baselines3, TRPO from sb3-contrib:

    backbone = load_backbone("smollm2", layers=1)
    extractor = {"features_extractor_class": EmbeddingExtractor}
    extractor["features_extractor_kwargs"] = {"backbone": backbone, "tokens": 2}
    model = PPO(HeadPolicy, "CartPole-v1", policy_kwargs=extractor, seed=0)
    model.learn(10_000)
"""

import copy
from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from gymnasium.spaces import Box

from .backbone import Backbone, blocks, nn, torch
from .backbone import load_backbone as load_backbone  # for those who build a network on it

# After .backbone, which says what to install where this is missing.
from stable_baselines3.common.policies import ActorCriticPolicy, BasePolicy  # isort: skip
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor  # isort: skip

MEAN_SCALE = 0.1  # of the head's last layer, in the report
KNOWN = 20_000  # texts whose features are remembered, some 50 MB at a width of 576


Names, Limits = Sequence[str] | None, Sequence[float] | None


def describe(
    observation: np.ndarray, names: Names = None, limits: Limits = None, *, digits: int = 2
) -> str:
    """An observation as text.

    >>> describe(np.array([0.02, -1.5]), ["position", "velocity"])
    'position 0.02, velocity -1.50'
    >>> describe(np.array([0.02, -1.5]), ["x", "v"], [2.4, 2.0])
    'x50 v12'

    observation
        (n,) numbers.
    names
        n names, one a number; None writes the numbers alone.
    limits
        None writes each number with `digits` after its point. With n limits each number is
        written as a place on a scale from 0 (minus its limit) to 10^digits - 1 (its limit).

    Raises ValueError for numbers that are not finite, and for other than n names or limits.
    """
    observation = np.asarray(observation, dtype=float)
    if not np.isfinite(observation).all():
        raise ValueError(f"An observation must be finite to be written out; got {observation}.")
    if limits is None:
        # Adding 0.0 turns -0.0 into 0.0, so that one number has one text.
        rounded = np.round(np.clip(observation, -1000, 1000), digits) + 0.0
        written, between, inside = [f"{number:.{digits}f}" for number in rounded], ", ", " "
    else:
        steps = 10**digits
        places = np.clip((observation / np.asarray(limits) + 1) * steps / 2, 0, steps - 1)
        written, between, inside = [f"{int(place):0{digits}d}" for place in places], " ", ""
    named = zip(names, written, strict=True) if names else zip(written)
    return between.join(inside.join(pair) for pair in named)


class LoRA(nn.Module):
    """A frozen linear layer, and beside it a product of two thin matrices that are trained.

    Hu et al. (2022): W x becomes W x + B A x, where A has `rank` rows and B as many columns. B
    starts at 0, so that at first nothing is changed.
    """

    def __init__(self, layer: nn.Module, rank: int):
        super().__init__()
        outputs, inputs = layer.weight.shape
        if not isinstance(layer, nn.Linear):  # GPT-2 keeps its matrices the other way round
            outputs, inputs = inputs, outputs
        self.layer = layer
        self.down = nn.Linear(inputs, rank, bias=False)
        self.up = nn.Linear(rank, outputs, bias=False)
        nn.init.zeros_(self.up.weight)

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        return self.layer(inputs) + self.up(self.down(inputs))


class FeaturesExtractor(BaseFeaturesExtractor):
    """What the two readers share: a backbone, frozen but for what is said, and the pooling.

    The features of an observation are the mean of its tokens' hidden states, brought to mean 0 and
    variance 1. Three habits of the libraries would spoil a pretrained
    network and are kept from it: Stable-Baselines3 draws the weights of all linear layers anew,
    and switches dropout on to train; sb3-contrib's TRPO differentiates with respect to every
    parameter, frozen or not. So frozen weights are buffers here, shared by all extractors of one
    backbone, and the state of an agent holds only what was trained.

    trained
        How many of the last layers to train, with the norm that follows them.
    lora
        The rank of a `LoRA` beside each linear layer; 0 for none.
    """

    def __init__(self, observation_space: Box, backbone: Backbone, trained: int = 0, lora: int = 0):
        super().__init__(observation_space, features_dim=backbone.width)
        self.tuned = bool(trained or lora)
        self.trunk = _partly_frozen(backbone.trunk, trained)
        self._pretrained = {weights.data_ptr() for weights in backbone.trunk.parameters()}
        if lora:
            for block in blocks(self.trunk):
                for path, layer in [*block.named_modules()]:
                    if getattr(layer, "weight", torch.empty(0)).ndim == 2:
                        block.set_submodule(path, LoRA(layer, lora))

    @property
    def frozen(self) -> int:
        """How many numbers of the backbone stay as they are."""
        buffers = self.trunk.buffers()
        return sum(b.numel() for b in buffers if b.data_ptr() in self._pretrained)

    def apply(self, fn: Any) -> Self:
        """Nothing: Stable-Baselines3 would draw the weights anew, and they are as they should."""
        return self

    def train(self, mode: bool = True) -> Self:
        """As for every module, but the backbone's dropout stays off."""
        super().train(mode)
        self.trunk.eval()
        return self

    def _pooled(self, hidden: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        """Features (n, width) of hidden states (n, tokens, width); mask (n, tokens) is 1 or 0."""
        pooled = (hidden * mask[..., None]).sum(1) / mask.sum(1, keepdim=True)
        return nn.functional.layer_norm(pooled, pooled.shape[-1:])


class TextExtractor(FeaturesExtractor):
    """Observations as text, which the backbone reads as it would any other: the report's way.

    No gradient passes a text, so before the layers that are trained there is nothing to learn.
    What a frozen backbone has read once it remembers.

    names, limits, digits
        See `describe`.
    observation_space, backbone, options
        See `FeaturesExtractor`.
    """

    def __init__(
        self,
        observation_space: Box,
        backbone: Backbone,
        names: Names = None,
        limits: Limits = None,
        digits: int = 2,
        **options: Any,
    ):
        super().__init__(observation_space, backbone, **options)
        self.tokenizer = backbone.tokenizer
        self.write = lambda row: describe(row, names, limits, digits=digits)
        self._known: dict[str, torch.Tensor] = {}

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        """Features (n, width) of observations (n, numbers)."""
        texts = [self.write(row) for row in observations.detach().cpu().numpy()]
        if self.tuned:
            return self._read(texts)
        if len(self._known) > KNOWN:
            self._known.clear()
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        with torch.no_grad():
            self._known |= zip(new, self._read(new) if new else (), strict=True)
        return torch.stack([self._known[text] for text in texts])

    def _read(self, texts: list[str]) -> torch.Tensor:
        # Padded on the right: no token sees what comes after it, and positions count from the left.
        padded = self.tokenizer(texts, padding=True, padding_side="right", return_tensors="pt")
        tokens = {name: padded[name] for name in ("input_ids", "attention_mask")}
        hidden = self.trunk(**tokens, use_cache=False).last_hidden_state
        return self._pooled(hidden, tokens["attention_mask"])


class EmbeddingExtractor(FeaturesExtractor):
    """Observations as a few input embeddings in the place of words: ours, and fast.

    The numbers of an observation, divided by their limits, are dealt into `tokens` groups of
    neighbours, and a linear map of each group, w x + b, is one input embedding. It starts at the
    scale of the embeddings that the backbone knows. (Without b a network that normalises its
    input would see the sign of a lone number, but not its size.)

    tokens
        How many embeddings an observation becomes. The cost is in proportion.
    limits
        n numbers; None leaves the observation as it is.
    observation_space, backbone, options
        See `FeaturesExtractor`.
    """

    def __init__(
        self,
        observation_space: Box,
        backbone: Backbone,
        tokens: int = 2,
        limits: Limits = None,
        **options: Any,
    ):
        super().__init__(observation_space, backbone, **options)
        numbers = observation_space.shape[0]
        groups = np.array_split(np.arange(numbers), tokens)
        chosen = torch.zeros(tokens, numbers)
        for token, group in enumerate(groups):
            chosen[token, group] = 1
        self.register_buffer("limits", torch.as_tensor(limits or [1.0] * numbers), persistent=False)
        # Token t sees its own numbers, and a 1 in the t-th of the last places, for its b: so all
        # maps are one matrix. TRPO goes backwards through the body for each parameter by itself.
        self.register_buffer("chosen", chosen, persistent=False)
        self.register_buffer("places", torch.eye(tokens), persistent=False)
        self.map = nn.Linear(numbers + tokens, backbone.width, bias=False)
        with torch.no_grad():
            self.map.weight.normal_(std=float(backbone.trunk.get_input_embeddings().weight.std()))
            for group in groups:
                self.map.weight[:, group] /= len(group) ** 0.5
        self.trunk.set_input_embeddings(nn.Identity())  # no word is looked up

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        """Features (n, width) of observations (n, numbers)."""
        numbers = (observations / self.limits)[:, None, :] * self.chosen
        places = self.places.expand(len(observations), -1, -1)
        embeddings = self.map(torch.cat([numbers, places], dim=2))
        hidden = self.trunk(inputs_embeds=embeddings, use_cache=False).last_hidden_state
        return self._pooled(hidden, torch.ones(hidden.shape[:2], dtype=torch.long))


class HeadPolicy(ActorCriticPolicy):
    """An actor-critic with the report's head, for PPO and TRPO, with and without a backbone.

    Two layers of 64 with tanh, for actor and critic each, which is Stable-Baselines3's usual form;
    for actions of a Box a Gaussian, whose mean is the last layer's output times 0.1 and whose log
    standard deviation is a free parameter for each action, from 0 on. Numbered actions get one
    score each, unscaled. Ours: the last layer starts at orthogonal weights of gain 1, as
    Stable-Baselines3's usual 0.01 would scale the mean a second time; the critic, which the report
    does not describe.
    """

    def _build(self, lr_schedule: Any) -> None:
        super()._build(lr_schedule)
        if isinstance(self.action_space, Box):
            self.init_weights(self.action_net, gain=1)
            self.action_net = nn.Sequential(self.action_net, _Scaled())

    def predict_values(self, obs: torch.Tensor) -> torch.Tensor:
        """The critic's values (n, 1) of observations: see Stable-Baselines3.

        No gradient goes beyond the critic's own layers: TRPO, whose critic is trained by this,
        would throw such gradients away, and they cost the most.
        """
        with torch.no_grad():
            features = BasePolicy.extract_features(self, obs, self.vf_features_extractor)
        return self.value_net(self.mlp_extractor.forward_critic(features))


class _Scaled(nn.Module):
    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        return inputs * MEAN_SCALE


def count_parameters(policy: nn.Module) -> tuple[int, int]:
    """How many numbers of a policy are trained, and how many of its backbone stay frozen."""
    extractors = {part for part in policy.modules() if isinstance(part, FeaturesExtractor)}
    trained = sum(parameter.numel() for parameter in policy.parameters())
    return trained, sum(extractor.frozen for extractor in extractors)


def _partly_frozen(trunk: nn.Module, trained: int) -> nn.Module:
    """A copy of the trunk, whose frozen weights are buffers shared with it."""
    layers, parts = blocks(trunk), [*trunk.children()]
    if not 0 <= trained <= len(layers):
        raise ValueError(f"0 to {len(layers)} layers can be trained; got {trained}.")
    after = parts[next(i for i, part in enumerate(parts) if part is layers) + 1 :]  # the last norm
    last = [*layers[len(layers) - trained :], *after] if trained else []
    free = {id(parameter) for part in last for parameter in part.parameters()}
    shared = {id(p): p for p in trunk.parameters() if id(p) not in free}
    trunk = copy.deepcopy(trunk, memo=dict(shared))
    for module in trunk.modules():
        for name, parameter in list(module.named_parameters(recurse=False)):
            if id(parameter) in shared:
                delattr(module, name)
                module.register_buffer(name, parameter.detach(), persistent=False)
    return trunk
