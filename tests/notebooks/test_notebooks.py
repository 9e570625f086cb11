"""The notebooks run from clean on the simulated device, and are kept without what running them leaves."""

from __future__ import annotations

import shutil
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

NOTEBOOKS = sorted((Path(__file__).parents[2] / "notebooks").glob("*.ipynb"))


@pytest.fixture(params=NOTEBOOKS, ids=lambda path: path.name)
def notebook(request: pytest.FixtureRequest) -> Path:
    return request.param


def test_it_is_stored_stripped(notebook):
    cells = [cell for cell in nbformat.read(notebook, as_version=4).cells if cell.cell_type == "code"]
    assert cells
    for cell in cells:
        assert (cell.outputs, cell.execution_count) == ([], None)
        assert "execution" not in cell.metadata


def test_it_runs_from_clean(notebook, tmp_path):
    copy = nbformat.read(shutil.copy(notebook, tmp_path), as_version=4)
    folder = {"metadata": {"path": str(tmp_path)}}
    cells = NotebookClient(copy, timeout=300, resources=folder).execute().cells  # raises what a cell raises
    assert all(cell.execution_count for cell in cells if cell.cell_type == "code")
    shown = [output.data for cell in cells for output in cell.get("outputs", ()) if "data" in output]
    assert any("application/vnd.jupyter.widget-view+json" in data for data in shown)
