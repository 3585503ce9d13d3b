"""How fast a language model reads states, and how fast its agents could learn.

    python benchmarks/network.py [SECONDS]

measures, with one thread and in processor seconds, SmolLM2 of 1, 2, 4 and 30 layers reading
CartPole's four numbers as text and as embeddings, one state at a time and in batches: to act, and
to learn, that is with gradients. Each for SECONDS at least (1 by default) after a warm-up. Prints
the table and writes benchmarks/network.json.
"""

import json
import platform
import sys
import time
from importlib.metadata import version
from pathlib import Path

import numpy as np
import torch
from gymnasium.spaces import Box

from propslib.policy.network import EmbeddedReading, TextReading, count_parameters, load_body

NAMES = ["cart position", "cart velocity", "pole angle", "pole velocity"]
LAYERS, BATCHES, TOKENS = (1, 2, 4, 30), (1, 8, 64), (1, 2, 4)
SPACE = Box(-np.inf, np.inf, (4,), np.float32)


def rate(work, states, seconds):
    """States a processor second: calls of `work`, each of which reads so many states."""
    work()
    calls, start = 0, time.process_time()
    while time.process_time() - start < seconds:
        work()
        calls += 1
    return states * calls / (time.process_time() - start)


def acting(reading, states):
    def work():
        if isinstance(reading, TextReading):
            reading._known.clear()  # as if all texts were new
        with torch.no_grad():
            reading(states)

    return work


def learning(reading, states):
    return lambda: reading(states).square().mean().backward()


def readings(body):
    """(what is read, how many tokens it becomes, the reading)."""
    for tokens in TOKENS:
        yield "embedded", tokens, EmbeddedReading(SPACE, body, tokens=tokens)
    text = TextReading(SPACE, body, names=NAMES)
    example = "cart position 0.01, cart velocity -0.42, pole angle 0.03, pole velocity 0.58"
    yield "text", len(text.tokens(example)), text


def measure(seconds):
    generator = torch.Generator().manual_seed(0)
    for layers in LAYERS:
        body = load_body("smollm2", layers=layers)
        for kind, tokens, reading in readings(body):
            _, frozen = count_parameters(reading)
            row = {"reading": kind, "tokens": tokens, "layers": layers, "frozen": frozen}
            for batch in BATCHES:
                states = torch.randn(batch, 4, generator=generator)
                row[f"act_{batch}"] = rate(acting(reading, states), batch, seconds)
            # A frozen body that reads text has no gradient to pass on.
            if kind == "embedded":
                row["learn_64"] = rate(learning(reading, states), 64, seconds)
            yield {key: round(x, 1) if isinstance(x, float) else x for key, x in row.items()}


def cells(row):
    yield from (row["reading"], row["tokens"], row["layers"], f"{row['frozen'] / 1e6:.1f} M")
    for key in (*(f"act_{batch}" for batch in BATCHES), "learn_64"):
        yield "–" if key not in row else f"{row[key]:.1f}" if row[key] < 20 else f"{row[key]:.0f}"


def main():
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 1.0
    torch.set_num_threads(1)
    heads = [f"acting, {batch}" for batch in BATCHES]
    print("| reading | tokens | layers | frozen |", " | ".join(heads), "| learning, 64 |")
    print("| --- " * 8 + "|")
    rows = []
    for row in measure(seconds):
        rows.append(row)
        print("|", " | ".join(str(cell) for cell in cells(row)), "|", flush=True)
    packages = ("torch", "transformers")
    record = {
        "unit": "states a processor second",
        "seconds": seconds,
        "threads": 1,
        "machine": platform.machine(),
        "versions": {"python": platform.python_version()}
        | {package: version(package) for package in packages},
        "rows": rows,
    }
    path = Path(__file__).with_suffix(".json")
    path.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
