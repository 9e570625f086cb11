"""Where the recorded operations belong in the host's own events."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from .recorder import Kind, Record

Interval = tuple[int, int]

_REGION = "Torch-Compiled Region"
_EVER = 1 << 62  # ns, longer than any capture


@dataclass(slots=True)
class HostEvent:
    """One row of the host: ns since the origin of the capture."""

    id: int
    name: str
    start: int
    end: int
    parent: HostEvent | None = None
    is_leaf: bool = True

    def lineage(self) -> Iterator[HostEvent]:
        """This event, then what encloses it, outwards."""
        event: HostEvent | None = self
        while event is not None:
            yield event
            event = event.parent

    def holds(self, instant: int) -> bool:
        return self.start <= instant <= self.end


@dataclass(slots=True)
class Placed:
    """A record, its innermost host event, and the instants at which the model takes over from the real clock.

    start <= entered <= numerics[0] <= numerics[1] <= end; nothing else of the thread happens after `entered`
    and before the numerics are done.
    """

    record: Record
    event: HostEvent | None
    start: int
    entered: int
    numerics: Interval
    end: int


class HostEvents:
    """The nested host events of every thread."""

    def __init__(self, rows: Iterable[dict[str, Any]], to_ns: Any) -> None:
        self._threads: dict[int, list[HostEvent]] = defaultdict(list)
        for row in rows:
            start = to_ns(row["ts"])
            event = HostEvent(
                row["args"]["External id"], row["name"], start, start + round(row["dur"] * 1000)
            )
            self._threads[row["tid"]].append(event)
        for events in self._threads.values():
            _nest(events)
        self._starts = {thread: [event.start for event in events] for thread, events in self._threads.items()}

    def boundaries(self) -> list[int]:
        """Every instant at which an event of any thread begins or ends."""
        events = [event for thread in self._threads.values() for event in thread]
        return sorted({instant for event in events for instant in (event.start, event.end)})

    def around(self, thread: int, instant: int) -> tuple[HostEvent | None, Interval]:
        """The innermost event at an instant, and the time around it in which no event begins or ends."""
        events = self._threads.get(thread, [])
        position = bisect_right(self._starts.get(thread, []), instant)
        holder, free_from = None, -_EVER
        free_until = events[position].start if position < len(events) else _EVER
        for event in events[position - 1].lineage() if position else ():
            if event.holds(instant):
                holder, free_from, free_until = event, max(free_from, event.start), min(free_until, event.end)
                break
            free_from = event.end
        return holder, (free_from, free_until)


def _nest(events: list[HostEvent]) -> None:
    events.sort(key=lambda event: (event.start, -event.end))
    open_events: list[HostEvent] = []
    for event in events:
        while open_events and open_events[-1].end <= event.start:
            open_events.pop()
        if open_events:
            event.parent = open_events[-1]
            event.parent.is_leaf = False
        open_events.append(event)


def place(records: Iterable[Record], host: HostEvents, origin: int) -> list[Placed]:
    """Records in the order in which they reached the device, with times in ns since `origin`."""
    placed = [_placed(record, host, origin) for record in sorted(records, key=lambda r: r.started)]
    _widen(placed)
    return placed


def _placed(record: Record, host: HostEvents, origin: int) -> Placed:
    event, (first, last) = host.around(record.thread, (record.entered + record.left) // 2 - origin)
    # The recorder's clock and Kineto's differ by a microsecond: no row may reach into its neighbour.
    entered, started, finished, left = (
        min(max(instant - origin, first), last)
        for instant in (record.entered, record.started, record.finished, record.left)
    )
    return Placed(record, event, entered, entered, (started, finished), left)


def _widen(placed: list[Placed]) -> None:
    """Let the model replace the whole row of an operator or compiled region that holds one record only."""
    held = Counter(id(event) for item in placed if item.event for event in item.event.lineage())
    for item in placed:
        for event in item.event.lineage() if item.event else ():
            whole = event.is_leaf if item.record.kind is not Kind.GRAPH else event.name.startswith(_REGION)
            if whole and held[id(event)] == 1:
                item.start, item.end = event.start, event.end
