"""JSON of Neuron Explorer: both shapes of a system profile, device profiles and summaries as tables."""

from __future__ import annotations

import io
import json
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from neuron_nbprof import ReadError
from neuron_nbprof.formats import neuron_explorer_json as explorer_json
from neuron_nbprof.formats.source import Source
from neuron_nbprof.trace import LinkRule, Rows, assemble
from neuron_nbprof.trace.categories import NEURON_HARDWARE, NEURON_RUNTIME

from .reading import BASE, outcome

MODEL = 605_291_374_318_702


def item(name: str, ns: int, dur: int, **more: Any) -> dict[str, Any]:
    return {
        "name": name, "timestamp": BASE + ns, "duration": dur, "timestamp_unit": "ns", "process_id": "4242",
        "thread_id": 4300, "instance_id": "i-0123456789abcdef0", **more,
    }  # fmt: skip


NEW: dict[str, Any] = {
    "system_profile_metadata": [
        {"first_ts_ns": str(BASE), "last_ts_ns": str(BASE + 500_000), "hbm_capacity_bytes": 25769803776,
         "ntff_version": 5}
    ],
    "device_profile_list": [{"device_profile_name": "i-0_pid_4242_nc_0_session_0", "nc_id": 0}],
    "trace_event": [
        item("nc_exec_running", 236_000, 44_000, nc_idx=0, lnc_idx="0", device_core_idx=4, exec_id=2,
             model_id=MODEL, model_name=""),
        item("nc_exec_running", 236_400, 44_500, nc_idx=0, lnc_idx="0", device_core_idx=5, exec_id=2,
             model_id=str(MODEL)),
        item("kbl_exec_wait", 170_000, 130_000, nc_idx=0, exec_id=2, model_id=MODEL),
        item("nrta_execute_schedule", 118_000, 10_000, nc_idx=0, model_id=""),
    ],
    "device_mem_usage": [{"hbm_idx": 2, "total_bytes": 1048576}],
    "warnings": [],
}  # fmt: skip

OLD: dict[str, Any] = {
    "trace_events": [
        {"duration": 27_000, "group": "nrt-nc-000", "id": 1, "instance_id": "i-0", "lnc_idx": "0",
         "name": "nrt_tensor_write", "parent_id": 0, "process_id": "4242", "size": "4",
         "tensor_id": "4900392441224765051", "tensor_name": "_unknown_", "thread_id": 4242, "timestamp": BASE,
         "type": 11},
        {"duration": 3758, "group": "framework-4242", "instance_id": "i-0", "name": "PjitFunction(f)",
         "process_id": "4242", "thread_id": 4242, "timestamp": BASE + 50_000, "type": 99999},
    ],
    "mem_usage": [{"duration": 1, "percent_usage": 9.7, "timestamp": BASE, "usage": 51805806592}],
    "cpu_util": [{"cpu_id": "47", "duration": 1, "timestamp": BASE, "util": 2.3}],
}  # fmt: skip


def text(document: Any) -> bytes:
    return json.dumps(document).encode()


def read(document: Any) -> Rows:
    data = document if isinstance(document, bytes) else text(document)
    return explorer_json.read(Source(io.BytesIO(data)))


def table(rows: Rows) -> list[tuple[str, str, str, int, int]]:
    return [
        (rows.tracks[track].label, rows.strings[name], rows.strings[category], start - BASE, dur)
        for track, name, category, start, dur in zip(
            rows.track.tolist(), rows.name.tolist(), rows.category.tolist(), rows.start.tolist(),
            rows.dur.tolist(), strict=True,
        )
    ]  # fmt: skip


NEW_TABLE = [
    ("neuron_hw/NC0:4", "nc_exec_running", NEURON_HARDWARE, 236_000, 44_000),
    ("neuron_hw/NC0:5", "nc_exec_running", NEURON_HARDWARE, 236_400, 44_500),
    ("neuron_rt/NC:0", "kbl_exec_wait", NEURON_RUNTIME, 170_000, 130_000),
    ("neuron_rt/NC:0", "nrta_execute_schedule", NEURON_RUNTIME, 118_000, 10_000),
]


def test_new_shape() -> None:
    rows = read(NEW)
    assert table(rows) == NEW_TABLE
    assert set(rows.scope.tolist()) == {4242}
    assert {track.process for track in rows.tracks} == {"4242"}
    assert rows.attributes["system_profile"]["hbm_capacity_bytes"] == 25769803776
    assert rows.attributes["device_mem_usage"] == [{"hbm_idx": 2, "total_bytes": 1048576}]
    assert json.loads(bytes(rows.args[0]))["device_core_idx"] == 4
    assert rows.notes == []


def test_old_shape() -> None:
    rows = read(OLD)
    assert table(rows) == [
        ("neuron_rt/NC:0", "nrt_tensor_write", NEURON_RUNTIME, 0, 27_000),
        ("framework/TID:4242", "PjitFunction(f)", "framework", 50_000, 3_758),
    ]
    assert rows.attributes["mem_usage"][0]["percent_usage"] == 9.7
    assert rows.attributes["cpu_util"][0]["cpu_id"] == "47"
    assert json.loads(bytes(rows.args[0]))["tensor_id"] == "4900392441224765051"


def test_an_object_of_entries_instead_of_a_list() -> None:
    document = {**OLD, "trace_events": {"Neuron_Runtime_API_Event": OLD["trace_events"][0],
                                        "Framework_Event": OLD["trace_events"][1]}}  # fmt: skip
    assert table(read(document)) == table(read(OLD))


def test_both_cores_of_a_run_join_the_row_that_waits_for_it() -> None:
    trace = assemble(read(NEW), title="", source="")
    found = {
        (trace.name_of(int(source)), trace.track_of(int(target)).label, LinkRule(int(rule)))
        for source, target, rule in zip(
            trace.links.sources, trace.links.targets, trace.links.rule, strict=True
        )
    }
    assert found == {
        ("kbl_exec_wait", "neuron_hw/NC0:4", LinkRule.EXEC_FLOW),
        ("kbl_exec_wait", "neuron_hw/NC0:5", LinkRule.EXEC_FLOW),
    }


def test_one_runtime_row_stands_for_a_run() -> None:
    """The cores begin on both sides of the wait's start; by time alone each would find another row."""
    events = [
        item("kbl_exec_core", 0, 100, nc_idx=0, exec_id=2, model_id=MODEL),
        item("kbl_exec_wait", 20, 70, nc_idx=0, exec_id=2, model_id=MODEL),
        item("nc_exec_running", 19, 50, nc_idx=0, device_core_idx=4, exec_id=2, model_id=MODEL),
        item("nc_exec_running", 21, 50, nc_idx=0, device_core_idx=5, exec_id=2, model_id=MODEL),
    ]
    trace = assemble(read({"trace_event": events}), title="", source="")
    assert {trace.name_of(int(source)) for source in trace.links.sources} == {"kbl_exec_core"}
    assert len(trace.links.targets) == 2


def test_log_lines_and_numbers_as_text() -> None:
    document = json.loads(text(NEW))
    for entry in document["trace_event"]:
        entry["timestamp"] = str(entry["timestamp"])
        entry["duration"] = str(entry["duration"])
    rows = read(b"[INFO] writing\n" + text(document) + b"\ndone\n")
    assert table(rows) == NEW_TABLE
    assert [note.text for note in rows.notes] == [
        "log lines before the JSON, skipped",
        "log lines after the JSON, skipped",
    ]


def test_flow_ids_where_a_build_exports_them() -> None:
    sequence = (1 << 48) + 29
    events = [
        item("aten::mul [trace.json]", 0, 5, trace_event_source="framework", flow_id=[str(sequence)]),
        item("aten::mul [trace.json]", 1, 5, trace_event_source="framework", flow_id=[str(sequence)],
             framework_stream_id="0"),
        item("kbl_exec_wait", 2, 9, nc_idx=0, flow_id=[str(sequence), "2"]),
        item("nc_exec_running", 3, 7, nc_idx=0, flow_id=["2"]),
    ]  # fmt: skip
    rows = read({"trace_event": events})
    assert rows.sequence.tolist() == [sequence, sequence, sequence, 0]
    assert rows.execution[2] == rows.execution[3] != 0
    assert [row[:3] for row in table(rows)] == [
        ("framework/TID:4300", "aten::mul", "privateuse1_runtime"),
        ("framework/Stream:0", "aten::mul", "privateuse1_driver"),
        ("neuron_rt/NC:0", "kbl_exec_wait", NEURON_RUNTIME),
        ("neuron_hw/NC0:0", "nc_exec_running", NEURON_HARDWARE),
    ]


def test_lost_times_and_negative_durations() -> None:
    events = [item("nrt_load", 0, -5, nc_idx=0), item("nrt_load", -BASE, 5), item("nrt_load", 0, 0), 3]
    events[2]["timestamp"] = "1e999999999"
    rows = read({"trace_event": events})
    assert table(rows) == [("neuron_rt/NC:0", "nrt_load", NEURON_RUNTIME, 0, 0)]
    assert {note.text: note.count for note in rows.notes} == {
        "entries that could not be read, skipped": 1,
        "negative durations, shown as 0": 1,
        "events whose time was lost, left out": 2,
    }


@pytest.mark.parametrize(
    ("number", "unit", "expected"),
    [(b"7", 1, 7), (b'"8"', 1, 8), (b"1790857027000236.123", 1000, 1790857027000236123), (b"null", 1, None),
     (b"1e400000000", 1, None), (b"9999999999999999999", 1, None), (b"[1]", 1, None), (b"7", 0, None)],
)  # fmt: skip
def test_nanoseconds(number: bytes, unit: int, expected: int | None) -> None:
    assert explorer_json.nanoseconds(number, unit) == expected


DEVICE: dict[str, Any] = {
    "summary": [{"total_time": 0.25, "dma_active_time_percent": 0.0628, "mfu_estimated_percent": 0.0}],
    "instruction": [
        {"timestamp": 10, "duration": 3, "opcode": "MATMUL", "id": (1 << 62) + 1},
        {"timestamp": 14, "duration": 2, "opcode": "ACTIVATE", "evt_wait_time_ns": 5},
    ],
    "profile_info": {"ntff_filename": "profile.ntff"},
    "neff_node": [{"variable_name": "input0", "shape": "[1 2 256 64]", "size": "65536", "type": "IN"}],
    "warnings": [],
}


def tables(document: Any) -> dict[str, Any]:
    return explorer_json.tables(
        Source(io.BytesIO(document if isinstance(document, bytes) else text(document)))
    )


def test_a_device_profile_is_tables_and_no_timeline() -> None:
    with pytest.raises(ReadError, match=r"device profile in JSON.*tables\(path\) shows its tables"):
        read(DEVICE)
    found = tables(DEVICE)
    assert list(found) == ["summary", "instruction", "profile_info", "neff_node", "warnings"]
    assert found["instruction"]["id"].tolist()[0] == (1 << 62) + 1
    assert str(found["instruction"]["id"].dtype) == "Int64"
    assert found["instruction"]["evt_wait_time_ns"].isna().tolist() == [True, False]
    assert found["profile_info"].loc[0, "ntff_filename"] == "profile.ntff"
    assert found["summary"].attrs["percent_scale"] == {
        "dma_active_time_percent": "fraction, 1 is all",
        "mfu_estimated_percent": "scale not known",
    }


@pytest.mark.parametrize(
    "document",
    [
        {"n_0123456789abcdef": {"total_time": 0.5, "throttle_active_percent": 25300.0}},
        {"total_time": 0.5, "throttle_active_percent": 25300.0},
        [{"total_time": 0.5, "throttle_active_percent": 25300.0}],
    ],
)
def test_summaries_in_every_shape(document: Any) -> None:
    with pytest.raises(ReadError, match="a summary in JSON"):
        read(document)
    (frame,) = tables(b"INFO summary\n" + text(document)).values()
    assert frame["total_time"].tolist() == [0.5]
    assert frame["throttle_active_percent"].tolist() == [25300.0]
    assert frame.attrs["percent_scale"] == {"throttle_active_percent": "beyond 100 percent"}
    assert frame.attrs["notes"][0].text == "log lines before the JSON, skipped"


def test_the_profile_of_a_summary_row() -> None:
    frame = tables({"s_0123456789": {"total_time": 1.0}, "n_0123456789": {"total_time": 2.0}})["summary"]
    assert frame["profile"].tolist() == ["s_0123456789", "n_0123456789"]


def test_tables_of_a_system_profile(tmp_path: Path) -> None:
    (tmp_path / "profile.json").write_bytes(text(OLD))
    found = explorer_json.tables(tmp_path / "profile.json")
    assert found["mem_usage"]["usage"].tolist() == [51805806592]
    assert found["cpu_util"].attrs["percent_scale"] == {"util": "percent, 100 is all"}
    with pytest.raises(ReadError, match="cannot be read"):
        explorer_json.tables(tmp_path / "nowhere.json")


@pytest.mark.parametrize(
    "document", [NEW, OLD, DEVICE, {"n_0123456789abcdef": {"x": 1}}, [{"total_time": 1.5}]]
)
def test_recognised_by_content(document: Any) -> None:
    assert explorer_json.recognises(text(document)[:4096])
    assert explorer_json.recognises(b"[INFO] log\n" + text(document)[:4096])


@pytest.mark.parametrize(
    "head",
    [b'{"schemaVersion": 1, "traceEvents": [{"ph": "X", "args": {"total_time": 1}}',
     b'{"events": [], "data_version": 2}', b'[{"ph": "X"}]', b'{"name": "x"}', b"", b"\x0a\x02"],
)  # fmt: skip
def test_other_documents_are_not(head: bytes) -> None:
    assert not explorer_json.recognises(head)


WHOLE = text(NEW)


@given(st.binary(max_size=200))
@settings(deadline=None)
def test_any_bytes(data: bytes) -> None:
    outcome(read, data)
    outcome(read, b'{"trace_event": [{"name": ' + data)


@given(st.integers(0, len(WHOLE)))
@settings(deadline=None)
def test_any_truncation_keeps_complete_events(length: int) -> None:
    rows = outcome(read, WHOLE[:length])
    begun = WHOLE[:length].count(b'"timestamp_unit"')
    if begun > 1:
        assert rows is not None
        assert len(rows) >= begun - 1


@given(st.integers(0, len(WHOLE) - 1), st.integers(0, 255))
@settings(deadline=None, max_examples=300)
def test_any_changed_byte(position: int, byte: int) -> None:
    changed = WHOLE[:position] + bytes([byte]) + WHOLE[position + 1 :]
    rows = outcome(read, changed)
    assert rows is None or len(rows) <= len(NEW_TABLE)
    assert all("percent_scale" in frame.attrs for frame in _tables_or_none(changed).values())


def _tables_or_none(data: bytes) -> dict[str, Any]:
    try:
        return tables(data)
    except ReadError:
        return {}


@given(st.integers(0, 2**32))
@settings(deadline=None)
def test_any_order_of_events(seed: int) -> None:
    shuffled = list(NEW["trace_event"])
    random.Random(seed).shuffle(shuffled)
    assert sorted(table(read({**NEW, "trace_event": shuffled}))) == sorted(NEW_TABLE)
