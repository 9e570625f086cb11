"""Quantities that a capture samples over time, such as memory in use."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

#: Bytes, bytes a second, percent of the whole; ``""`` where a file does not say.
BYTES, RATE, PERCENT = "B", "B/s", "%"


@dataclass(frozen=True, eq=False)
class Counter:
    """One quantity: ``value`` [n] in ``unit`` at ``time`` [n], ns, ascending.

    Times are Unix ns in `Rows` and count from the origin in a `Trace`. A value holds from its time until the
    next; with ``span_ns`` it is the mean over so many ns before its time. Integers stay int64.
    """

    label: str
    unit: str
    source: str
    """Where it was read, for readers."""
    time: NDArray[np.int64]
    value: NDArray[Any]
    span_ns: int = 0
    instance: str = ""
    process: str = ""

    def __len__(self) -> int:
        return len(self.time)

    def moved(self, ns: int) -> Counter:
        """The same, later by so many ns."""
        return replace(self, time=self.time + ns)
