"""Captures on the simulated Neuron device, which offers the interface of the real one."""

from __future__ import annotations

from .. import simulator
from .neuron import Neuron


class Simulated(Neuron):
    """Installs the simulated device; raises `SimulatorError` where it refuses."""

    kind = "simulated"

    def __init__(self) -> None:
        import torch

        self.notes = []
        self.name = simulator.install().name
        self._synchronize = lambda: torch.neuron.synchronize()
