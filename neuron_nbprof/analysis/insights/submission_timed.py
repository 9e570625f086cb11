from __future__ import annotations

from collections.abc import Iterator

from ...trace import Lane
from .rule import Finding, Rule
from .view import View
from .words import time


def find(view: View) -> Iterator[Finding]:
    trace, found = view.trace, view.found
    if not found.executes.any():
        return
    host = view.steps if len(view.steps) else view.calls["row"].to_numpy()
    if not len(host):
        return
    host_end, last = int(trace.end[host].max()), found.end.argmax()
    late = int(found.end[last]) - host_end
    if late <= 0 or not (trace.lane[found.root] == Lane.DISPATCH).any():
        return
    yield Finding(
        f"The host was done {time(late)} before the device: a clock on the host would have timed the "
        "submission and not the execution.",
        view.operators_of(found.end > host_end),
    )


RULE = Rule(
    "submission-timed",
    "error",
    "the recorded step ended before the device had finished",
    "Call torch.neuron.synchronize() before the clock starts and again before it is read.",
    find,
)
