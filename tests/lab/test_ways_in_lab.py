"""Other ways in: commands, keys, settings, the launcher, and Notebook 7."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import nbformat
import pytest

from .conftest import TOKEN, Lab
from .driving import (
    EXPLORER,
    SECONDS,
    STATUS,
    frame_of,
    home,
    idle,
    inspector,
    notebook,
    open_from_list,
    run_cell,
    sidebar,
    until,
    view,
    visit,
)


def test_a_new_notebook_profiles_at_its_last_cell(page: Any, lab: Lab, root: Path) -> None:
    visit(page, home(lab))
    page.locator(".jp-LauncherCard", has_text="New Neuron Profile Notebook").click()
    page.wait_for_function(f"{STATUS} === 'idle'")
    cells = page.evaluate(
        "jupyterapp.shell.currentWidget.content.widgets.map((cell) => cell.model.sharedModel.source)"
    )
    assert cells[1].startswith("%load_ext neuron_nbprof") and cells[-1].startswith("%%neuronprof profile")
    path = page.evaluate("jupyterapp.shell.currentWidget.context.path")
    nbformat.validate(nbformat.read(lab.root / path, as_version=4))


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


DEVICE = "%load_ext neuron_nbprof\n%neuronprof_device simulated\nimport torch"
WORK = "x = torch.ones(8, 8, device='neuron')\ny = x * x\ntorch.neuron.synchronize()"


def settings(page: Any, **values: Any) -> None:
    page.evaluate(
        """async (values) => {
          const registry = jupyterapp.serviceManager.settings;
          await registry.save("neuron-nbprof:plugin", JSON.stringify(values));
        }""",
        values,
    )


def ready(page: Any, lab: Lab, name: str, *cells: str) -> Any:
    """A notebook whose first cell has run."""
    visit(page, notebook(lab, name, *cells))
    idle(page)
    run_cell(page, 0)
    page.evaluate("jupyterapp.shell.currentWidget.content.activeCellIndex = 1")
    return page.locator(".jp-Notebook .jp-CodeCell")


def test_the_shortcut_profiles_as_the_settings_say(page: Any, lab: Lab, root: Path) -> None:
    visit(page, home(lab))
    settings(page, magic="mine --show table", folder="kept here", theme="dark", refreshInterval=1)
    try:
        cells = ready(page, lab, "keys.ipynb", DEVICE, WORK)
        cells.nth(1).locator(".cm-content").click()
        page.keyboard.press("Control+Alt+Enter")
        cells.nth(1).locator(".jp-OutputArea table").wait_for(timeout=60 * SECONDS)
        assert cells.nth(1).locator("section.nbp").count() == 0, "--show table"
        (capture,) = (root / "kept here").iterdir()
        assert capture.name.startswith("mine-")
        # Lanes are dark where the setting says so, in a light JupyterLab too.
        sidebar(page).locator(".jp-Neuron-open", has_text="mine").first.click()
        until(frame_of(view(page)), f"{EXPLORER}.drawn.dark")
        assert page.evaluate("document.body.dataset.jpThemeLight") == "true"
    finally:
        settings(page)
        shutil.rmtree(root / "kept here", ignore_errors=True)


def test_the_palette_and_the_menu_profile_too(page: Any, lab: Lab, root: Path, shot: Any) -> None:
    cells = ready(page, lab, "palette.ipynb", DEVICE, WORK, WORK)
    for number in (1, 2):
        cells.nth(number).locator(".cm-content").click()
        if number == 1:
            page.keyboard.press("Control+Shift+c")
            page.keyboard.type("profile this cell")
            page.locator(".lm-CommandPalette-item.lm-mod-active", has_text="Profile This Cell").wait_for()
            shot(page, "lab-palette")
            page.keyboard.press("Enter")
        else:
            page.get_by_role("menuitem", name="Run", exact=True).click()
            page.get_by_role("menuitem", name="Profile This Cell").click()
        cells.nth(number).locator("section.nbp").wait_for(timeout=60 * SECONDS)


def test_a_busy_kernel_profiles_when_it_gets_there(page: Any, lab: Lab, root: Path) -> None:
    cells = ready(page, lab, "busy.ipynb", DEVICE, "import time; time.sleep(4)", WORK)
    page.evaluate("void jupyterapp.commands.execute('notebook:run-cell')")
    page.wait_for_function(f"{STATUS} === 'busy'")
    cells.nth(2).locator(".cm-content").click()
    page.keyboard.press("Control+Alt+Enter")
    page.wait_for_timeout(300)
    assert "[*]" in cells.nth(2).locator(".jp-InputPrompt").inner_text(), "it waits for its turn"
    cells.nth(2).locator("section.nbp").wait_for(timeout=60 * SECONDS)
    assert re.search(r"\[\d+\]", cells.nth(2).locator(".jp-InputPrompt").inner_text())


def test_a_kernel_that_cannot_profile_says_why(page: Any, lab: Lab, root: Path) -> None:
    hide = "import sys; sys.modules['neuron_nbprof'] = None"
    cells = ready(page, lab, "without.ipynb", hide, WORK)
    cells.nth(1).locator(".cm-content").click()
    page.keyboard.press("Control+Alt+Enter")
    dialog = page.get_by_role("dialog")
    dialog.wait_for()
    assert "Run %pip install neuron-nbprof in a cell" in dialog.inner_text()
    dialog.get_by_role("button").last.click()
    assert "[*]" not in cells.nth(1).locator(".jp-InputPrompt").inner_text()
    page.evaluate("jupyterapp.shell.currentWidget.sessionContext.shutdown()")
    page.wait_for_function("!jupyterapp.shell.currentWidget.sessionContext.session?.kernel")
    cells.nth(1).locator(".cm-content").click()
    page.keyboard.press("Control+Alt+Enter")
    page.get_by_role("dialog").get_by_text("Choose a kernel").wait_for()


@pytest.mark.parametrize(
    ("kernel", "remedy"),
    [
        ("0.0.9", "In a cell: %pip install neuron-nbprof==0.1.0, then restart it."),
        ("0.10.0", "Where Jupyter runs: pip install neuron-nbprof==0.10.0, restart it."),
    ],
)
def test_a_kernel_of_another_version_is_told_what_to_install_where(
    page: Any, lab: Lab, root: Path, kernel: str, remedy: str
) -> None:
    other = f"{DEVICE}\nimport neuron_nbprof; neuron_nbprof.__version__ = {kernel!r}"
    cells = ready(page, lab, f"version-{kernel}.ipynb", other, WORK)
    cells.nth(1).locator(".cm-content").click()
    for _ in range(2):
        page.keyboard.press("Control+Alt+Enter")
        cells.nth(1).locator("section.nbp").first.wait_for(timeout=60 * SECONDS)
    said = page.get_by_text(f"The kernel has neuron_nbprof {kernel}, JupyterLab 0.1.0. {remedy}")
    said.wait_for()
    assert said.count() == 1, "once"


def test_notebook_7_profiles_a_cell_and_its_inspector_follows(
    page: Any, lab: Lab, root: Path, shot: Any
) -> None:
    page.goto(notebook(lab, "eight.ipynb", DEVICE, WORK).replace("/lab/tree/", "/notebooks/"))
    idle(page)
    run_cell(page, 0)
    cells = page.locator(".jp-Notebook .jp-CodeCell")
    cells.nth(1).locator(".cm-content").click()
    page.keyboard.press("Control+Alt+Enter")
    explorer = cells.nth(1).locator("section.nbp")
    explorer.wait_for(timeout=60 * SECONDS)
    page.evaluate("jupyterapp.commands.execute('neuron-nbprof:show-chain')")
    explorer.locator(".nbp-timeline").scroll_into_view_if_needed()
    page.wait_for_function(f"{EXPLORER}.drawn.frames > 0")
    event = page.evaluate(f"{EXPLORER}.find('aten::mul')")
    at = page.evaluate(f"(id) => {EXPLORER}.pixel(id)", event)
    page.mouse.click(at["x"], at["y"])
    inspector(page).get_by_role("heading", name="aten::mul").wait_for()
    inspector(page).get_by_role("button", name="nc_exec_running").click()
    inspector(page).locator("[aria-current=true]", has_text="nc_exec_running").wait_for()
    assert page.evaluate(f"{EXPLORER}.selected") not in (event, None)
    shot(page, "notebook-7-chain")


def test_a_tab_is_saved_as_a_page_that_needs_nothing_else(
    page: Any, lab: Lab, root: Path, tmp_path: Path
) -> None:
    visit(page, home(lab))
    open_from_list(page, "rmsnorm_naive")
    page.get_by_role("menuitem", name="File", exact=True).click()
    with page.expect_download() as saving:
        page.get_by_role("menuitem", name="Save the profile as a page").click()
    assert saving.value.suggested_filename == "rmsnorm_naive-20261129-101112.html"
    saved = tmp_path / "saved.html"
    saving.value.save_as(saved)
    page.goto(saved.as_uri())
    until(page, f"{EXPLORER}?.drawn.frames > 0")
    assert page.evaluate(f"{EXPLORER}.find('aten::mul')") is not None


def test_the_settings_are_told_as_those_of_jupyterlab_are(page: Any, lab: Lab, root: Path, shot: Any) -> None:
    visit(page, home(lab))
    page.evaluate("void jupyterapp.commands.execute('settingeditor:open', { query: 'Neuron Profiler' })")
    form = page.locator(".jp-SettingsEditor, #setting-editor")
    for title in ("Line of %%neuronprof", "Folder of captures", "Theme of the lanes", "Refresh interval"):
        form.get_by_text(title).first.wait_for()
    shot(page, "lab-settings")
