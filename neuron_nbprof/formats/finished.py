"""A ``torch.profiler.profile`` that has ended, read through the trace that it exports."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any, Protocol, TypeGuard

from ..errors import ReadError
from ..trace import Trace
from . import folder


class FinishedProfiler(Protocol):
    """What is asked of a profiler; torch itself is not imported for it."""

    def export_chrome_trace(self, path: str) -> Any: ...


def is_profiler(what: object) -> TypeGuard[FinishedProfiler]:
    return hasattr(what, "export_chrome_trace")


def read(profiler: FinishedProfiler) -> Trace:
    """The Trace of a finished profiler. Raises ReadError when it has not recorded or was exported before."""
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "profile.json"
        try:
            profiler.export_chrome_trace(str(path))
        except (RuntimeError, AssertionError, AttributeError) as error:
            reason = str(error).partition("\n")[0] or "it has recorded nothing"
            raise ReadError(
                f"The profiler gives no trace ({reason}); stop it first, and export it only once."
            ) from None
        trace = folder.read(path)
    trace.source = "a finished torch.profiler.profile"
    return trace
