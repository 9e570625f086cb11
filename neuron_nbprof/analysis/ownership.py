"""Who caused what: the submission and the operator that every row belongs to."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..trace import OWNER_RULES, Lane, Trace
from ..trace.categories import NOT_WORK, NOT_WORK_CATEGORIES

Rows = NDArray[np.int64]


@dataclass(frozen=True)
class Ownership:
    """``root`` [n]: the first row of a row's submission (itself if it follows none). ``operator`` [n]: the
    operator row that owns that submission, -1 where none is known."""

    root: Rows
    operator: Rows


def ownership(trace: Trace) -> Ownership:
    """Follow the links of every row upwards at once."""
    links = trace.links
    sources, targets = links.sources.astype(np.int64), links.targets.astype(np.int64)
    owns = np.isin(links.rule, [int(rule) for rule in OWNER_RULES])
    flow_parent = _first_source(len(trace), sources[~owns], targets[~owns])
    owner = _first_source(len(trace), sources[owns], targets[owns])
    root = np.arange(len(trace))
    while True:
        above = flow_parent[root]
        if (above < 0).all():
            break
        root = np.where(above >= 0, above, root)
    operator = owner[root]
    itself = (operator < 0) & (trace.lane[root] == Lane.DISPATCH)
    return Ownership(root, np.where(itself, root, operator))


def _first_source(rows: int, sources: Rows, targets: Rows) -> Rows:
    found = np.full(rows, -1, np.int64)
    found[targets[::-1]] = sources[::-1]
    return found


def device_work(trace: Trace) -> Rows:
    """Hardware rows that are executions: no marks, barriers, waits or annotations."""
    rows = np.flatnonzero(trace.lane == Lane.HARDWARE)
    idle_name = np.array([text in NOT_WORK for text in trace.strings], bool)
    idle_category = np.array([text in NOT_WORK_CATEGORIES for text in trace.strings], bool)
    return rows[~idle_name[trace.name[rows]] & ~idle_category[trace.category[rows]]]


def union_by_group(group: Rows, start: Rows, end: Rows) -> dict[int, int]:
    """Length (ns) of the union of the intervals of each group: what runs twice at once counts once."""
    total: dict[int, int] = {}
    order = np.lexsort((start, group))
    reached: dict[int, int] = {}
    for g, begin, finish in zip(
        group[order].tolist(), start[order].tolist(), end[order].tolist(), strict=True
    ):
        begin = max(begin, reached.get(g, begin))
        if finish > begin:
            total[g] = total.get(g, 0) + finish - begin
        reached[g] = max(finish, reached.get(g, finish))
    return total
