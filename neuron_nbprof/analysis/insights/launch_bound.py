from __future__ import annotations

from collections.abc import Iterator

from .rule import Finding, Rule
from .view import View
from .words import count, time


def find(view: View) -> Iterator[Finding]:
    start, end = view.busy
    executions = int(view.found.executes.sum())
    if executions < 2:
        return
    low, high = int(start[0]), int(end[-1])
    idle = high - low - int((end - start).sum())
    if idle * 2 <= high - low:
        return
    table = view.gaps[["start_us", "dur_us", "cause", "event"]]
    between = table[
        (table["start_us"] * 1000 >= low) & ((table["start_us"] + table["dur_us"]) * 1000 <= high)
    ]
    causes = between.groupby("cause")["dur_us"].sum()
    cause = str(causes.idxmax())
    longest = between.dropna(subset="event").sort_values("dur_us", ascending=False)["event"].head(20)
    yield Finding(
        f"Launch-bound: between the first and the last of {count(executions, 'execution')} the device "
        f"stood still for {time(idle)} of {time(high - low)} ({idle / (high - low):.0%}), mostly for the "
        f"cause “{cause}”.",
        [view.trace.position(int(event)) for event in longest.tolist()],
        saving_us=idle / 1000,
    )


RULE = Rule(
    "launch-bound",
    "warning",
    "the device stands still for more than half of the time between executions",
    'Hand over more work at once: torch.compile(..., backend="neuron"), fused operators, larger batches; do '
    "not synchronise between steps.",
    find,
)
