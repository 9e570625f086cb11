"""Submissions: everything that was handed to the device, and its way through the lanes, as columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..trace import OWNER_RULES, Lane, Trace
from .memo import once_per_trace
from .ownership import Mask, Rows, device_work, named, of_category, ownership

#: Runtime rows that carry a tensor to the device, from it, or within it.
WRITES = ("nrta_tensor_write", "nrt_tensor_write", "dmem_buf_copyin")
READS = ("nrta_tensor_read", "nrt_tensor_read", "dmem_buf_copyout")
COPIES = (*WRITES, *READS, "nrta_tensor_copy", "cudaMemcpy", "cudaMemcpyAsync", "cudaMemset")
DEVICE_COPIES = ("gpu_memcpy", "gpu_memset")


@dataclass(frozen=True)
class Submissions:
    """Columns of length s, one entry per submission in order of its first row; rows are -1 for none.

    ``root``: its first row; ``operator``: who owns it; ``runtime``, ``stream``: its first row in that lane;
    ``begin``, ``end`` (ns): its execution, over all physical cores, where ``executes``; ``is_copy``: it
    moves data and computes nothing. ``rows`` are the hardware rows of all and ``of`` the submission of each.
    """

    root: Rows
    operator: Rows
    runtime: Rows
    stream: Rows
    begin: Rows
    end: Rows
    executes: Mask
    is_copy: Mask
    rows: Rows
    of: Rows

    def __len__(self) -> int:
        return len(self.root)


@once_per_trace
def submissions(trace: Trace) -> Submissions:
    """Each first row that leads on through the lanes, and each execution that nothing leads to."""
    owned = ownership(trace)
    flow = ~np.isin(trace.links.rule, [int(rule) for rule in OWNER_RULES])
    work = device_work(trace)
    members = _rows(len(trace), trace.links.sources[flow], trace.links.targets[flow], work)
    roots = _rows(len(trace), owned.root[members])
    roots = roots[np.lexsort((roots, trace.start[roots]))]
    index = np.full(len(trace), -1, np.int64)
    index[roots] = np.arange(len(roots))
    of = index[owned.root]  # -1 for rows of no submission

    begin = np.full(len(roots), np.iinfo(np.int64).max)
    end = np.full(len(roots), np.iinfo(np.int64).min)
    np.minimum.at(begin, of[work], trace.start[work])
    np.maximum.at(end, of[work], trace.end[work])
    runtime = _first(trace, members[trace.lane[members] == Lane.RUNTIME], of, len(roots))
    executes = end >= begin
    copies = _count(of, work[of_category(trace, *DEVICE_COPIES)[work]], len(roots))
    computes = _count(of, work, len(roots)) > copies
    hands_over_copy = (runtime >= 0) & named(trace, *COPIES)[runtime] if len(trace) else executes
    return Submissions(
        root=roots,
        operator=owned.operator[roots],
        runtime=runtime,
        stream=_first(trace, members[trace.lane[members] == Lane.STREAM], of, len(roots)),
        begin=np.where(executes, begin, 0),
        end=np.where(executes, end, 0),
        executes=executes,
        is_copy=~computes & ((copies > 0) | hands_over_copy),
        rows=work,
        of=of[work],
    )


def _rows(count: int, *rows: NDArray[Any]) -> Rows:
    """All of these rows, ascending, each once: marked, which is much faster than sorted."""
    marked = np.zeros(count, bool)
    for some in rows:
        marked[some] = True
    return np.flatnonzero(marked)


def _first(trace: Trace, rows: Rows, of: Rows, count: int) -> Rows:
    """The row of each submission that starts first."""
    found = np.full(count, -1, np.int64)
    rows = rows[np.lexsort((rows, trace.start[rows]))[::-1]]
    found[of[rows]] = rows
    return found


def _count(of: Rows, rows: Rows, count: int) -> Rows:
    return np.bincount(of[rows], minlength=count)
