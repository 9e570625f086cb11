"""Which operators take the time, on the host and on the device."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from ..trace import Trace
from .ownership import device_work, ownership, union_by_group

if TYPE_CHECKING:
    import pandas as pd

Where = Literal["all", "compute"]
COLUMNS = ("name", "calls", "cpu_us", "self_cpu_us", "neuron_us", "share", "executions")


def key_averages(trace: Trace, where: Where = "all") -> pd.DataFrame:
    """One row per operator name, the most expensive on the device first.

    ``calls``: operator rows of that name; ``cpu_us``, ``self_cpu_us``: their host time with and without the
    operators inside them; ``neuron_us``: device time of what they launched themselves, each execution the
    union over its physical cores (at LNC=2 a plain sum would double it); ``share`` of the sum of
    ``neuron_us`` (0..1, NaN when nothing ran on the device); ``executions``: submissions that reached the
    hardware. ``where="compute"`` keeps the operators that executed on the device and leaves out copies,
    allocation and synchronisation. Times in µs.
    """
    import pandas as pd

    if where not in ("all", "compute"):
        raise ValueError(f"where is 'all' or 'compute', not {where!r}")
    owned = ownership(trace)
    work = device_work(trace)
    work = work[owned.operator[work] >= 0]
    operator = owned.operator[work]
    device = union_by_group(operator, trace.start[work], trace.end[work])
    executions = np.zeros(len(trace), np.int64)
    _, first = np.unique(owned.root[work], return_index=True)
    np.add.at(executions, operator[first], 1)

    rows = np.union1d(trace.operators(), operator).astype(np.int64)
    inside = np.zeros(len(trace), np.int64)
    nested = rows[trace.parent[rows] >= 0]
    np.add.at(inside, trace.parent[nested], trace.dur[nested])
    frame = pd.DataFrame(
        {
            "name": [trace.name_of(row) for row in rows.tolist()],
            "calls": 1,
            "cpu_us": trace.dur[rows],
            "self_cpu_us": trace.dur[rows] - inside[rows],
            "neuron_us": [device.get(row, 0) for row in rows.tolist()],
            "executions": executions[rows],
        }
    )
    table = frame.groupby("name", as_index=False).sum()
    total = table["neuron_us"].sum()
    table["share"] = table["neuron_us"] / total if total else np.nan
    table[["cpu_us", "self_cpu_us", "neuron_us"]] /= 1000.0
    table = table.sort_values(["neuron_us", "cpu_us", "name"], ascending=[False, False, True])
    if where == "compute":
        table = table[table["executions"] > 0]
    table = table[list(COLUMNS)].reset_index(drop=True)
    table.columns.name = "SIMULATED, times are modelled" if trace.simulated else None
    return table
