"""A Sphinx extension: how the notebooks look as pages, without marks in the notebooks.

- The goals of a chapter and its times are folded into one line.
- A paragraph in italics directly under a picture, a film or a live figure is its caption, and gets
  a number.
- Plots are put into the page as they are, so that their letters are the page's, in light and dark.
- Folded code says that it is code; what else is folded are solutions. Neighbours are one fold.
- Printed text and examples break by the page's width, and each line stands on its own.
- Figures in a table's cell, such as an interval, stay on one line, and sentences get room.
- No line ends within "chapter 4", "95 %", "CMA-ES", "params[0]: 6" or a short piece of code, nor
  between a formula and its comma.
- The figures of a page are counted from 1.
"""

import json
import re
from collections.abc import Iterable
from html import escape, unescape
from itertools import chain
from math import ceil
from pathlib import Path
from zlib import crc32

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.transforms.post_transforms import SphinxPostTransform

LIVE = "In JupyterLab"  # with this begins the line below a still, which is no caption


def raw(text: str) -> nodes.raw:
    return nodes.raw("", text, format="html")


def spans(node: nodes.Node) -> list[nodes.Node]:
    """What a paragraph consists of; nothing if it is none. MyST begins some with an empty text."""
    parts = node.children if isinstance(node, nodes.paragraph) else []
    return [part for part in parts if not (isinstance(part, nodes.Text) and part == "")]


def is_goals(node: nodes.Node) -> bool:
    """Whether it is the paragraph that begins a chapter's goals."""
    first = next(iter(spans(node)), None)
    return isinstance(first, nodes.strong) and first.astext() == "Goals"


def is_caption(node: nodes.Node | None) -> bool:
    """Whether it is a paragraph of one span of italics."""
    return [type(part) for part in spans(node)] == [
        nodes.emphasis
    ] and not node.astext().startswith(LIVE)


def is_picture(node: nodes.Node) -> bool:
    """Whether it is something that a caption can belong to."""
    if isinstance(node, nodes.raw):
        return node.astext().strip() == "</div>"
    if isinstance(node, nodes.paragraph):
        return [type(part) for part in spans(node)] == [nodes.image]
    if isinstance(node, nodes.container) and "cell" in node["classes"]:
        films = any("<video" in part.astext() for part in node.findall(nodes.raw))
        return films or any(node.findall(nodes.image))
    return False


def following(node: nodes.Node) -> nodes.Node | None:
    """What comes after a node on the page: its next sibling."""
    siblings = node.parent.children
    place = siblings.index(node) + 1
    return siblings[place] if place < len(siblings) else None


class FoldGoals(SphinxPostTransform):
    """Goals and times as one line that opens."""

    default_priority = 490  # before the words of the glossary are linked
    formats = ("html",)

    def run(self) -> None:
        for start in [node for node in self.document.findall(nodes.paragraph) if is_goals(node)]:
            goals, times = following(start), None
            if isinstance(goals, nodes.bullet_list):
                times = following(goals)
            if times is None or not times.astext().startswith("In class"):
                continue
            line = f"<summary><strong>Goals and times.</strong> {escape(times.astext())}</summary>"
            start.parent.replace(start, [raw(f'<details class="goals">{line}')])
            times.parent.replace(times, [raw("</details>")])


class NumberCaptions(SphinxPostTransform):
    """Each picture with a line in italics below becomes a numbered figure."""

    default_priority = 480
    formats = ("html",)

    def run(self) -> None:
        chapter = re.match(r"notebooks/0*(\d+)_", self.env.docname)
        before = f"{chapter[1]}." if chapter else ""
        found = [node for node in self.document.findall(nodes.Element) if is_picture(node)]
        captioned = [node for node in found if is_caption(following(node))]
        for number, picture in enumerate(captioned, 1):
            caption = following(picture)
            words = spans(caption)[0].children
            caption.clear()
            caption += [nodes.strong("", f"Figure {before}{number}. "), *words]
            start, parent = opening(picture), picture.parent
            parent.insert(parent.index(start), raw('<figure class="shown">'))
            parent.insert(parent.index(caption), raw("<figcaption>"))
            parent.insert(parent.index(caption) + 1, raw("</figcaption></figure>"))


def opening(node: nodes.Node) -> nodes.Node:
    """Where a picture begins: at the start of its place, if it is the still of a live figure."""
    if not isinstance(node, nodes.raw):
        return node
    before = node.parent.children[: node.parent.index(node)]
    return next(one for one in reversed(before) if one.astext().startswith("<div"))


# What a plot holds, by a style of it: the style sheet goes by these names, as a selector that looks
# into every plot for a style (":has") would take a live figure more than half of its time a frame.
PARTS = {
    "of-boxes": re.compile(r'style="[^"]*fill: #fdfdfd[^"]*stroke-width: 2'),
    "of-tiles": re.compile("fill: #eaf3f9"),
    "of-car": re.compile("fill: #d9771c"),
    "of-robots": re.compile("fill: #eef4f8"),
    "of-pushes": re.compile("fill: #a9cbe6"),
    "of-pages": re.compile("fill: #fdfdfd; stroke: #c3ccd2"),
}
INLINE = re.compile(r"<\?xml.*?\?>\s*<!DOCTYPE.*?>\s*|<metadata>.*?</metadata>", re.DOTALL)
GROUND = r'<g id="(?:patch_1|axes_\d+">\s*<g id="patch_\d+)">\s*<path d="[^"]*" style="'
WHITE = re.compile(rf'({GROUND})fill: #ffffff[^"]*(")')
# What a black edge may hold, and the edge.
HELD = r"fill: (?:none|currentColor|#767676|var\(--pst-color-background\)); |fill-opacity: 0; "
INK = re.compile(rf"(style=\"(?:{HELD})?(?:stroke-dash[a-z]+: [^;]+; )*)stroke: #000000")
DOT = re.compile(r'(<use[^>]*style=")(?=stroke: #000000)')  # no fill means black
# Not the marks on maps, which are white with a light or a dark edge.
HOLLOW = re.compile(r"fill: #ffffff(?=; stroke: #(?!ffffff|1f2d38))")
RING = re.compile(r"(<use[^>]*stroke: )#ffffff(?=; stroke-width: 0\.)")  # so that dots stay apart
STYLE = re.compile(r"\s*<defs>\s*<style[^>]*>[^<]*</style>\s*</defs>")
OWN_ID = re.compile(r'<g id="[\w.]+_\d+">')
SIZE = re.compile(r'<svg( [^>]*?)width="([\d.]+)pt" height="[\d.]+pt"')
NAME = re.compile(r'(\bid="|url\(#|href="#)')
WORDS = re.compile(r">[^<]+</text>")
TAG = re.compile(r"<[^>]*>")
ALONE = re.compile(r"<g>(<use[^>]*/>)</g>")
# Each copy of it has the style again, where style sheets reach it.
MARK = re.compile(r'(<path id="[^"]*" d="[^"]*") style="[^"]*"')
MINUS = re.compile(r"(?<![\w.)\]])-(?=[\d.])")  # before a number, not between two
QUOTE = "\N{RIGHT SINGLE QUOTATION MARK}"
APOSTROPHE = re.compile(r"(?<=[^\W\d])(?:'|&#x27;)(?=s\b|t\b|\s)")


def typeset(text: str) -> str:
    """Words that a program wrote, with the signs of print.

    >>> typeset("the model's -1")
    'the model’s −1'
    >>> typeset("'1 2' is a quotation")
    "'1 2' is a quotation"
    """
    return MINUS.sub("\N{MINUS SIGN}", APOSTROPHE.sub(QUOTE, text))


def slim(svg: str) -> str:
    """A plot without what changes nothing on a page, about a quarter of it.

    >>> slim('<g>\\n <path d="M 1.2345 2 \\nL 3 4 \\n"/>\\n</g>')
    '<g><path d="M 1.23 2 L 3 4"/></g>'
    """
    svg = re.sub(r' transform="rotate\(-0 [^"]*"', "", re.sub(r">\s+<", "><", svg))
    svg = TAG.sub(lambda tag: re.sub(r"(\.\d\d)\d+", r"\1", re.sub(r"\s+", " ", tag[0])), svg)
    svg = MARK.sub(r"\1", svg.replace(' "/>', '"/>').replace(' " ', '" '))
    return ALONE.sub(r"\1", svg)


def page_plot(svg: str, alt: str, kind: str = "plot") -> str:
    """Matplotlib's SVG as a part of a page: its ground and ink are those of the page.

    Lines, dots and letters in black take the colour of the page's text, and letters its font. What
    has a colour of its own keeps it, and the white in a coloured ring is the page's ground.
    """
    svg = STYLE.sub("", INLINE.sub("", svg), count=1)
    svg = WHITE.sub(r"\1fill: none\2", svg)
    svg = HOLLOW.sub("fill: var(--pst-color-background)", DOT.sub(r"\1fill: currentColor; ", svg))
    svg = RING.sub(r"\1var(--pst-color-background)", INK.sub(r"\1stroke: currentColor", svg))
    svg = OWN_ID.sub("<g>", svg)
    own = crc32(svg.encode())  # on one page no two plots may give their parts the same names
    svg = NAME.sub(rf"\g<1>p{own:08x}-", svg)
    svg = re.sub(r"font-family: [^;\"]*;?\s*", "", svg)
    svg = slim(WORDS.sub(lambda found: typeset(found[0]), svg))
    kinds = [kind, *[name for name, part in PARTS.items() if part.search(svg)]]
    label = f'class="{" ".join(kinds)}" role="img" aria-label="{escape(alt)}"'
    return SIZE.sub(lambda found: f"<svg{found[1]}{label} style={width(found[2])}", svg, count=1)


def width(points: str) -> str:
    """What a style says of a plot's width in full: 504 points are as wide as the page's text."""
    return f'"--full: {ceil(float(points) * 704 / 504)}px"'


SVG = "image/svg+xml"


def narrow_copies(page: Path) -> dict[str, str]:
    """The plots of a notebook, each with the drawing for phones that `narrow.py` has added."""
    if page.suffix != ".ipynb":
        return {}
    cells = json.loads(page.read_text(encoding="utf-8"))["cells"]
    shown = [output for cell in cells for output in cell.get("outputs", ())]
    return {
        "".join(output["data"][SVG]).strip(): output["metadata"][SVG]["narrow"]
        for output in shown
        if "narrow" in output.get("metadata", {}).get(SVG, ())
    }


class InlinePlots(SphinxPostTransform):
    """Plots of cells, and the pictures that open chapters, as parts of the page.

    For phones they have a narrow copy: in the notebook, or in a file beside the picture's.
    """

    default_priority = 600
    formats = ("html",)

    def run(self) -> None:
        copies = narrow_copies(Path(self.env.doc2path(self.env.docname)))
        for image in list(self.document.findall(nodes.image)):
            path = Path(self.env.srcdir, image["uri"])
            if path.suffix != ".svg" or not path.is_file():
                continue
            text, alt = path.read_text(encoding="utf-8").strip(), image.get("alt", "")
            if "Matplotlib" not in text:
                continue
            self.env.note_dependency(str(path))
            plots, beside = [raw(page_plot(text, alt))], path.with_stem(f"{path.stem}-narrow")
            if beside.is_file():
                self.env.note_dependency(str(beside))
                copies[text] = beside.read_text(encoding="utf-8")
            if text in copies:
                plots.append(raw(page_plot(copies[text], alt, "plot narrow")))
            image.parent.replace(image, plots)


def is_fold(node: nodes.Node | None) -> bool:
    """Whether it is a cell whose code, or all of which, is folded."""
    return isinstance(node, nodes.container) and node.get("hide_mode") in ("input", "all")


class NameFolds(SphinxPostTransform):
    """What a click will show: code, or a solution. Folds in a row are one."""

    default_priority = 198  # before MyST-NB folds them
    formats = ("html",)

    def run(self) -> None:
        for cell in self.document.findall(nodes.container):
            if cell.get("hide_mode") == "input":
                what = "imports" if "utils.use_style()" in cell.astext() else "code"
                cell["prompt_show"], cell["prompt_hide"] = f"Show the {what}", f"Hide the {what}"
            elif cell.get("hide_mode") == "output":
                cell["prompt_show"], cell["prompt_hide"] = "Show the text", "Hide the text"
        for cell in [one for one in self.document.findall(nodes.container) if is_fold(one)]:
            after = following(cell)
            if is_fold(after) and after["hide_mode"] == cell["hide_mode"]:
                if cell["hide_mode"] == "all":
                    after.insert(0, cell.children)
                elif len(cell) == 1:  # it shows nothing
                    after[0].insert(0, cell[0].children)
                else:
                    continue
                cell.parent.remove(cell)


class JoinLines(SphinxPostTransform):
    """Printed text that `utils.wrap` has broken: a page breaks it anew, by its own width."""

    default_priority = 197  # before MyST-NB makes the outputs
    formats = ("html",)

    def run(self) -> None:
        for cell in self.document.findall(nodes.container):
            if "cell_output" in cell["classes"]:
                for printed in cell.findall(nodes.literal_block):
                    text = joined(printed.astext())
                    block = nodes.literal_block(text, text, **printed.attributes)
                    if {line[:2] for line in text.splitlines()} - {"  "} == {"- ", "+ "}:
                        block["language"] = "diff"
                    printed.replace_self(block)


# Within "0.5 [0.3, 0.7]", "4 ± 2" and "95 %" no line ends.
INTERVAL = re.compile(
    r"((?<=\d)(?= \[[-+\d.,]+, [-+\d.,]+\])|\[[-+\d.,]+,(?= [-+\d.,]+\])"
    r"|±(?= +\d)|(?<=\d)(?= ±)|(?<=\d)(?= %)) "
)
# Nor within "params[0]: 6".
ASSIGNED = re.compile(r"(?:params\[\d+\]|f\(params\))(?:\*\*)?(?:: | = )")


def assigned(text: str) -> str:
    """Assignments of which each stays on one line."""
    return ASSIGNED.sub(lambda found: found[0].replace(" ", "\N{NO-BREAK SPACE}"), text)


def joined(text: str, width: int = 76) -> str:
    """The lines that were broken because the next word had no room, in one again; whole intervals.

    >>> joined("one two\\n    three", width=9)
    'one two three'
    >>> joined("one half-\\n    done", width=9)
    'one half-done'
    """
    text = INTERVAL.sub("\\1\N{NO-BREAK SPACE}", text)
    lines = text.split("\n")
    for k in reversed(range(1, len(lines))):
        word = re.match(r" {4}(\S+)", lines[k])
        if word and len(lines[k - 1].rstrip()) <= width < len(lines[k - 1]) + 1 + len(word[1]):
            gap = "" if re.search(r"\w-$", lines[k - 1]) else " "
            lines[k - 1 : k + 1] = [lines[k - 1] + gap + lines[k][4:]]
    return assigned("\n".join(lines))


CELL = re.compile(r'<td class="([^>]*>)([^<]*)</td>')
HEAD = re.compile(r"(?<=>)[^<]+(?=</th>)")
SAY = {"True": "yes", "False": "no"}
# By their first head: what a chapter will find, and what it has found.
CARDS = {"Part": ["rows"], "What we asked": ["rows", "asked"]}
# A figure, and its interval or what it may be off by.
PAIR = re.compile(r"^([^\[(±]{1,20}) ([\[(](?=.*\d)[^\[\]()]{1,30}[\])]|± [^\[(±]{1,12})$")


def room(text: str) -> str:
    """The class of a table's cell, by what it says: `figures`, `term`, `sentence` or none."""
    if re.search(r"\d", text) and len(text) <= 24:
        return "figures"
    if len(text) <= 16:
        return "term"
    return "sentence" if len(text) > 60 else ""


class RoomInTables(SphinxPostTransform):
    """Cells of written and of computed tables say what they hold; the style sheet does the rest."""

    default_priority = 600
    formats = ("html",)

    def run(self) -> None:
        for table in self.document.findall(nodes.table):
            table["classes"] += CARDS.get(table.next_node(nodes.entry).astext(), [])
        for entry in self.document.findall(nodes.entry):
            entry["classes"] += [kind] if (kind := room(entry.astext())) else []
            for text in list(entry.findall(nodes.Text)):
                if pair := PAIR.fullmatch(text.astext()):
                    halves = [nodes.inline("", half, classes=["whole"]) for half in pair.groups()]
                    text.parent.replace(text, [halves[0], nodes.Text(" "), halves[1]])
        for page in list(self.document.findall(nodes.raw)):
            if 'class="table"' in page.astext():
                text = HEAD.sub(lambda found: typeset(found[0]), page.astext())
                text = CELL.sub(lambda found: in_class(*found.groups()), text)
                page.parent.replace(page, raw(text))


def in_class(rest: str, text: str) -> str:
    """A computed cell with its class."""
    kind, shown = room(unescape(text)), typeset(assigned(SAY.get(text, text)))
    shown = PAIR.sub(r'<span class="whole">\1</span> <span class="whole">\2</span>', shown)
    shown = ONE_WORD.sub(r'<span class="one-word">\1</span>', shown)
    return f'<td class="{kind} {rest}{shown}</td>'


# Nor within "chapter 4".
NUMBERED = r"(?:[Cc]hapter|[Ff]igure|[Ee]xercise|[Pp]roposal)s?|ch\."
TOGETHER = re.compile(rf"\b({NUMBERED}|et)\s(?=\d|al\.)")
ONE_WORD = re.compile(r"\b(CMA-ES|[Ww]arm-ups?|axe-core)\b")
CODES = nodes.literal | nodes.literal_block | nodes.doctest_block
SHORT = 32  # characters of code that a phone shows on one line
STOP = re.compile(r"[.,;:?!)]+")  # what stays with the formula before it


class KeepTogether(SphinxPostTransform):
    """What is read in one piece stays on one line."""

    default_priority = 600
    formats = ("html",)

    def run(self) -> None:
        for text in list(self.document.findall(nodes.Text)):
            if isinstance(text.parent, CODES | nodes.raw):
                continue
            kept = INTERVAL.sub("\\1\N{NO-BREAK SPACE}", text.astext())
            kept = assigned(TOGETHER.sub("\\1\N{NO-BREAK SPACE}", kept))
            pieces = ONE_WORD.split(kept)
            if pieces != [text.astext()]:
                words = [nodes.inline("", word, classes=["one-word"]) for word in pieces[1::2]]
                texts = [nodes.Text(piece) for piece in pieces[::2]]
                text.parent.replace(text, [*chain(*zip(texts, words, strict=False)), texts[-1]])
        for formula in list(self.document.findall(nodes.math)):
            after = following(formula)
            if isinstance(after, nodes.Text) and (stop := STOP.match(after.astext())):
                after.parent.replace(after, nodes.Text(after.astext()[stop.end() :]))
                whole = nodes.inline("", "", classes=["one-word"])
                formula.replace_self(whole)
                whole += [formula, nodes.Text(stop[0])]
        for code in self.document.findall(nodes.literal):
            if len(code.astext()) <= SHORT:
                code["classes"].append("short")
            code[:] = [nodes.Text(assigned(code.astext()))]


class TypesetTitles(SphinxPostTransform):
    """The titles of folds in the text have the apostrophes of print."""

    default_priority = 600
    formats = ("html",)

    def run(self) -> None:
        for title in list(self.document.findall(nodes.raw)):
            if "<summary>" in title.astext():
                title.parent.replace(title, raw(APOSTROPHE.sub(QUOTE, title.astext())))


def lettered(entries: list[nodes.Element], names: list[str]) -> dict[str, list[nodes.Element]]:
    """Entries by the letters with which their names begin."""
    groups: dict[str, list[nodes.Element]] = {}
    for entry, name in zip(entries, names, strict=True):
        groups.setdefault(name[0].upper(), []).append(entry)
    return groups


class Letters(SphinxPostTransform):
    """The glossary and the bibliography in groups: a heading for each letter, and links above."""

    default_priority = 600
    formats = ("html",)

    def run(self) -> None:
        for glossary in self.document.findall(addnodes.glossary):
            (whole,) = glossary.children
            groups = lettered(whole.children, [entry[0].astext() for entry in whole.children])
            glossary.children = [self.links(groups)]
            for letter, entries in groups.items():
                part = nodes.definition_list("", *entries, classes=whole["classes"])
                glossary += [self.heading(glossary, letter), part]
        sources = list(self.document.findall(nodes.citation))
        if sources:
            groups = lettered(sources, [source.children[1].astext() for source in sources])
            for letter, (first, *_) in groups.items():
                heading = self.heading(first, letter)
                first.parent.insert(first.parent.index(first), heading)
            sources[0].parent.insert(0, self.links(groups))

    def heading(self, place: nodes.Node, letter: str) -> nodes.raw:
        above, level = place, 1
        while (above := above.parent) is not None:
            level += isinstance(above, nodes.section)
        title = f'<h{level} class="letter" id="letter-{letter}">{letter}</h{level}>'
        return raw(f'<div class="letter-row">{title}<a href="#letters">all letters</a></div>')

    def links(self, letters: Iterable[str]) -> nodes.raw:
        links = " ".join(f'<a href="#letter-{letter}">{letter}</a>' for letter in letters)
        return raw(f'<p class="letters" id="letters">{links}</p>')


def number_by_page(app: Sphinx, env: BuildEnvironment) -> None:
    """Sphinx counts the figures of text pages through the book, those of chapters not at all."""
    for numbers in env.toc_fignumbers.values():
        for kind in numbers.values():
            kind.update({name: (number,) for number, name in enumerate(kind, 1)})


CODE = re.compile(r'(?<=<span class="pre">)[^<]+(?=</span>)')
JOINT = re.compile(r"(?<=[^\W_])(/+|\.(?=[a-z_]{4}))(?=[^\W_])")
# Browsers would break it, and part it from its quotation marks.
HYPHENED = re.compile(r"(?:&quot;)?[\w.:=-]*\w-\w[\w.:=-]*(?:&quot;)?")
ONE = r'<span class="one">\g<0></span>'


def breaks_in_names(
    app: Sphinx, pagename: str, template: str, context: dict, doctree: object
) -> None:
    """A long name in code may break behind a slash or a dot, and not behind a hyphen."""
    context["body"] = CODE.sub(
        lambda found: JOINT.sub(r"\1<wbr>", HYPHENED.sub(ONE, found[0])), context.get("body", "")
    )


def name_once(app: Sphinx, pagename: str, template: str, context: dict, doctree: object) -> None:
    """The first page is named as the book; its title says so once."""
    if pagename == app.config.root_doc:
        context["docstitle"] = ""


LISTED = re.compile(r"<dl>\s*((?:<dd><em class=\"sig-param\">.*?</dd>\s*)+)</dl>", re.DOTALL)


def parameters_in_lines(
    app: Sphinx, pagename: str, template: str, context: dict, doctree: object
) -> None:
    """Sphinx sets long signatures as a list of meanings without words; lines are no list."""
    context["body"] = LISTED.sub(
        lambda found: re.sub(r"<(/?)dd>", r"<\1span>", f'<span class="lines">{found[1]}</span>'),
        context.get("body", ""),
    )


KINDS = r"(?:doctest |output \w+ )?highlight-(?:myst-ansi|default|none|i?python3?|shell|powershell)"
BLOCK = re.compile(
    rf'(<div class="{KINDS} notranslate"><div class="highlight"><pre><span></span>)(.+?)</pre>',
    re.DOTALL,
)
OPENED = re.compile(r'(<span class="[op]">(?:[(\[{]+|,)</span>)')
GAP = re.compile(r" (?![^<>]*>)")  # not within a tag
LINE = re.compile(r'(?:<span class="w">)?( *).*\n')


def lines_of_blocks(
    app: Sphinx, pagename: str, template: str, context: dict, doctree: object
) -> None:
    """Each line of a block on its own, so that a broken one goes on a little further in."""
    context["body"] = BLOCK.sub(by_lines, context.get("body", ""))


def by_lines(found: re.Match) -> str:
    """A block in lines. A command breaks at its spaces only, and code behind a bracket, too."""
    if "shell" in found[1]:
        text = GAP.sub('<span class="gap"> </span>', found[2])
    else:
        text = OPENED.sub(r"\1<wbr>", found[2])
    return f"{found[1]}{LINE.sub(one_line, text)}</pre>"


def one_line(found: re.Match) -> str:
    return f'<span class="line" style="--deep: {len(found[1])}ch">{found[0]}</span>'


def setup(app: Sphinx) -> dict[str, bool]:
    for transform in (
        NameFolds,
        NumberCaptions,
        FoldGoals,
        InlinePlots,
        JoinLines,
        RoomInTables,
        KeepTogether,
        TypesetTitles,
        Letters,
    ):
        app.add_post_transform(transform)
    app.connect("env-check-consistency", number_by_page)
    app.connect("html-page-context", breaks_in_names)
    app.connect("html-page-context", name_once)
    app.connect("html-page-context", parameters_in_lines)
    app.connect("html-page-context", lines_of_blocks)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
