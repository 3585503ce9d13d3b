"""Links from the text to the glossary: book/_ext/terms.py, on a small site and on the book."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from bs4 import BeautifulSoup

ROOT = Path(__file__).parents[1]
EXTENSIONS = ROOT / "book" / "_ext"
CONF = """
import sys
sys.path.insert(0, {folder!r})
project = "Small"
extensions = ["myst_nb", "terms"]
"""
WORDS = """# Words

```{glossary}
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


@pytest.fixture(scope="module")
def links(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    (folder / "conf.py").write_text(CONF.format(folder=str(EXTENSIONS)), encoding="utf-8")
    home = "# Home\n\n```{toctree}\nwords\ntext\n```\n"
    for name, text in {"index": home, "words": WORDS, "text": TEXT}.items():
        (folder / f"{name}.md").write_text(text, encoding="utf-8")
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "-E", str(folder), str(folder / "out")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return {
        name: BeautifulSoup((folder / "out" / f"{name}.html").read_text("utf-8"), "html.parser")
        for name in ("words", "text")
    }


def test_a_term_is_linked_once_where_it_first_stands_and_an_everyday_word_where_it_is_bold(links):
    found = [(link.get_text(), link.parent.name) for link in links["text"].select("a.glossed")]
    assert found == [("A+", "p"), ("winner’s curse", "p"), ("value", "strong")]


def test_a_link_leads_to_the_entry_and_says_what_it_means(links):
    entries = {entry["id"]: entry for entry in links["words"].select("dt[id]")}
    meanings = []
    for link in links["text"].select("a.glossed"):
        page, _, anchor = link["href"].partition("#")
        assert page == "words.html"
        assert entries[anchor].find(string=True).lower().startswith(link.get_text()[0].lower())
        meanings.append(link["title"])
    assert meanings == ["A thing.", "Luck. It goes.", "The mean return, of an A+."]


def test_the_glossary_itself_has_no_such_links(links):
    assert not links["words"].select("a.glossed")


def test_an_everyday_term_of_the_glossary_is_bold_where_a_page_introduces_it():
    """Other terms are linked wherever they stand."""
    glossary = (ROOT / "book" / "notation.md").read_text(encoding="utf-8").split("```{glossary}")[1]
    terms = re.findall(r"^([a-z]+)$", glossary.split("```")[0], re.MULTILINE)
    assert len(terms) > 30
    pages = "\n".join(
        "".join(cell["source"])
        for path in sorted((ROOT / "notebooks").glob("*.ipynb"))
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]
        if cell["cell_type"] == "markdown"
    )
    bold = {word.lower() for word in re.findall(r"\*\*([\w ]+)\*\*", pages)}
    assert [term for term in terms if not {term, f"{term}s"} & bold] == []
