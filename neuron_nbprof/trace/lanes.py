"""Lanes and tracks: where an event is drawn, and what its row is called.

The four lanes follow the life of an operator from top to bottom; a track is one row of a lane and carries
the label that Neuron Explorer gives it in its default grouping.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import IntEnum
from functools import cache


class Lane(IntEnum):
    """The four stations of an operator, in the order in which it passes them."""

    DISPATCH = 0
    STREAM = 1
    RUNTIME = 2
    HARDWARE = 3

    @property
    def title(self) -> str:
        return self.name.capitalize()


@dataclass(frozen=True)
class Track:
    """One row of a lane: a thread, a stream or a core of one process."""

    label: str
    lane: Lane
    instance: str
    process: str
    unit: str

    @property
    def order(self) -> tuple[int, str, str, list[tuple[int, int, str]]]:
        """Display order: by lane, then process, then label with its numbers compared as numbers."""
        return (self.lane, self.instance, self.process, natural_key(self.label))


def natural_key(text: str) -> list[tuple[int, int, str]]:
    """Sort key under which ``NC:10`` follows ``NC:9``."""
    parts = re.findall(r"\d+|\D+", text)
    return [(0, int(part), "") if part.isdecimal() else (1, 0, part) for part in parts]


@cache
def dispatch_track(instance: str, process: str, thread: str) -> Track:
    return Track(f"framework/TID:{thread}", Lane.DISPATCH, instance, process, thread)


@cache
def stream_track(instance: str, process: str, stream: str) -> Track:
    return Track(f"framework/Stream:{stream}", Lane.STREAM, instance, process, stream)


#: Runtime rows that carry data while a core computes: each way has a track of its own beside the core's.
TRANSFERS = {
    "dmem_buf_copyin": "HtoD",
    "dmem_buf_copyin_batch": "HtoD",
    "nrta_tensor_write": "HtoD",
    "dmem_buf_copyout": "DtoH",
    "dmem_buf_copyout_batch": "DtoH",
    "nrta_tensor_read": "DtoH",
    "nrta_tensor_copy": "DtoD",
}


@cache
def neuron_runtime_track(instance: str, process: str, core: str, name: str = "") -> Track:
    """Of the runtime rows called ``name`` of one core."""
    way = TRANSFERS.get(name)
    label = f"neuron_rt/NC:{core}/{way}" if way else f"neuron_rt/NC:{core}"
    return Track(label, Lane.RUNTIME, instance, process, core)


@cache
def neuron_hardware_track(instance: str, process: str, core: str, physical_core: str) -> Track:
    return Track(
        f"neuron_hw/NC{core}:{physical_core}", Lane.HARDWARE, instance, process, f"{core}:{physical_core}"
    )


@cache
def host_runtime_track(process: str, family: str, thread: str) -> Track:
    """Runtime calls of another accelerator (CUDA, XPU, …), one row per host thread."""
    return Track(f"{family}/TID:{thread}", Lane.RUNTIME, "", process, thread)


@cache
def device_track(process: str, device: str, stream: str) -> Track:
    """Work on another accelerator, one row per device and stream."""
    return Track(f"device {device}/Stream:{stream}", Lane.HARDWARE, "", process, f"{device}:{stream}")
