"""What is in the way of a capture, found before the code runs: one sentence each, with the way out."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile

from ..errors import CaptureError
from ..remedies import ONE_RECORDER
from .options import CaptureOptions
from .targets import Target

ACTIVE_PROFILER = "A profiler is active already and only one can be: stop it first, nothing has been run."
LEAST_FREE_BYTES = 64 << 20
"""Smaller than most captures of one run; less than this and a capture would be cut."""
DEVICE_FREE_BYTES = 2 << 30
"""Device traces take tens of megabytes for each core, and their conversion several times that."""


def check(target: Target, options: CaptureOptions) -> None:
    """Raises CaptureError unless a capture with these options could begin now."""
    if profiler_is_active():
        raise CaptureError(ACTIVE_PROFILER)
    if target.kind != "host" and os.environ.get("NEURON_RT_INSPECT_ENABLE", "0") not in ("", "0"):
        raise CaptureError(f"NEURON_RT_INSPECT_ENABLE is set, nothing has been run. {ONE_RECORDER}")
    _check_folder(options)


def profiler_is_active() -> bool:
    """Whether a profiler of torch records now.  Where torch is not loaded none can."""
    torch = sys.modules.get("torch")
    return torch is not None and torch.autograd._profiler_enabled()


def _check_folder(options: CaptureOptions) -> None:
    """Where the capture goes has to be a folder that can be written to, with room in it."""
    existing = next(place for place in (options.out, *options.out.absolute().parents) if place.exists())
    try:
        with tempfile.TemporaryFile(dir=existing):
            pass
    except OSError as error:
        raise CaptureError(f"Captures cannot be written to {options.out}: {error.strerror}.") from None
    needed = DEVICE_FREE_BYTES if "device" in options.modes else LEAST_FREE_BYTES
    free = shutil.disk_usage(existing).free
    if free < needed:
        raise CaptureError(
            f"Only {free >> 20} MB are free at {options.out} and a capture needs {needed >> 20}: make room "
            "or choose another place with --out."
        )
