"""Raw runtime events: pairing, clocks, ids."""

from __future__ import annotations

import io
import json
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from neuron_nbprof import ReadError
from neuron_nbprof.formats import nrt_sys_trace
from neuron_nbprof.formats.source import Source
from neuron_nbprof.trace import LinkRule, Rows, assemble

from .reading import BASE, outcome, table

SEQUENCE = 1_407_374_883_553_287  # unit 5, number 7: 5 << 48 | 7
MODEL = 605_291_374_318_702


def event(
    kind: str, phase: str, ns: int, tracking: int, core: int = 0, seq: int | None = None, **data: Any
) -> dict[str, Any]:
    out = {
        "event_type": kind, "phase": phase, "id": tracking * 10, "nc_idx": core, "nc_local_id": core,
        "tracking_id": tracking, "thread_id": 4300, "worker_gid": 0, "data": data, "timestamp_ns": ns,
    }  # fmt: skip
    return out if seq is None else {**out, "nrta_seq_id": seq}


#: One execution at LNC=2. Host times are offsets from `BASE`; the device's clock shows 1,500,000,000 when the
#: host's shows BASE + 281,500 - 45,500 = BASE + 236,000, so core 4 runs from 236,000 to 280,000.
GOOD = [
    event("nrta_execute_schedule", "start", BASE + 118_000, 101, seq=SEQUENCE, model_id=MODEL),
    event("nrta_execute_schedule", "stop", BASE + 128_000, 101, seq=SEQUENCE),
    event("kbl_exec_pre", "start", BASE + 131_000, 102, exec_id=2, model_id=MODEL),
    event("kbl_exec_pre", "stop", BASE + 160_000, 102),
    event("kbl_exec_wait", "start", BASE + 170_000, 103, seq=SEQUENCE, exec_id=2, model_id=MODEL),
    event("nc_exec_running", "start", 1_500_000_000, 104, exec_id=2, model_id=MODEL, device_core_idx=4,
          nc_timestamp_ns=1_500_000_000),
    event("nc_exec_running", "start", 1_500_000_400, 105, exec_id=2, model_id=MODEL, device_core_idx=5,
          nc_timestamp_ns=1_500_000_400),
    event("nc_exec_running", "stop", 1_500_044_000, 104, nc_timestamp_ns=1_500_044_000),
    event("nc_exec_running", "stop", 1_500_044_900, 105, nc_timestamp_ns=1_500_044_900),
    event("timestamp_sync_point", "instant", 1_500_045_500, 0, exec_id=2, nc_timestamp_ns=1_500_045_500,
          cpu_timestamp_ns=BASE + 281_500),
    event("kbl_exec_wait", "stop", BASE + 300_000, 103),
]  # fmt: skip

EXPECTED = {
    ("neuron_rt/NC:0", "nrta_execute_schedule", 118_000, 10_000),
    ("neuron_rt/NC:0", "kbl_exec_pre", 131_000, 29_000),
    ("neuron_rt/NC:0", "kbl_exec_wait", 170_000, 130_000),
    ("neuron_hw/NC0:4", "nc_exec_running", 236_000, 44_000),
    ("neuron_hw/NC0:5", "nc_exec_running", 236_400, 44_500),
    ("neuron_hw/NC0:0", "timestamp_sync_point", 281_500, 0),
}


def text(events: list[Any], **more: Any) -> bytes:
    return json.dumps({"events": events, "data_version": 2, **more}, separators=(",", ":")).encode()


def read(events: list[Any] | bytes) -> Rows:
    data = events if isinstance(events, bytes) else text(events)
    return nrt_sys_trace.read(Source(io.BytesIO(data)))


def notes(rows: Rows) -> dict[str, int]:
    return {note.text: note.count for note in rows.notes}


def args(rows: Rows, name: str) -> dict[str, Any]:
    (row,) = (row for row, number in enumerate(rows.name.tolist()) if rows.strings[number] == name)
    found: dict[str, Any] = json.loads(bytes(rows.args[row]))
    return found


def test_pairs_on_one_clock() -> None:
    rows = read(GOOD)
    assert table(rows) == EXPECTED
    assert notes(rows) == {}
    assert rows.attributes == {"data_version": 2}
    assert args(rows, "kbl_exec_wait")["model_id"] == MODEL
    assert args(rows, "nrta_execute_schedule")["nrta_seq_id"] == SEQUENCE


def test_links_from_schedule_to_both_physical_cores() -> None:
    trace = assemble(read(GOOD), title="", source="")
    names = [trace.name_of(row) for row in range(len(trace))]
    edges = {
        (names[int(source)], trace.track_of(int(target)).label, LinkRule(int(rule)))
        for source, target, rule in zip(
            trace.links.sources, trace.links.targets, trace.links.rule, strict=True
        )
        if rule == LinkRule.EXEC_FLOW
    }
    assert edges == {
        ("nrta_execute_schedule", "neuron_hw/NC0:4", LinkRule.EXEC_FLOW),
        ("nrta_execute_schedule", "neuron_hw/NC0:5", LinkRule.EXEC_FLOW),
    }


def test_models_with_the_same_counter_are_kept_apart() -> None:
    """Two models count their executions from 1 each, and run in turn."""
    events = []
    for turn, model in enumerate((11, 22)):
        at = BASE + turn * 1_000
        events += [
            event("kbl_exec_core", "start", at, 1 + turn, exec_id=1, model_id=model),
            event("kbl_exec_core", "stop", at + 900, 1 + turn),
            # the first core row is late: by time alone it would belong to the second submit
            event("nc_exec_running", "start", at + 1_100, 5 + turn, exec_id=1, model_id=model),
            event("nc_exec_running", "stop", at + 1_200, 5 + turn),
        ]
    trace = assemble(read(events), title="", source="")
    joined = [
        (trace.args(int(source))["model_id"], trace.args(int(target))["model_id"])
        for source, target in zip(trace.links.sources, trace.links.targets, strict=True)
    ]
    assert sorted(joined) == [(11, 11), (22, 22)]


def test_a_collective_without_a_model_takes_the_one_of_its_execution() -> None:
    events = [
        event("kbl_exec_core", "start", BASE, 1, exec_id=3, model_id=11),
        event("cc_running", "start", BASE + 10, 2, exec_id=3, gid=0, op_id=1),
        event("cc_running", "stop", BASE + 20, 2),
        event("kbl_exec_core", "stop", BASE + 30, 1),
    ]
    rows = read(events)
    assert len(set(rows.execution.tolist())) == 1
    assert int(rows.execution[0]) & 0xFFFFFFFF == 3


def test_counter_0_is_an_execution_like_any_other() -> None:
    rows = read([event("kbl_exec_core", "start", BASE, 1, exec_id=0, model_id=11)])
    assert rows.execution[0] != 0


def test_what_lost_its_other_end() -> None:
    events = [
        event("nrt_execute", "start", BASE + 10, 1, model_id=5),
        event("nrt_load", "stop", BASE + 20, 2),
    ]
    rows = read(events)
    assert table(rows) == {("neuron_rt/NC:0", "nrt_execute", 10, 0)}
    assert args(rows, "nrt_execute")["remark"] == "end not recorded"
    assert notes(rows) == {"starts without an end, shown as moments": 1, "ends without a start, left out": 1}


def test_a_tracking_id_may_be_used_again() -> None:
    starts = [("start", ns) for ns in (10, 20, 40, 50, 70)]
    stops = [("stop", ns) for ns in (20, 30, 60, 70)]
    rows = read([event("nrt_execute", phase, BASE + ns, 1) for phase, ns in starts + stops])
    spans = {(10, 10), (20, 10), (40, 0), (50, 10), (70, 0)}  # the one at 40 lost its end
    assert table(rows) == {("neuron_rt/NC:0", "nrt_execute", *span) for span in spans}
    assert notes(rows) == {"starts without an end, shown as moments": 1}


def test_the_same_tracking_id_on_two_cores() -> None:
    events = [event("kbl_exec_core", phase, BASE + ns, 9, core) for core, phase, ns in
              ((0, "start", 0), (1, "start", 5), (0, "stop", 7), (1, "stop", 9))]  # fmt: skip
    assert table(read(events)) == {
        ("neuron_rt/NC:0", "kbl_exec_core", 0, 7),
        ("neuron_rt/NC:1", "kbl_exec_core", 5, 4),
    }


def sync(device: int, host: int, core: int, execution: int) -> dict[str, Any]:
    data = {"exec_id": execution, "nc_timestamp_ns": device, "cpu_timestamp_ns": BASE + host}
    return event("timestamp_sync_point", "instant", device, 0, core, **data)


def test_the_clock_of_the_same_execution_and_core_is_taken() -> None:
    events = [
        event("nc_exec_running", "start", 1_000, 1, 1, exec_id=2, device_core_idx=1),
        event("nc_exec_running", "stop", 1_500, 1, 1),
        sync(2_000, 9_000, core=1, execution=2),  # offset 7,000
        sync(1_001, 5_001, core=1, execution=3),  # nearer, of another execution
        sync(1_000, 4_000, core=0, execution=2),  # of another core
    ]
    rows = read(events)
    assert ("neuron_hw/NC1:1", "nc_exec_running", 8_000, 500) in table(rows)
    assert notes(rows) == {}


def test_the_nearest_clock_of_the_core_is_second_best_and_counted() -> None:
    events = [
        event("nc_exec_running", "start", 1_000, 1, 1, exec_id=2),
        event("nc_exec_running", "stop", 1_500, 1, 1),
        sync(9_000, 10_000, core=1, execution=7),
        sync(1_300, 5_300, core=1, execution=8),  # offset 4,000, the nearest
        sync(1_000, 2_000, core=0, execution=2),
    ]
    rows = read(events)
    assert ("neuron_hw/NC1:0", "nc_exec_running", 5_000, 500) in table(rows)
    assert notes(rows) == {"hardware events placed by the nearest sync point, not their own": 1}
    assert args(rows, "nc_exec_running")["remark"] == "clock not aligned"


def test_without_any_clock_the_hardware_begins_with_the_host() -> None:
    events = [
        event("nrt_execute", "start", BASE + 50, 9),
        event("nrt_execute", "stop", BASE + 90, 9),
        event("nc_exec_running", "start", 1_000, 1),
        event("nc_exec_running", "stop", 1_500, 1),
        event("nc_exec_running", "start", 1_700, 2),
        event("nc_exec_running", "stop", 1_800, 2),
    ]
    rows = read(events)
    assert table(rows) == {
        ("neuron_rt/NC:0", "nrt_execute", 50, 40),
        ("neuron_hw/NC0:0", "nc_exec_running", 50, 500),
        ("neuron_hw/NC0:0", "nc_exec_running", 750, 100),
    }
    assert notes(rows) == {
        "hardware events without any sync point: their place against the host is not known": 2
    }


def test_times_that_the_runtime_adjusted_stay() -> None:
    events = [
        event("nc_exec_running", "start", BASE + 7, 1, exec_id=2, nc_timestamp_ns=1_000),
        event("nc_exec_running", "stop", BASE + 17, 1, nc_timestamp_ns=1_010),
        sync(2_000, 9_000, core=0, execution=2),
    ]
    assert ("neuron_hw/NC0:0", "nc_exec_running", 7, 10) in table(read(events))


def test_old_names_and_unknown_ones() -> None:
    events = [
        event("device_exec", "instant", BASE + 1, 1),
        event("runtime_execute", "instant", BASE + 2, 2),
        event("brand_new", "instant", BASE + 3, 3, nc_timestamp_ns=BASE),
        event("brand_new_call", "instant", BASE + 4, 4),
    ]
    assert table(read(events)) == {
        ("neuron_hw/NC0:0", "nc_exec_running", 1, 0),
        ("neuron_rt/NC:0", "kmgr_exec_core", 2, 0),
        ("neuron_hw/NC0:0", "brand_new", 3, 0),
        ("neuron_rt/NC:0", "brand_new_call", 4, 0),
    }


def test_ids_of_64_bits_stay_apart() -> None:
    events = [event("nrta_execute_schedule", "instant", BASE + n, n, seq=(1 << 63) + n) for n in (1, 2)]
    assert len(set(read(events).sequence.tolist())) == 2
    assert read([event("x", "instant", BASE, 1, seq=SEQUENCE)]).sequence.tolist() == [SEQUENCE]


def test_lost_times_are_left_out_and_counted() -> None:
    rows = read([event("a", "instant", 0, 1), {**event("b", "instant", 0, 2), "timestamp_ns": None}, *GOOD])
    assert table(rows) == EXPECTED
    assert notes(rows) == {
        "events whose time is not a number, left out": 1,
        "events whose time was lost, left out": 1,
    }


def test_the_process_is_that_of_the_folder(tmp_path: Path) -> None:
    folder = tmp_path / "i-0abc_pid_4242" / "1790857027000000000"
    folder.mkdir(parents=True)
    (folder / "events.json").write_bytes(text(GOOD))
    rows = nrt_sys_trace.read(Source(folder / "events.json"))
    assert set(rows.scope.tolist()) == {4242}
    assert {(track.instance, track.process) for track in rows.tracks} == {("i-0abc", "4242")}


def test_recognised_by_content() -> None:
    assert nrt_sys_trace.recognises(text(GOOD)[:4096])
    assert nrt_sys_trace.recognises(b'[INFO] fetched\n{"data_version": 2, "events": []}')
    assert not nrt_sys_trace.recognises(b'{"schemaVersion": 1, "traceEvents": [{"ph": "X"')
    assert not nrt_sys_trace.recognises(b'{"events": [{"x": 1}]}')
    assert not nrt_sys_trace.recognises(b"\x00\x01")


def test_another_document_is_named() -> None:
    with pytest.raises(ReadError, match=r"without the runtime's list of events \(it holds: a\)"):
        read(b'{"a": 1}')


@given(st.binary(max_size=200))
@settings(deadline=None)
def test_any_bytes(data: bytes) -> None:
    outcome(read, data)
    outcome(read, b'{"events":[' + data)


WHOLE = text(GOOD)


@given(st.integers(0, len(WHOLE)))
@settings(deadline=None)
def test_any_truncation_keeps_complete_events(length: int) -> None:
    rows = outcome(read, WHOLE[:length])
    complete = WHOLE[:length].count(b',"timestamp_ns":') - 1
    if complete > 2:
        assert rows is not None
        assert len(rows) >= 1


@given(st.integers(0, len(WHOLE) - 1), st.integers(0, 255))
@example(2, ord("\n"))
@settings(deadline=None, max_examples=300)
def test_any_changed_byte(position: int, byte: int) -> None:
    outcome(read, WHOLE[:position] + bytes([byte]) + WHOLE[position + 1 :])


@given(st.integers(0, 2**32))
@settings(deadline=None)
def test_any_order_of_events(seed: int) -> None:
    shuffled = list(GOOD)
    random.Random(seed).shuffle(shuffled)
    assert table(read(shuffled)) == EXPECTED


@given(st.lists(st.fixed_dictionaries({}, optional={
    "event_type": st.sampled_from(["nc_exec_running", "timestamp_sync_point", "kbl_exec_wait", 7, None, "x"]),
    "phase": st.sampled_from(["start", "stop", "instant", "unknown", 3, None]),
    "timestamp_ns": st.one_of(st.integers(-(2**63), 2**64 - 1), st.floats(), st.text(max_size=3), st.none()),
    "tracking_id": st.integers(0, 3), "nc_idx": st.one_of(st.integers(-1, 2), st.just("0")),
    "nrta_seq_id": st.integers(0, 2**64 - 1),
    "data": st.one_of(st.none(), st.dictionaries(
        st.sampled_from(["exec_id", "model_id", "nc_timestamp_ns", "cpu_timestamp_ns", "device_core_idx"]),
        st.one_of(st.integers(-(2**63), 2**64 - 1), st.text(max_size=3), st.none()))),
}), max_size=12))  # fmt: skip
@settings(deadline=None)
def test_any_events(events: list[Any]) -> None:
    assert outcome(read, json.dumps({"events": events}).encode()) is not None
