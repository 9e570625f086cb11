"""One event of a Chrome trace, and the ids in its arguments, as they stand in the file."""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter
from typing import Any

import msgspec
import numpy as np

from ..trace.rows import Int64

#: Stands for a field that an event does not have.
ABSENT = msgspec.Raw(b"")
_NO_ARGS = msgspec.Raw(b"{}")


class Event(msgspec.Struct, gc=False):
    """One entry of ``traceEvents``; everything is optional, for writers differ.

    Times and arguments stay text: times are read exactly later, arguments when somebody asks.
    """

    ph: Any = None
    cat: Any = ""
    name: Any = ""
    pid: Any = ""
    tid: Any = ""
    ts: msgspec.Raw = ABSENT
    dur: msgspec.Raw = ABSENT
    id: Any = None
    args: msgspec.Raw = ABSENT


class Ids(msgspec.Struct, gc=False):
    """The arguments by which rows are joined and placed, whatever a writer put there."""

    external: Any = msgspec.field(default=0, name="External id")
    correlation: Any = 0
    nrt_sequence_id: Any = 0
    device: Any = None
    stream: Any = None


class IntegerIds(msgspec.Struct, gc=False):
    """`Ids` of a writer that writes them as numbers, as Kineto does."""

    external: int = msgspec.field(default=0, name="External id")
    correlation: int = 0
    nrt_sequence_id: int = 0
    device: Any = None
    stream: Any = None


decode_events = msgspec.json.Decoder(list[Event]).decode
_decode_ids = msgspec.json.Decoder(list[IntegerIds]).decode


def ids_of(events: Sequence[Event]) -> Sequence[Ids | IntegerIds]:
    """The ids of every event. Frames of Python have none, and the longest arguments."""
    texts = [
        _NO_ARGS if event.args is ABSENT or event.cat == "python_function" else event.args for event in events
    ]
    try:
        return _decode_ids(b"[" + b",".join(texts) + b"]")
    except msgspec.DecodeError:
        return [_ids_of_one(text) for text in texts]


def _ids_of_one(text: msgspec.Raw) -> Ids:
    try:
        return msgspec.json.decode(text, type=Ids)
    except msgspec.DecodeError:
        return Ids()


def id_column(ids: Sequence[Ids | IntegerIds], name: str) -> Int64:
    """One of the ids as a column, 0 where there is none."""
    values = list(map(attrgetter(name), ids))
    if ids and type(ids[0]) is IntegerIds:
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
