"""Optional: solutions that wait. Their cells do nothing until a reader asks for them."""

from IPython.core.getipython import get_ipython

FIRST_LINE = "# Solution"
WAITING = "A solution waits here. To run it, delete its first line and run the cell again."


def hold_solutions() -> None:
    """From now on a cell that begins with `# Solution` only says how it can be run.

    So nobody who runs a whole chapter is shown an answer. It holds where a person sits at the
    notebook; where a program runs it (nbconvert, nbval), and outside of IPython, all cells run.
    """
    shell = get_ipython()
    if shell is not None and _held not in shell.input_transformers_cleanup:
        shell.input_transformers_cleanup.append(_held)


def _held(lines: list[str]) -> list[str]:
    """A cell's lines as IPython is to run them."""
    if lines and lines[0].rstrip() == FIRST_LINE and _somebody_is_there():
        return [f"print({WAITING!r})\n"]
    return lines


def _somebody_is_there() -> bool:
    """Whether the program that sent the cell could ask a person for input, as its message says."""
    kernel = getattr(get_ipython(), "kernel", None)
    return kernel is not None and kernel.get_parent()["content"].get("allow_stdin", False)
