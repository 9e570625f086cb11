"""What the explorer's tabs of answers are told: bounded, and never in the way of drawing."""

from __future__ import annotations

import json
from typing import Any

import pytest

import neuron_nbprof
from neuron_nbprof.analysis.insights import Insight
from neuron_nbprof.explorer import answers, page, widget
from neuron_nbprof.explorer.columns import encode
from neuron_nbprof.profile import compare
from neuron_nbprof.trace import LinkRule

from .traces import Edge, FakeProfile, trace_of


def test_insights_travel_as_python_words_them() -> None:
    profile = neuron_nbprof.example("rmsnorm_naive")
    told = encode(profile).meta["answers"]["insights"]
    assert told["count"] == len(profile.insights())
    assert told["found"][0]["id"] == "fusable-pattern"
    assert told["found"] == [insight.to_dict() for insight in profile.insights()]


def test_only_so_many_insights_travel() -> None:
    insight = Insight("a-rule", "info", "Something.", [3], "Nothing.")
    found = answers.answers(FakeProfile(trace_of(), found=[insight] * 250))["insights"]
    assert (found["count"], len(found["found"])) == (250, answers.MOST_INSIGHTS)


#: Two executions on one core, 100 to 150 and 400 to 460 µs; their operators end at 30 and 230 µs.
TWO = [
    (0, 0, 20_000, 10_000, 1, "aten::mul", "cpu_op", b"{}"),
    (0, 0, 200_000, 30_000, 2, "aten::mean", "cpu_op", b"{}"),
    (3, 0, 100_000, 50_000, 3, "nc_exec_running", "neuron_hw", b"{}"),
    (3, 0, 400_000, 60_000, 4, "nc_exec_running", "neuron_hw", b"{}"),
]
#: The host then waits from 235 to 465 µs.
SYNCHRONISE = (0, 0, 235_000, 230_000, 5, "neuron::synchronize", "cpu_op", b"{}")
LINKED = [Edge(0, 2, LinkRule.EXEC_FLOW, 1), Edge(1, 3, LinkRule.EXEC_FLOW, 2)]


def test_gaps_travel_with_their_totals_and_the_longest_first() -> None:
    gaps = answers.answers(FakeProfile(trace_of(TWO, LINKED)), base=1_000)["gaps"]
    (core,) = gaps["cores"]
    assert core["core"] == "neuron_hw/NC0:4"
    # the window goes from the first operator, at 20 µs, to the last execution's end, at 460 µs
    assert (core["window_us"], core["busy_us"], core["idle_us"]) == (440, 110, 330)
    assert sum(core[cause] for cause in gaps["causes"]) == 330
    assert gaps["count"] == len(gaps["gaps"]) == 4
    # handed over at 230 µs, started at 400 µs: the runtime's; times from a base of 1 µs
    assert gaps["gaps"][0] == {
        "core": "neuron_hw/NC0:4", "cause": "runtime", "start_ns": 229_000, "dur_ns": 170_000,
        "event": 2, "name": "aten::mean", "execution": 4,
    }  # fmt: skip
    assert [gap["dur_ns"] for gap in gaps["gaps"]] == [170_000, 80_000, 70_000, 10_000]


def test_only_the_longest_gaps_travel_and_how_many_there_are(monkeypatch: Any) -> None:
    monkeypatch.setattr(answers, "MOST_GAPS", 2)
    gaps = answers.answers(FakeProfile(trace_of(TWO, LINKED)))["gaps"]
    assert (gaps["count"], [gap["dur_ns"] for gap in gaps["gaps"]]) == (4, [170_000, 80_000])


def waited_for() -> FakeProfile:
    links = [edge._replace(target=edge.target + 1) for edge in LINKED]
    return FakeProfile(trace_of([*TWO[:2], SYNCHRONISE, *TWO[2:]], links))


def test_the_critical_path_travels_by_lane_with_its_longest_segments_and_events() -> None:
    path = answers.answers(waited_for(), base=1_000)["critical_path"]
    assert (path["steps"], path["whole_us"]) == (0, 445)
    # backwards from the end at 465 µs: 5 µs until the host knows, 60 µs of the second execution, 170 µs since
    # its dispatch; all before that, from 20 to 230 µs, is the host
    lanes = {lane["lane"]: (lane["dur_us"], lane["step_without_us"]) for lane in path["lanes"]}
    assert lanes == {"host": (210, 235), "stream": (170, 275), "hardware": (60, 385), "runtime": (5, 440)}
    waits = [(one["lane"], one["start_ns"], one["dur_ns"], one["event"]) for one in path["segments"][:2]]
    assert waits == [("host", 29_000, 170_000, None), ("stream", 229_000, 170_000, None)]
    # 60 µs of the second execution, 30 and 10 µs of the operators, 5 µs of the synchronise call
    assert path["events"] == [4, 2, 1, 5]
    assert path["event_count"] == 4


def test_only_so_much_of_the_critical_path_travels(monkeypatch: Any) -> None:
    monkeypatch.setattr(answers, "MOST_SEGMENTS", 2)
    monkeypatch.setattr(answers, "MOST_LIT", 1)
    path = answers.answers(waited_for())["critical_path"]
    assert (path["count"], len(path["segments"])) == (6, 2)
    assert (path["event_count"], path["events"]) == (4, [4])


def test_several_profiles_travel_with_what_compare_says() -> None:
    profiles = [neuron_nbprof.example(name) for name in ("rmsnorm_naive", "rmsnorm_fused")]
    told = answers.comparison(profiles)
    found = compare(*profiles)
    assert (told["baseline"], told["words"]) == ("rmsnorm_naive", found.words)
    assert [row["version"] for row in told["rows"]] == ["rmsnorm_naive", "rmsnorm_fused"]
    assert [row["executions"] for row in told["rows"]] == [6, 1]
    assert [row["device_us"] for row in told["rows"]] == found.table["device_us"].tolist()
    assert json.dumps(told["words"]) in page.html(*profiles)
    assert 'data-part="comparison"' not in page.html(profiles[0])


def test_a_profile_beside_itself_has_a_name_of_its_own() -> None:
    profile = FakeProfile(trace_of(TWO, LINKED, title="run"))
    rows = answers.comparison([profile] * 3)["rows"]
    assert [row["version"] for row in rows] == ["run", "run (2)", "run (3)"]


def test_a_comparison_holds_its_savings_and_the_operators_of_each_version() -> None:
    profiles = [neuron_nbprof.example(name) for name in neuron_nbprof.EXAMPLES[:3]]
    told, found = answers.comparison(profiles), compare(*profiles)
    assert [row["version"] for row in told["savings"]] == ["rmsnorm_fused", "rmsnorm_compiled"]
    for row in told["savings"]:
        assert row["saved_us"] == pytest.approx(row["gaps_us"] + row["executions_us"] + row["data_us"])
        assert row["executions_removed"] == 5
    fused, compiled = told["operators"]
    assert (fused["version"], compiled["version"]) == ("rmsnorm_fused", "rmsnorm_compiled")
    assert fused["count"] == len(fused["rows"]) == len(found.operators(1))
    # three products of one shape are gone, 2 x 387.6 + 387.6 µs, and one fused operator has come
    added = next(row for row in fused["rows"] if row["name"] == "aten::_fused_rms_norm")
    assert (added["change"], added["neuron_us_baseline"]) == ("added", 0)
    assert added["difference_us"] == pytest.approx(387.6, abs=0.1)
    lost = sum(row["difference_us"] for row in fused["rows"] if row["change"] == "removed")
    assert lost == pytest.approx(-found.table["device_us"].iloc[0])


def test_only_the_operators_that_differ_most_travel(monkeypatch: Any) -> None:
    monkeypatch.setattr(answers, "MOST_DIFFERENCES", 2)
    profiles = [neuron_nbprof.example(name) for name in ("rmsnorm_naive", "rmsnorm_fused")]
    (told,) = answers.comparison(profiles)["operators"]
    assert (told["count"] > 2, len(told["rows"])) == (True, 2)
    assert [abs(row["difference_us"]) for row in told["rows"]] == sorted(
        [abs(row["difference_us"]) for row in told["rows"]], reverse=True
    )


def test_a_comparison_that_fails_is_a_sentence(monkeypatch: Any) -> None:
    def fails(*_: Any) -> Any:
        raise ZeroDivisionError("no step")

    pair = [FakeProfile(trace_of()), FakeProfile(trace_of())]
    monkeypatch.setattr(answers, "Comparison", fails)
    assert answers.comparison(pair) == {"absent": "This could not be worked out: no step"}


@pytest.mark.parametrize(
    ("error", "sentence"), [(KeyError("step"), "'step'"), (RuntimeError(), "RuntimeError")]
)
def test_an_analysis_that_raises_is_a_sentence_and_the_page_is_written(
    error: Exception, sentence: str, monkeypatch: Any
) -> None:
    def fails(*_: Any, **__: Any) -> Any:
        raise error

    for name in ANSWERS.values():
        monkeypatch.setattr(FakeProfile, name, fails)
    found = encode(FakeProfile(trace_of())).meta["answers"]
    assert found == {name: {"absent": f"This could not be worked out: {sentence}"} for name in ANSWERS}
    assert "could not be worked out" in page.html(FakeProfile(trace_of()))


def test_what_json_does_not_hold_is_a_sentence_too() -> None:
    insight = Insight("a-rule", "info", "Something.", [3], "Nothing.", float("nan"))
    found = answers.answers(FakeProfile(trace_of(), found=[insight]))["insights"]
    assert found["absent"].startswith("This could not be worked out: ")
    json.dumps(found, allow_nan=False)


def test_a_page_holds_the_answers_however_big_the_trace(monkeypatch: Any) -> None:
    monkeypatch.setattr(widget, "SOON", 8)
    profile = waited_for()
    assert json.dumps(answers.answers(profile)["gaps"]) in page.html(profile)


def test_the_widget_of_a_big_trace_answers_when_it_is_asked(monkeypatch: Any) -> None:
    asked: list[str] = []
    insight = Insight("a-rule", "info", "Something.", [3], "Nothing.")
    monkeypatch.setattr(FakeProfile, "insights", lambda _: asked.append("insights") or [insight])
    profile = FakeProfile(trace_of())
    events = len(profile.trace)
    monkeypatch.setattr(widget, "SOON", events)
    assert widget.Explorer(profile).meta["answers"] == answers.answers(profile)
    asked.clear()
    monkeypatch.setattr(widget, "SOON", events - 1)
    explorer = widget.Explorer(profile)
    assert (asked, explorer.meta["answers"], explorer.answers) == ([], None, None)
    explorer.asked = True
    assert explorer.answers == answers.answers(profile)
    asked.clear()
    explorer.asked = False
    explorer.asked = True
    assert asked == [], "once is enough"


def test_answers_of_far_times_count_as_the_columns_do(monkeypatch: Any) -> None:
    """Events 200 days apart: the browser counts from the median start."""
    day = 86_400 * 10**9
    far = [(*event[:2], event[2] + 200 * day * (event[0] == 3), *event[3:]) for event in TWO]
    monkeypatch.setattr(widget, "SOON", 0)
    profile = FakeProfile(trace_of(far, LINKED))
    explorer = widget.Explorer(profile)
    explorer.asked = True
    base = int(explorer.meta["origin_ns"]) - profile.trace.origin_ns
    assert base != 0
    assert explorer.answers == answers.answers(profile, base)


#: The answers, and what of a Profile works them out.
ANSWERS = {"insights": "insights", "gaps": "gaps", "critical_path": "critical_path"}
