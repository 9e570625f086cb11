"""Captures on the simulated Neuron device, which offers the interface of the real one."""

from __future__ import annotations

from .. import simulator
from .neuron import Neuron


class Simulated(Neuron):
    """Installs the simulated device; raises `SimulatorError` where it refuses."""

    kind = "simulated"

    def __init__(self) -> None:
        self.notes = []
        self.name = simulator.install().name
        self._synchronize = _wait_for_every_core


def _wait_for_every_core() -> None:
    """What waits for the device waits for one core."""
    import torch

    from ..simulator import streams

    for core in sorted(streams.used):
        torch.neuron.synchronize(core)
