from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from .rule import Finding, Rule
from .view import View
from .words import count, time


def find(view: View) -> Iterator[Finding]:
    trace = view.trace
    rows = np.flatnonzero(view.named("nc_model_switch"))
    executions = int(view.found.executes.sum())
    if not len(rows):
        return
    per_core = np.bincount(trace.track[rows])
    switches = int(per_core.max())
    if 2 * switches < executions:
        return
    busiest = rows[trace.track[rows] == per_core.argmax()]
    spent = int(trace.dur[busiest].sum())
    programs = len(np.unique(view.programs[view.programs >= 0]))
    yield Finding(
        f"{count(executions, 'execution')} of {count(programs, 'program')} made the core change its program "
        f"{switches:,} times, {time(spent)}.",
        view.in_order(busiest),
        saving_us=spent / 1000,
    )


RULE = Rule(
    "program-switching",
    "warning",
    "the core changes from one program (NEFF) to another nearly as often as it executes",
    "Compile what follows one another into one program, and run what uses the same program together.",
    find,
)
