"""Where the time of each chain goes: its stations, and the waits between them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from ..trace import Lane, Trace
from .label import labelled
from .ownership import ids_of, names_of
from .submissions import Submissions, submissions

if TYPE_CHECKING:
    import pandas as pd

#: Stations and waits in the order in which a submission passes them, with what each is called.
STATIONS = {
    "dispatch_us": "dispatch on the host",
    "to_runtime_us": "waiting for the runtime",
    "runtime_us": "the runtime",
    "to_hardware_us": "waiting for the hardware",
    "hardware_us": "the hardware",
}


@labelled
def latency(trace: Trace, by: Literal["chain", "operator"] = "chain") -> pd.DataFrame:
    """Time at and between the stations of every submission that executed, in order of dispatch. In µs.

    ``dispatch_us``, ``runtime_us``, ``hardware_us`` are stations, ``to_runtime_us`` and ``to_hardware_us``
    the waits from the end of one to the start of the next, negative where it began earlier; NaN where the
    trace holds no such station (the wait then spans it). They add up to ``total_us``. ``stream_us`` is the
    framework's own view of the execution and is not added. ``event`` is the operator's id.

    ``by="operator"`` gives per operator and part the number of chains, the sum, the mean, the median, the
    95th percentile and the maximum.
    """
    if by not in ("chain", "operator"):
        raise ValueError(f"by is 'chain' or 'operator', not {by!r}")
    table = _chains(trace, submissions(trace))
    if by == "chain":
        return table
    long = table.melt("name", [*STATIONS, "total_us"], "part", "us").dropna()
    groups = long.groupby(["name", "part"], sort=False)["us"]
    result = groups.agg(chains="size", sum_us="sum", mean_us="mean", median_us="median", max_us="max")
    result.insert(4, "p95_us", groups.quantile(0.95))
    order = table.groupby("name")["total_us"].sum().sort_values(ascending=False).index
    return result.loc[
        [(name, part) for name in order for part in (*STATIONS, "total_us") if (name, part) in result.index]
    ]


def _chains(trace: Trace, found: Submissions) -> pd.DataFrame:
    import pandas as pd

    chosen = np.flatnonzero(found.executes)
    root, operator, runtime, stream = (
        column[chosen] for column in (found.root, found.operator, found.runtime, found.stream)
    )
    dispatch = np.where(operator >= 0, operator, np.where(trace.lane[root] == Lane.DISPATCH, root, -1))
    begin, end = found.begin[chosen], found.end[chosen]
    has_dispatch, has_runtime = dispatch >= 0, runtime >= 0
    dispatch_end = np.where(has_dispatch, trace.end[dispatch], 0) if len(trace) else dispatch
    runtime_start = np.where(has_runtime, trace.start[runtime], 0) if len(trace) else runtime
    runtime_end = np.where(has_runtime, trace.end[runtime], dispatch_end) if len(trace) else runtime
    ns = {
        "dispatch_us": (trace.dur[dispatch], has_dispatch),
        "to_runtime_us": (runtime_start - dispatch_end, has_dispatch & has_runtime),
        "runtime_us": (trace.dur[runtime], has_runtime),
        "to_hardware_us": (begin - runtime_end, has_dispatch | has_runtime),
        "hardware_us": (end - begin, np.ones(len(chosen), bool)),
    }
    table = pd.DataFrame(
        {name: np.where(known, values / 1000.0, np.nan) for name, (values, known) in ns.items()}
    )
    table["total_us"] = sum(np.where(known, values, 0) for values, known in ns.values()) / 1000.0
    table["stream_us"] = np.where(stream >= 0, trace.dur[stream] / 1000.0, np.nan)
    table.insert(0, "event", ids_of(trace, np.where(dispatch >= 0, dispatch, root)))
    table.insert(1, "name", names_of(trace, np.where(dispatch >= 0, dispatch, root)))
    return table


def holder(trace: Trace) -> dict[str, Any]:
    """Which part holds most of the time of all chains: ``part``, ``text``, ``us``, ``share`` of the time of
    all parts and ``chains``; empty without an execution. A negative wait counts as none."""
    table = latency(trace)
    if not len(table):
        return {}
    sums = table[list(STATIONS)].clip(lower=0).sum()
    part = str(sums.idxmax())
    return {
        "part": part,
        "text": STATIONS[part],
        "us": float(sums[part]),
        "share": float(sums[part] / sums.sum()),
        "chains": len(table),
    }
