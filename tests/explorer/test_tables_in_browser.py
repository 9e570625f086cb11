"""The tables below the timeline, linked to it, and how all of it fits on screens of any width."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import neuron_nbprof
from neuron_nbprof.explorer import page as explorer_page
from neuron_nbprof.trace import LinkRule

from .browsing import OUTLINED, US, Shown, open_page, shown_of
from .traces import Edge, FakeProfile, trace_of


def test_a_row_of_the_table_lights_all_calls_and_can_be_sorted_and_filtered(
    page: Any, tmp_path: Path
) -> None:
    names = [f"aten::op{i}" for i in range(12)]
    events = [(0, 0, 1000 * i, 500, i, names[i % 12], "cpu_op", b"{}") for i in range(36)]
    profile = FakeProfile(trace_of(events, []), tuple((name, float(i)) for i, name in enumerate(names)))
    shown = open_page(page, explorer_page.write(profile, tmp_path / "page.html"))
    rows = page.locator(".nbp-operators tbody tr")
    assert rows.first.inner_text().startswith("aten::op11")
    page.get_by_role("button", name="operator", exact=True).click()
    assert rows.first.inner_text().startswith("aten::op0")
    assert page.locator("th[aria-sort=ascending]").inner_text().startswith("operator")
    page.get_by_role("searchbox", name="Filter operators").fill("op7")
    assert rows.count() == 1
    rows.get_by_role("button").click()
    assert shown.ask("selected") == 7
    assert shown.ask("drawn.marked") == 3, "all three calls are marked in the overview"
    page.wait_for_timeout(50)
    assert sorted(page.evaluate(OUTLINED)) == [shown.ask(f"trace.events.start[{row}]") for row in (7, 19, 31)]
    shown.ask("select(5)")
    assert page.locator(".nbp-operators .nbp-chosen").count() == 0
    page.get_by_role("searchbox", name="Filter operators").fill("")
    assert page.locator(".nbp-operators .nbp-chosen").inner_text().startswith("aten::op5")


def test_the_cell_beside_the_table_is_linked_line_by_line(
    page: Any, tmp_path: Path, shot: Callable[..., Path]
) -> None:
    events = [
        (0, 0, 0, 100 * US, 0, "cell line 1", "user_annotation", b"{}"),
        (0, 0, 100 * US, 100 * US, 1, "cell line 2", "user_annotation", b"{}"),
        (0, 1, 10 * US, 20 * US, 2, "aten::mul", "privateuse1_runtime", b"{}"),
        (0, 1, 120 * US, 20 * US, 3, "aten::mean", "privateuse1_runtime", b"{}"),
        (3, 0, 50 * US, 40 * US, 4, "nc_exec_running", "neuron_hw", b"{}"),
        (3, 0, 150 * US, 7 * US, 5, "nc_exec_running", "neuron_hw", b"{}"),
    ]
    edges = [Edge(2, 4, LinkRule.EXEC_FLOW, 1), Edge(3, 5, LinkRule.EXEC_FLOW, 2)]
    source = "y = x * '<img src=x>'\nz = y.mean()\nprint(z)\n"
    shown = shown_of(page, tmp_path, events, edges, attributes={"capture": {"source": source}})
    lines = page.locator(".nbp-cell li")
    assert [re.sub(r"\s+", " ", text) for text in lines.all_inner_texts()] == [
        "y = x * '<img src=x>' 1× 40 µs", "z = y.mean() 1× 7 µs", "print(z)",
    ]  # fmt: skip
    shown.ask("select(5)")
    shot(page, "cell")
    assert page.locator(".nbp-cell [aria-current]").inner_text().startswith("z = y.mean()")
    lines.first.get_by_role("button").click()
    assert shown.ask("selected") == 2
    assert page.locator(".nbp-cell [aria-current]").inner_text().startswith("y = x")


def test_arguments_that_stayed_behind_are_said_to(page: Any, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr("neuron_nbprof.explorer.columns.MOST_ARGS", 20)
    events = [(0, 0, 10 * i, 5, i, "a", "cpu_op", b'{"size": 12345678901234567890}') for i in range(2)]
    events[0] = (*events[0][:7], b'{"n": 9007199254740993}'[:20].replace(b"0993", b"3}"))
    shown = shown_of(page, tmp_path, events)
    shown.ask("select(1)")
    page.get_by_role("tab", name="Event").click()
    assert "were left out" in page.get_by_role("tabpanel", name="Event").inner_text()


def test_nothing_overflows_or_is_too_small_to_read_or_touch(shown_example: Shown) -> None:
    page, root = shown_example.page, shown_example.root
    shown_example.ask("select(argument)", shown_example.ask("find('aten::mul')"))
    table = page.locator(".nbp-operators").locator("..")
    for size in (360, 412, 600, 768, 1024, 1280, 1400, 3840):
        page.set_viewport_size({"width": size, "height": 900})
        page.wait_for_timeout(200)
        assert page.evaluate("document.documentElement.scrollWidth") <= size
        if size > 360:  # there it can be pushed aside
            assert table.evaluate("(place) => place.scrollWidth - place.clientWidth") == 0, size
        assert root.evaluate(SMALL_TEXTS) == []
        assert root.evaluate(SMALL_TARGETS) == 0


SMALL_TEXTS = """(root) => [...root.querySelectorAll("*")]
  .filter((element) => element.tagName !== "STYLE" && element.checkVisibility())
  .filter((element) => [...element.childNodes].some((n) => n.nodeType === 3 && n.data.trim()))
  .filter((element) => parseFloat(getComputedStyle(element).fontSize) < 11)
  .map((element) => element.className)"""
SMALL_TARGETS = """(root) =>
  [...root.querySelectorAll(":is(.nbp-buttons, .nbp-tablist, .nbp-panel-head, .nbp-outside) button")]
    .map((element) => element.getBoundingClientRect())
    .filter(({ width, height }) => width < 24 || height < 24).length"""


@pytest.fixture
def shown_example(page: Any, tmp_path: Path) -> Shown:
    return open_page(page, neuron_nbprof.example("rmsnorm_naive").to_html(tmp_path / "page.html"))
