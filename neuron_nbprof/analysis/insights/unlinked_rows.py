from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...remedies import BOTH_ACTIVITIES, ONE_RECORDER
from ...trace import Lane
from .rule import Finding, Rule
from .view import View
from .words import count


def find(view: View) -> Iterator[Finding]:
    trace = view.trace
    alone = view.work[trace.lane[view.owned.root[view.work]] == Lane.HARDWARE]
    if not len(alone):
        return
    busy = float(trace.dur[alone].sum()) / max(float(trace.dur[view.work].sum()), 1.0)
    yield Finding(
        f"{count(len(alone), 'hardware row')} of {len(view.work):,} ({busy:.0%} of their time) are linked "
        "to nothing that submitted them, and so to no operator.",
        np.sort(alone),
    )


RULE = Rule(
    "unlinked-rows",
    "warning",
    "hardware rows that no submission leads to",
    f"{ONE_RECORDER} {BOTH_ACTIVITIES} Keep trace.json beside the system profile.",
    find,
)
