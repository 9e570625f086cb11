"""Neuron Explorer's parquet tables of a system profile, read by column name (documented for schema 7.4.0).

``SystemProfileEvents`` holds one row per runtime, hardware and framework event in Unix ns, with the flow
ids by which they belong together; ``SystemProfileMetadata`` holds the window; tables of samples become
counters.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from ..errors import ReadError
from ..trace.arguments import Arguments
from ..trace.categories import NEURON_HARDWARE, NEURON_RUNTIME
from ..trace.lanes import Track, dispatch_track, neuron_hardware_track, neuron_runtime_track, stream_track
from ..trace.rows import TIME_LIMIT, Interner, Note, Rows, concatenate
from . import explorer_counters, framework_rows
from .explorer_tables import parts, schema_version
from .source import Source

EVENTS = "SystemProfileEvents"
METADATA = "SystemProfileMetadata"
SIMULATED_KEY = b"neuron_nbprof_simulated"
REQUIRED = ("name", "start_ts", "duration_ns", "trace_event_source")


def table_files(folder: Path, table: str) -> list[Path]:
    """The files of ``table`` directly in ``folder``: ``Table.parquet`` or the parts ``Table_0.parquet`` …"""
    return parts(folder).get(table, [])


def read(folder: Path) -> Rows:
    """The events of the system profile in ``folder``. Raises ReadError for a damaged or foreign file."""
    out = Rows()
    for path in table_files(folder, EVENTS):
        out = concatenate(out, read_table(Source(path)))
    for path in table_files(folder, METADATA):
        with _damage_in_a_sentence(Source(path)):
            table = _table(Source(path))
            out.attributes.update(_simulated(table))
            if table.num_rows:
                out.attributes["system_profile"] = table.slice(0, 1).to_pylist()[0]
    _add_counters(out, folder)
    version = schema_version(folder)
    if version:
        out.attributes["explorer_schema"] = version
        out.notes.append(Note(f"tables of Neuron Explorer, schema {version}"))
    return out


def _add_counters(rows: Rows, folder: Path) -> None:
    for name in explorer_counters.TABLES:
        for path in table_files(folder, name):
            with _damage_in_a_sentence(Source(path)):
                found, notes = explorer_counters.counters(name, _table(Source(path)).to_pylist())
            rows.counters += found
            rows.notes += notes


def read_table(source: Source) -> Rows:
    """The events of one file of the table `EVENTS`."""
    with _damage_in_a_sentence(source):
        table = _table(source)
        missing = [name for name in REQUIRED if name not in table.column_names]
        if missing:
            raise ReadError(
                f"{source.name} is parquet without the columns {', '.join(missing)} of {EVENTS}; "
                "ingest the capture again with neuron-explorer."
            )
        out = _Events(table).rows()
        out.attributes.update(_simulated(table))
        return out


@contextmanager
def _damage_in_a_sentence(source: Source) -> Iterator[None]:
    """A damaged file may fail anywhere in Arrow, and as anything."""
    import pyarrow

    try:
        yield
    except (pyarrow.ArrowException, OSError, ValueError, TypeError, OverflowError, AttributeError) as error:
        sentence = str(error).partition("\n")[0]
        raise ReadError(
            f"{source.name} is not a readable parquet file, it is empty, cut or damaged ({sentence})."
        ) from None


def _table(source: Source) -> Any:
    import pyarrow.parquet

    return pyarrow.parquet.read_table(source.path or source.open())


def _simulated(table: Any) -> dict[str, Any]:
    """What the simulated device says of itself in the file's own metadata."""
    metadata = table.schema.metadata or {}
    return {"neuron_simulated": json.loads(metadata[SIMULATED_KEY])} if SIMULATED_KEY in metadata else {}


class _Events:
    """The rows of one ``SystemProfileEvents`` table."""

    def __init__(self, table: Any) -> None:
        rows: list[dict[str, Any]] = table.to_pylist()
        self.placed = [row for row in rows if _has_time(row)]
        self.unplaced = len(rows) - len(self.placed)
        self.tokens = {
            source: {token for row in rows if row["trace_event_source"] == source for token in _flow(row)}
            for source in ("framework", NEURON_HARDWARE)
        }

    def rows(self) -> Rows:
        strings, tracks = Interner(), Interner()
        names = [_name(row) for row in self.placed]
        extras = [_extra(row) for row in self.placed]
        ids = [self._ids(row, extra) for row, extra in zip(self.placed, extras, strict=True)]
        return Rows(
            start=np.array([row["start_ts"] for row in self.placed], np.int64),
            dur=np.array([max(0, row["duration_ns"]) for row in self.placed], np.int64),
            name=strings.column(names),
            category=strings.column(
                [_category(name, row) for name, row in zip(names, self.placed, strict=True)]
            ),
            track=tracks.column([_track(row) for row in self.placed]),
            scope=np.array([row.get("process_id") or 0 for row in self.placed], np.int64),
            sequence=np.array([sequence for sequence, _ in ids], np.int64),
            execution=np.array([execution for _, execution in ids], np.int64),
            args=Arguments([(len(self.placed), partial(_texts, self.placed, extras))]),
            strings=strings.values,
            tracks=tracks.values,
            notes=[Note("system events whose time is missing or out of range", self.unplaced)]
            if self.unplaced
            else [],
        )

    def _ids(self, row: dict[str, Any], extra: dict[str, Any]) -> tuple[int, int]:
        """Sequence and execution ids out of the untyped flow list: what the framework shares is the
        sequence, what the hardware shares is the execution; left over, the first is the sequence."""
        source = row["trace_event_source"]
        flow = _flow(row)
        sequence = _int(extra.get("nrt_sequence_id"))
        execution = 0
        if source == NEURON_HARDWARE:
            execution = flow[0] if flow else 0
        elif source == "framework":
            sequence = sequence or (flow[0] if flow else 0)
        else:
            for place, token in enumerate(flow):
                if token == sequence or token in self.tokens["framework"]:
                    sequence = sequence or token
                elif token in self.tokens[NEURON_HARDWARE] or place > 0:
                    execution = execution or token
                else:
                    sequence = sequence or token
        return sequence, execution


def _has_time(row: dict[str, Any]) -> bool:
    start, dur = row["start_ts"], row["duration_ns"]
    return start is not None and dur is not None and 0 <= start < TIME_LIMIT and dur < TIME_LIMIT


def _flow(row: dict[str, Any]) -> list[int]:
    return [token for text in row.get("flow_id") or () if (token := _int(text))]


def _int(value: Any) -> int:
    if isinstance(value, int):
        return value
    return int(value) if isinstance(value, str) and value.strip().isdecimal() else 0


def _extra(row: dict[str, Any]) -> dict[str, Any]:
    try:
        value = json.loads(row.get("extra_attributes_json") or "{}")
    except ValueError:
        return {"extra_attributes_json": row["extra_attributes_json"]}
    return value if isinstance(value, dict) else {"extra_attributes_json": value}


def _texts(rows: list[dict[str, Any]], extras: list[dict[str, Any]]) -> list[bytes]:
    return [msgspec.json.encode(_arguments(row, extra)) for row, extra in zip(rows, extras, strict=True)]


def _arguments(row: dict[str, Any], extra: dict[str, Any]) -> dict[str, Any]:
    """Everything of a row that is not its place in the timeline."""
    kept = {
        key: value
        for key, value in row.items()
        if key not in ("name", "start_ts", "end_ts", "duration_ns", "extra_attributes_json")
        and value is not None
    }
    return {**kept, **extra}


def _name(row: dict[str, Any]) -> str:
    """The event's name; the framework's rows carry the name of their file behind it."""
    name = row["name"] or ""
    return framework_rows.name_of(name) if row["trace_event_source"] == "framework" else name


def _category(name: str, row: dict[str, Any]) -> str:
    source = row["trace_event_source"]
    if source != "framework":
        return str(source)
    on_stream = row.get("framework_stream_id") is not None
    return framework_rows.category_of(name, on_stream=on_stream, submitted=bool(_flow(row)))


def _track(row: dict[str, Any]) -> Track:
    source = row["trace_event_source"]
    instance = str(row.get("instance_id") or "")
    process = str(row.get("process_id") or "")
    core = _text(row.get("nc_idx"))
    if source == NEURON_HARDWARE:
        return neuron_hardware_track(instance, process, core, _text(row.get("pcore_idx")))
    if source == NEURON_RUNTIME:
        return neuron_runtime_track(instance, process, core, str(row.get("name")))
    stream = row.get("framework_stream_id")
    if stream is not None:
        return stream_track(instance, process, str(stream))
    return dispatch_track(instance, process, _text(row.get("thread_id")))


def _text(value: Any) -> str:
    return "?" if value is None else str(value)
