"""How many lines of code each module has (as a page of the book counts too), and its imports."""

import ast
import io
import tokenize
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
NOT_CODE = (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE)
NOT_CODE += (tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER)
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
DOCUMENTED = (ast.Module, ast.ClassDef, *FUNCTIONS)


def code_lines(text: str) -> set[int]:
    """The numbers of the lines that hold code."""
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in NOT_CODE:
            lines |= set(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, DOCUMENTED) and ast.get_docstring(node, clean=False) is not None:
            lines -= set(range(node.body[0].lineno, node.body[0].end_lineno + 1))
    return lines


def functions(text: str) -> dict[str, int]:
    """The code lines of each function, by its name and the line that it starts at."""
    lines = code_lines(text)
    nodes = [node for node in ast.walk(ast.parse(text)) if isinstance(node, FUNCTIONS)]
    spans = {n: {*range(n.lineno, n.end_lineno + 1)} for n in nodes}
    return {f"{n.name} (line {n.lineno})": len(lines & span) for n, span in spans.items()}


def modules() -> dict[str, Path]:
    """Every module of the library by its name, such as `propslib.world.bins`."""
    found = {}
    for path in sorted((ROOT / "propslib").rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imports(name: str, everywhere: bool = True) -> set[str]:
    """The modules of the library that a module imports, anywhere in it or at its top level."""
    known = modules()
    tree = ast.parse(known[name].read_text(encoding="utf-8"))
    package = name if known[name].name == "__init__.py" else name.rpartition(".")[0]
    found = set()
    for node in ast.walk(tree) if everywhere else tree.body:
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = package.rsplit(".", node.level - 1)[0] if node.level else ""
            origin = ".".join(filter(None, (base, node.module)))
            for alias in node.names:
                inner = f"{origin}.{alias.name}"
                found.add(inner if inner in known else origin)
    return {module for module in found if module in known} - {name}


def core() -> list[str]:
    """What the replay of chapter 4 needs: `import propslib`, and the recorded chat back end."""
    found, new = set(), {"propslib", "propslib.brain.chat.recorded"}
    while new:
        found |= new
        parents = {name.rpartition(".")[0] for name in new} - {""}
        new = {m for name in new for m in imports(name, everywhere=False)} | parents
        new -= found
    return sorted(found)
