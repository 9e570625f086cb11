"""A big trace in a real JupyterLab: drawn first, and answered by the kernel when a reader opens a tab."""

from __future__ import annotations

from typing import Any

import nbformat
import pytest

from ..captures import framework_json, system_table, write_capture
from .conftest import Lab
from .driving import run_cell

OPEN = """
import neuron_nbprof
from neuron_nbprof.explorer import widget
widget.SOON = 0
explorer = neuron_nbprof.open("big").explore()
explorer
"""
ANSWERED = """
print("asked" if explorer.asked else "not asked", explorer.answers is not None)
"""
WAIT_MS = 30_000


@pytest.fixture
def notebook(page: Any, lab: Lab) -> Any:
    write_capture(lab.root / "big", framework_json(), system_table())
    cells = [nbformat.v4.new_code_cell(source.strip()) for source in (OPEN, ANSWERED, "explorer", ANSWERED)]
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3"}}
    nbformat.write(nbformat.v4.new_notebook(cells=cells, metadata=kernel), lab.root / "big.ipynb")
    page.set_viewport_size({"width": 1400, "height": 1500})
    page.goto(lab.url("big.ipynb"))
    page.wait_for_function(
        "globalThis.jupyterapp?.shell.currentWidget?.sessionContext?.session?.kernel?.status === 'idle'",
        timeout=60_000,
    )
    run_cell(page, 0)
    page.wait_for_function("document.querySelector('section.nbp')?.explorer.drawn.frames", timeout=WAIT_MS)
    return page


def said(page: Any, text: str) -> None:
    page.locator(".jp-OutputArea-output").get_by_text(text, exact=True).first.wait_for(timeout=WAIT_MS)


def test_a_tab_that_is_opened_asks_the_kernel_once_for_all_views(notebook: Any, shot: Any) -> None:
    page = notebook
    explorer = page.locator("section.nbp").first
    run_cell(page, 1)
    said(page, "not asked False")
    assert explorer.get_by_label("The gravest insight").is_hidden()
    explorer.get_by_role("tab", name="Gaps").click()
    gaps = explorer.get_by_role("tabpanel", name="Gaps")
    gaps.get_by_role("table", name="Each core in µs").wait_for(timeout=WAIT_MS)
    # 387 and 340 µs busy on core 4, in a step of 900 µs
    assert gaps.locator("tbody tr").first.inner_text().split() == [
        "neuron_hw/NC0:4", "727", "173", "900", "19.2", "%", "22", "13", "120", "18", "133.0",
    ]  # fmt: skip
    shot(page, "answered_by_the_kernel")
    assert explorer.get_by_role("tab", name="Insights (").count() == 1
    explorer.get_by_role("tab", name="Operators").click()
    assert explorer.get_by_label("The gravest insight").is_visible()
    run_cell(page, 2)
    second = page.locator("section.nbp").nth(1)
    second.get_by_label("The gravest insight").wait_for(timeout=WAIT_MS)
    run_cell(page, 3)
    said(page, "asked True")
