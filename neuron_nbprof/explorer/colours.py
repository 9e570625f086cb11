"""Colour numbers of events: an operator's rank decides its colour, and what it causes takes it over."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..trace import Lane, LinkRule, Trace

#: Annotations and everything that no operator owns.
PLAIN = 0
#: Time spent waiting for the device.
WAITING = 255
#: Ranks share a colour number modulo this; a multiple of the palette's size, below `WAITING`.
NUMBERS = 248


def operator_colours(device_time: dict[str, float]) -> dict[str, int]:
    """Colour numbers of operators, given with their device time in order of importance.

    Operators without device time stay plain where others have some, so that colour means work on the device.
    """
    on_device = any(device_time.values())
    return {
        name: WAITING if is_wait(name) else PLAIN if on_device and not time else rank % NUMBERS + 1
        for rank, (name, time) in enumerate(device_time.items())
    }


def is_wait(name: str) -> bool:
    """Whether an event of this name is the host's wait for the device."""
    return "synchronize" in name.lower()


def colours(trace: Trace, operators: dict[str, int]) -> NDArray[np.uint8]:
    """Colour number of every event [n], from those of `operator_colours`."""
    by_name = np.array([operators.get(text, PLAIN) for text in trace.strings], np.uint8)
    waits = np.array([is_wait(text) for text in trace.strings], bool)
    colour = np.zeros(len(trace), np.uint8)
    rows = trace.operators()
    colour[rows] = by_name[trace.name[rows]]
    on_host = (trace.lane == Lane.DISPATCH) | (trace.lane == Lane.RUNTIME)
    colour[on_host & waits[trace.name]] = WAITING
    enclosing = trace.links.rule == LinkRule.ENCLOSING
    # A direct owner is better evidence than an operator that only encloses the call.
    _spread(colour, trace, ~enclosing)
    _spread(colour, trace, np.ones_like(enclosing))
    return colour


def _spread(colour: NDArray[np.uint8], trace: Trace, edges: NDArray[np.bool_]) -> None:
    """Hand colours on along ``edges`` until nothing changes; what has a colour keeps it."""
    sources, targets = trace.links.sources[edges], trace.links.targets[edges]
    while True:
        given = colour[sources]
        open_edges = (given != PLAIN) & (given != WAITING) & (colour[targets] == PLAIN)
        if not open_edges.any():
            return
        colour[targets[open_edges]] = given[open_edges]
