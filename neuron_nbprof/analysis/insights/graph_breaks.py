from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from ...trace.categories import COMPILED_REGION
from ..ownership import matches
from ..steps import step_of
from .rule import Finding, Rule
from .view import View
from .words import count

_REGION = re.compile(rf"^{COMPILED_REGION}: (\d+)/(\d+)")


def find(view: View) -> Iterator[Finding]:
    trace = view.trace
    rows = view.in_order(np.flatnonzero(matches(trace, _REGION)))
    step, _ = step_of(trace, trace.start[rows])
    per_step = [len(np.unique(trace.name[rows[step == s]])) for s in np.unique(step).tolist()]
    most = max(per_step, default=0)
    if most < 2:
        return
    yield Finding(
        f"{count(most, 'compiled region')} run in one step: the graph breaks between them, or functions "
        "were compiled one by one; each is an execution of its own.",
        rows,
    )


RULE = Rule(
    "graph-breaks",
    "warning",
    "several compiled regions run where one could",
    "torch._dynamo.explain(f)(...) names the reason of each break (a print, .item(), a data-dependent "
    "branch); torch.compile(..., fullgraph=True) refuses them.",
    find,
)
