from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from .rule import Finding, Rule
from .view import View
from .words import time


def find(view: View) -> Iterator[Finding]:
    trace, found = view.trace, view.found
    on_cores = np.isin(found.rows, view.core_work)
    rows = np.bincount(found.of[on_cores], minlength=len(found))
    several = rows > 1
    if not several.any():
        return
    plain, once = int(trace.dur[view.work].sum()), int((view.busy[1] - view.busy[0]).sum())
    yield Finding(
        f"Each execution has a row on {int(rows.max())} physical cores, which run at once: adding up rows "
        f"would make {time(plain)} of the {time(once)} that the device was busy; this profile counts an "
        "execution once.",
        view.operators_of(several)[:1],
    )


RULE = Rule(
    "rows-per-core",
    "info",
    "one execution has a row per physical core (LNC=2), which a plain sum counts twice",
    "Use the times of this profile, or merge rows by execution before adding them up.",
    find,
)
