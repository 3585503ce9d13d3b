"""A language model as the policy network: what reads an observation, and what acts on it.

The report that chapter 12 follows (Verma & Shukla, *Large Language Model as Policy in
Reinforcement Learning*) writes the observation out as text, lets GPT-2 read it, puts two layers
of 64 on its last hidden state, and trains with TRPO. So do `TextReading` and `HeadPolicy`. Ours:
`EmbeddedReading`, which is faster by far; the body frozen by default; features of unit scale; and
the tests. PPO comes from Stable-Baselines3, TRPO from sb3-contrib.

    from stable_baselines3 import PPO
    body = load_body("smollm2", layers=2)
    reading = {"features_extractor_class": EmbeddedReading}
    reading["features_extractor_kwargs"] = {"body": body, "tokens": 2}
    model = PPO(HeadPolicy, "CartPole-v1", policy_kwargs=reading, seed=0)
    model.learn(10_000)

Needs the packages of requirements-network.txt, and is imported on demand only.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium.spaces import Box

from .backbone import INSTALL, Body, load_body

try:
    import torch
    from stable_baselines3.common.policies import ActorCriticPolicy, BasePolicy
    from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
    from torch import nn
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(
        f"A language model as a policy network needs the package {error.name}. {INSTALL}",
        name=error.name,
    ) from error

__all__ = [
    "Body",
    "EmbeddedReading",
    "HeadPolicy",
    "TextReading",
    "count_parameters",
    "describe",
    "load_body",
]

LIMIT = 1000.0  # numbers are clipped to this before they are written out
KNOWN = 20_000  # texts whose features are remembered, some 50 MB at a width of 576
ROWS = 64  # texts that a frozen body reads at once, which bounds the memory


def describe(
    observation: np.ndarray, names: Sequence[str] | None = None, *, decimals: int = 2
) -> str:
    """An observation as text, with fixed decimals.

    >>> describe(np.array([0.021, -1.5]), ["position", "velocity"])
    'position 0.02, velocity -1.50'
    >>> describe(np.array([0.021, -0.001, 1e30]))
    '0.02, 0.00, 1000.00'

    observation
        (n,) numbers. They are clipped to [-1000, 1000], so that the length has a bound.
    names
        n names, one a number; None writes the numbers alone.
    decimals
        Digits after the point.

    Raises ValueError for another number of names, and for numbers that are not finite.
    """
    observation = np.asarray(observation, dtype=float)
    if not np.isfinite(observation).all():
        raise ValueError(f"An observation must be finite to be written out; got {observation}.")
    # Adding 0.0 turns -0.0 into 0.0, so that one number has one text.
    rounded = np.round(np.clip(observation, -LIMIT, LIMIT), decimals) + 0.0
    numbers = [f"{number:.{decimals}f}" for number in rounded]
    if names is None:
        return ", ".join(numbers)
    if len(names) != len(numbers):
        raise ValueError(f"{len(numbers)} numbers need as many names; got {len(names)}: {names}.")
    return ", ".join(f"{name} {number}" for name, number in zip(names, numbers, strict=True))


class Reading(BaseFeaturesExtractor):
    """What the two readings share: a body of which nothing, or the last layers, can be trained.

    The features of an observation are the hidden states of its tokens, pooled and brought to mean
    0 and variance 1. They have the body's width. A reading can be the features extractor of any
    policy of Stable-Baselines3, best shared by actor and critic, as is the default.

    Three habits of the libraries would spoil a pretrained body, and are kept from it here.
    Stable-Baselines3 draws the weights of all linear layers anew; it switches dropout on to
    train, so that old and new policies could not be compared; and sb3-contrib's TRPO
    differentiates with respect to every parameter, frozen or not. So frozen weights are buffers
    here, shared by all readings of one body, and a saved agent holds only what was trained.

    (That TRPO also skips parameters with "value" in their names, so that it cannot train layers
    with such: those of GPT-NeoX or BLOOM. GPT-2, Llama and SmolLM2 have none.)

    observation_space
        A Box of one dimension.
    body
        See `load_body`.
    trainable
        How many of the last layers to train, with the norm that follows them. 0: the body is
        frozen.
    pool
        "last": the last token, which has read all others. "mean": the mean of all tokens.

    Raises TypeError for what is no body, and ValueError for values outside of these.
    """

    def __init__(self, observation_space: Box, body: Body, trainable: int = 0, pool: str = "last"):
        if not isinstance(body, Body):
            raise TypeError(f"body must come from load_body; got {body!r}.")
        if not isinstance(observation_space, Box) or len(observation_space.shape) != 1:
            raise ValueError(f"Only a Box of one dimension can be read; got {observation_space}.")
        if pool not in ("last", "mean"):
            raise ValueError(f"pool is {pool!r}; it must be 'last' or 'mean'.")
        super().__init__(observation_space, features_dim=body.width)
        self.trainable, self.pool = trainable, pool
        self.trunk = _partly_frozen(body, trainable)
        self._weights = {name for name, _ in body.trunk.named_parameters()}

    @property
    def frozen(self) -> int:
        """How many numbers of the body stay as they are."""
        buffers = self.trunk.named_buffers()
        return sum(buffer.numel() for name, buffer in buffers if name in self._weights)

    def apply(self, fn: Any) -> Reading:
        """Nothing: Stable-Baselines3 would draw the weights anew, and they are as they should."""
        return self

    def train(self, mode: bool = True) -> Reading:
        """As for every module, but the body's dropout stays off."""
        super().train(mode)
        self.trunk.eval()
        return self

    def _pooled(self, hidden: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        """Features (n, width) of hidden states (n, tokens, width); mask (n, tokens) is 1 or 0."""
        if self.pool == "last":
            pooled = hidden[torch.arange(len(hidden), device=hidden.device), mask.sum(1) - 1]
        else:
            weights = mask.to(hidden.dtype)[..., None]
            pooled = (hidden * weights).sum(1) / weights.sum(1)
        return nn.functional.layer_norm(pooled, pooled.shape[-1:])


class TextReading(Reading):
    """Observations as text, which the body reads as it would any other: the report's way.

    No gradient passes a text, so before the layers that are trained there is nothing to learn.
    What a frozen body makes of a text it makes of it for ever: it is computed once and remembered.

    names, decimals
        See `describe`.
    observation_space, body, trainable, pool
        See `Reading`. Raises ValueError also for a body without a tokenizer, and for names that
        are not as many as the numbers of an observation.
    """

    def __init__(
        self,
        observation_space: Box,
        body: Body,
        trainable: int = 0,
        pool: str = "last",
        *,
        names: Sequence[str] | None = None,
        decimals: int = 2,
    ):
        super().__init__(observation_space, body, trainable, pool)
        if body.tokenizer is None:
            raise ValueError(f"{body} has no tokenizer, so it can read no text.")
        describe(np.zeros(observation_space.shape), names, decimals=decimals)
        self.names, self.decimals = names, decimals
        self.tokenizer = body.tokenizer
        self._known: dict[str, torch.Tensor] = {}

    def tokens(self, text: str) -> list[str]:
        """The text in the pieces that the body reads."""
        return self.tokenizer.convert_ids_to_tokens(self.tokenizer(text)["input_ids"])

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        """Features (n, width) of observations (n, numbers)."""
        rows = observations.detach().cpu().numpy()
        texts = [describe(row, self.names, decimals=self.decimals) for row in rows]
        if self.trainable:
            return self._read(texts, observations.device)
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        found = {text: self._known[text] for text in texts if text in self._known}
        with torch.no_grad():
            for start in range(0, len(new), ROWS):
                some = new[start : start + ROWS]
                found |= zip(some, self._read(some, observations.device), strict=True)
        self._remember({text: found[text] for text in new})
        return torch.stack([found[text] for text in texts]).to(observations.device)

    def _read(self, texts: list[str], device: torch.device) -> torch.Tensor:
        ids = [torch.tensor(row) for row in self.tokenizer(texts)["input_ids"]]
        # Padded on the right: no token sees what comes after it, and positions count from the left.
        padded = nn.utils.rnn.pad_sequence(ids, batch_first=True).to(device)
        mask = nn.utils.rnn.pad_sequence([torch.ones_like(row) for row in ids], batch_first=True)
        mask = mask.to(device)
        output = self.trunk(input_ids=padded, attention_mask=mask, use_cache=False)
        return self._pooled(output.last_hidden_state, mask)

    def _remember(self, new: dict[str, torch.Tensor]) -> None:
        self._known |= new
        for text in list(self._known)[: max(0, len(self._known) - KNOWN)]:
            del self._known[text]


class EmbeddedReading(Reading):
    """Observations as a few input embeddings in the place of words: ours, and fast.

    The numbers of an observation are divided into `tokens` groups of neighbours, and a linear map
    of each group, w x + b, is one input embedding. Only these maps are new; they are trained
    through the body, frozen or not. They start at the scale of the embeddings that the body
    knows: for numbers of variance 1, as by VecNormalize, both w x and b have the variance of its
    words' embeddings. (Without b a body that normalises its input would see the sign of a lone
    number, but not its size.)

    tokens
        How many embeddings an observation becomes, from 1 to as many as it has numbers. The cost
        is in proportion. With one, attention has nothing to choose from, and the body is an
        ordinary network from layer to layer.
    observation_space, body, trainable, pool
        See `Reading`.
    """

    def __init__(
        self,
        observation_space: Box,
        body: Body,
        trainable: int = 0,
        pool: str = "last",
        *,
        tokens: int = 2,
    ):
        super().__init__(observation_space, body, trainable, pool)
        numbers = observation_space.shape[0]
        if not 1 <= tokens <= numbers:
            raise ValueError(
                f"tokens is {tokens}; {numbers} numbers make from 1 to {numbers} of them."
            )
        groups = np.array_split(np.arange(numbers), tokens)
        chosen = torch.zeros(tokens, numbers)
        for token, group in enumerate(groups):
            chosen[token, group] = 1
        # Token t sees its own numbers, and a 1 in the t-th of the last places, for its b: so all
        # maps are one matrix. TRPO goes backwards through the body for each parameter by itself.
        self.register_buffer("chosen", chosen, persistent=False)
        self.register_buffer("places", torch.eye(tokens), persistent=False)
        self.map = nn.Linear(numbers + tokens, body.width, bias=False)
        scale = float(self.trunk.get_input_embeddings().weight.std())
        with torch.no_grad():
            self.map.weight.normal_(std=scale)
            for group in groups:
                self.map.weight[:, group] /= len(group) ** 0.5
        self.trunk.set_input_embeddings(nn.Identity())  # no word is looked up

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        """Features (n, width) of observations (n, numbers)."""
        numbers = observations[:, None, :] * self.chosen
        places = self.places.expand(len(observations), -1, -1)
        embeddings = self.map(torch.cat([numbers, places], dim=2))
        hidden = self.trunk(inputs_embeds=embeddings, use_cache=False).last_hidden_state
        mask = torch.ones(hidden.shape[:2], dtype=torch.long, device=hidden.device)
        return self._pooled(hidden, mask)


class HeadPolicy(ActorCriticPolicy):
    """An actor-critic with the report's head, for PPO and TRPO, with and without a body.

    Two layers of 64 with tanh, for actor and critic each; for actions of a Box a Gaussian, whose
    mean is the last layer's output times `mean_scale` and whose log standard deviation is a free
    parameter for each action, from 0 on. Numbered actions get one score each, unscaled. Ours: the
    last layer starts at orthogonal weights of gain 1, as Stable-Baselines3's usual 0.01 would
    scale the mean a second time; the critic, which the report does not describe.

    mean_scale
        The factor of the mean.
    args, kwargs
        As for `stable_baselines3.common.policies.ActorCriticPolicy`.
    """

    def __init__(self, *args: Any, mean_scale: float = 0.1, **kwargs: Any):
        self.mean_scale = mean_scale
        architecture = {"net_arch": {"pi": [64, 64], "vf": [64, 64]}, "activation_fn": nn.Tanh}
        super().__init__(*args, **(architecture | kwargs))

    def _build(self, lr_schedule: Any) -> None:
        super()._build(lr_schedule)
        if isinstance(self.action_space, Box):
            self.init_weights(self.action_net, gain=1)
            self.action_net = nn.Sequential(self.action_net, _Scale(self.mean_scale))

    def predict_values(self, obs: torch.Tensor) -> torch.Tensor:
        """The critic's values (n, 1) of observations: see Stable-Baselines3.

        No gradient goes beyond the critic's own layers where it shares what it reads: TRPO, whose
        critic is trained by this, would throw such gradients away, and they cost the most.
        """
        with torch.set_grad_enabled(torch.is_grad_enabled() and not self.share_features_extractor):
            features = BasePolicy.extract_features(self, obs, self.vf_features_extractor)
        return self.value_net(self.mlp_extractor.forward_critic(features))

    def _get_constructor_parameters(self) -> dict[str, Any]:
        return super()._get_constructor_parameters() | {"mean_scale": self.mean_scale}


class _Scale(nn.Module):
    def __init__(self, factor: float):
        super().__init__()
        self.factor = factor

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        return inputs * self.factor


def count_parameters(policy: nn.Module) -> tuple[int, int]:
    """How many numbers of a policy are trained, and how many of its body stay frozen."""
    trained = sum(parameter.numel() for parameter in policy.parameters())
    readings = {module for module in policy.modules() if isinstance(module, Reading)}
    return trained, sum(reading.frozen for reading in readings)


def _partly_frozen(body: Body, trainable: int) -> nn.Module:
    """A copy of the body's trunk, whose frozen weights are buffers shared with it."""
    trained = {id(parameter) for parameter in body.last(trainable)}
    shared = {id(p): p for p in body.trunk.parameters() if id(p) not in trained}
    trunk = copy.deepcopy(body.trunk, memo=dict(shared))
    for module in trunk.modules():
        for name, parameter in list(module.named_parameters(recurse=False)):
            if id(parameter) in shared:
                delattr(module, name)
                module.register_buffer(name, parameter.detach(), persistent=False)
    return trunk
