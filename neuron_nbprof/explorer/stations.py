"""A chain as a table: what the explorer's panel lists, for Python."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..analysis.label import label
from ..trace import Lane, Line, Trace

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = ["station", "lane", "track", "name", "start_us", "duration_us", "wait_before_us", "rule"]


def table(trace: Trace, lines: list[Line]) -> pd.DataFrame:
    """One row per station, in the order of the lanes; the index numbers the executions of the chain from 1.

    ``station`` is the number of the lane; ``start_us`` counts from the first event. ``wait_before_us`` is the
    wait after the station before, negative when this one began earlier, with the ``rule`` that linked them.
    The stream row is the framework's view of the execution: it has no wait and counts in no sum, while
    duration and wait of the other rows of an execution add up to its total. Times in µs.
    """
    import pandas as pd

    rows = [(number, row) for number, line in enumerate(lines, 1) for row in _rows(trace, line)]
    index = pd.Index([number for number, _ in rows], name="execution", dtype=np.int64)
    return label(pd.DataFrame([row for _, row in rows], columns=COLUMNS, index=index), trace.simulated)


def _rows(trace: Trace, line: Line) -> list[dict[str, Any]]:
    waits = [None, *line.waits]
    rows = [
        {
            **_place(trace, station.rows),
            "start_us": station.start / 1000,
            "duration_us": station.dur / 1000,
            "wait_before_us": wait.ns / 1000 if wait else np.nan,
            "rule": wait.rule.text if wait else "",
        }
        for station, wait in zip(line.stations, waits, strict=True)
    ]
    if line.stream is not None:
        start, dur = trace.start[line.stream] / 1000, trace.dur[line.stream] / 1000
        rows.append(
            {
                **_place(trace, [line.stream]),
                "start_us": float(start),
                "duration_us": float(dur),
                "wait_before_us": np.nan,
                "rule": "seen by the framework, not added",
            }
        )
    return sorted(rows, key=lambda row: row["station"])


def _place(trace: Trace, rows: list[int]) -> dict[str, Any]:
    lane = Lane(int(trace.lane[rows[0]]))
    labels = dict.fromkeys(trace.track_of(row).label for row in rows)
    return {
        "station": lane + 1,
        "lane": lane.title,
        "track": ", ".join(labels),
        "name": trace.name_of(rows[0]),
    }
