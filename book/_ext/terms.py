"""A Sphinx extension: words of the glossary lead to it, without marks in the text.

The chapters are read in Jupyter, too, where a role would stand in the sentence as it is written. So
a term is linked where the text has it in bold, as it does where it explains one; and a term that
nobody takes for an everyday word ("interquartile mean", "CMA-ES", not "value") where it first
stands. One link a page and term; its title is the definition.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util.nodes import make_refnode

# Where no link may be, or none is wanted.
KEPT = (
    nodes.title,
    nodes.literal,
    nodes.literal_block,
    nodes.math,
    nodes.math_block,
    nodes.reference,
    nodes.raw,
    nodes.table,
    nodes.citation,
    addnodes.pending_xref,
    addnodes.desc,
    addnodes.glossary,
)
EVERYDAY = re.compile(r"[a-z]+")


class Term(NamedTuple):
    """A word of the glossary: the page and the anchor of its entry, and what it means."""

    name: str
    page: str
    anchor: str
    meaning: str

    @property
    def pattern(self) -> str:
        """How it is written in a sentence, at the beginning of one, and in the plural."""
        first, rest = self.name[0], re.escape(self.name[1:])
        return f"[{first.upper()}{first}]{rest}s?"

    def is_called(self, words: str) -> bool:
        return bool(re.fullmatch(self.pattern, words))


def straight(text: str) -> str:
    """A text with the apostrophes of a keyboard, as the glossary's source has them."""
    return text.replace("’", "'")


def glossary(env: BuildEnvironment) -> list[Term]:
    """All terms of the book's glossaries."""
    places = {
        name: place
        for (kind, name), place in env.get_domain("std").objects.items()
        if kind == "term"
    }
    terms = []
    for page in sorted({page for page, _ in places.values()}):
        for item in env.get_doctree(page).findall(nodes.definition_list_item):
            meaning = item[-1].deepcopy()
            for citation in list(meaning.findall(addnodes.pending_xref)):
                if citation["refdomain"] == "cite":
                    citation.parent.remove(citation)
            text = re.sub(r"\s+(?=[.,:]|$)", "", " ".join(meaning.astext().split()))
            names = [straight(term.astext()) for term in item.findall(nodes.term)]
            terms += [Term(name, *places[name], text) for name in names if name in places]
    return terms


def ancestors(node: nodes.Node) -> Iterator[nodes.Node]:
    """What a node lies in, from its parent on."""
    while node.parent is not None:
        node = node.parent
        yield node


class LinkTerms(SphinxPostTransform):
    """Links each term of the glossary once on a page."""

    default_priority = 500
    formats = ("html",)

    def run(self) -> None:
        terms = glossary(self.env)
        plain = [term for term in terms if not EVERYDAY.fullmatch(term.name)]
        # Of two that begin at one place the longer is found.
        plain.sort(key=lambda term: len(term.name), reverse=True)
        pattern = any_of(plain)
        linked = set()
        for text in list(self.document.findall(nodes.Text)):
            if any(isinstance(above, KEPT) for above in ancestors(text)):
                continue
            words = straight(text)
            if isinstance(text.parent, nodes.strong):
                found = [(0, len(words), term) for term in terms if term.is_called(words)][:1]
            else:
                found = places(words, plain, pattern)
            self.replace(text, [one for one in found if one[2].anchor not in linked])
            linked |= {term.anchor for _, _, term in found}

    def replace(self, text: nodes.Text, found: list[tuple[int, int, Term]]) -> None:
        """Put links for what was found in a text, each with where it begins and ends."""
        parts, end = [], 0
        for start, stop, term in found:
            words = nodes.Text(text[start:stop])
            builder, here = self.app.builder, self.env.docname
            link = make_refnode(builder, here, term.page, term.anchor, words, term.meaning)
            link["classes"].append("glossed")
            parts += [nodes.Text(text[end:start]), link]
            end = stop
        if parts:
            text.parent.replace(text, [*parts, nodes.Text(text[end:])])


def any_of(terms: list[Term]) -> re.Pattern:
    """A pattern with a group for each term, of which the first that fits is found."""
    groups = "|".join(f"({term.pattern})" for term in terms)
    return re.compile(rf"(?<![\w-])(?:{groups})(?![\w+-])")


def places(words: str, terms: list[Term], pattern: re.Pattern) -> list[tuple[int, int, Term]]:
    """Where terms first stand in a text, in its order."""
    found = {}
    for match in pattern.finditer(words):
        term = terms[match.lastindex - 1]
        found.setdefault(term.anchor, (*match.span(), term))
    return list(found.values())


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_post_transform(LinkTerms)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
