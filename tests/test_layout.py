"""The library stays small, and its modules import in one direction."""

import subprocess
import sys
from graphlib import TopologicalSorter

from code_lines import code_lines, core, functions, imports, modules

MODULES = modules()
TEXTS = {name: path.read_text(encoding="utf-8") for name, path in MODULES.items()}
SIZES = {name: len(code_lines(text)) for name, text in TEXTS.items()}
# In this order: a module imports none of a later place.
ORDER = "settings world policy usage read_log write_log folders run brain judge search study utils"
OTHERS = "openai google httpx2 tenacity quicktok cma scipy sklearn joblib IPython torch xllamacpp"
OTHERS = (*OTHERS.split(), "box2d", "threadpoolctl")
REPLAY = f"""
import sys
for name in {OTHERS}: sys.modules[name] = None
from propslib import *
world = World("MountainCarContinuous-v0")
policy = LinearPolicy(world)
brain = LLMBrain(chat("recorded:mountaincar-props"), policy, optimum=100)
run = search(brain, world, policy, budget=60)
assert run.best.value == Run.load("mountaincar-props").best.value
"""


def place(name):
    return ORDER.split().index(name.split(".")[1]) if "." in name else len(ORDER)


def test_the_counter_counts_code():
    assert code_lines('"""Doc."""\n\n# why\nx = [\n    1,  # one\n]\n') == {4, 5, 6}
    text = 'def f():\n    """Doc.\n\n    More."""\n    return """two\nlines"""\n'
    assert code_lines(text) == {1, 5, 6}


def test_the_library_does_not_grow():
    """The aim is 3,500 lines, with a core of 1,050: lower these numbers, never raise them."""
    assert sum(SIZES.values()) <= 3500
    assert sum(SIZES[name] for name in core()) <= 1013
    assert {name: size for name, size in SIZES.items() if size > 200} == {}
    long = {name: {f: n for f, n in functions(TEXTS[name]).items() if n > 40} for name in TEXTS}
    assert {name: found for name, found in long.items() if found} == {}


def test_imports_go_one_way_and_the_core_imports_nothing_optional():
    graph = {name: imports(name) for name in MODULES if name != "propslib"}
    against = [(a, b) for a, found in graph.items() for b in found if place(b) > place(a)]
    assert against == []
    TopologicalSorter(graph).prepare()  # raises CycleError
    optional = {name for name, text in TEXTS.items() if text.startswith('"""Optional: ')}
    assert set(core()) & optional == set()
    packages = {name for name, path in MODULES.items() if path.name == "__init__.py"}
    assert set(MODULES) - set(core()) - optional - packages == set()


def test_the_core_needs_few_packages():
    """Chapter 4's recording is replayed where only what draws and plays is installed."""
    done = subprocess.run([sys.executable, "-c", REPLAY], capture_output=True)
    assert done.returncode == 0, done.stderr.decode()
