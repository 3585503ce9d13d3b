"""What the site gets from book/_ext: its addresses, and links to the glossary; on a small site."""

import re
import subprocess
import sys

import nbformat
import publish
import pytest
from bs4 import BeautifulSoup
from pages import NOTEBOOKS, ROOT, prose, read
from sphinx.errors import ConfigError

SITE = "https://some.example/name/"
PICTURE = '<meta property="og:image" content="{}_static/card.png" />'
CONF = f"""
import sys
sys.path.insert(0, {str(ROOT / "book" / "_ext")!r})
project = "Small"
extensions = ["myst_nb", "notfound.extension", "sphinxext.opengraph", "publish", "terms"]
html_theme = "sphinx_book_theme"
buttons = dict(binderhub_url="https://binder.example", colab_url="https://colab.example")
buttons["notebook_interface"] = "jupyterlab"
html_theme_options = dict(repository_branch="main", launch_buttons=buttons)
ogp_image = "_static/card.png"
ogp_social_cards = dict(enable=False)
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
    pages = {"conf.py": CONF, "index.md": HOME, "words.md": WORDS, "text.md": TEXT}
    for name, text in (pages | {"chapter.ipynb": NOTEBOOK}).items():
        (folder / name).write_text(text, encoding="utf-8")
    settings = [f"-Dhtml_baseurl={site}", f"-Dhtml_theme_options.repository_url={repository}"]
    command = [sys.executable, "-m", "sphinx", "-qWE", *settings, folder, folder / "out"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=280)
    assert done.returncode == 0, done.stderr
    pages = [path for kind in ("html", "txt", "xml") for path in (folder / "out").glob(f"*.{kind}")]
    return {path.name: path.read_text("utf-8") for path in pages}


@pytest.fixture(scope="module")
def unpublished(tmp_path_factory):
    return built(tmp_path_factory.mktemp("unpublished"))


@pytest.fixture(scope="module")
def published(tmp_path_factory):
    repository = "https://github.com/some-owner/some-name"
    return built(tmp_path_factory.mktemp("published"), SITE.rstrip("/"), repository)


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
    listed = set(re.findall("<loc>(.*?)</loc>", published["sitemap.xml"]))
    assert listed == {f"{SITE}{name}.html" for name in ("index", "words", "text", "chapter")}
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


def test_a_term_is_linked_once_and_an_everyday_word_where_it_is_bold(unpublished):
    pages = ("words.html", "text.html")
    words, text = (BeautifulSoup(unpublished[page], "html.parser") for page in pages)
    links = text.select("a.glossed")
    found = [(link.get_text(), link.parent.name) for link in links]
    assert found == [("A+", "p"), ("winner’s curse", "p"), ("value", "strong")]
    entries = {entry["id"]: entry for entry in words.select("dt[id]")}
    meanings = {"A+": "A thing.", "winner's curse": "Luck. It goes."}
    meanings["value"] = "The mean return, of an A+."
    for link, (name, meaning) in zip(links, meanings.items(), strict=True):
        page, _, anchor = link["href"].partition("#")
        entry = entries[anchor].find(string=True).replace("’", "'")
        assert (page, entry, link["title"]) == ("words.html", name, meaning)
    assert not words.select("a.glossed")


def test_an_everyday_term_of_the_glossary_is_bold_where_a_page_introduces_it():
    glossary = (ROOT / "book" / "notation.md").read_text(encoding="utf-8").split("```{glossary}")[1]
    terms = re.findall(r"^([a-z]+)$", glossary.split("```")[0], re.MULTILINE)
    assert len(terms) > 30
    pages = "\n".join(prose(read(path)) for path in NOTEBOOKS)
    bold = {word.lower() for word in re.findall(r"\*\*([\w ]+)\*\*", pages)}
    assert [term for term in terms if not {term, f"{term}s"} & bold] == []
