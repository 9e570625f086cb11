"""Raw runtime events: the JSON text that ``nrt_sys_trace_fetch_events`` of the Neuron runtime returns.

One object ``{"events": […], "data_version": 2}``; each event is one end of an interval, or a moment. Model
and execution stand in the start only, so attributes are taken from there.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import msgspec

from ..errors import ReadError
from ..trace.rows import Note, Rows
from . import json_text, runtime_intervals
from .json_text import whole
from .naming import process_of
from .runtime_events import display_name
from .source import Progress, Source

NAME = "raw runtime events (nrt_sys_trace JSON)"


class _Event(msgspec.Struct, gc=False):
    """One entry of ``events``; everything is optional, for versions differ."""

    event_type: Any = ""
    phase: Any = "unknown"
    id: Any = None
    nc_idx: Any = None
    nc_local_id: Any = None
    tracking_id: Any = None
    thread_id: Any = None
    worker_gid: Any = None
    data: Any = None
    timestamp_ns: Any = None
    nrta_seq_id: Any = None


def recognises(head: bytes) -> bool:
    """Whether a document begins with the runtime's list of events."""
    keys = json_text.keys(head)
    ours = b'"event_type"' in head or b'"data_version"' in head
    return "events" in keys and "traceEvents" not in keys and ours


def read(source: Source, progress: Progress | None = None) -> Rows:
    """The rows of one such document; the process is that of the folder it lies in.

    Raises ReadError when there is no list of events in it.
    """
    members, notes = json_text.members(source, progress)
    if "events" not in members:
        raise ReadError(
            f"{source.name} is JSON without the runtime's list of events (it holds: "
            f"{', '.join(list(members)[:6]) or 'nothing'}); open what nrt_sys_trace_fetch_events returned."
        )
    _, events, problems = json_text.objects(members["events"], _Event)
    counts: Counter[str] = Counter()
    marks = [mark for event in events if (mark := _mark(event, counts)) is not None]
    instance, process = process_of(source.path)
    attributes = {key: json_text.value(text) for key, text in members.items() if key != "events"}
    rows = runtime_intervals.rows(marks, instance, process, attributes)
    rows.notes = notes + problems + [Note(text, count) for text, count in counts.items()] + rows.notes
    return rows


def _mark(event: _Event, counts: Counter[str]) -> runtime_intervals.Mark | None:
    time = whole(event.timestamp_ns)
    if time is None:
        counts["events whose time is not a number, left out"] += 1
        return None
    phase = str(event.phase)
    return runtime_intervals.Mark(
        name=display_name(str(event.event_type)),
        phase=phase,
        time=time,
        core=whole(event.nc_idx),
        tracking=whole(event.tracking_id) or 0,
        sequence=whole(event.nrta_seq_id) or 0,
        data=event.data if isinstance(event.data, dict) else {},
        more={} if phase == "stop" else _seen(event),
    )


def _seen(event: _Event) -> dict[str, Any]:
    """What is shown among the arguments besides ``data``; the end of an interval adds nothing."""
    seen = {
        "id": event.id,
        "nc_idx": event.nc_idx,
        "nc_local_id": event.nc_local_id,
        "thread_id": event.thread_id,
        "worker_gid": event.worker_gid,
        "tracking_id": event.tracking_id,
        "nrta_seq_id": event.nrta_seq_id,
    }
    return {key: value for key, value in seen.items() if value is not None}
