"""Which cells of a notebook must be run before others can be: those that make the names they use.

Films and figures take most of a chapter's time, and no exercise needs them. A cell that is wrongly
left out shows itself, by an error or by another result, so a short rule is enough.
"""

import ast


def needed(before, cells):
    """Those of the code cells `before` that `cells`, run one after another, need; in order."""
    missing = set().union(*_uses_of_each(cells))
    chosen = []
    for cell in reversed(before):
        makes, uses, changes = _names(cell.source)
        if (makes | changes) & missing:
            chosen.append(cell)
            missing = (missing - (makes - changes)) | uses
    return chosen[::-1]


def _uses_of_each(cells):
    """For each cell, the names that it uses and that neither it nor a cell before it makes."""
    made = set()
    for cell in cells:
        makes, uses, _ = _names(cell.source)
        yield uses - made
        made |= makes


def _names(source):
    """The names that a cell makes, those that it uses before, and those of objects it changes."""
    makes, uses, changes = set(), set(), set()
    for statement in ast.parse(source).body:
        stored, loaded, changed = _names_in(statement)
        if isinstance(statement, ast.Assign):  # its right side comes first
            inner, loaded, _ = _names_in(statement.value)
            uses |= (loaded | changed) - inner - makes
            makes |= stored - inner
        else:
            uses |= (loaded | changed) - stored - makes
            makes |= stored
        changes |= changed
    return makes, uses, changes


def _names_in(tree):
    """The names that are bound somewhere in a piece of code, read, and changed in place."""
    stored, loaded, changed = set(), set(), set()
    for node in ast.walk(tree):
        match node:
            case ast.AugAssign(target=ast.Name(id=name)):
                changed.add(name)
            case ast.Subscript(value=ast.Name(id=name), ctx=ast.Store()):
                changed.add(name)
            case ast.Name(id=name, ctx=ast.Store()):
                stored.add(name)
            case ast.Name(id=name):
                loaded.add(name)
            case ast.alias(name=name, asname=other):
                stored.add(other or name)
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name) | ast.arg(arg=name):
                stored.add(name)
    return stored, loaded, changed
