"""Depth rows: overlapping events of one track get rows of their own, so that none covers another."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Int64 = NDArray[np.int64]


def stack(start: Int64, end: Int64) -> tuple[Int64, Int64]:
    """Depth and enclosing event of every event of one track.

    ``start`` and ``end`` [n] are in ns, sorted by start with the longer event first. An event lies one row
    below the deepest event still running when it begins, so a row never holds two events at once even when
    they overlap without nesting. Returns ``depth`` [n] and ``parent`` [n]: the position of the innermost
    event that contains this one entirely, -1 for none.
    """
    if (start[1:] >= end[:-1]).all():
        return np.zeros(len(start), np.int64), np.full(len(start), -1, np.int64)
    nested = _nested(start, end)
    return nested if nested is not None else _overlapping(start, end)


def _nested(start: Int64, end: Int64) -> tuple[Int64, Int64] | None:
    """The answer for events that nest properly, by counting what is still running; None where they do not."""
    places = np.arange(len(start))
    ended = np.searchsorted(np.sort(end), start, side="right")
    # events without length have ended by their own start: those from this one on have not begun yet
    empty = np.cumsum(end == start)
    last = np.searchsorted(start, start, side="right") - 1
    ahead = empty[last] - empty + (end == start)
    depth = places - (ended - ahead)
    if (depth < 0).any():
        return None
    # the parent is the last event before this one that lies one row above: one search over (depth, place)
    by_depth = np.sort(depth * len(start) + places)
    before = np.searchsorted(by_depth, (depth - 1) * len(start) + places) - 1
    parent = np.where(depth > 0, by_depth[before] % len(start), -1)
    inner = parent >= 0
    proper = (end[parent[inner]] >= end[inner]).all() and _rows_are_free(start, end, depth)
    return (depth, parent) if proper else None


def _rows_are_free(start: Int64, end: Int64, depth: Int64) -> bool:
    order = np.lexsort((start, depth))
    same = depth[order][1:] == depth[order][:-1]
    return bool((start[order][1:] >= end[order][:-1])[same].all())


def _overlapping(start: Int64, end: Int64) -> tuple[Int64, Int64]:
    """The answer for any events, one after the other."""
    depth, parent = [0] * len(start), [-1] * len(start)
    ends = end.tolist()
    running: list[int] = []
    for i, begin in enumerate(start.tolist()):
        while running and ends[running[-1]] <= begin:
            running.pop()
        depth[i] = len(running)
        for candidate in reversed(running):
            if ends[candidate] >= ends[i]:
                parent[i] = candidate
                break
        running.append(i)
    return np.array(depth, np.int64), np.array(parent, np.int64)
