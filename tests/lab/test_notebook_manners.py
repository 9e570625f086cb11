"""Widgets in the life of a notebook: in tabs, off the screen, without a kernel, converted, many at once."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from neuron_nbprof.explorer.figure import bokeh_js

from ..captures import framework_json, system_table, write_capture
from .conftest import TOKEN, Lab, environment
from .driving import SECONDS, STATUS, notebook, run_cells, visit

VIEWS = "[...document.querySelectorAll('section.nbp')].map((root) => root.explorer)"
PICTURES = "[...document.querySelectorAll('[data-nbp-picture]')]"
OPEN = """
import pathlib
import neuron_nbprof
profile = neuron_nbprof.open("profile_output")
explorer = profile.explore()
explorer.observe(lambda change: pathlib.Path("heard").write_text(str(change["new"])), "selected")
explorer
"""
OPEN_TWO = """
import pathlib
import neuron_nbprof
slow, fast = map(neuron_nbprof.example, ("rmsnorm_naive", "rmsnorm_fused"))
view = neuron_nbprof.compare_view(slow, fast)
fast.explore().observe(lambda change: pathlib.Path("heard").write_text(str(change["new"])), "selected")
view
"""
VISIBLE = f"{PICTURES}.filter((picture) => !picture.hidden && picture.querySelector('img').naturalWidth)"
WORDS = "rmsnorm_fused takes 388 µs on the device"
CURRENT = "jupyterapp.shell.currentWidget"
SCROLLED = f"{CURRENT}.content.node.querySelector('.jp-WindowedPanel-outer')"


@pytest.fixture(scope="module")
def place(lab: Lab) -> Lab:
    """A folder for the notebooks of this module, with a capture in it."""
    folder = lab.root / "manners"
    folder.mkdir()
    write_capture(folder, framework_json(), system_table())
    return lab


@pytest.fixture
def page(page: Any, place: Lab) -> Iterator[Any]:
    """A page of which nothing may be asked for but from the server, and whose scripts may not fail."""
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("websocket", lambda socket: asked.append(socket.url.replace("ws:", "http:")))
    page.set_viewport_size({"width": 1400, "height": 1400})
    yield page
    assert asked and [url for url in asked if not url.startswith((place.address, "blob:", "data:"))] == []
    assert [problem for problem in page.problems if problem.startswith("page:")] == []


def opened(page: Any, lab: Lab, name: str, *cells: str, views: int = 1) -> Any:
    """A notebook whose first cell has run and shows this many explorers."""
    visit(page, notebook(lab, f"manners/{name}.ipynb", *cells))
    run_cells(page, 0)
    wait_for_views(page, views)
    return page


def wait_for_views(page: Any, count: int) -> None:
    drawn = f"{VIEWS}.length === {count} && {VIEWS}.every((view) => view.drawn.frames)"
    page.wait_for_function(drawn, timeout=60 * SECONDS)


def click(page: Any, name: str, view: int = 0) -> int:
    """A click with the mouse on an event of this name."""
    page.locator(".nbp-timeline").nth(view).scroll_into_view_if_needed()
    page.wait_for_timeout(200)
    event = page.evaluate(f"{VIEWS}[{view}].find('{name}')")
    at = page.evaluate(f"{VIEWS}[{view}].pixel({event})")
    page.mouse.click(at["x"], at["y"])
    page.wait_for_function(f"{VIEWS}[{view}].selected === {event}")
    return event


def heard(lab: Lab, event: int | None, seconds: float = 20) -> bool:
    """Whether the observer in the kernel hears of this selection."""
    path = lab.root / "manners" / "heard"
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if path.exists() and path.read_text() == str(event):
            path.unlink()
            return True
        time.sleep(0.05)
    return False


def saved(page: Any, lab: Lab, name: str) -> Path:
    """The notebook on disk, once what it shows is in it."""
    path = lab.root / "manners" / f"{name}.ipynb"
    page.evaluate("jupyterapp.commands.execute('docmanager:save')")
    end = time.monotonic() + 20
    while "data-nbp-picture" not in path.read_text() and time.monotonic() < end:
        time.sleep(0.1)
    return path


def test_a_view_in_a_tab_of_its_own_and_in_a_sidebar_is_the_same_explorer(page: Any, place: Lab) -> None:
    opened(page, place, "tab", OPEN)
    page.evaluate(
        f"""async () => {{
          {CURRENT}.content.activeCellIndex = 0;
          const before = new Set(jupyterapp.shell.widgets("main"));
          await jupyterapp.commands.execute("notebook:create-output-view");
          globalThis.view = [...jupyterapp.shell.widgets("main")].find((widget) => !before.has(widget));
        }}"""
    )
    wait_for_views(page, 2)
    # Which of the two stands first in the document is Lab's to say.
    in_tab = page.evaluate(f"{VIEWS}.findIndex(({{ root }}) => view.node.contains(root))")
    event = click(page, "aten::mul", in_tab)
    page.wait_for_function(f"{VIEWS}.every((one) => one.selected === {event} && one.drawn.arrows === 6)")
    assert heard(place, event)

    page.evaluate("jupyterapp.shell.add(view, 'right')")
    page.evaluate("jupyterapp.shell.activateById(view.id)")
    page.wait_for_function("view.node.closest('#jp-right-stack') && view.isVisible")
    wait_for_views(page, 2)
    in_sidebar = page.evaluate(f"{VIEWS}.findIndex(({{ root }}) => view.node.contains(root))")
    event = click(page, "aten::mean", in_sidebar)
    page.wait_for_function(f"{VIEWS}.every((one) => one.selected === {event})")
    assert heard(place, event)
    page.evaluate("view.dispose()")
    page.wait_for_function(f"{VIEWS}.length === 1")


@pytest.mark.parametrize("mode", ["full", "defer", "contentVisibility"])
def test_scrolled_out_of_sight_and_in_again_it_goes_on(page: Any, place: Lab, mode: str) -> None:
    text = [f"# {number}\n\n" + "text  \n" * 40 for number in range(40)]
    opened(page, place, f"scroll-{mode}", OPEN, *text)
    event = click(page, "aten::mul")
    page.evaluate(
        f"""(windowingMode) => {{
          const {{ content }} = {CURRENT};
          content.notebookConfig = {{ ...content.notebookConfig, windowingMode }};
        }}""",
        mode,
    )
    # Heights of cells are estimated until they are seen, so the end is reached in several steps.
    for _ in range(20):
        page.evaluate(f"{SCROLLED}.scrollTop += 2000")
        page.wait_for_timeout(100)
    boxes = [root.bounding_box() for root in page.locator("section.nbp").all()]
    assert all(box is None or box["y"] + box["height"] < 0 for box in boxes), "it is off the screen"
    page.evaluate(f"{SCROLLED}.scrollTop = 0")
    wait_for_views(page, 1)
    assert page.evaluate(f"{VIEWS}[0].selected") == event
    assert page.evaluate(f"{PICTURES}.every((picture) => picture.hidden)"), "nor is it there twice"
    event = click(page, "aten::mean")
    assert heard(place, event)


def test_after_a_restart_it_can_still_be_explored_and_running_the_cell_connects_it(
    page: Any, place: Lab
) -> None:
    opened(page, place, "restart", OPEN)
    page.evaluate(f"{CURRENT}.sessionContext.restartKernel()")
    page.wait_for_function(f"{STATUS} === 'idle'", timeout=60 * SECONDS)
    event = click(page, "aten::mul")
    assert page.locator(".nbp-station").count() == 4
    assert not heard(place, event, seconds=1), "there is nobody to hear it"
    run_cells(page, 0)
    page.wait_for_function(f"{VIEWS}.length === 1 && {VIEWS}[0].selected === null")
    wait_for_views(page, 1)
    assert heard(place, click(page, "aten::mean"))


@pytest.fixture(scope="module")
def kept(browser: Any, place: Lab) -> Path:
    """A notebook with a profile and a comparison, as Lab saves it by default; its kernel is gone."""
    page = browser.new_page(viewport={"width": 1400, "height": 1400})
    opened(page, place, "kept", "%load_ext neuron_nbprof\n%neuronprof_open profile_output", OPEN_TWO)
    run_cells(page, 1)
    wait_for_views(page, 3)
    before = len(json.dumps(OPEN_TWO))
    path = saved(page, place, "kept")
    page.evaluate("jupyterapp.serviceManager.sessions.shutdownAll()")
    page.close()
    assert path.stat().st_size < 2 * 300_000 + before
    return path


def test_a_saved_notebook_keeps_pictures_tables_and_words(
    page: Any, place: Lab, kept: Path, shot: Any
) -> None:
    outputs = [cell["outputs"] for cell in json.loads(kept.read_text())["cells"]]
    for of_cell in outputs:
        assert len(json.dumps(of_cell)) < 300_000
    assert "widgets" not in json.loads(kept.read_text())["metadata"]
    visit(page, place.url("manners/kept.ipynb"))
    page.wait_for_function(f"{VISIBLE}.length === 2", timeout=60 * SECONDS)
    assert page.locator(".jp-OutputArea table", has_text="aten::mean").first.is_visible()
    assert (
        "rmsnorm_fused takes 388 µs on the device" in page.locator("[data-nbp-picture]").nth(1).inner_text()
    )
    shot(page, "lab-kept")


@pytest.mark.parametrize("options", [[], ["--execute"]])
def test_converted_to_html_pictures_and_tables_are_there_without_a_network(
    browser: Any, kept: Path, tmp_path: Path, shot: Any, options: list[str]
) -> None:
    home = tmp_path / "home"
    home.mkdir()
    command = [sys.executable, "-m", "nbconvert", "--to", "html", *options, "--output-dir", str(tmp_path)]
    subprocess.run([*command, str(kept)], env=environment(home), cwd=kept.parent, check=True, timeout=120)
    page = browser.new_page(viewport={"width": 1400, "height": 1400})
    page.context.set_offline(True)
    page.goto((tmp_path / "kept.html").as_uri(), wait_until="domcontentloaded")
    page.wait_for_function(f"{VISIBLE}.length === 2")
    assert page.locator("table", has_text="aten::mean").first.is_visible()
    assert (
        "rmsnorm_fused takes 388 µs on the device" in page.locator("[data-nbp-picture]").nth(1).inner_text()
    )
    shot(page, f"nbconvert{''.join(options)}")
    page.close()


def test_notebook_7_shows_explorer_and_comparison(page: Any, place: Lab, shot: Any) -> None:
    notebook(place, "manners/seven.ipynb", OPEN, OPEN_TWO)
    page.goto(f"{place.address}/notebooks/manners/seven.ipynb?token={TOKEN}")
    page.wait_for_function("globalThis.jupyterapp?.restored", timeout=60 * SECONDS)
    run_cells(page)
    page.problems.clear()  # Notebook 7.6 has two of its own at its start
    run_cells(page, 0, 1)
    wait_for_views(page, 3)
    assert page.evaluate(f"{PICTURES}.every((picture) => picture.hidden)")
    assert heard(place, click(page, "aten::mul", 0))
    assert heard(place, click(page, "nc_exec_running", 2))
    assert page.evaluate(f"{VIEWS}[1].selected") is None
    shot(page, "notebook-7")


def test_a_comparison_is_alive_and_each_profile_has_its_selection(page: Any, place: Lab, shot: Any) -> None:
    cells = (OPEN_TWO, "fast.explore()", "slow.explore().select('aten::mul', 2)")
    opened(page, place, "compared", *cells, views=2)
    run_cells(page, 1)
    wait_for_views(page, 3)
    event = click(page, "nc_exec_running", 1)
    assert heard(place, event)
    # The explorer of the same profile in the next cell follows; the other profile does not.
    page.wait_for_function(f"{VIEWS}[2].selected === {event}")
    assert page.evaluate(f"{VIEWS}[0].selected") is None
    run_cells(page, 2)
    third = page.evaluate(f"{VIEWS}[0].find('aten::mul', 2)")
    page.wait_for_function(f"{VIEWS}[0].selected === {third}")
    assert page.evaluate(f"{VIEWS}[1].selected") == event
    shot(page, "lab-compared")

    # On one scale, aligned at the first dispatch, wherever one goes in either.
    def spans() -> list[list[float]]:
        from_dispatch = "[span.x0 - timeline.origin, span.x1 - timeline.origin]"
        return page.evaluate(f"{VIEWS}.slice(0, 2).map(({{ span, timeline }}) => {from_dispatch})")

    before = spans()
    assert before[0] == pytest.approx(before[1])
    page.locator(".nbp-surface").nth(1).focus()
    page.keyboard.press("w")
    after = spans()
    assert after[0] == pytest.approx(after[1])
    assert after[0][1] - after[0][0] == pytest.approx((before[0][1] - before[0][0]) / 1.5)
    # A second view of the comparison has a span of its own and the same selections.
    page.evaluate(f"{CURRENT}.content.activeCellIndex = 0")
    page.evaluate("jupyterapp.commands.execute('notebook:create-output-view')")
    wait_for_views(page, 5)
    chosen = sorted(page.evaluate(f"{VIEWS}.map(({{ selected }}) => selected)"))
    assert chosen == sorted([third, third, event, event, event])


TWENTY = """
import neuron_nbprof
from IPython.display import display
for _ in range(20):
    display(neuron_nbprof.open("profile_output").explore(height=100, lanes=["hardware"]))
"""
AGAIN = """
last = neuron_nbprof.open("profile_output").explore(height=100, lanes=["hardware"])
for _ in range(20):
    display(last)
"""
COUNT = """
import collections, ipywidgets
print(dict(collections.Counter(type(widget).__name__ for widget in ipywidgets.Widget.widgets.values())))
"""


def test_twenty_explorers_in_one_notebook_bring_bokeh_once(page: Any, place: Lab) -> None:
    frames: list[bytes] = []
    page.on(
        "websocket",
        lambda socket: socket.on(
            "framereceived", lambda data: frames.append(data if isinstance(data, bytes) else data.encode())
        ),
    )
    visit(page, notebook(place, "manners/twenty.ipynb", TWENTY, AGAIN, COUNT))
    frames.clear()
    run_cells(page, 0)
    wait_for_views(page, 20)
    # The header of a gzip file holds the time, what follows does not change.
    packed = gzip.compress(bokeh_js(), 6)
    assert sum(frame.count(packed[10:2000]) for frame in frames) == 1
    twenty = sum(map(len, frames))
    assert twenty < len(packed) + 20 * 120_000, f"{twenty:,} bytes"
    frames.clear()
    run_cells(page, 1)
    wait_for_views(page, 40)
    again = sum(map(len, frames))
    assert packed[10:2000] not in b"".join(frames)
    assert again < 20 * 80_000, f"{again:,} bytes: the pictures, and one explorer's data"
    assert page.evaluate("globalThis[Symbol.for('neuron_nbprof.drawing')].size") == 1
    assert page.evaluate("typeof window.Bokeh") == "undefined"
    run_cells(page, 2)
    text = page.evaluate(f"{CURRENT}.content.widgets[2].model.outputs.toJSON()[0].text")
    counts = eval("".join(text))
    assert counts["Library"] == 1 and counts["Explorer"] == counts["Chunk"] == 21
