"""The numbers of one version that a comparison sets beside those of the others, per recorded step."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..trace import Trace
from .calls import calls, host_time
from .intervals import union_by_group
from .ownership import Rows
from .programs import programs, switches
from .shapes import signatures
from .steps import step_of
from .submissions import Submissions, submissions


@dataclass(frozen=True)
class Version:
    """One profile; everything but ``steps``, the tuple and ``shortest_us`` is a mean per recorded step.

    ``device_us``, ``host_us``: device and host time of the operators that executed; ``idle_us``: between the
    first and the last execution of a step while nothing ran; ``busy_us``: while something ran;
    ``intermediates``: tensors that executions wrote before the last one of the step, and their bytes where
    shapes were recorded (NaN if none); ``step_device_us``: busy time of each step; ``shortest_us``: the
    shortest execution.
    """

    trace: Trace
    steps: int
    device_us: float
    host_us: float
    operator_calls: float
    executions: float
    busy_us: float
    idle_us: float
    submissions: float
    switches: float
    copies: float
    intermediates: float
    intermediate_bytes: float
    step_device_us: tuple[float, ...]
    shortest_us: float


def version(trace: Trace) -> Version:
    found = submissions(trace)
    each = calls(trace)
    step, steps = step_of(trace, trace.start[found.root])
    compute = each[each["kind"] == "compute"]
    busy, idle = _busy_and_idle(trace, found, step, steps)
    program, _ = programs(trace, found)
    between, between_bytes = _intermediates(trace, compute["row"].to_numpy(), steps)
    lengths = (found.end - found.begin)[found.executes & ~found.is_copy]
    return Version(
        trace=trace,
        steps=steps,
        device_us=float(compute["neuron_ns"].sum()) / 1000 / steps,
        host_us=host_time(trace, compute["row"].to_numpy()) / 1000 / steps,
        operator_calls=len(compute) / steps,
        executions=float(compute["executions"].sum()) / steps,
        busy_us=float(busy.sum()) / 1000 / steps,
        idle_us=float(idle.sum()) / 1000 / steps,
        submissions=len(found) / steps,
        switches=switches(trace, found, program) / steps,
        copies=float(found.is_copy.sum()) / steps,
        intermediates=between / steps,
        intermediate_bytes=between_bytes / steps,
        step_device_us=tuple((busy / 1000).tolist()),
        shortest_us=float(lengths.min()) / 1000 if len(lengths) else float("nan"),
    )


def _busy_and_idle(trace: Trace, found: Submissions, step: Rows, steps: int) -> tuple[Rows, Rows]:
    """Per step: the union of its executions, and what is left between the first and the last."""
    of_step = step[found.of]
    rows, of_step = found.rows[of_step >= 0], of_step[of_step >= 0]
    busy = union_by_group(of_step, trace.start[rows], trace.end[rows], steps)
    first = np.full(steps, np.iinfo(np.int64).max)
    last = np.full(steps, np.iinfo(np.int64).min)
    np.minimum.at(first, of_step, trace.start[rows])
    np.maximum.at(last, of_step, trace.end[rows])
    return busy, np.where(last > first, last - first - busy, 0)


def _intermediates(trace: Trace, rows: Rows, steps: int) -> tuple[int, float]:
    """Outputs of the operators that executed before the last one of each step, and their known bytes."""
    rows = rows[np.argsort(trace.start[rows], kind="stable")]
    step, _ = step_of(trace, trace.start[rows])
    last = np.append(step[1:] != step[:-1], True)[: len(rows)]
    numbers, known = signatures(trace, rows[~last])
    sizes = np.array([signature.output_bytes for signature in known], float)[numbers] if known else numbers
    if len(sizes) and np.isnan(sizes).all():
        return len(numbers), float("nan")
    return len(numbers), float(np.nansum(sizes))
