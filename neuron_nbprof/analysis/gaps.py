"""Why each physical core stood still: every idle interval, cut where its cause changes."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..trace import Lane, Trace
from .calls import SYNCHRONIZE
from .intervals import complement, inside, union
from .label import labelled
from .memo import once_per_trace
from .ownership import Mask, Rows, device_work, ids_of, named
from .steps import steps, window
from .submissions import COPIES, Submissions, submissions
from .tracks import cores

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


class _Pieces(NamedTuple):
    """Idle time of one core in ns, a piece for each cause of each gap; rows are -1 for none."""

    gap: Rows
    cause: Rows
    start: Rows
    end: Rows
    operator: Rows
    execution: Rows


NOTHING = _Pieces(*np.zeros((6, 0), np.int64))


@labelled
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
    names = cores(trace)
    each = [_core(trace, found, track, layers, low, high) for track in names]
    core = np.repeat(np.arange(len(names)), [len(piece.gap) for piece in each])
    piece = _Pieces(*map(np.concatenate, zip(NOTHING, *each, strict=True)))
    return pd.DataFrame(
        {
            # numbers with a list of words: texts would cost more than all the rest
            "core": pd.Categorical.from_codes(core, list(names.values())),
            "gap": piece.gap,
            "cause": pd.Categorical.from_codes(piece.cause, list(CAUSES)),
            "start_us": piece.start / 1000,
            "dur_us": (piece.end - piece.start) / 1000,
            "event": _ids(trace, piece.operator),
            "name": pd.Categorical.from_codes(_names(trace, piece.operator), trace.strings),
            "execution": _ids(trace, piece.execution),
        }
    )


@labelled
def gap_totals(trace: Trace) -> pd.DataFrame:
    """Per physical core in µs: ``window_us``, ``busy_us``, ``idle_us``, then each cause, ``longest_us`` of
    its gaps and ``idle_share`` (0..1). ``busy_us + idle_us == window_us`` and the causes add up to idle."""
    import pandas as pd

    table = intervals(trace)
    cause_of = table["cause"].cat.codes.to_numpy()
    dur = np.rint(table["dur_us"].to_numpy() * 1000)
    low, high = window(trace)
    work = device_work(trace)
    rows = {}
    for place, (number, core) in enumerate(cores(trace).items()):
        own = work[trace.track[work] == number]
        start, end = union(trace.start[own], trace.end[own])
        busy = int((end - start).sum())
        mine = (table["core"].cat.codes == place).to_numpy()
        gap, cause, lasted = (column[mine] for column in (table["gap"].to_numpy(), cause_of, dur))
        by_cause = np.bincount(cause, lasted, len(CAUSES))
        rows[core] = {
            "window_us": (high - low) / 1000,
            "busy_us": busy / 1000,
            "idle_us": (high - low - busy) / 1000,
            **{name: int(ns) / 1000 for name, ns in zip(CAUSES, by_cause, strict=True)},
            "longest_us": int(np.bincount(gap, lasted).max(initial=0)) / 1000,
            "idle_share": (high - low - busy) / (high - low) if high > low else float("nan"),
        }
    columns = ["window_us", "busy_us", "idle_us", *CAUSES, "longest_us", "idle_share"]
    return pd.DataFrame.from_dict(rows, orient="index", columns=columns).astype(float).rename_axis("core")


def _union(trace: Trace, wanted: Mask) -> Layer:
    return union(trace.start[wanted], trace.end[wanted])


def _core(
    trace: Trace, found: Submissions, track: int, shared: dict[str, Layer], low: int, high: int
) -> _Pieces:
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
    return _Pieces(gap, cause, begin, finish, operator, execution)


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


def _names(trace: Trace, rows: Rows) -> Rows:
    return np.where(rows >= 0, trace.name[rows], -1) if len(trace) else rows


def _ids(trace: Trace, rows: Rows) -> pd.Series:
    import pandas as pd

    return pd.Series(ids_of(trace, rows), dtype="Int64").mask(rows < 0)
