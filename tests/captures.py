"""A hand-made capture folder of two eager operators at LNC=2, every number chosen here.

Unix ns are ``BASE`` + the offsets in the tables; the framework trace says them in µs.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

BASE = 1_790_857_026_000_000_000
OFFSET = 5_107_091_558_253_000  # ns after BASE at which the window begins
MUL, MEAN = 281_474_976_710_685, 281_474_976_710_686  # (1 << 48) | n: not exact as a double plus one
PID, TID = 4242, 4300

#: name, category, thread or stream, start ns, duration ns, arguments
FRAMEWORK = [
    ("ProfilerStep#3", "user_annotation", TID, 0, 900_000, {"External id": 700}),
    ("aten::mul", "cpu_op", TID, 1_120, 20_000, {"External id": 701}),
    (
        "aten::mul.Tensor",
        "privateuse1_runtime",
        TID,
        3_000,
        15_000,
        {"External id": 701, "nrt_sequence_id": MUL},
    ),
    ("aten::mean", "cpu_op", TID, 30_000, 21_000, {"External id": 702}),
    (
        "aten::mean.dim",
        "privateuse1_runtime",
        TID,
        33_000,
        15_000,
        {"External id": 702, "nrt_sequence_id": MEAN},
    ),
    ("neuron::synchronize", "user_annotation", TID, 60_000, 720_000, {"External id": 703}),
    (
        "aten::mul.Tensor",
        "privateuse1_driver",
        0,
        25_000,
        400_000,
        {"External id": 701, "nrt_sequence_id": MUL},
    ),
    (
        "aten::mean.dim",
        "privateuse1_driver",
        0,
        425_000,
        345_000,
        {"External id": 702, "nrt_sequence_id": MEAN},
    ),
]

#: name, source, start ns, duration ns, physical core, flow ids
SYSTEM = [
    ("nrta_execute_schedule", "neuron_rt", 26_000, 9_000, None, [MUL]),
    ("nrta_execute_schedule", "neuron_rt", 55_000, 9_000, None, [MEAN]),
    ("kbl_exec_wait", "neuron_rt", 38_000, 388_000, None, [MUL, 2]),
    ("kbl_exec_wait", "neuron_rt", 426_500, 341_500, None, [MEAN, 3]),
    ("nc_exec_running", "neuron_hw", 38_500, 387_000, 4, [2]),
    ("nc_exec_running", "neuron_hw", 427_000, 340_000, 4, [3]),
    ("nc_exec_running", "neuron_hw", 39_100, 387_000, 5, [2]),
    ("nc_exec_running", "neuron_hw", 427_600, 340_000, 5, [3]),
]


def microseconds(ns: int) -> str:
    return f"{ns // 1000}.{ns % 1000:03d}"


def framework_json(rows: list[tuple[Any, ...]] = FRAMEWORK, **envelope: Any) -> str:
    events = [
        f'{{"ph": "X", "cat": {json.dumps(cat)}, "name": {json.dumps(name)}, "pid": {PID}, "tid": {tid}, '
        f'"ts": {microseconds(OFFSET + start)}, "dur": {microseconds(dur)}, "args": {json.dumps(args)}}}'
        for name, cat, tid, start, dur, args in rows
    ]
    head = json.dumps({"schemaVersion": 1, "baseTimeNanoseconds": BASE, **envelope})[:-1]
    return f'{head}, "traceEvents": [{", ".join(events)}]}}'


def system_table(rows: list[tuple[Any, ...]] = SYSTEM, framework: bool = False) -> pa.Table:
    found = [
        system_row(
            name, start, dur, source, flow, id=number, thread_id=TID, nc_idx=0, pcore_idx=core, worker_gid=0,
            extra_attributes_json=json.dumps({"model_id": 605291374318702}),
        )
        for number, (name, source, start, dur, core, flow) in enumerate(rows, 1)
    ]  # fmt: skip
    if framework:
        found += [
            system_row(
                f"{name} [trace.json]", start, dur, "framework",
                [args["nrt_sequence_id"]] if "nrt_sequence_id" in args else [],
                id=(1 << 62) + number, thread_id=tid,
                framework_stream_id="0" if cat == "privateuse1_driver" else None, extra_attributes_json="{}",
            )
            for number, (name, cat, tid, start, dur, args) in enumerate(FRAMEWORK, 1)
        ]  # fmt: skip
    return pa.Table.from_pylist(found)


def system_row(name: str, start: int, dur: int, source: str, flow: list[int], **more: Any) -> dict[str, Any]:
    """One row of ``SystemProfileEvents``; columns that are not given are null."""
    return {
        "name": name,
        "start_ts": BASE + OFFSET + start,
        "end_ts": BASE + OFFSET + start + dur,
        "duration_ns": dur,
        "trace_event_source": source,
        "instance_id": "i-0123456789abcdef0",
        "process_id": PID,
        "nc_idx": None,
        "pcore_idx": None,
        "worker_gid": None,
        "framework_stream_id": None,
        "flow_id": [str(token) for token in flow],
        **more,
    }


def write_capture(
    folder: Path, framework: str | None = None, system: pa.Table | None = None, out: str = "profile_output"
) -> Path:
    """Writes a capture below ``folder`` and returns the folder that would have been given to the profiler."""
    session = folder / out / f"i-0123456789abcdef0_pid_{PID}" / "1790857027000000000"
    session.mkdir(parents=True)
    if framework is not None:
        (session / "trace.json").write_text(framework)
    if system is not None:
        pq.write_table(system, session / "SystemProfileEvents.parquet")
    return folder / out
