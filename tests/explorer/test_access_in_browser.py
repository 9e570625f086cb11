"""The explorer by keyboard, by finger, and for those who hear it or see it in colours of their own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import axe_playwright_python
import numpy as np
import pytest

import neuron_nbprof
from neuron_nbprof.explorer import page as explorer_page
from neuron_nbprof.trace import Counter, LinkRule

from .browsing import US, Shown, open_page, shown_of
from .traces import Edge

AXE = Path(axe_playwright_python.__file__).with_name("axe.min.js")
#: What WCAG 2.2 asks for at levels A and AA.
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
TABS = ["Operators", "Gaps", "Critical path", "Insights", "Event", "Search", "Measure", "Tracks", "Notes"]
FOCUSED = "document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent"
LOST = "document.activeElement === document.body"


@pytest.fixture(scope="module")
def naive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return neuron_nbprof.example().to_html(tmp_path_factory.mktemp("page") / "page.html")


@pytest.fixture(scope="module")
def compared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    profiles = [neuron_nbprof.example(name) for name in neuron_nbprof.RMSNORMS]
    return explorer_page.write(profiles[0], tmp_path_factory.mktemp("page") / "page.html", *profiles[1:])


@pytest.fixture
def visit(browser: Any) -> Iterator[Callable[..., Shown]]:
    """`visit(path, width, height, **context)` opens a page in a context of its own."""
    contexts: list[Any] = []

    def visit(path: Path, width: int = 1280, height: int = 900, **options: Any) -> Shown:
        contexts.append(browser.new_context(viewport={"width": width, "height": height}, **options))
        return open_page(contexts[-1].new_page(), path)

    yield visit
    for context in contexts:
        context.close()


@pytest.fixture
def calls(page: Any, tmp_path: Path) -> Shown:
    """Twenty calls, each with its execution, deep stacks at the first, and memory."""
    events: list[Any] = [(0, 0, 100 * US * i, 20 * US, i, "aten::mul", "cpu_op", b"{}") for i in range(20)]
    events += [(0, d, US, 10 * US, 100 + d, f"frame {d}", "python_function", b"{}") for d in range(1, 7)]
    events += [
        (3, 0, 100 * US * i + 40 * US, 50 * US, 200 + i, "nc_exec_running", "neuron_hw", b"{}")
        for i in range(20)
    ]
    edges = [Edge(i, 26 + i, LinkRule.CORRELATION, i + 1) for i in range(20)]
    memory = Counter("HBM in use", "B", "by hand", np.array([0, 500 * US]), np.array([1 << 20, 2 << 20]))
    return shown_of(page, tmp_path, events, edges, counters=[memory])


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


def press(shown: Shown, name: str, key: str = "Enter", exact: bool = False) -> None:
    control = shown.page.get_by_role("button", name=name, exact=exact).first
    control.focus()
    control.press(key)


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
    ink = page.evaluate(
        """() => { const { scene } = document.querySelector("section.nbp").explorer.timeline;
          const { left } = scene.figure.model("marks").data_source.data;
          return [...left].filter((x) => !Number.isNaN(x)) }"""
    )
    gaps = [b - a for a, b in zip(sorted(ink), sorted(ink)[1:], strict=False)]
    span = shown.ask("span")
    pixel = (span["x1"] - span["x0"]) / page.locator(".nbp-surface").bounding_box()["width"]
    assert max(ink) > 4990 * 100 * US and len(ink) > 100
    assert max(gaps) < 8 * pixel, "no stretch of the lane looks free of the operator"
    shown.ask("showSpan(...argument)", [400_000 * US, 401_000 * US])
    page.wait_for_timeout(100)
    assert page.evaluate(
        """() => [...document.querySelector("section.nbp").explorer.timeline.scene.figure.model("marks")
          .data_source.data.left].filter((x) => x >= 4e8 && x <= 4.01e8).length"""
    ) == 11  # fmt: skip


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


def test_a_pinch_keeps_what_is_under_a_finger_that_stays(visit: Callable[..., Shown], naive: Path) -> None:
    shown = visit(naive, 700, 1000, has_touch=True)
    box = shown.page.locator(".nbp-surface").bounding_box()
    y = box["y"] + 60

    def at(x: float) -> float:
        span = shown.ask("span")
        return span["x0"] + (x - box["x"]) / box["width"] * (span["x1"] - span["x0"])

    left = box["x"] + 120
    before, span = at(left), shown.ask("span")
    touch(shown, [(left, y)], *([(left, y), (left + d, y)] for d in range(60, 181, 20)))
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
