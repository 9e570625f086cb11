"""Who caused what: the submission and the operator that every row belongs to."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..trace import OWNER_RULES, Lane, Trace
from ..trace.categories import NOT_WORK, NOT_WORK_CATEGORIES
from .memo import once_per_trace

Rows = NDArray[np.int64]
Mask = NDArray[np.bool_]
#: To compare a column with so many strings is faster than to look all of them up.
FEW = 16


@dataclass(frozen=True)
class Ownership:
    """``root`` [n]: the first row of a row's submission (itself if it follows none). ``operator`` [n]: the
    operator row that owns that submission, -1 where none is known."""

    root: Rows
    operator: Rows


@once_per_trace
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
    return rows[~named(trace, *NOT_WORK)[rows] & ~of_category(trace, *NOT_WORK_CATEGORIES)[rows]]


def named(trace: Trace, *names: str) -> Mask:
    """Of every row, whether its name is one of these."""
    return _by_string(trace, trace.name, [text in names for text in trace.strings])


def starts_with(trace: Trace, *prefixes: str) -> Mask:
    """Of every row, whether its name begins with one of these."""
    return _by_string(trace, trace.name, [text.startswith(prefixes) for text in trace.strings])


def matches(trace: Trace, pattern: re.Pattern[str]) -> Mask:
    """Of every row, whether the pattern is found in its name."""
    return _by_string(trace, trace.name, [pattern.search(text) is not None for text in trace.strings])


def of_category(trace: Trace, *names: str) -> Mask:
    """Of every row, whether its category is one of these."""
    return _by_string(trace, trace.category, [text in names for text in trace.strings])


def _by_string(trace: Trace, column: NDArray[np.int32], wanted: list[bool]) -> Mask:
    numbers = np.flatnonzero(wanted)
    if len(numbers) > FEW:
        return np.array(wanted, bool)[column]
    found = np.zeros(len(trace), bool)
    for number in numbers.tolist():
        found |= column == number
    return found


def names_of(trace: Trace, rows: Rows) -> NDArray[np.object_]:
    """The names of rows; None where a row is -1."""
    strings = np.array([*trace.strings, None], object)
    return strings[np.where(rows >= 0, trace.name[rows], -1)] if len(trace) else np.zeros(0, object)


def ids_of(trace: Trace, rows: Rows) -> Rows:
    """The ids of events by row; -1 where a row is -1."""
    return np.where(rows >= 0, trace.id[rows], -1) if len(trace) else np.zeros(0, np.int64)
