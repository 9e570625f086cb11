"""The recorded steps of a profiler schedule, and the window that answers about idle time speak of."""

from __future__ import annotations

import numpy as np

from ..trace import Lane, Trace
from ..trace.categories import STEP_PREFIX
from .ownership import Rows, device_work, starts_with


def steps(trace: Trace) -> Rows:
    """The host's rows of the recorded steps, in order."""
    rows = np.flatnonzero(starts_with(trace, STEP_PREFIX) & (trace.lane == Lane.DISPATCH))
    return rows[np.argsort(trace.start[rows], kind="stable")]


def window(trace: Trace) -> tuple[int, int]:
    """From the first step's start to the last one's end, in ns, widened to hold every execution; without
    steps from the first event to the last."""
    spans = steps(trace)
    rows = np.concatenate([spans, device_work(trace)]) if len(spans) else np.arange(len(trace))
    if not len(rows):
        return 0, 0
    return int(trace.start[rows].min()), int(trace.end[rows].max())
