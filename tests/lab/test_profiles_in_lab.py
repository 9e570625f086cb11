"""Sidebar, tabs and inspector in a real JupyterLab: from a cell to the chain of one of its operators."""

from __future__ import annotations

import gzip
import json
import re
import shutil
from pathlib import Path
from typing import Any

import nbformat
import pytest

import neuron_nbprof

from ..captures import framework_json, system_table, write_capture
from .conftest import TOKEN, Lab
from .driving import (
    EXPLORER,
    SECONDS,
    STATUS,
    change_theme,
    click_event,
    frame_of,
    home,
    inspector,
    run_cell,
    sidebar,
    stations,
    until,
    view,
    visit,
)

EXAMPLES = Path(neuron_nbprof.__file__).parent / "examples"
PWN = "parent.document.title='pwned'"
HOSTILE = f'</script><script>{PWN}</script><img src=x onerror="{PWN}">'
MUL_STATIONS = ["aten::mul", "nrta_execute_schedule", "nc_exec_running", "aten::mul.Tensor"]

SETUP = """
%load_ext neuron_nbprof
%neuronprof_device auto
import torch
torch.set_num_threads(1)
x = torch.randn(64, 64).to("neuron")
"""
WORK = "y = (x * x).mean(-1)\ntorch.neuron.synchronize()"


@pytest.fixture(scope="module")
def root(lab: Lab) -> Path:
    """Captures as different people left them."""
    for name in ("rmsnorm_naive", "rmsnorm_fused"):
        shutil.copytree(EXAMPLES / name, lab.root / "taken" / f"{name}-20261129-101112")
    write_capture(lab.root / "elsewhere", framework_json(), system_table())
    (lab.root / "files").mkdir()
    (lab.root / "files" / "worker0.pt.trace.json").write_text(framework_json())
    with gzip.open(lab.root / "files" / "rank_trace.json.gz", "wt") as file:
        file.write(framework_json())
    hostile = framework_json().replace(json.dumps("aten::mul"), json.dumps(HOSTILE))
    (lab.root / "files" / "hostile.pt.trace.json").write_text(hostile)
    return lab.root


def notebook(lab: Lab, name: str, *cells: str) -> str:
    document = nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_code_cell(source.strip()) for source in cells],
        metadata={"kernelspec": {"name": "python3", "display_name": "Python 3"}},
    )
    nbformat.write(document, lab.root / name)
    return lab.url(name)


def test_from_a_cell_to_the_chain_of_its_operator(page, lab, root, shot):
    visit(page, notebook(lab, "way.ipynb", SETUP, WORK, "import time; time.sleep(15)"))
    page.wait_for_function(
        f"globalThis.jupyterapp?.shell.currentWidget?.sessionContext && {STATUS} === 'idle'"
    )
    run_cell(page, 0)
    panel = sidebar(page)

    page.locator(".jp-Notebook .jp-CodeCell").nth(1).locator(".cm-content").click()
    shot(page, "lab-cell")
    page.locator(".jp-cell-toolbar:visible").get_by_role("button", name="Profile this cell").click()
    page.locator(".jp-CodeCell").nth(1).locator("section.nbp").wait_for(timeout=60 * SECONDS)
    source = page.evaluate("jupyterapp.shell.currentWidget.content.widgets[1].model.sharedModel.source")
    assert source == WORK, "the cell is run under the magic, not edited"

    # It is listed while the kernel is busy with the next cell.
    page.evaluate("jupyterapp.shell.currentWidget.content.activeCellIndex = 2")
    page.evaluate("void jupyterapp.commands.execute('notebook:run-cell')")
    running, ended = (panel.get_by_role("region", name=f"{state} kernels") for state in ("Running", "Ended"))
    row = running.locator(".jp-Neuron-capture", has_text="way.ipynb")
    row.wait_for()
    assert "profile" in row.inner_text() and "SIMULATED" in row.inner_text()
    page.wait_for_function(f"{STATUS} === 'busy'")
    row.locator(".jp-Neuron-open").click()

    event = click_event(page, view(page), "aten::mul")
    inspector(page).get_by_role("heading", name="aten::mul").wait_for()
    assert stations(page) == MUL_STATIONS
    shot(page, "lab-chain")
    waits = inspector(page).locator(".jp-Neuron-wait").all_inner_texts()
    assert re.search(r"linked by nrt_sequence_id \d+", waits[0]) and "exec flow" in waits[1]
    assert "External id" in inspector(page).locator("pre").inner_text()

    # Each line of the chain refocuses the timeline.
    inspector(page).get_by_role("button", name="nc_exec_running").click()
    frame = frame_of(view(page))
    until(frame, f"{EXPLORER}.selected !== {event}")
    assert frame.evaluate(f"{EXPLORER}.selected === {EXPLORER}.find('nc_exec_running')")
    assert inspector(page).locator("button[aria-current=true]").inner_text().startswith("nc_exec_running")
    assert page.evaluate("document.activeElement.closest('.jp-Neuron-inspector') !== null"), "keys stay there"

    # The widget in the notebook is followed too.
    page.locator(".lm-TabBar-tab", has_text="way.ipynb").click()
    widget = page.locator("section.nbp")
    widget.locator(".nbp-timeline").scroll_into_view_if_needed()
    page.wait_for_function(f"{EXPLORER}.drawn.frames > 0")
    mean = page.evaluate(f"{EXPLORER}.find('aten::mean')")
    at = page.evaluate(f"(id) => {EXPLORER}.pixel(id)", mean)
    page.mouse.click(at["x"], at["y"])
    inspector(page).get_by_role("heading", name="aten::mean").wait_for()
    inspector(page).get_by_role("button", name="nrta_execute_schedule").click()
    page.wait_for_function(f"{EXPLORER}.selected === {EXPLORER}.find('nrta_execute_schedule', 1)")
    shot(page, "lab-widget")

    # A kernel that has ended leaves its captures.
    page.evaluate("jupyterapp.shell.currentWidget.sessionContext.shutdown()")
    ended.locator(".jp-Neuron-capture", has_text="way.ipynb").wait_for()
    assert page.problems == []


def test_a_file_opens_by_double_click_and_a_folder_by_its_menu(
    page: Any, lab: Lab, root: Path, shot: Any
) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    visit(page, home(lab))
    item = page.locator(".jp-DirListing-item")
    item.filter(has_text="elsewhere").click(button="right")
    shot(page, "lab-menu")
    page.get_by_role("menuitem", name="Open in Neuron Profiler").click()
    click_event(page, view(page), "aten::mul")
    inspector(page).get_by_role("heading", name="aten::mul").wait_for()
    assert stations(page) == MUL_STATIONS

    page.evaluate("jupyterapp.commands.execute('filebrowser:go-to-path', { path: 'files' })")
    for name in ("worker0.pt.trace.json", "rank_trace.json.gz"):
        assert item.filter(has_text=name).get_attribute("data-file-type") == "neuron-trace"
        item.filter(has_text=name).dblclick()
        page.locator(".lm-mod-current", has_text=name).first.wait_for()
        frame_of(view(page))
    content = [url for url in asked if "/api/contents/files/" in url and "trace.json" in url]
    assert content and not [url for url in content if "content=1" in url], (
        "a trace came to the browser as text"
    )
    assert not [url for url in asked if "/files/files/" in url]


def test_what_a_capture_holds_cannot_reach_jupyter(page, lab, root):
    visit(page, home(lab))
    page.evaluate(
        "void jupyterapp.commands.execute('docmanager:open', { path: 'files/hostile.pt.trace.json' })"
    )
    view(page).wait_for()
    assert view(page).get_attribute("sandbox") == "allow-scripts"
    click_event(page, view(page), HOSTILE)
    inspector(page).get_by_role("heading", name=HOSTILE).wait_for()
    assert inspector(page).locator("img, script").count() == 0
    within = frame_of(view(page)).evaluate(
        """async (address) => {
          const reached = {};
          const attempts = {
            parent: () => parent.document.title,
            cookie: () => document.cookie,
            contents: () => fetch(address + "/api/contents"),
            code: () => new Promise((done, fail) => setTimeout(() => {
              try { done(new Function("return 1")()) } catch (error) { fail(error) }  // not exempt in a timer
            })),
          };
          for (const [name, attempt] of Object.entries(attempts)) {
            try { await attempt(); reached[name] = "reached" } catch (error) { reached[name] = error.name }
          }
          return reached;
        }""",
        lab.address,
    )
    blocked = {
        "parent": "SecurityError",
        "cookie": "SecurityError",
        "contents": "TypeError",
        "code": "EvalError",
    }
    assert within == blocked
    assert page.title() != "pwned"


def test_a_message_from_elsewhere_is_not_believed(page, lab, root):
    visit(page, home(lab))
    page.evaluate("jupyterapp.commands.execute('neuron-nbprof:show-chain')")
    inspector(page).wait_for()
    page.locator(".jp-Launcher").wait_for()
    report = {"type": "neuron-nbprof:chain", "title": "t", "simulated": False}
    selected = {"id": 1, "name": "forged", "ordinal": "", "args": "{}", "lines": [], "truncated": False}
    page.evaluate("(message) => window.postMessage(message, '*')", {**report, "selected": selected})
    # An event of the page is believed within a document of the main area only, and only in the right shape.
    dispatch = """([place, detail]) => document.querySelector(place).dispatchEvent(
        new CustomEvent("neuron-nbprof:chain", { detail, bubbles: true }))"""
    page.evaluate(dispatch, ["body", {**report, "selected": selected}])
    page.evaluate(
        dispatch, [".jp-Launcher", {**report, "selected": {**selected, "lines": [{"stations": 7}]}}]
    )
    page.wait_for_timeout(300)
    assert "forged" not in inspector(page).inner_text()
    page.evaluate(dispatch, [".jp-Launcher", {**report, "selected": selected}])
    inspector(page).get_by_role("heading", name="forged").wait_for()


def test_two_tabs_their_selections_and_the_theme_come_back(
    page: Any, lab: Lab, root: Path, shot: Any
) -> None:
    visit(page, home(lab))
    panel = sidebar(page)
    compare = panel.get_by_role("button", name="Compare", exact=True)
    assert compare.is_disabled()
    for name in ("rmsnorm_naive", "rmsnorm_fused"):
        panel.get_by_label(f"Compare {name}").check()
    compare.click()
    naive, fused = view(page).nth(0), view(page).nth(1)
    fused.wait_for()
    for theme, dark in (("Dark", "true"), ("Light", "false"), ("Dark", "true")):
        page.evaluate(
            f"jupyterapp.commands.execute('apputils:change-theme', {{ theme: 'JupyterLab {theme}' }})"
        )
        for each in (naive, fused):
            until(frame_of(each), f"{EXPLORER}.drawn.dark === {dark}")
    first = click_event(page, naive, "aten::mul", 1)
    inspector(page).get_by_role("heading", name="aten::mul").wait_for()
    second = click_event(page, fused, "aten::rms_norm")
    inspector(page).get_by_role("heading", name="aten::rms_norm").wait_for()
    # The inspector follows the tab that a person turns to.
    page.locator(".lm-TabBar-tab", has_text="rmsnorm_naive").click()
    inspector(page).get_by_role("heading", name="aten::mul").wait_for()
    shot(page, "lab-compare-dark")

    page.wait_for_timeout(1500)  # JupyterLab saves its workspace a second after a change
    visit(page, home(lab, reset=False))
    page.wait_for_function("document.querySelectorAll('.jp-Neuron-view iframe').length === 2")
    for each, event in ((naive, first), (fused, second)):
        until(frame_of(each), f"{EXPLORER}.selected === {event}")
        assert frame_of(each).evaluate(f"{EXPLORER}.drawn.dark")
    shot(page, "lab-restored")
    change_theme(page, "Light")


def test_the_keyboard_and_the_clipboard_work_from_within_a_tab(page, lab, root):
    visit(page, home(lab))
    sidebar(page).get_by_role("button", name="rmsnorm_naive").first.click()
    click_event(page, view(page), "aten::mul")
    inspector(page).get_by_role("heading", name="aten::mul").wait_for()
    page.context.grant_permissions(["clipboard-read"])
    frame_of(view(page)).evaluate("navigator.clipboard.writeText('measured')")
    until(page, "navigator.clipboard.readText().then((text) => text === 'measured')")
    page.keyboard.press("Control+Shift+c")
    page.locator(".lm-CommandPalette").wait_for()


def test_a_thousand_captures_and_what_can_be_done_with_one(
    page: Any, lab: Lab, root: Path, shot: Any
) -> None:
    for number in range(1000):
        folder = root / "many" / f"step-{number:03d}"
        folder.mkdir(parents=True)
        facts = {"name": folder.name, "kernel_id": "gone", "device_name": "Trainium2"}
        (folder / "capture.json").write_text(json.dumps(facts))
    try:
        visit(page, home(lab))
        panel = sidebar(page)
        panel.get_by_text("more: narrow the filter").wait_for()
        rows = panel.locator(".jp-Neuron-capture")
        assert rows.count() < 250
        filter_ = panel.get_by_role("searchbox")
        filter_.fill("step-777 trainium2")
        panel.get_by_text("more: narrow the filter").wait_for(state="detached")
        assert rows.count() == 1
        shot(page, "lab-filter")

        rows.hover()
        panel.get_by_role("button", name="Copy the Python line that opens step-777").click()
        page.context.grant_permissions(["clipboard-read"])
        line = page.evaluate("navigator.clipboard.readText()")
        assert line == f'import neuron_nbprof; profile = neuron_nbprof.open("{root}/many/step-777")'

        panel.get_by_role("button", name="Show step-777 in the file browser").click()
        page.locator(".jp-DirListing-item", has_text="capture.json").wait_for()

        panel = sidebar(page)
        for answer, there in (("Cancel", True), ("Delete", False)):
            rows.hover()
            panel.get_by_role("button", name="Delete step-777").focus()
            page.keyboard.press("Enter")
            dialog = page.get_by_role("dialog")
            assert "many/step-777" in dialog.inner_text()
            dialog.get_by_role("button", name=answer).click()
            rows.wait_for(state="visible" if there else "detached")
            assert (root / "many" / "step-777").exists() == there
        assert len(list((root / "many").glob("step-*"))) == 999
    finally:
        shutil.rmtree(root / "many")


def test_a_new_notebook_profiles_at_its_last_cell(page, lab, root):
    visit(page, home(lab))
    page.locator(".jp-LauncherCard", has_text="New Neuron Profile Notebook").click()
    page.wait_for_function(f"{STATUS} === 'idle'")
    cells = page.evaluate(
        "jupyterapp.shell.currentWidget.content.widgets.map((cell) => cell.model.sharedModel.source)"
    )
    assert cells[1].startswith("%load_ext neuron_nbprof") and cells[-1].startswith("%%neuronprof profile")
    path = page.evaluate("jupyterapp.shell.currentWidget.context.path")
    nbformat.validate(nbformat.read(lab.root / path, as_version=4))


def test_a_missing_server_part_is_said_once_and_the_panels_are_gone(page, lab, root):
    page.route("**/neuron-nbprof/captures*", lambda route: route.fulfill(status=404, body="Not Found"))
    visit(page, home(lab))
    page.get_by_text("Neuron Profiles needs its server part").wait_for()
    assert page.locator('.jp-SideBar [data-id^="neuron-nbprof"]').count() == 0


def test_versions_that_differ_are_said(page, lab, root):
    answer = {"version": "9.9", "root": "/", "captures": [], "cut": False}
    page.route("**/neuron-nbprof/captures*", lambda route: route.fulfill(json=answer))
    visit(page, home(lab))
    page.get_by_text(f"version {neuron_nbprof.__version__} in the browser and 9.9 on the server").wait_for()
    sidebar(page).get_by_text("No captures yet").wait_for()


def test_notebook_7_opens_captures_too(page, lab, root, shot):
    page.goto(f"{lab.address}/tree/files?token={TOKEN}")
    with page.expect_popup() as opened:
        page.locator(".jp-DirListing-item", has_text="worker0").dblclick()
    document = opened.value
    frame_of(view(document))
    shot(document, "notebook-7")

    page.goto(notebook(lab, "seven.ipynb", "1").replace("/lab/tree/", "/notebooks/"))
    page.wait_for_function("globalThis.jupyterapp?.shell.currentWidget?.sessionContext?.session?.kernel")
    panel = sidebar(page)
    with page.expect_popup() as opened:
        panel.get_by_role("button", name="rmsnorm_naive").first.click()
    until(opened.value, f"{EXPLORER}?.drawn.frames > 0")
    assert opened.value.evaluate("origin") == "null", "a page of its own has no more rights than a tab"
