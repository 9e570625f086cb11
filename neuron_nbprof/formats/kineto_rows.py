"""Kineto's events as columns: which lane and track each belongs to, and what joins it to others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import msgspec
import numpy as np

from ..trace.categories import (
    DEVICE_ANNOTATIONS,
    DEVICE_WORK,
    HOST_RUNTIME,
    NEURON_DISPATCH,
    NEURON_STREAM,
    OLD_NAMES,
)
from ..trace.joins import group_codes, match
from ..trace.lanes import Lane, Track, device_track, dispatch_track, host_runtime_track, stream_track
from ..trace.rows import TIME_LIMIT, Arrows, Int64, Interner, Note, Rows
from . import ascend
from .chrome_event import ABSENT, Event, Ids, IntegerIds, id_column, ids_of, integer, key_of, text_of
from .microseconds import nanosecond_column, nanoseconds
from .spans import Mark, pair

_ZERO = msgspec.Raw(b"0")
# tuples, not sets: a writer may have put a list where the phase should stand
_ARROW_PHASES = ("s", "f", "t")


class KinetoRows:
    """Turns the events of one trace into `Rows`; counts what it leaves out."""

    def __init__(self, envelope: dict[str, Any], events: list[Event]) -> None:
        self.envelope = envelope
        self.left_out: Counter[str] = Counter()
        self.base = self._base_time()
        self.events, others = _placed(events)
        if any(event.ph == "B" for event in others):
            self._close_spans(events)
            self.events, others = _placed(events)
        self.arrow_ends = [event for event in others if event.ph in _ARROW_PHASES]
        self.left_out.update(_kind_left_out(event) for event in others if event.ph not in _TOLD_ELSEWHERE)
        self.ascend = {
            key_of(event.pid): name
            for event in others
            if event.name == "process_name" and (name := _process_name(event)) in ascend.PROCESSES
        }
        self.process = self._main_process()

    def _base_time(self) -> int:
        """Unix ns that the file's times count from; 0 when they are absolute already."""
        base = integer(self.envelope.get("baseTimeNanoseconds"))
        if 0 <= base < TIME_LIMIT:
            return base
        self.left_out["a base time that is no time, ignored: times are relative"] += 1
        return 0

    def _main_process(self) -> int:
        """The process whose host rows these are: ids are shared within it; 0 when it is not known."""
        pids = Counter(
            event.pid
            for event in self.events
            if event.cat in ("cpu_op", "Operator", NEURON_DISPATCH) and isinstance(event.pid, int)
        )
        return pids.most_common(1)[0][0] if pids else 0

    def _close_spans(self, events: list[Event]) -> None:
        """Begin rows become events with a duration; their ends are then told."""
        marks = [
            Mark(row, (key_of(event.pid), key_of(event.tid)), text_of(event.name), ns, event.ph == "B")
            for row, event in enumerate(events)
            if event.ph in ("B", "E") and (ns := nanoseconds(event.ts)) is not None
        ]
        durations, left = pair(marks)
        self.left_out.update(left)
        for mark in marks:
            event = events[mark.row]
            if mark.row in durations:
                event.ph, event.dur = "X", msgspec.Raw(f"{durations[mark.row]}e-3".encode())
            elif not mark.begins:
                event.ph = "M"

    def rows(self) -> Rows:
        start, timeless = nanosecond_column([event.ts for event in self.events])
        dur, endless = nanosecond_column([_ZERO if e.dur is ABSENT else e.dur for e in self.events])
        dropped = np.union1d(timeless, endless).astype(np.int64)
        self._count("events whose time is missing, not a number or beyond 64 bits of ns", len(dropped))
        self._count("negative durations, shown as 0", int((dur < 0).sum()))
        ids = ids_of(self.events)
        strings, tracks = Interner(), Interner()
        out = Rows(
            start=start + self.base,
            dur=np.maximum(dur, 0),
            name=strings.column([text_of(event.name) for event in self.events]),
            category=strings.column(self._categories()),
            track=self._track_column(ids, tracks),
            scope=np.full(len(self.events), self.process, np.int64),
            external=id_column(ids, "external"),
            correlation=id_column(ids, "correlation"),
            sequence=id_column(ids, "nrt_sequence_id"),
            args=[None if event.args is ABSENT else event.args for event in self.events],
            strings=strings.values,
            tracks=tracks.values,
            attributes={key: value for key, value in self.envelope.items() if key != "deviceProperties"},
        )
        out.arrows = self._arrows(start, out)
        if len(dropped):
            out = out.take(np.setdiff1d(np.arange(len(out)), dropped))
        out.notes = [Note(text, count) for text, count in sorted(self.left_out.items())]
        return out

    def _count(self, text: str, count: int) -> None:
        if count:
            self.left_out[text] += count

    def _categories(self) -> list[str]:
        names = [_category(event.cat) for event in self.events]
        if self.ascend:
            for row, event in enumerate(self.events):
                process = self.ascend.get(key_of(event.pid))
                if process is not None:
                    names[row] = ascend.category(process, text_of(event.name))
        return names

    def _track_column(self, ids: Sequence[Ids | IntegerIds], tracks: Interner) -> Int64:
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
        category = _category(category)
        if key_of(pid) in self.ascend:
            return ascend.track(self.ascend[key_of(pid)], process, tid)
        if category == NEURON_STREAM or category in DEVICE_ANNOTATIONS:
            return stream_track("", process, str(tid))
        if category in HOST_RUNTIME:
            return host_runtime_track(process, category.rpartition("_")[0], str(tid))
        if category in DEVICE_WORK:
            named = str(pid if device is None else device), str(tid if stream is None else stream)
            return device_track(process, *named)
        return dispatch_track("", str(pid), str(tid))

    def _arrows(self, start: Int64, rows: Rows) -> Arrows:
        """Arrows to device rows that no id joins; each end is bound to the row that begins there."""
        ends = [event for event in self.arrow_ends if event.cat != "fwdbwd"]
        self._count("arrows between forward and backward", len(self.arrow_ends) - len(ends))
        lane = np.array([track.lane for track in rows.tracks], np.int64)[rows.track] if len(rows) else start
        unjoined = (lane >= Lane.STREAM) & (rows.correlation == 0) & (rows.sequence == 0)
        unjoined &= ~np.isin(
            rows.category, [i for i, text in enumerate(rows.strings) if text in DEVICE_ANNOTATIONS]
        )
        if not ends or not unjoined.any():
            return Arrows.none()
        threads, ids = Interner(), Interner()
        place = threads.column([(key_of(event.pid), key_of(event.tid)) for event in (*self.events, *ends)])
        moment = np.concatenate([start, nanosecond_column([event.ts for event in ends])[0]])
        known = len(self.events)
        code = group_codes(place, moment)
        row = match(code[:known], code[known:])
        key = ids.column([(key_of(event.cat), key_of(event.id)) for event in ends])
        begins = np.array([event.ph == "s" for event in ends], bool)
        sources = np.flatnonzero(begins & (row >= 0))
        targets = np.flatnonzero(~begins & (row >= 0))
        source_of = match(key[sources], key[targets])
        targets, source_of = targets[source_of >= 0], source_of[source_of >= 0]
        numbers = np.array([integer(ends[end].id) for end in targets.tolist()], np.int64)
        return Arrows(row[sources[source_of]], row[targets], numbers)


def _placed(events: list[Event]) -> tuple[list[Event], list[Event]]:
    """The rows of the timeline, and all other entries."""
    placed: list[Event] = []
    others: list[Event] = []
    for event in events:
        phase = event.ph
        if (phase == "X" and event.cat != "Trace") or (phase == "i" and event.cat == "cpu_instant_event"):
            placed.append(event)
        else:
            others.append(event)
    return placed, others


#: Entries that need no word of their own: names of tracks, and arrows, which `_arrows` binds.
_TOLD_ELSEWHERE = (*_ARROW_PHASES, "M")


def _kind_left_out(event: Event) -> str:
    if event.ph == "X":
        return "profiler window rows, which span the whole recording and are not work"
    if event.ph == "i":
        return "marks without a duration, such as the end of the recording"
    if event.ph == "C":
        return "counter samples"
    if event.ph in ("B", "E"):
        return "begin and end rows without a time"
    if event.ph in ("b", "e", "n"):
        return "asynchronous spans"
    return "entries that are not events"


def _process_name(event: Event) -> str:
    try:
        return str(msgspec.json.decode(event.args, type=dict[str, Any]).get("name"))
    except msgspec.DecodeError:
        return ""


def _category(value: Any) -> str:
    return OLD_NAMES.get(value, value) if isinstance(value, str) else ""
