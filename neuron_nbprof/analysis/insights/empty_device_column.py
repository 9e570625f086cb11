from __future__ import annotations

from collections.abc import Iterator

from ...remedies import BOTH_ACTIVITIES, DEVICE_LANES, SYNCHRONISE
from .rule import Finding, Rule
from .view import View
from .words import count


def find(view: View) -> Iterator[Finding]:
    computing = ~view.found.is_copy
    if view.found.executes.any() or not computing.any():
        return
    no_wait = "" if len(view.synchronises) else ", and the recorded run has no synchronise"
    yield Finding(
        f"The device column is empty: {count(int(computing.sum()), 'operator')} went to the device and the "
        f"trace holds no execution of any{no_wait}.",
        view.operators_of(computing),
    )


RULE = Rule(
    "empty-device-column",
    "error",
    "operators were handed to the device and none of their executions was recorded",
    f"{SYNCHRONISE} {BOTH_ACTIVITIES} {DEVICE_LANES}",
    find,
)
