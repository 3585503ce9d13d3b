"""A Sphinx extension: links to the sources become citations.

The chapters are read in Jupyter, too, which shows a role as it is written. So they cite by a plain
link to the source's entry, `[Moore, 1990](../book/references.bib#moore1990)`. Docstrings, which
`help` shows, name a source in words: "Moore 1990", "Zhou et al. 2025".
"""

import re
from urllib.parse import urlsplit

from docutils import nodes
from pybtex.plugin import register_plugin
from pybtex.style.formatting import toplevel
from pybtex.style.formatting.unsrt import Style, date, pages
from pybtex.style.sorting.author_year_title import SortingStyle
from pybtex.style.template import Node, field, href, names, optional, sentence, tag, words
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util.nodes import make_refnode

LINK = re.compile(r"\[[^\[\]]+\]\((?:\.\./book/)?references\.bib#(\w+)\)")


def cite(app: Sphinx, docname: str, source: list[str]) -> None:
    source[0] = LINK.sub(r"{cite}`\1`", source[0])


class BySurnames(SortingStyle):
    """A name in braces, which keeps its form, is sorted like any other."""

    def persons_key(self, persons: list) -> str:
        return super().persons_key(persons).replace("{", "")


class Surnames(Style):
    """The bibliography by surnames, which stand first."""

    default_name_style = "lastfirst"
    default_sorting_style = "by_surnames"

    def format_names(self, role: str, as_sentence: bool = True) -> Node:
        """Semicolons between the names, each of which has a comma."""
        found = names(role, sep="; ", sep2=", and ", last_sep="; and ")
        return sentence[found] if as_sentence else found

    def format_title(self, entry: object, which_field: str, as_sentence: bool = True) -> Node:
        return tag("strong")[super().format_title(entry, which_field, as_sentence)]

    def format_btitle(self, entry: object, which_field: str, as_sentence: bool = True) -> Node:
        """A book's own title is as strong as an article's; that of the book around one is not."""
        title = super().format_btitle(entry, which_field, as_sentence)
        return tag("strong")[title] if which_field == "title" else title

    def format_url(self, entry: object) -> Node:
        """The server's name; of an address on GitHub the theme makes the repository's."""
        return href(field("url", raw=True))[field("url", raw=True, apply_func=server)]

    def get_misc_template(self, entry: object) -> Node:
        """A note on the source stands behind its link."""
        return toplevel[
            optional[sentence[self.format_names("author")]],
            optional[self.format_title(entry, "title")],
            sentence[optional[date]],
            self.format_web_refs(entry),
            optional[sentence[field("note")]],
        ]

    def get_inproceedings_template(self, entry: object) -> Node:
        """The year stands behind a comma, as in an article."""
        book = self.format_btitle(entry, "booktitle", as_sentence=False)
        volume = self.format_volume_and_series(entry, as_sentence=False)
        return toplevel[
            sentence[self.format_names("author")],
            self.format_title(entry, "title"),
            words["In", sentence[book, volume, optional[pages], date]],
            optional[sentence[field("note")]],
            self.format_web_refs(entry),
        ]


def server(address: str) -> str:
    host = urlsplit(address).netloc
    return address if host == "github.com" else host.replace("-", "\N{NON-BREAKING HYPHEN}")


CHAPTER = re.compile(r"notebooks/(\d+)_")
PAGES = re.compile(r"(\S*\d–\d+)")
NAMED = r"((?:[A-Z]\w+ )?[A-Z]\w+)(?:\s+et\s+al\.|\s+and\s+[A-Z]\w+)?"
NAMED = re.compile(NAMED + r"\s+(\()?(\d{4})\b(?(2)\))")


def as_cited(found: re.Match) -> str:
    """A source as the book's other pages name it: "Moore, 1990", but "Moore (1990)"."""
    return found[0] if found[2] else re.sub(r"\s+(?=\d{4}$)", ", ", found[0])


class KeepPages(SphinxPostTransform):
    """No line of the bibliography ends within "834–846"."""

    default_priority = 600
    formats = ("html",)

    def run(self) -> None:
        for citation in self.document.findall(nodes.citation):
            for text in [one for one in citation.findall(nodes.Text) if PAGES.search(one)]:
                parts = PAGES.split(text)
                kept = [nodes.inline("", part, classes=["whole"]) for part in parts[1::2]]
                plain = [nodes.Text(part) for part in parts[::2]]
                ordered = [part for pair in zip(plain, [*kept, None], strict=True) for part in pair]
                text.parent.replace(text, ordered[:-1])


class CitedIn(SphinxPostTransform):
    """Below a source stand the pages that cite it, each with a link to its first citation."""

    default_priority = 600
    formats = ("html",)

    def run(self) -> None:
        domain, places = self.env.get_domain("cite"), {}
        for ref in reversed(domain.citation_refs):
            for one in ref.targets:
                places.setdefault(one.key, {})[ref.docname] = ref.citation_ref_id
        keys = {one.citation_id: one.key for one in domain.citations}
        for citation in self.document.findall(nodes.citation):
            line = nodes.inline("", "Cited in ", classes=["cited"])
            found = places.get(keys[citation["ids"][0]], {})
            for page in sorted(found, key=lambda one: (not CHAPTER.match(one), one)):
                chapter = CHAPTER.match(page)
                name = f"chapter {int(chapter[1])}" if chapter else self.env.titles[page].astext()
                words, here = nodes.Text(name), self.env.docname
                link = make_refnode(self.app.builder, here, page, found[page], words)
                line += [*[nodes.Text(", ")] * (len(line) > 1), link]
            if len(line) > 1:
                citation[-1] += line


class LinkSources(SphinxPostTransform):
    """A source that a docstring names leads to its entry."""

    default_priority = 600
    formats = ("html",)

    def run(self) -> None:
        if not self.env.docname.startswith("book/reference-"):
            return
        sources = {}
        for one in self.env.get_domain("cite").citations:
            first = " ".join(one.entry.persons["author"][0].last_names)
            sources[first, one.entry.fields.get("year")] = one
        for text in list(self.document.findall(nodes.Text)):
            if isinstance(text.parent, nodes.literal | nodes.reference | nodes.raw):
                continue
            parts, end = [], 0
            for found in NAMED.finditer(text):
                source = sources.get(found.group(1, 3))
                if source:
                    here, page = self.env.docname, source.bibliography_key.docname
                    words, anchor = nodes.Text(as_cited(found)), source.citation_id
                    link = make_refnode(self.app.builder, here, page, anchor, words)
                    parts += [nodes.Text(text[end : found.start()]), link]
                    end = found.end()
            if parts:
                text.parent.replace(text, [*parts, nodes.Text(text[end:])])


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("source-read", cite)
    app.add_post_transform(CitedIn)
    app.add_post_transform(KeepPages)
    app.add_post_transform(LinkSources)
    register_plugin("pybtex.style.formatting", "surnames", Surnames)
    register_plugin("pybtex.style.sorting", "by_surnames", BySurnames)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
