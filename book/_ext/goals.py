"""A directive, `{goals}`: what each chapter teaches and how long it takes, out of its first cell.

So the teaching page says what the chapters say.
"""

import json
import re
from pathlib import Path

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

CHAPTERS = "notebooks/[0-9][0-9]_*.ipynb"


def first_cell(path: Path) -> str:
    """The text of a notebook's first cell."""
    return "".join(json.loads(path.read_text(encoding="utf-8"))["cells"][0]["source"])


def read_goals(text: str) -> tuple[str, list[str], int]:
    """Title, goals and minutes in class, of a chapter's first cell.

    >>> read_goals("# Worlds\\n\\n**Goals**:\\n\\n- say what;\\n- tell.\\n\\nIn class: 40 minutes.")
    ('Worlds', ['say what', 'tell'], 40)
    """
    title = re.search(r"^# (.+)$", text, re.MULTILINE)
    minutes = re.search(r"[Ii]n class: (\d+) minutes", text)
    goals = re.findall(r"^- (.+?)[;.]?$", text.partition("**Goals**")[2], re.MULTILINE)
    if not (title and minutes and goals):
        raise ValueError("A chapter begins with a title, its **Goals**, and its time in class.")
    return title[1], goals, int(minutes[1])


class Goals(SphinxDirective):
    """One folded list for each chapter."""

    def run(self) -> list[nodes.Node]:
        lines = []
        for path in sorted(Path(self.env.srcdir).glob(CHAPTERS)):
            self.env.note_dependency(str(path))
            try:
                title, goals, minutes = read_goals(first_cell(path))
            except ValueError as error:
                raise self.error(f"{path.name}: {error}") from error
            number = int(path.name[:2])
            time = f"({minutes}\N{NO-BREAK SPACE}min)"
            lines += [f"<details><summary>{number}. {title} {time}</summary>", ""]
            lines += [*(f"- {goal}" for goal in goals), ""]
            lines += [f"[Open the chapter](../notebooks/{path.name}).", "", "</details>", ""]
        holder = nodes.container()
        self.state.nested_parse(StringList(lines, source=self.env.docname), 0, holder)
        return holder.children


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_directive("goals", Goals)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
