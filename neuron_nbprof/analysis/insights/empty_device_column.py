from __future__ import annotations

from collections.abc import Iterator

from ...remedies import BOTH_ACTIVITIES, DEVICE_LANES, SYNCHRONISE
from .rule import Finding, Rule
from .view import View
from .words import count


def find(view: View) -> Iterator[Finding]:
    computing = ~view.found.is_copy
    waited = len(view.synchronises) > 0
    if view.found.executes.any():
        return
    if computing.any():
        no_wait = "" if waited else ", and the recorded run has no synchronise"
        yield Finding(
            f"The device column is empty: {count(int(computing.sum()), 'operator')} went to the device and "
            f"the trace holds no execution of any{no_wait}.",
            view.operators_of(computing),
        )
    elif view.recorded_on_neuron and not waited and not len(view.found.root) and len(view.calls):
        rows = view.in_order(view.calls["row"].to_numpy())
        yield Finding(
            "The device column is empty: recorded on a Neuron device, the trace holds "
            f"{count(len(rows), 'operator')} of the host and nothing of the device, for which the run "
            "that was recorded did not wait.",
            rows,
        )


RULE = Rule(
    "empty-device-column",
    "error",
    "operators were handed to the device and none of their executions was recorded",
    f"{SYNCHRONISE} {BOTH_ACTIVITIES} {DEVICE_LANES}",
    find,
)
