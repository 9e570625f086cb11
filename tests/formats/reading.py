"""What readers of runtime events make of a document, as plain values."""

from __future__ import annotations

from collections.abc import Callable

from neuron_nbprof import ReadError
from neuron_nbprof.trace import Rows, assemble

#: Unix ns that the times in the tests count from.
BASE = 1_790_857_027_000_000_000


def table(rows: Rows) -> set[tuple[str, str, int, int]]:
    """Track, name, start from `BASE` and duration of every row."""
    return {
        (rows.tracks[track].label, rows.strings[name], start - BASE, dur)
        for track, name, start, dur in zip(
            rows.track.tolist(), rows.name.tolist(), rows.start.tolist(), rows.dur.tolist(), strict=True
        )
    }


def outcome(read: Callable[[bytes], Rows], data: bytes) -> Rows | None:
    """Rows that make a Trace, or None for a document that is refused, which takes one line."""
    try:
        rows = read(data)
    except ReadError as error:
        assert "\n" not in str(error)
        return None
    assert (rows.dur >= 0).all()
    assert len(rows.args) == len(rows)
    assemble(rows, title="", source="")
    return rows
