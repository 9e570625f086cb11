"""The physical cores of a trace, and what to call them."""

from __future__ import annotations

from collections import Counter

from ..trace import Lane, Trace
from .records import unique


def cores(trace: Trace) -> dict[int, str]:
    """The tracks of the hardware lane by number, each under a name that no other one has.

    That is the track's label; cores of several processes or machines with one label are told apart by these.
    """
    tracks = {number: track for number, track in enumerate(trace.tracks) if track.lane is Lane.HARDWARE}
    labels = Counter(track.label for track in tracks.values())
    places = Counter((track.label, track.process) for track in tracks.values())
    names = []
    for track in tracks.values():
        of = f" of process {track.process}" if labels[track.label] > 1 else ""
        on = f" on {track.instance}" if places[track.label, track.process] > 1 else ""
        names.append(f"{track.label}{of}{on}")
    return dict(zip(tracks, unique(names), strict=True))
