"""Optional: tables and texts to look at: HTML in a notebook, text elsewhere."""

import difflib
import html
import re
import textwrap
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from jinja2 import Template

HTML = Template(Path(__file__).with_name("table.j2").read_text(encoding="utf-8"), trim_blocks=True)
NUMBER = re.compile(r"[^A-Za-z]*\d[^A-Za-z]*|[-\N{EN DASH}\s]*")  # or a dash for none
MINUS = re.compile(r"(?<![^\s(\[±,])-(?=\.?\d)")


class Table:
    """A table to show as a cell's output; numbers keep the form they come in.

    >>> rows = [("reach the goal", 100)]
    >>> Table(rows, ["what", "reward"])
    what            reward
    reach the goal  100

    Raises ValueError for a row with more or fewer cells than there are columns.
    """

    def __init__(self, rows: Iterable[Sequence[Any]], columns: Sequence[str]):
        self.columns = [str(column) for column in columns]
        self.rows = [[str(cell) for cell in row] for row in rows]
        for row in self.rows:
            if len(row) != len(self.columns):
                raise ValueError(f"The table has {len(self.columns)} columns; this row not: {row}")

    def _repr_html_(self) -> str:
        """HTML in which columns of numbers stand at the right, with true minus signs."""
        styles = [_style([row[k] for row in self.rows]) for k in range(len(self.columns))]
        columns = [html.escape(column) for column in self.columns]
        rows = [[html.escape(MINUS.sub("\N{MINUS SIGN}", cell)) for cell in r] for r in self.rows]
        return HTML.render(columns=columns, rows=rows, styles=styles)

    def __repr__(self) -> str:
        lines = [self.columns, *self.rows]
        widths = [max(map(len, cells)) for cells in zip(*lines, strict=True)]
        padded = (map(str.ljust, line, widths) for line in lines)
        return "\n".join("  ".join(cells).rstrip() for cells in padded)


def _style(cells: Sequence[str]) -> str:
    """How a column is set that holds numbers, short texts, or many words."""
    if all(map(NUMBER.fullmatch, cells)) and any(map(str.strip, cells)):
        return 'class="number" style="text-align: right"'
    kind = "words" if max(map(len, cells), default=0) > 60 else "text"
    return f'class="{kind}" style="text-align: left"'  # JupyterLab would push it to the right


def wrap(text: str, width: int = 76) -> str:
    """The text with its long lines broken, the rest of each indented, to show it on a page.

    >>> print(wrap("one two three", width=9))
    one two
        three
    """
    lines = text.splitlines()
    return "\n".join(textwrap.fill(line, width, subsequent_indent="    ") for line in lines)


def diff(old: str, new: str, width: int = 76) -> str:
    """The lines in which two texts differ, `-` before an old and `+` before a new one.

    >>> old, new = "x = 1", "x = 2"
    >>> print(diff(old, new))
    - x = 1
    + x = 2
    """
    lines = difflib.ndiff(old.splitlines(), new.splitlines())
    return "\n".join(wrap(line, width) for line in lines if line[0] in "-+" and line[1:].strip())
