from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..steps import step_of
from .rule import Finding, Rule
from .view import View
from .words import time


def find(view: View) -> Iterator[Finding]:
    trace, rows = view.trace, view.waits
    roots = view.found.root[~view.found.is_copy]
    given, _ = step_of(trace, trace.start[roots])
    step, steps = step_of(trace, trace.start[rows])
    last = np.full(steps, -1, np.int64)
    np.maximum.at(last, given[given >= 0], trace.start[roots[given >= 0]])
    early = rows[(step >= 0) & (trace.end[rows] <= last[step])]
    if len(early) < 2:
        return
    idle = view.gaps
    after = idle[idle["cause"].isin(("synchronise", "host not ready"))]
    starts = after["start_us"].to_numpy() * 1000
    ends = starts + after["dur_us"].to_numpy() * 1000
    cores = max(idle["core"].nunique(), 1)
    lost = sum(
        float((ends - starts)[(starts <= end) & (ends >= end)].sum()) for end in trace.end[early].tolist()
    )
    names = ", ".join(sorted(set(view.names(early))))
    yield Finding(
        f"The host waits for the device {len(early):,} times ({names}) before the last work of the step; the "
        f"device then waits for the host, {time(lost / cores)} in all.",
        early,
        saving_us=lost / cores / 1000,
    )


RULE = Rule(
    "synchronise-in-loop",
    "warning",
    "the host waits for the device in the middle of a step",
    "Synchronise once, at the end of the step; read losses and metrics (.item(), print) every n steps.",
    find,
)
