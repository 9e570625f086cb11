"""How a capture folder is made: a piece of code, run some times under `torch.profiler` on some device."""

from __future__ import annotations

from .conversion import Conversion, convert
from .marks import LineMark
from .options import DEVICE_COST, MODES, ONCE, CaptureOptions, Schedule
from .preflight import check
from .runner import CAPTURE_FILE, Recording, add_notes, describe, record
from .targets import CHOICES, Target, choose, default

__all__ = [
    "CAPTURE_FILE",
    "CHOICES",
    "DEVICE_COST",
    "MODES",
    "ONCE",
    "CaptureOptions",
    "Conversion",
    "LineMark",
    "Recording",
    "Schedule",
    "Target",
    "add_notes",
    "check",
    "choose",
    "convert",
    "default",
    "describe",
    "record",
]
