r"""A Sphinx extension: formulas have about their size before MathJax sets them.

So the lines of a page stay where they are. The width of s_{t+1} is a sum over its signs, good to a
tenth; the height of a formula of its own depends on its sums and fractions.
"""

import re

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform

SIGN = re.compile(r"\\[a-zA-Z]+|\\.|\S")
SCALE = 1.24  # MathJax's letters beside the page's
SCRIPT = 0.75  # the size of an index
# In units of MathJax's letters.
RELATIONS = dict.fromkeys(("=", "<", ">", r"\le", r"\ge", r"\approx", r"\to", r"\in", r"\ne"), 1.34)
BINARY = dict.fromkeys(("+", r"\cdot", r"\pm", r"\times"), 1.2)
OTHERS = dict.fromkeys((*"()[]ijt.|'",), 0.37) | dict.fromkeys((*"mWwMN",), 0.9)
OTHERS |= {"-": 0.8, ",": 0.45, r"\,": 0.17, r"\quad": 1.0, r"\qquad": 2.0, r"\sqrt": 0.9}
OTHERS |= dict.fromkeys((r"\text", r"\mathbb", r"\mathrm", r"\left", r"\right", r"\hat"), 0.0)
WIDTHS = RELATIONS | BINARY | OTHERS


def width(tex: str) -> float:
    r"""About how wide a formula in a line will be, in widths of the page's letter M.

    >>> round(width("s_{t+1}"), 1)
    2.3
    """
    total, sizes, script = 0.0, [1.0], False
    for sign in SIGN.findall(tex):
        size = sizes[-1] * (SCRIPT if script else 1.0)
        script = sign in ("_", "^")
        if sign == "{":
            sizes.append(size)
        elif sign == "}":
            sizes = sizes[:-1] or [1.0]
        elif not script:
            found = WIDTHS.get(sign, 0.75 if sign.isupper() else 0.54)
            total += size * (found if size == 1 else min(found, 0.8))  # an index has no spaces
    return SCALE * total


def height(tex: str) -> float:
    """About how high a formula of its own will be, in rem."""
    if r"\sum" in tex or r"\begin" in tex:
        return 6.4
    return 5.5 if r"\frac" in tex else 4.0


class KeepPlaces(SphinxPostTransform):
    """Each formula inside an element that says how much room it takes."""

    default_priority = 700
    formats = ("html",)

    def run(self) -> None:
        for kind, tag, size in ((nodes.math, "span", width), (nodes.math_block, "div", height)):
            for formula in list(self.document.findall(kind)):
                style = f"--room: {size(formula.astext()):.2f}"
                parent, place = formula.parent, formula.parent.index(formula)
                parent.insert(place + 1, nodes.raw("", f"</{tag}>", format="html"))
                start = f'<{tag} class="formula" style="{style}">'
                parent.insert(place, nodes.raw("", start, format="html"))


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_post_transform(KeepPlaces)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
