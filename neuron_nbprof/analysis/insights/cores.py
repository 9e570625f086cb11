from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

import numpy as np

from ...remedies import VISIBLE_CORES
from ...trace import Lane
from .rule import Finding, Rule
from .view import View


def find(view: View) -> Iterator[Finding]:
    trace = view.trace
    physical: dict[tuple[str, str, str], list[str]] = defaultdict(list)
    for track in trace.tracks:
        if track.lane is Lane.HARDWARE and track.label.startswith("neuron_hw/"):
            logical, _, core = track.unit.partition(":")
            physical[track.instance, track.process, logical].append(core)
    given = view.found.runtime[(view.found.runtime >= 0) & ~view.found.is_copy]
    for number in np.unique(trace.track[given]).tolist():
        track = trace.tracks[number]
        here = (track.instance, track.process, track.unit)
        if physical and track.label.startswith("neuron_rt/") and here not in physical:
            yield Finding(
                f"Logical core {track.unit} was given work and its hardware was not recorded; recorded: "
                f"{', '.join(sorted({core for _, _, core in physical}))}.",
                given[trace.track[given] == number],
            )
    most = max(map(len, physical.values()), default=0)
    for (_, _, logical), cores in physical.items():
        if len(cores) < most:
            yield Finding(
                f"Logical core {logical} ran on {len(cores)} physical core where others ran on {most}: "
                "part of it stood still or was not recorded.",
                [row for row in view.work.tolist() if trace.track_of(row).unit.startswith(f"{logical}:")][:1],
            )


RULE = Rule(
    "cores",
    "warning",
    "work on cores that were not recorded, or cores of a pair that stood still",
    f"Let capture_enabled_for_nc name the cores that the process uses. {VISIBLE_CORES} Launch kernels over "
    "both cores of a pair.",
    find,
)
