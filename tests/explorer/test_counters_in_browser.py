"""Counters, heights of tracks, and what compiled regions hold; in a real browser."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np
import pytest

from neuron_nbprof.explorer import page as explorer_page
from neuron_nbprof.trace import Counter, LinkRule

from .browsing import US, Shown, open_page, shown_of
from .test_page import HOSTILE
from .traces import Edge, FakeProfile, trace_of

#: ns; memory rises for a moment at 300 µs, between two samples that are alike.
MEMORY = [(0, 2**30), (100 * US, 3 * 2**29), (300 * US, 2**33 + 1), (300 * US + 1, 3 * 2**29), (600 * US, 0)]
PEAK = 2


def counter(label: str, samples: list[tuple[int, float]], unit: str = "B", span_ns: int = 0) -> Counter:
    time, value = (np.array(column) for column in zip(*samples, strict=True))
    return Counter(label, unit, "by hand", time, value, span_ns)


@pytest.fixture
def shown(page: Any, tmp_path: Path) -> Shown:
    """Ten calls in a millisecond, memory, and a CPU of which one mean lies in the second half."""
    events = [(0, 0, 100 * US * i, 20 * US, i, "aten::mul", "cpu_op", b"{}") for i in range(10)]
    cpu = counter("host CPU, average", [(1000 * US, 40.0)], "%", 500 * US)
    return shown_of(page, tmp_path, events, counters=[counter("HBM in use", MEMORY), cpu])


def label(shown: Shown, name: str) -> Any:
    return shown.page.get_by_role("slider", name=f"{name}, sample by sample")


def over(shown: Shown, name: str, time: int) -> list[str]:
    """The tooltip at a time of the track of a counter."""
    box, row = shown.page.locator(".nbp-surface").bounding_box(), label(shown, name).bounding_box()
    span = shown.ask("span")
    share = (time - span["x0"]) / (span["x1"] - span["x0"])
    shown.page.mouse.move(box["x"] + share * box["width"], row["y"] + row["height"] / 2)
    return shown.page.get_by_role("tooltip").inner_text().split("\n")


def column_of_ink(shown: Shown, name: str, time: int) -> int:
    """How many device pixels of the track are drawn strongly in the column of a time."""
    row, plot = label(shown, name).bounding_box(), shown.page.locator(".nbp-plot").bounding_box()
    span = shown.ask("span")
    share = (time - span["x0"]) / (span["x1"] - span["x0"])
    return shown.page.locator("canvas.nbp-counters").evaluate(
        """(canvas, [share, top, height]) => {
          const column = Math.floor(share * canvas.width);
          const { data } = canvas.getContext("2d").getImageData(column, top, 1, height);
          return data.filter((value, i) => i % 4 === 3 && value > 100).length;
        }""",
        [share, round(row["y"] - plot["y"]), round(row["height"]) - 2],
    )


def test_counters_lie_below_the_lanes_and_tell_value_and_exact_value_at_the_pointer(
    shown: Shown, shot: Callable[..., Path]
) -> None:
    lanes = shown.page.locator(".nbp-lane").all()
    assert lanes[-1].get_attribute("aria-label") == "Counters"
    assert over(shown, "HBM in use", 150 * US) == [
        "HBM in use", "1.5 GiB from 100 µs on", "1,610,612,736 B", "by hand",
    ]  # fmt: skip
    shot(shown.page, "counters")
    assert "1.5 GiB" in label(shown, "HBM in use").inner_text()
    assert "40 %" not in label(shown, "host CPU, average").inner_text(), "no mean covers this time"
    assert over(shown, "host CPU, average", 700 * US)[:2] == [
        "host CPU, average", "40 % on average, 500 µs to 1,000 µs",
    ]  # fmt: skip
    assert over(shown, "host CPU, average", 300 * US)[1] == "no sample here"
    shown.page.mouse.move(2, 2)
    assert label(shown, "HBM in use").inner_text().endswith("0 B \u2013 8 GiB")


def test_a_peak_of_a_nanosecond_is_drawn_at_every_zoom(shown: Shown) -> None:
    usual = column_of_ink(shown, "HBM in use", 200 * US)
    assert column_of_ink(shown, "HBM in use", 300 * US) > usual + 15
    shown.ask("showSpan(...argument)", [299 * US, 301 * US])
    assert column_of_ink(shown, "HBM in use", 300 * US) > usual + 15
    assert column_of_ink(shown, "HBM in use", 300 * US + 500) == pytest.approx(usual, abs=2)


def test_keys_walk_from_sample_to_sample_and_say_what_they_find(shown: Shown) -> None:
    page = shown.page
    slider = label(shown, "HBM in use")
    slider.focus()
    assert slider.get_attribute("aria-valuetext") == "0 B to 8 GiB"
    said = []
    before = shown.ask("span")
    for key in ("Home", "ArrowRight", "ArrowRight", "End"):
        page.keyboard.press(key)
        said.append(slider.get_attribute("aria-valuetext"))
    assert said == [
        "1 GiB from 0 ns on", "1.5 GiB from 100 µs on", "8 GiB from 300 µs on", "0 B from 600 µs on",
    ]  # fmt: skip
    assert shown.ask("span") == before, "the keys are the slider's and do not move the timeline"
    assert slider.get_attribute("aria-valuenow") == str(len(MEMORY))
    shown.ask("showSpan(...argument)", [0, 50 * US])
    page.keyboard.press("End")
    assert shown.ask("span.x1") > 600 * US, "what it tells can be seen"


def test_tracks_are_resized_by_their_lower_edge_and_by_keys_and_an_address_keeps_it(
    shown: Shown, shot: Callable[..., Path]
) -> None:
    page = shown.page
    edge = page.get_by_role("separator", name="Height of framework/TID:7")
    low, high = edge.bounding_box(), page.locator(".nbp-track").first.bounding_box()
    page.mouse.move(low["x"] + 20, low["y"] + low["height"] / 2)
    page.mouse.down()
    page.mouse.move(low["x"] + 20, low["y"] + low["height"] / 2 + 41, steps=5)
    page.mouse.up()
    resized = page.locator(".nbp-track").first.bounding_box()
    assert resized["height"] == high["height"] + 42, "an even number of pixels"
    assert edge.evaluate("element => element === document.activeElement")
    page.keyboard.press("ArrowDown")
    assert page.locator(".nbp-track").first.bounding_box()["height"] == high["height"] + 50
    shown.click("aten::mul", 3)
    assert shown.ask("selected") == 3, "events are hit where they are drawn"
    shot(page, "resized")

    page.get_by_role("tab", name="Tracks").click()
    field = page.get_by_label("Height of HBM in use in pixels")
    assert field.input_value() == "48"
    field.fill("101")
    field.press("Enter")
    assert label(shown, "HBM in use").bounding_box()["height"] == 102
    assert field.evaluate("element => element === document.activeElement"), "the field keeps the focus"
    page.wait_for_timeout(400)
    state = {"heights": [[0, int(high["height"]) + 50], [4, 102]]}
    assert page.url.endswith(f"&tracks={quote(json.dumps(state, separators=(',', ':')), safe='')}")

    page.reload()
    page.wait_for_timeout(1500)
    assert label(shown, "HBM in use").bounding_box()["height"] == 102
    assert page.locator(".nbp-track").first.bounding_box()["height"] == high["height"] + 50
    page.get_by_role("separator", name="Height of HBM in use").dblclick()
    assert label(shown, "HBM in use").bounding_box()["height"] == 48
    page.get_by_role("separator", name="Height of framework/TID:7").focus()
    page.keyboard.press("Delete")
    assert shown.ask("arrangement") == {}


def test_an_address_that_does_not_fit_the_page_is_ignored(page: Any, tmp_path: Path) -> None:
    profile = FakeProfile(trace_of(), (("aten::mul", 1.0),))
    path = explorer_page.write(profile, tmp_path / "page.html")
    for odd in ("tracks=%7B", "tracks=%7B%22heights%22%3A%5B%5B99%2C8%5D%5D%7D", "tracks=5&event=99999"):
        page.goto(f"{path.as_uri()}#{odd}")
        page.reload()
        page.wait_for_timeout(800)
        assert Shown(page).ask("arrangement") == {}
    assert page.problems == []


def test_counters_are_hidden_moved_and_grouped_like_tracks(shown: Shown) -> None:
    page = shown.page
    page.get_by_role("tab", name="Tracks").click()
    page.get_by_role("button", name="Move host CPU, average up").click()
    assert page.get_by_role("button", name="Move host CPU, average down").is_enabled()
    names = page.locator(".nbp-counter bdi").all_inner_texts()
    assert names == ["host CPU, average", "HBM in use"]
    page.get_by_role("checkbox", name="HBM in use").uncheck()
    assert page.locator(".nbp-counter bdi").all_inner_texts() == ["host CPU, average"]
    assert page.get_by_label("Height of HBM in use in pixels").is_disabled()
    page.get_by_role("combobox", name="Group tracks by").select_option("thread")
    assert "host CPU, average" in page.locator(".nbp-lane").last.inner_text()
    assert shown.page.problems == []


def test_hostile_counters_are_text_and_samples_alone_can_be_looked_at(page: Any, tmp_path: Path) -> None:
    odd = Counter(HOSTILE, HOSTILE, HOSTILE, np.array([0, 1000]), np.array([-1, 2]))
    shown = shown_of(page, tmp_path, [], counters=[odd])
    assert shown.ask("span.x1") > 1000
    lines = over(shown, HOSTILE, 500)
    assert lines[0] == HOSTILE and HOSTILE in lines[1]
    assert page.locator("img").count() == 0 and page.problems == []


def test_a_compiled_region_lists_its_operators_wherever_its_chain_is_entered(
    page: Any, tmp_path: Path
) -> None:
    listed = json.dumps({"graph_operators": ["aten::mul", "aten::mean", "aten::mul", HOSTILE]}).encode()
    events = [
        (0, 0, 0, 50 * US, 0, "Torch-Compiled Region: 0/0", "cpu_op", b"{}"),
        (0, 0, 90 * US, 5 * US, 1, "aten::mul", "cpu_op", b"{}"),
        (0, 1, 10 * US, 20 * US, 2, "model_0", "privateuse1_runtime", listed),
        (2, 0, 40 * US, 5 * US, 3, "nrta_execute_schedule", "neuron_rt", b"{}"),
        (3, 0, 60 * US, 30 * US, 4, "nc_exec_running", "neuron_hw", b"{}"),
    ]
    edges = [Edge(0, 2, LinkRule.EXTERNAL_ID, 1), Edge(2, 3, LinkRule.NRT_SEQUENCE, 2),
             Edge(3, 4, LinkRule.EXEC_FLOW, 3)]  # fmt: skip
    shown = shown_of(page, tmp_path, events, edges)
    for event in (0, 2, 3, 4):
        shown.ask("select(argument)", event)
        held = page.locator(".nbp-held")
        assert held.locator("summary").inner_text() == "Compiled from 4 operators"
        assert held.locator("li").all_inner_texts() == ["2 × aten::mul", "aten::mean", HOSTILE]
    shown.ask("select(1)")
    assert page.locator(".nbp-held").count() == 0
    assert page.locator("img").count() == 0


def test_with_many_counters_six_are_shown_and_the_others_can_be(page: Any, tmp_path: Path) -> None:
    events = [(0, 0, 0, 1000, 0, "aten::mul", "cpu_op", b"{}")]
    many = [counter(f"host CPU {i}", [(0, i)], "%") for i in range(9)]
    open_page(
        page, explorer_page.write(FakeProfile(trace_of(events, [], counters=many), ()), tmp_path / "p.html")
    )
    assert page.locator(".nbp-counter").count() == 6
    page.get_by_role("tab", name="Tracks").click()
    page.get_by_role("checkbox", name="host CPU 8").check()
    assert page.locator(".nbp-counter").count() == 7
