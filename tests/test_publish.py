"""What the site gets from the addresses in _config.yml: book/_ext/publish.py on a small site."""

import importlib
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
from sphinx.errors import ConfigError

EXTENSIONS = Path(__file__).parents[1] / "book" / "_ext"
REPOSITORY = "https://github.com/some-owner/some-name"
CONF = """
import sys
sys.path.insert(0, {folder!r})
project = "Small"
extensions = ["myst_nb", "notfound.extension", "sphinxext.opengraph", "publish"]
html_theme = "sphinx_book_theme"
html_baseurl = {site!r}
html_theme_options = {{
    "repository_url": {repository!r},
    "repository_branch": "main",
    "launch_buttons": {{
        "notebook_interface": "jupyterlab",
        "binderhub_url": "https://binder.example",
        "colab_url": "https://colab.example",
    }},
}}
ogp_image = "_static/card.png"
ogp_social_cards = {{"enable": False}}
nb_execution_mode = "off"
"""
NOTEBOOK = """{
 "cells": [{"cell_type": "markdown", "id": "a", "metadata": {},
            "source": ["# A chapter\\n", "Clone https://github.com/OWNER/NAME first."]}],
 "metadata": {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}},
 "nbformat": 4, "nbformat_minor": 5
}"""


def build(folder, *, site="", repository=""):
    conf = CONF.format(folder=str(EXTENSIONS), site=site, repository=repository)
    (folder / "conf.py").write_text(conf, encoding="utf-8")
    (folder / "index.md").write_text(
        "# Home\n\nWords.\n\n```{toctree}\nchapter\n```\n", encoding="utf-8"
    )
    (folder / "chapter.ipynb").write_text(NOTEBOOK, encoding="utf-8")
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "-E", str(folder), str(folder / "out")]
    return subprocess.run(command, capture_output=True, text=True, timeout=120)


def built(tmp_path_factory, **addresses):
    folder = tmp_path_factory.mktemp("site")
    done = build(folder, **addresses)
    assert done.returncode == 0, done.stderr
    return folder / "out"


@pytest.fixture(scope="module")
def unpublished(tmp_path_factory):
    return built(tmp_path_factory)


@pytest.fixture(scope="module")
def published(tmp_path_factory):
    return built(tmp_path_factory, site="https://some.example/name", repository=REPOSITORY)


def test_without_addresses_there_is_no_button_and_no_sitemap(unpublished):
    page = (unpublished / "chapter.html").read_text(encoding="utf-8")
    assert "binder" not in page.lower() and "colab" not in page.lower()
    assert "OWNER/NAME" in page
    assert not (unpublished / "sitemap.xml").exists()
    assert "Sitemap" not in (unpublished / "robots.txt").read_text(encoding="utf-8")


def test_with_a_repository_each_chapter_opens_in_binder_and_colab(published):
    page = (published / "chapter.html").read_text(encoding="utf-8")
    place = "some-owner/some-name"
    assert f"https://binder.example/v2/gh/{place}/main?urlpath=lab/tree/chapter.ipynb" in page
    assert f"https://colab.example/github/{place}/blob/main/chapter.ipynb" in page
    assert "OWNER/NAME" not in page


def test_with_an_address_the_sitemap_lists_the_pages_and_no_others(published):
    tree = ElementTree.parse(published / "sitemap.xml")
    found = {place.text for place in tree.iter() if place.tag.endswith("loc")}
    site = "https://some.example/name/"
    assert found == {f"{site}index.html", f"{site}chapter.html"}
    assert f"Sitemap: {site}sitemap.xml" in (published / "robots.txt").read_text(encoding="utf-8")


def test_the_picture_of_a_shared_link_has_a_whole_address(published, unpublished):
    tag = '<meta property="og:image" content="{}_static/card.png" />'
    assert tag.format("https://some.example/name/") in (published / "chapter.html").read_text()
    assert tag.format("") in (unpublished / "chapter.html").read_text()


@pytest.mark.parametrize(("site", "root"), [("unpublished", "/"), ("published", "/name/")])
def test_the_page_for_missing_addresses_works_in_every_folder(site, root, request):
    page = (request.getfixturevalue(site) / "404.html").read_text(encoding="utf-8")
    assert f'href="{root}_static/' in page and f'href="{root}search.html"' in page
    assert 'href="_static' not in page and 'src="_static' not in page


@pytest.mark.parametrize("address", ["http://some.example", "some.example/name", "ftp://a.b"])
def test_a_wrong_address_stops_the_build(monkeypatch, address):
    monkeypatch.syspath_prepend(str(EXTENSIONS))
    publish = importlib.import_module("publish")
    with pytest.raises(ConfigError, match=f"baseurl.*{address}.*must begin with https://"):
        publish.check_address("baseurl", address)
    assert publish.check_address("baseurl", "") == ""
