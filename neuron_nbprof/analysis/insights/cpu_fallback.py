from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...trace.categories import LINE_PREFIX
from ..calls import COPY_OPERATORS
from ..ownership import of_category, starts_with
from ..submissions import READS, WRITES
from .rule import Finding, Rule
from .view import View
from .words import count, time


def find(view: View) -> Iterator[Finding]:
    trace, found = view.trace, view.found
    known = np.flatnonzero((found.operator >= 0) & (found.runtime >= 0))
    if not len(known):
        return
    # an annotation, also that of a line, spans what somebody wrote and is no operator
    spans = of_category(trace, "user_annotation") | starts_with(trace, LINE_PREFIX)
    parent = np.where((trace.parent >= 0) & ~spans[trace.parent], trace.parent, -1)
    outermost = found.operator[known]
    while True:
        above = parent[outermost]
        if (above < 0).all():
            break
        outermost = np.where(above >= 0, above, outermost)
    runtime = found.runtime[known]
    size = len(trace)
    reads = np.bincount(outermost[view.named(*READS)[runtime]], minlength=size)
    writes = np.bincount(outermost[view.named(*WRITES)[runtime]], minlength=size)
    executes = np.bincount(outermost[found.executes[known]], minlength=size)
    rows = np.flatnonzero((reads > 0) & (writes > 0) & (executes == 0) & ~view.named(*COPY_OPERATORS))
    rows = rows[~spans[rows]]
    if not len(rows):
        return
    names = sorted(set(view.names(rows)))
    spent = int(trace.dur[rows].sum())
    yield Finding(
        f"{', '.join(names)} ran on the host: {count(len(rows), 'call')} copied tensors from the device "
        f"and back and executed nothing on it, {time(spent)} on the host.",
        view.in_order(rows),
        saving_us=spent / 1000,
    )


RULE = Rule(
    "cpu-fallback",
    "warning",
    "an operator that the device does not know runs on the host, with copies around it",
    "torch_neuronx.get_fallback_ops() lists them; replace the operator, or compile the function around it.",
    find,
)
