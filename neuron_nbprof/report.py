"""The same answers as text: for terminals, logs and notebooks without a widget."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .profile import Profile

if TYPE_CHECKING:
    import pandas as pd

SIMULATED = "SIMULATED: numerics on the CPU, every time from a cost model, nothing measured."


def headline(profile: Profile) -> str:
    """One line: device time, host time, executions, and how busy the device was in between."""
    numbers = profile.summary()
    label = f"SIMULATED · {profile.device} · " if profile.simulated else ""
    if not numbers["executions"]:
        return f"{profile.title}: {label}{numbers['events']:,} events, none of them an execution on a device"
    host = f"{microseconds(numbers['host_ns'])} host"
    if numbers["synchronize_ns"]:
        host += f" + {microseconds(numbers['synchronize_ns'])} synchronise"
    return (
        f"{profile.title}: {label}{microseconds(numbers['device_ns'])} on the device · {host} · "
        f"{count(numbers['executions'], 'execution')} · busy {numbers['busy_share']:.0%} from first to last"
    )


def operators(profile: Profile, where: str = "all", rows: int = 12, table: pd.DataFrame | None = None) -> str:
    """The first ``rows`` rows of the operator table, or of rows chosen from it; modelled times say so."""
    if table is None:
        table = profile.key_averages("compute" if where == "compute" else "all")
    kind = " (modelled)" if profile.simulated else ""
    shown = table.head(rows)
    text = _aligned(
        {
            "name": shown["name"].tolist(),
            "calls": [f"{value:,}" for value in shown["calls"]],
            f"CPU µs{kind}": [f"{value:,.1f}" for value in shown["cpu_us"]],
            f"Neuron µs{kind}": [f"{value:,.1f}" for value in shown["neuron_us"]],
            "of Neuron time": ["" if value != value else f"{value:.1%}" for value in shown["share"]],
        }
    )
    if len(table) > rows:
        text += f"\n… and {len(table) - rows} more operators"
    if profile.simulated and not table["executions"].all():
        text += "\nCPU time of rows that did not run on the device is this machine's, not modelled."
    return text


def comparison(table: pd.DataFrame) -> str:
    """The side-by-side table of `neuron_nbprof.compare` with its remarks below."""
    simulated = (table["basis"] == "SIMULATED").all()
    kind = " (modelled)" if simulated else ""
    text = _aligned(
        {
            "version": [str(name) for name in table.index],
            f"Neuron µs{kind}": [f"{value:,.0f}" for value in table["device_us"]],
            "of the first": ["" if value != value else f"{value:.2f}×" for value in table["device_ratio"]],
            f"CPU µs{kind}": [f"{value:,.0f}" for value in table["host_us"]],
            "operator calls": [str(value) for value in table["operator_calls"]],
            "executions": [str(value) for value in table["executions"]],
            **({} if simulated else {"basis": table["basis"].tolist()}),
        }
    )
    remarks = [f"{name}: {remark}" for name, remark in table["remark"].items() if remark]
    return "\n".join([text, *remarks])


def microseconds(ns: int) -> str:
    """A duration with a unit that fits: ns below a microsecond, ms from ten of them on."""
    if ns < 1_000:
        return f"{ns} ns"
    return f"{ns / 1_000:,.0f} µs" if ns < 10_000_000 else f"{ns / 1_000_000:,.1f} ms"


def count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _aligned(columns: dict[str, list[str]]) -> str:
    """Columns side by side, the first to the left and the others to the right."""
    lines = [list(columns), *map(list, zip(*columns.values(), strict=True))]
    widths = [max(len(line[i]) for line in lines) for i in range(len(columns))]
    return "\n".join(
        "  ".join(
            cell.ljust(w) if i == 0 else cell.rjust(w)
            for i, (cell, w) in enumerate(zip(line, widths, strict=True))
        )
        for line in lines
    )
