"""Intervals of time, whole columns at once: merged, measured, cut out. Times are int64 and stay exact."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Int64 = NDArray[np.int64]


def merge(group: Int64, start: Int64, end: Int64) -> tuple[Int64, Int64, Int64]:
    """The union of the intervals of each group as (group, start, end), disjoint and ascending."""
    import pandas as pd

    order = np.lexsort((start, group))
    group, start, end = group[order], start[order], end[order]
    if not len(order):
        return group, start, end
    one = group[0] == group[-1]
    reached = np.maximum.accumulate(end) if one else pd.Series(end).groupby(group).cummax().to_numpy()
    opens = np.ones(len(order), bool)
    opens[1:] = (group[1:] != group[:-1]) | (start[1:] > reached[:-1])
    first = np.flatnonzero(opens)
    return group[first], start[first], np.maximum.reduceat(end, first)


def union_by_group(group: Int64, start: Int64, end: Int64, groups: int) -> Int64:
    """Length of the union of each group's intervals: what runs twice at once counts once."""
    total = np.zeros(groups, np.int64)
    group, start, end = merge(group, start, end)
    np.add.at(total, group, np.maximum(end - start, 0))
    return total


def union(start: Int64, end: Int64) -> tuple[Int64, Int64]:
    """The union of intervals as (start, end), disjoint and ascending, without empty ones."""
    _, start, end = merge(np.zeros(len(start), np.int64), start, end)
    return start[end > start], end[end > start]


def complement(start: Int64, end: Int64, low: int, high: int) -> tuple[Int64, Int64]:
    """What disjoint ascending intervals leave of ``low`` to ``high``, as (start, end) without empty ones."""
    begin = np.concatenate([[low], np.clip(end, low, high)])
    finish = np.concatenate([np.clip(start, low, high), [high]])
    return begin[finish > begin], finish[finish > begin]


def inside(moment: Int64, start: Int64, end: Int64) -> NDArray[np.bool_]:
    """Whether each moment lies in one of the disjoint ascending intervals (start included, end not)."""
    if not len(start):
        return np.zeros(len(moment), bool)
    at = np.searchsorted(start, moment, "right") - 1
    return (at >= 0) & (moment < end[np.maximum(at, 0)])
