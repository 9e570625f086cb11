"""Captures on any PyTorch machine: the host, and the accelerator that PyTorch finds beside it."""

from __future__ import annotations

import os
import socket
import time
from pathlib import Path
from typing import Any

from ..errors import CaptureError
from .options import CaptureOptions


class Host:
    """Raises `CaptureError` where there is no PyTorch."""

    kind = "host"

    def __init__(self) -> None:
        self.notes: list[str] = []
        os.environ.setdefault(
            "KINETO_LOG_LEVEL", "6"
        )  # its start and stop messages go to the file descriptor 2
        try:
            import torch
        except ImportError:
            raise CaptureError(
                "Recording needs PyTorch: pip install 'neuron-nbprof[torch]' brings the tested version."
            ) from None
        accelerator = torch.accelerator.current_accelerator(check_available=True)
        self.name = f"host with {accelerator.type}" if accelerator else "host CPU"

    def profiler_arguments(self, folder: Path, options: CaptureOptions) -> dict[str, Any]:
        import torch

        return {
            "activities": torch.profiler.supported_activities(),
            "on_trace_ready": lambda profiler: export(profiler, folder),
        }

    def synchronize(self) -> None:
        import torch

        if torch.accelerator.is_available():
            torch.accelerator.synchronize()


def export(profiler: Any, folder: Path) -> None:
    """Write the trace of a `torch.profiler.profile` into a session of its own below `folder`."""
    session = folder / f"{socket.gethostname()}_pid_{os.getpid()}" / str(time.time_ns())
    session.mkdir(parents=True)
    profiler.export_chrome_trace(str(session / "trace.json"))
