"""A directive, `{library}`: the modules of the core, or the optional ones, with their sizes.

Counted while the book is built, so that the page says what the library is.
"""

import ast
import importlib.util
from pathlib import Path
from types import ModuleType

from docutils import nodes
from docutils.parsers.rst import directives
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

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
    lines, total, room = ["| module | what it is for | lines |", "|:--|:--|--:|"], 0, "."
    for name, path in sorted(code.modules().items(), key=lambda one: one[1].parent):
        text = path.read_text(encoding="utf-8")
        size = len(code.code_lines(text))
        if (name in chosen) == core and path.name != "__init__.py":
            folder = path.parent.relative_to(COUNTER.parents[1] / "propslib").as_posix()
            if folder != room:
                room = folder
                lines.append(f"| **{room}/** | | |")
            lines.append(f"| `{path.name}` | {sentence(text)} | {size} |")
        total += size if (name in chosen) == core else 0
    return [*lines, f"| **in all** | with the `__init__.py` of each room | **{total:,}** |"]


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
    """Above a module's sentence stands its name, and the word that marks it as optional."""
    if what == "module":
        first = lines[0].removeprefix("Optional: ")
        kind = "" if first == lines[0] else ", optional"
        named = [".. container:: module", "", f"   `{name}`{kind}", ""]
        lines[:1] = [*named, first[:1].upper() + first[1:]]


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_directive("library", Library)
    app.connect("autodoc-skip-member", without_aliases)
    app.connect("autodoc-process-docstring", keep_lines)
    app.connect("autodoc-process-docstring", name_module)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
