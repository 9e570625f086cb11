"""The main job as its user does it: run the tutorial in JupyterLab, click an operator, go on in Python."""

from __future__ import annotations

import json
import re
import time
from pathlib import Path

import nbformat
import pytest

from .conftest import Lab

NOTEBOOK = Path(__file__).parents[2] / "notebooks" / "05_rmsnorm_three_ways.ipynb"

# What the user asks next, in a cell of their own.
ASK = """
import json
explorer, events = naive.explore(), naive.events
print(json.dumps({
    "selected": explorer.selected,
    "first": int(events.id[events.name == "aten::mul"].iloc[0]),
    "chain": explorer.chain[["lane", "name"]].values.tolist(),
}))
"""

STATIONS = [
    ("aten::mul", r"1 Dispatch · framework/TID:\d+"),
    ("aten::mul.Tensor", r"2 Stream · framework/Stream:0"),
    ("nrta_execute_schedule", r"3 Runtime · neuron_rt/NC:0"),
    ("nc_exec_running", r"4 Hardware · neuron_hw/NC0:\d+ and neuron_hw/NC0:\d+, counted once"),
]

CELLS = "const cells = jupyterapp.shell.currentWidget.content;"
SCROLL_TO_EXPLORER = f"""() => {{
  {CELLS}
  const isNaive = (cell) => cell.model.sharedModel.source.startsWith("%%neuronprof naive");
  cells.activeCellIndex = cells.widgets.findIndex(isNaive);
  return cells.scrollToItem(cells.activeCellIndex, "start");
}}"""
RUN = """(command) => {
  globalThis.done = false;
  jupyterapp.commands.execute(command).finally(() => (globalThis.done = true));
}"""
SELECT_LAST = f"""() => {{
  {CELLS}
  cells.activeCellIndex = cells.widgets.length - 1;
}}"""
OUTPUTS = f"""() => {{
  {CELLS}
  return cells.widgets.flatMap(({{ model }}) => model.type === "code" ? model.outputs.toJSON() : []);
}}"""


@pytest.fixture
def notebook(page, lab: Lab):
    """A copy of the tutorial with a cell for ASK below it, opened in JupyterLab, all its cells run."""
    content = nbformat.read(NOTEBOOK, as_version=4)
    content.cells.append(nbformat.v4.new_code_cell(ASK))
    nbformat.write(content, lab.root / NOTEBOOK.name)
    page.goto(lab.url(NOTEBOOK.name))
    page.wait_for_function(
        "globalThis.jupyterapp?.shell.currentWidget?.sessionContext?.session?.kernel?.status === 'idle'",
        timeout=60_000,
    )
    page.evaluate("jupyterapp.shell.currentWidget.sessionContext.ready")
    run(page, "notebook:run-all-cells")
    return page


def test_a_click_on_aten_mul_follows_it_to_the_hardware_and_reaches_python(notebook, shot):
    page = notebook
    first = answer(page)["first"]
    root = page.locator("section.nbp[aria-label$=' naive']").first
    page.evaluate(SCROLL_TO_EXPLORER)
    page.wait_for_function("root => root.explorer.drawn.frames > 0", arg=root.element_handle())
    root.locator(".nbp-timeline").scroll_into_view_if_needed()
    assert root.evaluate("root => root.explorer.selected") != first

    at = root.evaluate("(root, id) => root.explorer.pixel(id)", first)
    page.mouse.click(at["x"], at["y"])

    panel = root.locator(".nbp-panel")
    panel.get_by_role("heading", name="1 of 3").wait_for()
    shot(page, "lab")
    stations = [station.inner_text().split("\n") for station in panel.locator(".nbp-station").all()]
    shown = {lines[0]: " ".join(lines[1:]) for lines in stations}
    assert len(stations) == len(STATIONS)
    for name, where in STATIONS:
        assert re.search(where, shown[name]), shown
    # operator -> dispatch -> stream and runtime; runtime -> its wait and the execution on both cores
    assert root.evaluate("root => root.explorer.drawn.arrows") == 6

    python = asked(page, first)
    assert python["selected"] == first
    assert [lane for lane, _ in python["chain"]] == ["Dispatch", "Stream", "Runtime", "Hardware"]
    assert {name for _, name in python["chain"]} == {name for name, _ in STATIONS}
    assert page.problems == []


def run(page, command: str) -> None:
    """Run cells and wait until they have; no cell may fail."""
    page.evaluate(RUN, command)
    page.wait_for_function("globalThis.done", timeout=240_000)
    errors = [output for output in page.evaluate(OUTPUTS) if output["output_type"] == "error"]
    assert not errors, "\n".join(errors[0]["traceback"])


def answer(page) -> dict:
    """What the last cell printed."""
    return json.loads("".join(page.evaluate(OUTPUTS)[-1]["text"]))


def asked(page, expected: int) -> dict:
    """The answer of the last cell, asked again until the selection has come to the kernel."""
    deadline = time.monotonic() + 20
    while True:
        page.evaluate(SELECT_LAST)
        run(page, "notebook:run-cell")
        if answer(page)["selected"] == expected or time.monotonic() > deadline:
            return answer(page)
        time.sleep(0.2)
