"""Which operators a compiled region holds, where the capture knows them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..trace import Trace
from ..trace.categories import COMPILED_REGION
from .memo import once_per_trace
from .ownership import ownership, starts_with

#: Argument of a graph's dispatch row: names of its operators, in the order of the graph.
KEY = "graph_operators"
#: Regions looked at, in order of start.
MOST = 10_000


@dataclass(frozen=True)
class Held:
    """``operators``: names with how often each, in order of first appearance.

    ``row`` is the graph's dispatch row, whose arguments list them (``recorded``), or a region within which
    they were called one by one.
    """

    row: int
    operators: tuple[tuple[str, int], ...]
    recorded: bool


@once_per_trace
def graphs(trace: Trace) -> list[Held]:
    """What each compiled graph holds, and what each region calls besides."""
    regions = starts_with(trace, COMPILED_REGION)
    if not regions.any():
        return []
    around = np.where(regions, np.arange(len(trace)), _innermost_above(trace, regions))
    owned = ownership(trace)
    roots = np.unique(owned.root)
    roots = roots[(owned.operator[roots] >= 0) & (around[owned.operator[roots]] >= 0)][:MOST]
    recorded = [Held(row, names, True) for row in roots.tolist() if (names := _listed(trace, row))]
    return recorded + _called(trace, np.flatnonzero(regions)[:MOST], around)


def _innermost_above(trace: Trace, wanted: NDArray[np.bool_]) -> NDArray[np.int64]:
    """For each row [n] the innermost of the ``wanted`` rows that it lies in, -1 for none."""
    up = trace.parent.astype(np.int64)
    while True:
        climbing = np.flatnonzero((up >= 0) & ~wanted[up])
        if not len(climbing):
            return up
        up[climbing] = trace.parent[up[climbing]]


def _listed(trace: Trace, row: int) -> tuple[tuple[str, int], ...]:
    names = trace.args(row).get(KEY)
    if not isinstance(names, list):
        return ()
    return tuple(Counter(name for name in names if isinstance(name, str)).items())


def _called(trace: Trace, regions: NDArray[np.int64], around: NDArray[np.int64]) -> list[Held]:
    """Operators that run within a region; what these call in turn is their own affair."""
    operator = np.zeros(len(trace), bool)
    operator[trace.operators()] = True
    named = np.array(["::" in text for text in trace.strings], bool)
    operator &= named[trace.name]
    within = _innermost_above(trace, operator) >= 0
    outer = np.flatnonzero(operator & ~within & np.isin(around, regions))
    outer = outer[np.lexsort((trace.start[outer], around[outer]))]
    found: dict[int, Counter[str]] = {}
    for row in outer.tolist():
        found.setdefault(int(around[row]), Counter())[trace.name_of(row)] += 1
    return [Held(region, tuple(counts.items()), False) for region, counts in found.items()]
