"""Captures on a real Neuron device, by the documented interface of torch_neuronx."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..errors import CaptureError
from ..simulator import real_package
from .options import CaptureOptions


class Neuron:
    """Raises `CaptureError` where the native torch_neuronx cannot be imported."""

    kind = "neuron"
    name = "AWS Neuron device"

    def __init__(self) -> None:
        if real_package() is None:
            raise CaptureError("No Neuron device here: torch_neuronx is not installed.")
        try:
            import torch
            import torch_neuronx.profiling  # noqa: F401
        except ImportError as error:
            raise CaptureError(f"No Neuron device here: {error}.") from None
        if not hasattr(torch, "neuron"):
            raise CaptureError(
                'No Neuron device here: this torch_neuronx does not register the device "neuron".'
            )

    def profiler_arguments(self, folder: Path, options: CaptureOptions) -> dict[str, Any]:
        from torch.profiler import ProfilerActivity
        from torch_neuronx.profiling import NeuronConfig, NeuronProfiler, ProfileMode

        config = NeuronConfig(
            modes=[ProfileMode.RUNTIME], profile_output_dir=str(folder), correlate_device_time=True
        )
        return {
            "activities": [ProfilerActivity.CPU, ProfilerActivity.PrivateUse1],
            "experimental_config": config,
            "on_trace_ready": NeuronProfiler(config).export_trace,
        }

    def synchronize(self) -> None:
        import torch

        torch.neuron.synchronize()
