from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from .rule import Finding, Rule
from .view import View
from .words import count, time


def find(view: View) -> Iterator[Finding]:
    trace, found = view.trace, view.found
    known = np.flatnonzero(found.executes & (found.runtime >= 0))
    early = trace.start[found.runtime[known]] - found.begin[known]
    skewed = known[early > 0]
    if not len(skewed):
        return
    yield Finding(
        f"{count(len(skewed), 'execution')} of {len(known):,} begin before the runtime call that submitted "
        f"them, by up to {time(int(early.max()))}: the clocks of host and device differ at least by this.",
        found.runtime[skewed],
    )


RULE = Rule(
    "clock-skew",
    "warning",
    "executions begin before they were submitted",
    "Do not read waits between runtime and hardware that are shorter than this; sums and device times are "
    "not affected.",
    find,
)
