"""Events of a Chrome trace, and the ids in their arguments, as they stand in the file."""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter
from typing import Any

import msgspec
import numpy as np

from ..trace.rows import Int64

#: Stands for a field that an event does not have.
ABSENT = msgspec.Raw(b"")


class Ids(msgspec.Struct, gc=False):
    """The arguments by which rows are joined and placed; ``name`` is that of a process or a thread.

    A writer may have put anything in their place: `id_column` sorts that out.
    """

    external: Any = msgspec.field(default=0, name="External id")
    correlation: Any = 0
    nrt_sequence_id: Any = 0
    device: Any = None
    stream: Any = None
    name: Any = None


class _Entry(msgspec.Struct, gc=False):
    """One entry of ``traceEvents``; everything is optional, for writers differ.

    Times stay text, to be read exactly.
    """

    ph: Any = None
    cat: Any = ""
    name: Any = ""
    pid: Any = ""
    tid: Any = ""
    ts: msgspec.Raw = ABSENT
    dur: msgspec.Raw = ABSENT
    id: Any = None


class Event(_Entry, gc=False):
    """An entry of whose arguments only the ids are kept."""

    args: Ids | None = None


class _LooseEvent(_Entry, gc=False):
    """An entry whose ``args`` may be anything."""

    args: msgspec.Raw = ABSENT


class _Arguments(msgspec.Struct, gc=False):
    """An entry of which only the text of its arguments is wanted."""

    args: msgspec.Raw = ABSENT


NO_IDS = Ids()
_decode_events = msgspec.json.Decoder(list[Event]).decode
_decode_loose = msgspec.json.Decoder(list[_LooseEvent]).decode
_decode_arguments = msgspec.json.Decoder(list[_Arguments]).decode

Buffer = bytes | bytearray | memoryview | msgspec.Raw


def decode_events(text: Buffer) -> list[Event]:
    """The events of a JSON list. Raises DecodeError for what is not JSON or not a list of objects."""
    try:
        return _decode_events(text)
    except msgspec.ValidationError:
        return [_tightened(event) for event in _decode_loose(text)]


def decode_event(text: bytes) -> Event:
    """One event; what is JSON but no event becomes one without a kind."""
    try:
        return _tightened(msgspec.json.decode(text, type=_LooseEvent))
    except msgspec.DecodeError:
        return Event()


def _tightened(event: _LooseEvent) -> Event:
    try:
        ids = msgspec.json.decode(event.args, type=Ids) if event.args is not ABSENT else None
    except msgspec.DecodeError:
        ids = None
    return Event(event.ph, event.cat, event.name, event.pid, event.tid, event.ts, event.dur, event.id, ids)


def decode_arguments(text: Buffer) -> list[msgspec.Raw | None]:
    """The text of every event's arguments, None where it has none."""
    return [None if event.args is ABSENT else event.args for event in _decode_arguments(text)]


def id_column(ids: Sequence[Ids], name: str) -> Int64:
    """One of the ids as a column, 0 where there is none."""
    values = list(map(attrgetter(name), ids))
    if set(map(type, values)) <= {int}:
        try:
            return np.array(values, np.int64)
        except OverflowError:
            pass
    return np.fromiter(map(integer, values), np.int64, len(values))


def integer(value: Any) -> int:
    """An id as an integer; 0, which is never an id, when it is none. Ids may be written as text."""
    if isinstance(value, str) and len(value) < 32 and value.strip().isdecimal():
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool):
        return 0
    return value if -(1 << 63) <= value < 1 << 63 else 0


def text_of(value: Any) -> str:
    return value if isinstance(value, str) else str(value)


def key_of(value: Any) -> int | str:
    """A value that can be a dictionary key, whatever a writer put in its place."""
    return value if isinstance(value, (int, str)) else str(value)
