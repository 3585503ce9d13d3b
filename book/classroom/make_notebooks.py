"""Write the notebooks for a class: one set for students, one for instructors.

    python book/classroom/make_notebooks.py student       # into _student
    python book/classroom/make_notebooks.py instructor    # into _instructor

Students get the chapters without outputs, solutions and answers; hints, checks and the questions of
"Check yourself" stay. Instructors get the chapters as they are. Both folders lie beside
`notebooks`, so that links, pictures and recorded runs are found from them. A notebook that is there
already and is another one, for somebody has worked in it, is kept.

An exercise of a chapter is a row of cells, in this order:

1. Its text: a Markdown cell that begins with "### Exercise 1: " and asks what the stub asks.
2. The stub, tagged `stub`: a line `name = ...  # what is wanted, and its unit or choices` for each
   answer, or a function or class with `...` where the work is to be done.
3. A hint, folded: `<details><summary>Hint</summary>`. It shows a way, not the answer.
4. The check, tagged `check` and `remove-cell`, with `jupyter: {source_hidden: true}`. It calls
   functions of `propslib.utils.check`, one for each answer, and takes what is right from an
   experiment or a formula of its own, never from the solution. It says what is wrong about
   likely mistakes, and does not give the answer away.
5. The solution: code cells tagged `solution` and `hide-cell`, with the first line `# Solution`,
   that set the names of the stub, and the reasons in a Markdown cell, folded:
   `<details><summary>Answer</summary>`. They wait until somebody asks for them: the cell tagged
   `hold` beneath the heading of the exercises sees to that (mark_solutions.py writes it).

The check thus says "not yet" in the chapter as published. An exercise must not need the solution of
another one. One that has its answer in words needs 1 and 5 only; its stub is written by this
program. A test runs all stubs, solutions and checks.

Before the exercises stands "## Check yourself", three or four questions on what the chapter showed,
a Markdown cell each with an id from `quiz-1`: the question in bold, then each option as
`<details><summary>The option.</summary>`, with an explanation that begins with "Yes." or "No." and
says why. Wrong options are real misconceptions.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Iterator
from copy import deepcopy
from pathlib import Path

import nbformat
from nbformat import NotebookNode

ROOT = Path(__file__).parents[2]
CHAPTERS = ROOT / "notebooks"
EXERCISE = re.compile(r"### Exercise (\d+): ")
ANSWER = re.compile(r"<details>\s*<summary>(Our a|A)nswer</summary>.*?</details>", re.DOTALL)


def student(chapter: NotebookNode) -> NotebookNode:
    """A chapter without solutions, answers and outputs, with a stub in each exercise."""
    copy = deepcopy(chapter)
    copy.cells = [cell for part in split(copy.cells) for cell in _without_solutions(part)]
    for cell in copy.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    return copy


def split(cells: list[NotebookNode]) -> Iterator[list[NotebookNode]]:
    """The cells in parts: before the exercises, each exercise, after them.

    The heading of an exercise begins a cell.
    """
    part: list[NotebookNode] = []
    for cell in cells:
        heading = EXERCISE.match(cell.source) or cell.source.startswith("## Summary")
        if cell.cell_type == "markdown" and heading:
            yield part
            part = []
        part.append(cell)
    yield part


def has_tag(cell: NotebookNode, tag: str) -> bool:
    return tag in cell.metadata.get("tags", [])


def _without_solutions(part: list[NotebookNode]) -> list[NotebookNode]:
    """A part of a chapter for students, with a stub where an exercise has none."""
    in_code = any(has_tag(cell, "solution") for cell in part)
    left = [cell for cell in part if not has_tag(cell, "solution") and not has_tag(cell, "hold")]
    kept = [_without_answers(cell) for cell in left]
    kept = [cell for cell in kept if cell.source.strip()]
    exercise = EXERCISE.match(part[0].source) if part else None
    if exercise and not any(has_tag(cell, "stub") for cell in part):
        kept.append(_stub(exercise[1], in_code))
    return kept


def _without_answers(cell: NotebookNode) -> NotebookNode:
    if cell.cell_type == "markdown" and ANSWER.search(cell.source):
        cell.source = ANSWER.sub("", cell.source).strip()
    return cell


def _stub(number: str, in_code: bool) -> NotebookNode:
    if in_code:
        cell = nbformat.v4.new_code_cell(f"# Exercise {number}: your code")
    else:
        cell = nbformat.v4.new_markdown_cell(f"*Exercise {number}: your answer*")
    cell.id = f"stub-{number}"  # the same on each run
    cell.metadata["tags"] = ["stub"]
    return cell


def student_text(chapter: Path) -> str:
    return nbformat.writes(student(nbformat.read(chapter, as_version=4))) + "\n"


def instructor_text(chapter: Path) -> str:
    return chapter.read_text(encoding="utf-8")


SETS: dict[str, Callable[[Path], str]] = {"student": student_text, "instructor": instructor_text}


def write(path: Path, text: str) -> None:
    """Write a notebook, but never over another one."""
    if path.exists() and path.read_text(encoding="utf-8") != text:
        print(f"{path.name} was changed and is kept; delete it to have it written anew")
    else:
        path.write_text(text, encoding="utf-8", newline="\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("set", choices=SETS)
    parser.add_argument(
        "--folder", type=Path, help="where to; _student or _instructor if not given"
    )
    wanted = parser.parse_args()
    folder = wanted.folder or ROOT / f"_{wanted.set}"
    folder.mkdir(parents=True, exist_ok=True)
    chapters = sorted(CHAPTERS.glob("*.ipynb"))
    for chapter in chapters:
        write(folder / chapter.name, SETS[wanted.set](chapter))
    print(f"{len(chapters)} notebooks in {folder.name}")


if __name__ == "__main__":
    main()
