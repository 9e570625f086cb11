"""The explorer by keyboard alone, and for those who hear it or see it in colours of their own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import axe_playwright_python
import pytest

import neuron_nbprof

from .browsing import LOST, OUTLINED, US, Shown, open_page, shown_of

AXE = Path(axe_playwright_python.__file__).with_name("axe.min.js")
#: What WCAG 2.2 asks for at levels A and AA.
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
TABS = ["Operators", "Gaps", "Critical path", "Insights", "Event", "Search", "Measure", "Tracks", "Notes"]
FOCUSED = "document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent"


def violations(shown: Shown) -> list[str]:
    found = shown.page.evaluate(
        "(tags) => axe.run(document, { runOnly: tags }).then(({ violations }) => violations.map("
        "({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target).join(', ')}`))",
        TAGS,
    )
    return list(found)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_in_any_tab(visit: Callable[..., Shown], naive: Path, scheme: str) -> None:
    shown = visit(naive, color_scheme=scheme, bypass_csp=True)
    shown.page.add_script_tag(path=AXE)
    assert violations(shown) == []
    shown.click("aten::mul", 2)
    for tab in TABS:
        shown.page.get_by_role("tab", name=tab).click()
        assert violations(shown) == [], tab


@pytest.mark.parametrize(("width", "scheme"), [(360, "light"), (1280, "dark")])
def test_axe_finds_nothing_in_a_comparison(
    visit: Callable[..., Shown], compared: Path, width: int, scheme: str
) -> None:
    shown = visit(compared, width, color_scheme=scheme, bypass_csp=True)
    shown.page.add_script_tag(path=AXE)
    for summary in shown.page.locator(".nbp-compared summary").all():
        summary.click()
    assert violations(shown) == []


def test_tab_reaches_what_can_be_used_and_each_stop_is_seen_and_named(
    visit: Callable[..., Shown], naive: Path
) -> None:
    shown = visit(naive)
    shown.ask("select(argument)", shown.ask("find(...argument)", ["aten::mul", 2]))
    page = shown.page
    stops = []
    for _ in range(120):
        page.keyboard.press("Tab")
        if page.evaluate(LOST):
            break
        stop = page.evaluate(
            """() => { const e = document.activeElement, box = e.getBoundingClientRect();
              return [e.getAttribute("aria-label") || e.labels?.[0]?.textContent || e.textContent.trim(),
                      box.width * box.height > 0, getComputedStyle(e).outlineStyle] }"""
        )
        assert stop[0] and stop[1] and stop[2] != "none", stop
        stops.append(stop[0])
    else:
        pytest.fail("the end of the page is never reached")
    wanted = [
        "Timeline. W and S",
        "Measure a span",
        "Select nc_exec_running",
        "Height of neuron_rt",
        "sample by sample",
    ]
    for words in wanted:
        assert any(words in stop for stop in stops), words


def press(shown: Shown, name: str) -> None:
    shown.page.get_by_role("button", name=name).first.press("Enter")


def test_no_press_of_a_key_loses_the_focus(calls: Shown) -> None:
    page = calls.page
    calls.ask("select(5)")
    kept = [
        ("Select nc_exec_running", "Select nc_exec_running"),
        ("Next of this name", "Next of this name (.)"),
        ("Previous of this name", "Previous of this name (,)"),
        ("fold 7 levels", "+4 levels: show the other levels of framework/TID:7"),
        ("+4 levels", "fold 7 levels: show only the first 3 of framework/TID:7"),
    ]
    for pressed, focused in kept:
        press(calls, pressed)
        assert page.evaluate(FOCUSED) == focused
    for key in ("]", "[", ",", "."):
        page.get_by_role("button", name="Select nc_exec_running").first.press(key)
        assert page.evaluate(FOCUSED) == "Select nc_exec_running", key
    page.get_by_role("tab", name="Event").click()
    arguments = page.get_by_role("region", name="Arguments")
    for key in ("]", ".", ","):
        arguments.focus()
        arguments.press(key)
        assert page.evaluate(FOCUSED) == "Arguments", key
    press(calls, "Clear the selection")
    assert page.evaluate(FOCUSED).startswith("Timeline.")
    calls.ask("select(5)")
    page.get_by_role("button", name="Select nc_exec_running").first.press("Escape")
    assert page.evaluate(FOCUSED).startswith("Timeline.") and calls.ask("selected") is None
    page.keyboard.press("w")
    page.wait_for_timeout(500)
    press(calls, "Back to the view before")
    assert page.evaluate(FOCUSED) == "Back to the view before (Backspace)"


def test_arranging_by_keys_keeps_the_focus(calls: Shown) -> None:
    page = calls.page
    page.get_by_role("tab", name="Tracks").click()
    edge = page.get_by_role("separator", name="Height of framework/TID:7")
    edge.focus()
    edge.press("ArrowDown")
    edge.press("ArrowDown")
    assert page.evaluate(FOCUSED) == "Height of framework/TID:7"
    field = page.get_by_label("Height of neuron_hw/NC0:4 in pixels")
    field.fill("60")
    field.press("Tab")
    page.wait_for_timeout(100)
    assert not page.evaluate(LOST)
    assert field.input_value() == "60"
    for measured in range(2):
        calls.page.locator(".nbp-surface").focus()
        page.keyboard.press("m")
        page.keyboard.press("Enter")
        assert page.get_by_role("region", name=f"Measurement {measured + 1}").is_visible()
    press(calls, "Remove this measurement")
    assert page.evaluate(FOCUSED) == "Remove this measurement"
    press(calls, "Remove this measurement")
    assert page.evaluate(FOCUSED) == "Measure"


def test_a_button_that_goes_with_what_it_did_leaves_the_focus_to_the_timeline(
    page: Any, tmp_path: Path
) -> None:
    near = [(0, 0, 10 * US * i, US, i, "aten::mul", "cpu_op", b"{}") for i in range(100)]
    shown_of(page, tmp_path, [*near, (0, 0, 10**14, US, 100, "aten::mul", "cpu_op", b"{}")])
    page.get_by_role("button", name="1 event outside the view").press("Enter")
    page.wait_for_timeout(100)
    assert page.evaluate(FOCUSED).startswith("Timeline.")


def test_a_move_to_the_last_place_keeps_the_focus(visit: Callable[..., Shown], naive: Path) -> None:
    shown = visit(naive)
    shown.page.get_by_role("tab", name="Tracks").click()
    press(shown, "Move neuron_hw/NC0:4 down")
    assert shown.page.evaluate(FOCUSED) == "Move neuron_hw/NC0:4 down"
    press(shown, "Move neuron_hw/NC0:4 down")
    labels = shown.page.locator(".nbp-lane").nth(3).locator(".nbp-track").all_inner_texts()
    assert labels == ["neuron_hw/NC0:5", "neuron_hw/NC0:4"]


def test_escape_leaves_a_field_and_what_it_has_found(calls: Shown) -> None:
    page = calls.page
    page.keyboard.press("/")
    page.locator(".nbp-surface").focus()
    page.keyboard.press("/")
    page.keyboard.type("exec")
    page.get_by_text("20 found").wait_for()
    page.keyboard.press("Escape")
    assert page.get_by_label("Name to search for").input_value() == "exec"
    assert page.evaluate(FOCUSED).startswith("Timeline.")
    page.keyboard.press("g")
    assert calls.ask("selected") == 200


def test_escape_closes_one_thing_after_the_other(calls: Shown) -> None:
    page = calls.page
    calls.click("aten::mul", 3)
    page.locator(".nbp-surface").focus()
    page.keyboard.press("m")
    page.keyboard.press("?")
    page.keyboard.press("Escape")
    assert page.locator(".nbp-help").is_hidden() and page.get_by_role("tooltip").is_hidden()
    measure = page.get_by_role("button", name="Measure a span")
    assert measure.get_attribute("aria-pressed") == "true"
    page.keyboard.press("Escape")
    assert (measure.get_attribute("aria-pressed"), calls.ask("selected")) == ("false", 3)
    page.keyboard.press("Escape")
    assert calls.ask("selected") is None


def test_a_span_is_measured_without_a_drag(calls: Shown) -> None:
    page = calls.page
    calls.ask("showSpan(...argument)", [0, 1_000_000])
    box = page.locator(".nbp-surface").bounding_box()
    page.get_by_role("button", name="Measure a span").click()
    for share in (0.8, 0.3):
        page.mouse.click(box["x"] + share * box["width"], box["y"] + 10)
    page.get_by_role("heading", name="1: 500 µs").wait_for()
    page.keyboard.press("m")
    page.mouse.dblclick(box["x"] + 0.5 * box["width"], box["y"] + 10)
    assert page.get_by_role("region", name="Measurement 2").count() == 0, "a span has two ends"
    assert page.get_by_role("status").filter(has_text="One end is set").count() == 1
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="2: 1,000 µs").wait_for()
    calls.ask("select(200)")
    page.locator(".nbp-surface").focus()
    page.keyboard.press("m")
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="3: 50 µs").wait_for()
    assert calls.ask("selected") == 200


def test_lengths_of_measured_spans_are_never_cut(calls: Shown) -> None:
    page = calls.page
    calls.ask("showSpan(...argument)", [0, 1_000_000])
    lanes = page.locator(".nbp-surface").bounding_box()
    for a, b in ((0.0, 0.01), (0.97, 0.999), (0.4, 0.6)):
        page.keyboard.press("m")
        page.locator(".nbp-surface").focus()
        if page.get_by_role("button", name="Measure a span").get_attribute("aria-pressed") == "false":
            page.keyboard.press("m")
        for share in (a, b):
            page.mouse.click(lanes["x"] + share * lanes["width"], lanes["y"] + 10)
    labels = [label.bounding_box() for label in page.locator(".nbp-spans > span").all()]
    assert len(labels) == 3
    for label in labels:
        assert label["x"] >= lanes["x"]
        assert label["x"] + label["width"] <= lanes["x"] + lanes["width"] + 0.5


def test_all_calls_of_an_operator_are_lit_however_many(page: Any, tmp_path: Path) -> None:
    events = [(0, 0, 100 * US * i, 20 * US, i, "aten::mul", "cpu_op", b"{}") for i in range(5000)]
    shown = shown_of(page, tmp_path, events)
    page.locator(".nbp-operators tbody button").first.click()
    page.wait_for_timeout(100)
    ink = page.evaluate(OUTLINED)
    gaps = [b - a for a, b in zip(sorted(ink), sorted(ink)[1:], strict=False)]
    span = shown.ask("span")
    pixel = (span["x1"] - span["x0"]) / page.locator(".nbp-surface").bounding_box()["width"]
    assert max(ink) > 4990 * 100 * US and len(ink) > 100
    assert max(gaps) < 8 * pixel, "no stretch of the lane looks free of the operator"
    shown.ask("showSpan(...argument)", [400_000 * US, 401_000 * US])
    page.wait_for_timeout(100)
    within = [start for start in page.evaluate(OUTLINED) if 400_000 * US <= start <= 401_000 * US]
    assert within == [100 * US * i for i in range(4000, 4011)]


def test_lit_events_are_outlined_in_whatever_order_they_come(page: Any, tmp_path: Path) -> None:
    shown = open_page(page, neuron_nbprof.example().to_html(tmp_path / "page.html"))
    page.get_by_role("tab", name="Critical path").click()
    page.get_by_role("button", name="Light its 9 events").click()
    page.wait_for_timeout(100)
    rows = shown.ask("timeline.scene.calls.map((row) => root.explorer.trace.events.start[row])")
    assert len(rows) == 9 and sorted(page.evaluate(OUTLINED)) == sorted(rows)


def test_keys_stay_in_the_text_of_a_measurement(calls: Shown) -> None:
    page = calls.page
    page.locator(".nbp-surface").focus()
    page.keyboard.press("m")
    page.keyboard.press("Enter")
    page.evaluate(
        """() => { if (navigator.clipboard)
          navigator.clipboard.writeText = () => Promise.reject(new Error("not allowed")) }"""
    )
    page.get_by_role("button", name="Copy this measurement as text").click()
    area = page.get_by_role("textbox", name="Measurement as text")
    area.wait_for()
    span = calls.ask("span")
    for key in "swad/m":
        area.press(key)
    assert calls.ask("span") == span
    assert page.evaluate("document.activeElement.tagName") == "TEXTAREA"


def test_a_wrong_duration_is_said_in_words(calls: Shown) -> None:
    page = calls.page
    page.get_by_role("tab", name="Search").click()
    page.get_by_label("Shortest duration").fill("soon")
    page.get_by_text('"soon": write a duration as 20 µs or 1.5 ms').wait_for()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_with_the_readers_own_colours_states_can_be_seen(
    visit: Callable[..., Shown], naive: Path, scheme: str
) -> None:
    shown = visit(naive, forced_colors="active", color_scheme=scheme)
    shown.page.get_by_role("button", name="Measure a span").click()
    for name in ("[aria-selected=true]", "[aria-pressed=true]"):
        style = shown.page.locator(name).first.evaluate("(e) => getComputedStyle(e).outlineStyle")
        assert style == "solid", name
    swatch = shown.page.locator(".nbp-swatch").first.evaluate("(e) => getComputedStyle(e).backgroundColor")
    assert swatch == "rgb(0, 114, 178)"
