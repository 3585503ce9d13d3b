"""The book's notebooks, as the tests of several files read them."""

from pathlib import Path

import make_notebooks as make
import nbformat

ROOT = Path(__file__).parents[1]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
CHAPTERS = [path for path in NOTEBOOKS if path.stem[0].isdigit()]  # the rest has no exercises


def read(path):
    return nbformat.read(path, as_version=4)


def exercises(notebook):
    """The exercises' parts of a notebook."""
    parts = make.split(notebook.cells)
    return [part for part in parts if part and make.EXERCISE.match(part[0].source)]


def of(cells, *tags):
    """The cells that have one of these tags."""
    return [cell for cell in cells if set(tags) & set(cell.metadata.get("tags", []))]


def prose(notebook):
    return "\n\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
