"""Make slides out of the chapters, in _build/slides: one set each, and a page that lists them.

    python book/slides/make_slides.py

A section is a column of slides. On a slide stand a heading, the first sentence or two, lists,
formulas, tables, code and pictures; the other paragraphs become speaker's notes (press S). A
question has a slide to itself, on which its options open. Solutions, hints, stubs and checks are
left out. The slides need no network: reveal.js is taken from the installed package
sphinx-revealjs, MathJax from the book.
"""

import re
import shutil
from collections.abc import Iterable, Iterator
from copy import deepcopy
from pathlib import Path
from shutil import ignore_patterns

import nbformat
from nbconvert import SlidesExporter
from nbconvert.filters import markdown2html_mistune
from nbformat import NotebookNode
from nbformat.v4 import new_markdown_cell

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
SLIDES = ROOT / "_build" / "slides"
LEFT_OUT = {"remove-cell", "solution", "stub", "check"}
FULL = 820  # how much fits on a slide, in characters of prose
FOLDED = re.compile(r"<details.*?</details>", re.DOTALL)
QUESTION = re.compile(r"\*\*\d+\. ")
OPTION = re.compile(r"<details>(<summary>.*?</summary>)\s*(.*?)\s*</details>", re.DOTALL)
SENTENCE = re.compile(r"(?<=[.?!])\s+(?=[A-Z*`$])")


def is_shown(cell: NotebookNode) -> bool:
    """Whether a cell belongs on a slide at all."""
    folded = cell.cell_type == "markdown" and cell.source.lstrip().startswith("<details")
    imports = cell.cell_type == "code" and "utils.use_style()" in cell.source
    return not (folded or imports or LEFT_OUT & set(cell.metadata.get("tags", [])))


def at_headings(cells: Iterable[NotebookNode]) -> Iterator[NotebookNode]:
    """The cells, those of Markdown cut before each heading."""
    for cell in cells:
        if cell.cell_type == "markdown" and "```" not in cell.source:
            for part in re.split(r"\n(?=#{1,3} )", cell.source):
                yield new_markdown_cell(part, metadata=deepcopy(cell.metadata))
        else:
            yield cell


def in_one_block(option: re.Match) -> str:
    """An option of a question without empty lines, after which nbconvert would close it."""
    explained = markdown2html_mistune(option[2]).replace("\n", " ")
    return f"<details>{option[1]}{explained}</details>"


def divide(text: str) -> tuple[str, str]:
    """What of a Markdown cell is shown, and what becomes a note.

    >>> divide("# A\\n\\nOne. Two. Three.\\n\\nMore.\\n\\n- a\\n- b")
    ('# A\\n\\nOne. Two.\\n\\n- a\\n- b', 'Three.\\n\\nMore.')
    """
    if "<div" in text or "```" in text:
        return text, ""
    if QUESTION.match(text):
        return OPTION.sub(in_one_block, text), ""
    answers = re.findall(FOLDED, text)
    text = re.sub(FOLDED, "", text)
    shown, noted, spoken = [], [], False
    for block in re.split(r"\n\s*\n", text.strip()):
        if block.startswith(("#", "-", "*  ", "|", "$$", "1.", "!", ">", "**")):
            shown.append(block)
        elif not spoken:
            spoken = True
            sentences = SENTENCE.split(block)
            shown.append(" ".join(sentences[:2]))
            noted += [" ".join(sentences[2:])] if sentences[2:] else []
        else:
            noted.append(block)
    return "\n\n".join(shown), "\n\n".join(noted + answers)


def room(cell: NotebookNode) -> int:
    """How much of a slide a cell fills, in characters of prose."""
    if cell.cell_type == "markdown":
        return len(cell.source)
    lines = cell.source.count("\n") + 1
    kinds = {kind for output in cell.outputs for kind in output.get("data", {})}
    return 45 * lines + (600 if kinds & {"image/png", "text/html"} else 150 * bool(cell.outputs))


def begins_slide(cell: NotebookNode) -> bool:
    """Whether a cell stands at the top of a slide, however much room is left above it."""
    return cell.source.startswith("###") or bool(QUESTION.match(cell.source))


def arrange(cells: Iterable[NotebookNode]) -> list[NotebookNode]:
    """The cells with the slide on which each begins, and the notes between them."""
    arranged, filled = [], 0
    for cell in at_headings(filter(is_shown, cells)):
        notes = ""
        if cell.cell_type == "markdown":
            cell.source, notes = divide(cell.source)
        if re.match(r"##? ", cell.source) and cell.cell_type == "markdown":
            kind, filled = "slide", 0
        elif begins_slide(cell) or filled + room(cell) > FULL:
            kind, filled = "subslide", 0
        else:
            kind = "-"
        filled += room(cell)
        cell.metadata["slideshow"] = {"slide_type": kind}
        arranged.append(cell)
        if notes:
            note = new_markdown_cell(notes)
            note.metadata["slideshow"] = {"slide_type": "notes"}
            arranged.append(note)
    return arranged


def to_site(text: str) -> str:
    """Links to chapters lead to their slides, to other pages to the site; pictures lie beside.

    Citations, which only the site can resolve, are left out.
    """
    text = re.sub(r" ?\{cite\}`[^`]*`", "", text)
    text = text.replace("](../book/figures/", "](figures/")
    text = re.sub(r"\]\(([\w.]+)\.ipynb(#[^)]*)?\)", r"](\1.html)", text)
    return re.sub(r"\]\(\.\./book/([\w-]+)\.md", r"](../html/book/\1.html", text)


def make(path: Path) -> tuple[str, str]:
    """The title of a chapter and its slides, as a page."""
    notebook = nbformat.read(path, as_version=4)
    notebook.cells = arrange(notebook.cells)
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            cell.source = to_site(cell.source)
    title = re.search(r"^# (.+)$", notebook.cells[0].source, re.MULTILINE)[1]
    notebook.metadata["title"] = title
    resources = {"metadata": {"name": path.stem, "path": str(path.parent)}}
    exporter = SlidesExporter(
        template_name="offline",
        extra_template_basedirs=[str(HERE)],
        reveal_url_prefix="reveal",
        reveal_theme="white",
        embed_images=True,
    )
    page, _ = exporter.from_notebook_node(notebook, resources)
    return title, page


def main() -> None:
    """Write all slides, with what they need beside them."""
    # Here, as only `make slides` installs it.
    import sphinx_revealjs

    shutil.rmtree(SLIDES, ignore_errors=True)
    SLIDES.mkdir(parents=True)
    reveal = Path(sphinx_revealjs.__file__).parent / "_static" / "revealjs"
    shutil.copytree(reveal, SLIDES / "reveal", ignore=ignore_patterns("*.map", "*.esm.js"))
    shutil.copytree(ROOT / "book" / "_static" / "mathjax", SLIDES / "mathjax")
    shutil.copytree(ROOT / "book" / "figures", SLIDES / "figures", ignore=ignore_patterns("*.py"))
    shutil.copy(HERE / "slides.css", SLIDES)
    entries = []
    for path in sorted((ROOT / "notebooks").glob("[0-9][0-9]_*.ipynb")):
        title, page = make(path)
        (SLIDES / f"{path.stem}.html").write_text(page, encoding="utf-8")
        entries.append(f'<li><a href="{path.stem}.html">{title}</a></li>')
    index = (HERE / "index.html").read_text(encoding="utf-8")
    listed = index.replace("ENTRIES", "\n".join(entries))
    (SLIDES / "index.html").write_text(listed, encoding="utf-8")
    print(f"The slides: {SLIDES / 'index.html'}")


if __name__ == "__main__":
    main()
