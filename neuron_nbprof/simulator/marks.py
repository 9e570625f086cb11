"""The time between two recorded events, on the modelled device."""

from __future__ import annotations

from .placement import HostEvents, place
from .presets import cost_model
from .recorder import recorder
from .schedule import simulate


def between(first: int, last: int) -> int:
    """ns from one mark to another.  Raises RuntimeError where what ran between them is no longer known."""
    if not {first, last} <= recorder.marks.keys():
        recorder.marks = _instants()
    try:
        return recorder.marks[last] - recorder.marks[first]
    except KeyError:
        raise RuntimeError(
            "The time between these events is not known: record both in one profile, or both outside of any."
        ) from None


def _instants() -> dict[int, int]:
    """Instants of all marks that the recorder still holds, without the host's own events."""
    records = list(recorder.records)
    if not records:
        return {}
    origin = min(record.entered for record in records)
    placed = place(records, HostEvents((), int), origin)
    return simulate(placed, cost_model(), ()).marks
