"""What a reader hands over: rows as they stand in a file, before tracks, depth and links are known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .arguments import Arguments
from .counters import Counter
from .lanes import Track

Int64 = NDArray[np.int64]

#: No time lies beyond: sums of a base, a start and a duration stay inside 64 bits.
TIME_LIMIT = 1 << 61


def _empty() -> Int64:
    return np.zeros(0, np.int64)


@dataclass(frozen=True)
class Note:
    """Something a reader repaired, skipped or guessed, and how many rows it concerns."""

    text: str
    count: int = 1


@dataclass(frozen=True)
class Arrows:
    """Arrows that a file draws itself: ``source`` and ``target`` are rows, ``key`` their shared id."""

    source: Int64
    target: Int64
    key: Int64

    @classmethod
    def none(cls) -> Arrows:
        return cls(_empty(), _empty(), _empty())


@dataclass(frozen=True)
class KnownLinks:
    """Edges between rows, with the number of their rule and the id both ends share."""

    source: Int64
    target: Int64
    rule: Int64
    key: Int64


@dataclass
class Rows:
    """Columns, one entry per event in file order.

    ``start`` is in Unix ns, ``dur`` in ns; ``name`` and ``category`` index ``strings``, ``track`` indexes
    ``tracks``; ``args`` holds the raw JSON text of an event's arguments (any buffer) or None. The id columns
    hold 0 where a row has no such id (0 is never a key): ``external`` joins a call to its operator,
    ``correlation`` a launch to its work, ``sequence`` is the runtime's ``nrt_sequence_id``, ``execution`` the
    flow id that a core's execution shares with the runtime row that waits for it. ``scope`` keeps ids of
    different processes apart.
    """

    strings: list[str] = field(default_factory=list)
    tracks: list[Track] = field(default_factory=list)
    name: Int64 = field(default_factory=_empty)
    category: Int64 = field(default_factory=_empty)
    start: Int64 = field(default_factory=_empty)
    dur: Int64 = field(default_factory=_empty)
    track: Int64 = field(default_factory=_empty)
    scope: Int64 = field(default_factory=_empty)
    external: Int64 = field(default_factory=_empty)
    correlation: Int64 = field(default_factory=_empty)
    sequence: Int64 = field(default_factory=_empty)
    execution: Int64 = field(default_factory=_empty)
    args: Arguments = field(default_factory=Arguments)
    arrows: Arrows = field(default_factory=Arrows.none)
    links: KnownLinks | None = None
    """Links that the file itself tells, which are then taken as they are."""
    counters: list[Counter] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    attributes: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """An id column that a reader did not give holds no ids."""
        for column in (*ID_COLUMNS, "scope"):
            if len(getattr(self, column)) != len(self):
                setattr(self, column, np.zeros(len(self), np.int64))

    def __len__(self) -> int:
        return len(self.start)

    def take(self, rows: Int64) -> Rows:
        """These rows alone, without arrows."""
        columns = {column: getattr(self, column)[rows] for column in COLUMNS}
        return Rows(
            self.strings,
            self.tracks,
            args=self.args.take(rows),
            counters=self.counters,
            notes=self.notes,
            attributes=self.attributes,
            **columns,
        )

    def reorder(self, rows: Int64) -> None:
        """Bring all rows into the order ``rows``, arrows too; one column after the other, to spare memory."""
        for column in COLUMNS:
            setattr(self, column, getattr(self, column)[rows])
        self.args = self.args.take(rows)
        place = np.empty(len(rows), np.int64)
        place[rows] = np.arange(len(rows))
        arrows, links = self.arrows, self.links
        self.arrows = Arrows(place[arrows.source], place[arrows.target], arrows.key)
        if links is not None:
            self.links = replace(links, source=place[links.source], target=place[links.target])


ID_COLUMNS = ("external", "correlation", "sequence", "execution")
COLUMNS = ("name", "category", "start", "dur", "track", "scope", *ID_COLUMNS)


class Interner:
    """Values to small numbers, in order of first appearance."""

    def __init__(self) -> None:
        self.values: list[Any] = []
        self._number: dict[Any, int] = {}

    def number(self, value: Any) -> int:
        found = self._number.setdefault(value, len(self.values))
        if found == len(self.values):
            self.values.append(value)
        return found

    def column(self, values: Sequence[Any]) -> Int64:
        """The numbers of many values; new values are numbered in order of first appearance."""
        for value in dict.fromkeys(values):
            self.number(value)
        return np.fromiter(map(self._number.__getitem__, values), np.int64, len(values))


def concatenate(first: Rows, second: Rows) -> Rows:
    """The rows of ``first`` and then those of ``second``; attributes of ``first`` win."""
    strings, tracks = Interner(), Interner()
    first_strings, first_tracks = strings.column(first.strings), tracks.column(first.tracks)
    second_strings, second_tracks = strings.column(second.strings), tracks.column(second.tracks)
    columns: dict[str, Any] = {}
    for column in COLUMNS:
        columns[column] = np.concatenate([getattr(first, column), getattr(second, column)])
    for column, a, b in (
        ("name", first_strings, second_strings),
        ("category", first_strings, second_strings),
        ("track", first_tracks, second_tracks),
    ):
        columns[column] = np.concatenate([a[getattr(first, column)], b[getattr(second, column)]])
    arrows = Arrows(
        np.concatenate([first.arrows.source, second.arrows.source + len(first)]),
        np.concatenate([first.arrows.target, second.arrows.target + len(first)]),
        np.concatenate([first.arrows.key, second.arrows.key]),
    )
    return Rows(
        strings.values,
        tracks.values,
        args=first.args.followed_by(second.args),
        arrows=arrows,
        counters=first.counters + second.counters,
        notes=first.notes + second.notes,
        attributes={**second.attributes, **first.attributes},
        **columns,
    )
