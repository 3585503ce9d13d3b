r"""A Sphinx extension: formulas are set when the site is built, as MathML, which browsers draw.

latex2mathml turns LaTeX into MathML, but leaves spaces to browsers, which cannot know that a minus
after an equals sign belongs to its number, that a slash has no spaces, and that "cos" keeps a
distance. `tidy` says so. The font and the rest of the look are in book/_static/math.
"""

import re
from typing import Any
from xml.etree.ElementTree import Element, ParseError, fromstring, tostring

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.application import Sphinx
from sphinx.writers.html5 import HTML5Translator

# What latex2mathml lacks, as what it has; and 4{,}194 as one number.
SAID_OTHERWISE = {"{aligned}": "{align*}", "{gathered}": "{displaylines}", "{,}": r"\text{,}"}
FUNCTION = re.compile(r"[a-z]{2,}")
FONT = "_static/math/latin-modern-math.woff2"
THIN = "0.167em"
OPENING, CLOSING = ("(", "[", "{"), (")", "]", "}")
ALONE = (".", "/", "|", *OPENING, *CLOSING)  # no spaces around them
INDEXED = ("msub", "msup", "msubsup", "munder", "munderover")
ACCENTS = ("^", "˙")


def tidy(row: Element) -> None:
    """Correct what stands in a row, and in all inside it."""
    before = None
    for part in row:
        tidy(part)
        if part.tag == "mover" and part[1].text in ACCENTS:
            part.set("accent", "true")
        elif part.tag == "msup" and part[1].text == "′":  # the sign is raised already
            part.tag = "mrow"
        else:
            space(part, before)
        if part.tag in INDEXED:
            set_indices(part)
        if part.tag != "mspace":
            before = part


def space(part: Element, before: Element | None) -> None:
    """Give a sign the spaces that LaTeX would give it after what stands `before` it."""
    core = part[0] if part.tag in ("msub", "munder") else part
    sign, last = core.text or "", "" if before is None else before.text or ""
    after_operand = before is not None and (before.tag != "mo" or last in CLOSING)
    if FUNCTION.fullmatch(sign) and core.tag in ("mi", "mo"):
        core.tag = "mo"
        core.attrib |= {"lspace": THIN if after_operand else "0", "rspace": THIN}
    elif sign in ("…", "∞", "∇"):
        part.tag = "mi"
        part.set("mathvariant", "normal")
    elif sign in ("−", "+", "±"):
        part.tag = "mo"
        part.attrib |= {} if after_operand else {"form": "prefix"}
    elif part.tag == "mo" and sign in ALONE:
        part.attrib |= {"lspace": "0", "rspace": "0"}
        if "minsize" in part.attrib:
            part.set("mathsize", part.attrib["minsize"])
        if "minsize" in part.attrib or "fence" not in part.attrib:
            part.set("stretchy", "false")
        if sign in OPENING and FUNCTION.fullmatch(last):
            before.set("rspace", "0")


def set_indices(part: Element) -> None:
    """Close up the signs in indices, and let all hang at one height, whatever their letter's is."""
    for sign in (sign for index in part[1:] for sign in index.iter("mo")):
        sign.attrib |= {"lspace": "0", "rspace": "0"}
    if part[0].tag in ("mi", "mn") or part[0].text in CLOSING:
        letter, part[0] = part[0], Element("mpadded", depth="0", height="0.45em")
        part[0].append(letter)


def mathml(tex: str, display: bool = False) -> str:
    r"""A formula in LaTeX as an element of HTML: in a line, or `display`ed by itself.

    >>> mathml("b = -1")
    '<math><mrow><mi>b</mi><mo>=</mo><mo form="prefix">−</mo><mn>1</mn></mrow></math>'
    """
    for said, otherwise in SAID_OTHERWISE.items():
        tex = tex.replace(said, otherwise)
    text = convert(tex, xmlns="", display="block" if display else "inline")
    try:
        formula = fromstring(text.replace('xmlns="" ', "").replace(' display="inline"', ""))
    except ParseError as error:
        raise ValueError(f"latex2mathml does not understand this: {tex}") from error
    tidy(formula)
    return tostring(formula, encoding="unicode", short_empty_elements=False)


def visit_math(writer: HTML5Translator, node: nodes.math) -> None:
    """Write a formula in a line."""
    writer.body.append(mathml(node.astext()))
    raise nodes.SkipNode


def visit_math_block(writer: HTML5Translator, node: nodes.math_block) -> None:
    """Write a formula by itself."""
    writer.body.append(f'<div class="math">{mathml(node.astext(), display=True)}</div>\n')
    raise nodes.SkipNode


def ask_for_the_font(
    app: Sphinx, name: str, template: str, context: dict[str, Any], tree: nodes.document | None
) -> None:
    """Have the font with the page: when it comes later the lines of the page move."""
    if "<math" in context.get("body", ""):
        address = context["pathto"](FONT, resource=True)
        link = f'<link rel="preload" href="{address}" as="font" type="font/woff2" crossorigin />'
        context["metatags"] = context.get("metatags", "") + link


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_html_math_renderer("mathml", (visit_math, None), (visit_math_block, None))
    app.connect("html-page-context", ask_for_the_font)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
