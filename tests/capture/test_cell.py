"""Compiling a cell as IPython would, to run it more than once."""

from __future__ import annotations

import ast
import linecache
import traceback
from typing import Any

import pytest

from neuron_nbprof.cell import Cell, compile_cell

MAGIC = "%%neuronprof name"


@pytest.fixture
def compiled(shell: Any) -> Any:
    return lambda source: compile_cell(shell, MAGIC, source)


def value(cell: Cell, **names: Any) -> Any:
    return cell.run(names, names)


def test_the_last_expression_is_the_value(compiled: Any) -> None:
    assert value(compiled("y = x + 1\ny * 2\n"), x=1) == 4
    assert value(compiled("x + 1"), x=1) == 2
    assert value(compiled("y = x + 1"), x=1) is None
    assert value(compiled("if x:\n    x\n"), x=1) is None


def test_it_runs_again_and_binds_names_where_it_is_told(compiled: Any) -> None:
    cell = compiled("import math\ncount += 1\ncount\n")
    names = {"count": 0}
    assert [cell.run(names, names) for _ in range(3)] == [1, 2, 3]
    assert names["count"] == 3 and "math" in names


@pytest.mark.parametrize("interactivity", ["last_expr_or_assign", "none"])
def test_the_users_own_setting_decides_what_is_shown(interactivity: str, shell: Any, compiled: Any) -> None:
    shell.ast_node_interactivity = interactivity
    try:
        assert value(compiled("y = x + 1"), x=1) == (2 if interactivity == "last_expr_or_assign" else None)
        assert value(compiled("x + 1"), x=1) == (2 if interactivity == "last_expr_or_assign" else None)
    finally:
        shell.ast_node_interactivity = "last_expr"


@pytest.mark.parametrize(
    ("source", "line"), [("1/0", 2), ("\n  \n\nx = 1\n1/0\n", 6), ("x = '''\n'''\n1/0", 4)]
)
def test_line_numbers_are_those_of_the_notebook(source: str, line: int, compiled: Any) -> None:
    cell = compiled(source)
    with pytest.raises(ZeroDivisionError) as caught:
        value(cell)
    frames = traceback.extract_tb(cell.traceback(caught.value.__traceback__))
    assert [(frame.filename, frame.lineno) for frame in frames] == [(cell.filename, line)]
    assert frames[0].line == "1/0"
    assert linecache.getline(cell.filename, 1).strip() == MAGIC


def test_text_of_the_cell_is_not_changed(compiled: Any) -> None:
    source = 'text = """a\n  {b}\n\n\tc\n"""\ntext'
    assert value(compiled(source)) == "a\n  {b}\n\n\tc\n"


def test_ipython_syntax_is_understood(compiled: Any) -> None:
    names: dict[str, Any] = {"get_ipython": lambda: Shell()}
    cell = compiled("%some_magic 3\n")
    assert cell.run(names, names) == ("some_magic", "3")


class Shell:
    def run_line_magic(self, name: str, line: str, *rest: Any) -> tuple[str, str]:
        return name, line


def test_the_users_ast_transformers_apply(shell: Any, compiled: Any) -> None:
    class Doubles(ast.NodeTransformer):
        def visit_Constant(self, node: ast.Constant) -> ast.Constant:
            return ast.copy_location(ast.Constant(node.value * 2), node)

    shell.ast_transformers.append(Doubles())
    try:
        assert value(compiled("21")) == 42
    finally:
        shell.ast_transformers.pop()


@pytest.mark.parametrize("source", ["x = = 1", "return 1", "def f(:\n  pass", "if True:\npass"])
def test_syntax_errors_come_before_anything_runs(source: str, compiled: Any) -> None:
    with pytest.raises(SyntaxError):
        compiled(source)


def test_a_top_level_await_is_noticed(compiled: Any) -> None:
    assert compiled("await x").is_async
    assert compiled("y = await x\ny").is_async
    assert not compiled("async def f():\n    await x\n").is_async
