"""The first cell of each notebook, which fetches the book on Colab, and the address in it."""

import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import name_repository as naming
import pytest
from pages import NOTEBOOKS, ROOT, read

ADDRESS = "https://github.com/some-owner/some.book"


def first_code(path):
    return next(cell for cell in read(path).cells if cell.cell_type == "code")


def test_every_notebook_begins_with_the_same_cell_which_names_the_settings_repository():
    cells = [first_code(path) for path in NOTEBOOKS]
    (source,) = {cell.source for cell in cells}
    assert all("remove-cell" in cell.metadata.tags for cell in cells)
    settings = (ROOT / "_config.yml").read_text(encoding="utf-8")
    assert "google.colab" in source
    assert f'address = "{naming.SETTING.search(settings)[0] or naming.PLACEHOLDER}"' in source


def test_on_colab_the_first_cell_fetches_the_book_and_elsewhere_nothing(monkeypatch, tmp_path):
    """With a clone of this repository for the published one, and pip's commands only noted."""
    source = first_code(NOTEBOOKS[0]).source.replace("/content/book", f"{tmp_path}/book")
    run, commands = subprocess.run, []

    def run_or_note(command, check):
        assert check
        commands.append(command)
        if command[0] == "git":
            run(["git", "clone", "--quiet", str(ROOT), command[-1]], check=True)

    monkeypatch.setattr(subprocess, "run", run_or_note)
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.chdir(tmp_path)
    exec(source, {})
    assert commands == [] and Path.cwd() == tmp_path
    monkeypatch.setitem(sys.modules, "google.colab", ModuleType("google.colab"))
    exec(source, {})
    assert Path.cwd() == tmp_path / "book" / "notebooks"
    assert Path(sys.path[0], "propslib", "__init__.py").is_file()
    clone, install = commands
    assert clone[:3] == ["git", "clone", "--quiet"] and clone[-2].startswith("https://github.com/")
    assert install[:-1] == ["pip", "install", "--quiet", "-r"] and Path(install[-1]).is_file()


@pytest.mark.parametrize(("chapter", "count"), [("13", 1), ("14", 4)])
def test_a_chapter_installs_there_what_is_pinned(chapter, count):
    (path,) = (path for path in NOTEBOOKS if path.stem.startswith(chapter))
    packages = path.read_text(encoding="utf-8").split("command = ")[1].split("subprocess")[0]
    pinned = re.findall(r"[\w-]+==[\d.]+", packages)
    known = (ROOT / "requirements-network.txt").read_text() + (ROOT / "Makefile").read_text()
    assert len(pinned) == count and all(pin in known for pin in pinned)


def texts(folder):
    return {path: path.read_text(encoding="utf-8") for path in folder.rglob("*.*")}


def test_a_repository_on_github_is_named_in_settings_and_notebooks_and_taken_out_again(tmp_path):
    (tmp_path / "notebooks").mkdir()
    for path in (ROOT / "_config.yml", *NOTEBOOKS[:2]):
        shutil.copy(path, tmp_path / path.relative_to(ROOT))
    naming.name_repository("", tmp_path)
    before = texts(tmp_path)
    settings, *notebooks = naming.name_repository(ADDRESS, tmp_path)
    assert {settings, *notebooks} == set(before)
    assert f'repository_url: "{ADDRESS}"' in settings.read_text(encoding="utf-8")
    for path in notebooks:
        assert f'address = "{ADDRESS}"' in first_code(path).source
    assert naming.name_repository(ADDRESS, tmp_path) == []
    naming.name_repository("https://github.com/another/one", tmp_path)
    assert ADDRESS not in str(texts(tmp_path))
    naming.name_repository("", tmp_path)
    assert texts(tmp_path) == before
    for address in ("github.com/a/b", "https://example.org/a/b", "https://github.com/a"):
        with pytest.raises(ValueError, match="is no address such as"):
            naming.name_repository(address, tmp_path)
    assert texts(tmp_path) == before
