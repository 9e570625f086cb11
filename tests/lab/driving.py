"""Driving a JupyterLab as a person does: by its sidebar, its tabs, and the mouse."""

from __future__ import annotations

import time
from typing import Any

import nbformat

from .conftest import TOKEN, Lab

EXPLORER = "document.querySelector('section.nbp')?.explorer"
STATE = f"[{EXPLORER}?.drawn, {EXPLORER}?.selected, document.body.className, {{ ...document.body.dataset }}]"
STATUS = "jupyterapp.shell.currentWidget?.sessionContext?.session?.kernel?.status"
SECONDS = 1000


def visit(page: Any, address: str) -> Any:
    page.goto(address)
    page.wait_for_function("globalThis.jupyterapp?.restored", timeout=60 * SECONDS)
    page.evaluate("jupyterapp.restored")
    page.locator("#jupyterlab-splash").wait_for(state="detached")
    return page


def home(lab: Lab, reset: bool = True) -> str:
    return f"{lab.address}/lab?token={TOKEN}{'&reset' if reset else ''}"


def sidebar(page: Any) -> Any:
    panel = page.get_by_role("region", name="Neuron Profiles")
    if not panel.is_visible():
        page.evaluate("jupyterapp.commands.execute('neuron-nbprof:show-captures')")
    panel.wait_for()
    return panel


def inspector(page: Any) -> Any:
    return page.get_by_role("region", name="Dependency chain")


def frame_of(view: Any) -> Any:
    """The document within a tab, once it is drawn."""
    frame = view.element_handle().content_frame()
    frame.wait_for_url("blob:**")
    until(frame, f"{EXPLORER}?.drawn.frames > 0")
    return frame


def until(frame: Any, expression: str, seconds: float = 30) -> None:
    """Wait from outside: the policy of a page forbids what Playwright's own waiting does in it."""
    end = time.monotonic() + seconds
    while not frame.evaluate(expression):
        assert time.monotonic() < end, f"still not {expression}, but {frame.evaluate(STATE)}"
        time.sleep(0.1)


def view(page: Any) -> Any:
    return page.locator(".jp-Neuron-view:visible iframe")


def click_event(page: Any, view: Any, name: str, n: int = 0) -> int:
    """A click with the mouse on an event in a tab; returns its id."""
    frame = frame_of(view)
    event = frame.evaluate(f"([name, n]) => {EXPLORER}.find(name, n)", [name, n])
    at = frame.evaluate(f"(id) => {EXPLORER}.pixel(id)", event)
    box = view.bounding_box()
    page.mouse.click(box["x"] + at["x"], box["y"] + at["y"])
    return event


def change_theme(page: Any, name: str) -> None:
    page.evaluate(f"jupyterapp.commands.execute('apputils:change-theme', {{ theme: 'JupyterLab {name}' }})")


def stations(page: Any) -> list[str]:
    return inspector(page).locator(".jp-Neuron-station .jp-Neuron-name").all_inner_texts()


def run_cells(page: Any, *indices: int) -> None:
    """Run cells of the notebook one by one; each must have ended before the next."""
    idle(page)
    for index in indices:
        run_cell(page, index)


def run_cell(page: Any, index: int) -> None:
    page.evaluate(
        """async (index) => {
          const panel = jupyterapp.shell.currentWidget;
          await panel.sessionContext.ready;
          panel.content.activeCellIndex = index;
          await jupyterapp.commands.execute("notebook:run-cell");
        }""",
        index,
    )


def notebook(lab: Lab, name: str, *cells: str, kernel: str = "python3") -> str:
    """Address of a notebook of these cells; those that begin with # and a space are text."""
    markdown, code = nbformat.v4.new_markdown_cell, nbformat.v4.new_code_cell
    document = nbformat.v4.new_notebook(
        cells=[(markdown if source.startswith("# ") else code)(source.strip()) for source in cells],
        metadata={"kernelspec": {"name": kernel, "display_name": kernel}},
    )
    nbformat.write(document, lab.root / name)
    return lab.url(name)


def idle(page: Any) -> None:
    page.wait_for_function(
        f"globalThis.jupyterapp?.shell.currentWidget?.sessionContext && {STATUS} === 'idle'",
        timeout=60 * SECONDS,
    )


def open_from_list(page: Any, name: str) -> Any:
    """The tab of a capture, opened from the sidebar."""
    sidebar(page).locator(".jp-Neuron-open", has_text=name).first.click()
    page.locator("#jp-main-dock-panel .lm-TabBar-tab.lm-mod-current", has_text=name).first.wait_for()
    frame_of(view(page))
    return view(page)
