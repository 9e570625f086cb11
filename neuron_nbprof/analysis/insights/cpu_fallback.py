from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..calls import COPY_OPERATORS
from ..submissions import READS, WRITES
from .rule import Finding, Rule
from .view import View
from .words import count, time


def find(view: View) -> Iterator[Finding]:
    trace, found = view.trace, view.found
    known = np.flatnonzero((found.operator >= 0) & (found.runtime >= 0))
    if not len(known):
        return
    outermost = found.operator[known]
    while True:
        above = trace.parent[outermost]
        if (above < 0).all():
            break
        outermost = np.where(above >= 0, above, outermost)
    runtime = found.runtime[known]
    size = len(trace)
    reads = np.bincount(outermost[view.named(*READS)[runtime]], minlength=size)
    writes = np.bincount(outermost[view.named(*WRITES)[runtime]], minlength=size)
    executes = np.bincount(outermost[found.executes[known]], minlength=size)
    rows = np.flatnonzero((reads > 0) & (writes > 0) & (executes == 0) & ~view.named(*COPY_OPERATORS))
    rows = rows[trace.category[rows] != _annotation(view)]
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


def _annotation(view: View) -> int:
    strings = view.trace.strings
    return strings.index("user_annotation") if "user_annotation" in strings else -1


RULE = Rule(
    "cpu-fallback",
    "warning",
    "an operator that the device does not know runs on the host, with copies around it",
    "torch_neuronx.get_fallback_ops() lists them; replace the operator, or compile the function around it.",
    find,
)
