"""What the hand finds in the explorer: moving, searching, measuring, arranging; in a real browser."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from neuron_nbprof.trace import LinkRule

from .browsing import US, Shown, shown_of
from .traces import Edge


@pytest.fixture
def crowd(page: Any, tmp_path: Path) -> Shown:
    """A thousand calls, every fourth an addition, each with its execution 500 µs later; the third is long."""
    events: list[Any] = []
    for i in range(1000):
        name = "aten::add" if i % 4 == 3 else "aten::mul"
        events.append((0, 0, 100 * US * i, (90 if i == 2 else 20) * US, i, name, "cpu_op", b"{}"))
    for i in range(1000):
        events.append(
            (3, 0, 100 * US * i + 500 * US, 50 * US, 1000 + i, "nc_exec_running", "neuron_hw", b"{}")
        )
    edges = [Edge(i, 1000 + i, LinkRule.CORRELATION, i + 1) for i in range(1000)]
    return shown_of(page, tmp_path, events, edges)


def width(shown: Shown) -> float:
    span = shown.ask("span")
    return span["x1"] - span["x0"]


def drag(shown: Shown, x0: float, x1: float, y: float = 0.95) -> list[float]:
    """A drag over the lanes, in shares of their width; returns the times under its ends."""
    box, span = shown.page.locator(".nbp-surface").bounding_box(), shown.ask("span")
    at = box["y"] + y * box["height"]
    shown.page.mouse.move(box["x"] + x0 * box["width"], at)
    shown.page.mouse.down()
    shown.page.mouse.move(box["x"] + x1 * box["width"], at, steps=4)
    shown.page.mouse.up()
    return [span["x0"] + share * (span["x1"] - span["x0"]) for share in (x0, x1)]


def test_a_search_counts_marks_lists_and_steps(crowd: Shown) -> None:
    page = crowd.page
    page.locator(".nbp-surface").focus()
    page.keyboard.press("/")
    page.keyboard.type("ADD")
    count = page.locator(".nbp-count")
    page.wait_for_timeout(400)
    assert count.inner_text() == "250 found"
    assert 200 <= crowd.ask("drawn.marked") <= 250, "each found event marks its column of the overview"
    page.keyboard.press("Enter")
    assert count.inner_text() == "1 of 250 found"
    assert crowd.ask("selected") == 3
    page.keyboard.press("Escape")
    page.keyboard.press("g")
    assert crowd.ask("selected") == 7
    page.keyboard.press("Shift+G")
    page.keyboard.press("Shift+G")
    assert crowd.ask("selected") == 999, "before the first comes the last"
    entries = page.locator(".nbp-found li")
    assert entries.count() == 201
    assert entries.nth(200).inner_text().startswith("and 50 more")
    entries.nth(1).get_by_role("button").click()
    assert crowd.ask("selected") == 7


def test_a_search_by_pattern_lane_and_duration(crowd: Shown) -> None:
    page = crowd.page
    page.get_by_role("button", name="Search (/)").click()
    count = page.locator(".nbp-count")

    def after(act: Callable[[], object]) -> str:
        act()
        page.wait_for_timeout(300)
        return count.inner_text()

    name = page.get_by_role("searchbox", name="Name to search for")
    assert after(lambda: name.fill("^aten::(mul|add)$")) == "0 found"
    assert after(lambda: page.get_by_label("regular expression").check()) == "1,000 found"
    assert after(lambda: page.get_by_label("Shortest duration").fill("30 us")) == "1 found"
    assert after(lambda: page.get_by_label("Shortest duration").fill("")) == "1,000 found"
    assert after(lambda: page.get_by_role("combobox", name="Lane").select_option("3")) == "0 found"
    assert after(lambda: name.fill("")) == "1,000 found"
    assert after(lambda: name.fill("(")) == "This is no regular expression."


def test_shift_and_drag_zoom_to_a_span_and_views_can_be_gone_back_to(crowd: Shown) -> None:
    page = crowd.page
    whole = crowd.ask("span")
    page.keyboard.down("Shift")
    times = drag(crowd, 0.25, 0.5)
    page.keyboard.up("Shift")
    zoomed = crowd.ask("span")
    assert [zoomed["x0"], zoomed["x1"]] == pytest.approx(times, abs=0.005 * (whole["x1"] - whole["x0"]))
    page.wait_for_timeout(500)
    page.locator(".nbp-surface").focus()
    page.keyboard.press("d")
    page.wait_for_timeout(500)
    page.keyboard.press("Backspace")
    assert crowd.ask("span") == zoomed
    page.get_by_role("button", name="Back to the view before").click()
    assert crowd.ask("span") == whole
    assert page.get_by_role("button", name="Back to the view before").is_disabled()
    page.get_by_role("button", name="Forward again").click()
    assert crowd.ask("span") == zoomed


def test_a_span_is_measured_pinned_copied_and_taken_off(crowd: Shown, shot: Callable[..., Path]) -> None:
    page = crowd.page
    page.locator(".nbp-surface").focus()
    page.keyboard.press("m")
    page.keyboard.press("Escape")
    drag(crowd, 0.2, 0.3)
    assert page.locator(".nbp-edges").count() == 0, "Escape has left the mode"
    whole = crowd.ask("span")
    crowd.ask("showSpan(...argument)", [-20, 1_000_000])
    page.keyboard.press("m")
    times = drag(crowd, 0.0, 0.5)
    assert times[1] - times[0] == pytest.approx(500_010)
    report = page.get_by_role("region", name="Measurement 1")
    assert report.get_by_role("heading").inner_text() == "1: 500 µs"
    # 0 to 500 µs: five calls, of 20 µs but one of 90 µs; the first execution begins where the span ends.
    lane = report.get_by_role("row").filter(has_text="Dispatch").first
    assert re.split(r"\s*\t\s*", lane.inner_text()) == ["Dispatch", "170 µs", "34.0 %", "5"]
    shot(page, "measured")
    page.keyboard.press("m")
    page.locator(".nbp-surface").focus()
    drag(crowd, 0.6, 0.9)
    assert page.locator(".nbp-edges").count() == 2
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Copy this measurement as text").first.click()
    page.wait_for_timeout(100)
    area = page.get_by_role("textbox", name="Measurement as text")
    text = area.input_value() if area.count() else page.evaluate("navigator.clipboard.readText()")
    assert text.startswith("500 µs (500,0") and "aten::mul: 150 µs in 4 events" in text
    page.get_by_role("button", name="Remove this measurement").first.click()
    assert page.locator(".nbp-edges").count() == 1
    assert crowd.ask("span") != whole and crowd.ask("selected") is None


def test_brackets_walk_along_the_chain_and_commas_among_calls(crowd: Shown) -> None:
    page = crowd.page
    crowd.ask("select(4)")
    page.locator(".nbp-surface").focus()
    page.keyboard.press("]")
    assert crowd.ask("selected") == 1004
    page.keyboard.press("]")
    assert crowd.ask("selected") == 1004, "the chain ends there"
    page.keyboard.press(".")
    assert crowd.ask("selected") == 1005
    page.keyboard.press(",")
    page.keyboard.press("[")
    assert crowd.ask("selected") == 4


def test_question_mark_lists_the_keys(crowd: Shown) -> None:
    page = crowd.page
    page.locator(".nbp-surface").focus()
    page.keyboard.press("?")
    assert "back and on along the chain" in page.locator(".nbp-help").inner_text()
    page.keyboard.press("?")
    assert page.locator(".nbp-help").is_hidden()


def test_a_slice_tells_what_it_stands_for_and_zooming_takes_it_apart(page: Any, tmp_path: Path) -> None:
    near = [(0, 0, 10 * i, 5, i, "aten::mul" if i % 2 else "aten::add", "cpu_op", b"{}") for i in range(10)]
    far = [(0, 0, 1_000_000 + 10 * i, 5, 10 + i, "aten::mean", "cpu_op", b"{}") for i in range(10)]
    shown = shown_of(page, tmp_path, near + far)
    shown.ask("showSpan(...argument)", [-1_000, 1_001_000])
    at = shown.ask("pixel(0)")
    page.mouse.move(at["x"], at["y"])
    lines = page.get_by_role("tooltip").inner_text().split("\n")
    assert lines[:3] == ["10 events in this slice", "5 × aten::add", "5 × aten::mul"]
    shown.ask("showSpan(...argument)", [-5, 150])
    at = shown.ask("pixel(3)")
    page.mouse.move(at["x"], at["y"])
    assert page.get_by_role("tooltip").inner_text().startswith("aten::mul\n5 ns, begins at 30 ns")


def test_an_event_without_length_can_be_seen_and_clicked(page: Any, tmp_path: Path) -> None:
    events = [(0, 0, 0, 1000, 0, "a", "cpu_op", b"{}"), (0, 0, 5000, 0, 1, "mark", "cpu_op", b"{}"),
              (0, 0, 9000, 1000, 2, "b", "cpu_op", b"{}")]  # fmt: skip
    shown = shown_of(page, tmp_path, events)
    shown.click("mark")
    assert shown.ask("selected") == 1
    shown.page.mouse.move(*(shown.ask("pixel(1)")[axis] for axis in "xy"))
    assert "no duration" in page.get_by_role("tooltip").inner_text()


def test_events_far_away_are_counted_and_a_press_shows_them(page: Any, tmp_path: Path) -> None:
    now = 10**15
    events = [(0, 0, 0, 5, 0, "lost", "cpu_op", b"{}")]
    events += [(0, 0, now + 100 * i, 50, 1 + i, "aten::mul", "cpu_op", b"{}") for i in range(200)]
    shown = shown_of(page, tmp_path, events)
    assert now - 1000 < shown.ask("span.x0") <= now
    marker = page.get_by_role("button", name="1 event outside the view")
    assert marker.inner_text().endswith("1 event outside the view")
    marker.click()
    assert shown.ask("span.x0") < 0
    assert marker.is_hidden()
    page.locator(".nbp-surface").focus()
    page.keyboard.press("0")
    assert now - 1000 < shown.ask("span.x0") <= now


def test_events_beyond_exact_numbers_are_drawn_and_told_exactly(page: Any, tmp_path: Path) -> None:
    now = 1_790_857_026_000_000_000
    events = [(0, 0, 0, 5, 0, "lost", "cpu_op", b"{}")]
    events += [(0, 0, now + 100 * i, 50, 1 + i, "aten::mul", "cpu_op", b"{}") for i in range(200)]
    shown = shown_of(page, tmp_path, events)
    shown.ask("select(0)")
    page.get_by_role("tab", name="Event").click()
    # The trace's origin, and not a nanosecond from it.
    assert "1790857026000000123 ns" in page.get_by_role("tabpanel", name="Event").inner_text()
    page.get_by_role("tab", name="Notes").click()
    assert "more than 104 days from the others" in page.get_by_role("tabpanel").last.inner_text()


def test_a_deep_track_is_folded_and_unfolds(page: Any, tmp_path: Path) -> None:
    depth = 57
    events = [(0, d, d, 1000 - 2 * d, d, f"f{d}", "python_function", b"{}") for d in range(depth)]
    shown = shown_of(page, tmp_path, events)
    fold = page.get_by_role("button", name="+54 levels: show the other levels of framework/TID:7")
    assert fold.inner_text() == "+54 levels"
    fold.click()
    shown.ask("select(20)")
    page.wait_for_timeout(100)
    shown.click("f20")
    assert shown.ask("selected") == 20
    page.locator(".nbp-timeline").evaluate("element => element.scrollTop = 0")
    page.get_by_role("button", name="fold 57 levels: show only the first 3 of framework/TID:7").click()
    assert page.get_by_role("button", name="+54 levels").is_visible()
    shown.ask("select(56)")
    assert page.get_by_role("button", name="+54 levels").count() == 0, "what is selected is shown"


def test_tracks_are_grouped_hidden_and_moved(crowd: Shown, shot: Callable[..., Path]) -> None:
    page = crowd.page
    page.get_by_role("tab", name="Tracks").click()
    page.get_by_role("combobox", name="Group tracks by").select_option("NeuronCore")
    groups = page.locator(".nbp-lane").all()
    assert [group.get_attribute("aria-label") for group in groups] == ["NeuronCore 0", "Other tracks"]
    crowd.click("nc_exec_running", 500)
    assert crowd.ask("selected") in range(1490, 1511), "the pixel under the pointer is that of the event"
    page.get_by_role("button", name="Move framework/Stream:0 up").click()
    shot(page, "grouped")
    labels = page.locator(".nbp-track").all_inner_texts()
    assert labels.index("framework/Stream:0") < labels.index("framework/TID:7")
    page.get_by_label("framework/TID:7", exact=True).uncheck()
    assert "framework/TID:7" not in page.locator(".nbp-track").all_inner_texts()
    crowd.ask("select(1)")
    assert "framework/TID:7" in page.locator(".nbp-track").all_inner_texts()


def test_a_fan_out_of_hundreds_is_one_line_that_opens(page: Any, tmp_path: Path) -> None:
    events: list[Any] = [
        (0, 0, 0, 50, 0, "graph", "cpu_op", b"{}"),
        (2, 0, 10, 20, 1, "launch", "neuron_rt", b"{}"),
    ]
    events += [(3, 0, 100 + 10 * i, 5, 2 + i, "kernel", "neuron_hw", b"{}") for i in range(300)]
    edges = [
        Edge(0, 1, LinkRule.EXTERNAL_ID, 1),
        *(Edge(1, 2 + i, LinkRule.EXEC_FLOW, 1) for i in range(300)),
    ]
    shown = shown_of(page, tmp_path, events, edges)
    shown.ask("select(1)")
    down = page.locator(".nbp-neighbours").nth(1)
    assert down.inner_text().split("\n")[0] == "Downstream (300)"
    fan = down.locator("details summary")
    assert fan.inner_text().startswith("300 × kernel")
    assert down.get_by_role("button").count() == 0
    fan.click()
    down.get_by_role("button").nth(199).wait_for()
    assert down.get_by_role("button").count() == 200
    down.get_by_role("button").nth(4).click()
    assert shown.ask("selected") == 6
    up = page.locator(".nbp-neighbours").first.inner_text().split("\n")
    assert up[0] == "Upstream (1)" and up[1] == "launch" and "110 ns gap · exec flow" in up[-1]


def test_a_guessed_link_is_dashed_and_a_skewed_clock_is_told(page: Any, tmp_path: Path) -> None:
    events = [
        (2, 0, 50 * US, 10 * US, 0, "launch", "neuron_rt", b"{}"),
        (3, 0, 20 * US, 70 * US, 1, "run", "neuron_hw", b"{}"),
    ]
    shown = shown_of(page, tmp_path, events, [Edge(0, 1, LinkRule.SUBMISSION_ORDER, 0)])
    shown.ask("select(0)")
    page.wait_for_timeout(200)
    wait = page.locator(".nbp-wait").inner_text()
    assert wait.startswith("clock skew of at least 30 µs") and "order of submission (guessed)" in wait
    figure = "document.querySelector('section.nbp').explorer.timeline.figure"
    count = f"(name) => {figure}.model(name).data_source.data.x0.length"
    assert [page.evaluate(count, name) for name in ("guesses", "arrows")] == [1, 0]
    texts = page.evaluate(f"[...{figure}.model('labels').data_source.data.text]")
    assert "clock skew ≥ 30 µs" in texts


def test_two_fingers_zoom(page: Any, crowd: Shown) -> None:
    before = width(crowd)
    box = page.locator(".nbp-surface").bounding_box()
    client = page.context.new_cdp_session(page)
    middle, y = box["x"] + box["width"] / 2, box["y"] + 60

    def fingers(kind: str, apart: float) -> None:
        points = (
            []
            if kind == "touchEnd"
            else [{"x": middle + side * apart, "y": y, "id": i} for i, side in enumerate((-1, 1))]
        )
        client.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    client.send("Emulation.setTouchEmulationEnabled", {"enabled": True})
    fingers("touchStart", 50)
    for apart in (70, 100, 150):
        fingers("touchMove", apart)
    fingers("touchEnd", 0)
    page.wait_for_timeout(200)
    assert width(crowd) == pytest.approx(before / 3, rel=0.15)
