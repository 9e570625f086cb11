"""Samples that a file holds, gathered into counters: in order of time, and numbers every one of them."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..trace import Counter, Note
from ..trace.rows import TIME_LIMIT

#: Utilisation of a CPU is its mean over the second before a sample.
CPU_SPAN_NS = 1_000_000_000


@dataclass(frozen=True)
class Quantity:
    """What a counter counts; see `Counter`."""

    label: str
    unit: str
    source: str
    span_ns: int = 0
    instance: str = ""
    process: str = ""


class Samples:
    """Samples by their quantity, in any order; those without a time or a number are counted."""

    def __init__(self) -> None:
        self._found: dict[Quantity, tuple[list[int], list[int | float]]] = defaultdict(lambda: ([], []))
        self._left_out = 0

    def add(self, quantity: Quantity, time: Any, value: Any) -> None:
        """``time`` in ns; whatever a writer put in the place of the two."""
        number, moment = _number(value), _number(time)
        if number is None or not isinstance(moment, int) or not -TIME_LIMIT < moment < TIME_LIMIT:
            self._left_out += 1
            return
        times, values = self._found[quantity]
        times.append(moment)
        values.append(number)

    def counters(self, base: int = 0) -> list[Counter]:
        """All of them, ``base`` ns later, in order of first appearance."""
        found = []
        for quantity, (times, values) in self._found.items():
            time = np.array(times, np.int64) + base
            exact = all(isinstance(value, int) for value in values)
            order = np.argsort(time, kind="stable")
            value = np.array(values, np.int64 if exact else np.float64)
            found.append(Counter(time=time[order], value=value[order], **vars(quantity)))
        return found

    def notes(self) -> list[Note]:
        return [Note("counter samples without a time or a number", self._left_out)] if self._left_out else []


def _number(value: Any) -> int | float | None:
    """A finite number that 64 bits hold, also where it is written as text."""
    if isinstance(value, str):
        try:
            value = int(value)
        except ValueError:
            try:
                value = float(value)
            except ValueError:
                return None
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    if isinstance(value, int):
        return value if -(1 << 63) <= value < 1 << 63 else None
    return value if math.isfinite(value) else None
