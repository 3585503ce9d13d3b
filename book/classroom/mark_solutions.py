"""Give chapters the form that a class needs; a second run changes nothing.

    python book/classroom/mark_solutions.py notebooks/14_language_model_policy.ipynb

- A solution's first line is `# Solution`, as a folded cell still shows its first line.
- After the heading of the exercises a cell has solutions wait until they are asked for.
- A source is cited by a plain link, which JupyterLab shows too. The site makes citations of these
  links (book/_ext/citations.py).
"""

from __future__ import annotations

import argparse
import re
from pathlib import Path

import nbformat
from nbformat import NotebookNode

ROOT = Path(__file__).parents[2]
FIRST_LINE = "# Solution\n"
SWITCH = """\
from propslib.utils.solutions import hold_solutions

hold_solutions()  # to run a solution, delete its first line"""
ROLE = re.compile(r"\{cite(?::p)?\}`([\w,-]+)`")
ENTRY = re.compile(r"^@\w+\{(\S+),$(.*?)^\}", re.MULTILINE | re.DOTALL)


def labels() -> dict[str, str]:
    """What to call each source: its authors and its year, as far as they are known."""
    text = (ROOT / "book" / "references.bib").read_text(encoding="utf-8")
    return {key: _label(key, fields) for key, fields in ENTRY.findall(text)}


def _label(key: str, fields: str) -> str:
    found = dict(re.findall(r"^\s*(author|key|year)\s*=\s*\{(.*)\},?$", fields, re.MULTILINE))
    authors = found.get("author") or found.get("key", key)
    names = [author.split(",")[0] for author in authors.split(" and ")]
    names = " and ".join(names) if len(names) < 3 else f"{names[0]} et al."
    names = names.replace(r"{\'e}", "é")
    return f"{names}, {found['year']}" if "year" in found else names


def mark(chapter: NotebookNode, names: dict[str, str]) -> None:
    """Change a chapter in place."""
    cells = []
    for cell in chapter.cells:
        tags = cell.metadata.get("tags", [])
        if cell.cell_type == "markdown":
            cell.source = ROLE.sub(lambda role: _links(role[1], names), cell.source)
        elif "solution" in tags and not cell.source.startswith(FIRST_LINE):
            cell.source = FIRST_LINE + cell.source
        if "hold" not in tags:
            cells.append(cell)
        if cell.cell_type == "markdown" and cell.source.startswith("## Exercises"):
            cells.append(_switch())
    chapter.cells = cells
    _number(cells)


def _links(keys: str, names: dict[str, str]) -> str:
    return ", ".join(f"[{names[key]}](../book/references.bib#{key})" for key in keys.split(","))


def _switch() -> NotebookNode:
    cell = nbformat.v4.new_code_cell(SWITCH, id="hold-solutions")
    cell.metadata["tags"] = ["hold", "remove-cell"]
    return cell


def _number(cells: list[NotebookNode]) -> None:
    """The numbers that one run from top to bottom gives."""
    code = [cell for cell in cells if cell.cell_type == "code"]
    for number, cell in enumerate(code, 1):
        cell.execution_count = number
        for output in cell.outputs:
            if "execution_count" in output:
                output.execution_count = number


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("chapters", type=Path, nargs="+")
    names = labels()
    for path in parser.parse_args().chapters:
        chapter = nbformat.read(path, as_version=4)
        mark(chapter, names)
        path.write_text(nbformat.writes(chapter) + "\n", encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
