"""NTFF: a device trace of one core or one program.

Decoding one needs AWS' tools and tables that are not public, so here it is an item with a size, a core and a
state. A file of 0 bytes is normal: a core that was initialised and ran nothing writes one.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from ..errors import ReadError
from ..trace.rows import Rows
from .naming import Named, ntff_name
from .source import Progress, Source

NAME = "device trace (NTFF)"
HEADER_BYTES = 128


@dataclass(frozen=True)
class NtffFile:
    """One device trace; ``size`` in bytes, ``state`` in words."""

    path: Path
    size: int
    named: Named
    state: str


def recognises(head: bytes) -> bool:
    """Never: the file has no magic number, only its name tells."""
    return False


def read(source: Source, progress: Progress | None = None) -> Rows:
    """Raises ReadError always: only AWS' tool decodes a device trace."""
    place = source.path.parent if source.path else Path(".")
    raise ReadError(
        f"{source.name} is an NTFF, a raw device trace that only neuron-explorer decodes "
        f"({state(source.size)}); run `neuron-explorer view -d {place} --ingest-only` and open the folder "
        "that it writes."
    )


def describe(path: str | os.PathLike[str]) -> NtffFile:
    """Size, name and state of an NTFF. Raises ReadError when there is no such file."""
    place = Path(path)
    try:
        size = place.stat().st_size
    except OSError as error:
        raise ReadError(f"{place} cannot be read: {error.strerror or error}.") from None
    return NtffFile(place, size, ntff_name(place.name) or Named("other"), state(size))


def state(size: int) -> str:
    """What a size says, in words; none of it is an error."""
    if size == 0:
        return "empty: nothing ran on this core in the window, or there was no warm-up"
    if size <= HEADER_BYTES:
        return "header only: nothing ran on this core in the window"
    return "holds a device trace"
