"""A Sphinx extension: what the site needs to know about the address at which it is published.

Two settings of _config.yml say where: `repository_url` and `baseurl`. Both may be empty, for a book
that is only read on one's own machine; then there are no launch buttons and no sitemap.
"""

from pathlib import Path
from typing import Any
from urllib.parse import urljoin, urlsplit

from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.errors import ConfigError

PLACEHOLDER = "https://github.com/OWNER/NAME"
NO_CHAPTERS = ["404.html", "search.html", "genindex.html", "py-modindex.html"]
NOT_FOUND = """<h1>Page not found</h1>
<p>There is no page at this address in <em>Prompted Policy Search</em>.
Chapters may have been renamed.</p>
<ul>
<li><a href="{root}book/index.html">The first page</a>, with all chapters</li>
<li><a href="{root}search.html">Search</a>, for words of any page</li>
<li><a href="{root}book/setup.html">Setup</a>, to run the notebooks</li>
<li><a href="{root}book/notation.html">Glossary</a> and <a href="{root}genindex.html">index</a></li>
</ul>"""


def check_address(name: str, address: str) -> str:
    """The address as it is, or a ConfigError that says how to mend it."""
    parts = urlsplit(address)
    if address and not (parts.scheme == "https" and parts.netloc and not parts.query):
        raise ConfigError(f"{name} in _config.yml is {address!r}; it must begin with https://.")
    return address


def configure(app: Sphinx, config: Config) -> None:
    """Derive from the two addresses what the theme and the other extensions want to be told."""
    options = config.html_theme_options
    repository = check_address("repository_url", options.get("repository_url") or "")
    if repository:
        app.tags.add("published")
        options.update(use_repository_button=True, use_issues_button=True)
    else:
        for name in ("repository_url", "repository_branch", "launch_buttons"):
            options.pop(name, None)
    site = check_address("baseurl", config.html_baseurl or "")
    if site and not site.endswith("/"):
        site += "/"
    config.html_baseurl = config.ogp_site_url = site
    root = urlsplit(site).path or "/"
    config.notfound_urls_prefix = root
    if site:
        config.sitemap_url_scheme = "{link}"
        config.sitemap_excludes = NO_CHAPTERS
    config.notfound_context = {"title": "Page not found", "body": NOT_FOUND.format(root=root)}


def name_repository(app: Sphinx, docname: str, source: list[str]) -> None:
    """Put the repository's own address where a page speaks of it."""
    repository = app.config.html_theme_options.get("repository_url")
    if repository:
        source[0] = source[0].replace(PLACEHOLDER, repository)


def point_to_card(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: object
) -> None:
    """Without an address, the picture for shared links is named relative to the page."""
    card = app.config.ogp_image
    if card and "metatags" in context and not app.config.html_baseurl:
        named = context["metatags"].replace(f'"{card}"', f'"{context["pathto"](card, 1)}"')
        context["metatags"] = named


def write_robots(app: Sphinx, error: Exception | None) -> None:
    """robots.txt: everything may be read, and there is the sitemap."""
    if error is not None or app.builder.format != "html":
        return
    lines = ["User-agent: *", "Allow: /"]
    if app.config.html_baseurl:
        lines.append("Sitemap: " + urljoin(app.config.html_baseurl, "sitemap.xml"))
    Path(app.outdir, "robots.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    # Without an address sphinx_sitemap only warns.
    if app.config.html_baseurl:
        app.setup_extension("sphinx_sitemap")
    # Before the theme and the other extensions look.
    app.connect("config-inited", configure, priority=100)
    app.connect("source-read", name_repository)
    # After the tags are made.
    app.connect("html-page-context", point_to_card, priority=900)
    app.connect("build-finished", write_robots)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
