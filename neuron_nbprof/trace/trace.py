"""The Trace: all events of a capture as columns, with their tracks, depth rows and links."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .arguments import Arguments
from .categories import OPERATORS, SPAN_PREFIXES
from .counters import Counter
from .lanes import Track
from .links import Links
from .rows import Note

#: Frames of Python that the profiler cut off end together, within this many ns of the last event.
CUT_OFF_NS = 1_000
CUT_OFF_FRAMES = 2


@dataclass
class Trace:
    """Events as columns of length n, sorted by (track, depth, start).

    Within one (track, depth) no two events overlap, so ``start`` and ``start + dur`` both ascend there. A
    row's position is its index in every column; ``id`` is its place in the file and names it to users.
    """

    origin_ns: int
    """Unix ns that a ``start`` of 0 means."""
    tracks: list[Track]
    """In display order."""
    strings: list[str]
    """What ``name`` and ``category`` index."""
    start: NDArray[np.int64]
    """ns from ``origin_ns``."""
    dur: NDArray[np.int64]
    """ns."""
    id: NDArray[np.int64]
    lane: NDArray[np.uint8]
    track: NDArray[np.int32]
    name: NDArray[np.int32]
    category: NDArray[np.int32]
    depth: NDArray[np.uint16]
    parent: NDArray[np.int64]
    """Row of the innermost operator that encloses an event on its own track, -1 for none."""
    links: Links
    arguments: Arguments = field(repr=False)
    counters: list[Counter] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    attributes: dict[str, Any] = field(default_factory=dict)
    simulated: bool = False
    device: str = ""
    title: str = ""
    source: str = ""

    def __len__(self) -> int:
        return len(self.start)

    def __repr__(self) -> str:
        label = "SIMULATED " if self.simulated else ""
        return f"<{label}Trace {self.title!r}: {len(self):,} events on {len(self.tracks)} tracks>"

    @cached_property
    def end(self) -> NDArray[np.int64]:
        """ns from ``origin_ns``."""
        return self.start + self.dur

    def name_of(self, row: int) -> str:
        return self.strings[int(self.name[row])]

    def category_of(self, row: int) -> str:
        return self.strings[int(self.category[row])]

    def track_of(self, row: int) -> Track:
        return self.tracks[int(self.track[row])]

    def position(self, event_id: int) -> int:
        """The row of the event ``event_id``; raises KeyError when there is none."""
        found = np.flatnonzero(self.id == event_id)
        if not len(found):
            raise KeyError(event_id)
        return int(found[0])

    def rows_named(self, name: str) -> NDArray[np.int64]:
        """Rows of every event called ``name``, in order of start."""
        if name not in self.strings:
            return np.zeros(0, np.int64)
        rows = np.flatnonzero(self.name == self.strings.index(name))
        return rows[np.argsort(self.start[rows], kind="stable")]

    def rows_in(self, *categories: str) -> NDArray[np.int64]:
        """Rows of these categories, in row order."""
        wanted = [i for i, text in enumerate(self.strings) if text in categories]
        return np.flatnonzero(np.isin(self.category, wanted))

    def operators(self) -> NDArray[np.int64]:
        """Rows that are operators: everything that may own calls, spans excepted."""
        rows = self.rows_in(*OPERATORS)
        spans = np.array([text.startswith(SPAN_PREFIXES) for text in self.strings], bool)
        found: NDArray[np.int64] = rows[~spans[self.name[rows]]]
        return found

    def cut_off(self) -> NDArray[np.int64]:
        """Rows of the Python frames still running when the profiler stopped: their end is the profile's.

        One frame alone that ends last may well have ended by itself.
        """
        frames = self.rows_in("python_function")
        if not len(frames):
            return frames
        end = self.end
        cut: NDArray[np.int64] = frames[end[frames] >= end.max() - CUT_OFF_NS]
        return cut if len(cut) >= CUT_OFF_FRAMES else cut[:0]

    def args_text(self, row: int) -> bytes:
        """The arguments of one event as JSON text, ``{}`` when it has none."""
        raw = self.arguments[row]
        return b"{}" if raw is None else bytes(raw)

    def args(self, row: int) -> dict[str, Any]:
        """The arguments of one event, parsed now; a value that is not an object appears under ``value``."""
        value = json.loads(self.args_text(row))
        return value if isinstance(value, dict) else {"value": value}
