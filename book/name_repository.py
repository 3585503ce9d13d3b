"""Write the address of the published repository where a file must hold it.

    python book/name_repository.py https://github.com/you/book

That is `repository_url` in _config.yml, for the launch buttons, and the first code cell of every
notebook, which fetches the book where it is opened in Colab. Commit what it has changed. An empty
address ("") takes the old one out again.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
PLACEHOLDER = "https://github.com/OWNER/NAME"
SETTING = re.compile(r'(?<=repository_url: ")[^"]*(?=")')
# Colab opens notebooks from GitHub only.
ADDRESS = re.compile(r"https://github\.com/[\w.-]+/[\w.-]+")


def name_repository(address: str, root: Path = ROOT) -> list[Path]:
    """Replace the old address by this one. The files that changed.

    Raises ValueError if the address is neither empty nor one of a repository on GitHub.
    """
    if address and not ADDRESS.fullmatch(address):
        raise ValueError(f"{address!r} is no address such as {PLACEHOLDER}.")
    settings = root / "_config.yml"
    old = SETTING.search(settings.read_text(encoding="utf-8"))[0]
    changes = {settings: lambda text: SETTING.sub(address, text)}
    for notebook in sorted((root / "notebooks").glob("*.ipynb")):
        changes[notebook] = lambda text: text.replace(old or PLACEHOLDER, address or PLACEHOLDER)
    changed = []
    for path, change in changes.items():
        text = path.read_text(encoding="utf-8")
        if change(text) != text:
            path.write_text(change(text), encoding="utf-8")
            changed.append(path)
    return changed


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    for path in name_repository(sys.argv[1]):
        print(path.relative_to(ROOT))
