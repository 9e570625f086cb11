"""``ntrace.pb``, the raw system trace of the Neuron runtime. EXPERIMENTAL.

AWS publishes no schema. The field numbers of an event come from two reverse engineering notes of libnrt 2.31;
those of the message around it are not known and are found by what fits. A file that does not fit is opaque
to this module, which says nothing about the file.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..errors import ReadError
from ..trace.rows import Note, Rows
from . import protobuf, runtime_intervals
from .json_text import whole
from .naming import process_of
from .protobuf import BYTES, FIXED32, FIXED64, VARINT, Field
from .runtime_events import NAME_OF_NUMBER
from .source import Progress, Source

NAME = "raw system trace (ntrace.pb)"
EXPERIMENTAL = (
    "ntrace.pb is read by field numbers that AWS does not publish (experimental); "
    "the parquet tables of neuron-explorer are the way to be sure"
)

#: Field numbers of an event.
TIMESTAMP, DATA, DEVICE, CORE, TYPE, HINT, DURATION, THREAD, ID, PARENT, STATUS = range(1, 12)
ATTRIBUTES, PHASE, TRACKING = 12, 13, 14
#: The two sources disagree about the number of the sequence id.
SEQUENCES = (16, 15)

_WIRE = dict.fromkeys(range(1, 15), VARINT) | {HINT: BYTES, ATTRIBUTES: BYTES}
_PHASES = {1: "start", 2: "stop", 3: "instant"}
MAX_TYPE = 4096

#: The unit of a sequence id stands in its top 16 bits.
LARGE_SEQUENCE = 1 << 48

#: So many payloads of a field must look like events for the field to be the list of events.
SAMPLE = 64


def recognises(head: bytes) -> bool:
    """Whether the first bytes are fields among which an event, or a table of names, can be told."""
    fields = protobuf.walk(head).fields
    return any(
        wire == BYTES
        and isinstance(value, bytes)
        and (_is_event(value, strict=True) or len(_names(value)) > 1)
        for _, wire, value in fields
    )


def read(source: Source, progress: Progress | None = None) -> Rows:
    """The rows of a raw system trace. Raises ReadError for a file that is opaque to the known numbers."""
    data, cut = source.read(progress)
    root = protobuf.walk(bytes(data))
    number = _event_field(root.fields)
    if number is None:
        raise ReadError(opaque(source))
    payloads = [value for n, _, value in root.fields if n == number and isinstance(value, bytes)]
    messages = [fields for payload in payloads if (fields := protobuf.message(payload)) is not None]
    sequence = _sequence_field(messages)
    names: dict[int, str] = {}
    for n, _, value in root.fields:
        if n != number and isinstance(value, bytes):
            names.update(_names(value))
    counts: Counter[str] = Counter()
    counts["events that do not fit the known fields, skipped"] = len(payloads) - len(messages)
    marks = [_mark(fields, sequence, names) for fields in messages]
    instance, process = process_of(source.path)
    attributes = {
        "experimental": EXPERIMENTAL,
        "ntrace": {
            "events_field": number,
            "nrta_seq_id_field": sequence,
            "numbers": {str(n): value for n, wire, value in root.fields if wire == VARINT},
        },
    }
    rows = runtime_intervals.rows(marks, instance, process, attributes)
    notes = [Note(EXPERIMENTAL)]
    if cut or root.size < len(data):
        notes.append(Note(f"what follows byte {root.size:,} does not fit, what came before it is shown"))
    rows.notes = notes + [Note(text, count) for text, count in counts.items() if count] + rows.notes
    return rows


def opaque(source: Source) -> str:
    """The sentence about a raw trace that does not fit: it may well be whole."""
    folder = source.path.parent if source.path else Path(".")
    return (
        f"{source.name} is opaque: a raw trace of the Neuron runtime whose fields are not the ones known so "
        f"far; turn it into parquet with `neuron-explorer view -d {folder} --ingest-only` and open the "
        "folder that it writes."
    )


def info_texts(source: Source) -> list[str]:
    """What can be read of a ``trace_info.pb``: its printable texts (paths, versions, the instance)."""
    data, _ = source.read()
    return protobuf.texts(bytes(data))


def _event_field(fields: Sequence[Field]) -> int | None:
    """The number under which most messages stand that are events; None when there is no such field."""
    payloads: dict[int, list[bytes]] = {}
    for number, wire, value in fields:
        if wire == BYTES and isinstance(value, bytes):
            payloads.setdefault(number, []).append(value)
    fitting = {
        number: len(found)
        for number, found in payloads.items()
        if all(map(_is_event, found[:SAMPLE])) and any(_is_event(one, strict=True) for one in found[:SAMPLE])
    }
    return max(fitting, key=lambda number: (fitting[number], -number), default=None)


def _is_event(payload: bytes, strict: bool = False) -> bool:
    """Whether a message has an event's fields in the right kinds; ``strict`` wants a phase or a duration."""
    fields = protobuf.message(payload)
    if not fields:
        return False
    values = {number: value for number, _, value in fields}
    fits = all(_WIRE.get(number, wire) == wire for number, wire, _ in fields)
    known = isinstance(values.get(TIMESTAMP), int) and values[TIMESTAMP] != 0
    phase, kind = values.get(PHASE, 0), values.get(TYPE, 0)
    plausible = isinstance(phase, int) and phase <= 3 and isinstance(kind, int) and kind < MAX_TYPE
    return fits and known and plausible and (not strict or bool(phase) or DURATION in values)


def _sequence_field(messages: Sequence[list[Field]]) -> int | None:
    """Which of the two candidates holds the sequence id: the one with more values of its size."""
    large: Counter[int] = Counter()
    present: Counter[int] = Counter()
    for fields in messages:
        for number, _, value in fields:
            if number in SEQUENCES and isinstance(value, int):
                present[number] += 1
                large[number] += value >= LARGE_SEQUENCE
    return max(present, key=lambda number: (large[number], number), default=None)


def _names(payload: bytes) -> dict[int, str]:
    """A table of interned names: field 2 repeats {1: number, 2: text}. Empty when the message is none."""
    fields = protobuf.message(payload) or []
    out: dict[int, str] = {}
    for number, wire, value in fields:
        if number != 2 or wire != BYTES or not isinstance(value, bytes):
            continue
        entry = {n: inner for n, _, inner in protobuf.message(value) or []}
        key, text = entry.get(1), entry.get(2)
        if not isinstance(key, int) or not isinstance(text, bytes) or not protobuf.printable(text):
            return {}
        out[key] = protobuf.printable(text)
    return out


def _mark(fields: Sequence[Field], sequence: int | None, names: dict[int, str]) -> runtime_intervals.Mark:
    numbers = {number: value for number, wire, value in fields if wire in (VARINT, FIXED32, FIXED64)}
    data = dict(_attribute(value) for number, _, value in fields if number == ATTRIBUTES)
    data.pop("", None)
    model = whole(data.get("model_id"))
    if model in names:
        data.setdefault("model_name", names[model])
    kind = _number(numbers, TYPE)
    hint = next((value for number, _, value in fields if number == HINT and isinstance(value, bytes)), b"")
    seen = {
        "id": numbers.get(ID),
        "parent_id": numbers.get(PARENT),
        "nd_idx": numbers.get(DEVICE),
        "nc_idx": _number(numbers, CORE),
        "thread_id": numbers.get(THREAD),
        "status": numbers.get(STATUS),
        "data": numbers.get(DATA),
        "hint": protobuf.printable(hint) or None,
        "tracking_id": numbers.get(TRACKING),
        "nrta_seq_id": numbers.get(sequence) if sequence else None,
    }
    return runtime_intervals.Mark(
        name=NAME_OF_NUMBER.get(kind, f"event type {kind}"),
        phase=_PHASES.get(_number(numbers, PHASE), "unknown"),
        time=_number(numbers, TIMESTAMP),
        core=_number(numbers, CORE),
        tracking=_number(numbers, TRACKING),
        sequence=_number(numbers, sequence) if sequence else 0,
        data=data,
        more={key: value for key, value in seen.items() if value is not None},
        dur=_number(numbers, DURATION),
    )


def _number(numbers: dict[int, int | bytes], field: int) -> int:
    """A field's number; proto3 leaves out what is 0."""
    value = numbers.get(field, 0)
    return value if isinstance(value, int) else 0


def _attribute(value: int | bytes) -> tuple[str, Any]:
    """An entry of the map from text to text; whole numbers as such. The key is empty for no entry."""
    entry = {n: inner for n, _, inner in protobuf.walk(value).fields} if isinstance(value, bytes) else {}
    parts = [entry.get(number, b"") for number in (1, 2)]
    key, text = (part.decode(errors="replace") if isinstance(part, bytes) else "" for part in parts)
    number = whole(text)
    return key, text if number is None else number
