"""JSON that Neuron Explorer and its predecessors write: system profiles, device profiles, summaries.

No schema of it is published; the shapes are known from AWS' guides of the 2.0 beta and from programs that
read real exports. A system profile is a timeline. A device profile counts from its own beginning in a unit
that nobody documents, and a summary holds no times, so both are offered as tables only.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import msgspec

from ..errors import ReadError
from ..trace.categories import NEURON_HARDWARE, NEURON_RUNTIME
from ..trace.lanes import Track, dispatch_track, stream_track
from ..trace.rows import Note, Rows
from . import explorer_counters, frames, framework_rows, json_text
from .json_text import whole
from .naming import process_of
from .runtime_events import SystemEvent, display_name, is_hardware, rows_of, system_track
from .source import Progress, Source

if TYPE_CHECKING:
    import pandas as pd

NAME = "Neuron Explorer JSON"

#: The list of events: singular since the tool was renamed, plural before.
EVENT_LISTS = ("trace_event", "trace_events")
SYSTEM_KEYS = frozenset(
    {
        "system_profile_metadata",
        "device_profile_list",
        "device_mem_usage",
        "mem_usage",
        "cpu_util",
        *EVENT_LISTS,
    }
)
DEVICE_KEYS = frozenset(
    {
        "summary",
        "instruction",
        "dma",
        "layer_summary",
        "annotation",
        "profile_info",
        "summary_groups",
        "neff_node",
    }
)
KINETO_KEYS = frozenset({"traceEvents", "schemaVersion", "deviceProperties"})
_PROFILE_KEY = re.compile(r"^[sn]_[0-9a-f]{8,64}$")
_SUMMARY_COLUMNS = re.compile(
    rb'"(?:total_time|total_exec_time|total_active_time|total_duration_ns|event_type_count|model_flops|hardware_flops'
    rb'|neuroncore_cycle_count|mfu_estimated_percent|mbu_estimated_percent|hfu_estimated_percent|dma_active_time)"'
    rb"\s*:"
)

TABLES_CALL = "neuron_nbprof.tables(path)"
TIME_LIMIT = 1 << 61
NS_PER_UNIT = {"ns": 1, "us": 1_000, "µs": 1_000, "ms": 1_000_000, "s": 1_000_000_000}

#: Unit ids of asynchronous sequence numbers stand in the bits from here on; a smaller number that stands
#: alone in a runtime row's flow list is an execution counter.
SEQUENCE_BITS = 48

_ABSENT = msgspec.Raw(b"0")


class _Item(msgspec.Struct, gc=False):
    """One entry of the event list; everything is optional, and numbers may be written as text."""

    name: Any = ""
    timestamp: msgspec.Raw = _ABSENT
    duration: msgspec.Raw = _ABSENT
    timestamp_unit: Any = "ns"
    trace_event_source: Any = ""
    group: Any = ""
    process_id: Any = None
    thread_id: Any = None
    instance_id: Any = ""
    nc_idx: Any = None
    lnc_idx: Any = None
    device_core_idx: Any = None
    pcore_idx: Any = None
    nc_timestamp_ns: Any = None
    nc_start_timestamp_ns: Any = None
    model_id: Any = None
    exec_id: Any = None
    flow_id: Any = None
    nrt_sequence_id: Any = None
    nrta_seq_id: Any = None
    framework_stream_id: Any = None


def kind(keys: list[str], head: bytes) -> str:
    """What a document with these keys is: ``system``, ``device``, ``summary``, or ``""`` for none of ours."""
    found = set(keys)
    if found & KINETO_KEYS:
        return ""
    if found & SYSTEM_KEYS:
        return "system"
    if found & DEVICE_KEYS:
        return "device"
    named = any(_PROFILE_KEY.match(key) for key in keys)
    return "summary" if named or _SUMMARY_COLUMNS.search(head) else ""


def recognises(head: bytes) -> bool:
    """Whether a document begins like one of the three, log lines before it included."""
    return bool(kind(json_text.keys(head), head))


def read(source: Source, progress: Progress | None = None) -> Rows:
    """The rows of a system profile; its samples and other lists are kept in ``attributes`` by their names.

    Raises ReadError for a device profile or a summary, with the call that shows it.
    """
    members, notes = json_text.members(source, progress)
    name = next((key for key in EVENT_LISTS if key in members), None)
    if name is None:
        raise ReadError(_not_a_timeline(source.name, kind(list(members), _text(members)), list(members)))
    texts, items, problems = json_text.objects(members.pop(name), _Item)
    counts: Counter[str] = Counter()
    owner = process_of(source.path)
    events = [
        event
        for text, item in zip(texts, items, strict=True)
        if (event := _event(text, item, owner, counts)) is not None
    ]
    attributes = {key: _listed(json_text.value(text)) for key, text in members.items()}
    metadata = attributes.get("system_profile_metadata")
    if isinstance(metadata, list) and metadata:
        attributes["system_profile"] = metadata[0]
    counted = [Note(text, count) for text, count in counts.items()]
    rows = rows_of(events, notes + problems + counted, attributes)
    for key, value in attributes.items():
        found, problems = explorer_counters.listed(key, value)
        rows.counters += found
        rows.notes += problems
    return rows


def _not_a_timeline(name: str, found: str, keys: list[str]) -> str:
    held = ", ".join(keys[:6]) or "nothing"
    what = {
        "system": f"a system profile in JSON without its list of events (it holds: {held})",
        "device": "a device profile in JSON, whose times count from its own beginning in a unit that is not "
        "documented, so it cannot stand beside host events",
        "summary": "a summary in JSON, which holds totals and no events",
    }.get(found, f"JSON of another kind (it holds: {held})")
    return f"{name} is {what}; {TABLES_CALL} shows its tables."


def _text(members: dict[str, Any]) -> bytes:
    """Enough of the members to tell a summary by its columns."""
    return b",".join(
        f'"{key}":'.encode(errors="replace") + bytes(memoryview(text)[:4096]) for key, text in members.items()
    )


def _listed(value: Any) -> Any:
    """A list of entries that was written as an object of entries."""
    if isinstance(value, dict) and value and all(isinstance(entry, dict) for entry in value.values()):
        return list(value.values())
    return value


def _event(text: Any, item: _Item, owner: tuple[str, int], counts: Counter[str]) -> SystemEvent | None:
    unit = NS_PER_UNIT.get(str(item.timestamp_unit), 0)
    start, dur = nanoseconds(item.timestamp, unit), nanoseconds(item.duration, unit)
    if start is None or dur is None or start <= 0:
        counts["events whose time was lost, left out"] += 1
        return None
    if dur < 0:
        counts["negative durations, shown as 0"] += 1
    instance = str(item.instance_id or owner[0])
    process = whole(item.process_id) or owner[1]
    core = next((found for value in (item.nc_idx, item.lnc_idx) if (found := whole(value)) is not None), None)
    name = display_name(framework_rows.name_of(str(item.name)))
    source = _source(item, name, core)
    listed = item.flow_id if isinstance(item.flow_id, list) else []
    flow = [token for entry in listed if (token := whole(entry))]
    sequence = whole(item.nrt_sequence_id) or whole(item.nrta_seq_id) or 0
    execution = whole(item.exec_id)
    track: Track
    if source == "framework":
        sequence = sequence or (flow[0] if flow else 0)
        on_stream = item.framework_stream_id is not None
        category = framework_rows.category_of(name, on_stream=on_stream, submitted=bool(sequence))
        track = _framework_track(item, instance, process)
    else:
        category = source
        physical = whole(item.device_core_idx)
        physical = whole(item.pcore_idx) if physical is None else physical
        track = system_track(source == NEURON_HARDWARE, instance, process, core, physical, name)
        if source == NEURON_RUNTIME and flow and (len(flow) > 1 or flow[0] >> SEQUENCE_BITS):
            sequence = sequence or flow[0]
        if execution is None and flow and (source == NEURON_HARDWARE or len(flow) > 1):
            execution = flow[-1]
    model = whole(item.model_id)
    return SystemEvent(
        name, category, start, max(0, dur), track, process, core, sequence, model, execution, text
    )


def nanoseconds(text: Any, unit: int) -> int | None:
    """The text of a JSON number (or of text with a number) times ``unit`` in whole ns; None for no time.

    >>> nanoseconds(b'"1790857027000236000"', 1)
    1790857027000236000
    """
    digits = bytes(text).strip(b'"')
    try:
        ns = int(digits) * unit
    except ValueError:
        try:
            value = Decimal(digits.decode()) * unit
            if not value.is_finite() or value.adjusted() > 20:
                return None
            ns = int(value.to_integral_value())
        except (ArithmeticError, ValueError):
            return None
    return ns if unit and -TIME_LIMIT < ns < TIME_LIMIT else None


def _source(item: _Item, name: str, core: int | None) -> str:
    """Framework, runtime or hardware: by the file's word, else by the group, else by the event's type."""
    said, group = str(item.trace_event_source), str(item.group)
    if said == "framework" or group.startswith("framework"):
        return "framework"
    device_clock = item.nc_timestamp_ns is not None or item.nc_start_timestamp_ns is not None
    if is_hardware(name, said, device_clock):
        return NEURON_HARDWARE
    of_runtime = said == NEURON_RUNTIME or group.startswith("nrt") or core is not None
    return NEURON_RUNTIME if of_runtime or name.startswith(("nrt", "kbl_", "kmgr_")) else "framework"


def _framework_track(item: _Item, instance: str, process: int) -> Track:
    if item.framework_stream_id is not None:
        return stream_track(instance, str(process or ""), str(item.framework_stream_id))
    thread = "?" if item.thread_id is None else str(item.thread_id)
    return dispatch_track(instance, str(process or ""), thread)


def tables(source: Source | str | os.PathLike[str]) -> dict[str, pd.DataFrame]:
    """Every list of a document as a table, by the key under which it stands; a summary as ``summary``.

    Integers stay exact. Values of percent columns stay as written; ``frame.attrs["percent_scale"]`` says for
    each whether it holds fractions or percent, and ``frame.attrs["notes"]`` what was repaired or skipped.
    Raises ReadError when the file is no JSON document.
    """
    source = source if isinstance(source, Source) else frames.source_of(source)
    members, notes = json_text.members(source)
    found = kind(list(members), _text(members))
    if found == "summary":
        frame = frames.frame(_summary_rows(members))
        frame.attrs["notes"] = notes
        return {"summary": frame}
    out = {}
    for key, text in members.items():
        rows, problems = _table_rows(text)
        frame = out[key or "rows"] = frames.frame(rows)
        frame.attrs["notes"] = notes + problems
    return out


def _table_rows(text: Any) -> tuple[list[dict[str, Any]], list[Note]]:
    """A list of objects as it is; an object as one row, an object of objects as one row each with its key."""
    if json_text.starts_list(text):
        _, rows, problems = json_text.objects(text, dict[str, Any])
        if rows:
            return rows, problems
        plain = json_text.value(text)
        return [{"value": entry} for entry in plain] if isinstance(plain, list) else [], problems
    value = json_text.value(text)
    if isinstance(value, dict):
        return _keyed(value), []
    return [{"value": value}], []


def _keyed(value: dict[str, Any]) -> list[dict[str, Any]]:
    if value and all(isinstance(entry, dict) for entry in value.values()):
        return [{"key": key, **entry} for key, entry in value.items()]
    return [value]


def _summary_rows(members: dict[str, Any]) -> list[dict[str, Any]]:
    """One row per profile, in every shape a summary was seen in: by profile, flat, or a list."""
    if "" in members:
        return json_text.objects(members[""], dict[str, Any])[1]
    values = {key: json_text.value(text) for key, text in members.items()}
    by_profile = [{"profile": key, **value} for key, value in values.items() if isinstance(value, dict)]
    if len(by_profile) == len(values):
        return by_profile
    return [values]
