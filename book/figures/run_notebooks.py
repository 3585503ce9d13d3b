"""Run notebooks in place and keep their outputs: each plot twice, once for phones.

    python book/figures/run_notebooks.py notebooks/05_swimmer.ipynb ...

Without the times at which cells ran, so that only what a cell shows can change the file.
"""

import os
import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient

EXTENSION = "--IPKernelApp.extensions=['narrow']"  # the module beside this one


def run(path: Path) -> None:
    """Run a notebook from its first cell to its last, in its folder; raises what a cell raises."""
    notebook = nbformat.read(path, as_version=4)
    kernel = dict(notebook.metadata)  # a run would note this machine's Python
    here, others = str(Path(__file__).parent), os.environ.get("PYTHONPATH")
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, (here, others)))}
    client = NotebookClient(
        notebook,
        timeout=600,
        record_timing=False,
        coalesce_streams=True,  # or how lines are split depends on the machine's load
        extra_arguments=[EXTENSION],
        resources={"metadata": {"path": str(path.parent)}},
    )
    client.execute(env=environment)
    notebook.metadata = nbformat.from_dict(kernel)
    path.write_text(nbformat.writes(notebook).rstrip("\n") + "\n", encoding="utf-8")


if __name__ == "__main__":
    for name in sys.argv[1:]:
        run(Path(name))
        print(name)
