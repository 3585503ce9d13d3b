"""A Sphinx extension: links to the sources become citations.

The chapters are read in Jupyter, too, which shows a role as it is written. So they cite by a plain
link to the source's entry, `[Moore, 1990](../book/references.bib#moore1990)`.
"""

import re

from pybtex.plugin import register_plugin
from pybtex.style.formatting.unsrt import Style
from pybtex.style.template import Node, field, href
from sphinx.application import Sphinx

LINK = re.compile(r"\[[^\[\]]+\]\((?:\.\./book/)?references\.bib#(\w+)\)")


def cite(app: Sphinx, docname: str, source: list[str]) -> None:
    source[0] = LINK.sub(r"{cite}`\1`", source[0])


class Surnames(Style):
    """The bibliography by surnames, which stand first."""

    default_name_style = "lastfirst"
    default_sorting_style = "author_year_title"

    def format_url(self, entry: object) -> Node:
        """The address alone: that it is one can be seen."""
        return href(field("url", raw=True))[field("url", raw=True)]


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("source-read", cite)
    register_plugin("pybtex.style.formatting", "surnames", Surnames)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
