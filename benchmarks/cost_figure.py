"""What the site's figure "What will it cost?" knows: sizes of prompts, and prices.

    python benchmarks/cost_figure.py

counts real prompts of a search with 20 warm-up points, with the tokenizer of OpenAI's models
(o200k), for the tasks and forms below, and writes book/_static/figures/cost_data.js with them and
with propslib/prices.toml. `tests/test_figures.py` makes the same again and compares.
"""

import os
import tomllib
from collections.abc import Iterator
from typing import Any

import figure_data
import numpy as np

from propslib import LinearPolicy, LLMBrain, Run, Trial, World
from propslib.brain import find_recording
from propslib.brain.cost import PRICES, count_tokens, find_price

WARMUP = 20
MEASURED = (2, 40, 80, 160, 240, 320, 400)  # proposals whose prompts are counted
# Name on the page, environment, prompt, recording with the chapter's budget and description.
TASKS = {
    "mountaincar": (
        "3 and 4: MountainCar, 3 numbers",
        "MountainCarContinuous-v0",
        "props",
        "mountaincar-props",
    ),
    "swimmer": ("5: Swimmer, 18 numbers", "Swimmer-v5", "props", "swimmer-props"),
    "told": (
        "6: MountainCar, the task described",
        "MountainCarContinuous-v0",
        "props_plus",
        "mountaincar-props-plus",
    ),
    "hopper": (
        "9: Hopper, 36 numbers, the task described",
        "Hopper-v5",
        "props_plus",
        "hopper-props-plus",
    ),
}
FORMS = {
    "all": ("all trials", {}),
    "compact": ("all trials, compact", {"compact": True}),
    "bounded": ("compact, the best 10 and the last 10", {"compact": True, "history": (10, 10)}),
}
ABOUT = "Tokens of prompts, and prices."


def prompts(policy: LinearPolicy, settings: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """The prompts before these proposals, each after its predecessor, as a forecast makes them."""
    brain = LLMBrain(count_tokens, policy, **settings)
    brain.begin(max(MEASURED), episodes=20)
    rng = np.random.default_rng(0)
    before = ""
    for k in range(1 - WARMUP, max(MEASURED) + 1):
        if k in MEASURED:
            yield before, brain.prompt()
        if k + 1 in MEASURED:
            before = brain.prompt()
        brain.tell(Trial(max(k, 0), policy.sample(rng), -123.45))


def measure(policy: LinearPolicy, settings: dict[str, Any]) -> dict[str, float]:
    """Tokens of a search's first prompt, of each trial more, and of what is new in each prompt."""
    sizes, fresh = [], []
    for before, prompt in prompts(policy, settings):
        shared = os.path.commonprefix([before, prompt])  # noqa: RUF071 (texts, not paths)
        sizes.append(count_tokens(prompt))
        fresh.append(sizes[-1] - count_tokens(shared))
    trial, none = np.polyfit(MEASURED, sizes, 1)
    return {
        "first": round(none + trial, 1),
        "trial": round(trial, 3),
        "fresh": round(np.mean(fresh), 1),
    }


def data() -> dict[str, Any]:
    """All that the figure knows."""
    tasks = {}
    for key, (label, env_id, prompt, recording) in TASKS.items():
        config = Run.load(find_recording(recording)).config
        with World(env_id) as world:
            policy = LinearPolicy(world)
        settings = {"prompt": prompt, "optimum": 100, "description": config.get("description")}
        sizes = {form: measure(policy, settings | more) for form, (_, more) in FORMS.items()}
        tasks[key] = {"label": label, "budget": config["budget"], "sizes": sizes}
    names = tomllib.loads(PRICES.read_text(encoding="utf-8"))
    prices = {}
    for name in names:
        price = find_price(name)
        prices[name] = {
            part: getattr(price, part) for part in ("input", "cached", "written", "output", "date")
        }
    return {
        "tasks": tasks,
        "forms": {form: label for form, (label, _) in FORMS.items()},
        "prices": prices,
    }


def module() -> str:
    """The text of cost_data.js."""
    return figure_data.text("cost", ABOUT, data())


if __name__ == "__main__":
    figure_data.write("cost", module())
