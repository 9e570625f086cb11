"""Writing a capture folder: ``trace.json`` and the tables that Neuron Explorer would make of it."""

from __future__ import annotations

import hashlib
import json
import os
import socket
from collections import defaultdict
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from .costs import CostModel
from .recorder import Kind, TensorFacts
from .schedule import RUNTIME_CALLS, Interval, Submission, Unit, VirtualClock
from .settings import current

_FRAMEWORK_IDS = 1 << 62
#: Arguments of a row of the framework that its tables repeat.
_CARRIED = ("nrt_sequence_id", "neff_cache_key", "graph_operators")
METADATA_KEY = b"neuron_nbprof_simulated"


def instance_id() -> str:
    return f"sim-{socket.gethostname()}"


def session_folder(output: str | os.PathLike[str], origin: int) -> Path:
    """``<output>/<instance>_pid_<pid>/<ns>/``, made."""
    folder = Path(output) / f"{instance_id()}_pid_{os.getpid()}" / str(origin)
    folder.mkdir(parents=True)
    return folder


class _Streams:
    """Numbers of streams in a capture: the default one of each core has the core's, others follow as used."""

    def __init__(self) -> None:
        self._others: dict[tuple[int, int | None], int] = {}

    def number(self, submission: Submission) -> int:
        core, stream = submission.placed.record.core, submission.placed.record.stream
        if not stream:
            return core
        return self._others.setdefault((core, stream), current().cores + len(self._others))


class FrameworkTrace:
    """Kineto's own trace, moved onto the virtual clock and completed with the device's rows.

    ``origin`` is Unix ns; every other time is ns since it.
    """

    def __init__(self, document: dict[str, Any]) -> None:
        self.document = document
        self.rows: list[dict[str, Any]] = document["traceEvents"]
        self._base = document["baseTimeNanoseconds"]
        windows = [row for row in self.rows if row.get("cat") == "Trace"]
        self.origin = self._base + min(round(row["ts"] * 1000) for row in windows)
        self.end = max(self.to_ns(row["ts"]) + round(row["dur"] * 1000) for row in windows)
        self.streams = _Streams()

    def to_ns(self, ts: float) -> int:
        return self._base + round(ts * 1000) - self.origin

    def host_rows(self) -> list[dict[str, Any]]:
        return [
            row for row in self.rows if row.get("cat") in ("cpu_op", "user_annotation") and row["ph"] == "X"
        ]

    def move(self, clock: VirtualClock) -> None:
        for row in self.rows:
            if row["ph"] == "M":
                continue
            start = self.to_ns(row["ts"])
            if "dur" in row:
                row["dur"] = _microseconds(clock(start + round(row["dur"] * 1000)) - clock(start))
            row["ts"] = self._timestamp(clock(start))

    def add(self, submissions: Iterable[Submission], model: CostModel) -> None:
        pid = os.getpid()
        for flow, submission in enumerate(submissions, 1):
            self.rows.extend(self._device_rows(flow, submission, pid, self.streams.number(submission)))
        labels = {"labels": "SIMULATED Neuron device"}
        self.rows.append(
            dict(ph="M", name="process_labels", ts=self._timestamp(0), pid=pid, tid=0, args=labels)
        )
        self.document["neuron_simulated"] = model.describe()

    def _device_rows(
        self, flow: int, submission: Submission, pid: int, number: int
    ) -> Iterator[dict[str, Any]]:
        thread, event = submission.placed.record.thread, submission.placed.event
        args: dict[str, Any] = {"External id": event.id} if event else {}
        args["nrt_sequence_id"] = submission.sequence
        operators = submission.placed.record.operators
        if operators:
            args["graph_operators"] = operators
        key = {"neff_cache_key": cache_key(submission)} if submission.unit is Unit.COMPUTE else {}
        stream = submission.stream
        arrow = dict(id=flow, pid=pid, cat="ac2g", name="ac2g")
        yield self._row("privateuse1_runtime", submission.name, pid, thread, submission.dispatch, args)
        yield self._row("privateuse1_driver", submission.name, pid, number, stream, args | key)
        yield dict(ph="s", tid=thread, ts=self._timestamp(submission.dispatch[0]), **arrow)
        yield dict(ph="f", tid=number, ts=self._timestamp(stream[0]), bp="e", **arrow)

    def _row(
        self, category: str, name: str, pid: int, tid: int, interval: Interval, args: dict[str, Any]
    ) -> dict[str, Any]:
        start, duration = self._timestamp(interval[0]), _microseconds(interval[1] - interval[0])
        return dict(ph="X", cat=category, name=name, pid=pid, tid=tid, ts=start, dur=duration, args=args)

    def _timestamp(self, ns: int) -> msgspec.Raw:
        return _microseconds(self.origin + ns - self._base)

    def write(self, path: Path) -> None:
        self.document["traceName"] = str(path)
        path.write_bytes(msgspec.json.format(msgspec.json.encode(self.document), indent=1))


def _microseconds(ns: int) -> msgspec.Raw:
    """Digits as Kineto writes them, without a float on the way."""
    return msgspec.Raw(b"%d.%03d" % divmod(ns, 1000))


def cache_key(submission: Submission) -> str:
    """In the shape of torch_neuronx's: operator, tensors and a hash, quotes included."""
    name = submission.name.rpartition("::")[2].partition(".")[0]
    tensors = "_".join(map(_tensor_key, submission.placed.record.inputs))
    text = f"{name}--_{tensors}_i1"
    return f'"{text}:{hashlib.sha256(text.encode()).hexdigest()}"'


def _tensor_key(facts: TensorFacts) -> str:
    return f"[{','.join(map(str, facts.shape))}]:{str(facts.dtype).removeprefix('torch.')}:S(C)"


class Limits(NamedTuple):
    """What is written of the cores: which (``0,2-5``; None: all), and of each the last so many events."""

    cores: str | None = None
    events: int = 1_000_000

    def kept(self, rows: Iterable[dict[str, Any]]) -> tuple[list[dict[str, Any]], int]:
        """In the order given, and how many had no room any more; rows of no core stay."""
        wanted = _numbers(self.cores)
        room: dict[int, int] = defaultdict(lambda: self.events)
        kept, dropped = [], 0
        for row in reversed(list(rows)):
            core = row.get("nc_idx")
            if core is not None:
                if wanted is not None and core not in wanted:
                    continue
                if not room[core]:
                    dropped += 1
                    continue
                room[core] -= 1
            kept.append(row)
        return kept[::-1], dropped


def _numbers(cores: str | None) -> set[int] | None:
    if not cores:
        return None
    ranges = (part.partition("-") for part in cores.split(","))
    return {n for first, _, last in ranges for n in range(int(first), int(last or first) + 1)}


def write_tables(
    folder: Path,
    trace: FrameworkTrace,
    submissions: list[Submission],
    model: CostModel,
    limits: Limits = Limits(),  # noqa: B008  it is immutable
) -> None:
    """``SystemProfileEvents.parquet`` and ``SystemProfileMetadata.parquet``, columns of schema 7.4.0."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    note = {METADATA_KEY: json.dumps(_summary(model)).encode()}
    order = sorted(_system_rows(trace, submissions, model), key=lambda row: (row["start_ts"], row["id"]))
    rows, dropped = limits.kept(order)
    columns = {
        **dict.fromkeys(("id", "start_ts", "end_ts", "duration_ns", "process_id", "thread_id"), pa.int64()),
        **dict.fromkeys(("nc_idx", "pcore_idx", "worker_gid"), pa.int64()),
        **dict.fromkeys(("name", "trace_event_source", "instance_id"), pa.string()),
        **dict.fromkeys(("framework_stream_id", "extra_attributes_json"), pa.string()),
        "flow_id": pa.list_(pa.string()),
    }
    events = pa.schema(columns, metadata=note)
    pq.write_table(pa.Table.from_pylist(rows, schema=events), folder / "SystemProfileEvents.parquet")
    first = min((row["start_ts"] for row in rows), default=trace.origin)
    last = max((row["end_ts"] for row in rows), default=trace.origin + trace.end)
    facts = pa.table(
        {
            "first_ts": [_date(first)],
            "last_ts": [_date(last)],
            "first_ts_ns": [str(first)],
            "last_ts_ns": [str(last)],
            "ntff_version": pa.array([0], pa.int64()),
            "hbm_capacity_bytes": pa.array([current().hbm_bytes], pa.int64()),
            "dropped_event_count": pa.array([dropped], pa.int64()),
        }
    )
    facts = facts.replace_schema_metadata(note)
    pq.write_table(facts, folder / "SystemProfileMetadata.parquet")
    memory = pa.table(_memory(trace, submissions)).replace_schema_metadata(note)
    pq.write_table(memory, folder / "SystemProfileHbmUsage.parquet")


def _memory(trace: FrameworkTrace, submissions: list[Submission]) -> dict[str, Any]:
    """HBM in use of each core as of each dispatch to it.

    Only tensors are known: no program, no spill, no runtime's buffer.
    """
    used = [submission.placed.record.hbm for submission in submissions]
    return {
        "timestamp": [trace.origin + submission.dispatch[0] for submission in submissions],
        "total_bytes": used,
        "tensors_bytes": used,
        "device_idx": [0] * len(used),
        "hbm_idx": [submission.placed.record.core for submission in submissions],
        "instance_id": [instance_id()] * len(used),
    }


PLACEHOLDER = (
    "SIMULATED: this is a placeholder, no {kind}. The simulated Neuron device compiles nothing and traces no "
    "instructions; on a Trainium a file of this name would belong to {name}.\n"
)


def write_placeholders(folder: Path, submissions: list[Submission]) -> None:
    """A NEFF and an NTFF for each program, which share a number as real ones do and say what they are."""
    for submission in submissions:
        if submission.unit is Unit.COMPUTE:
            facts = _model_facts(submission)
            files = {
                "NEFF": f"neff_{facts['model_id']}_vnc_0.neff", "NTFF": f"{facts['model_id']}_vnc_0.ntff"
            }  # fmt: skip
            for kind, name in files.items():
                text = PLACEHOLDER.format(kind=kind, name=facts["model_name"])
                (folder / name).write_text(text, encoding="utf-8")


def _summary(model: CostModel) -> dict[str, Any]:
    """What the model says of itself, without its constants, which stand in ``trace.json``."""
    return {key: value for key, value in model.describe().items() if key != "constants"}


def _date(ns: int) -> str:
    seconds, fraction = divmod(ns, 10**9)
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d %H:%M:%S}.{fraction:09d} +0000 UTC"


def _system_rows(
    trace: FrameworkTrace, submissions: list[Submission], model: CostModel
) -> Iterator[dict[str, Any]]:
    yield from _framework_rows(trace)
    number = 0
    for submission in submissions:
        stream = str(trace.streams.number(submission))
        for row in _runtime_and_hardware_rows(submission, model):
            number += 1
            start, end = row.pop("interval")
            yield {
                "id": number,
                "start_ts": trace.origin + start,
                "end_ts": trace.origin + end,
                "duration_ns": end - start,
                "instance_id": instance_id(),
                "process_id": os.getpid(),
                "thread_id": submission.placed.record.thread,
                "nc_idx": submission.placed.record.core,
                "worker_gid": 0,
                "framework_stream_id": stream if row["trace_event_source"] == "neuron_rt" else None,
                **row,
            }


def _runtime_and_hardware_rows(submission: Submission, model: CostModel) -> Iterator[dict[str, Any]]:
    sequence = str(submission.sequence)
    facts: dict[str, Any] = {"nrt_sequence_id": submission.sequence, "simulated": True}
    if submission.unit is not Unit.COMPUTE:
        facts["size"] = submission.size
    else:
        facts |= {"exec_id": submission.execution, **_model_facts(submission)}
    yield _system_row(RUNTIME_CALLS[submission.unit], "neuron_rt", submission.runtime, [sequence], facts)
    if submission.running and submission.waiting:
        execution = str(submission.execution)
        yield _system_row("kbl_exec_wait", "neuron_rt", submission.waiting, [sequence, execution], facts)
        start, end = submission.running
        cores = current().physical(submission.placed.record.core)
        skew = round(model.core_skew_us * 1000)
        for before, index in enumerate(cores):
            after = len(cores) - 1 - before
            skewed = (start + skew * before, end - skew * after)
            seen = facts | {"device_core_idx": index}
            yield _system_row("nc_exec_running", "neuron_hw", skewed, [execution], seen) | {
                "pcore_idx": index
            }


def _model_facts(submission: Submission) -> dict[str, Any]:
    digest = hashlib.sha256(cache_key(submission).encode()).digest()
    name = submission.name.rpartition("::")[2].replace(".", "_")
    graph = submission.placed.record.kind is Kind.GRAPH
    return {
        "model_id": int.from_bytes(digest[:6], "big"),
        "model_name": f"{'' if graph else 'aten_'}{name}.neff",
    }


def _system_row(
    name: str, source: str, interval: Interval, flow: list[str], facts: dict[str, Any]
) -> dict[str, Any]:
    return {
        "name": name,
        "trace_event_source": source,
        "interval": interval,
        "flow_id": flow,
        "extra_attributes_json": json.dumps(facts),
    }


def _framework_rows(trace: FrameworkTrace) -> Iterator[dict[str, Any]]:
    """The rows of trace.json as Explorer takes them over."""
    for number, row in enumerate(r for r in trace.rows if r["ph"] == "X" and isinstance(r["tid"], int)):
        start, duration = _exact_ns(row["ts"]), _exact_ns(row["dur"])
        args = row.get("args", {})
        driver = row["cat"] == "privateuse1_driver"
        sequence = args.get("nrt_sequence_id")
        facts = {"category": row["cat"], "simulated": True}
        facts |= {key: args[key] for key in _CARRIED if key in args}
        yield {
            "id": _FRAMEWORK_IDS + number,
            "name": f"{row['name']} [trace.json]",
            "start_ts": trace.document["baseTimeNanoseconds"] + start,
            "end_ts": trace.document["baseTimeNanoseconds"] + start + duration,
            "duration_ns": duration,
            "trace_event_source": "framework",
            "instance_id": instance_id(),
            "process_id": row["pid"],
            "thread_id": row["tid"],
            "pcore_idx": 0,
            "flow_id": [] if sequence is None else [str(sequence)],
            "framework_stream_id": str(row["tid"]) if driver else None,
            "extra_attributes_json": json.dumps(facts),
        }


def _exact_ns(microseconds: msgspec.Raw) -> int:
    return int(bytes(microseconds).replace(b".", b""))
