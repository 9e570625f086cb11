"""Programs, device traces and executions by every way in which they are named."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from neuron_nbprof import ReadError
from neuron_nbprof.formats import kineto, nrt_sys_trace, pairing
from neuron_nbprof.formats.source import Source
from neuron_nbprof.trace import Trace, assemble, concatenate

BASE = 1_790_857_027_000_000_000
SESSION = "i-0a_pid_4242/1790857027000000000"
BIG = 14_382_885_777_943_380_729  # needs 64 bits
MODEL, OTHER = 605_291_374_318_702, 11


def files(root: Path, *names: str, size: int = 4000) -> None:
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(bytes(size))


def report(root: Path, trace: Trace | None = None) -> list[dict[str, Any]]:
    """The report's rows without what is not told."""
    frame = pairing.pairs(root, trace).astype(object)
    rows = frame.where(frame.notna(), None).to_dict("records")
    return [{key: value for key, value in row.items() if value is not None} for row in rows]


def select(rows: list[dict[str, Any]], *keys: str) -> list[tuple[Any, ...]]:
    return [tuple(row.get(key) for key in keys) for row in rows]


def run(model: int, execution: int, core: int, ns: int, name: str = "") -> list[dict[str, Any]]:
    data = {"exec_id": execution, "model_id": model, "device_core_idx": 4 + 2 * core, "model_name": name}
    place = {"nc_idx": core, "tracking_id": ns, "event_type": "nc_exec_running"}
    return [
        {**place, "phase": "start", "data": data, "timestamp_ns": BASE + ns},
        {**place, "phase": "stop", "data": {}, "timestamp_ns": BASE + ns + 5},
    ]


def trace_of(root: Path, events: list[dict[str, Any]]) -> Trace:
    path = root / SESSION / "events.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"events": events, "data_version": 2}))
    rows = nrt_sys_trace.read(Source(path))
    path.unlink()
    return assemble(rows, title="", source="")


def test_numbers_of_64_bits_in_both_names(tmp_path: Path) -> None:
    files(tmp_path, f"{SESSION}/neff_{BIG}.neff", f"{SESSION}/neff_{BIG - 1}.neff",
          f"{SESSION}/{BIG}_instid_0_vnc_1.ntff")  # fmt: skip
    rows = report(tmp_path)
    assert select(rows[:2], "neff", "ntff", "matched_by", "model_id") == [
        (f"neff_{BIG - 1}.neff", None, None, BIG - 1),
        (f"neff_{BIG}.neff", f"{BIG}_instid_0_vnc_1.ntff", "number in both names", BIG),
    ]
    assert rows[0]["state"] == pairing.NO_NTFF
    assert rows[1]["state"] == "paired"


def test_the_core_tells_two_device_traces_of_a_model_apart(tmp_path: Path) -> None:
    files(tmp_path, *(f"{SESSION}/neff_{MODEL}_vnc_{core}.neff" for core in (0, 1)),
          *(f"{SESSION}/{MODEL}_vnc_{core}.ntff" for core in (0, 1)))  # fmt: skip
    assert select(report(tmp_path)[:2], "neff", "ntff") == [
        (f"neff_{MODEL}_vnc_0.neff", f"{MODEL}_vnc_0.ntff"),
        (f"neff_{MODEL}_vnc_1.neff", f"{MODEL}_vnc_1.ntff"),
    ]


def test_a_number_of_another_process_is_no_evidence(tmp_path: Path) -> None:
    files(tmp_path, "i-0a_pid_1/neff_7.neff", "i-0a_pid_2/7_vnc_0.ntff")
    assert select(report(tmp_path)[:1], "neff", "ntff") == [("neff_7.neff", None)]


def test_session_mode_with_executions(tmp_path: Path) -> None:
    files(
        tmp_path,
        f"{SESSION}/neff_{MODEL}_vnc_0.neff",
        f"{SESSION}/neff_abc_vnc_0.neff",
        f"{SESSION}/trace.json",
    )
    files(tmp_path, f"{SESSION}/profile_nc_0_session_0.ntff")
    files(tmp_path, f"{SESSION}/profile_nc_1_session_0.ntff", size=0)
    trace = trace_of(tmp_path, run(MODEL, 1, 0, 10) + run(MODEL, 2, 0, 20) + run(OTHER, 1, 1, 30))
    rows = report(tmp_path, trace)
    assert select(rows, "neff", "ntff", "matched_by", "model_id", "cores", "executions") == [
        (f"neff_{MODEL}_vnc_0.neff", "profile_nc_0_session_0.ntff", "session mode, model_id", MODEL, "0", 2),
        ("neff_abc_vnc_0.neff", "profile_nc_0_session_0.ntff", "session mode", None, "0", None),
        (None, "profile_nc_1_session_0.ntff", None, None, "1", None),
        (None, None, None, OTHER, "1", 1),
    ]
    assert [trace.name_of(trace.position(event)) for event in rows[0]["events"]] == ["nc_exec_running"] * 2
    assert [trace.args(trace.position(event))["exec_id"] for event in rows[0]["events"]] == [1, 2]
    assert [row["state"] for row in rows] == [
        pairing.SESSION_MODE,
        f"{pairing.SESSION_MODE}; {pairing.NOT_EXECUTED}",
        "empty: nothing ran on this core in the window, or there was no warm-up",
        pairing.NO_NEFF,
    ]
    assert select(rows[:1], "session", "instance", "process") == [(SESSION, "i-0a", 4242)]


def test_a_graph_is_known_by_its_name_in_the_events(tmp_path: Path) -> None:
    files(tmp_path, "neffs/graph_5c1d.neff", f"{SESSION}/profile_nc_0_session_0.ntff")
    trace = trace_of(tmp_path, run(MODEL, 1, 0, 10, "/tmp/cache/graph_5c1d.neff"))
    assert select(report(tmp_path, trace)[:1], "neff", "ntff", "matched_by", "model_id") == [
        ("graph_5c1d.neff", f"{SESSION}/profile_nc_0_session_0.ntff", "session mode, model name", MODEL)
    ]


def test_a_name_that_every_program_bears_is_no_evidence(tmp_path: Path) -> None:
    files(tmp_path, f"{SESSION}/file.neff")
    trace = trace_of(tmp_path, run(MODEL, 1, 0, 10, "a/file.neff") + run(OTHER, 1, 0, 20, "b/file.neff"))
    assert select(report(tmp_path, trace)[:1], "neff", "matched_by") == [("file.neff", None)]


def test_the_key_in_the_compiler_cache(tmp_path: Path) -> None:
    """The stream row of a submission names the key; its executions belong to the file of that name."""
    key = "mul--_[128]:BFloat16_i1:0011"
    files(tmp_path, f"{SESSION}/{key}.neff", f"{SESSION}/profile_nc_0_session_0.ntff")
    sequence = (1 << 48) + 29
    row = {"ph": "X", "pid": 4242, "dur": 50, "name": "aten::mul.Tensor"}
    framework = tmp_path / "trace.json"
    framework.write_text(json.dumps({"baseTimeNanoseconds": BASE, "traceEvents": [
        {**row, "cat": "privateuse1_runtime", "tid": 1, "ts": 0, "args": {"nrt_sequence_id": sequence}},
        {**row, "cat": "privateuse1_driver", "tid": 0, "ts": 1,
         "args": {"nrt_sequence_id": sequence, "neff_cache_key": f'"{key}"'}},
    ]}))  # fmt: skip
    events = run(MODEL, 1, 0, 10_000)
    events.append({"event_type": "kbl_exec_wait", "phase": "instant", "nc_idx": 0, "tracking_id": 1,
                   "nrta_seq_id": sequence, "data": {"exec_id": 1, "model_id": MODEL},
                   "timestamp_ns": BASE + 9_000})  # fmt: skip
    path = tmp_path / SESSION / "events.json"
    path.write_text(json.dumps({"events": events}))
    rows = concatenate(kineto.read(Source(framework)), nrt_sys_trace.read(Source(path)))
    rows.scope[:] = 4242
    found = report(tmp_path, assemble(rows, title="", source=""))
    assert select(found[:1], "neff", "ntff", "matched_by", "model_id", "executions") == [
        (f"{key}.neff", "profile_nc_0_session_0.ntff", "session mode, model name", MODEL, 1)
    ]


def test_files_side_by_side(tmp_path: Path) -> None:
    files(tmp_path, "one/file.neff", "one/profile.ntff", "two/a.neff", "two/b.neff", "two/a.ntff")
    assert select(report(tmp_path)[:3], "session", "neff", "ntff", "matched_by") == [
        ("one", "file.neff", "profile.ntff", "only program in its folder"),
        ("two", "a.neff", "a.ntff", "same name"),
        ("two", "b.neff", None, None),
    ]


def test_an_empty_pair_and_an_empty_program(tmp_path: Path) -> None:
    files(tmp_path, "neff_7.neff", "7_vnc_0.ntff", size=0)
    assert report(tmp_path)[0]["state"] == (
        "the program's file is empty (0 bytes); "
        "device trace empty: nothing ran on this core in the window, or there was no warm-up"
    )


def test_states_of_folders(tmp_path: Path) -> None:
    files(
        tmp_path,
        "i-0_pid_1/ntrace.pb",
        "i-0_pid_1/trace_info.pb",
        "i-0_pid_2/trace_info.pb",
        "i-0_pid_2/trace.json",
    )
    (tmp_path / "i-0_pid_3").mkdir()
    assert {row["session"]: row["state"] for row in report(tmp_path)} == {
        "i-0_pid_1": f"{pairing.ONLY_RAW}; {pairing.NO_FRAMEWORK}",
        "i-0_pid_2": pairing.ONLY_RAW,
        "i-0_pid_3": pairing.EMPTY_FOLDER,
    }


def test_nothing_at_all(tmp_path: Path) -> None:
    assert select(report(tmp_path), "session", "state") == [(".", pairing.EMPTY_FOLDER)]
    assert list(pairing.pairs(tmp_path).columns) == list(pairing.COLUMNS)
    with pytest.raises(ReadError, match="no folder"):
        pairing.pairs(tmp_path / "nowhere")
