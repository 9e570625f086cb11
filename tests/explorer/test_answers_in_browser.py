"""The tabs of answers in a real browser: what they say, and the way from there to the events."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import neuron_nbprof
from neuron_nbprof.analysis.insights import Insight
from neuron_nbprof.explorer import page as explorer_page
from neuron_nbprof.profile import Profile, compare
from neuron_nbprof.trace import LinkRule

from ..analysis.traces import Script
from .browsing import OUTLINED, Shown, open_page
from .test_page import HOSTILE
from .traces import Edge, FakeProfile, trace_of


@pytest.fixture
def example(page: Any, tmp_path: Path) -> Shown:
    return open_page(page, neuron_nbprof.example("rmsnorm_naive").to_html(tmp_path / "page.html"))


def plain(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip()


def both_themes(page: Any, shot: Callable[..., Path], name: str) -> None:
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        page.wait_for_timeout(200)
        shot(page, f"{name}_{scheme}")


def test_insights_are_listed_and_lead_to_their_events(example: Shown, shot: Callable[..., Path]) -> None:
    page = example.page
    gravest = page.get_by_role("complementary", name="The gravest insight")
    assert plain(gravest.inner_text()).startswith(
        "▲Warning saves at most 2,049 µs Show 6 events 6 executions"
    )
    both_themes(page, shot, "gravest")
    page.get_by_role("tab", name="Insights (3)").click()
    items = page.get_by_role("tabpanel", name="Insights").get_by_role("listitem")
    assert items.count() == 3
    assert [plain(text).split()[0] for text in items.all_inner_texts()] == ["▲Warning", "▲Warning", "●Info"]
    assert "What to do: Use torch.rms_norm" in plain(items.first.inner_text())
    both_themes(page, shot, "insights")
    show = items.first.get_by_role("button")
    chosen = []
    for _ in range(7):
        show.click()
        chosen.append(example.ask("selected"))
    marks = (1, 3, 5, 8)  # the lines of the cell are events too, each before its operators
    assert chosen == [number for number in range(1, 11) if number not in marks] + [2]
    assert show.inner_text() == "Event 1 of 6, show next"
    assert page.problems == []


def test_a_gap_leads_to_its_span_and_to_what_ended_it(example: Shown, shot: Callable[..., Path]) -> None:
    page = example.page
    page.get_by_role("tab", name="Gaps").click()
    panel = page.get_by_role("tabpanel", name="Gaps")
    core = panel.get_by_role("row").filter(has_text="neuron_hw/NC0:4").first
    # 2,356.213 µs busy + 83.050 µs idle = 2,439.263 µs, the length of the recorded step
    assert plain(core.inner_text()).startswith("neuron_hw/NC0:4 2,356.213 83.050 2,439.263 3.4 %")
    both_themes(page, shot, "gaps")
    longest = panel.get_by_role("table", name="The longest gaps").locator("tbody tr")
    first = plain(longest.first.inner_text())
    assert first.startswith("22.4 µs host not ready neuron_hw/NC0:4") and first.endswith("aten::mul")
    longest.first.get_by_role("cell").last.click()
    assert example.ask("selected") == 2
    span = example.ask("span")
    assert span["x0"] < 0 < 22_450 < span["x1"] < 100_000
    at_the_end = longest.filter(has_text="end of step").first
    assert plain(at_the_end.inner_text()).endswith("end of the window")
    at_the_end.get_by_role("button").press("Enter")
    assert example.ask("span")["x0"] > 2_000_000, "the span alone: no event ended it"
    assert page.problems == []


def test_no_name_in_the_tabs_is_markup(page: Any, tmp_path: Path) -> None:
    events = [
        (0, 0, 0, 10_000, 1, HOSTILE, "privateuse1_runtime", b"{}"),
        (0, 0, 20_000, 90_000, 3, "neuron::synchronize", "cpu_op", b"{}"),
        (3, 0, 50_000, 50_000, 2, "nc_exec_running", "neuron_hw", b"{}"),
    ]
    profile = FakeProfile(trace_of(events, [Edge(0, 2, LinkRule.EXEC_FLOW, 1)]))
    open_page(page, explorer_page.write(profile, tmp_path / "page.html"))
    page.get_by_role("tab", name="Gaps").click()
    assert page.locator(".nbp-answer bdi").first.text_content() == HOSTILE
    page.get_by_role("tab", name="Critical path").click()
    names = page.get_by_role("tabpanel", name="Critical path").locator("bdi").all_text_contents()
    assert HOSTILE in names
    assert page.locator("section.nbp img").count() == 0
    assert page.problems == []


def marked(page: Any) -> int:
    page.wait_for_timeout(50)
    return page.evaluate(f"{OUTLINED}.length")


def dimmed(page: Any) -> bool:
    return page.evaluate("(({ palette, bright }) => palette !== bright)(document"
                         ".querySelector('section.nbp').explorer.timeline.scene)")  # fmt: skip


def test_the_critical_path_is_said_lit_and_walked(example: Shown, shot: Callable[..., Path]) -> None:
    page = example.page
    example.ask("select(1)")
    page.get_by_role("tab", name="Critical path").click()
    panel = page.get_by_role("tabpanel", name="Critical path")
    # 2,359.813 of 2,439.263 µs are executions; without them 79.450 µs remain
    assert (
        "hardware holds the path for 2,360 µs (97 %); were that free, the step would take 79.4 µs at best"
        in plain(panel.inner_text())
    )
    lanes = panel.get_by_role("table", name="What holds the path").locator("tbody tr")
    assert [plain(text).split(" ")[0] for text in lanes.all_inner_texts()] == [
        "hardware", "stream", "host", "runtime",
    ]  # fmt: skip
    light = panel.get_by_role("button", name="events in the timeline")
    light.click()
    events = int(re.findall(r"its (\d+) events", light.inner_text())[0])
    assert light.get_attribute("aria-pressed") == "true"
    assert example.ask("selected") is None
    assert (marked(page), dimmed(page)) == (events, True)
    both_themes(page, shot, "critical_path")
    assert (marked(page), dimmed(page)) == (events, True), "a change of theme puts no light out"
    segment = panel.get_by_role("table", name="The longest segments").locator("tbody tr").first
    assert plain(segment.inner_text()).startswith("438 µs 18.0 % hardware aten::add ProfilerStep#3")
    segment.get_by_role("cell").last.click()
    assert example.ask("selected") == example.ask("find(...argument)", ["nc_exec_running", 4])
    assert marked(page) > events and light.get_attribute("aria-pressed") == "true"
    light.click()
    assert (marked(page), dimmed(page)) == (0, False)
    light.click()
    page.locator(".nbp-surface").focus()
    page.keyboard.press("Escape")
    assert (marked(page), light.get_attribute("aria-pressed")) == (0, "false")
    assert page.problems == []


def test_above_compared_timelines_stand_their_numbers_and_what_they_say(
    page: Any, tmp_path: Path, shot: Callable[..., Path]
) -> None:
    profiles = [neuron_nbprof.example(name) for name in neuron_nbprof.RMSNORMS]
    view = neuron_nbprof.compare_view(*profiles)
    open_page(page, view.to_html(tmp_path / "page.html"))
    table = page.get_by_role("table", name="the ratio is to rmsnorm_naive")
    rows = [plain(text) for text in table.locator("tbody tr").all_inner_texts()]
    # device time, its ratio, host time, calls, executions, idle, submissions, switches, copies, tensors, size
    assert rows[0] == "rmsnorm_naive SIMULATED 2,359.8 1.00 125 6 6 30 7 5 1 5 67,133,440"
    assert "rmsnorm_fused SIMULATED 387.6 0.16 47.5 1 1 0 1 0 0 0 0" in rows
    assert table.bounding_box()["y"] < page.locator("section.nbp").first.bounding_box()["y"]
    savings = page.get_by_role("table", name="From the first execution to the last, saved of rmsnorm_naive")
    rows = [plain(text) for text in savings.locator("tbody tr").all_inner_texts()]
    assumed = "assumed: the shortest execution of these profiles, its upper bound"
    # 5 x 341.3 = 1,706.5 and 30 + 1,706.5 + 265.8 = 2,002.2, each rounded
    assert rows[0] == f"rmsnorm_fused 2,002.2 30 1,706.5 265.8 5 341.3 {assumed}"
    page.get_by_text("Operators of rmsnorm_fused").click()
    operators = page.get_by_role("table", name="matched by name and shape").first
    rows = [plain(text) for text in operators.locator("tbody tr").all_inner_texts()]
    assert rows[0] == "aten::add 4096×1 removed −437.9 437.9 0.0 1 0 1 0"
    words = page.locator(".nbp-compared li").all_inner_texts()
    assert words == compare(*profiles).words
    both_themes(page, shot, "compared_words")
    compared = page.locator(".nbp-compared")
    background = compared.evaluate("(element) => getComputedStyle(element).backgroundColor")
    assert background == "rgb(22, 25, 29)", "the table is dark with the explorers below it"
    assert page.problems == []


def test_several_steps_are_compared_with_their_spread(page: Any, tmp_path: Path) -> None:
    def stepped(title: str, *durations: float) -> Profile:
        script = Script(title)
        for step, dur in enumerate(durations):
            at = 1_000 * step
            script.step(step, at, at + 900).eager("aten::mul", at, (at + 40, at + 40 + dur))
        return Profile(script.trace())

    view = neuron_nbprof.compare_view(stepped("a", 100, 104), stepped("b", 103, 107))
    open_page(page, view.to_html(tmp_path / "page.html"))
    table = page.get_by_role("table", name="the ratio is to a")
    assert [plain(text) for text in table.locator("th").all_inner_texts()][:6] == [
        "profile", "basis", "device µs", "shortest step", "longest step", "ratio",
    ]  # fmt: skip
    first = plain(table.locator("tbody tr").first.inner_text())
    assert first.startswith("a measured 102 100 104 1.00")
    assert page.problems == []


def test_no_text_of_a_comparison_is_markup(page: Any, tmp_path: Path) -> None:
    profiles = [FakeProfile(trace_of(title=f"{HOSTILE}{i}")) for i in range(2)]
    open_page(page, explorer_page.write(profiles[0], tmp_path / "page.html", profiles[1]))
    names = page.locator(".nbp-compared table").first.locator("tbody bdi").all_text_contents()
    assert names == [f"{HOSTILE}0", f"{HOSTILE}1"]
    assert page.locator(".nbp-compared summary bdi").all_text_contents() == [f"{HOSTILE}1"]
    assert page.locator(".nbp-compared img").count() == 0
    assert page.problems == []


def test_in_a_narrow_explorer_tables_scroll_and_sentences_do_not(example: Shown) -> None:
    page = example.page
    page.set_viewport_size({"width": 420, "height": 1200})
    for name in ("Gaps", "Critical path", "Insights"):
        page.get_by_role("tab", name=name).click()
        panel = page.get_by_role("tabpanel", name=name)
        assert panel.evaluate("(element) => element.scrollWidth - element.clientWidth") == 0, name
    tabs = [tab.bounding_box() for tab in page.get_by_role("tab").all()]
    assert all(a["x"] + a["width"] <= b["x"] for a, b in pairwise(tabs))


@pytest.mark.parametrize("width", [360, 800, 1280, 1600])
def test_the_gravest_insight_is_seen_at_every_width_and_so_is_the_table(
    example: Shown, width: int, shot: Callable[..., Path]
) -> None:
    page = example.page
    page.set_viewport_size({"width": width, "height": 900})
    both_themes(page, shot, f"gravest_{width}")
    panel = page.get_by_role("tabpanel", name="Operators")
    room, insight, table = (
        place.bounding_box()
        for place in (panel, page.locator(".nbp-gravest"), page.locator(".nbp-operators"))
    )
    beside = width == 1600
    assert (insight["x"] > table["x"] + table["width"]) is beside
    assert (insight["y"] + insight["height"] <= table["y"]) is not beside
    assert insight["x"] >= room["x"] and insight["x"] + insight["width"] <= room["x"] + room["width"]
    first_row = page.locator(".nbp-operators tbody tr").first.bounding_box()
    assert first_row["y"] + first_row["height"] <= room["y"] + room["height"], "without scrolling"


@pytest.mark.parametrize(("constant", "marked"), [("execution_us", ["aten::relu"]), ("host_step_us", [])])
def test_host_times_that_are_measured_are_marked(
    page: Any, tmp_path: Path, constant: str, marked: list[str]
) -> None:
    script = Script(neuron_simulated={"simulated": True, "constants": [{"name": constant}]})
    script.eager("aten::mul", 0, (40, 140)).host("aten::relu", 30, 37).host("neuron::synchronize", 50, 150)
    open_page(page, Profile(script.trace(simulated=True)).to_html(tmp_path / "page.html"))
    rows = page.locator(".nbp-operators tbody tr").all()
    assert len(rows) == 3
    meaning = "measured on this machine"
    assert [row.locator("bdi").inner_text() for row in rows if row.get_by_title(meaning).count()] == marked
    legend = page.get_by_role("tabpanel", name="Operators").get_by_text("† its own time was measured")
    assert legend.count() == len(marked)


def test_no_text_of_an_insight_is_markup(page: Any, tmp_path: Path) -> None:
    insight = Insight("a-rule", "error", f"Seen: {HOSTILE}", [3], HOSTILE)
    path = explorer_page.write(FakeProfile(trace_of(), found=[insight]), tmp_path / "page.html")
    shown = open_page(page, path)
    page.get_by_role("tab", name="Insights (1)").click()
    item = page.get_by_role("tabpanel", name="Insights").get_by_role("listitem")
    assert HOSTILE in item.inner_text() and item.inner_text().count(HOSTILE) == 2
    assert page.locator("section.nbp img").count() == 0
    item.get_by_role("button", name="Show the event").click()
    assert shown.ask("selected") == 3
    assert page.problems == []


def test_an_answer_that_failed_says_so_in_its_tab(page: Any, tmp_path: Path, monkeypatch: Any) -> None:
    def fails(*_: Any, **__: Any) -> Any:
        raise ValueError(HOSTILE)

    monkeypatch.setattr(FakeProfile, "insights", fails)
    open_page(page, explorer_page.write(FakeProfile(trace_of()), tmp_path / "page.html"))
    page.get_by_role("tab", name="Insights").click()
    panel = page.get_by_role("tabpanel", name="Insights")
    assert panel.inner_text() == f"This could not be worked out: {HOSTILE}"
    assert page.problems == []
