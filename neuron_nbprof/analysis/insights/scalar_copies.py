from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from .rule import Finding, Rule
from .view import View
from .words import count, time


def find(view: View) -> Iterator[Finding]:
    trace, found = view.trace, view.found
    computing = set(view.compute["row"].tolist())
    copies = np.flatnonzero(found.is_copy & (found.operator >= 0) & ~found.executes)
    copies = copies[[row in computing for row in found.operator[copies].tolist()]]
    signatures = view.signatures(found.operator[copies])
    copies = copies[[signature.scalars for signature in signatures]]
    if not len(copies):
        return
    operators = found.operator[copies]
    names = ", ".join(sorted(set(view.names(operators))))
    spent = int(trace.dur[found.runtime[copies]].sum())
    yield Finding(
        f"A number of the host (such as `+ eps`) made {names} copy it to the device before it could execute: "
        f"{count(len(copies), 'copy', 'copies')}, {time(spent)} in the runtime.",
        np.unique(operators),
        saving_us=spent / 1000,
    )


RULE = Rule(
    "scalar-copies",
    "warning",
    "a Python number in an expression is copied to the device",
    "Pass the number as an argument of a fused operator (torch.rms_norm(..., eps)), compile the function, "
    "or keep it as a tensor on the device.",
    find,
)
