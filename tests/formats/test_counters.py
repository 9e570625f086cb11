"""Counters out of every file that has some: values worked out by hand, and what is none left out aloud."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import neuron_nbprof
from neuron_nbprof.formats import exported
from neuron_nbprof.trace import Counter, Trace

from ..captures import BASE, OFFSET, framework_json, system_table

Capture = Callable[..., Path]
#: Unix ns of the first event of `framework_json`.
FIRST = BASE + OFFSET


def facts(counter: Counter) -> tuple[str, str, list[int], list[Any]]:
    return counter.label, counter.unit, counter.time.tolist(), counter.value.tolist()


def chrome(path: Path, events: list[dict[str, Any]]) -> Trace:
    work = {"ph": "X", "name": "aten::mul", "cat": "cpu_op", "pid": 7, "tid": 7, "ts": 10.5, "dur": 1}
    path.write_text(json.dumps({"traceEvents": [work, *events]}))
    return neuron_nbprof.open(path).trace


def memory(ts: float, device: int, index: int, **more: int) -> dict[str, Any]:
    args = {"Device Type": device, "Device Id": index, **more}
    return {
        "ph": "i",
        "cat": "cpu_instant_event",
        "name": "[memory]",
        "pid": 7,
        "tid": 7,
        "ts": ts,
        "args": args,
    }


def test_counter_events_count_from_the_first_event_and_come_in_order_of_time(tmp_path: Path) -> None:
    def sample(name: str, ts: float, **args: Any) -> dict[str, Any]:
        return {"ph": "C", "name": name, "pid": 7, "tid": 0, "ts": ts, "args": args}

    trace = chrome(
        tmp_path / "trace.json",
        [
            sample("queue", 12.001, ready=2**53 + 1, waiting=2),
            sample("queue", 11, ready=3, waiting="4"),
            sample("AI Core Freq", 20, MHz=1800.5),
            sample("HBM 0/Read", 20, **{"Read(MB/s)": 21.25}),
            sample("bandwidth", 20, value=9, acc_id=1),
            sample("bandwidth", 20, value=None, acc_id=1),
            sample("bandwidth", 20),
        ],
    )
    assert [facts(counter) for counter in trace.counters] == [
        ("queue: ready", "", [500, 1501], [3, 2**53 + 1]),
        ("queue: waiting", "", [500, 1501], [4, 2]),
        ("AI Core Freq", "MHz", [9500], [1800.5]),
        ("HBM 0/Read: Read", "MB/s", [9500], [21.25]),
        ("bandwidth acc_id 1", "", [9500], [9]),
    ]
    notes = {note.text: note.count for note in trace.notes}
    assert notes["counter samples without a time or a number"] == 2


def test_memory_of_pytorch_is_a_counter_for_each_device_and_stays_an_event(tmp_path: Path) -> None:
    trace = chrome(
        tmp_path / "trace.json",
        [
            memory(11, 20, 0, **{"Bytes": 512, "Total Allocated": 4096}),
            memory(12, 0, -1, **{"Bytes": 64, "Total Allocated": 64}),
            memory(13, 20, 0, **{"Bytes": -512, "Total Allocated": 3584}),
            memory(14, 1, 1, Bytes=100),
            memory(15, 1, 1, Bytes=-40),
        ],
    )
    assert [facts(counter) for counter in trace.counters] == [
        ("PyTorch memory, device 0", "B", [500, 2500], [4096, 3584]),
        ("PyTorch memory, host", "B", [1500], [64]),
        ("PyTorch memory, CUDA 1, since the beginning", "B", [3500, 4500], [100, 60]),
    ]
    assert len(trace.rows_named("[memory]")) == 5


def test_a_trace_of_torch_itself_tells_its_memory(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    with torch.profiler.profile(
        activities=[torch.profiler.ProfilerActivity.CPU], profile_memory=True
    ) as prof:
        kept = torch.zeros(1000, dtype=torch.float32)
        torch.zeros(5000, dtype=torch.float32)
    prof.export_chrome_trace(str(tmp_path / "trace.json"))
    (counter,) = neuron_nbprof.open(tmp_path / "trace.json").trace.counters
    assert counter.label == "PyTorch memory, host"
    # kept, and above it the one that is let go of at once; before and after it the same is in use
    steps = np.diff(counter.value).tolist()
    assert 20_000 in steps and -20_000 in steps and len(kept) == 1000


def write_table(folder: Path, name: str, rows: list[dict[str, Any]]) -> None:
    pq.write_table(pa.Table.from_pylist(rows), folder / f"{name}.parquet")


@pytest.fixture
def sampled(capture: Capture) -> Path:
    place = capture(framework_json(), system_table())
    (session,) = place.glob("*/*")
    host = {"instance_id": "i-0"}
    memories = [
        {"timestamp": FIRST + at, "total_bytes": used, "device_idx": 3, "hbm_idx": 1, **host}
        for at, used in ((700, 2**35 + 1), (200, 2**35), (0, 5))
    ]
    memories[2]["timestamp"] = 0  # a sampler without a clock
    write_table(session, "SystemProfileHbmUsage", memories)
    write_table(
        session,
        "CpuUsage",
        [
            {"timestamp": FIRST + 10, "util_percent": 12.5, "cpu_id": "average", **host},
            {"timestamp": FIRST + 10, "util_percent": float("nan"), "cpu_id": "7", **host},
            {"timestamp": FIRST + 900, "util_percent": 99.5, "cpu_id": "7", **host},
        ],
    )
    write_table(
        session, "HostMemUsage", [{"timestamp": FIRST - 50, "used_bytes": 2**34, "used_percent": 1.0, **host}]
    )
    return place


def test_tables_of_a_system_profile_are_counters(sampled: Path) -> None:
    trace = neuron_nbprof.open(sampled).trace
    assert [facts(counter) for counter in trace.counters] == [
        ("HBM in use, ND:3 HBM:1", "B", [200, 700], [2**35, 2**35 + 1]),
        ("host CPU, average", "%", [10], [12.5]),
        ("host CPU 7", "%", [900], [99.5]),
        ("host memory", "B", [-50], [2**34]),
    ]
    assert [counter.span_ns for counter in trace.counters] == [0, 10**9, 10**9, 0]
    assert trace.counters[0].source == "SystemProfileHbmUsage" and trace.counters[0].instance == "i-0"
    assert sum(note.count for note in trace.notes if "samples" in note.text) == 2


def test_samples_of_a_simulation_are_never_without_the_word(capture: Capture, tmp_path: Path) -> None:
    measured = memory(OFFSET / 1000, 0, -1, **{"Total Allocated": 64})
    text = framework_json(neuron_simulated={"device": "none"})
    place = capture(
        text.replace('"traceEvents": [', f'"traceEvents": [{json.dumps(measured)}, '), system_table()
    )
    (session,) = place.glob("*/*")
    row = {"timestamp": FIRST, "total_bytes": 1, "device_idx": 0, "hbm_idx": 0, "instance_id": "sim"}
    write_table(session, "SystemProfileHbmUsage", [row])
    trace = neuron_nbprof.open(place).trace
    told = {counter.label: counter.source for counter in trace.counters}
    assert told == {
        "PyTorch memory, host": "[memory] events",  # which is this machine's own
        "modelled HBM in use, ND:0 HBM:0": "SIMULATED SystemProfileHbmUsage",
    }
    again = neuron_nbprof.open(exported.to_perfetto(trace, tmp_path / "again.json")).trace
    assert {counter.label: counter.source for counter in again.counters} == told


def test_lists_of_a_system_profile_in_json_are_counters(tmp_path: Path) -> None:
    event = {"name": "nrt_execute", "timestamp": FIRST, "duration": 5, "timestamp_unit": "ns", "nc_idx": 0}
    document = {
        "trace_events": [event],
        "mem_usage": [{"duration": 1, "percent_usage": 9.7, "timestamp": FIRST + 5, "usage": 51_805_806_592}],
        "cpu_util": [
            {"cpu_id": "0", "duration": 1, "timestamp": FIRST + 3, "util": 4.5},
            {"cpu_id": "0", "duration": 1, "timestamp": FIRST + 4, "util": "n/a"},
            "odd",
        ],
    }
    path = tmp_path / "system_profile.json"
    path.write_text(json.dumps(document))
    trace = neuron_nbprof.open(path).trace
    assert [facts(counter) for counter in trace.counters] == [
        ("host memory", "B", [5], [51_805_806_592]),
        ("host CPU 0", "%", [3], [4.5]),
    ]


@pytest.mark.parametrize("how", [exported.to_perfetto, exported.to_parquet])
def test_counters_come_back_as_they_were(sampled: Path, tmp_path: Path, how: Callable[..., Path]) -> None:
    trace = neuron_nbprof.open(sampled).trace
    again = neuron_nbprof.open(how(trace, tmp_path / "again.json")).trace
    assert [vars(c) | {"time": 0, "value": 0} for c in again.counters] == [
        vars(c) | {"time": 0, "value": 0} for c in trace.counters
    ]
    for found, expected in zip(again.counters, trace.counters, strict=True):
        assert found.time.tolist() == expected.time.tolist()
        assert found.value.tolist() == expected.value.tolist() and found.value.dtype == expected.value.dtype


def test_perfetto_draws_the_counters(sampled: Path, tmp_path: Path) -> None:
    trace = neuron_nbprof.open(sampled).trace
    events = json.loads(exported.to_perfetto(trace, tmp_path / "trace.json").read_text())["traceEvents"]
    samples = [event for event in events if event["ph"] == "C"]
    assert [event["args"]["value"] for event in samples[:2]] == [2**35, 2**35 + 1]
    assert [event["ts"] for event in samples[:2]] == [0.2, 0.7]
    assert len(samples) == 5


def test_damaged_samples_of_ours_are_left_out_and_said(sampled: Path, tmp_path: Path) -> None:
    path = exported.to_perfetto(neuron_nbprof.open(sampled).trace, tmp_path / "trace.json")
    text = path.read_text()
    sound = f'"value": [{2**35}, {2**35 + 1}]'
    assert text.count(sound) == 1
    path.write_text(text.replace(sound, f'"value": [{2**35}]'))
    trace = neuron_nbprof.open(path).trace
    assert any("beside the events is not used" in note.text for note in trace.notes)
    assert trace.counters[0].value.tolist() == [2**35, 2**35 + 1], "from what it draws"


def test_samples_alone_open_and_begin_with_the_first(tmp_path: Path) -> None:
    path = tmp_path / "trace.json"
    samples = [{"ph": "C", "name": "m", "pid": 1, "ts": ts, "args": {"value": ts}} for ts in (7, 5)]
    path.write_text(json.dumps({"traceEvents": samples}))
    trace = neuron_nbprof.open(path).trace
    assert trace.origin_ns == 5000
    assert [facts(counter) for counter in trace.counters] == [("m", "", [0, 2000], [5, 7])]
