"""Whether a cell seems to change what it also reads, so that running it again is not the same again."""

from __future__ import annotations

import ast
from collections.abc import Iterator

#: Methods that change the object they are called on and are called for that.
CHANGING = frozenset(
    [
        *("append", "extend", "insert", "pop", "remove", "add", "update", "setdefault", "popitem"),
        *("appendleft", "popleft", "step", "backward"),
    ]
)
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)


def changes(tree: ast.Module) -> list[tuple[int, str]]:
    """(line, code) of each place that changes something which the cell itself did not make before.

    A guess from the text: ``i += 1``, ``x = x + 1``, ``rows.append(y)``, ``optimiser.step()``, ``next(it)``.
    Bodies of functions do not count, for whether they run is not seen.
    """
    made: set[str] = set()
    found = []
    for statement in tree.body:
        for node in () if isinstance(statement, _SCOPES) else _nodes(statement):
            changed = _changed(node)
            if changed is not None and changed not in made:
                found.append((statement.lineno, ast.unparse(node)))
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                made.add(node.id)
    return found


def _nodes(node: ast.AST) -> Iterator[ast.AST]:
    yield node
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, _SCOPES):
            yield from _nodes(child)


def _changed(node: ast.AST) -> str | None:
    """The name of what a node changes and reads."""
    if isinstance(node, ast.AugAssign):
        return _root(node.target)
    if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
        name = node.targets[0].id
        reads = any(isinstance(inner, ast.Name) and inner.id == name for inner in ast.walk(node.value))
        return name if reads else None
    if isinstance(node, ast.Call):
        if isinstance(node.func, ast.Attribute) and node.func.attr in CHANGING:
            return _root(node.func.value)
        if isinstance(node.func, ast.Name) and node.func.id == "next" and node.args:
            return _root(node.args[0])
    return None


def _root(node: ast.AST) -> str | None:
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None
