"""What a reader can tell about a capture as a whole, once it is linked."""

from __future__ import annotations

import numpy as np

from ..remedies import BOTH_ACTIVITIES, SYNCHRONISE
from ..trace import Lane, Note, Trace
from ..trace.categories import DEVICE_ANNOTATIONS, NOT_WORK, NOT_WORK_CATEGORIES


def notes(trace: Trace) -> list[Note]:
    """Unlinked rows of each lane, frames that end with the profile, and lanes that stayed empty."""
    return [*_unlinked(trace), *_cut_frames(trace), *_empty_lanes(trace)]


def _unlinked(trace: Trace) -> list[Note]:
    """Device rows that nothing leads to, where the capture has both ends of links."""
    if not len(trace.links.targets):
        return []
    reached = np.diff(trace.links.reverse_offsets) > 0
    leads_on = np.diff(trace.links.offsets) > 0
    names = np.array([text in NOT_WORK for text in trace.strings], bool)[trace.name]
    views = NOT_WORK_CATEGORIES | DEVICE_ANNOTATIONS
    marks = names | np.array([text in views for text in trace.strings], bool)[trace.category]
    found = []
    for lane in (Lane.STREAM, Lane.HARDWARE):
        count = int(((trace.lane == lane) & ~reached & ~leads_on & ~marks).sum())
        if count:
            found.append(Note(f"{lane.title} rows that no link reaches", count))
    return found


def _cut_frames(trace: Trace) -> list[Note]:
    cut = len(trace.cut_off())
    if not cut:
        return []
    return [Note("Python frames still running when the profile ended, so their end is the profile's", cut)]


def _empty_lanes(trace: Trace) -> list[Note]:
    """Why there may be no device rows, or no host rows, and what brings them."""
    host = len(trace.operators())
    device = int((trace.lane == Lane.HARDWARE).sum())
    if host and not device:
        do = f"{SYNCHRONISE} Open the whole capture folder."
        return [Note(f"hint: operators but no device rows. On a device: {do}")]
    if device and not host:
        return [Note(f"hint: device rows but no operators that caused them. {BOTH_ACTIVITIES}")]
    return []
