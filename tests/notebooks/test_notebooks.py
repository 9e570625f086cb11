"""The notebooks run from clean on the simulated device, teach what is right, and are stored stripped."""

from __future__ import annotations

import ast
import os
import resource
from pathlib import Path

import nbformat
import pytest
from IPython.core.inputtransformer2 import TransformerManager
from nbclient import NotebookClient

from .exercises import TURN, answered, exercises, verdicts

FOLDER = Path(__file__).parents[2] / "notebooks"
NOTEBOOKS = sorted(path for path in FOLDER.rglob("*.ipynb") if path.parent in (FOLDER, FOLDER / "fa"))
#: They need what no test has.
NOT_EXECUTED = {"09_on_a_real_trainium"}
WITHOUT_TORCH = {"00_click_a_chain", "08_five_mysteries"}
MOST_SECONDS = 20
#: Where executed notebooks are kept, for the documentation; below it as below `notebooks`.
OUT = "NBPROF_NOTEBOOKS_OUT"

each = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: str(path.relative_to(FOLDER)))
each_executed = pytest.mark.parametrize(
    "path",
    [path for path in NOTEBOOKS if path.stem not in NOT_EXECUTED],
    ids=lambda path: str(path.relative_to(FOLDER)),
)


def execute(notebook: nbformat.NotebookNode, folder: Path) -> float:
    """Run all cells in a kernel of their own; the seconds that it computed. Raises what a cell raises."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(folder)}}).execute()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


@each
def test_it_is_stored_stripped(path):
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    assert notebook.metadata.language_info == {"name": "python"}
    assert set(notebook.metadata) == {"kernelspec", "language_info"}
    for cell in notebook.cells:
        assert cell.source.strip() and not cell.metadata
        if cell.cell_type == "code":
            assert (cell.outputs, cell.execution_count) == ([], None)


@each
def test_its_cells_are_python(path):
    for cell in nbformat.read(path, as_version=4).cells:
        if cell.cell_type == "code":
            below_magic = cell.source.partition("\n")[2] if cell.source.startswith("%%") else cell.source
            compile(TransformerManager().transform_cell(below_magic), path.name, "exec")


@each
def test_it_teaches_with_two_exercises_and_a_cheat_sheet(path):
    notebook = nbformat.read(path, as_version=4)
    assert len(exercises(notebook)) >= 2
    assert notebook.cells[0].source.startswith(("# ", '<div dir="rtl">'))
    assert notebook.cells[-1].source.count("|---|---|---|") == 1


@each_executed
def test_it_runs_from_clean(path, tmp_path):
    notebook = nbformat.read(path, as_version=4)
    seconds = execute(notebook, tmp_path)
    if out := os.environ.get(OUT):
        kept = Path(out) / path.relative_to(FOLDER)
        kept.parent.mkdir(parents=True, exist_ok=True)
        nbformat.write(notebook, kept)
    assert all(cell.execution_count for cell in notebook.cells if cell.cell_type == "code")
    for exercise in exercises(notebook):
        said = verdicts(notebook.cells[exercise.position])
        assert said and all(line.startswith(TURN) for line in said)
    # of the kernel itself, for on a busy machine the clock goes on without it
    assert seconds < MOST_SECONDS


@each_executed
def test_solutions_are_right_and_wrong_answers_get_a_hint(path, tmp_path):
    notebook = nbformat.read(path, as_version=4)
    expected = answered(notebook)
    torch_is_loaded = nbformat.v4.new_code_cell("import sys; print('torch' in sys.modules)")
    notebook.cells.append(torch_is_loaded)
    execute(notebook, tmp_path)
    for position, wanted in expected:
        said = verdicts(notebook.cells[position])
        assert said and all(line.startswith(wanted) for line in said), notebook.cells[position].source
    assert path.stem not in WITHOUT_TORCH or torch_is_loaded.outputs[0].text == "False\n"


@pytest.mark.parametrize("path", sorted((FOLDER / "fa").glob("*.ipynb")), ids=lambda path: path.name)
def test_in_persian_it_runs_the_same_code(path):
    persian, english = code_but_texts(path), code_but_texts(FOLDER / path.name)
    assert persian == english


def code_but_texts(path: Path) -> list[str]:
    """Syntax of the code cells; of texts only those of one word, for the others speak a language."""
    cells = [cell for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"]
    return [_syntax(cell.source.replace("check_fa as check", "check")) for cell in cells]


def _syntax(source: str) -> str:
    magic, _, body = source.partition("\n") if source.startswith("%%") else ("", "", source)
    tree = ast.parse(TransformerManager().transform_cell(body))
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value:
            node.value = ""
    return magic + ast.dump(tree)
