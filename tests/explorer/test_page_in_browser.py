"""The self-contained page in a real browser: opened from disk, with the network cut off."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import neuron_nbprof
from neuron_nbprof.explorer import page as explorer_page

from ..captures import FRAMEWORK, TID, framework_json, system_table
from .browsing import Shown, open_page, shown_of
from .test_page import HOSTILE, hostile_profile
from .traces import FakeProfile, trace_of


@pytest.fixture
def shown(page: Any, capture: Callable[..., Path], tmp_path: Path) -> Shown:
    profile = neuron_nbprof.open(capture(framework_json(), system_table()))
    return open_page(page, profile.to_html(tmp_path / "page.html"))


def test_a_click_on_aten_mul_follows_it_to_the_hardware(shown: Shown, shot: Callable[..., Path]) -> None:
    event = shown.click("aten::mul")
    assert shown.ask("selected") == event
    shot(shown.page, "page")
    # Numbers of `tests/captures.py`: 1.12 + 20 µs; 26 + 9 µs; both cores, 38.5 to 426.1 µs.
    assert shown.stations() == [
        "aten::mul 20 µs 1 Dispatch · framework/TID:4300",
        "nrta_execute_schedule 9 µs 3 Runtime · neuron_rt/NC:0",
        "nc_exec_running 388 µs 4 Hardware · neuron_hw/NC0:4 and neuron_hw/NC0:5, counted once",
        "aten::mul.Tensor 400 µs 2 Stream · framework/Stream:0, seen by the framework, not added",
    ]
    waits = shown.page.locator(".nbp-wait").all_inner_texts()
    assert [wait.split("\n")[0] for wait in waits] == ["4.88 µs until submitted", "3.50 µs until it runs"]
    assert "linked by nrt_sequence_id 281474976710685" in waits[0]
    assert "linked by exec flow 2" in waits[1]
    assert shown.ask("drawn.arrows") == 6


def test_the_shown_sum_is_exact(shown: Shown) -> None:
    shown.click("aten::mul")
    text = shown.page.locator(".nbp-sum").inner_text()
    total, *parts = [round(float(number.replace(",", "")) * 1000) for number in re.findall(r"[\d,.]+", text)]
    assert text.startswith("of 424.980 µs = 20.000 + 4.880 + 9.000 + 3.500 + 387.600")
    assert total == sum(parts) == 424_980


def test_a_wait_tells_what_the_device_did(shown: Shown) -> None:
    shown.click("aten::mean")
    # Queued from 64 to 427 µs; the cores were busy with the multiplication until 426.1 µs.
    wait = shown.page.locator(".nbp-wait").nth(1).inner_text()
    assert wait.startswith("363 µs queued: 362 µs device busy with 1 earlier operator, 900 ns idle")
    assert "busy with aten::mul" in wait.split("\n")


def test_an_operator_that_owns_several_executions_lists_them_one_by_one(
    page: Any, capture: Callable[..., Path], tmp_path: Path
) -> None:
    outer = ("my::norm", "cpu_op", TID, 600, 55_000, {"External id": 710})
    profile = neuron_nbprof.open(capture(framework_json([*FRAMEWORK, outer]), system_table()))
    shown = open_page(page, profile.to_html(tmp_path / "page.html"))
    shown.click("my::norm")
    pager = page.locator(".nbp-pager")
    totals = []
    for number in (1, 2):
        assert f"execution {number} of 2" in pager.inner_text()
        assert shown.stations()[0].startswith("my::norm 55 µs")
        totals.append(page.locator(".nbp-sum").inner_text().split(" = ")[0])
        page.get_by_role("button", name="Next execution").click()
    # From 0.6 µs to the ends of the executions at 426.1 and 767.6 µs.
    assert totals == ["of 425.5 µs", "of 767.0 µs"]
    assert "execution 1 of 2" in pager.inner_text()


def test_everything_but_the_chain_is_dimmed(shown: Shown) -> None:
    def pixel_of(name: str, n: int) -> list[int]:
        shown.page.mouse.move(2, 2)
        at = shown.ask("pixel(argument)", shown.ask("find(...argument)", [name, n]))
        png = shown.page.screenshot(clip={"x": at["x"] - 20, "y": at["y"] + 5, "width": 1, "height": 1})
        return shown.page.evaluate(
            """async (bytes) => {
              const png = new Blob([new Uint8Array(bytes)], { type: "image/png" });
              const bitmap = await createImageBitmap(png);
              const context = new OffscreenCanvas(1, 1).getContext("2d");
              context.drawImage(bitmap, 0, 0);
              return [...context.getImageData(0, 0, 1, 1).data.slice(0, 3)];
            }""",
            list(png),
        )

    lit, other = ("nc_exec_running", 0), ("nc_exec_running", 2)
    before = pixel_of(*lit), pixel_of(*other)
    shown.click("aten::mul")
    after = pixel_of(*lit), pixel_of(*other)
    assert after[0] == before[0] == [0x00, 0x72, 0xB2]
    assert after[1] != before[1] and min(after[1]) > min(before[1])


def test_a_click_beside_all_events_and_escape_clear(shown: Shown) -> None:
    shown.click("aten::mul")
    shown.page.keyboard.press("Escape")
    assert shown.ask("selected") is None
    assert shown.ask("drawn.arrows") == 0
    shown.click("aten::mul")
    box = shown.page.locator(".nbp-surface").bounding_box()
    shown.page.mouse.click(box["x"] + 5, box["y"] + box["height"] - 5)
    assert shown.ask("selected") is None
    assert shown.page.locator(".nbp-panel h3").inner_text() == "Follow an operator"


def test_drag_wheel_and_keys_move_in_time(shown: Shown) -> None:
    page = shown.page
    whole = shown.ask("span")
    width = whole["x1"] - whole["x0"]
    box = page.locator(".nbp-surface").bounding_box()
    x, y = box["x"] + box["width"] / 4, box["y"] + box["height"] - 3

    page.mouse.move(x, y)
    page.mouse.wheel(0, -200)
    assert shown.ask("span") == whole, "a wheel without Ctrl belongs to the page"
    page.keyboard.down("Control")
    page.mouse.wheel(0, -200)
    page.keyboard.up("Control")
    page.wait_for_timeout(100)
    zoomed = shown.ask("span")
    assert zoomed["x1"] - zoomed["x0"] < 0.7 * width
    at = [span["x0"] + (span["x1"] - span["x0"]) / 4 for span in (whole, zoomed)]
    assert at[0] == pytest.approx(at[1], abs=width / 500), "what is under the pointer stays there"

    page.mouse.down()
    page.mouse.move(x - 100, y, steps=4)
    page.mouse.up()
    moved = shown.ask("span")
    expected = zoomed["x0"] + 100 * (zoomed["x1"] - zoomed["x0"]) / box["width"]
    assert moved["x0"] == pytest.approx(expected, abs=width / 500)
    assert shown.ask("selected") is None, "a drag is not a click"

    page.locator(".nbp-surface").focus()
    for key in ("w", "d", "ArrowLeft", "s", "a"):
        before = shown.ask("span")
        page.keyboard.press(key)
        assert shown.ask("span") != before, key
    page.keyboard.press("0")
    assert shown.ask("span") == whole


def test_the_overview_moves_what_is_shown(shown: Shown) -> None:
    page = shown.page
    whole = shown.ask("span")
    for _ in range(4):
        page.get_by_role("button", name="Zoom in (W)").click()
    zoomed = shown.ask("span")
    strip = page.locator(".nbp-overview").bounding_box()
    page.mouse.click(strip["x"] + 0.8 * strip["width"], strip["y"] + 10)
    moved = shown.ask("span")
    width = zoomed["x1"] - zoomed["x0"]
    assert moved["x1"] - moved["x0"] == pytest.approx(width)
    pressed = whole["x0"] + 0.8 * (whole["x1"] - whole["x0"])
    assert (moved["x0"] + moved["x1"]) / 2 == pytest.approx(pressed, abs=width / 50)


def test_keys_reach_an_operator_its_chain_and_the_next_of_its_name(shown: Shown) -> None:
    page = shown.page
    page.get_by_role("button", name="aten::mean").focus()
    page.keyboard.press("Enter")
    assert shown.ask("selected") == shown.ask("find('aten::mean')")
    whole = shown.ask("span")
    page.keyboard.press("f")
    chain = shown.ask("span")
    assert chain["x1"] - chain["x0"] < whole["x1"] - whole["x0"]
    assert chain["x0"] < 30_000 and chain["x1"] > 767_600, "the chain of aten::mean, 30 to 767.6 µs"
    assert page.get_by_role("status").inner_text().startswith("aten::mean, 1 of 1: 3 stations")
    page.keyboard.press("0")
    shown.click("nc_exec_running", 0)
    page.keyboard.press("n")
    assert shown.ask("selected") == shown.ask("find('nc_exec_running', 1)")
    page.keyboard.press("p")
    assert shown.ask("selected") == shown.ask("find('nc_exec_running', 0)")


def test_keys_do_not_leave_the_explorer_but_shortcuts_do(shown: Shown) -> None:
    page = shown.page
    page.evaluate("window.heard = []; addEventListener('keydown', (event) => window.heard.push(event.key))")
    page.locator(".nbp-surface").focus()
    for key in ("d", "d", "a", "b", "x", "Escape", "Control+b"):
        page.keyboard.press(key)
    assert page.evaluate("window.heard") == ["Control", "b"]


def test_a_station_and_the_event_tab_tell_more(shown: Shown) -> None:
    page = shown.page
    shown.click("aten::mul")
    page.locator(".nbp-station button", has_text="nrta_execute_schedule").click()
    assert shown.ask("selected") == shown.ask("find('nrta_execute_schedule')")
    assert len(shown.stations()) == 4
    page.get_by_role("tab", name="Event").click()
    facts = page.get_by_role("tabpanel", name="Event").inner_text()
    assert "26,000 ns after the first event" in facts and "9,000 ns" in facts
    assert "605291374318702" in facts


def test_hover_tells_name_and_time(shown: Shown) -> None:
    at = shown.ask("pixel(argument)", shown.ask("find('nc_exec_running')"))
    shown.page.mouse.move(at["x"], at["y"])
    tooltip = shown.page.get_by_role("tooltip")
    assert tooltip.inner_text().split("\n")[:2] == ["nc_exec_running", "387 µs, begins at 38.5 µs"]
    shown.page.mouse.move(2, 2)
    assert tooltip.is_hidden()


def test_a_frame_that_outlasts_the_profile_is_marked(
    page: Any, tmp_path: Path, shot: Callable[..., Path]
) -> None:
    # "step" ends 1 ns before "fit", so both end with the profile; "load" has ended long before.
    events: list[Any] = [
        (0, 0, 0, 1_000_000, 0, "fit", "python_function", b"{}"),
        (0, 1, 0, 400_000, 1, "load", "python_function", b"{}"),
        (0, 1, 400_000, 599_999, 2, "step", "python_function", b"{}"),
    ]
    shown = shown_of(page, tmp_path, events)
    outlasting = {"fit": True, "load": False, "step": True}
    for name, cut_off in outlasting.items():
        shown.click(name)
        at = shown.ask("pixel(argument)", shown.ask("selected"))
        page.mouse.move(at["x"] + 3, at["y"])
        assert ("still running" in page.get_by_role("tooltip").inner_text()) is cut_off, name
        page.get_by_role("tab", name="Event").click()
        facts = page.get_by_role("tabpanel", name="Event").inner_text()
        assert ("still running when the profile ended" in facts) is cut_off, name
    labels = shown.ask("timeline.figure.model('labels').data_source.data.text.slice()")
    assert sorted(labels) == ["load", "⇥ fit", "⇥ step"]
    shot(page, "cut-off")


def test_dark_and_light_follow_the_reader(shown: Shown, shot: Callable[..., Path]) -> None:
    def background() -> str:
        return shown.root.evaluate("root => getComputedStyle(root).backgroundColor")

    shown.click("aten::mul")
    shown.page.emulate_media(color_scheme="light")
    assert background() == "rgb(255, 255, 255)"
    assert shown.ask("drawn.dark") is False
    shown.page.emulate_media(color_scheme="dark")
    shown.page.wait_for_timeout(200)
    assert background() == "rgb(22, 25, 29)"
    assert shown.ask("drawn.dark") is True, "the figure is drawn anew"
    shot(shown.page, "page-dark")


def test_on_a_narrow_screen_the_panel_is_below(shown: Shown, shot: Callable[..., Path]) -> None:
    page = shown.page
    page.set_viewport_size({"width": 400, "height": 1200})
    shown.click("aten::mul")
    shot(page, "page-narrow")
    timeline, panel = (page.locator(name).bounding_box() for name in (".nbp-timeline", ".nbp-panel"))
    assert panel["y"] >= timeline["y"] + timeline["height"]
    assert page.evaluate("document.documentElement.scrollWidth") <= 400
    # The labels of the tracks stay in line with the rows that the figure draws.
    label = page.locator(".nbp-track", has_text="NC0:5").bounding_box()
    second_core = shown.ask("pixel(argument)", shown.ask("find('nc_exec_running', 1)"))
    assert label["y"] < second_core["y"] < label["y"] + label["height"]


def test_a_very_deep_track_scrolls_and_stays_in_line(page: Any, tmp_path: Path) -> None:
    depths = 120
    events = [
        (0, depth, depth, 1_000 - 2 * depth, depth, f"f{depth}", "python_function", b"{}")
        for depth in range(depths)
    ]
    shown = open_page(
        page, explorer_page.write(FakeProfile(trace_of(events, []), ()), tmp_path / "deep.html")
    )
    shown.ask("select(argument)", depths - 1)
    page.wait_for_timeout(200)
    assert page.locator(".nbp-timeline").evaluate("element => element.scrollTop") > 500
    for number in (depths - 1, depths - 7):
        shown.click(f"f{number}")
        assert shown.ask("selected") == number
    assert page.locator(".nbp-timeline").evaluate("element => element.clientHeight") < 600


def test_hostile_texts_are_shown_and_do_nothing(page: Any, tmp_path: Path) -> None:
    dialogs: list[str] = []
    page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
    shown = open_page(page, explorer_page.write(hostile_profile(), tmp_path / "hostile.html"))
    page.get_by_role("button", name=HOSTILE, exact=True).click()
    assert shown.ask("selected") == 0
    page.get_by_role("tab", name="Event").click()
    assert json.loads(page.locator(".nbp-args").inner_text()) == {HOSTILE: HOSTILE}
    at = shown.ask("pixel(argument)", 0)
    page.mouse.move(at["x"], at["y"])
    assert HOSTILE in page.get_by_role("tooltip").inner_text()
    assert page.locator("h2").inner_text() == HOSTILE
    assert page.locator("img").count() == 0
    assert dialogs == [] and page.problems == []


def test_the_page_forbids_eval(shown: Shown) -> None:
    # Playwright's own evaluation is exempt from the policy; a timer is not.
    said = shown.page.evaluate(
        """() => new Promise((done) => setTimeout(() => {
          try { new Function("return 1")(); done("allowed"); } catch (error) { done(error.name); }
        }))"""
    )
    assert said == "EvalError"
