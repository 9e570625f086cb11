"""The arguments of events: JSON text that nobody parses before somebody asks."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

#: One event's arguments as JSON text (any buffer), None where it has none.
Text = Any


class Arguments(Sequence[Text]):
    """Arguments of many events in file order, made up of parts that are decoded when first asked for."""

    def __init__(self, parts: Sequence[tuple[int, Callable[[], Sequence[Text]]]] = ()) -> None:
        """``parts``: how many events each part holds, and how to get their texts."""
        self._load = [load for _, load in parts]
        self._ends = np.cumsum([count for count, _ in parts], dtype=np.int64).tolist()
        self._loaded: dict[int, Sequence[Text]] = {}

    @classmethod
    def of(cls, texts: Sequence[Text]) -> Arguments:
        """Texts that are there already."""
        return cls([(len(texts), lambda: texts)])

    def __len__(self) -> int:
        return self._ends[-1] if self._ends else 0

    @overload
    def __getitem__(self, index: int) -> Text: ...
    @overload
    def __getitem__(self, index: slice) -> list[Text]: ...
    def __getitem__(self, index: int | slice) -> Text:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        if not 0 <= index < len(self):
            raise IndexError(index)
        part = bisect_right(self._ends, index)
        return self._part(part)[index - (self._ends[part - 1] if part else 0)]

    def at(self, rows: NDArray[np.int64]) -> list[Text]:
        """The arguments of many events, much faster than one by one."""
        found: list[Text] = [None] * len(rows)
        part = np.searchsorted(self._ends, rows, "right")
        for number in np.flatnonzero(np.bincount(part)).tolist():
            places = np.flatnonzero(part == number)
            texts = self._part(number)
            within = rows[places] - (self._ends[number - 1] if number else 0)
            if isinstance(texts, Arguments | _Taken):
                many = texts.at(within)
            else:
                many = [texts[i] for i in within.tolist()]
            if len(many) == len(rows):
                return many
            for place, text in zip(places.tolist(), many, strict=True):
                found[place] = text
        return found

    def _part(self, number: int) -> Sequence[Text]:
        texts = self._loaded.get(number)
        if texts is None:
            texts = self._loaded[number] = self._load[number]()
        return texts

    def followed_by(self, other: Arguments) -> Arguments:
        return Arguments([(len(self), lambda: self), (len(other), lambda: other)])

    def take(self, rows: NDArray[np.int64]) -> Arguments:
        return Arguments([(len(rows), lambda: _Taken(self, rows))])


class _Taken(Sequence[Text]):
    """Some of the arguments, in another order."""

    def __init__(self, arguments: Arguments, rows: NDArray[np.int64]) -> None:
        self._arguments, self._rows = arguments, rows

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, index: Any) -> Text:
        return self._arguments[int(self._rows[index])]

    def at(self, rows: NDArray[np.int64]) -> list[Text]:
        return self._arguments.at(self._rows[rows])
