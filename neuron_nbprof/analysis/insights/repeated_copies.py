from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..steps import step_of
from ..submissions import WRITES
from .rule import Finding, Rule
from .view import View
from .words import count, time


def find(view: View) -> Iterator[Finding]:
    import pandas as pd

    trace, found = view.trace, view.found
    executing = set(view.compute["row"].tolist())
    writes = np.flatnonzero(found.is_copy & (found.operator >= 0) & (found.runtime >= 0))
    writes = writes[view.named(*WRITES)[found.runtime[writes]]]
    writes = writes[[row not in executing for row in found.operator[writes].tolist()]]
    if len(view.steps) < 2 or not len(writes):
        return
    operators = found.operator[writes]
    step, steps = step_of(trace, trace.start[operators])
    table = pd.DataFrame({"row": operators, "step": step, "dur": trace.dur[found.runtime[writes]]})
    table["name"] = view.names(operators)
    table["shape"] = [signature.text for signature in view.signatures(operators)]
    for (name, shape), group in table[table["step"] >= 0].groupby(["name", "shape"]):
        if group["step"].nunique() == steps:
            shown = f" of {shape}" if shape else ""
            spent = int(group["dur"].sum())
            yield Finding(
                f"{name}{shown} goes from the host to the device in each of {count(steps, 'step')}, "
                f"{time(spent)} in the runtime; a tensor that does not change could stay on the device.",
                group["row"],
                saving_us=spent / 1000,
            )


RULE = Rule(
    "repeated-copies",
    "warning",
    "the same copy to the device in every step",
    "Move constants (masks, positions, scales) to the device once, before the loop; copy the next batch "
    "while the device works.",
    find,
)
