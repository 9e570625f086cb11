"""A capture folder read whole: lanes, tracks, exact times, links."""

from __future__ import annotations

import gzip
import os
from collections.abc import Callable
from pathlib import Path

import pytest

import neuron_nbprof
from neuron_nbprof.trace import Lane, LinkRule, Trace

from ..captures import BASE, FRAMEWORK, MEAN, MUL, OFFSET, SYSTEM, framework_json, system_table

Capture = Callable[..., Path]


def edges(trace: Trace) -> set[tuple[str, str, LinkRule, int]]:
    links = trace.links
    return {
        (place(trace, int(a)), place(trace, int(b)), LinkRule(int(rule)), int(key))
        for a, b, rule, key in zip(links.sources, links.targets, links.rule, links.key, strict=True)
    }


def place(trace: Trace, row: int) -> str:
    return f"{trace.name_of(row)} on {trace.track_of(row).label}"


@pytest.fixture
def trace(capture: Capture) -> Trace:
    return neuron_nbprof.open(capture(framework_json(), system_table())).trace


def test_tracks_carry_the_labels_of_the_guide(trace: Trace) -> None:
    assert [(track.lane, track.label) for track in trace.tracks] == [
        (Lane.DISPATCH, "framework/TID:4300"),
        (Lane.STREAM, "framework/Stream:0"),
        (Lane.RUNTIME, "neuron_rt/NC:0"),
        (Lane.HARDWARE, "neuron_hw/NC0:4"),
        (Lane.HARDWARE, "neuron_hw/NC0:5"),
    ]


def test_every_time_is_exact_to_the_nanosecond(trace: Trace) -> None:
    assert trace.origin_ns == BASE + OFFSET
    found = sorted(
        (trace.name_of(row), int(trace.start[row]), int(trace.dur[row])) for row in range(len(trace))
    )
    expected = [(name, start, dur) for name, _, _, start, dur, _ in FRAMEWORK]
    expected += [(name, start, dur) for name, _, start, dur, _, _ in SYSTEM]
    assert found == sorted(expected)


def test_links_follow_the_ids(trace: Trace) -> None:
    dispatch, stream, runtime = "framework/TID:4300", "framework/Stream:0", "neuron_rt/NC:0"
    expected = set()
    for operator, overload, sequence, external, flow in (
        ("aten::mul", "aten::mul.Tensor", MUL, 701, 2),
        ("aten::mean", "aten::mean.dim", MEAN, 702, 3),
    ):
        row, main = f"{overload} on {dispatch}", f"nrta_execute_schedule on {runtime}"
        expected |= {
            (f"{operator} on {dispatch}", row, LinkRule.EXTERNAL_ID, external),
            (row, f"{overload} on {stream}", LinkRule.NRT_SEQUENCE, sequence),
            (row, main, LinkRule.NRT_SEQUENCE, sequence),
            (main, f"kbl_exec_wait on {runtime}", LinkRule.NRT_SEQUENCE, sequence),
            (main, "nc_exec_running on neuron_hw/NC0:4", LinkRule.EXEC_FLOW, flow),
            (main, "nc_exec_running on neuron_hw/NC0:5", LinkRule.EXEC_FLOW, flow),
        }
    assert edges(trace) == expected


def test_a_click_follows_the_operator_to_both_cores(capture: Capture) -> None:
    profile = neuron_nbprof.open(capture(framework_json(), system_table()))
    (found,) = profile.chains("aten::mul")
    (line,) = found.lines
    assert [(station.lane, station.start, station.dur) for station in line.stations] == [
        (Lane.DISPATCH, 1_120, 20_000),
        (Lane.RUNTIME, 26_000, 9_000),
        (Lane.HARDWARE, 38_500, 387_600),  # 38,500 on core 4 to 426,100 on core 5
    ]
    assert [wait.ns for wait in line.waits] == [4_880, 3_500]
    assert line.total == 424_980
    assert len(found.nodes) == 7


def test_framework_rows_that_the_tables_repeat_are_not_doubled(capture: Capture) -> None:
    trace = neuron_nbprof.open(capture(framework_json(), system_table(framework=True))).trace
    assert len(trace) == len(FRAMEWORK) + len(SYSTEM)


def test_flow_ids_of_repeated_rows_link_a_trace_that_has_none(capture: Capture) -> None:
    bare = [
        (*row[:5], {key: value for key, value in row[5].items() if key != "nrt_sequence_id"})
        for row in FRAMEWORK
    ]
    with_ids = neuron_nbprof.open(capture(framework_json(), system_table(), out="a")).trace
    lent = neuron_nbprof.open(capture(framework_json(bare), system_table(framework=True), out="b")).trace
    assert edges(lent) == edges(with_ids)


def test_tables_alone_show_all_four_lanes(capture: Capture) -> None:
    trace = neuron_nbprof.open(capture(system=system_table(framework=True))).trace
    assert sorted({track.lane for track in trace.tracks}) == list(Lane)
    assert any(rule is LinkRule.EXEC_FLOW for *_, rule, _ in edges(trace))


def test_large_ids_survive_to_the_arguments(trace: Trace) -> None:
    (row,) = trace.rows_named("aten::mul.Tensor")[:1].tolist()
    assert trace.args(row)["nrt_sequence_id"] == MUL


def test_any_folder_above_and_the_trace_alone_open_too(capture: Capture) -> None:
    out = capture(framework_json(), system_table())
    (trace_json,) = out.rglob("trace.json")
    assert len(neuron_nbprof.open(out.parent).trace) == 16
    assert len(neuron_nbprof.open(str(trace_json.parent)).trace) == 16
    alone = neuron_nbprof.open(trace_json).trace
    assert len(alone) == 8
    packed = trace_json.with_name("other name.bin")
    packed.write_bytes(gzip.compress(trace_json.read_bytes()))
    assert edges(neuron_nbprof.open(packed).trace) == edges(alone)


def test_of_several_captures_the_newest_opens_and_the_others_are_named(capture: Capture) -> None:
    old = capture(framework_json(), out="runs/old")
    new = capture(framework_json(FRAMEWORK[:3]), out="runs/new")
    for file in old.rglob("trace.json"):
        os.utime(file, (1, 1))
    trace = neuron_nbprof.open(new.parent).trace
    assert len(trace) == 3
    assert trace.notes[0].count == 1
    assert "runs/old" in trace.notes[0].text
    assert len(neuron_nbprof.open(new.parent, session="runs/old").trace) == 8


def test_of_several_ranks_the_lowest_opens_and_any_can_be_chosen(capture: Capture) -> None:
    out = capture(framework_json(FRAMEWORK[:3], distributedInfo={"rank": 1}), out="run/a").parent
    capture(framework_json(FRAMEWORK[:5], distributedInfo={"rank": 0}), out="run/b")
    assert len(neuron_nbprof.open(out).trace) == 5
    assert len(neuron_nbprof.open(out, rank=1).trace) == 3
    assert neuron_nbprof.sessions(out)["rank"].tolist() == [1, 0]


def test_a_list_of_files_and_an_open_file(capture: Capture) -> None:
    out = capture(framework_json(), system_table())
    files = [*out.rglob("trace.json"), *out.rglob("*.parquet")]
    whole = neuron_nbprof.open(out).trace
    assert edges(neuron_nbprof.open(files).trace) == edges(whole)
    with files[0].open("rb") as file:
        assert len(neuron_nbprof.open(file).trace) == 8


def test_the_execution_counter_may_start_again(capture: Capture) -> None:
    later = [
        (name, source, start + 10_000_000, dur, core, [token + 100 if token > 3 else token for token in flow])
        for name, source, start, dur, core, flow in SYSTEM
    ]
    trace = neuron_nbprof.open(capture(system=system_table([*SYSTEM, *later]))).trace
    links = trace.links
    for edge in range(len(links.targets)):
        if links.rule[edge] == LinkRule.EXEC_FLOW:
            source, target = int(links.sources[edge]), int(links.targets[edge])
            assert (trace.start[source] >= 10_000_000) == (trace.start[target] >= 10_000_000)
