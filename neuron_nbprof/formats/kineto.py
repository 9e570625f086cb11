"""The framework trace: Kineto's Chrome trace JSON (``trace.json``), plain or gzip, object or bare list.

Times in the file are microseconds with a fraction; they are read from their text, so that every ns stays
exact. The envelope is Kineto's; rows of the Neuron backend are those of category ``privateuse1_*``.
"""

from __future__ import annotations

import gzip
import zlib
from collections import Counter
from collections.abc import Sequence
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from ..errors import ReadError
from ..trace.categories import DEVICE_ANNOTATIONS, DEVICE_WORK, HOST_RUNTIME, NEURON_DISPATCH, NEURON_STREAM
from ..trace.lanes import Track, device_track, dispatch_track, host_runtime_track, stream_track
from ..trace.rows import Arrows, Int64, Interner, Note, Rows

GZIP_MAGIC = b"\x1f\x8b"

#: Stands for a field that an event does not have.
ABSENT = msgspec.Raw(b"")
_NO_ARGS = msgspec.Raw(b"{}")

#: Below this many µs a double holds every ns exactly; Kineto's times stay below, other writers' may not.
EXACT_MICROSECONDS = 2.0**42


class _Event(msgspec.Struct, gc=False):
    """One entry of ``traceEvents``; everything is optional, for writers differ."""

    ph: Any = None
    cat: Any = ""
    name: Any = ""
    pid: Any = ""
    tid: Any = ""
    ts: msgspec.Raw = ABSENT
    dur: msgspec.Raw = ABSENT
    id: Any = None
    args: msgspec.Raw = ABSENT


class _Ids(msgspec.Struct, gc=False):
    """The arguments by which rows are joined and placed."""

    external: Any = msgspec.field(default=0, name="External id")
    correlation: Any = 0
    nrt_sequence_id: Any = 0
    device: Any = None
    stream: Any = None


_decode_events = msgspec.json.Decoder(list[_Event]).decode
_decode_ids = msgspec.json.Decoder(list[_Ids]).decode


def read(path: Path) -> Rows:
    """The rows of one framework trace. Raises ReadError when the file is empty, cut or not a trace."""
    envelope, events = _parse(_unpacked(path), path)
    return _Reader(envelope, events).rows()


def looks_like(path: Path) -> bool:
    """Whether the first bytes are those of a JSON document, plain or gzip."""
    try:
        with path.open("rb") as file:
            packed = file.read(2) == GZIP_MAGIC
        with gzip.open(path, "rb") if packed else path.open("rb") as file:
            head = file.read(64)
    except (OSError, EOFError, zlib.error):
        return False
    return head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b"{", b"[")


def _unpacked(path: Path) -> bytes:
    data = path.read_bytes()
    if not data:
        raise ReadError(
            f"{path} is empty (0 bytes): the profiler did not finish writing it; record it again."
        )
    if data[:2] != GZIP_MAGIC:
        return data
    try:
        return gzip.decompress(data)
    except (EOFError, OSError, zlib.error) as error:
        raise ReadError(
            f"{path} is a gzip file that ends early or is damaged ({error}); copy it again."
        ) from None


def _parse(data: bytes, path: Path) -> tuple[dict[str, Any], list[_Event]]:
    """Envelope and events. The envelope's own keys are decoded apart from the long list."""
    data = data.removeprefix(b"\xef\xbb\xbf")
    try:
        if data.lstrip()[:1] == b"[":
            return {}, _decode_events(data)
        raw = msgspec.json.decode(data, type=dict[str, msgspec.Raw])
        if "traceEvents" not in raw:
            keys = ", ".join(list(raw)[:6]) or "none"
            raise ReadError(
                f"{path} is JSON without a traceEvents list (keys: {keys}); open the capture folder or a Kineto trace."
            )
        events = _decode_events(raw.pop("traceEvents"))
        return {key: msgspec.json.decode(value) for key, value in raw.items()}, events
    except msgspec.DecodeError as error:
        raise ReadError(
            f"{path} is not a complete trace, it is cut or damaged after {len(data):,} bytes ({error}); "
            "copy or record it again."
        ) from None


def nanoseconds(text: bytes | msgspec.Raw) -> int | None:
    """The text of a JSON number (or string) of microseconds in whole ns; None when it is not a number.

    >>> nanoseconds(b"5107091558253.120")
    5107091558253120
    """
    whole, _, fraction = bytes(text).strip(b'"').partition(b".")
    try:
        if len(fraction) <= 3 and (fraction.isdigit() or not fraction):
            ns = int(whole.lstrip(b"-")) * 1000 + int(fraction.ljust(3, b"0"))
            return -ns if whole.startswith(b"-") else ns
        return int((Decimal(bytes(text).strip(b'"').decode()) * 1000).to_integral_value())
    except (ValueError, InvalidOperation, OverflowError):
        return None


def nanosecond_column(texts: Sequence[msgspec.Raw]) -> tuple[Int64, Int64]:
    """`nanoseconds` of many texts at once, and the places of those that are not numbers (0 there)."""
    try:
        micro = np.array(msgspec.json.decode(b"[" + b",".join(texts) + b"]", type=list[float]))
        if len(micro) == 0 or np.abs(micro).max() < EXACT_MICROSECONDS:
            return np.rint(micro * 1000).astype(np.int64), np.zeros(0, np.int64)
    except msgspec.DecodeError:
        pass
    found = [nanoseconds(text) for text in texts]
    missing = [i for i, ns in enumerate(found) if ns is None or not -(1 << 62) < ns < 1 << 62]
    for i in missing:
        found[i] = 0
    return np.array(found, np.int64), np.array(missing, np.int64)


def integer(value: Any) -> int:
    """An id as an integer; 0, which is never an id, when it is none. Ids may be written as text."""
    if isinstance(value, str) and value.strip().isdecimal():
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool):
        return 0
    return value if -(1 << 63) <= value < 1 << 63 else 0


class _Reader:
    """Turns Kineto events into columns; counts what it leaves out."""

    def __init__(self, envelope: dict[str, Any], events: list[_Event]) -> None:
        self.envelope = envelope
        self.left_out: Counter[str] = Counter()
        self.base = integer(envelope.get("baseTimeNanoseconds"))
        self.events = [event for event in events if self._is_placed(event)]
        self.arrow_ends = [event for event in events if event.ph in ("s", "f", "t")]
        pids = Counter(
            e.pid for e in self.events if e.cat in ("cpu_op", NEURON_DISPATCH) and isinstance(e.pid, int)
        )
        self.process = pids.most_common(1)[0][0] if pids else 0

    def _is_placed(self, event: _Event) -> bool:
        """Whether an event is a row of the timeline; the rest is counted, or is told by another row."""
        if event.ph == "X" and event.cat != "Trace":
            return True
        if event.ph == "i" and event.cat == "cpu_instant_event":
            return True
        if event.ph not in ("M", "s", "f", "t"):
            self.left_out[_kind_left_out(event)] += 1
        return False

    def rows(self) -> Rows:
        start, timeless = nanosecond_column([event.ts for event in self.events])
        dur, endless = nanosecond_column(
            [_ZERO if event.dur is ABSENT else event.dur for event in self.events]
        )
        dropped = np.union1d(timeless, endless).astype(np.int64)
        self._count("events whose time is not a number", len(dropped))
        self._count("negative durations, shown as 0", int((dur < 0).sum()))
        ids = _ids_of(self.events)
        strings, tracks = Interner(), Interner()
        out = Rows(
            start=start + self.base,
            dur=np.maximum(dur, 0),
            name=strings.column([_text(event.name) for event in self.events]),
            category=strings.column([_text(event.cat) for event in self.events]),
            track=self._track_column(ids, tracks),
            scope=np.full(len(self.events), self.process, np.int64),
            external=_integer_column([i.external for i in ids]),
            correlation=_integer_column([i.correlation for i in ids]),
            sequence=_integer_column([i.nrt_sequence_id for i in ids]),
            args=[None if event.args is ABSENT else event.args for event in self.events],
            strings=strings.values,
            tracks=tracks.values,
            attributes={key: value for key, value in self.envelope.items() if key != "deviceProperties"},
        )
        out.arrows = self._arrows(start)
        if len(dropped):
            out = out.take(np.setdiff1d(np.arange(len(out)), dropped))
        out.notes = [Note(text, count) for text, count in sorted(self.left_out.items())]
        return out

    def _count(self, text: str, count: int) -> None:
        if count:
            self.left_out[text] += count

    def _track_column(self, ids: list[_Ids], tracks: Interner) -> Int64:
        """Events of one category, process and thread share a track; device rows may name theirs in args."""
        places: dict[tuple[Any, ...], int] = {}
        column = []
        for event, own in zip(self.events, ids, strict=True):
            place: tuple[Any, ...] = (event.cat, event.pid, event.tid, own.device, own.stream)
            try:
                number = places.get(place, -1)
            except TypeError:  # a list or an object where an id should stand
                place = tuple(str(part) for part in place)
                number = places.get(place, -1)
            if number < 0:
                number = places[place] = tracks.number(self._track(*place))
            column.append(number)
        return np.array(column, np.int64)

    def _track(self, category: Any, pid: Any, tid: Any, device: Any, stream: Any) -> Track:
        process = str(self.process or pid)
        if category == NEURON_STREAM or category in DEVICE_ANNOTATIONS:
            return stream_track("", process, str(tid))
        if category in HOST_RUNTIME:
            return host_runtime_track(process, category.rpartition("_")[0], str(tid))
        if category in DEVICE_WORK:
            return device_track(
                process, str(pid if device is None else device), str(tid if stream is None else stream)
            )
        return dispatch_track("", str(pid), str(tid))

    def _arrows(self, start: Int64) -> Arrows:
        """The arrows between two rows of the timeline; each end is bound to the row that begins there."""
        ends = [event for event in self.arrow_ends if event.cat != "fwdbwd"]
        self._count("arrows between forward and backward", len(self.arrow_ends) - len(ends))
        if not ends:
            return Arrows.none()
        row_at: dict[tuple[Any, Any, int], int] = {}
        for row, (event, ns) in enumerate(zip(self.events, start.tolist(), strict=True)):
            row_at.setdefault((_key(event.pid), _key(event.tid), ns), row)
        moment, _ = nanosecond_column([event.ts for event in ends])
        rows = [
            row_at.get((_key(e.pid), _key(e.tid), ns), -1)
            for e, ns in zip(ends, moment.tolist(), strict=True)
        ]
        source_of = {
            (_key(e.cat), _key(e.id)): row
            for e, row in zip(ends, rows, strict=True)
            if e.ph == "s" and row >= 0
        }
        pairs = [
            (source_of[key], row, integer(e.id))
            for e, row in zip(ends, rows, strict=True)
            if e.ph != "s" and row >= 0 and (key := (_key(e.cat), _key(e.id))) in source_of
        ]
        return Arrows(*np.array(pairs, np.int64).reshape(-1, 3).T)


_ZERO = msgspec.Raw(b"0")


def _text(value: Any) -> str:
    return value if isinstance(value, str) else str(value)


def _key(value: Any) -> Any:
    """A value that can be a dictionary key, whatever a writer put in its place."""
    return value if isinstance(value, (int, str)) else str(value)


def _integer_column(values: list[Any]) -> Int64:
    return np.fromiter((v if type(v) is int and -(1 << 63) <= v < 1 << 63 else integer(v) for v in values), np.int64,
                       len(values))  # fmt: skip


def _ids_of(events: list[_Event]) -> list[_Ids]:
    texts = [_NO_ARGS if event.args is ABSENT else event.args for event in events]
    try:
        return _decode_ids(b"[" + b",".join(texts) + b"]")
    except msgspec.DecodeError:
        return [_ids_of_one(text) for text in texts]


def _ids_of_one(text: msgspec.Raw) -> _Ids:
    try:
        return msgspec.json.decode(text, type=_Ids)
    except msgspec.DecodeError:
        return _Ids()


def _kind_left_out(event: _Event) -> str:
    if event.ph == "X":
        return "profiler window rows, which span the whole recording and are not work"
    if event.ph == "i":
        return "marks without a duration, such as the end of the recording"
    if event.ph == "C":
        return "counter samples"
    if event.ph in ("B", "E"):
        return "begin and end rows of a writer that is not Kineto"
    return "entries that are not events"
