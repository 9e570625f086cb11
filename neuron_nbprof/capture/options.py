"""What to record, and what the capture should remember of it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ..errors import CaptureError

MODES = {
    "runtime": "RUNTIME",
    "device": "DEVICE",
    "cpu-util": "CPU_UTIL",
    "host-memory": "HOST_MEMORY",
}
"""Streams of data by the name that people give them, with the member of `ProfileMode` that they are."""

DEVICE_COST = (
    "The mode `device` reserves about 5 GB of HBM on Trn2 and Trn3, writes tens of megabytes for each core, "
    "and converting them takes minutes."
)

MOST_CORES = 1024
_CORES = re.compile(r"(\d{1,4})(?:-(\d{1,4}))?")


@dataclass(frozen=True)
class Schedule:
    """How often the code runs: `wait` times unrecorded, `warmup` times as warm-up, `active` times recorded.

    The three that are not recorded keep what happens only once, such as compilation, out of the profile.
    """

    wait: int = 2
    warmup: int = 1
    active: int = 1

    def __post_init__(self) -> None:
        if min(self.wait, self.warmup) < 0 or self.active < 1:
            raise CaptureError("Runs are counted from 0, and at least one has to be recorded (--active 1).")

    @property
    def phases(self) -> tuple[str, ...]:
        """What each run is."""
        runs = {"unrecorded": self.wait, "warm-up": self.warmup, "recorded": self.active}
        return tuple(phase for phase, times in runs.items() for _ in range(times))


ONCE = Schedule(0, 0, 1)


@dataclass(frozen=True)
class CaptureOptions:
    """The capture becomes a new folder ``<out>/<name>-<time>``.

    ``cores`` are logical NeuronCores as ``0,2-5``; ``max_events`` is the size of each core's ring buffer.
    Where these and ``modes`` and ``neff_cache`` mean nothing, as on the host, they are not used.
    """

    name: str
    out: Path
    schedule: Schedule = Schedule()
    modes: tuple[str, ...] = ("runtime",)
    cores: str | None = None
    max_events: int | None = None
    neff_cache: Path | None = None
    record_shapes: bool = True
    with_stack: bool = False
    profile_memory: bool = False
    with_flops: bool = False
    source: str | None = None
    """The text that was run, such as that of a notebook cell."""
    kernel_id: str | None = None
    notebook: str | None = None

    def __post_init__(self) -> None:
        check_modes(self.modes)
        if self.cores is not None:
            check_cores(self.cores)
        if self.max_events is not None and self.max_events < 1:
            raise CaptureError(f"--max-events is a number of events from 1 on, not {self.max_events}.")


def check_modes(modes: Sequence[str]) -> None:
    """Raises CaptureError unless every mode is one of `MODES`."""
    unknown = [mode for mode in modes if mode not in MODES]
    if unknown or not modes:
        raise CaptureError(
            f"There is no mode {unknown[0] if unknown else ''!r}: --modes takes {', '.join(MODES)}, "
            "separated by commas."
        )


def check_cores(cores: str) -> list[int]:
    """The cores that are meant.  Raises CaptureError unless it is a list of numbers and ascending ranges.

    The runtime takes a descending range for no core at all, and would record nothing.
    """
    numbers: list[int] = []
    for part in cores.split(","):
        found = _CORES.fullmatch(part.strip())
        if found is None:
            raise CaptureError(f"--nc takes cores such as 0,2-5, and {part.strip()!r} is none.")
        first, last = int(found[1]), int(found[2] or found[1])
        if first > last:
            raise CaptureError(f"--nc {part.strip()} runs backwards: write {last}-{first}.")
        if last >= MOST_CORES:
            raise CaptureError(f"--nc {part.strip()}: there is no core {last}.")
        numbers.extend(range(first, last + 1))
    return numbers
