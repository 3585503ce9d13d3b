"""How many tokens the prompts of a long search take, in four forms.

    python benchmarks/tokens.py

counts, with the tokenizer of OpenAI's models (o200k), all prompts of a search with 20 warm-up
points and 400 proposals, for 3 parameters and for 18: (1) as the tutorial of Prompted Policy
Search sends them, (2) as this library does, (3) in its compact form, and (4) compact with the 10
best and the 10 latest trials only. Prints a table, and writes it to benchmarks/tokens.json.

The points are drawn as warm-up points are, and the values are the recorded ones, over and over.
The tutorial's text has no licence. (1) is a stand-in of the same size, in other words: its rows
have the same form, and both tasks must come to the characters that the tutorial sends.
"""

import json
import os
import platform
from importlib.metadata import version
from pathlib import Path

import numpy as np

from propslib import LinearPolicy, LLMBrain, Run, Trial, World
from propslib.brain import find_recording
from propslib.brain.cost import count_tokens

WARMUP, BUDGET = 20, 400
# Environment, recording, and the characters of the tutorial's prompts in 400 iterations.
TASKS = {
    "MountainCarContinuous-v0": ("mountaincar-props", 6.6e6),
    "Swimmer-v5": ("swimmer-props", 28.8e6),
}
FORMS = {
    "tutorial": None,
    "props": {},
    "compact": {"compact": True},
    "compact, bounded": {"compact": True, "history": (10, 10)},
}
# 1,600 characters around the history, as the tutorial's prompt has.
TUTORIAL = """
You search for the largest value of a function that nobody can write down. It is called f(params),
and all that can be done with it is to evaluate it. After each of your proposals you are told the
value there, and how many proposals you have made. There are {budget} proposals; use them well.

# What params is:
**params** holds {size} numbers with a decimal point.
**params** lie between -6.0 and 6.0 and are rounded to 1 decimal place.

# The course of the conversation:
1. Some evaluated points are given to you before you start, and the number of rounds ({budget}).
2. You answer in the form that is described here, and in no other:
    * First line: the point that you propose, written 'params[0]: , params[1]: , params[2]: ,...,
    params[{last}]: ', where you expect a high value of f(params). Keep to numbers between -6.0 and
    6.0, rounded to 1 decimal place.
    * Second line: an explanation of your choice that goes into detail.
3. The value f(params) of your point is evaluated and shown to you, with the number of the round.
4. Rounds 2 and 3 are repeated until there are no proposals left.

# Bear in mind:
1. **A point that is in the list already must not be proposed again.**
2. **The largest value of all is thought to be near {optimum}.** A value well below it is the top
of a smaller hill only. Leave it then, and look for another one, rather than climb on.
3. Negative numbers may be as good as positive ones. **While you look around, use 1.0 as the size
of a step**.


Here is the list of the points so far, each with its value f(params).
{rows}

This is round {iteration} of {budget}. Answer in the form described above, and write nothing else.
"""


def tutorial_prompt(policy, optimum, trials):
    rows = [
        "".join(f"params[{i}]: {number:.5g}; " for i, number in enumerate(trial.params))
        + f"f(params): {trial.value:.2f}\n"
        for trial in trials
    ]
    return TUTORIAL.format(
        budget=BUDGET,
        size=policy.size,
        last=policy.size - 1,
        optimum=optimum,
        rows="".join(rows),
        iteration=len(trials) - WARMUP,
    )


def prompts(policy, record, settings, iterations):
    """The prompts of these iterations, each with its iteration."""
    optimum = record.config["optimum"]
    brain = LLMBrain(count_tokens, policy, optimum=optimum, **(settings or {}))
    brain.begin(BUDGET, episodes=20)
    rng = np.random.default_rng(0)
    values = record.values
    for k in range(1 - WARMUP, BUDGET + 1):
        if k in iterations:
            of_tutorial = settings is None
            yield (
                k,
                tutorial_prompt(policy, optimum, brain.trials) if of_tutorial else brain.prompt(),
            )
        brain.tell(Trial(max(k, 0), policy.sample(rng), values[k % len(values)]))


def measure(env_id, every=1):
    """Characters and tokens of all prompts in each form.

    Between one prompt in `every` that is counted, sizes are taken to lie on a line: a prompt grows
    by about the same with each row.
    """
    with World(env_id) as world:
        policy = LinearPolicy(world)
    name, published = TASKS[env_id]
    record = Run.load(find_recording(name))
    counted = sorted({*range(1, BUDGET, every), BUDGET})
    rendered = {*counted, *(k - 1 for k in counted[1:])}
    forms = {}
    for form, settings in FORMS.items():
        before, sizes = "", []
        for k, prompt in prompts(policy, record, settings, rendered):
            if k in counted:
                shared = os.path.commonprefix([before, prompt])  # noqa: RUF071 (texts, not paths)
                sizes.append((len(prompt), count_tokens(prompt), count_tokens(shared)))
            before = prompt
        totals = [
            round(np.interp(range(1, BUDGET + 1), counted, size).sum())
            for size in zip(*sizes, strict=True)
        ]
        names = ("characters", "tokens", "tokens_as_before")
        forms[form] = dict(zip(names, totals, strict=True))
    for form in forms.values():
        form["times_fewer"] = forms["tutorial"]["tokens"] / form["tokens"]
    return {
        "environment": env_id,
        "parameters": policy.size,
        "tutorial_characters_published": published,
        "forms": forms,
    }


def main():
    results = [measure(env_id) for env_id in TASKS]
    print("| environment | prompts | characters | tokens | times fewer | as in the prompt before |")
    print("| --- | --- | --- | --- | --- | --- |")
    for result in results:
        for form, sizes in result["forms"].items():
            print(
                f"| {result['environment']} | {form} | {sizes['characters'] / 1e6:.2f} M "
                f"| {sizes['tokens'] / 1e6:.3f} M | {sizes['times_fewer']:.1f} "
                f"| {sizes['tokens_as_before'] / sizes['tokens']:.0%} |"
            )
    for result in results:
        characters = result["forms"]["tutorial"]["characters"]
        published = result["tutorial_characters_published"]
        print(
            f"\n{result['environment']}: the tutorial sends {published / 1e6:.1f} M characters, "
            f"the stand-in {characters / 1e6:.2f} M."
        )
        if abs(characters / published - 1) > 0.03:
            raise RuntimeError(f"The stand-in is not of the tutorial's size: {characters}.")
    record = {
        "python": platform.python_version(),
        "tokenizer": f"quicktok-v1 {version('quicktok-v1')}, o200k_base",
        "warmup": WARMUP,
        "budget": BUDGET,
        "results": results,
    }
    path = Path(__file__).with_suffix(".json")
    path.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    print(f"\nAll counts: {path.name}")


if __name__ == "__main__":
    main()
