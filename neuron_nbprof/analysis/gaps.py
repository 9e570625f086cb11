"""Why each physical core stood still: every idle interval, cut where its cause changes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..trace import Lane, Trace
from .calls import SYNCHRONIZE
from .intervals import complement, inside, union
from .memo import once_per_trace
from .ownership import Mask, Rows, device_work, ids_of, named, names_of
from .steps import steps, window
from .submissions import COPIES, Submissions, submissions

if TYPE_CHECKING:
    import pandas as pd

#: Causes in order of precedence: where two hold at once the first is named.
CAUSES = {
    "NEFF switch": "the core changed from one program to another",
    "collective wait": "the core waited for other cores",
    "copy": "the runtime moved data between host and device",
    "runtime": "work had been submitted and had not started",
    "synchronise": "nothing was submitted, the host sat in a synchronise call",
    "end of step": "the last execution of the step was over",
    "host not ready": "nothing was submitted",
    "unknown": "the next execution is not linked to what submitted it",
}
Layer = tuple[Rows, Rows]


def gaps(trace: Trace) -> pd.DataFrame:
    """Every idle interval of every physical core within `steps.window`, in order. Times in µs.

    One row per ``core``, ``gap`` (numbered per core) and ``cause`` (`CAUSES`): ``start_us``, ``dur_us``;
    ``event``: the operator whose chain ended the gap, ``name``, ``execution``: the hardware row that ended
    it (ids, NA at the end of the window). On each core these and the executions add up to the window exactly.
    """
    return intervals(trace).copy()


@once_per_trace
def intervals(trace: Trace) -> pd.DataFrame:
    """The table of `gaps`, shared by all who only read it."""
    import pandas as pd

    found = submissions(trace)
    low, high = window(trace)
    layers = {
        "copy": _union(trace, named(trace, *COPIES) & (trace.lane == Lane.RUNTIME)),
        "synchronise": _union(trace, named(trace, *SYNCHRONIZE) & (trace.lane == Lane.DISPATCH)),
    }
    cores = [
        _core(trace, found, track, layers, low, high)
        for track, place in enumerate(trace.tracks)
        if place.lane is Lane.HARDWARE
    ]
    columns = ["core", "gap", "cause", "start_us", "dur_us", "event", "name", "execution"]
    return pd.concat(cores, ignore_index=True)[columns] if cores else pd.DataFrame(columns=columns)


def gap_totals(trace: Trace) -> pd.DataFrame:
    """Per physical core in µs: ``window_us``, ``busy_us``, ``idle_us``, then each cause, ``longest_us`` of
    its gaps and ``idle_share`` (0..1). ``busy_us + idle_us == window_us`` and the causes add up to idle."""
    import pandas as pd

    table = intervals(trace)
    low, high = window(trace)
    work = device_work(trace)
    rows = {}
    for number, place in enumerate(trace.tracks):
        if place.lane is not Lane.HARDWARE:
            continue
        own = work[trace.track[work] == number]
        start, end = union(trace.start[own], trace.end[own])
        busy = int((end - start).sum())
        mine = table[table["core"] == place.label]
        causes = mine.groupby("cause")["dur_us"].sum()
        rows[place.label] = {
            "window_us": (high - low) / 1000,
            "busy_us": busy / 1000,
            "idle_us": (high - low - busy) / 1000,
            **{cause: float(causes.get(cause, 0.0)) for cause in CAUSES},
            "longest_us": float(mine.groupby("gap")["dur_us"].sum().max()) if len(mine) else 0.0,
            "idle_share": (high - low - busy) / (high - low) if high > low else float("nan"),
        }
    columns = ["window_us", "busy_us", "idle_us", *CAUSES, "longest_us", "idle_share"]
    return pd.DataFrame.from_dict(rows, orient="index", columns=columns).astype(float).rename_axis("core")


def _union(trace: Trace, wanted: Mask) -> Layer:
    return union(trace.start[wanted], trace.end[wanted])


def _core(
    trace: Trace, found: Submissions, track: int, shared: dict[str, Layer], low: int, high: int
) -> pd.DataFrame:
    import pandas as pd

    here = trace.track[found.rows] == track
    rows, of = found.rows[here], found.of[here]
    order = np.argsort(trace.start[rows], kind="stable")
    rows, of = rows[order], of[order]
    start, end = complement(*union(trace.start[rows], trace.end[rows]), low, high)
    # the execution that ended each gap; a row without length does not end one
    lasting = np.flatnonzero(trace.dur[rows] > 0)
    at = np.searchsorted(trace.start[rows][lasting], end)
    ended = at < len(lasting)
    ender = np.full(len(end), -1, np.int64)
    ender[ended] = lasting[at[ended]]
    layers = {
        **shared,
        "NEFF switch": _union(trace, named(trace, "nc_model_switch") & (trace.track == track)),
        "collective wait": _union(trace, named(trace, "cc_exec_barrier") & (trace.track == track)),
        **_of_the_next(trace, found, of, ender, start, end),
        "end of step": _ends(trace, start, end, high),
    }
    cuts = [moment for layer in layers.values() for moment in layer]
    moments = np.sort(np.concatenate([start, end, *cuts]))
    moments = moments[np.diff(moments, prepend=moments[:1] - 1) > 0]
    begin, finish = moments[:-1], moments[1:]
    idle = inside(begin, start, end)
    begin, finish = begin[idle], finish[idle]
    cause = np.full(len(begin), list(CAUSES).index("host not ready"))
    # the weakest first, so that the stronger overwrite it
    for number, name in reversed(list(enumerate(CAUSES))):
        if name in layers:
            cause[inside(begin, *layers[name])] = number
    gap = np.searchsorted(start, begin, "right") - 1
    changes = np.flatnonzero((np.diff(gap, prepend=-1) != 0) | (np.diff(cause, prepend=-1) != 0))
    gap, cause, begin = gap[changes], cause[changes], begin[changes]
    finish = np.append(finish[changes[1:] - 1], finish[-1:])
    ender = ender[gap]
    operator = np.where(ender >= 0, found.operator[of[ender]], -1) if len(of) else ender
    execution = np.where(ender >= 0, rows[ender], -1) if len(rows) else ender
    return pd.DataFrame(
        {
            "core": trace.tracks[track].label,
            "gap": gap,
            "cause": np.array(list(CAUSES), object)[cause],
            "start_us": begin / 1000,
            "dur_us": (finish - begin) / 1000,
            "event": _ids(trace, operator),
            "name": names_of(trace, operator),
            "execution": _ids(trace, execution),
        }
    )


def _of_the_next(
    trace: Trace, found: Submissions, of: Rows, ender: Rows, start: Rows, end: Rows
) -> dict[str, Layer]:
    """From the moment the next execution had been submitted it is the runtime's; if unknown, unknown."""
    ends = ender >= 0
    submission = of[ender[ends]]
    root, runtime = found.root[submission], found.runtime[submission]
    handed = np.where(trace.lane[root] == Lane.DISPATCH, trace.end[root], trace.start[root])
    handed = np.where(runtime >= 0, np.minimum(handed, trace.start[runtime]), handed)
    linked = trace.lane[root] != Lane.HARDWARE
    begin, finish = start[ends], end[ends]
    submitted = np.clip(handed, begin, finish)
    waits = linked & (submitted < finish)
    return {
        "runtime": (submitted[waits], finish[waits]),
        "unknown": (begin[~linked], finish[~linked]),
    }


def _ends(trace: Trace, start: Rows, end: Rows, high: int) -> Layer:
    """From the last execution of each step to its end, and to the end of the window."""
    moments = np.unique(np.append(trace.end[steps(trace)], high))
    gap = np.searchsorted(start, moments, "left") - 1
    ended = (gap >= 0) & (moments <= end[np.maximum(gap, 0)]) if len(start) else np.zeros(len(moments), bool)
    gap, moments = gap[ended], moments[ended]
    last = np.append(gap[1:] != gap[:-1], True)[: len(gap)]  # of several steps in one gap the last
    return start[gap[last]], moments[last]


def _ids(trace: Trace, rows: Rows) -> pd.Series:
    import pandas as pd

    return pd.Series(ids_of(trace, rows), dtype="Int64").mask(rows < 0)
