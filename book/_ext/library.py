"""The library on its pages.

- A directive, `{library}`: the modules of the core, or the optional ones, with their sizes. Counted
  while the book is built, so that the page says what the library is.
- What the reference makes of docstrings: names in code are links, Python's words and shapes of
  arrays are code, and long signatures are folded.
"""

import ast
import importlib.util
import re
from pathlib import Path
from types import ModuleType

from docutils import nodes
from docutils.parsers.rst import directives
from docutils.statemachine import StringList
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util.docutils import SphinxDirective
from sphinx.util.nodes import make_refnode
from terms import ancestors

COUNTER = Path(__file__).resolve().parents[2] / "tests" / "code_lines.py"
FORMULA = "action = s W + b", r"$\text{action} = s W + b$"  # one line of a page holds it


def counter() -> ModuleType:
    """The file that counts code lines, which the tests use too."""
    spec = importlib.util.spec_from_file_location("code_lines", COUNTER)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def sentence(text: str) -> str:
    """The first paragraph of a module's docstring, without the word that marks it as optional."""
    first = (ast.get_docstring(ast.parse(text)) or "").partition("\n\n")[0]
    words = " ".join(first.split()).removeprefix("Optional: ")
    return words[:1].upper() + words[1:].replace(*FORMULA)


def table(core: bool) -> list[str]:
    """Lines of Markdown: each module with its sentence and its code lines, and their sum."""
    code = counter()
    chosen = set(code.core())
    lines, total, room = ["| module | what it is for | lines |", "|:--|:--|--:|"], 0, ""
    for name, path in sorted(code.modules().items(), key=lambda one: one[1].parent):
        text = path.read_text(encoding="utf-8")
        size = len(code.code_lines(text))
        if (name in chosen) == core and path.name != "__init__.py":
            folder = path.parent.relative_to(COUNTER.parents[1] / "propslib").as_posix()
            if folder != room:
                room = folder
                lines.append(f"| **{'propslib' if room == '.' else room}/** | | |")
            lines.append(f"| `{path.name}` | {sentence(text)} | {size} |")
        total += size if (name in chosen) == core else 0
    return [*lines, f"| **in all** | with the `__init__.py` of each folder | **{total:,}** |"]


class Library(SphinxDirective):
    """A table of modules: `core`, or else the `optional` ones."""

    option_spec = {"optional": directives.flag}  # noqa: RUF012

    def run(self) -> list[nodes.Node]:
        for path in counter().modules().values():
            self.env.note_dependency(str(path))
        holder = nodes.container(classes=["modules"])
        lines = table(core="optional" not in self.options)
        self.state.nested_parse(StringList(lines, source=self.env.docname), 0, holder)
        return [holder]


def without_aliases(app: Sphinx, what: str, name: str, member: object, *_) -> bool | None:
    """The fields of named tuples say nothing that their class's text does not say."""
    return True if str(getattr(member, "__doc__", "")).startswith("Alias for field") else None


def keep_lines(
    app: Sphinx, what: str, name: str, member: object, options, lines: list[str]
) -> None:
    """What a docstring indents below a colon keeps its lines: forms of files, and formulas."""
    for k in range(len(lines) - 2):
        indented = lines[k + 2].startswith(" ") and not lines[k].startswith((" ", ".."))
        if lines[k].endswith(":") and not lines[k + 1] and indented:
            lines[k] += ":"


def name_module(
    app: Sphinx, what: str, name: str, member: object, options, lines: list[str]
) -> None:
    """Above a module's sentence stands its name, and a link to what makes it optional."""
    if what == "module":
        first = lines[0].removeprefix("Optional: ")
        kind = "" if first == lines[0] else ", :ref:`optional <optional>`"
        named = [".. container:: module", "", f"   `{name}`{kind}", ""]
        lines[:1] = [*named, first[:1].upper() + first[1:]]


def name_alias(
    app: Sphinx, what: str, name: str, member: object, options, lines: list[str]
) -> None:
    """A method that has a second name is described once."""
    own = getattr(member, "__name__", "")
    if what == "method" and own != name.rpartition(".")[2]:
        first = (member.__doc__ or "").partition(":")[0].rstrip(".")
        lines[:] = [f"{first}, as in `{own}`."]


class NameSections(SphinxTransform):
    """A section is named by its heading before its module: the contents beside a page are marked by
    Bootstrap, which takes what follows a dot for a class.
    """

    default_priority = 870  # before the contents are made of them

    def apply(self) -> None:
        for section in self.document.findall(nodes.section):
            section["ids"].sort(key=lambda own: "." in own)


LONGEST = 70  # characters of a signature that fit on one line of the page
NAME = re.compile(r"[A-Za-z_]\w*(\.\w+)*")


class FoldSignatures(SphinxPostTransform):
    """A signature that fills more than a line, as it is shown, has a line for each parameter.

    Sphinx would measure the long names of types, which nobody sees.
    """

    default_priority = 600
    formats = ("html",)

    def run(self) -> None:
        for signature in self.document.findall(addnodes.desc_signature):
            for parameters in signature.findall(addnodes.desc_parameterlist):
                parameters["multi_line_parameter_list"] = len(signature.astext()) > LONGEST


PART = r"(?:\.\.\.|…|\d+|[mnSAT]|size|observations|actions|states|inputs|outputs|episodes|trials"
PART += r"|runs|starts|blocks|height|width|len\(\w\))(?: \+ 1)?"
WORD = r"None|True|False|bool|uint8|float(?:32|64)|StopSearch|UnregisteredEnv|[A-Z]\w*Error"
PLAIN = (nodes.literal, nodes.literal_block, nodes.math, nodes.math_block, nodes.reference)
PLAIN += (nodes.raw, nodes.title, addnodes.desc_signature)
CODE = re.compile(rf"((?<!\w)\({PART}(?:,(?: {PART})*)+\)|\((?:\.\.\.|…)\)|\b(?:{WORD})\b)")


class SetCode(SphinxPostTransform):
    """Python's words and the shapes of arrays, as (T + 1, states), are code in the reference."""

    default_priority = 580
    formats = ("html",)

    def run(self) -> None:
        if not self.env.docname.startswith("book/reference-"):
            return
        for text in list(self.document.findall(nodes.Text)):
            parts = CODE.split(text)
            if len(parts) > 1 and not any(isinstance(one, PLAIN) for one in ancestors(text)):
                parts[::2] = map(nodes.Text, parts[::2])
                codes = [part.replace("…", "...") for part in parts[1::2]]
                parts[1::2] = [nodes.literal("", code) for code in codes]
                text.parent.replace(text, parts)


class LinkNames(SphinxPostTransform):
    """A name of the library in a docstring leads to its place."""

    default_priority = 590
    formats = ("html",)

    def run(self) -> None:
        if not self.env.docname.startswith("book/reference-"):
            return
        for code in list(self.document.findall(nodes.literal)):
            around = list(ancestors(code))
            described = [above for above in around if isinstance(above, addnodes.desc)]
            if any(isinstance(above, nodes.reference) for above in around):
                continue
            name = code.astext().removesuffix("()")
            found = self.places(name, described) if NAME.fullmatch(name) else set()
            if len(found) == 1 and found != {(self.env.docname, own) for own in ids(described[:1])}:
                page, anchor = found.pop()
                here, words = self.env.docname, code.deepcopy()
                code.parent.replace(code, make_refnode(self.app.builder, here, page, anchor, words))

    def places(self, name: str, described: list[addnodes.desc]) -> set[tuple[str, str]]:
        """Page and anchor of what a name can mean in a docstring: one, if it is known."""
        objects = self.env.get_domain("py").objects
        for signature in (above[0] for above in described):
            for part in (signature["fullname"], signature["class"]):
                near = objects.get(f"{signature['module']}.{part}.{name}")
                if near and near.objtype != "module":
                    return {(near.docname, near.node_id)}
        # Without its class the name of a method is too common.
        kinds = ("function", "class", "exception")
        whole = "." in name
        return {
            (one.docname, one.node_id)
            for full, one in objects.items()
            if f".{full}".endswith(f".{name}") and (one.objtype in kinds or whole)
            if one.objtype != "module"
        }


def ids(described: list[addnodes.desc]) -> list[str]:
    """The anchors of what is described."""
    return [own for one in described for own in one[0]["ids"]]


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_directive("library", Library)
    app.add_transform(NameSections)
    app.add_post_transform(FoldSignatures)
    app.add_post_transform(SetCode)
    app.add_post_transform(LinkNames)
    app.connect("autodoc-skip-member", without_aliases)
    app.connect("autodoc-process-docstring", keep_lines)
    app.connect("autodoc-process-docstring", name_module)
    app.connect("autodoc-process-docstring", name_alias)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
