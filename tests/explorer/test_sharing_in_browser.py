"""What leaves the notebook: a page opened elsewhere, several profiles side by side, a frame in an output."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import neuron_nbprof
from neuron_nbprof.explorer import page as explorer_page
from neuron_nbprof.trace import LinkRule

from .browsing import WAIT_MS, Shown, open_page
from .test_page import HOSTILE
from .traces import Edge, FakeProfile, trace_of

EXPLORERS = "[...document.querySelectorAll('section.nbp')].map((root) => root.explorer)"


@pytest.fixture
def example(page: Any, tmp_path: Path) -> Shown:
    return open_page(page, neuron_nbprof.example("rmsnorm_naive").to_html(tmp_path / "page.html"))


def test_the_address_opens_where_its_author_stood(page: Any, example: Shown) -> None:
    event = example.click("nc_exec_running", 4)
    example.ask("showSpan(...argument)", [300_000, 2_000_000])
    page.wait_for_timeout(500)
    address = page.url
    assert re.search(rf"#event={event}&ns=300000\.\.2000000$", address)
    page.goto("about:blank")
    page.goto(address)
    for _ in range(WAIT_MS // 50):
        if example.root.count() and example.ask("drawn.frames"):
            break
        page.wait_for_timeout(50)
    assert example.ask("selected") == event
    assert example.ask("span") == {"x0": 300_000, "x1": 2_000_000}


def test_an_address_that_means_nothing_is_ignored(page: Any, example: Shown) -> None:
    before = example.ask("span")
    for fragment in ("#event=99999&ns=9..1", "#event=<b>&ns=x..y", "#%%%", "#event=", "#ns=..5", "#ns=5"):
        page.evaluate("(fragment) => { location.hash = fragment }", fragment)
        page.wait_for_timeout(50)
        assert example.ask("span") == before and example.ask("selected") is None, fragment
    assert page.problems == []


def profile_from(first: int, length: int, title: str) -> FakeProfile:
    """Work that begins at ``first`` ns and takes ``length`` on the device, in a step that began before."""
    events = [
        (0, 0, first - 100_000, 100_000 + 2 * length, 0, "ProfilerStep#1", "user_annotation", b"{}"),
        (0, 1, first, 20_000, 1, "aten::mul", "cpu_op", b"{}"),
        (3, 0, first + 30_000, length, 2, "nc_exec_running", "neuron_hw", b"{}"),
    ]
    trace = trace_of(events, [Edge(1, 2, LinkRule.EXEC_FLOW, 1)], title=title)
    return FakeProfile(trace, (("aten::mul", 1.0),))


def test_profiles_are_compared_on_one_scale_from_their_first_dispatch(
    page: Any, tmp_path: Path, shot: Any
) -> None:
    profiles = (profile_from(500_000, 900_000, "slow"), profile_from(7_000_000, 100_000, "fast"))
    open_page(page, neuron_nbprof.compare_view(*profiles).to_html(tmp_path / "page.html"))
    page.wait_for_timeout(500)
    shot(page, "compared")

    def left(explorer: int, event: int) -> float:
        return page.evaluate(f"{EXPLORERS}[{explorer}].pixel({event}).x")

    def spans() -> list[float]:
        return page.evaluate(f"{EXPLORERS}.map(({{ span }}) => span.x1 - span.x0)")

    assert left(0, 1) == pytest.approx(left(1, 1), abs=0.5), (
        "the same operator, as far from the first dispatch"
    )
    assert spans()[0] == pytest.approx(spans()[1])
    page.evaluate(f"{EXPLORERS}[1].showSpan(7_000_000, 7_200_000)")
    assert page.evaluate(f"{EXPLORERS}[0].span") == {"x0": 500_000, "x1": 700_000}
    colours = page.evaluate(f"{EXPLORERS}.map(({{ trace }}) => trace.events.colour[1])")
    assert colours == [1, 1]
    # A chain in each, of its own.
    page.evaluate(f"{EXPLORERS}.forEach((explorer) => explorer.select(2))")
    page.wait_for_timeout(200)
    assert page.evaluate(f"{EXPLORERS}.map(({{ drawn }}) => drawn.arrows)") == [1, 1]
    totals = [
        text.split(" from")[0] for text in page.locator(".nbp-panel p").all_inner_texts() if " from " in text
    ]
    assert totals == ["930 µs", "130 µs"]
    assert page.locator("[role=tabpanel]:visible").count() == 0
    page.get_by_role("tab", name="Operators").first.click()
    assert page.locator("[role=tabpanel]:visible").count() == 1


def test_the_address_of_a_comparison_keeps_what_is_selected_in_which_profile(
    page: Any, tmp_path: Path
) -> None:
    profiles = (profile_from(500_000, 900_000, "slow"), profile_from(7_000_000, 100_000, "fast"))
    shown = open_page(page, neuron_nbprof.compare_view(*profiles).to_html(tmp_path / "page.html"))
    page.evaluate(f"{EXPLORERS}[1].showSpan(7_000_000, 7_200_000)")
    at = page.evaluate(f"{EXPLORERS}[1].pixel(2)")
    page.mouse.click(at["x"], at["y"])
    page.wait_for_timeout(500)
    address = page.url
    # The span of the first, which the second follows.
    assert address.partition("#")[2] == "event=&event=2&ns=500000..700000"
    page.goto("about:blank")
    page.goto(address)
    for _ in range(WAIT_MS // 50):
        if shown.root.count() and page.evaluate(f"{EXPLORERS}.every(({{ drawn }}) => drawn.frames)"):
            break
        page.wait_for_timeout(50)
    assert page.evaluate(f"{EXPLORERS}.map(({{ selected }}) => selected)") == [None, 2]
    assert page.evaluate(f"{EXPLORERS}.map(({{ span }}) => [span.x0, span.x1])") == [
        [500_000, 700_000], [7_000_000, 7_200_000],
    ]  # fmt: skip
    for fragment in ("#event=&event=&event=1", "#event=x&event=x", "#event=&ns=5..5"):
        page.evaluate("(fragment) => { location.hash = fragment }", fragment)
        page.wait_for_timeout(50)
        assert page.evaluate(f"{EXPLORERS}.map(({{ selected }}) => selected)") == [None, 2], fragment
    page.evaluate("location.hash = '#event=1&event=1'")
    page.wait_for_timeout(50)
    assert page.evaluate(f"{EXPLORERS}.map(({{ selected }}) => selected)") == [1, 1]
    assert page.problems == []


def test_profiles_of_one_name_are_told_apart_as_the_table_does(page: Any, tmp_path: Path) -> None:
    profiles = [profile_from(500_000, 900_000 + number, "run") for number in range(3)]
    open_page(page, neuron_nbprof.compare_view(*profiles).to_html(tmp_path / "page.html"))
    names = ["run", "run (2)", "run (3)"]
    assert page.locator(".nbp-header h2").all_inner_texts() == names
    assert page.locator(".nbp-compared table").first.locator("tbody th").all_inner_texts() == names
    labels = page.locator("section.nbp").evaluate_all("roots => roots.map((root) => root.ariaLabel)")
    assert labels == [f"Simulated profile {name}" for name in names]


def test_a_comparison_begins_where_there_is_no_way_back(page: Any, tmp_path: Path) -> None:
    profiles = (profile_from(500_000, 900_000, "slow"), profile_from(7_000_000, 100_000, "fast"))
    open_page(page, neuron_nbprof.compare_view(*profiles).to_html(tmp_path / "page.html"))
    page.wait_for_timeout(600)
    back = page.get_by_role("button", name="Back to the view before")
    assert [button.is_disabled() for button in back.all()] == [True, True]
    begin = page.evaluate(f"{EXPLORERS}.map(({{ span }}) => span)")
    page.get_by_role("button", name="Zoom in").first.click()
    page.wait_for_timeout(600)
    assert [button.is_disabled() for button in back.all()] == [False, False]
    back.nth(1).click()
    assert page.evaluate(f"{EXPLORERS}.map(({{ span }}) => span)") == begin


def test_in_a_frame_the_page_runs_and_reaches_nothing_around_it(page: Any, tmp_path: Path) -> None:
    events = [(0, 0, 0, 10, 0, HOSTILE, "cpu_op", b"{}")]
    profile = FakeProfile(trace_of(events, [], title=HOSTILE), ((HOSTILE, 1.0),))
    frame = explorer_page.frame(profile, height=700)
    outer = tmp_path / "outer.html"
    outer.write_text(f"<!doctype html><meta charset='utf-8'><body>{frame}", encoding="utf-8")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(outer.as_uri())
    inner = page.frame_locator("iframe")
    inner.locator("section.nbp").wait_for()
    page.wait_for_timeout(1000)
    section = inner.locator("section.nbp")
    assert section.evaluate("root => root.explorer.drawn.frames") > 0
    assert {url.partition(":")[0] for url in asked} <= {"file", "blob", "data", "about"}
    assert inner.locator("h2").inner_text() == HOSTILE
    assert (
        section.evaluate("() => { try { return parent.document.title } catch (error) { return error.name } }")
        == "SecurityError"
    )
    inner.locator(".nbp-surface").focus()
    page.keyboard.press("/")
    page.keyboard.type("alert")
    page.keyboard.press("Enter")
    assert inner.locator(".nbp-count").inner_text() == "1 of 1 found"
    assert page.problems == []


#: Names that could run, reorder the text around them, break lines, or fill the screen.
NASTY = [HOSTILE, "abc\u202egnp.exe", "a\x00b\x01\x1b[31m\tc\nd", "x" * 5_000,
         "{{constructor.constructor('alert(1)')()}}", "javascript:alert(1)", "\u2066a\u2069"]  # fmt: skip


def test_nasty_names_are_text_wherever_they_are_shown(page: Any, tmp_path: Path) -> None:
    dialogs: list[str] = []
    page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
    events: list[Any] = [(0, 0, 10_000 * k, 1000, k, name, "cpu_op", b"{}") for k, name in enumerate(NASTY)]
    edges: list[Edge] = []
    for k, name in enumerate(NASTY):
        for i in range(8):
            start = 10_000 * k + 2000 + 100 * i
            edges.append(Edge(k, len(events), LinkRule.CORRELATION, 1))
            events.append((3, 0, start, 50, len(events), name, "neuron_hw", b"{}"))
    together = " ".join(NASTY)
    source = {"capture": {"source": together}}
    trace = trace_of(events, edges, title=together, device=together, source=together, attributes=source)
    profile = FakeProfile(trace, tuple((name, 1.0) for name in NASTY))
    shown = open_page(page, explorer_page.write(profile, tmp_path / "page.html"))
    page.locator(".nbp-surface").focus()
    page.keyboard.press("m")
    box = page.locator(".nbp-surface").bounding_box()
    page.mouse.move(box["x"] + 5, box["y"] + 5)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] - 5, box["y"] + 5)
    page.mouse.up()
    places = [".nbp-tooltip b", ".nbp-operators tbody th", ".nbp-panel-head h3", ".nbp-station button",
              ".nbp-measures tbody th", ".nbp-neighbours summary", ".nbp-facts-of-event dd"]  # fmt: skip
    for number, name in enumerate(NASTY):
        shown.ask("select(argument)", number)
        at = shown.ask("pixel(argument)", number)
        page.mouse.move(at["x"], at["y"])
        for place in places:
            texts = page.locator(place).evaluate_all("found => found.map((element) => element.textContent)")
            assert any(name[:250] in text for text in texts), (place, name[:20])
    assert page.title().startswith("SIMULATED · "), "the title of the page is text"
    assert page.locator("img, section.nbp script, iframe").count() == 0
    assert page.evaluate("document.documentElement.scrollWidth") <= 1440
    assert dialogs == [] and page.problems == []
