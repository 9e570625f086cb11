"""What a step waited for, from its end back to its beginning: one path through the lanes without a hole."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from itertools import chain
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from ..trace import Lane, Trace
from .calls import SYNCHRONIZE
from .label import labelled
from .memo import once_per_trace
from .ownership import Rows, ids_of, named
from .records import unique
from .steps import steps, window
from .submissions import READS, Submissions, submissions

if TYPE_CHECKING:
    import pandas as pd

#: What holds the path: an operator or the code between operators on the *host*, a *copy*, a call of the
#: *runtime*, an execution on the *hardware*; *stream* is work handed over that nobody has taken up yet.
LANES = ("host", "stream", "runtime", "copy", "hardware")


#: In place of a row: the host as such, still to be cut where its operators begin and end.
HOST = -2
#: What holds the path where no event does.
BETWEEN_EXECUTIONS, TO_HARDWARE, TO_RUNTIME, BETWEEN_OPERATORS = WAITS = (
    "between two executions", "runtime to hardware", "dispatch to runtime", "between operators",
)  # fmt: skip


class Segment(NamedTuple):
    """One piece of the path in ns; ``row`` is the event that holds it, -1 for none, or `HOST`; ``name`` is a
    number in `_Walk.names`, -1 for that of the row."""

    lane: int
    row: int
    start: int
    end: int
    name: int


@labelled
def critical_path(trace: Trace, by: Literal["segment", "lane", "name"] = "segment") -> pd.DataFrame:
    """The path that decided how long each recorded step took (the whole window where there are no steps).

    ``by="segment"``: in order of time ``step``, ``lane`` (`LANES`), ``name`` (of the operator, for an
    execution), ``event`` (id, NA for none), ``start_us``, ``dur_us``, ``share`` of the step; the segments of
    a step add up to it exactly.
    ``by="lane"`` or ``"name"``: the sums over all steps, the largest first, with ``step_without_us``: what
    all steps together would take at best if this were free (another path may then be the longest).

    Backwards from the step's end: the host, until a synchronise or a read that waited for the device; then
    the execution it waited for; from an execution to the one before it on the core if that ended last, else
    to the runtime call and the dispatch that submitted it, and so on.
    """
    if by not in ("segment", "lane", "name"):
        raise ValueError(f"by is 'segment', 'lane' or 'name', not {by!r}")
    table = segments(trace)
    if by == "segment":
        return table.copy()
    keys = ["lane"] if by == "lane" else ["lane", "name"]
    sums = table.groupby(keys, as_index=False, observed=True)["dur_us"].sum()
    total = sum(high - low for _, low, high in _windows(trace))
    sums["share"] = sums["dur_us"] * 1000 / total
    sums["step_without_us"] = total / 1000 - sums["dur_us"]
    sums[keys] = sums[keys].astype(str)
    return sums.sort_values(["dur_us", *keys], ascending=[False, *(True for _ in keys)], ignore_index=True)


@once_per_trace
def segments(trace: Trace) -> pd.DataFrame:
    """The segments of `critical_path`, shared by all who only read them."""
    import pandas as pd

    walk = _Walk(trace, submissions(trace))
    windows = _windows(trace)
    paths = [walk.path(low, high) for _, low, high in windows]
    flat = chain.from_iterable(chain.from_iterable(paths))
    pieces = np.fromiter(flat, np.int64).reshape(-1, len(Segment._fields)).T
    lane, row, start, end, name = pieces
    of, row, start, end = walk.cut_at_operators(row, start, end)
    step = np.repeat(np.arange(len(paths)), [len(path) for path in paths])[of]
    named_by_row = trace.name[row] if len(trace) else row
    named_by_row = np.where(row >= 0, named_by_row, walk.names[BETWEEN_OPERATORS])
    return pd.DataFrame(
        {
            # numbers with a list of words: texts would cost more than all the rest
            "step": pd.Categorical.from_codes(step, [name for name, _, _ in windows]),
            "lane": pd.Categorical.from_codes(lane[of], LANES),
            "name": pd.Categorical.from_codes(
                np.where(name[of] >= 0, name[of], named_by_row), list(walk.names)
            ),
            "event": pd.Series(ids_of(trace, row), dtype="Int64").mask(row < 0),
            "start_us": start / 1000,
            "dur_us": (end - start) / 1000,
            "share": (end - start) / np.array([high - low for _, low, high in windows], np.int64)[step],
        }
    )


def _windows(trace: Trace) -> list[tuple[str, int, int]]:
    rows = steps(trace).tolist()
    if rows:
        titles = unique([trace.name_of(row) for row in rows])  # a second recording may count from 1 again
        return [
            (title, int(trace.start[row]), int(trace.end[row]))
            for title, row in zip(titles, rows, strict=True)
        ]
    low, high = window(trace)
    return [("whole trace", low, high)] if high > low else []


class _Walk:
    """Columns as lists, because the path is followed one event at a time."""

    def __init__(self, trace: Trace, found: Submissions) -> None:
        self.found = found
        executing = np.flatnonzero(found.executes)
        order = executing[np.argsort(found.end[executing], kind="stable")]
        self.execution, self.execution_end = order.tolist(), found.end[order].tolist()
        self.begin, self.end = found.begin.tolist(), found.end.tolist()
        self.before = _before_on_core(trace, found)
        has_runtime = found.runtime >= 0
        self.runtime = found.runtime.tolist()
        self.runtime_start = np.where(has_runtime, trace.start[found.runtime], -1).tolist()
        self.runtime_end = np.where(has_runtime, trace.end[found.runtime], -1).tolist()
        self.runtime_before = _before_in_runtime(trace, found)
        self.is_copy = found.is_copy.tolist()
        on_host = trace.lane[found.root] == Lane.DISPATCH
        self.handed = np.where(on_host, trace.end[found.root], trace.start[found.root]).tolist()
        self.hardware = _first_rows(trace, found)
        names = dict.fromkeys([*trace.strings, *WAITS])
        self.names = {name: number for number, name in enumerate(names)}
        operator = trace.name[found.operator] if len(trace) else found.operator
        self.operator = np.where(found.operator >= 0, operator, -1).tolist()
        self._host(trace, found)

    def _host(self, trace: Trace, found: Submissions) -> None:
        """Where the host blocks, and its outermost operators, on the thread that submits most."""
        roots = found.root[trace.lane[found.root] == Lane.DISPATCH]
        tracks = trace.track[roots if len(roots) else trace.operators()]
        thread = int(np.bincount(tracks).argmax()) if len(tracks) else -1
        reads = named(trace, *READS)[found.runtime] & (found.runtime >= 0)
        readers = found.operator[reads & (found.operator >= 0)]
        waits = np.flatnonzero(named(trace, *SYNCHRONIZE) & (trace.lane == Lane.DISPATCH))
        blockers = np.unique(np.concatenate([waits, readers]))
        blockers = blockers[np.argsort(trace.start[blockers], kind="stable")]
        self.blocker, self.blocks_copy = blockers.tolist(), np.isin(blockers, readers).tolist()
        self.blocker_start, self.blocker_end = trace.start[blockers].tolist(), trace.end[blockers].tolist()
        operators = trace.operators()
        operators = operators[trace.track[operators] == thread]
        is_operator = np.zeros(len(trace) + 1, bool)
        is_operator[operators] = True
        outermost = operators[~is_operator[trace.parent[operators]]]
        outermost = outermost[np.argsort(trace.start[outermost], kind="stable")]
        start = trace.start[outermost]
        # where two overlap without nesting, the one that began later holds the path
        end = np.minimum(trace.end[outermost], np.append(start[1:], np.iinfo(np.int64).max)[: len(start)])
        self.outermost = outermost[end > start]
        self.outermost_start, self.outermost_end = start[end > start], end[end > start]

    def path(self, low: int, high: int) -> list[Segment]:
        """Segments from ``low`` to ``high`` in order of time."""
        self.low, self.moment = low, high
        self.segments: list[Segment] = []
        self.seen: set[int] = set()
        execution: int | None = None
        while self.moment > low:
            execution = self._back_on_host() if execution is None else self._back_on_device(execution)
        return self.segments[::-1]

    def _add(self, lane: str, row: int, start: int, name: int = -1) -> None:
        """A segment from ``start`` to where the path has come; what lies before the step is cut off."""
        start = max(start, self.low)
        if start < self.moment:
            self.segments.append(Segment(LANES.index(lane), row, start, self.moment, name))
            self.moment = start

    def _wait(self, what: str, start: int) -> None:
        self._add("stream", -1, start, self.names[what])

    def _back_on_host(self) -> int | None:
        """Back to the last moment at which the host waited; the submission it waited for, if any."""
        at = bisect_left(self.blocker_start, self.moment) - 1
        if at < 0:
            self._add("host", HOST, self.low)
            return None
        self._add("host", HOST, self.blocker_end[at])
        last = bisect_right(self.execution_end, self.moment) - 1
        awaited = self.execution[last] if last >= 0 else -1
        if awaited < 0 or awaited in self.seen or self.end[awaited] <= self.blocker_start[at]:
            self._add("host", self.blocker[at], self.blocker_start[at])
            return None
        self._add("copy" if self.blocks_copy[at] else "runtime", self.blocker[at], self.end[awaited])
        return awaited

    def cut_at_operators(self, rows: Rows, start: Rows, end: Rows) -> tuple[Rows, Rows, Rows, Rows]:
        """Spans of the host as its outermost operators and what lies between them; the rest as it is.

        Returns for every piece the segment that it comes from, its row, its start and its end.
        """
        first, last = self.outermost_start, self.outermost_end
        host = np.flatnonzero(rows == HOST)
        low = np.searchsorted(last, start[host], "right")
        inside = np.maximum(np.searchsorted(first, end[host], "left") - low, 0)
        of = np.repeat(host, inside)
        operator = np.arange(len(of)) + np.repeat(low - np.cumsum(inside) + inside, inside)
        begin, finish = np.maximum(first[operator], start[of]), np.minimum(last[operator], end[of])
        is_last = np.append(of[1:] != of[:-1], True)[: len(of)]
        until = np.where(is_last, end[of], np.append(begin[1:], 0)[: len(of)])
        # before the first operator, or all of a span without one
        before = end[host].copy()
        before[inside > 0] = begin[np.append(True, of[1:] != of[:-1])[: len(of)]]
        others = np.flatnonzero(rows != HOST)
        none = np.full(len(rows), -1)
        pieces = (
            np.concatenate([others, of, of, host]),
            np.concatenate([rows[others], self.outermost[operator], none[of], none[host]]),
            np.concatenate([start[others], begin, finish, start[host]]),
            np.concatenate([end[others], finish, until, before]),
        )
        order = np.lexsort((pieces[2], pieces[0]))
        order = order[pieces[3][order] > pieces[2][order]]
        of, row, start, end = (column[order] for column in pieces)
        return of, row, start, end

    def _back_on_device(self, execution: int) -> int | None:
        """From an execution to the one before it on its core, or to the host that submitted it."""
        self.seen.add(execution)
        self._add("hardware", self.hardware[execution], self.begin[execution], self.operator[execution])
        before, ready = self.before[execution], self.handed[execution]
        if self.runtime[execution] >= 0:
            ready = self.runtime_end[execution]
        if before >= 0 and before not in self.seen and self.end[before] >= min(ready, self.moment):
            self._wait(BETWEEN_EXECUTIONS, self.end[before])
            return before
        self._back_in_runtime(execution)
        return None

    def _back_in_runtime(self, submission: int) -> None:
        while self.runtime[submission] >= 0:
            self._wait(TO_HARDWARE, self.runtime_end[submission])
            lane = "copy" if self.is_copy[submission] else "runtime"
            self._add(lane, self.runtime[submission], self.runtime_start[submission])
            before = self.runtime_before[submission]
            if before < 0 or self.runtime_end[before] <= min(self.handed[submission], self.moment):
                break
            submission = before
        self._wait(TO_RUNTIME, self.handed[submission])


def _first_rows(trace: Trace, found: Submissions) -> list[int]:
    rows = np.full(len(found), -1, np.int64)
    order = np.lexsort((found.rows, trace.start[found.rows]))[::-1]
    rows[found.of[order]] = found.rows[order]
    return rows.tolist()


def _before_on_core(trace: Trace, found: Submissions) -> list[int]:
    """The submission that ran last before each one on any of its physical cores, -1 for none."""
    order = np.lexsort((trace.start[found.rows], trace.track[found.rows]))
    rows, of = found.rows[order], found.of[order]
    same = np.append(False, trace.track[rows[1:]] == trace.track[rows[:-1]])[: len(rows)]
    before = np.where(same, np.append(-1, of[:-1])[: len(rows)], -1)
    result = np.full(len(found), -1, np.int64)
    by_end = np.argsort(np.where(before >= 0, found.end[before], -1), kind="stable") if len(rows) else before
    known = by_end[before[by_end] >= 0]
    result[of[known]] = before[known]
    result[result == np.arange(len(found))] = -1
    return result.tolist()


def _before_in_runtime(trace: Trace, found: Submissions) -> list[int]:
    """The submission whose call the runtime served before, on the same track, -1 for none."""
    result = np.full(len(found), -1, np.int64)
    known = np.flatnonzero(found.runtime >= 0)
    rows: Rows = found.runtime[known]
    order = np.lexsort((trace.start[rows], trace.track[rows]))
    track = trace.track[rows[order]]
    same = track[1:] == track[:-1]
    result[known[order[1:][same]]] = known[order[:-1][same]]
    return result.tolist()
