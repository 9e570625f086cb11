"""Sidebar, tabs and inspector in a real JupyterLab: from a cell to the chain of one of its operators."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from .conftest import HOSTILE, Lab
from .driving import (
    EXPLORER,
    SECONDS,
    STATUS,
    change_theme,
    click_event,
    frame_of,
    home,
    idle,
    inspector,
    notebook,
    open_from_list,
    run_cell,
    sidebar,
    stations,
    until,
    view,
    visit,
)

MUL_STATIONS = ["aten::mul", "nrta_execute_schedule", "nc_exec_running", "aten::mul.Tensor"]

SETUP = """
%load_ext neuron_nbprof
%neuronprof_device auto
import torch
torch.set_num_threads(1)
x = torch.randn(64, 64).to("neuron")
"""
WORK = "y = (x * x).mean(-1)\ntorch.neuron.synchronize()"


def test_from_a_cell_to_the_chain_of_its_operator(page, lab, root, shot):
    visit(page, notebook(lab, "way.ipynb", SETUP, WORK, "import time; time.sleep(15)"))
    idle(page)
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


FILES = [
    "files/worker0.pt.trace.json",
    "files/worker1.pt.trace.json.gz",
    "files/step_trace.json",
    "files/rank_trace.json.gz",
    "plain/trace.json",
]


def test_each_kind_of_file_opens_by_double_click_and_never_as_text(page: Any, lab: Lab, root: Path) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    visit(page, home(lab))
    item = page.locator(".jp-DirListing-item")
    for path in [*FILES, "files/neff_1_nc_0.ntff"]:
        folder, name = path.split("/")
        page.evaluate("(path) => jupyterapp.commands.execute('filebrowser:go-to-path', { path })", folder)
        file = item.filter(has=page.get_by_text(name, exact=True))
        assert file.get_attribute("data-file-type") == "neuron-trace"
        file.dblclick()
        page.locator(".lm-mod-current", has_text=name).first.wait_for()
        if not name.endswith(".ntff"):
            frame_of(view(page))
    # What only AWS' tool can decode is no page, but a sentence that names the tool.
    alert = page.locator(".jp-Neuron-view:visible").get_by_role("alert")
    assert "only neuron-explorer decodes" in alert.inner_text()
    content = [url for url in asked if re.search(r"/api/contents/(files|plain)/", url)]
    assert content and not [url for url in content if "content=1" in url], (
        "a trace came to the browser as text"
    )
    assert not [url for url in asked if re.search(r"/files/(files|plain)/", url)]


def test_a_folder_opens_by_its_menu(page: Any, lab: Lab, root: Path, shot: Any) -> None:
    (root / "empty").mkdir()
    visit(page, home(lab))
    item = page.locator(".jp-DirListing-item")
    for folder, event in (("elsewhere", "aten::mul"), ("tables", "nrta_execute_schedule")):
        item.filter(has_text=folder).click(button="right")
        shot(page, "lab-menu")
        page.get_by_role("menuitem", name="Open in Neuron Profiler").click()
        click_event(page, view(page), event)
        inspector(page).get_by_role("heading", name=event).wait_for()
    item.filter(has_text="empty").click(button="right")
    page.get_by_role("menuitem", name="Open in Neuron Profiler").click()
    alert = page.locator(".jp-Neuron-view:visible").get_by_role("alert")
    alert.wait_for()
    assert "no capture" in alert.inner_text()


def test_the_inspector_tells_what_a_wait_was_spent_on(page: Any, lab: Lab, root: Path, shot: Any) -> None:
    visit(page, home(lab))
    page.evaluate("void jupyterapp.commands.execute('neuron-nbprof:open', { path: 'elsewhere' })")
    click_event(page, view(page), "aten::mean")
    waits = inspector(page).locator(".jp-Neuron-wait")
    waits.nth(1).wait_for()
    # Queued from 64 to 427 µs; the cores were busy with the multiplication until 426.1 µs.
    lines = waits.nth(1).inner_text().split("\n")
    assert lines[0] == "363 µs queued: 362 µs device busy with 1 earlier operator, 900 ns idle"
    assert "busy with aten::mul" in lines and "linked by exec flow 3" in lines
    exact = waits.nth(1).get_attribute("title")
    assert exact == "363,000 ns: 362,100 ns busy and 900 ns idle"
    assert waits.nth(0).locator(".jp-Neuron-split").count() == 0, "a wait for the host has no such parts"
    # In a narrow tab the explorer's own list of the chain leaves the lanes to be seen.
    own = frame_of(view(page)).locator(".nbp-panel")
    own.wait_for(state="hidden")
    shot(page, "lab-wait")
    page.evaluate("jupyterapp.shell.collapseRight()")
    own.wait_for()
    page.evaluate("jupyterapp.commands.execute('neuron-nbprof:show-chain')")
    own.wait_for(state="hidden")


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


SPAN = f"Object.values({EXPLORER}.span).map(Math.round)"


def zoomed(page: Any, tab: Any) -> list[int]:
    """The span after zooming in and moving with the keys."""
    frame, before = frame_of(tab), frame_of(tab).evaluate(SPAN)
    for key in "wwd":
        page.keyboard.press(key)
    until(frame, f"{SPAN}[1] - {SPAN}[0] < {(before[1] - before[0]) // 2}")
    return frame.evaluate(SPAN)


def test_two_tabs_their_selections_spans_and_the_theme_come_back(
    page: Any, lab: Lab, root: Path, shot: Any
) -> None:
    visit(page, home(lab))
    open_from_list(page, "rmsnorm_naive")
    first = click_event(page, view(page), "aten::mul", 1)
    first_span = zoomed(page, view(page))
    inspector(page).get_by_role("heading", name="aten::mul").wait_for()
    open_from_list(page, "rmsnorm_fused")
    second = click_event(page, view(page), "aten::rms_norm")
    second_span = zoomed(page, view(page))
    inspector(page).get_by_role("heading", name="aten::rms_norm").wait_for()
    until(page, "jupyterapp.shell.currentWidget.title.label === 'rmsnorm_fused'")
    page.wait_for_timeout(500)  # the page tells its view when it stands still

    # A tab that is moved is drawn anew, and goes on where it stood.
    page.evaluate(
        """() => {
          const [naive, fused] = [...jupyterapp.shell.widgets("main")];
          jupyterapp.shell.add(fused, "main", { ref: naive.id, mode: "split-right" });
        }"""
    )
    naive, fused = view(page).nth(0), view(page).nth(1)
    fused.wait_for()
    until(frame_of(fused), f"{EXPLORER}.selected === {second}")
    for theme, dark in (("Dark", "true"), ("Light", "false"), ("Dark", "true")):
        change_theme(page, theme)
        for each in (naive, fused):
            until(frame_of(each), f"{EXPLORER}.drawn.dark === {dark}")
    # The inspector follows the tab that a person turns to.
    page.locator(".lm-TabBar-tab", has_text="rmsnorm_naive").click()
    inspector(page).get_by_role("heading", name="aten::mul").wait_for()
    shot(page, "lab-tabs-dark")

    page.wait_for_timeout(1500)  # JupyterLab saves its workspace a second after a change
    visit(page, home(lab, reset=False))
    page.wait_for_function("document.querySelectorAll('.jp-Neuron-view iframe').length === 2")
    for each, event, span in ((naive, first, first_span), (fused, second, second_span)):
        until(frame_of(each), f"{EXPLORER}.selected === {event}")
        until(frame_of(each), f"String({SPAN}) === '{span[0]},{span[1]}'")
        until(frame_of(each), f"{EXPLORER}.drawn.dark")
    # Whichever was drawn last, the inspector shows that of the current tab.
    assert inspector(page).get_by_role("heading", level=3).inner_text().startswith("aten::mul")
    labels = page.evaluate("[...jupyterapp.shell.widgets('main')].map(({ title }) => title.label)")
    assert {"rmsnorm_naive", "rmsnorm_fused"} <= set(labels)
    shot(page, "lab-restored")
    change_theme(page, "Light")


def test_the_ticked_are_compared_on_one_page_that_comes_back(
    page: Any, lab: Lab, root: Path, shot: Any
) -> None:
    visit(page, home(lab))
    panel = sidebar(page)
    compare = panel.get_by_role("button", name="Compare", exact=True)
    assert compare.is_disabled()
    for name in ("rmsnorm_naive", "rmsnorm_fused"):
        panel.get_by_label(f"Compare {name}").first.check()
    compare.click()
    title = "Compare rmsnorm_naive, rmsnorm_fused"
    page.locator(".lm-mod-current .lm-TabBar-tabLabel", has_text=title).wait_for()
    frame = frame_of(view(page))
    assert view(page).count() == 1 and view(page).get_attribute("title").startswith("Comparison of taken/")
    explorers = "[...document.querySelectorAll('section.nbp')].map((root) => root.explorer)"
    until(frame, f"{explorers}.length === 2 && {explorers}.every(({{ drawn }}) => drawn.frames)")
    assert frame.get_by_role("table", name="the ratio is to rmsnorm_naive").is_visible()

    # Both are told to the inspector, and each line of the chain leads to the explorer that told it.
    box, events = view(page).bounding_box(), []
    for which, name in ((0, "aten::mul"), (1, "aten::rms_norm")):
        explorer = f"{explorers}[{which}]"
        frame.locator(".nbp-timeline").nth(which).scroll_into_view_if_needed()
        events.append(frame.evaluate(f"{explorer}.find('{name}')"))
        at = frame.evaluate(f"{explorer}.pixel({events[-1]})")
        page.mouse.click(box["x"] + at["x"], box["y"] + at["y"])
        inspector(page).get_by_role("heading", name=name).wait_for()
    events[1] = frame.evaluate(f"{explorers}[1].find('nc_exec_running')")
    inspector(page).get_by_role("button", name="nc_exec_running").click()
    until(frame, f"{explorers}[1].selected === {events[1]}")
    assert frame.evaluate(f"{explorers}[0].selected") == events[0]
    view(page).focus()
    frame.locator(".nbp-surface").nth(1).focus()
    for key in "ww":
        page.keyboard.press(key)
    page.wait_for_timeout(500)
    spans = f"{explorers}.map(({{ span }}) => Math.round(span.x1 - span.x0))"
    before = frame.evaluate(spans)
    assert abs(before[0] - before[1]) <= 1, "they move together"
    shot(page, "lab-compare")

    page.wait_for_timeout(1500)
    visit(page, home(lab, reset=False))
    page.locator(".lm-mod-current .lm-TabBar-tabLabel", has_text=title).wait_for()
    frame = frame_of(view(page))
    until(frame, f"String({explorers}.map(({{ selected }}) => selected)) === '{events[0]},{events[1]}'")
    until(frame, f"String({spans}) === '{before[0]},{before[1]}'")
    shot(page, "lab-compare-restored")


def test_the_keyboard_and_the_clipboard_work_from_within_a_tab(page, lab, root):
    visit(page, home(lab))
    open_from_list(page, "rmsnorm_naive")
    click_event(page, view(page), "aten::mul")
    inspector(page).get_by_role("heading", name="aten::mul").wait_for()
    page.context.grant_permissions(["clipboard-read"])
    frame_of(view(page)).evaluate("navigator.clipboard.writeText('measured')")
    until(page, "navigator.clipboard.readText().then((text) => text === 'measured')")
    page.keyboard.press("Control+Shift+c")
    page.locator(".lm-CommandPalette").wait_for()
