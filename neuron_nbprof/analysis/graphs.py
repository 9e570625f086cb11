"""Which operators a compiled region holds, where the capture knows them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..trace import Trace
from .memo import once_per_trace
from .ownership import ownership, starts_with

#: How PyTorch calls what `torch.compile` made of a piece of code.
REGION = "Torch-Compiled Region"
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
    regions = np.flatnonzero(starts_with(trace, REGION))
    if not len(regions):
        return []
    around = _region_around(trace, regions)
    owned = ownership(trace)
    roots = np.unique(owned.root)
    roots = roots[(owned.operator[roots] >= 0) & (around[owned.operator[roots]] >= 0)][:MOST]
    recorded = [Held(row, names, True) for row in roots.tolist() if (names := _listed(trace, row))]
    return recorded + _called(trace, regions[:MOST], around)


def _region_around(trace: Trace, regions: NDArray[np.int64]) -> NDArray[np.int64]:
    """For each row the innermost region that it is or lies in, -1 for none."""
    found = np.full(len(trace), -1, np.int64)
    found[regions] = regions
    up = trace.parent.copy()
    while True:
        open_rows = np.flatnonzero((found < 0) & (up >= 0))
        if not len(open_rows):
            return found
        found[open_rows] = found[up[open_rows]]
        up[open_rows] = trace.parent[up[open_rows]]


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
    parent = trace.parent
    within = np.zeros(len(trace), bool)
    up = parent.copy()
    while (up >= 0).any():
        within |= (up >= 0) & operator[up]
        up = np.where(up >= 0, parent[up], -1)
    outer = np.flatnonzero(operator & ~within & np.isin(around, regions))
    outer = outer[np.lexsort((trace.start[outer], around[outer]))]
    found: dict[int, Counter[str]] = {}
    for row in outer.tolist():
        found.setdefault(int(around[row]), Counter())[trace.name_of(row)] += 1
    return [Held(region, tuple(counts.items()), False) for region, counts in found.items()]
