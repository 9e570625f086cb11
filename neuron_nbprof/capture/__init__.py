"""How a capture folder is made: a piece of code, run four times under `torch.profiler` on some device."""

from __future__ import annotations

from .options import CaptureOptions
from .runner import PHASES, record
from .targets import CHOICES, Target, choose, default

__all__ = ["CHOICES", "PHASES", "CaptureOptions", "Target", "choose", "default", "record"]
