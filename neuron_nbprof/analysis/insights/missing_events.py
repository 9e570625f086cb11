from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from ...trace.categories import EXECUTION_CALLS
from .rule import Finding, Rule
from .view import View
from .words import count

_DROPPED = re.compile(r"\bdropped\b|\bdropped_|\blost\b", re.IGNORECASE)


def find(view: View) -> Iterator[Finding]:
    trace, found = view.trace, view.found
    for note in trace.notes:
        if _DROPPED.search(note.text):
            yield Finding(f"The recording says that it is not whole: {note.text} ({note.count:,}).")
    facts = trace.attributes.get("system_profile")
    for key, value in facts.items() if isinstance(facts, dict) else ():
        if _DROPPED.search(key) and isinstance(value, int) and value > 0:
            yield Finding(f"The recording says that it is not whole: {key} = {value:,}.")
    given = np.isin(np.append(view.names(found.runtime), "")[: len(found)], EXECUTION_CALLS)
    missing = given & ~found.executes
    if missing.any() and found.executes.any():
        yield Finding(
            f"{count(int(missing.sum()), 'execution')} of {int(given.sum()):,} that the runtime was given "
            "are not in the trace, so device time is missing.",
            view.operators_of(missing),
        )


RULE = Rule(
    "missing-events",
    "error",
    "events were dropped, or executions are missing although others are there",
    "Record fewer steps or fewer cores (capture_enabled_for_nc), or raise max_events_per_nc; synchronise "
    "before the recording stops.",
    find,
)
