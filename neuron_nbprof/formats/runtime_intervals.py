"""From the runtime's raw events, which are the two ends of an interval, to rows on one clock.

The pairing and the clocks follow the description of the event stream in the header ``nrt_sys_trace.h`` and
AWS' user guide: both ends share a tracking id; what the device did carries its own clock, which the sync
point of the same execution translates.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec

from ..trace.categories import NEURON_HARDWARE, NEURON_RUNTIME
from ..trace.rows import Note, Rows
from .json_text import whole
from .runtime_events import SYNC_POINT, SystemEvent, is_hardware, rows_of, system_track

#: A time below is no Unix time in ns (it would lie before 1973), so it is the device's own clock.
DEVICE_CLOCK_LIMIT = 10**17
TIME_LIMIT = 1 << 61

END_LOST = "end not recorded"
UNALIGNED = "clock not aligned"


@dataclass(slots=True)
class Mark:
    """One raw event: an end of an interval (``phase`` start or stop) or a moment.

    ``time`` is ns on the host's or the device's clock; ``dur`` is known where a file tells both ends at once.
    ``more`` is everything else that a reader wants to be seen among the arguments.
    """

    name: str
    phase: str
    time: int
    core: int | None
    tracking: int
    sequence: int
    data: dict[str, Any]
    more: dict[str, Any]
    dur: int = 0


@dataclass(slots=True)
class Interval:
    """What happened between two marks; ``end`` is None for a moment and where it was not recorded."""

    begin: Mark
    end: Mark | None
    start_ns: int
    end_ns: int
    hardware: bool
    remarks: list[str] = field(default_factory=list)


def rows(marks: Sequence[Mark], instance: str, process: int, attributes: dict[str, Any]) -> Rows:
    """Raw events as rows of one process: paired, on the host's clock, in order of their start."""
    counts: Counter[str] = Counter()
    intervals = list(pair(marks, counts))
    align(intervals, counts)
    events = []
    for interval in sorted(intervals, key=lambda found: found.start_ns):
        if 0 < interval.start_ns < TIME_LIMIT and abs(interval.end_ns) < TIME_LIMIT:
            events.append(_event(interval, instance, process, counts))
        else:
            counts["events whose time was lost, left out"] += 1
    return rows_of(events, [Note(text, count) for text, count in counts.items()], attributes)


def pair(marks: Iterable[Mark], counts: Counter[str]) -> Iterator[Interval]:
    """Intervals and moments; what lost its other end to the ring buffer, or to the cut, is counted."""
    ends: dict[tuple[str, int, int | None], list[Mark]] = defaultdict(list)
    for mark in marks:
        if mark.phase in ("start", "stop"):
            ends[mark.name, mark.tracking, mark.core].append(mark)
            continue
        if mark.phase != "instant" and not mark.dur:
            counts["events of an unknown phase, shown as moments"] += 1
        yield _interval(mark, None)
    for same in ends.values():
        yield from _pair_same(same, counts)


def _pair_same(marks: list[Mark], counts: Counter[str]) -> Iterator[Interval]:
    """Intervals of one tracking id, which is in use once at a time but may be used again."""
    begun: Mark | None = None
    early: Mark | None = None  # a stop before any start: lost its start, or ends in the instant it began
    for mark in sorted(marks, key=lambda mark: (mark.time, mark.phase == "start")):
        if mark.phase == "stop":
            if begun is not None:
                yield _interval(begun, mark)
                begun = None
            else:
                _start_lost(early, counts)
                early = mark
        elif early is not None and early.time == mark.time:
            yield _interval(mark, early)
            early = None
        else:
            if begun is not None:
                yield _without_end(begun, counts)
            begun = mark
    if begun is not None:
        yield _without_end(begun, counts)
    _start_lost(early, counts)


def _start_lost(end: Mark | None, counts: Counter[str]) -> None:
    if end is not None:
        counts["ends without a start, left out"] += 1


def _interval(begin: Mark, end: Mark | None) -> Interval:
    hardware = is_hardware(begin.name, has_device_clock="nc_timestamp_ns" in begin.data)
    return Interval(begin, end, begin.time, end.time if end else begin.time + begin.dur, hardware)


def _without_end(begin: Mark, counts: Counter[str]) -> Interval:
    counts["starts without an end, shown as moments"] += 1
    interval = _interval(begin, None)
    interval.remarks.append(END_LOST)
    return interval


class _Clocks:
    """Sync points: for a core and an execution, what to add to the device's clock to get Unix ns."""

    def __init__(self, intervals: Iterable[Interval]) -> None:
        found: dict[tuple[int | None, ...], list[tuple[int, int]]] = defaultdict(list)
        for interval in intervals:
            data = interval.begin.data
            device, host = whole(data.get("nc_timestamp_ns")), whole(data.get("cpu_timestamp_ns"))
            if interval.begin.name != SYNC_POINT or device is None or host is None:
                continue
            execution = whole(data.get("exec_id"))
            places: list[tuple[int | None, ...]] = [(), (interval.begin.core,)]
            if execution is not None:
                places.append((interval.begin.core, execution))
            for place in places:
                found[place].append((device, host - device))
        self.points = {place: sorted(points) for place, points in found.items()}

    def offset(self, core: int | None, execution: int | None, device: int) -> tuple[int | None, bool]:
        """The offset of the nearest sync point, and whether it is one of this very execution."""
        if execution is not None and (core, execution) in self.points:
            return self._nearest((core, execution), device), True
        return self._nearest((core,) if (core,) in self.points else (), device), False

    def _nearest(self, place: tuple[int | None, ...], device: int) -> int | None:
        points = self.points.get(place)
        if not points:
            return None
        at = bisect_left(points, (device, -(1 << 70)))
        return min(points[max(0, at - 1) : at + 1], key=lambda point: abs(point[0] - device))[1]


def align(intervals: Sequence[Interval], counts: Counter[str]) -> None:
    """Bring what the device timed onto the host's clock, in place.

    adjusted = sync.cpu + (event.nc - sync.nc), with the sync point of the same execution and core, else the
    nearest one of that core, else of any; both ends take the same one, so a duration stays exact. Times
    that the runtime has adjusted already stay as they are.
    """
    clocks = _Clocks(intervals)
    adrift = []
    for interval in intervals:
        if not interval.hardware or interval.begin.time >= DEVICE_CLOCK_LIMIT:
            continue
        host = whole(interval.begin.data.get("cpu_timestamp_ns"))
        device = _device_time(interval.begin)
        if interval.begin.name == SYNC_POINT and host is not None:
            _place(interval, host - device)
            continue
        execution = whole(interval.begin.data.get("exec_id"))
        offset, exact = clocks.offset(interval.begin.core, execution, device)
        if offset is None:
            adrift.append(interval)
            continue
        if not exact:
            counts["hardware events placed by the nearest sync point, not their own"] += 1
            interval.remarks.append(UNALIGNED)
        _place(interval, offset)
    if adrift:
        _place_adrift(intervals, adrift, counts)


def _device_time(mark: Mark) -> int:
    device = whole(mark.data.get("nc_timestamp_ns"))
    return mark.time if device is None else device


def _place(interval: Interval, offset: int) -> None:
    interval.start_ns = _device_time(interval.begin) + offset
    if interval.end is None:
        interval.end_ns = interval.start_ns + interval.begin.dur
    elif interval.end.time < DEVICE_CLOCK_LIMIT:
        interval.end_ns = _device_time(interval.end) + offset


def _place_adrift(intervals: Sequence[Interval], adrift: list[Interval], counts: Counter[str]) -> None:
    """Without any sync point the hardware's rows keep their distances, and begin with the host's."""
    host = [interval.start_ns for interval in intervals if interval.start_ns >= DEVICE_CLOCK_LIMIT]
    counts["hardware events without any sync point: their place against the host is not known"] += len(adrift)
    first = min(_device_time(interval.begin) for interval in adrift)
    for interval in adrift:
        interval.remarks.append(UNALIGNED)
        _place(interval, min(host) - first if host else 0)


def _event(interval: Interval, instance: str, process: int, counts: Counter[str]) -> SystemEvent:
    begin = interval.begin
    dur = interval.end_ns - interval.start_ns
    if dur < 0:
        counts["ends before their start, shown as moments"] += 1
    arguments = {**begin.data, **begin.more}
    if interval.remarks:
        arguments["remark"] = ", ".join(interval.remarks)
    return SystemEvent(
        name=begin.name,
        category=NEURON_HARDWARE if interval.hardware else NEURON_RUNTIME,
        start=interval.start_ns,
        dur=max(0, dur),
        track=system_track(
            interval.hardware,
            instance,
            process,
            begin.core,
            whole(begin.data.get("device_core_idx")),
            begin.name,
        ),
        process=process,
        core=begin.core,
        sequence=begin.sequence or (interval.end.sequence if interval.end else 0),
        model=whole(begin.data.get("model_id")),
        execution=whole(begin.data.get("exec_id")),
        args=msgspec.json.encode(arguments),
    )
