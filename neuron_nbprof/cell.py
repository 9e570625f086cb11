"""A notebook cell that can be run several times, in the user's namespace and with the user's source."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from itertools import takewhile
from types import CodeType, TracebackType
from typing import Any

_ASSIGNMENTS = (ast.Assign, ast.AugAssign, ast.AnnAssign)


Mark = Callable[[int], AbstractContextManager[object]]
"""Makes what surrounds the top-level line that begins at this line of the source."""


@dataclass(frozen=True)
class Cell:
    """`statements` are executed; `value`, the last expression if the cell has one, is evaluated and returned.

    Each comes with the line of the source it begins at, counted from 1.
    """

    filename: str
    tree: ast.Module
    """The whole cell, as compiled."""
    first_line: int
    """What the source's first line is in `tree`."""
    statements: tuple[tuple[int, CodeType], ...]
    value: tuple[int, CodeType] | None

    def run(
        self, globals_: dict[str, Any], locals_: dict[str, Any], mark: Mark = lambda line: nullcontext()
    ) -> Any:
        for line, code in self.statements:
            with mark(line):
                exec(code, globals_, locals_)
        if self.value is None:
            return None
        line, code = self.value
        with mark(line):
            return eval(code, globals_, locals_)

    def traceback(self, traceback: TracebackType | None) -> TracebackType | None:
        """The part that starts in the cell: what the user would see if the cell had been run directly."""
        while traceback is not None and traceback.tb_frame.f_code.co_filename != self.filename:
            traceback = traceback.tb_next
        return traceback

    @property
    def is_async(self) -> bool:
        codes = [*self.statements, *([] if self.value is None else [self.value])]
        return any(code.co_flags & inspect.CO_COROUTINE for _, code in codes)


def compile_cell(shell: Any, first_line: str | None, source: str) -> Cell:
    """Compile what stands below the line of a cell magic, as IPython would compile it as a cell of its own.

    Line numbers count from the magic's line, which is how the notebook shows them; without such a line from
    the source.  Statements are compiled one by one, as IPython does it.  Raises SyntaxError.
    """
    # IPython drops blank lines at the top, and they count.
    blank = len(list(takewhile(lambda line: not line.strip(), source.splitlines())))
    magic = [] if first_line is None else [first_line]
    above = [*magic, *[""] * blank]
    transformed = shell.transform_cell(source)
    whole = "\n".join([*above, transformed])
    filename = shell.compile.cache(whole, shell.execution_count)
    # Blank lines instead of the magic keep the line numbers, and a syntax error points into the whole cell.
    tree = shell.compile.ast_parse("\n" * len(above) + transformed, filename)
    tree = shell.transform_ast(tree)
    statements = list(tree.body)
    value = _value(statements, shell.ast_node_interactivity)
    with shell.compile.extra_flags(ast.PyCF_ALLOW_TOP_LEVEL_AWAIT):
        codes = tuple(
            (node.lineno - len(magic), shell.compile(ast.Module([node], []), filename, "exec"))
            for node in statements
        )
        value_code = None
        if value is not None:
            expression = ast.fix_missing_locations(ast.Expression(value))
            value_code = (value.lineno - len(magic), shell.compile(expression, filename, "eval"))
    return Cell(filename, tree, 1 + len(magic), codes, value_code)


def _value(statements: list[ast.stmt], interactivity: str) -> ast.expr | None:
    """The cell's value, as far as the user's IPython shows it; a last expression leaves `statements`."""
    if not statements or interactivity == "none":
        return None
    last = statements[-1]
    if isinstance(last, ast.Expr):
        statements.pop()
        return last.value
    if interactivity == "last_expr_or_assign" and isinstance(last, _ASSIGNMENTS):
        target = last.targets[-1] if isinstance(last, ast.Assign) else last.target
        if isinstance(target, ast.Name):
            return ast.copy_location(ast.Name(target.id, ast.Load()), last)
    return None
