"""The explorer on a page of a real browser, opened from disk with the network cut off."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from neuron_nbprof.explorer import page as explorer_page

from .traces import FakeProfile, trace_of

WAIT_MS = 15_000
#: Whether the focus has fallen out of everything.
LOST = "document.activeElement === document.body"
#: ns.
US = 1_000


#: Starts of the events that are outlined, as the figure holds them.
OUTLINED = """[...document.querySelector("section.nbp").explorer.timeline.scene.figure.model("marks")
  .data_source.data.left].filter((start) => !Number.isNaN(start))"""


class Shown:
    """The explorer on a page, asked through its element."""

    def __init__(self, page: Any) -> None:
        self.page = page
        self.root = page.locator("section.nbp").first

    def ask(self, what: str, argument: Any = None) -> Any:
        return self.root.evaluate(f"(root, argument) => root.explorer.{what}", argument)

    def click(self, name: str, n: int = 0) -> int:
        """A real click on the pixel where the n-th event of this name is drawn."""
        event = self.ask("find(...argument)", [name, n])
        at = self.ask("pixel(argument)", event)
        self.page.mouse.click(at["x"], at["y"])
        return event

    def stations(self) -> list[str]:
        return [re.sub(r"\s+", " ", text) for text in self.page.locator(".nbp-station").all_inner_texts()]


def open_page(page: Any, path: Path) -> Shown:
    asked: list[str] = []
    page.context.set_offline(True)
    page.on("request", lambda request: asked.append(request.url))
    page.goto(path.as_uri())
    shown = Shown(page)
    # No `wait_for_function`: it needs eval, which the page's policy forbids.
    for _ in range(WAIT_MS // 50):
        if shown.root.count() and shown.ask("drawn.frames"):
            break
        page.wait_for_timeout(50)
    assert shown.ask("drawn.frames") > 0
    assert [url for url in asked if not url.startswith(("file:", "blob:", "data:"))] == []
    return shown


def shown_of(page: Any, path: Path, events: list[Any], edges: Any = (), **facts: Any) -> Shown:
    """A page of these events, opened; `aten::mul` is the operator with device time."""
    profile = FakeProfile(trace_of(events, list(edges), **facts), (("aten::mul", 1.0),))
    return open_page(page, explorer_page.write(profile, path / "page.html"))
