"""The widget in a real JupyterLab: two views of one explorer, the theme, the keys, and a busy kernel."""

from __future__ import annotations

import time
from importlib.metadata import version
from typing import Any

import nbformat
import pytest

from ..captures import framework_json, system_table, write_capture
from .conftest import Lab

OPEN = """
import pathlib, time
import neuron_nbprof
import neuron_nbprof.explorer.widget
neuron_nbprof.explorer.widget.MOST_ARGS = 0  # no arguments travel with the events
profile = neuron_nbprof.open("profile_output")
explorer = profile.explore()
explorer.observe(lambda change: pathlib.Path("heard").write_text(str(change["new"])), "selected")
explorer
"""
CELLS = [OPEN, "explorer", "explorer.select('aten::mean', 0)", "time.sleep(20)"]
RUN = """(index) => {
  const cells = jupyterapp.shell.currentWidget.content;
  cells.deselectAll();
  cells.activeCellIndex = index;
  globalThis.ran = jupyterapp.commands.execute("notebook:run-cell");
}"""
VIEWS = "[...document.querySelectorAll('section.nbp')].map((root) => root.explorer)"
SETTLE_SECONDS = 20
#: The first JupyterLab that sends messages of widgets to a subshell of the kernel.
SUBSHELLS = (4, 4)


@pytest.fixture(scope="module")
def opened(browser: Any, lab: Lab) -> Any:
    """A notebook whose first two cells show one explorer twice."""
    write_capture(lab.root, framework_json(), system_table())
    notebook = nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_code_cell(source.strip()) for source in CELLS],
        metadata={"kernelspec": {"name": "python3", "display_name": "Python 3"}},
    )
    nbformat.write(notebook, lab.root / "two.ipynb")
    page = browser.new_page(viewport={"width": 1400, "height": 1700})
    page.goto(lab.url("two.ipynb"))
    page.wait_for_function(
        "globalThis.jupyterapp?.shell.currentWidget?.sessionContext?.session?.kernel?.status === 'idle'",
        timeout=60_000,
    )
    page.evaluate(f"async () => {{ await ({RUN})(0); await ran; await ({RUN})(1); await ran; }}")
    page.wait_for_function(
        f"{VIEWS}.length === 2 && {VIEWS}.every((view) => view.drawn.frames)", timeout=60_000
    )
    yield page
    page.close()


def selected(page: Any) -> list[int | None]:
    return page.evaluate(f"{VIEWS}.map((view) => view.selected)")


def wait_for(page: Any, what: str) -> None:
    page.wait_for_function(what, timeout=SETTLE_SECONDS * 1000)


def click(page: Any, name: str) -> int:
    """A click on an event of this name, in the first view."""
    page.locator(".nbp-timeline").first.scroll_into_view_if_needed()
    event = page.evaluate(f"{VIEWS}[0].find('{name}')")
    at = page.evaluate(f"{VIEWS}[0].pixel({event})")
    page.mouse.click(at["x"], at["y"])
    return event


def test_two_views_share_one_selection(opened: Any) -> None:
    event = click(opened, "aten::mul")
    wait_for(opened, f"{VIEWS}.every((view) => view.selected === {event} && view.drawn.arrows === 6)")


def test_python_selects_in_both_views(opened: Any) -> None:
    event = opened.evaluate(f"{VIEWS}[0].find('aten::mean')")
    opened.evaluate(f"({RUN})(2)")
    wait_for(opened, f"{VIEWS}.every((view) => view.selected === {event})")


def test_escape_clears_in_both_views_and_in_python(opened: Any, lab: Lab) -> None:
    click(opened, "aten::mul")
    opened.keyboard.press("Escape")
    wait_for(opened, f"{VIEWS}.every((view) => view.selected === null)")
    assert heard(lab, "None") < SETTLE_SECONDS


def test_keys_stay_out_of_the_notebook(opened: Any) -> None:
    count = "jupyterapp.shell.currentWidget.content.widgets.length"
    before = opened.evaluate(count)
    click(opened, "aten::mul")
    for key in ("d", "d", "a", "b", "x", "0", "0"):
        opened.keyboard.press(key)
    opened.wait_for_timeout(300)
    assert opened.evaluate(count) == before == len(CELLS)


def test_the_theme_follows_the_lab_while_it_runs(opened: Any, shot: Any) -> None:
    change = "jupyterapp.commands.execute('apputils:change-theme', { theme: 'JupyterLab %s' })"
    for theme, dark in (("Dark", True), ("Light", False)):
        opened.evaluate(change % theme)
        wait_for(opened, f"document.querySelectorAll('section.nbp.nbp-dark').length === {2 * dark}")
        wait_for(opened, f"{VIEWS}.every((view) => view.drawn.dark === {str(dark).lower()})")
        wait_for(opened, "!document.getElementById('jupyterlab-splash')")
        shot(opened, f"lab-{theme.lower()}")


def test_bokeh_is_loaded_once_and_leaves_the_page_alone(opened: Any) -> None:
    assert opened.evaluate("typeof window.Bokeh") == "undefined"
    assert opened.evaluate("globalThis[Symbol.for('neuron_nbprof.drawing')].size") == 1


def test_a_click_reaches_python_while_a_cell_runs(opened: Any, lab: Lab) -> None:
    (lab.root / "heard").unlink()
    opened.evaluate(f"({RUN})(3)")
    wait_for(opened, "jupyterapp.shell.currentWidget.sessionContext.session.kernel.status === 'busy'")
    event = click(opened, "nc_exec_running")
    assert selected(opened)[0] == event, "what is drawn never waits for the kernel"
    if tuple(map(int, version("jupyterlab").split(".")[:2])) < SUBSHELLS:
        # Messages of widgets wait behind the cell there.
        assert heard(lab, str(event)) > 5
        assert (lab.root / "heard").read_text() == str(event)
    else:
        assert heard(lab, str(event)) < 10, "the cell sleeps for 20 s"


def told(page: Any) -> str:
    """What the Event tab of the first view says."""
    page.get_by_role("tab", name="Event").first.click()
    return page.get_by_role("tabpanel", name="Event").first.inner_text()


def test_arguments_come_from_the_kernel_when_an_event_is_looked_at(opened: Any) -> None:
    click(opened, "kbl_exec_wait")
    wait_for(opened, f"{VIEWS}[0].trace.args({VIEWS}[0].row) !== null")
    assert '"model_id": 605291374318702' in told(opened)
    assert "Asking the kernel" not in told(opened)


def test_both_views_have_one_arrangement(opened: Any) -> None:
    opened.evaluate(f"{VIEWS}[0].timeline.resize(0, 90)")
    told = f"JSON.stringify({VIEWS}.map((view) => view.arrangement.heights))"
    wait_for(opened, f"{told} === '[[[0,30]],[[0,30]]]'")
    opened.evaluate(f"{VIEWS}[1].timeline.resize(0, null)")
    wait_for(opened, f"{told} === '[null,null]'")


def heard(lab: Lab, text: str) -> float:
    """Seconds until the observer in the kernel has written this; the running cell may have to end before."""
    begin = time.monotonic()
    path = lab.root / "heard"
    while time.monotonic() < begin + 2 * SETTLE_SECONDS:
        if path.exists() and path.read_text() == text:
            break
        time.sleep(0.05)
    return time.monotonic() - begin


PICTURES = "[...document.querySelectorAll('[data-nbp-picture]')]"


def test_beside_the_living_widget_the_picture_is_hidden(opened: Any) -> None:
    assert opened.evaluate(f"{PICTURES}.length") == 2
    assert opened.evaluate(f"{PICTURES}.every((picture) => picture.hidden)")


def test_a_saved_notebook_without_its_kernel_shows_the_picture(
    opened: Any, lab: Lab, browser: Any, shot: Any
) -> None:
    opened.evaluate("jupyterapp.commands.execute('docmanager:save')")
    path = lab.root / "two.ipynb"
    deadline = time.monotonic() + SETTLE_SECONDS
    while "data-nbp-picture" not in path.read_text() and time.monotonic() < deadline:
        time.sleep(0.1)
    assert path.stat().st_size < 300_000
    opened.evaluate("jupyterapp.serviceManager.sessions.shutdownAll()")
    click(opened, "nrta_execute_schedule")
    opened.wait_for_timeout(2500)
    assert "run the cell again" in told(opened), "nobody is there to tell the arguments"
    again = browser.new_page(viewport={"width": 1400, "height": 1700})
    again.goto(lab.url("two.ipynb"))
    again.locator("[data-nbp-picture]").first.wait_for(timeout=60_000)
    pictures = f"{PICTURES}.filter((picture) => !picture.hidden && picture.querySelector('img').naturalWidth)"
    again.wait_for_function(f"{pictures}.length === 2", timeout=60_000)
    shot(again, "lab-reopened")
    again.close()
