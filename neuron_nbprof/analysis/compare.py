"""Several profiles side by side, as the guide's last table shows them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..trace import Trace
from .operators import key_averages

if TYPE_CHECKING:
    import pandas as pd


def compare(traces: Sequence[Trace]) -> pd.DataFrame:
    """One row per profile, in the order given; the first is the baseline.

    ``device_us`` and ``host_us`` are the device and host time of the operators that executed on the device,
    ``operator_calls`` their number, ``executions`` what reached the hardware, ``device_ratio`` the device
    time over the baseline's. ``remark`` says what a comparison must not conclude: times of the simulated
    device that lie within the error of its model are *not distinguished by the model*.
    """
    import pandas as pd

    rows = []
    for trace in traces:
        table = key_averages(trace, where="compute")
        rows.append(
            {
                "version": trace.title,
                "device_us": table["neuron_us"].sum(),
                "host_us": table["cpu_us"].sum(),
                "operator_calls": int(table["calls"].sum()),
                "executions": int(table["executions"].sum()),
                "basis": "SIMULATED" if trace.simulated else "measured",
            }
        )
    result = pd.DataFrame(
        rows, columns=["version", "device_us", "host_us", "operator_calls", "executions", "basis"]
    )
    baseline = result["device_us"].iloc[0] if len(result) else 0
    result.insert(2, "device_ratio", result["device_us"] / baseline if baseline else float("nan"))
    result["remark"] = [_remark(i, traces, result["device_us"].tolist()) for i in range(len(traces))]
    result.columns.name = "SIMULATED, times are modelled" if any(t.simulated for t in traces) else None
    return result.set_index("version")


def _remark(index: int, traces: Sequence[Trace], device: list[float]) -> str:
    trace = traces[index]
    alike = [
        other.title
        for i, other in enumerate(traces)
        if i != index
        and trace.simulated
        and other.simulated
        and device[i]
        and device[index]
        and abs(device[i] - device[index]) <= model_error(trace) * max(device[i], device[index])
    ]
    remarks = [f"device time not distinguished by the model from {', '.join(alike)}"] if alike else []
    if not device[index]:
        remarks.append("nothing reached the hardware: was there a synchronise inside the recorded run?")
    if len({other.simulated for other in traces}) > 1 and trace.simulated:
        remarks.append("simulated, not comparable with the measured ones")
    return "; ".join(remarks)


def model_error(trace: Trace) -> float:
    """Relative error of the device times of a simulated trace, as its cost model states it (0 if none)."""
    model = trace.attributes.get("neuron_simulated")
    resolution = model.get("resolution") if isinstance(model, dict) else None
    return float(resolution.get("device_relative_error", 0.0)) if isinstance(resolution, dict) else 0.0
