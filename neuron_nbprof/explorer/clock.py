"""Times as the browser counts them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..trace import Note, Trace

#: Whole ns are exact in a JavaScript number up to here: 104 days from the origin.
FARTHEST = 2**53 - 1


@dataclass(frozen=True)
class Clock:
    """Times as the browser counts them: ns from ``base``, amid the events, within what is exact there."""

    base: int
    start: NDArray[np.int64]
    dur: NDArray[np.int64]
    clamped: NDArray[np.int64]
    """Rows that are drawn elsewhere than at their time."""

    @classmethod
    def of(cls, trace: Trace) -> Clock:
        end = trace.start + trace.dur
        if not len(trace) or (trace.start.min() >= -FARTHEST and end.max() <= FARTHEST):
            return cls(0, trace.start, trace.dur, np.zeros(0, np.int64))
        base = int(np.median(trace.start))
        start = np.clip(trace.start - base, -FARTHEST, FARTHEST)
        dur = np.clip(end - base, -FARTHEST, FARTHEST) - start
        moved = (start != trace.start - base) | (dur != trace.dur)
        return cls(base, start, dur, np.flatnonzero(moved))

    @property
    def notes(self) -> list[Note]:
        text = "events more than 104 days from the others, drawn at the edge of the time axis"
        return [Note(text, len(self.clamped))] if len(self.clamped) else []
