"""Every call of every operator: what it took on the host, on the device, and what kind of work it was."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..trace import Trace
from .intervals import union_by_group
from .memo import once_per_trace
from .ownership import Mask, Rows, named
from .submissions import submissions

if TYPE_CHECKING:
    import pandas as pd

SYNCHRONIZE = (
    "neuron::synchronize",
    "torch.neuron.synchronize",
    "cudaDeviceSynchronize",
    "cudaStreamSynchronize",
)
ALLOCATIONS = (
    "aten::empty",
    "aten::empty_strided",
    "aten::empty_like",
    "aten::new_empty",
    "aten::resize_",
    "aten::set_",
)
COPY_OPERATORS = ("aten::copy_", "aten::_to_copy", "aten::to", "aten::_copy_from", "aten::contiguous")
KINDS = ("compute", "copy", "allocation", "synchronise", "host")


@once_per_trace
def calls(trace: Trace) -> pd.DataFrame:
    """One row per operator call, in row order; times in ns.

    ``row``; ``name`` and ``kind``, categories: *compute* (it executed), *copy*, *allocation*,
    *synchronise* or *host*; ``cpu_ns``; ``self_cpu_ns``: without the operators inside it; ``neuron_ns``:
    what it launched itself, the union over physical cores; ``launches``: submissions; ``executions``:
    those that reached the hardware.
    """
    import pandas as pd

    submitted = submissions(trace)
    rows = np.union1d(trace.operators(), submitted.operator[submitted.operator >= 0]).astype(np.int64)
    place = np.full(len(trace) + 1, -1, np.int64)  # the last entry answers for row -1
    place[rows] = np.arange(len(rows))
    operator = place[submitted.operator]
    work = operator[submitted.of]
    known = work >= 0
    hardware = submitted.rows[known]
    inner = np.zeros(len(rows), np.int64)
    nested = rows[trace.parent[rows] >= 0]
    above = place[trace.parent[nested]]
    np.add.at(inner, above[above >= 0], trace.dur[nested[above >= 0]])
    computes = _count(operator, submitted.executes & ~submitted.is_copy, len(rows))
    return pd.DataFrame(
        {
            "row": rows,
            # numbers with a list of words: texts would cost more than all the rest
            "name": pd.Categorical.from_codes(trace.name[rows], trace.strings),
            "kind": pd.Categorical.from_codes(
                _kinds(trace, rows, computes, _count(operator, submitted.is_copy, len(rows))), KINDS
            ),
            "cpu_ns": trace.dur[rows],
            "self_cpu_ns": trace.dur[rows] - inner,
            "neuron_ns": union_by_group(work[known], trace.start[hardware], trace.end[hardware], len(rows)),
            "launches": _count(operator, np.ones(len(submitted), bool), len(rows)),
            "executions": _count(operator, submitted.executes, len(rows)),
        }
    )


def host_time(trace: Trace, rows: Rows) -> int:
    """How long the host was in these rows, in ns: what one of them does inside another counts once."""
    return int(
        union_by_group(
            trace.track[rows].astype(np.int64), trace.start[rows], trace.end[rows], len(trace.tracks)
        ).sum()
    )


def _count(operator: Rows, wanted: Mask, count: int) -> Rows:
    return np.bincount(operator[wanted & (operator >= 0)], minlength=count)


def _kinds(trace: Trace, rows: Rows, computes: Rows, copies: Rows) -> Rows:
    """Of each call the number of its kind in `KINDS`."""
    kind = np.full(len(rows), KINDS.index("host"))
    kind[named(trace, *ALLOCATIONS)[rows]] = KINDS.index("allocation")
    kind[named(trace, *COPY_OPERATORS)[rows] | (copies > 0)] = KINDS.index("copy")
    kind[named(trace, *SYNCHRONIZE)[rows]] = KINDS.index("synchronise")
    kind[computes > 0] = KINDS.index("compute")
    return kind
