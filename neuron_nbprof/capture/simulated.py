"""Captures on the simulated Neuron device, which offers the interface of the real one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .. import simulator
from ..errors import CaptureError
from .neuron import Neuron
from .options import CaptureOptions, check_cores


class Simulated(Neuron):
    """Installs the simulated device; raises `SimulatorError` where it refuses."""

    kind = "simulated"

    def __init__(self) -> None:
        self.notes = []
        self.name = simulator.install().name
        self._synchronize = _wait_for_every_core

    def profiler_arguments(self, folder: Path, options: CaptureOptions) -> dict[str, Any]:
        arguments = super().profiler_arguments(folder, options)
        self.notes.extend(self._not_simulated(options))
        return arguments

    def _not_simulated(self, options: CaptureOptions) -> Iterator[str]:
        """What was asked for and a simulated device does not have."""
        streams = [mode for mode in options.modes if mode not in ("runtime", "device")]
        if streams:
            yield f"The simulated device has no {' or '.join(streams)} to record."
        count = simulator.settings.current().cores
        wanted = check_cores(options.cores) if options.cores else [0]
        missing = [str(core) for core in wanted if core >= count]
        if len(missing) == len(wanted):
            raise CaptureError(
                f"--nc {options.cores} names none of the cores of the {self.name}: 0 to {count - 1}."
            )
        if missing:
            yield f"The {self.name} has the cores 0 to {count - 1}, so there are no {', '.join(missing)}."


def _wait_for_every_core() -> None:
    """What waits for the device waits for one core."""
    import torch

    from ..simulator import streams

    for core in sorted(streams.used):
        torch.neuron.synchronize(core)
