"""What to record, and what the capture should remember of it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class CaptureOptions:
    """The capture becomes a new folder ``<out>/<name>-<time>``."""

    name: str
    out: Path
    record_shapes: bool = True
    source: str | None = None
    """The text that was run, such as that of a notebook cell."""
    kernel_id: str | None = None
    notebook: str | None = None
