"""What the site's figure "Prompt and reply" knows: a search's prompts, replies, and nasty replies.

    python benchmarks/prompt_figure.py

writes book/_static/figures/prompt_data.js: the prompt of the recorded search mountaincar-props in
pieces, as `LLMBrain` renders it, one line a trial, the recorded replies, and some replies from
tests/nasty_replies.json. `tests/test_figures.py` makes the same again and compares.
"""

import json
from pathlib import Path
from typing import Any

import figure_data

from propslib import LinearPolicy, LLMBrain, Run, World
from propslib.brain import find_recording
from propslib.brain.answer import FILE, PATTERNS

ROOT = Path(__file__).parents[1]
RECORDING = "mountaincar-props"
# Label on the page: name in the table of nasty replies.
UNUSUAL = {
    "code fence": "code fence",
    "reordered": "reordered",
    "Unicode minus": "Unicode minus U+2212",
    "JSON": "JSON list and reason",
    "table": "markdown table",
    "too fine": "rounded to the decimals",
    "a mention first": "mention before in prose",
    "thinking aloud": "thinking before",
}
WRONG = {
    "one missing": "one missing",
    "one too many": "one too many",
    "out of range": "out of range",
    "NaN": "NaN",
    "decimal comma": "decimal comma",
    "a range": "range in words",
    "doubled": "doubled",
    "no proposal": "a refusal in prose",
}
REPEATED = "tried before"  # the table does not know the trials: made from the first of them
ABOUT = "Prompts, replies, nasty replies."


def brain_before(run: Run, iteration: int) -> LLMBrain:
    """The brain of the recorded search when it is asked for this proposal."""
    with World(run.config["env_id"]) as world:
        policy = LinearPolicy(world)
    optimum = run.config["optimum"]
    brain = LLMBrain(lambda prompt: "", policy, prompt="props", optimum=optimum)
    brain.begin(run.config["budget"], episodes=run.config["episodes"])
    for trial in run.trials:
        if trial.iteration < iteration:
            brain.tell(trial)
    return brain


def examples(run: Run) -> dict[str, dict[str, str]]:
    """The replies behind the figure's buttons, by group and label."""
    table = json.loads((ROOT / "tests" / "nasty_replies.json").read_text(encoding="utf-8"))
    replies = {entry["name"]: entry["reply"] for entry in table}
    groups = {
        group: {label: replies[name] for label, name in names.items()}
        for group, names in (("Unusual forms", UNUSUAL), ("Wrong content", WRONG))
    }
    numbers = ", ".join(f"params[{i}]: {number}" for i, number in enumerate(run.trials[0].params))
    groups["Wrong content"][REPEATED] = f"{numbers}\nBack to the start."
    return groups


def data() -> dict[str, Any]:
    """All that the figure knows."""
    run = Run.load(find_recording(RECORDING))
    budget = run.config["budget"]
    # One proposal after the last, so that the history has every trial.
    *fixed, history, ending = brain_before(run, budget + 1).prompt().split("\n\n")
    heading, *lines = history.splitlines()
    return {
        "settings": {name: run.config[name] for name in ("size", "low", "high", "decimals")},
        "fixed": fixed,
        "heading": heading,
        "lines": lines,
        "warmup": len(run.warmup),
        "ending": ending.replace(f"iteration {budget + 1} of", "iteration {k} of"),
        "replies": [proposal.reply for proposal in run.proposals],
        "examples": examples(run),
        "alike": FILE["alike"],
        "pairs": FILE["pairs"],
        "patterns": {name: pattern.pattern for name, pattern in PATTERNS.items()},
    }


def module() -> str:
    """The text of prompt_data.js."""
    return figure_data.text("prompt", ABOUT, data(), ensure_ascii=False)


if __name__ == "__main__":
    figure_data.write("prompt", module())
