"""From a reader's rows to a Trace: tracks in display order, depth rows, links."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from .categories import NEURON_DISPATCH, OPERATORS, SPAN_PREFIXES
from .lanes import Lane, Track
from .layout import stack
from .linking import Linker
from .links import Edges, LinkRule, Links
from .rows import Int64, Interner, KnownLinks, Rows
from .trace import Trace

#: Among events with the same interval the operator lies outside its dispatch row.
_OUTER_FIRST = {"user_annotation": 0, "python_function": 1, "cpu_op": 2, NEURON_DISPATCH: 4}
_OUTER_DEFAULT = 3


def assemble(rows: Rows, *, title: str, source: str, simulated: bool = False, device: str = "") -> Trace:
    """Lay out and link what a reader found. Exact: every time stays an integer of ns.

    ``rows`` are used up: their columns are brought into the order of the Trace where they stand.
    """
    tracks, rows.track = _in_display_order(rows)
    origin = _origin(rows)
    rows.start = rows.start - origin
    file_row, depth, parent = _layout(rows)
    rows.reorder(file_row)
    lane = _pick(np.array([t.lane for t in tracks], np.int64), rows.track)
    if rows.links is None:
        linker = _linker(rows, tracks, lane, parent)
        edges = linker.run(rows.arrows)
        rows.notes.extend(linker.notes())
    else:
        edges = _known(rows.links)
    return Trace(
        origin_ns=origin,
        tracks=tracks,
        strings=rows.strings,
        start=rows.start,
        dur=rows.dur,
        id=file_row,
        lane=lane.astype(np.uint8),
        track=rows.track.astype(np.int32),
        name=rows.name.astype(np.int32),
        category=rows.category.astype(np.int32),
        depth=depth.astype(np.uint16),
        parent=parent,
        links=Links.from_edges(len(file_row), edges),
        arguments=rows.args,
        counters=[counter.moved(-origin) for counter in rows.counters],
        notes=rows.notes,
        attributes=rows.attributes,
        simulated=simulated,
        device=device,
        title=title,
        source=source,
    )


def _origin(rows: Rows) -> int:
    """Unix ns of the first event; where there is none, of the first sample."""
    if len(rows):
        return int(rows.start.min())
    return min((int(counter.time[0]) for counter in rows.counters if len(counter)), default=0)


def _linker(rows: Rows, tracks: list[Track], lane: Int64, parent: Int64) -> Linker:
    return Linker(
        strings=rows.strings,
        name=rows.name,
        category=rows.category,
        lane=lane,
        thread=_pick(_threads(tracks), rows.track),
        core=_pick(_cores(tracks), rows.track),
        track=rows.track,
        start=rows.start,
        end=rows.start + rows.dur,
        parent=parent,
        is_operator=_is_operator(rows),
        scope=rows.scope,
        external=rows.external,
        correlation=rows.correlation,
        sequence=rows.sequence,
        execution=rows.execution,
    )


def _known(links: KnownLinks) -> list[Edges]:
    """Links that a file tells, by rule."""
    found = []
    for number in np.unique(links.rule).tolist():
        own = links.rule == number
        found.append((links.source[own], links.target[own], LinkRule(number), links.key[own]))
    return found


def _layout(rows: Rows) -> tuple[Int64, Int64, Int64]:
    """The order of the Trace as rows of the file, and in that order each row's depth and its operator."""
    outer = np.array([_OUTER_FIRST.get(text, _OUTER_DEFAULT) for text in rows.strings], np.int64)
    by_start = np.lexsort((_pick(outer, rows.category), -rows.dur, rows.start, rows.track))
    track, start = rows.track[by_start], rows.start[by_start]
    depth, around = _stack_tracks(track, start, rows.dur[by_start])
    around = _operator_parent(around, _is_operator(rows)[by_start])
    order = np.lexsort((start, depth, track))
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    parent = np.where(around >= 0, rank[around], -1)
    return by_start[order], depth[order], parent[order]


def _in_display_order(rows: Rows) -> tuple[list[Track], Int64]:
    """The tracks that hold events, sorted for display, and the track of every row."""
    used = np.unique(rows.track).tolist()
    order = sorted(used, key=lambda number: rows.tracks[number].order)
    place = np.zeros(len(rows.tracks), np.int64)
    place[order] = np.arange(len(order))
    return [rows.tracks[number] for number in order], _pick(place, rows.track)


def _pick(values: Int64, rows: Int64) -> Int64:
    """``values[rows]``, also where there are neither."""
    return values[rows] if len(rows) else np.zeros(0, np.int64)


def _is_operator(rows: Rows) -> NDArray[np.bool_]:
    operator = np.array([text in OPERATORS for text in rows.strings], bool)
    span = np.array([text.startswith(SPAN_PREFIXES) for text in rows.strings], bool)
    return operator[rows.category] & ~span[rows.name] if len(rows) else np.zeros(0, bool)


def _threads(tracks: list[Track]) -> Int64:
    """Tracks of one host thread get one number; tracks that are not a host thread's get -1.

    A runtime track of another accelerator is its thread's too, so that launches find their operators.
    """
    threads = Interner()
    return np.array(
        [
            threads.number((t.process, t.unit)) if t.lane in (Lane.DISPATCH, Lane.RUNTIME) else -1
            for t in tracks
        ],
        np.int64,
    )


def _cores(tracks: list[Track]) -> Int64:
    """Runtime and hardware tracks of one logical Neuron core get one number, all others -1."""
    cores = Interner()
    neuron = [track.label.startswith("neuron_") for track in tracks]
    places = [(track.instance, track.process, track.unit.partition(":")[0]) for track in tracks]
    return np.array([cores.number(p) if own else -1 for p, own in zip(places, neuron, strict=True)], np.int64)


def _stack_tracks(track: Int64, start: Int64, dur: Int64) -> tuple[Int64, Int64]:
    """Depth and enclosing event for events sorted by (track, start)."""
    depth = np.zeros(len(track), np.int64)
    parent = np.full(len(track), -1, np.int64)
    bounds = [*np.flatnonzero(np.diff(track, prepend=-1)).tolist(), len(track)]
    for low, high in pairwise(bounds):
        rows, inside = stack(start[low:high], start[low:high] + dur[low:high])
        depth[low:high] = rows
        parent[low:high] = np.where(inside >= 0, inside + low, -1)
    return depth, parent


def _operator_parent(parent: Int64, is_operator: NDArray[np.bool_]) -> Int64:
    """For each event the nearest enclosing event that is an operator."""
    nearest = parent
    while True:
        other = (nearest >= 0) & ~is_operator[nearest]
        if not other.any():
            return nearest
        nearest = np.where(other, parent[nearest], nearest)
