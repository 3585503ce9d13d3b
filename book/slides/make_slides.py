"""Make slides out of the chapters, in _build/slides: one set each, and a page that lists them.

    python book/slides/make_slides.py
    python book/slides/make_slides.py three      # one set for each session of a plan (plans.toml)

A section is a column of slides. On a slide stand a heading, the first sentence or two, lists,
formulas, tables, code and pictures; the other paragraphs become speaker's notes (press S). A
question has a slide to itself, on which its options open. Solutions, hints, stubs and checks are
left out, and so is the code that draws. A slide that goes on repeats its heading and, where it has
no notes of its own, has the text that leads up to it. The set of a session has the sections that
plans.toml names, and at most 40 slides: first sections with their pictures, then what there is room
for.
Each slide is made to fit 1280 x 720 (fit.js); one that cannot be ends this program with an error.
The slides need no network: reveal.js is taken from the installed package sphinx-revealjs.
"""

import re
import shutil
import sys
import tomllib
from collections.abc import Iterable, Iterator
from copy import deepcopy
from html import unescape
from itertools import accumulate
from pathlib import Path
from shutil import ignore_patterns
from typing import Any

import nbformat
from nbconvert import SlidesExporter
from nbconvert.filters import markdown2html_mistune
from nbformat import NotebookNode
from nbformat.v4 import new_markdown_cell

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
sys.path.append(str(ROOT / "book" / "_ext"))
from formulas import mathml  # noqa: E402

SLIDES = ROOT / "_build" / "slides"
LEFT_OUT = {"remove-cell", "solution", "stub", "check"}
LONGEST_DECK = 40
GOES_ON = " (continued)"
FULL = 820  # how much fits on a slide, in characters of prose
FOLDED = re.compile(r"<details.*?</details>", re.DOTALL)
QUESTION = re.compile(r"\*\*\d+\. ")
OPTION = re.compile(r"<details>(<summary>.*?</summary>)\s*(.*?)\s*</details>", re.DOTALL)
FORMULA = re.compile(
    r"(?s)<(script|style|pre|code)\b.*?</\1>|<[^>]*>"
    r"|\$\$(?P<alone>[^$]+)\$\$|\$(?P<line>[^$<]+)\$"
)
SENTENCE = re.compile(r"(?<=[.?!])\s+(?=[A-Z*`$])")


def is_shown(cell: NotebookNode) -> bool:
    """Whether a cell belongs on a slide at all."""
    folded = cell.cell_type == "markdown" and cell.source.lstrip().startswith("<details")
    imports = cell.cell_type == "code" and is_preparation(cell.source)
    return not (folded or imports or LEFT_OUT & set(cell.metadata.get("tags", [])))


def is_preparation(source: str) -> bool:
    """Whether a cell mainly imports, or sets the style."""
    lines = [line for line in source.splitlines() if line[:1].strip()]
    imports = sum(line.startswith(("import ", "from ")) for line in lines)
    return "utils.use_style()" in source or 2 * imports > len(lines)


def at_headings(cells: Iterable[NotebookNode]) -> Iterator[NotebookNode]:
    """The cells, those of Markdown cut before each heading."""
    for cell in cells:
        if cell.cell_type == "markdown" and "```" not in cell.source:
            for part in re.split(r"\n(?=#{1,4} )", cell.source):
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
    large = kinds & {"image/png", "image/svg+xml", "text/html"}
    return 45 * lines + (600 if large else 150 * bool(cell.outputs))


def draws(cell: NotebookNode) -> bool:
    """Whether a code cell's point is what it shows: a picture or a film."""
    kinds = {kind for output in cell.get("outputs", []) for kind in output.get("data", {})}
    return bool(kinds & {"image/png", "image/svg+xml"}) or "<video" in str(cell.get("outputs"))


def begins_slide(cell: NotebookNode) -> bool:
    """Whether a cell stands at the top of a slide, however much room is left above it."""
    return cell.source.startswith("###") or bool(QUESTION.match(cell.source))


def arrange(cells: Iterable[NotebookNode]) -> list[NotebookNode]:
    """The cells with the slide on which each begins, and the notes between them."""
    arranged, filled, heading = [], 0, ""
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
        found = re.match(r"#{1,4} (.+)", cell.source) if cell.cell_type == "markdown" else None
        heading = found[1] if found else heading
        if kind == "subslide" and heading and not (found or QUESTION.match(cell.source)):
            arranged.append(again(heading))
            kind = "-"
        if draws(cell):
            cell.metadata["transient"] = {"remove_source": True}
        filled += room(cell)
        cell.metadata["slideshow"] = {"slide_type": kind}
        arranged.append(cell)
        if notes:
            arranged.append(of_kind("notes", notes))
    return arranged


def of_kind(kind: str, text: str) -> NotebookNode:
    """A Markdown cell that is a part of a slide."""
    return new_markdown_cell(text, metadata={"slideshow": {"slide_type": kind}})


def again(heading: str) -> NotebookNode:
    """The heading of a slide that goes on."""
    return of_kind("subslide", f"### {heading}{GOES_ON}")


def annotate(cells: list[NotebookNode]) -> list[NotebookNode]:
    """Arranged cells; a slide that goes on and has no notes gets the text that leads up to it."""
    annotated, lead = [], ""
    for slide in slides_of(cells):
        kinds = [cell.metadata.slideshow.slide_type for cell in slide]
        goes_on = slide[0].source.endswith(GOES_ON)
        prose = [c.source for c in slide[goes_on:] if c.cell_type == "markdown"]
        text = re.sub(r"^#+ .*\n*", "", "\n\n".join(prose), flags=re.MULTILINE)
        if goes_on and lead and "notes" not in kinds:
            slide.append(of_kind("notes", lead))
        if text or not goes_on:
            is_said = "<div" not in text and not QUESTION.match(text)
            lead = text if is_said else ""
        annotated += slide
    return annotated


def slides_of(cells: list[NotebookNode]) -> list[list[NotebookNode]]:
    """Arranged cells, slide by slide."""
    slides = []
    for cell in cells:
        if cell.metadata.slideshow.slide_type in ("slide", "subslide"):
            slides.append([])
        slides[-1].append(cell)
    return slides


def shorten(cells: list[NotebookNode], longest: int) -> list[NotebookNode]:
    """At most so many slides: the first, then sections with pictures, then others, then the rest.

    A section comes with its first picture, or with the slide after its heading, so that what its
    first words announce is to be seen.
    """
    slides = slides_of(cells)
    section = list(accumulate(slides, lambda n, slide: n + _opens(slide), initial=-1))[1:]
    pictures, others = [], []
    for number in sorted(set(section)):
        own = [k for k, which in enumerate(section) if which == number]
        drawn = [k for k in own if any(map(draws, slides[k]))]
        (pictures if drawn else others).append({own[0], *(drawn or own[1:])[:1]})
    kept = {0}
    for group in [*pictures, *others]:
        kept |= group if len(kept | group) <= longest else set()
    begun = {section[k] for k in kept}
    rest = [k for k in range(len(slides)) if section[k] in begun and k not in kept]
    chosen = sorted([*kept, *rest[: longest - len(kept)]])
    return [cell for number in chosen for cell in slides[number]]


def _opens(slide: list[NotebookNode]) -> bool:
    return slide[0].metadata.slideshow.slide_type == "slide"


def to_site(text: str) -> str:
    """Links to chapters lead to their slides, to other pages to the site; pictures lie beside.

    Links to sources, which only the site can resolve, are left out.
    """
    text = re.sub(r":? ?\[[^\]]*\]\(\.\./book/references\.bib#\w+\)", "", text)
    text = text.replace("](../book/figures/", "](figures/")
    text = re.sub(r"\*In JupyterLab this is a still\..*?\*\n*", "", text)
    text = re.sub(r"\]\(([\w.]+)\.ipynb(#[^)]*)?\)", r"](\1.html)", text)
    return re.sub(r"\]\(\.\./book/([\w-]+)\.md", r"](../html/book/\1.html", text)


def arranged(path: Path) -> list[NotebookNode]:
    """The cells of a chapter, ready for its slides."""
    cells = annotate(arrange(nbformat.read(path, as_version=4).cells))
    for cell in cells:
        if cell.cell_type == "markdown":
            cell.source = to_site(cell.source)
    return cells


def make(path: Path) -> tuple[str, str]:
    """The title of a chapter and its slides, as a page."""
    cells = arranged(path)
    title = re.search(r"^# (.+)$", cells[0].source, re.MULTILINE)[1]
    return title, to_page(title, cells, path)


def part(cells: list[NotebookNode], wanted: dict[str, Any]) -> list[NotebookNode]:
    """The sections that a session shows, never an appendix. Raises ValueError for unknown ones."""
    sections: dict[str, list[NotebookNode]] = {}
    for cell in cells:
        if cell.metadata.slideshow.slide_type == "slide":
            heading = cell.source.partition("\n")[0].lstrip("# ")
            sections[heading] = []
        sections[heading].append(cell)
    names = [name for name in sections if not name.startswith("Appendix")]
    skipped = wanted.get("skip", [])
    first, end = wanted.get("from", names[0]), wanted.get("until")
    if unknown := {first, end or first, *skipped} - set(names):
        raise ValueError(f"Chapter {wanted['chapter']} has no section {', '.join(unknown)}.")
    shown = names[names.index(first) : names.index(end) if end else None]
    return [cell for name in shown if name not in skipped for cell in sections[name]]


def session(plan: str, number: int, parts: list[dict[str, Any]]) -> tuple[str, str]:
    """The title of a session and its slides, as a page: of each chapter an equal share."""
    paths = [ROOT / "notebooks" / f"{wanted['chapter']}.ipynb" for wanted in parts]
    share, cells = LONGEST_DECK // len(paths), []
    for path, wanted in zip(paths, parts, strict=True):
        cells += shorten(part(arranged(path), wanted), share)
    title = f"Session {number} of the plan {plan}"
    return title, to_page(title, cells, paths[0])


def to_page(title: str, cells: list[NotebookNode], path: Path) -> str:
    notebook = nbformat.read(path, as_version=4)
    notebook.cells, notebook.metadata["title"] = cells, title
    for number, cell in enumerate(notebook.cells):
        cell["id"] = f"cell-{number}"
    resources = {"metadata": {"name": path.stem, "path": str(path.parent)}}
    exporter = SlidesExporter(
        template_name="offline",
        extra_template_basedirs=[str(HERE)],
        reveal_url_prefix="reveal",
        reveal_theme="white",
        reveal_width="1280",
        reveal_height="720",
        embed_images=True,
    )
    page, _ = exporter.from_notebook_node(notebook, resources)
    return set_formulas(page).replace("</body>", '<script src="fit.js"></script></body>')


def set_formulas(page: str) -> str:
    """A page with its formulas set, but for what stands in code and tags."""

    def set_one(found: re.Match[str]) -> str:
        tex = found["alone"] or found["line"]
        return mathml(unescape(tex), display=bool(found["alone"])) if tex else found[0]

    return FORMULA.sub(set_one, page)


def too_tall(names: list[str]) -> list[str]:
    """The slides that do not fit, in Chromium."""
    sys.path.append(str(ROOT / "book" / "browser"))
    from browser import chromium

    wrong = []
    with chromium() as browser:
        page = browser.new_page(viewport={"width": 1280, "height": 720})
        page.set_default_timeout(300_000)
        for name in names:
            page.goto((SLIDES / f"{name}.html").as_uri())
            page.wait_for_function("window.fitted !== undefined")
            wrong += [f"{name}: {text}" for text in page.evaluate("window.fitted")]
    return wrong


def main() -> None:
    """Write all slides, with what they need beside them."""
    # Here, as only `make slides` installs it.
    import sphinx_revealjs

    shutil.rmtree(SLIDES, ignore_errors=True)
    SLIDES.mkdir(parents=True)
    reveal = Path(sphinx_revealjs.__file__).parent / "_static" / "revealjs"
    shutil.copytree(reveal, SLIDES / "reveal", ignore=ignore_patterns("*.map", "*.esm.js"))
    shutil.copytree(ROOT / "book" / "_static" / "math", SLIDES / "math")
    shutil.copytree(ROOT / "book" / "figures", SLIDES / "figures", ignore=ignore_patterns("*.py"))
    for name in ("slides.css", "fit.js"):
        shutil.copy(HERE / name, SLIDES)
    plan = sys.argv[1] if len(sys.argv) > 1 else ""
    plans = tomllib.loads((HERE / "plans.toml").read_text(encoding="utf-8"))
    if plan and plan not in plans:
        sys.exit(f"There is no plan {plan!r}: it is one of {', '.join(plans)}.")
    made = {}
    if plan:
        for number, parts in enumerate(plans[plan], 1):
            made[f"{plan}-{number}"] = session(plan, number, parts)
    else:
        paths = sorted((ROOT / "notebooks").glob("[0-9][0-9]_*.ipynb"))
        made = {path.stem: make(path) for path in paths}
    entries = []
    for name, (title, page) in made.items():
        (SLIDES / f"{name}.html").write_text(page, encoding="utf-8")
        entries.append(f'<li><a href="{name}.html">{title}</a></li>')
    index = (HERE / "index.html").read_text(encoding="utf-8")
    listed = index.replace("ENTRIES", "\n".join(entries))
    (SLIDES / "index.html").write_text(listed, encoding="utf-8")
    if wrong := too_tall(list(made)):
        sys.exit("These slides do not fit 1280 x 720:\n" + "\n".join(wrong))
    print(f"The slides: {SLIDES / 'index.html'}")


if __name__ == "__main__":
    main()
