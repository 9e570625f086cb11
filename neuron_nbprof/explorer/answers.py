"""What the tabs of the explorer answer, as plain data of a bounded size.

An answer that fails, or that would keep a big trace from being drawn at once, is a sentence in its place.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

#: Above this many events nothing is worked out before drawing; the answers stay in Python.
MOST_EVENTS = 200_000
#: Insights shown.
MOST_INSIGHTS = 100


def answers(profile: Any) -> dict[str, Any]:
    """Each answer by name, or ``{"absent": sentence}``."""
    events = len(profile.trace)
    return {"insights": answer(events, "profile.insights()", lambda: _insights(profile))}


def answer(events: int, call: str, work: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """What ``work`` returns, or why it is absent; ``call`` is how to ask for it in Python."""
    if events > MOST_EVENTS:
        return {
            "absent": f"With more than {MOST_EVENTS:,} events this is not worked out before drawing. "
            f"In Python, {call} answers it."
        }
    try:
        found = work()
        json.dumps(found, allow_nan=False)  # what no JSON holds must not reach the browser either
    except Exception as error:  # whatever it is, the events are there to be drawn
        return {"absent": f"This could not be worked out: {str(error) or type(error).__name__}"}
    return found


def _insights(profile: Any) -> dict[str, Any]:
    found = profile.insights()
    return {"count": len(found), "found": [insight.to_dict() for insight in found[:MOST_INSIGHTS]]}
