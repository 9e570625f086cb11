from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..intervals import union
from ..ownership import of_category
from .rule import Finding, Rule
from .view import View
from .words import time

#: Less of the window than this is not worth a word.
SHARE = 0.01


def find(view: View) -> Iterator[Finding]:
    trace, (low, high) = view.trace, view.window
    rows = np.flatnonzero(of_category(trace, "overhead", "Overhead"))
    start, end = union(np.clip(trace.start[rows], low, high), np.clip(trace.end[rows], low, high))
    spent = int((end - start).sum())
    if not spent or spent < SHARE * (high - low):
        return
    yield Finding(
        f"The profiler itself took {time(spent)} of the window of {time(high - low)} "
        f"({spent / (high - low):.0%}): gaps there are not the model's.",
        view.in_order(rows),
    )


RULE = Rule(
    "profiler-overhead",
    "warning",
    "the profiler's own work inside the recorded window",
    "Record more warm-up steps, and leave out with_stack, profile_memory and record_shapes where they are "
    "not needed.",
    find,
)
