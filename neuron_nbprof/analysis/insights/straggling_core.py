from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..intervals import union_by_group
from .rule import Finding, Rule
from .view import View
from .words import time

#: A core that works this much longer than the others holds them up.
LONGER = 1.25


def find(view: View) -> Iterator[Finding]:
    trace, rows = view.trace, view.core_work
    tracks = np.unique(trace.track[rows])
    if len(tracks) < 2:
        return
    busy = union_by_group(
        np.searchsorted(tracks, trace.track[rows]), trace.start[rows], trace.end[rows], len(tracks)
    )
    slowest = int(busy.argmax())
    others = float(np.median(np.delete(busy, slowest)))
    if busy[slowest] <= LONGER * others:
        return
    mine = rows[trace.track[rows] == tracks[slowest]]
    longest = mine[np.argsort(trace.dur[mine], kind="stable")[::-1]][:20]
    yield Finding(
        f"{trace.tracks[int(tracks[slowest])].label} was busy for {time(int(busy[slowest]))}, the other "
        f"cores for {time(others)} (median): they wait for it.",
        longest,
        saving_us=(int(busy[slowest]) - others) / 1000,
    )


RULE = Rule(
    "straggling-core",
    "warning",
    "one core works much longer than the others",
    "Divide the work evenly; on a pair of cores (LNC=2) launch NKI kernels over both ([2]).",
    find,
)
