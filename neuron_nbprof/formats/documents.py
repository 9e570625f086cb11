"""The formats that are one file, recognised by what they hold."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from ..trace import Rows
from . import kineto, neff, neuron_explorer_json, nrt_sys_trace, ntff, ntrace
from .source import Progress, Source


class Format(Protocol):
    """What a module of one format offers."""

    NAME: str

    def recognises(self, head: bytes) -> bool: ...

    def read(self, source: Source, progress: Progress | None = None) -> Rows: ...


#: The most common first; ``ntrace`` has no magic number and comes last.
FORMATS: tuple[Format, ...] = (kineto, nrt_sys_trace, neuron_explorer_json, neff, ntrace)


def recognise(file: Path | Source) -> Format | None:
    """The format of a file by its first bytes, None for one that is none of ours or cannot be read."""
    try:
        source = file if isinstance(file, Source) else Source(file)
        head = source.head()
    except OSError:
        return None
    known = next((known for known in FORMATS if known.recognises(head)), None)
    if known is None and source.path is not None:
        # raw files without a magic number are told by their documented names
        if source.path.name == "ntrace.pb":
            return ntrace
        if source.path.suffix == ".ntff":
            return ntff
    return known
