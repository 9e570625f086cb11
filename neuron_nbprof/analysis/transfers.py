"""Copies between host and device as counters: bytes a second in each direction."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..trace import Counter, Trace
from ..trace.counters import RATE
from .memo import once_per_trace
from .ownership import of_category, starts_with
from .submissions import DEVICE_COPIES, READS, WRITES

#: Rows that name the size of a copy, the nearest to the bus first: where there are some of these, calls
#: that lead to them are not counted again.
SIZES = ("size", "total_size", "bytes", "Bytes")
#: How other accelerators begin the names of their copies.
FOREIGN = {"Memcpy HtoD": True, "Memcpy DtoH": False}


@dataclass(frozen=True)
class _Copies:
    """Intervals [start, end) in ns that carry so many bytes."""

    start: NDArray[np.int64]
    end: NDArray[np.int64]
    size: NDArray[np.int64]


@once_per_trace
def transfers(trace: Trace) -> list[Counter]:
    """Rate of the copies of every track, to the device and from it.

    A copy moves its bytes evenly over its duration, and what is under way at once adds up, as in Neuron
    Explorer. Copies without a size or a duration count nowhere. Rates are bytes a second.
    """
    found = []
    for towards, names in ((True, WRITES), (False, READS)):
        rows = _rows(trace, towards, names)
        for track in np.unique(trace.track[rows]).tolist():
            copies = _copies(trace, rows[trace.track[rows] == track])
            if not len(copies.size):
                continue
            place = trace.tracks[track]
            time, value = _rate(copies)
            way = "host → device" if towards else "device → host"
            label = f"{'modelled ' if trace.simulated else ''}{way}, {_unit(place.label)}"
            source = f"{'SIMULATED ' if trace.simulated else ''}sizes and durations of copies"
            found.append(
                Counter(label, RATE, source, time, value, instance=place.instance, process=place.process)
            )
    return found


def _unit(label: str) -> str:
    """The core or stream of a track, which is the part of its label with a number."""
    return next((part for part in reversed(label.split("/")) if ":" in part), label)


def _rows(trace: Trace, towards: bool, names: tuple[str, ...]) -> NDArray[np.int64]:
    """Rows of copies in one direction: of the kind nearest to the bus that there is."""
    for name in reversed(names):
        rows = trace.rows_named(name)
        if len(rows):
            return rows
    prefix = next(text for text, to_device in FOREIGN.items() if to_device is towards)
    return np.flatnonzero(starts_with(trace, prefix) & of_category(trace, *DEVICE_COPIES))


def _copies(trace: Trace, rows: NDArray[np.int64]) -> _Copies:
    sizes = np.array([_size(trace, row) for row in rows.tolist()], np.int64)
    some = (sizes > 0) & (trace.dur[rows] > 0)
    rows = rows[some]
    return _Copies(trace.start[rows], trace.end[rows], sizes[some])


def _size(trace: Trace, row: int) -> int:
    args = trace.args(row)
    value = next((args[key] for key in SIZES if key in args), 0)
    if isinstance(value, str) and value.isdecimal():
        value = int(value)
    fits = isinstance(value, int) and not isinstance(value, bool) and 0 < value < 1 << 62
    return value if fits else 0


def _rate(copies: _Copies) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The sum of what is under way, from each instant at which it changes."""
    rate = copies.size * 1e9 / (copies.end - copies.start)
    instants = np.concatenate([copies.start, copies.end])
    time, place = np.unique(instants, return_inverse=True)
    change, running = np.zeros(len(time)), np.zeros(len(time), np.int64)
    np.add.at(change, place, np.concatenate([rate, -rate]))
    np.add.at(running, place, np.repeat([1, -1], len(rate)))
    # where nothing is under way the rate is 0, and not what rounding has left
    return time, np.where(np.cumsum(running) > 0, np.cumsum(change), 0.0)
