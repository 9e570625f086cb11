"""A notebook cell that can be run several times, in the user's namespace and with the user's source."""

from __future__ import annotations

import ast
import inspect
from dataclasses import dataclass
from itertools import takewhile
from types import CodeType, TracebackType
from typing import Any

_ASSIGNMENTS = (ast.Assign, ast.AugAssign, ast.AnnAssign)


@dataclass(frozen=True)
class Cell:
    """`body` is executed; `value`, the last expression if the cell has one, is evaluated and returned."""

    filename: str
    body: CodeType
    value: CodeType | None

    def run(self, globals_: dict[str, Any], locals_: dict[str, Any]) -> Any:
        exec(self.body, globals_, locals_)
        return None if self.value is None else eval(self.value, globals_, locals_)

    def traceback(self, traceback: TracebackType | None) -> TracebackType | None:
        """The part that starts in the cell: what the user would see if the cell had been run directly."""
        while traceback is not None and traceback.tb_frame.f_code.co_filename != self.filename:
            traceback = traceback.tb_next
        return traceback

    @property
    def is_async(self) -> bool:
        codes = [self.body] if self.value is None else [self.body, self.value]
        return any(code.co_flags & inspect.CO_COROUTINE for code in codes)


def compile_cell(shell: Any, first_line: str, source: str) -> Cell:
    """Compile what stands below the line of a cell magic, as IPython would compile it as a cell of its own.

    Line numbers count from the magic's line, which is how the notebook shows them.  Raises SyntaxError.
    """
    # IPython drops blank lines at the top, and they count.
    blank = len(list(takewhile(lambda line: not line.strip(), source.splitlines())))
    above = [first_line] + [""] * blank
    transformed = shell.transform_cell(source)
    whole = "\n".join([*above, transformed])
    filename = shell.compile.cache(whole, shell.execution_count)
    # Blank lines instead of the magic keep the line numbers, and a syntax error points into the whole cell.
    tree = shell.compile.ast_parse("\n" * len(above) + transformed, filename)
    tree = shell.transform_ast(tree)
    value = _split_off_value(tree, shell.ast_node_interactivity)
    with shell.compile.extra_flags(ast.PyCF_ALLOW_TOP_LEVEL_AWAIT):
        body_code = shell.compile(tree, filename, "exec")
        value_code = None if value is None else shell.compile(value, filename, "eval")
    return Cell(filename, body_code, value_code)


def _split_off_value(tree: ast.Module, interactivity: str) -> ast.Expression | None:
    """Take the last expression out of the cell, as far as the user's IPython shows it."""
    if not tree.body or interactivity == "none":
        return None
    last = tree.body[-1]
    if isinstance(last, ast.Expr):
        tree.body.pop()
        return ast.Expression(last.value)
    if interactivity == "last_expr_or_assign" and isinstance(last, _ASSIGNMENTS):
        target = last.targets[-1] if isinstance(last, ast.Assign) else last.target
        if isinstance(target, ast.Name):
            return ast.fix_missing_locations(ast.Expression(ast.Name(target.id, ast.Load())))
    return None
