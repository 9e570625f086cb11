"""The sidebar in a real JupyterLab: what can be done with a capture, by mouse, by keyboard, in any width."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import neuron_nbprof

from .conftest import Lab
from .driving import (
    change_theme,
    click_event,
    frame_of,
    home,
    inspector,
    open_from_list,
    sidebar,
    view,
    visit,
)


@pytest.fixture
def thousand(root: Path) -> Iterator[Path]:
    many = root / "many"
    for number in range(1000):
        folder = many / f"step-{number:03d}"
        folder.mkdir(parents=True)
        facts = {"name": folder.name, "kernel_id": "gone", "device_name": "Trainium2"}
        (folder / "capture.json").write_text(json.dumps(facts))
    yield many
    shutil.rmtree(many)


def test_a_thousand_captures_and_what_can_be_done_with_one(
    page: Any, lab: Lab, thousand: Path, shot: Any
) -> None:
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
    assert line == f'import neuron_nbprof; profile = neuron_nbprof.open("{thousand}/step-777")'

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
        assert (thousand / "step-777").exists() == there
    assert len(list((thousand).glob("step-*"))) == 999


def test_what_was_opened_last_is_listed_apart_of_many(page: Any, lab: Lab, thousand: Path) -> None:
    visit(page, home(lab))
    panel = sidebar(page)
    recent = panel.get_by_role("region", name="Recently opened")
    for name in ("rmsnorm_naive", "rmsnorm_fused"):
        panel.get_by_role("searchbox").fill(name)
        open_from_list(page, name)
    panel.get_by_role("searchbox").fill("")
    page.wait_for_timeout(1500)
    assert (
        recent.count() == 0 or "rmsnorm_fused" not in recent.locator(".jp-Neuron-name").first.inner_text()
    ), "rows do not move under the pointer by being opened"
    visit(page, home(lab, reset=False))
    sidebar(page)
    recent.wait_for()
    names = recent.locator(".jp-Neuron-name").all_inner_texts()
    assert names[:2] == ["rmsnorm_fused", "rmsnorm_naive"] and len(names) <= 5


def test_a_row_tells_what_wrote_the_capture(page: Any, lab: Lab, root: Path) -> None:
    visit(page, home(lab))
    row = sidebar(page).locator(".jp-Neuron-open", has_text="rmsnorm_naive").first
    told = row.get_attribute("title").split("\n")
    assert told[0] == "taken/rmsnorm_naive-20261129-101112"
    assert told[1] == "Recorded with neuron_nbprof 0.1.0, torch 2.13.0+cpu"
    bare = sidebar(page).locator(".jp-Neuron-open", has_text="worker0").first
    assert bare.get_attribute("title") == "files/worker0.pt.trace.json"


FOCUSED = "document.activeElement.getAttribute('aria-label') ?? document.activeElement.innerText"


def test_the_list_works_with_the_keyboard_alone(page: Any, lab: Lab, root: Path) -> None:
    visit(page, home(lab))
    panel = sidebar(page)
    # The launcher takes the focus once, when JupyterLab has come up.
    page.locator(".jp-Launcher").wait_for()
    page.wait_for_timeout(1000)
    filter_ = panel.get_by_role("searchbox")
    filter_.focus()
    page.keyboard.type("rmsnorm_")
    panel.get_by_role("status").get_by_text("2 of ").wait_for()
    rows = panel.locator(".jp-Neuron-capture")
    assert rows.count() == 2
    names = rows.locator(".jp-Neuron-name").all_inner_texts()

    page.keyboard.press("ArrowDown")
    assert page.evaluate(FOCUSED).startswith(names[0])
    page.keyboard.press("ArrowDown")
    assert page.evaluate(FOCUSED).startswith(names[1])
    page.keyboard.press("ArrowDown")
    assert page.evaluate(FOCUSED).startswith(names[1]), "the last row is the end"
    page.keyboard.press("Home")
    page.keyboard.press("Shift+Tab")
    assert page.evaluate(FOCUSED) == f"Compare {names[0]}"
    page.keyboard.press("Space")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Space")
    panel.get_by_role("button", name="Compare", exact=True, disabled=False).wait_for()

    # One row is in the order of tabbing, with all that can be done with it.
    filter_.focus()
    reached = []
    for _ in range(7):
        page.keyboard.press("Tab")
        reached.append(page.evaluate(FOCUSED).split("\n")[0])
    one = names[1]
    assert reached == [
        *("Refresh", "Compare", f"Compare {one}", one, f"Show {one} in the file browser"),
        *(f"Copy the Python line that opens {one}", f"Delete {one}"),
    ]
    filter_.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    frame_of(view(page))
    assert names[0] in page.locator(".lm-TabBar-tab.jp-mod-current").inner_text()


def test_panels_are_named_and_spoken_as_what_they_are(page: Any, lab: Lab, root: Path) -> None:
    visit(page, home(lab))
    panel = sidebar(page)
    panel.get_by_role("searchbox").fill("rmsnorm_naive")
    panel.get_by_role("status").get_by_text("1 of ").wait_for()
    spoken = panel.aria_snapshot()
    for line in (
        '- toolbar "Captures":',
        '- searchbox "Filter captures by name, device, path"',
        '- button "Compare" [disabled]',
        "- status: 1 of ",
        '- region "Found in this folder":',
        '- checkbox "Compare rmsnorm_naive"',
        '- button "Delete rmsnorm_naive"',
    ):
        assert line in spoken, spoken
    open_from_list(page, "rmsnorm_naive")
    click_event(page, view(page), "aten::mul", 1)
    inspector(page).get_by_role("heading", name="aten::mul").wait_for()
    spoken = inspector(page).aria_snapshot()
    for line in (
        'heading "aten::mul 2 of 3" [level=3]',
        'region "Total: ',
        "- list:",
        "listitem:",
    ):
        assert line in spoken, spoken
    # Each station is a button; the one that is selected says so.
    assert inspector(page).locator("li > button").count() == 4
    assert inspector(page).locator("[aria-current=true]").count() == 1


OVERFLOWS = """(panel) => [...panel.querySelectorAll("*")]
  .filter((one) => one.getBoundingClientRect().right > panel.getBoundingClientRect().right + 1)
  .map((one) => one.outerHTML.slice(0, 120))"""


@pytest.mark.parametrize("theme", ["Light", "Dark"])
@pytest.mark.parametrize("width", [200, 260])
def test_nothing_is_cut_in_narrow_panels(
    page: Any, lab: Lab, root: Path, shot: Any, width: int, theme: str
) -> None:
    # JupyterLab itself stops at 250 pixels, which a theme may change.
    least = f"document.documentElement.style.setProperty('--jp-sidebar-min-width', '{width}px')"
    page.add_init_script(f"addEventListener('DOMContentLoaded', () => {least})")
    visit(page, home(lab))
    change_theme(page, theme)
    page.evaluate("void jupyterapp.commands.execute('neuron-nbprof:open', { path: 'elsewhere' })")
    click_event(page, view(page), "aten::mean")
    inspector(page).wait_for()
    sidebar(page).locator(".jp-Neuron-capture").first.wait_for()
    for panel, edge in ((sidebar(page), "width"), (inspector(page), "x")):
        box = panel.bounding_box()
        at = box["x"] + box["width"] if edge == "width" else box["x"]
        to = box["x"] + width if edge == "width" else at + box["width"] - width
        page.mouse.move(at + (0.5 if edge == "width" else -0.5), 600)
        page.mouse.down()
        page.mouse.move(to, 600, steps=5)
        page.mouse.up()
    for panel in (sidebar(page), inspector(page)):
        page.wait_for_timeout(200)
        assert abs(panel.bounding_box()["width"] - width) < 8
        assert panel.evaluate(OVERFLOWS) == []
    shot(page, f"lab-narrow-{width}-{theme.lower()}")
    change_theme(page, "Light")


def test_a_missing_server_part_is_said_once_and_the_panels_are_gone(page, lab, root):
    page.route("**/neuron-nbprof/captures*", lambda route: route.fulfill(status=404, body="Not Found"))
    visit(page, home(lab))
    page.get_by_text("Neuron Profiles needs its server part").wait_for()
    assert page.locator('.jp-SideBar [data-id^="neuron-nbprof"]').count() == 0


@pytest.mark.parametrize(
    ("server", "remedy"),
    [
        ("9.9", "Reload, or pip install neuron-nbprof==9.9 for JupyterLab."),
        ("0.0.1", "There: pip install neuron-nbprof==0.1.0, and restart it."),
    ],
)
def test_versions_that_differ_are_said_with_what_to_do(
    page: Any, lab: Lab, root: Path, server: str, remedy: str
) -> None:
    answer = {"version": server, "root": "/", "captures": [], "cut": False}
    page.route("**/neuron-nbprof/captures*", lambda route: route.fulfill(json=answer))
    visit(page, home(lab))
    own = neuron_nbprof.__version__
    page.get_by_text(f"{own} in the browser, {server} on the server. {remedy}").wait_for()
    sidebar(page).get_by_text("No captures yet").wait_for()
