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


def step_of(trace: Trace, moments: Rows) -> tuple[Rows, int]:
    """The number of the step in which each moment (ns) lies, -1 outside, and how many steps there are.

    Without steps everything lies in one.
    """
    rows = steps(trace)
    if not len(rows):
        return np.zeros(len(moments), np.int64), 1
    at = np.searchsorted(trace.start[rows], moments, "right") - 1
    within = (at >= 0) & (moments <= trace.end[rows][np.maximum(at, 0)])
    return np.where(within, at, -1), len(rows)
