"""The files of data that the site's interactive figures read: book/_static/figures/NAME_data.js.

benchmarks/NAME_figure.py makes the data of each.
"""

import json
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[1] / "book" / "_static" / "figures"


def text(name: str, about: str, data: Any, **options: Any) -> str:
    """The text of a file; the options are those of json.dumps."""
    header = f"/** Written by benchmarks/{name}_figure.py: do not edit. {about} */"
    return f"{header}\nexport const DATA = {json.dumps(data, **options)};\n"


def write(name: str, module: str) -> None:
    """Write a file."""
    path = FOLDER / f"{name}_data.js"
    path.write_text(module, encoding="utf-8")
    print(path.name)
