"""Kineto's events as columns: which lane and track each belongs to, and what joins it to others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from operator import attrgetter
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from ..trace.arguments import Arguments
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
from .chrome_event import ABSENT, NO_IDS, Event, Ids, id_column, integer, key_of, text_of
from .kineto_counters import MEMORY, KinetoCounters
from .microseconds import nanosecond_column, nanoseconds
from .spans import Mark, pair

_ZERO = msgspec.Raw(b"0")
_PLACE = attrgetter("cat", "pid", "tid")
_NOTHING = np.zeros(0, np.int64)
_COLUMNS = ("start", "dur", "name", "category", "track", "place", "external", "correlation", "sequence")
# tuples, not sets: a writer may have put a list where the phase should stand
_ARROW_PHASES = ("s", "f", "t")


class NeedsWhole(Exception):
    """A later batch decides how an earlier one is read: all events have to come at once."""


class KinetoRows:
    """Turns the events of one trace, batch by batch, into `Rows`; counts what it leaves out."""

    def __init__(self) -> None:
        self.left_out: Counter[str] = Counter()
        self.strings, self.tracks = Interner(), Interner()
        self.columns: dict[str, list[Int64]] = {name: [] for name in _COLUMNS}
        self.args: list[tuple[int, Callable[[], Sequence[Any]]]] = []
        self.dropped: list[Int64] = []
        self.counters = KinetoCounters()
        self.arrow_ends: list[Event] = []
        self.thread_places: dict[tuple[int | str, int | str], int] = {}
        self.ascend: dict[int | str, str] = {}
        self.place = _NOTHING
        self.process = 0
        self.count = 0

    def add(self, batch: list[Event], arguments: Callable[[], Sequence[Any]]) -> None:
        """Append the rows of one batch, in its order; ``arguments`` gives the texts of all its events."""
        self.counters.add(batch, arguments)
        rows, others = _placed(batch)
        if any(event.ph == "B" or event.ph == "E" for event in others):
            self._close_spans(batch)
            rows, others = _placed(batch)
        events = [batch[row] for row in rows]
        self.arrow_ends += [event for event in others if event.ph in _ARROW_PHASES]
        self.left_out.update(_kind_left_out(event) for event in others if not _told_elsewhere(event))
        self._note_processes(others)
        self.process = self.process or _main_process(events)
        start, timeless = nanosecond_column([event.ts for event in events])
        dur, endless = nanosecond_column([_ZERO if e.dur is ABSENT else e.dur for e in events])
        self.dropped.append(np.union1d(timeless, endless).astype(np.int64) + self.count)
        self._count("negative durations, shown as 0", int((dur < 0).sum()))
        ids = [NO_IDS if event.args is None else event.args for event in events]
        added = {
            "start": start,
            "dur": np.maximum(dur, 0),
            "name": self._name_column([event.name for event in events]),
            **self._place_columns(events, ids),
            "external": id_column(ids, "external"),
            "correlation": id_column(ids, "correlation"),
            "sequence": id_column(ids, "nrt_sequence_id"),
        }
        for name, column in added.items():
            self.columns[name].append(column)
        self.args.append((len(events), partial(_chosen, arguments, np.array(rows, np.int32))))
        self.count += len(events)

    def rows(self, envelope: dict[str, Any]) -> Rows:
        """All of it; ``envelope`` is what the document holds besides its events."""
        columns: dict[str, Any] = {
            name: np.concatenate([_NOTHING, *self.columns.pop(name)]) for name in _COLUMNS
        }
        place = self.place = columns.pop("place")
        arrows = self._arrows(columns, place)
        base = self._base_time(envelope)
        columns["start"] += base
        out = Rows(
            **columns,
            scope=np.full(self.count, self.process, np.int64),
            args=Arguments(self.args),
            strings=self.strings.values,
            tracks=self.tracks.values,
            arrows=arrows,
            counters=self.counters.counters(base),
            attributes={key: value for key, value in envelope.items() if key != "deviceProperties"},
        )
        dropped = np.concatenate([_NOTHING, *self.dropped])
        self._count("events whose time is missing, not a number or beyond 64 bits of ns", len(dropped))
        if len(dropped):
            out = out.take(np.setdiff1d(np.arange(len(out)), dropped))
        out.notes = [Note(text, count) for text, count in sorted(self.left_out.items())]
        out.notes += self.counters.notes()
        return out

    def tids(self) -> Int64:
        """The ``tid`` of every row, 0 where it is no number; to be asked after `rows`."""
        numbers = np.array([integer(tid) for _, tid in self.thread_places], np.int64)
        return numbers[self.place] if len(numbers) else _NOTHING

    def _count(self, text: str, count: int) -> None:
        if count:
            self.left_out[text] += count

    def _base_time(self, envelope: dict[str, Any]) -> int:
        """Unix ns that the file's times count from; 0 when they are absolute already."""
        base = integer(envelope.get("baseTimeNanoseconds"))
        if 0 <= base < TIME_LIMIT:
            return base
        self.left_out["a base time that is no time, ignored: times are relative"] += 1
        return 0

    def _note_processes(self, others: list[Event]) -> None:
        """Processes whose name tells the role of their rows. Their names stand before their rows."""
        for event in others:
            if event.name == "process_name" and event.args and event.args.name in tuple(ascend.PROCESSES):
                if self.count:
                    raise NeedsWhole
                self.ascend[key_of(event.pid)] = event.args.name

    def _close_spans(self, events: list[Event]) -> None:
        """Begin rows become events with a duration; their ends are then told."""
        if self.count:
            raise NeedsWhole  # a span may have begun in a batch before
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

    def _name_column(self, names: list[Any]) -> Int64:
        if not set(map(type, names)) <= {str}:
            names = [text_of(name) for name in names]
        return self.strings.column(names)

    def _place_columns(self, events: list[Event], ids: Sequence[Ids]) -> dict[str, Int64]:
        """Category, track and place of each row; a place is process and thread as the file writes them.

        Events that agree in what decides about all three are looked up once.
        """
        keys: list[tuple[Any, ...]] = list(map(_PLACE, events))
        try:
            distinct = dict.fromkeys(keys)
            # work on a device may name its device and stream in its arguments
            work = {key for key in distinct if _category(key[0]) in DEVICE_WORK}
            if work:
                for row, key in enumerate(keys):
                    if key in work:
                        keys[row] = (*key, ids[row].device, ids[row].stream)
                distinct = dict.fromkeys(keys)
        except TypeError:  # a list or an object where an id should stand
            keys = [tuple(map(str, key)) for key in keys]
            distinct = dict.fromkeys(keys)
        number = dict(zip(distinct, range(len(distinct)), strict=True))
        code = np.fromiter(map(number.__getitem__, keys), np.int64, len(keys))
        columns = {
            "category": [self.strings.number(_category(key[0])) for key in distinct],
            "track": [self.tracks.number(self._track(*key)) for key in distinct],
            "place": [
                self.thread_places.setdefault((key_of(key[1]), key_of(key[2])), len(self.thread_places))
                for key in distinct
            ],
        }
        found = {name: np.array(values, np.int64)[code] for name, values in columns.items()}
        if self.ascend:
            self._name_ascend_categories(events, found["category"])
        return found

    def _name_ascend_categories(self, events: list[Event], category: Int64) -> None:
        for row, event in enumerate(events):
            process = self.ascend.get(key_of(event.pid))
            if process is not None:
                category[row] = self.strings.number(ascend.category(process, text_of(event.name)))

    def _track(self, category: Any, pid: Any, tid: Any, device: Any = None, stream: Any = None) -> Track:
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

    def _arrows(self, columns: dict[str, Int64], place: Int64) -> Arrows:
        """Arrows to device rows that no id joins; each end is bound to the row that begins there."""
        ends = [event for event in self.arrow_ends if event.cat != "fwdbwd"]
        self._count("arrows between forward and backward", len(self.arrow_ends) - len(ends))
        if not ends or not self._unjoined(columns).any():
            return Arrows.none()
        ids = Interner()
        end_place = [self.thread_places.get((key_of(event.pid), key_of(event.tid)), -1) for event in ends]
        moment, _ = nanosecond_column([event.ts for event in ends])
        code = group_codes(
            np.concatenate([place, np.array(end_place, np.int64)]), np.concatenate([columns["start"], moment])
        )
        row = match(code[: self.count], code[self.count :])
        key = ids.column([(key_of(event.cat), key_of(event.id)) for event in ends])
        begins = np.array([event.ph == "s" for event in ends], bool)
        sources = np.flatnonzero(begins & (row >= 0))
        targets = np.flatnonzero(~begins & (row >= 0))
        source_of = match(key[sources], key[targets])
        targets, source_of = targets[source_of >= 0], source_of[source_of >= 0]
        numbers = np.array([integer(ends[end].id) for end in targets.tolist()], np.int64)
        return Arrows(row[sources[source_of]], row[targets], numbers)

    def _unjoined(self, columns: dict[str, Int64]) -> NDArray[np.bool_]:
        """Device rows that neither a correlation nor a sequence joins to what caused them."""
        lane = np.array([track.lane for track in self.tracks.values], np.int64)
        views = [i for i, text in enumerate(self.strings.values) if text in DEVICE_ANNOTATIONS]
        found: NDArray[np.bool_] = (
            (lane[columns["track"]] >= Lane.STREAM)
            & (columns["correlation"] == 0)
            & (columns["sequence"] == 0)
            & ~np.isin(columns["category"], views)
        )
        return found


def _main_process(events: list[Event]) -> int:
    """The process whose host rows these are: ids are shared within it; 0 when it is not known."""
    hosts = ("cpu_op", "Operator", NEURON_DISPATCH)
    pids = Counter(event.pid for event in events if event.cat in hosts and isinstance(event.pid, int))
    return pids.most_common(1)[0][0] if pids else 0


def _placed(events: list[Event]) -> tuple[list[int], list[Event]]:
    """Which events are rows of the timeline, and all other entries."""
    placed: list[int] = []
    others: list[Event] = []
    for row, event in enumerate(events):
        phase = event.ph
        if (phase == "X" and event.cat != "Trace") or (phase == "i" and event.cat == "cpu_instant_event"):
            placed.append(row)
        else:
            others.append(event)
    return placed, others


def _chosen(arguments: Callable[[], Sequence[Any]], rows: NDArray[np.int32]) -> list[Any]:
    texts = arguments()
    return [texts[row] for row in rows.tolist()]


#: Entries that need no word of their own: names of tracks, counters, and arrows, which `_arrows` binds.
_TOLD_ELSEWHERE = (*_ARROW_PHASES, "M", "C")


def _told_elsewhere(event: Event) -> bool:
    return event.ph in _TOLD_ELSEWHERE or event.name == MEMORY


def _kind_left_out(event: Event) -> str:
    if event.ph == "X":
        return "profiler window rows, which span the whole recording and are not work"
    if event.ph == "i":
        return "marks without a duration, such as the end of the recording"
    if event.ph in ("B", "E"):
        return "begin and end rows without a time"
    if event.ph in ("b", "e", "n"):
        return "asynchronous spans"
    return "entries that are not events"


def _category(value: Any) -> str:
    return OLD_NAMES.get(value, value) if isinstance(value, str) else ""
