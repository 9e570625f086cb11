"""The same answers as text: for terminals, logs and notebooks without a widget."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from .errors import printable

if TYPE_CHECKING:
    import pandas as pd

    from .analysis.compare import Comparison
    from .analysis.insights import Insight
    from .trace import Chain, Note, Trace

SIMULATED = "SIMULATED: numerics on the CPU, every time from a cost model, nothing measured."
MEASURED = "its own time was measured on this machine and not modelled: it did not run on the device"
#: A summary is no longer than this, however much there is to say.
MOST_LINES = 25
_MARKS = {"error": "!!", "warning": "! ", "info": "  "}


class Answers(Protocol):
    """What of a `Profile` the texts are made of."""

    @property
    def trace(self) -> Trace: ...
    @property
    def title(self) -> str: ...
    @property
    def simulated(self) -> bool: ...
    @property
    def device(self) -> str: ...
    @property
    def notes(self) -> list[Note]: ...
    def summary(self) -> dict[str, Any]: ...
    def key_averages(self, *args: Any, **options: Any) -> pd.DataFrame: ...
    def gap_totals(self) -> pd.DataFrame: ...
    def critical_path(self, by: Any = ...) -> pd.DataFrame: ...
    def insights(self) -> list[Insight]: ...
    def reconcile(self) -> str: ...


def text(profile: Answers) -> str:
    """The whole profile in at most `MOST_LINES` lines: headline, where the time goes, operators, insights."""
    lines = [headline(profile), *([SIMULATED] if profile.simulated else [])]
    lines += filter(None, (latency(profile), idle(profile), critical(profile)))
    said = [f"{_MARKS[found.severity]} {found.sentence}" for found in profile.insights()]
    notes = [f"note: {note.text} ({note.count:,})" for note in profile.notes]
    reconciled = list(filter(None, [profile.reconcile()]))
    said, notes = _cut(said, 5, "more in profile.insights()"), _cut(notes, 3, "more in profile.notes")
    ends = [*reconciled, *said, *notes]
    # heading, three lines that may follow the table
    rows = MOST_LINES - len(lines) - len(ends) - 3
    return "\n".join([*map(printable, lines), operators(profile, rows=rows), *map(printable, ends)])


def _cut(lines: list[str], most: int, rest: str) -> list[str]:
    return lines if len(lines) <= most else [*lines[: most - 1], f"… {len(lines) - most + 1} {rest}"]


def headline(profile: Answers) -> str:
    """One line: device time, host time, executions, and how busy the device was in between."""
    numbers = profile.summary()
    label = f"SIMULATED · {profile.device} · " if profile.simulated else ""
    if not numbers["executions"]:
        return f"{profile.title}: {label}{numbers['events']:,} events, none of them an execution on a device"
    host = f"{microseconds(numbers['host_ns'])} host"
    if numbers["copy_ns"]:
        host += f" + {microseconds(numbers['copy_ns'])} in copies"
    if numbers["synchronize_ns"]:
        host += f" + {microseconds(numbers['synchronize_ns'])} synchronise"
    return (
        f"{profile.title}: {label}{microseconds(numbers['device_ns'])} on the device · {host} · "
        f"{count(numbers['executions'], 'execution')} · busy {numbers['busy_share']:.0%} from first to last"
    )


def latency(profile: Answers) -> str:
    """Which station or wait holds most of the time of the chains; '' without one."""
    from .analysis.latency import holder

    most = holder(profile.trace)
    if not most:
        return ""
    return (
        f"chains: {most['share']:.0%} of the time of {count(most['chains'], 'chain')} is {most['text']} "
        f"({microseconds(round(most['us'] * 1000))})"
    )


def idle(profile: Answers) -> str:
    """The core that stood still longest, and why; '' without cores."""
    from .analysis.gaps import CAUSES

    totals = profile.gap_totals()
    if not len(totals) or not totals["window_us"].iloc[0]:
        return ""
    core = totals["idle_us"].idxmax()
    worst = totals.loc[core]
    causes = worst[list(CAUSES)].sort_values(ascending=False, kind="stable")
    parts = [f"{cause} {microseconds(round(us * 1000))}" for cause, us in causes.items() if us > 0][:3]
    return (
        f"idle: {core} {worst['idle_share']:.0%} of {microseconds(round(worst['window_us'] * 1000))}"
        f"{': ' if parts else ''}{', '.join(parts)}"
    )


def critical(profile: Answers) -> str:
    """The lanes of the critical path, and what the first of them being free would mean; '' without one."""
    lanes = profile.critical_path("lane")
    if not len(lanes):
        return ""
    first = lanes.iloc[0]
    shares = ", ".join(
        f"{lane} {share:.0%}" for lane, share in zip(lanes["lane"], lanes["share"], strict=True)
    )
    if len(lanes) == 1:
        return f"critical path: {shares}"
    return (
        f"critical path: {shares}; were the {first['lane']} free, the step would take at best "
        f"{microseconds(round(first['step_without_us'] * 1000))}"
    )


def operators(
    profile: Answers, where: str = "all", rows: int = 12, table: pd.DataFrame | None = None, **options: Any
) -> str:
    """The first ``rows`` rows of the operator table, or of rows chosen from it; modelled times say so."""
    from .analysis.operators import measured_on_host

    if table is None:
        table = profile.key_averages(where, **options)
    kind = " (modelled)" if profile.simulated else ""
    shown = table.head(rows)
    group = {name: shown[name].tolist() for name in ("shapes", "stack", "module") if name in shown}
    measured = measured_on_host(profile.trace, shown)
    marks = [(" †" if one else "  ") if measured.any() else "" for one in measured]
    text = aligned(
        {
            "name": shown["name"].tolist(),
            **group,
            "kind": shown["kind"].tolist(),
            "calls": [f"{value:,}" for value in shown["calls"]],
            f"CPU µs{kind}": [
                f"{value:,.1f}{mark}" for value, mark in zip(shown["cpu_us"], marks, strict=True)
            ],
            f"Neuron µs{kind}": [f"{value:,.1f}" for value in shown["neuron_us"]],
            "of Neuron time": ["" if value != value else f"{value:.1%}" for value in shown["share"]],
        },
        left=2 + len(group),
    )
    if len(table) > rows:
        text += f"\n… and {len(table) - rows} more operators"
    if measured.any():
        text += f"\n† {MEASURED}."
    return text


def comparison(found: Comparison) -> str:
    """The table of `neuron_nbprof.compare`, narrow enough for most terminals, and what it says in words."""
    table = found.table
    simulated = (table["basis"] == "SIMULATED").all()
    steps = [
        f"{low:,.0f} to {high:,.0f}"
        for low, high in zip(table["device_min_us"], table["device_max_us"], strict=True)
    ]
    text = aligned(
        {
            "SIMULATED" if simulated else "version": [str(name) for name in table.index],
            "Neuron µs": [f"{value:,.0f}" for value in table["device_us"]],
            **({"in its steps": steps} if (table["steps"] > 1).any() else {}),
            "ratio": ["" if value != value else f"{value:.2f}×" for value in table["device_ratio"]],
            "CPU µs": [f"{value:,.0f}" for value in table["host_us"]],
            "calls": [f"{value:,g}" for value in table["operator_calls"]],
            "executions": [f"{value:,g}" for value in table["executions"]],
            "idle µs": [f"{value:,.0f}" for value in table["idle_us"]],
            "copies": [f"{value:,g}" for value in table["copies"]],
            "intermediates": [f"{value:,g}" for value in table["intermediates"]],
            **({} if simulated else {"basis": table["basis"].tolist()}),
        }
    )
    return "\n".join([text, *map(printable, found.words)])


def chain(trace: Trace, found: Chain) -> str:
    """One chain: every submission's stations and the waits between them, which add up to its total."""
    blocks = []
    for line in found.lines:
        rows = [("", "what", "start µs", "µs")]
        for number, station in enumerate(line.stations):
            if number:
                wait = line.waits[number - 1]
                key = f" {wait.key}" if wait.key else ""
                rows.append(("  wait", f"{wait.rule.text}{key}", "", f"{wait.ns / 1000:,.3f}"))
            first = station.rows[0]
            more = f" (+{len(station.rows) - 1})" if len(station.rows) > 1 else ""
            name = f"{trace.name_of(first)} · {trace.track_of(first).label}{more}"
            since = f"{(station.start - line.stations[0].start) / 1000:,.3f}"
            rows.append((station.lane.title, name, since, f"{station.dur / 1000:,.3f}"))
        rows.append(("total", "", "", f"{line.total / 1000:,.3f}"))
        blocks.append(aligned({column[0]: list(column[1:]) for column in zip(*rows, strict=True)}, left=2))
    cut = ["The chain is longer and was cut."] if found.truncated else []
    return "\n\n".join(blocks + cut)


def microseconds(ns: int) -> str:
    """A duration with a unit that fits: ns below a microsecond, ms from ten of them on."""
    if ns < 1_000:
        return f"{ns} ns"
    return f"{ns / 1_000:,.0f} µs" if ns < 10_000_000 else f"{ns / 1_000_000:,.1f} ms"


def count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def aligned(columns: dict[str, list[str]], left: int = 1) -> str:
    """Columns side by side, the first ``left`` of them to the left and the others to the right."""
    rows = [list(columns), *zip(*columns.values(), strict=True)]
    lines = [[printable(cell) for cell in row] for row in rows]
    widths = [max(len(line[i]) for line in lines) for i in range(len(columns))]
    return "\n".join(
        "  ".join(
            cell.ljust(w) if i < left else cell.rjust(w)
            for i, (cell, w) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    )
