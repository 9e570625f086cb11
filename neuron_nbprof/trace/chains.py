"""Chains: one operator followed from its dispatch to the hardware.

The explorer walks the same chains in TypeScript; golden files keep the two the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import pairwise

from .lanes import Lane
from .links import LinkRule
from .trace import Trace

#: A chain that reaches more events than this is cut, and says so.
MAX_NODES = 2_000


@dataclass(frozen=True)
class Station:
    """Where a submission spends time: one row, or all the rows of one execution counted once (ns)."""

    lane: Lane
    rows: list[int]
    start: int
    end: int

    @property
    def dur(self) -> int:
        return self.end - self.start


@dataclass(frozen=True)
class Wait:
    """From the end of one station to the start of the next (ns); negative when the next began earlier."""

    ns: int
    rule: LinkRule
    key: int


@dataclass(frozen=True)
class Line:
    """One submission: its stations and the waits between them add up to ``total`` exactly.

    ``stream`` is the row by which the framework sees the execution; it is shown and never added.
    """

    stations: list[Station]
    waits: list[Wait]
    stream: int | None

    @property
    def total(self) -> int:
        return self.stations[-1].end - self.stations[0].start


@dataclass(frozen=True)
class Chain:
    """All events that one event depends on or causes, with the edges among them."""

    event: int
    nodes: list[int]
    edges: list[int]
    lines: list[Line]
    truncated: bool


def chain(trace: Trace, event: int) -> Chain:
    """The chain of row ``event``.

    Climb to the first row of each submission the event belongs to, then take all that follows from there
    and every operator that owns it.
    """
    return _Walk(trace, event).chain()


class _Walk:
    def __init__(self, trace: Trace, event: int) -> None:
        self.trace = trace
        self.links = trace.links
        self.event = event
        self.truncated = False

    def chain(self) -> Chain:
        up = self._reach([self.event], self._flow_parents)
        roots = sorted(row for row in up if not self._flow_parents(row))
        nodes = set(self._reach(roots, self._children)) | set(self._reach(roots, self._owners)) | set(up)
        ordered = sorted(nodes)
        edges = [
            edge
            for row in ordered
            for edge in self.links.outgoing(row)
            if int(self.links.targets[edge]) in nodes
        ]
        lines = [self._line(root) for root in self._submissions(ordered)]
        return Chain(self.event, ordered, edges, lines, self.truncated)

    def _flow_parents(self, row: int) -> list[int]:
        return sorted(
            int(self.links.sources[edge])
            for edge in self.links.incoming(row)
            if not self.links.is_owner(edge)
        )

    def _owners(self, row: int) -> list[int]:
        return sorted(
            int(self.links.sources[edge]) for edge in self.links.incoming(row) if self.links.is_owner(edge)
        )

    def _children(self, row: int) -> list[int]:
        return [int(self.links.targets[edge]) for edge in self.links.outgoing(row)]

    def _flow_children(self, row: int) -> list[int]:
        return [
            int(self.links.targets[edge])
            for edge in self.links.outgoing(row)
            if not self.links.is_owner(edge)
        ]

    def _reach(self, begin: Iterable[int], neighbours: Callable[[int], list[int]]) -> list[int]:
        """Breadth first, neighbours in row order, at most `MAX_NODES` rows."""
        found = list(begin)
        seen = set(found)
        for row in found:
            for neighbour in neighbours(row):
                if neighbour in seen:
                    continue
                if len(found) >= MAX_NODES:
                    self.truncated = True
                    return found
                seen.add(neighbour)
                found.append(neighbour)
        return found

    def _submissions(self, nodes: list[int]) -> list[int]:
        """First rows of submissions, by start: what leads on through the lanes, or ends the chain at once."""
        first = [
            row
            for row in nodes
            if not self._flow_parents(row) and (self._flow_children(row) or not self.links.outgoing(row))
        ]
        return sorted(first, key=self._by_start)

    def _line(self, root: int) -> Line:
        rows = self._reach([root], self._flow_children)
        by_lane: dict[int, list[int]] = {lane: [] for lane in Lane}
        for row in rows:
            by_lane[int(self.trace.lane[row])].append(row)
        stations = []
        dispatch = self._dispatch_row(root)
        if dispatch is not None:
            stations.append(self._station(Lane.DISPATCH, [dispatch]))
        if by_lane[Lane.RUNTIME]:
            stations.append(self._station(Lane.RUNTIME, [min(by_lane[Lane.RUNTIME], key=self._by_start)]))
        if by_lane[Lane.HARDWARE]:
            stations.append(self._station(Lane.HARDWARE, sorted(by_lane[Lane.HARDWARE])))
        if not stations:
            stations.append(self._station(Lane(int(self.trace.lane[root])), [root]))
        waits = [self._wait(a, b) for a, b in pairwise(stations)]
        stream = min(by_lane[Lane.STREAM], key=self._by_start, default=None)
        return Line(stations, waits, stream)

    def _by_start(self, row: int) -> tuple[int, int]:
        return (int(self.trace.start[row]), row)

    def _dispatch_row(self, root: int) -> int | None:
        """The operator of a submission: the clicked one if it owns it, else the innermost owner."""
        owners = self._reach([root], self._owners)[1:]
        if self.event in owners:
            return self.event
        if owners:
            return owners[0]
        return root if self.trace.lane[root] == Lane.DISPATCH else None

    def _station(self, lane: Lane, rows: list[int]) -> Station:
        start, end = self.trace.start, self.trace.end
        return Station(lane, rows, int(start[rows].min()), int(end[rows].max()))

    def _wait(self, before: Station, after: Station) -> Wait:
        """The wait between two stations, with the rule of the edge that reaches the later one."""
        target = after.rows[0]
        incoming = self.links.incoming(target)
        edge = min(incoming, key=lambda e: (int(self.links.rule[e]), e))
        return Wait(after.start - before.end, LinkRule(int(self.links.rule[edge])), int(self.links.key[edge]))
