"""The headline of a profile: how much ran where."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..trace import Lane, Trace
from .calls import SYNCHRONIZE, host_time
from .intervals import union_by_group
from .ownership import device_work, named, ownership
from .submissions import submissions


def summary(trace: Trace) -> dict[str, Any]:
    """Headline numbers, times as integers of ns.

    ``device_ns``: union of all executions on all cores; ``busy_share``: that union over the time from the
    first execution's start to the last one's end (0..1, None without executions); ``host_ns``: host time of
    the operators that executed on the device, one inside another counted once; ``copy_ns``: host time that
    other operators spend in copies to and from a device, waiting included; ``synchronize_ns``: host time in
    synchronise calls; ``executions``: submissions that reached the hardware; ``events``: rows of the trace.
    """
    work = device_work(trace)
    owned = ownership(trace)
    device = int(union_by_group(np.zeros(len(work), np.int64), trace.start[work], trace.end[work], 1)[0])
    span = int(trace.end[work].max() - trace.start[work].min()) if len(work) else 0
    operators, roots = np.zeros((2, len(trace)), bool)
    operators[owned.operator[work][owned.operator[work] >= 0]] = True
    roots[owned.root[work]] = True
    host = host_time(trace, np.flatnonzero(operators))
    submitted = submissions(trace)
    copies = submitted.operator[submitted.is_copy]
    operators[copies[copies >= 0]] = True
    return {
        "device_ns": device,
        "busy_share": device / span if span else None,
        "host_ns": host,
        "copy_ns": host_time(trace, np.flatnonzero(operators)) - host,
        "synchronize_ns": int(trace.dur[named(trace, *SYNCHRONIZE)].sum()),
        "executions": int(roots.sum()),
        "events": len(trace),
        "rows_per_lane": {lane.title: int((trace.lane == lane).sum()) for lane in Lane},
    }
