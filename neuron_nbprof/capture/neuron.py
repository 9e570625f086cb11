"""Captures on a real Neuron device, by the documented interface of torch_neuronx."""

from __future__ import annotations

import importlib.util
import inspect
import os
from pathlib import Path
from typing import Any

from ..errors import CaptureError
from ..simulator import real_package
from .options import MODES, CaptureOptions

OTHER_WAYS = (
    "open captures from elsewhere (neuron_nbprof.open), record on the host (%neuronprof_device host), or "
    "simulate a device in an environment without torch_neuronx"
)
NO_CORRELATION = (
    "This torch_neuronx cannot move device times into key_averages() of PyTorch (no correlate_device_time): "
    "device times come from the hardware lanes only."
)

#: What of `CaptureOptions` a person asks for by which option of the magic, by the argument that carries it.
ASKED_BY = {
    "capture_enabled_for_nc": "--nc",
    "max_events_per_nc": "--max-events",
    "neff_cache_dir": "--neff-cache",
}


class Neuron:
    """Raises `CaptureError`, with a way that works, where no native torch_neuronx finds a device."""

    kind = "neuron"
    name = "AWS Neuron device"

    def __init__(self) -> None:
        self.notes: list[str] = []
        if real_package() is None:
            raise CaptureError(f"No Neuron device here, torch_neuronx is not installed: {OTHER_WAYS}.")
        try:
            import torch
            import torch_neuronx
            import torch_neuronx.profiling
        except ImportError as error:
            raise CaptureError(f"{_why_not_native(error)}: {OTHER_WAYS}.") from None
        self._synchronize = _synchronizer(torch, torch_neuronx)
        available = getattr(getattr(torch, "neuron", None), "is_available", None)
        if available is not None and not available():
            raise CaptureError(
                "torch_neuronx is installed and finds no Neuron device, see `neuron-nbprof doctor`: "
                f"{OTHER_WAYS}."
            )

    def profiler_arguments(self, folder: Path, options: CaptureOptions) -> dict[str, Any]:
        from torch.profiler import ProfilerActivity
        from torch_neuronx.profiling import NeuronConfig, NeuronProfiler

        if options.neff_cache is not None:
            os.environ["TORCH_NEURONX_NEFF_CACHE_DIR"] = str(options.neff_cache)
        config = NeuronConfig(**self._config_arguments(NeuronConfig, folder, options))
        return {
            "activities": [ProfilerActivity.CPU, ProfilerActivity.PrivateUse1],
            "experimental_config": config,
            "on_trace_ready": NeuronProfiler(config).export_trace,
        }

    def _config_arguments(self, config: type, folder: Path, options: CaptureOptions) -> dict[str, Any]:
        """Only what this version of NeuronConfig takes; what a person asked for and it lacks is an error."""
        from torch_neuronx.profiling import ProfileMode

        wanted = {
            "modes": [getattr(ProfileMode, MODES[mode]) for mode in options.modes],
            "profile_output_dir": str(folder),
            "capture_enabled_for_nc": options.cores and options.cores.replace(" ", ""),
            "max_events_per_nc": options.max_events,
            "neff_cache_dir": None if options.neff_cache is None else str(options.neff_cache),
            "correlate_device_time": True,
        }
        parameters = inspect.signature(config).parameters
        anything = any(p.kind is inspect.Parameter.VAR_KEYWORD for p in parameters.values())
        arguments = {key: value for key, value in wanted.items() if value is not None}
        missing = [] if anything else [key for key in arguments if key not in parameters]
        self.notes = []
        for key in missing:
            if key != "correlate_device_time":
                raise CaptureError(
                    f"NeuronConfig of this torch_neuronx does not take {key}, so {ASKED_BY.get(key, key)} "
                    "cannot be used with it."
                )
            self.notes.append(NO_CORRELATION)
        return {key: value for key, value in arguments.items() if key not in missing}

    def synchronize(self) -> None:
        self._synchronize()


def _why_not_native(error: ImportError) -> str:
    if importlib.util.find_spec("torch_xla") is not None:
        return (
            "The torch_neuronx here is of the older generation on torch_xla, whose work PyTorch's profiler "
            "does not see"
        )
    return f"No Neuron device here, torch_neuronx cannot be used ({error})"


def _synchronizer(torch: Any, torch_neuronx: Any) -> Any:
    """Whichever name this version gives it; without one a profile has no device rows."""
    for place in (getattr(torch, "neuron", None), torch_neuronx):
        found = getattr(place, "synchronize", None)
        if found is not None:
            return found
    raise CaptureError(
        'No Neuron device here, this torch_neuronx does not register the device "neuron" with a '
        f"synchronize(): {OTHER_WAYS}."
    )
