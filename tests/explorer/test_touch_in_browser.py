"""The explorer by finger, where there is little room, and in a page that is zoomed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from .browsing import LOST, Shown


def test_a_click_on_a_counter_tells_its_value_and_keeps_the_selection(calls: Shown) -> None:
    page = calls.page
    calls.click("aten::mul", 3)
    track = page.get_by_role("slider", name="HBM in use, sample by sample").bounding_box()
    lanes = page.locator(".nbp-surface").bounding_box()
    page.mouse.click(lanes["x"] + lanes["width"] * 0.9, track["y"] + track["height"] / 2)
    assert calls.ask("selected") == 3
    assert "2 MiB" in page.get_by_role("tooltip").inner_text()


def test_a_tap_on_a_counter_tells_its_value(visit: Callable[..., Shown], naive: Path) -> None:
    shown = visit(naive, 700, has_touch=True)
    track = shown.page.get_by_role("slider").first
    track.scroll_into_view_if_needed()
    lanes, box = shown.page.locator(".nbp-surface").bounding_box(), track.bounding_box()
    shown.page.touchscreen.tap(lanes["x"] + lanes["width"] * 0.5, box["y"] + box["height"] / 2)
    assert "MiB" in shown.page.get_by_role("tooltip").inner_text()


PRESSED = ".nbp :is(button, summary, select, [role=slider], [role=separator], label:has(input))"
#: What is too small for a finger among what is pressed or filled in.
SMALL = f"""() => [...document.querySelectorAll("{PRESSED}, .nbp input:not([type=checkbox])")]
  .filter((e) => e.checkVisibility())
  .map((e) => [e.outerHTML.slice(0, 90), e.getBoundingClientRect()])
  .filter(([, {{ width, height }}]) => Math.min(width, height) < 24)
  .map(([text, {{ width, height }}]) => `${{width}} x ${{height}}: ${{text}}`)"""


def test_what_a_finger_presses_is_24_pixels_wide_and_high(visit: Callable[..., Shown], naive: Path) -> None:
    shown = visit(naive, 360, 740, has_touch=True, is_mobile=True)
    shown.ask("select(argument)", shown.ask("find(...argument)", ["aten::mul", 2]))
    for tab in shown.page.get_by_role("tab").all():
        tab.click()
        assert shown.page.evaluate(SMALL) == [], tab.inner_text()


def touch(shown: Shown, *moves: list[tuple[float, float]]) -> None:
    """Fingers that go down at the first of the points, over the others, and up."""
    session = shown.page.context.new_cdp_session(shown.page)
    for i, points in enumerate(moves):
        kind = "touchStart" if i == 0 or len(points) > len(moves[i - 1]) else "touchMove"
        if i and len(points) < len(moves[i - 1]):
            kind = "touchEnd"
        spots = [{"x": x, "y": y, "id": n} for n, (x, y) in enumerate(points)]
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": spots})
    session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


def test_a_double_tap_zooms_to_the_chain_and_a_tap_brings_the_focus(
    visit: Callable[..., Shown], naive: Path
) -> None:
    shown = visit(naive, 1000, has_touch=True)
    page = shown.page
    event = shown.ask("find(...argument)", ["aten::rsqrt"])
    at = shown.ask("pixel(argument)", event)
    whole = shown.ask("span")
    page.touchscreen.tap(at["x"], at["y"])
    assert shown.ask("selected") == event
    assert page.evaluate("document.activeElement.className").startswith("nbp-surface")
    page.wait_for_timeout(500)
    assert shown.ask("span") == whole, "one tap does not zoom"
    page.touchscreen.tap(at["x"], at["y"])
    page.touchscreen.tap(at["x"], at["y"])
    span = shown.ask("span")
    assert span["x1"] - span["x0"] < 0.9 * (whole["x1"] - whole["x0"])


def test_a_pinch_keeps_what_is_under_a_finger_that_stays(visit: Callable[..., Shown], naive: Path) -> None:
    shown = visit(naive, 700, 1000, has_touch=True)
    box = shown.page.locator(".nbp-surface").bounding_box()
    y = box["y"] + 60

    def at(x: float) -> float:
        span = shown.ask("span")
        return span["x0"] + (x - box["x"]) / box["width"] * (span["x1"] - span["x0"])

    left = box["x"] + 120
    before, span = at(left), shown.ask("span")
    # Before the second finger comes, the first one has moved; so has the view, with it.
    touch(shown, [(left - 80, y)], [(left, y)], *([(left, y), (left + d, y)] for d in range(60, 181, 20)))
    after = shown.ask("span")
    assert after["x1"] - after["x0"] == pytest.approx((span["x1"] - span["x0"]) / 3, rel=0.01)
    assert at(left) == pytest.approx(before, abs=2 * (after["x1"] - after["x0"]) / box["width"])


def test_a_marking_that_is_given_up_leaves_nothing(visit: Callable[..., Shown], naive: Path) -> None:
    shown = visit(naive, 700, 1000, has_touch=True)
    page = shown.page
    box = page.locator(".nbp-surface").bounding_box()
    x, y = box["x"] + 100, box["y"] + 60
    page.get_by_role("button", name="Measure a span").tap()
    touch(shown, [(x, y)], [(x + 40, y)], [(x + 40, y), (x + 90, y)], [(x + 40, y), (x + 120, y)])
    assert page.locator(".nbp-edges").count() == 0
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 50, y)
    assert page.locator(".nbp-edges").count() == 1
    page.keyboard.press("Escape")
    page.mouse.up()
    assert page.locator(".nbp-edges").count() == 0
    assert page.get_by_role("region", name="Measurement").count() == 0


def test_the_sheet_hides_neither_the_focus_nor_the_selected_event(
    visit: Callable[..., Shown], naive: Path
) -> None:
    shown = visit(naive, 360, 740, has_touch=True)
    page = shown.page
    event = shown.ask("find(...argument)", ["nc_exec_running", 4])
    at = shown.ask("pixel(argument)", event)
    page.mouse.wheel(0, at["y"] - 600)
    page.wait_for_timeout(200)
    at = shown.ask("pixel(argument)", event)
    page.touchscreen.tap(at["x"], at["y"])
    assert shown.ask("selected") == event
    page.wait_for_timeout(200)
    sheet = page.locator(".nbp-panel").bounding_box()
    assert 0 < shown.ask("pixel(argument)", event)["y"] < sheet["y"]
    page.locator(".nbp-panel").evaluate("(panel) => { panel.scrollTop = panel.scrollHeight }")
    close = page.get_by_role("button", name="Clear the selection").bounding_box()
    assert close["y"] >= sheet["y"], "the way to close it stays at its head"
    page.evaluate("document.activeElement.blur(); scrollTo(0, 0)")
    for _ in range(70):
        page.keyboard.press("Tab")
        if page.evaluate(LOST):
            break
        covered = page.evaluate(
            """() => { const e = document.activeElement, panel = document.querySelector(".nbp-panel");
              if (panel.contains(e) || e.matches(".nbp-surface, [role=tabpanel] *")) return null;
              const box = e.getBoundingClientRect(), sheet = panel.getBoundingClientRect();
              return box.top >= sheet.top && box.bottom <= sheet.bottom ? e.outerHTML.slice(0, 80) : null }"""
        )
        assert covered is None


def test_in_a_zoomed_page_events_are_drawn_where_they_are_hit(
    visit: Callable[..., Shown], naive: Path
) -> None:
    shown = visit(naive)
    page = shown.page
    page.evaluate("document.body.style.zoom = 1.5")
    page.wait_for_timeout(400)
    canvas, lanes = page.locator(".nbp-canvas").bounding_box(), page.locator(".nbp-surface").bounding_box()
    inner = page.locator(".nbp-canvas canvas").first.bounding_box()
    assert inner["width"] == pytest.approx(lanes["width"], abs=4)
    assert canvas["width"] == pytest.approx(lanes["width"], abs=4)
    event = shown.click("aten::rsqrt")
    assert shown.ask("selected") == event
    for _ in range(4):
        page.keyboard.press("w")
    page.wait_for_timeout(100)
    x, y = lanes["x"] + 200, lanes["y"] + 20
    start = shown.ask("span")
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 150, y)
    page.mouse.up()
    moved = (start["x0"] - shown.ask("span")["x0"]) / (start["x1"] - start["x0"]) * lanes["width"]
    assert moved == pytest.approx(150, abs=2)
