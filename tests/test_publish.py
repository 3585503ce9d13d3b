"""What the site gets from book/_ext: its addresses, and links to the glossary; on a small site."""

import re
import subprocess
import sys
from xml.etree import ElementTree

import nbformat
import publish
import pytest
from bs4 import BeautifulSoup
from pages import NOTEBOOKS, ROOT, prose, read
from sphinx.errors import ConfigError

EXTENSIONS = ROOT / "book" / "_ext"
REPOSITORY = "https://github.com/some-owner/some-name"
SITE = "https://some.example/name/"
CONF = """
import sys
sys.path.insert(0, {folder!r})
project = "Small"
extensions = ["myst_nb", "notfound.extension", "sphinxext.opengraph", "publish", "terms"]
html_theme = "sphinx_book_theme"
html_baseurl = {site!r}
buttons = {{"binderhub_url": "https://binder.example", "colab_url": "https://colab.example"}}
buttons["notebook_interface"] = "jupyterlab"
html_theme_options = {{"repository_url": {repository!r}, "launch_buttons": buttons}}
html_theme_options["repository_branch"] = "main"
ogp_image = "_static/card.png"
ogp_social_cards = {{"enable": False}}
nb_execution_mode = "off"
"""
CHAPTER = nbformat.v4.new_markdown_cell("# A chapter\nClone https://github.com/OWNER/NAME first.")
NOTEBOOK = nbformat.writes(nbformat.v4.new_notebook(cells=[CHAPTER]))
HOME = "# Home\n\nSo.\n\n```{toctree}\nwords\ntext\nchapter\n```\n"
WORDS = """# Words\n\n```{glossary}
value
  The mean return,
  of an {term}`A+`.

A+
  A thing.

winner's curse
  Luck. It
  goes.
```
"""
TEXT = """# The winner's curse

An A+, a value, the winner's curse and `winner's curse`. No A+B, no pre-A+ and no second A+.

> Winner's curses, [A+](https://example.org), a **value**, the **Values** and a **value** again.
"""


def built(folder, site="", repository=""):
    """The pages of the small site, with these addresses in its settings."""
    conf = CONF.format(folder=str(EXTENSIONS), site=site, repository=repository)
    pages = {"conf.py": conf, "index.md": HOME, "words.md": WORDS, "text.md": TEXT}
    for name, text in (pages | {"chapter.ipynb": NOTEBOOK}).items():
        (folder / name).write_text(text, encoding="utf-8")
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "-E", str(folder), str(folder / "out")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=280)
    assert done.returncode == 0, done.stderr
    pages = [path for kind in ("html", "txt", "xml") for path in (folder / "out").glob(f"*.{kind}")]
    return {path.name: path.read_text("utf-8") for path in pages}


@pytest.fixture(scope="module")
def unpublished(tmp_path_factory):
    return built(tmp_path_factory.mktemp("unpublished"))


@pytest.fixture(scope="module")
def published(tmp_path_factory):
    return built(tmp_path_factory.mktemp("published"), SITE.rstrip("/"), REPOSITORY)


PICTURE = '<meta property="og:image" content="{}_static/card.png" />'


def test_without_addresses_there_is_no_button_and_no_sitemap(unpublished):
    page = unpublished["chapter.html"]
    assert "binder" not in page.lower() and "colab" not in page.lower()
    assert "OWNER/NAME" in page and PICTURE.format("") in page
    assert "sitemap.xml" not in unpublished and "Sitemap" not in unpublished["robots.txt"]


def test_with_addresses_chapters_open_in_binder_and_colab_and_the_sitemap_lists_them(published):
    page, place = published["chapter.html"], "some-owner/some-name"
    assert f"https://binder.example/v2/gh/{place}/main?urlpath=lab/tree/chapter.ipynb" in page
    assert f"https://colab.example/github/{place}/blob/main/chapter.ipynb" in page
    assert "OWNER/NAME" not in page and PICTURE.format(SITE) in page
    tree = ElementTree.fromstring(published["sitemap.xml"])
    found = {place.text for place in tree.iter() if place.tag.endswith("loc")}
    assert found == {f"{SITE}{name}.html" for name in ("index", "words", "text", "chapter")}
    assert f"Sitemap: {SITE}sitemap.xml" in published["robots.txt"]


@pytest.mark.parametrize(("site", "root"), [("unpublished", "/"), ("published", "/name/")])
def test_the_page_for_missing_addresses_works_in_every_folder(site, root, request):
    page = request.getfixturevalue(site)["404.html"]
    assert f'href="{root}_static/' in page and f'href="{root}search.html"' in page
    assert 'href="_static' not in page and 'src="_static' not in page


@pytest.mark.parametrize("address", ["http://some.example", "some.example/name", "ftp://a.b"])
def test_a_wrong_address_stops_the_build(address):
    with pytest.raises(ConfigError, match=f"baseurl.*{address}.*https://"):
        publish.check_address("baseurl", address)
    assert publish.check_address("baseurl", "") == ""


def test_a_term_is_linked_once_where_it_first_stands_and_an_everyday_word_where_it_is_bold(
    unpublished,
):
    words, text = (
        BeautifulSoup(unpublished[f"{p}.html"], "html.parser") for p in ("words", "text")
    )
    links = text.select("a.glossed")
    found = [(link.get_text(), link.parent.name) for link in links]
    assert found == [("A+", "p"), ("winner’s curse", "p"), ("value", "strong")]
    entries = {entry["id"]: entry for entry in words.select("dt[id]")}
    for link in links:
        page, _, anchor = link["href"].partition("#")
        assert page == "words.html"
        assert entries[anchor].find(string=True).lower().startswith(link.get_text()[0].lower())
    meanings = [link["title"] for link in links]
    assert meanings == ["A thing.", "Luck. It goes.", "The mean return, of an A+."]
    assert not words.select("a.glossed")


def test_an_everyday_term_of_the_glossary_is_bold_where_a_page_introduces_it():
    """Other terms are linked wherever they stand."""
    glossary = (ROOT / "book" / "notation.md").read_text(encoding="utf-8").split("```{glossary}")[1]
    terms = re.findall(r"^([a-z]+)$", glossary.split("```")[0], re.MULTILINE)
    assert len(terms) > 30
    pages = "\n".join(prose(read(path)) for path in NOTEBOOKS)
    bold = {word.lower() for word in re.findall(r"\*\*([\w ]+)\*\*", pages)}
    assert [term for term in terms if not {term, f"{term}s"} & bold] == []
