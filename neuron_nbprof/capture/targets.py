"""The devices that a capture can be taken on."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Protocol

from ..errors import CaptureError
from ..simulator import is_installed, real_package
from .options import CaptureOptions

CHOICES = ("auto", "neuron", "simulated", "host")


class Target(Protocol):
    """One device, as the runner sees it."""

    kind: str
    """``neuron``, ``simulated`` or ``host``."""
    name: str
    """What to call it before a person."""
    notes: list[str]
    """What a capture on it lacks, one sentence each."""

    def profiler_arguments(self, folder: Path, options: CaptureOptions) -> dict[str, Any]:
        """Arguments for `torch.profiler.profile` that make it write a capture below `folder`."""

    def synchronize(self) -> None:
        """Wait until the device has finished what it was given."""


def choose(choice: str) -> Target:
    """The target of that name; ``auto`` is the real device where there is one, else the simulated one.

    Raises `CaptureError` or `SimulatorError` when it is not to be had.
    """
    if choice == "neuron":
        return _neuron()
    if choice == "simulated":
        return _simulated()
    if choice == "host":
        return _host()
    if choice != "auto":
        raise CaptureError(f"There is no device {choice!r}; there are {', '.join(CHOICES)}.")
    return _neuron() if real_package() else _simulated()


def default() -> Target:
    """Without a choice nothing is simulated that was not asked for: what this process has already got."""
    if is_installed():
        return _simulated()
    if real_package():
        try:
            return _neuron()
        except CaptureError:
            return _host()
    return _host()


# Each target imports torch when it is made, which costs seconds: not before one is wanted.


def _neuron() -> Target:
    from .neuron import Neuron

    return Neuron()


def _simulated() -> Target:
    from .simulated import Simulated

    return Simulated()


def _host() -> Target:
    from .host import Host

    return Host()
