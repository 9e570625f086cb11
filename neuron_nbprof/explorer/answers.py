"""What the tabs of the explorer answer, as plain data of a bounded size.

An answer that fails is a sentence in its place, because events can always be drawn.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from ..analysis.compare import NUMBERS, SPREAD, Comparison, distinct
from ..analysis.gaps import CAUSES
from ..analysis.records import records
from ..analysis.steps import steps
from ..errors import NeuronProfilerError

if TYPE_CHECKING:
    import pandas as pd

#: With more events than this a widget is drawn first and asks for the answers when a reader does.
SOON = 200_000
#: Insights shown.
MOST_INSIGHTS = 100
#: Gaps shown, the longest.
MOST_GAPS = 200
#: Segments of the critical path shown, and events of it that are sent to be lit, the longest first.
MOST_SEGMENTS, MOST_LIT = 100, 5000
#: Operators of a version that stand beside those of the baseline.
MOST_DIFFERENCES = 50


def answers(profile: Any, base: int = 0) -> dict[str, Any]:
    """Each answer by name, or ``{"absent": sentence}``. Times count from ``base``, see `columns.Clock`."""
    return {
        "insights": answer(lambda: _insights(profile)),
        "gaps": answer(lambda: _gaps(profile, base)),
        "critical_path": answer(lambda: _critical_path(profile, base)),
    }


def answer(work: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """What ``work`` returns, or why it is absent."""
    try:
        found = work()
        json.dumps(found, allow_nan=False)  # what no JSON holds must not reach the browser either
    except NeuronProfilerError as error:
        return {"absent": str(error)}
    except Exception as error:  # whatever it is, the events are there to be drawn
        return {"absent": f"This could not be worked out: {str(error) or type(error).__name__}"}
    return found


def _insights(profile: Any) -> dict[str, Any]:
    found = profile.insights()
    return {"count": len(found), "found": [insight.to_dict() for insight in found[:MOST_INSIGHTS]]}


def _gaps(profile: Any, base: int) -> dict[str, Any]:
    """Totals of each core with the causes that occur, and the longest of its idle intervals."""
    table, totals = profile.gaps(), profile.gap_totals()
    longest = table.sort_values("dur_us", ascending=False, kind="stable")[:MOST_GAPS]
    occurring = [cause for cause in CAUSES if (totals[cause] > 0).any()]
    columns = ["window_us", "busy_us", "idle_us", "idle_share", "longest_us", *occurring]
    return {
        "cores": records(totals[columns], index=True),
        "causes": {cause: CAUSES[cause] for cause in occurring},
        "count": len(table),
        "gaps": records(_placed(longest, base).drop(columns="gap")),
    }


def _placed(table: pd.DataFrame, base: int) -> pd.DataFrame:
    """Times in whole ns as the browser counts them, from ``base``."""
    placed = {
        "start_ns": (table["start_us"] * 1000).round().astype("int64") - base,
        "dur_ns": (table["dur_us"] * 1000).round().astype("int64"),
    }
    return table.drop(columns=["start_us", "dur_us"]).assign(**placed)


def _critical_path(profile: Any, base: int) -> dict[str, Any]:
    """Time by lane, the longest segments, and the events that hold the path for longest."""
    segments, lanes = profile.critical_path(), profile.critical_path("lane")
    held = segments.dropna(subset="event").groupby("event", sort=False)["dur_us"].sum()
    events = held.sort_values(ascending=False, kind="stable").index
    longest = segments.sort_values("dur_us", ascending=False, kind="stable")[:MOST_SEGMENTS]
    return {
        "steps": len(steps(profile.trace)),
        "whole_us": float(segments["dur_us"].sum()),
        "lanes": records(lanes),
        "count": len(segments),
        "segments": records(_placed(longest, base)),
        "event_count": len(events),
        "events": [int(event) for event in events[:MOST_LIT]],
    }


def comparison(profiles: Sequence[Any]) -> dict[str, Any]:
    """What `Comparison` says of these profiles, the first being the baseline."""
    return answer(lambda: _comparison(profiles))


def _comparison(profiles: Sequence[Any]) -> dict[str, Any]:
    found = Comparison(distinct([profile.trace for profile in profiles]))
    columns = ["device_ratio", "basis", *NUMBERS, *SPREAD]
    return {
        "baseline": found.baseline,
        "rows": records(found.table[columns], index=True),
        "words": found.words,
        "savings": records(found.savings, index=True),
        "operators": [_operators(found, number) for number in range(1, len(profiles))],
    }


def _operators(found: Comparison, other: int) -> dict[str, Any]:
    """The operators of a version beside those of the baseline, the largest difference first."""
    table = found.operators(other)
    return {
        "version": found.versions[other].trace.title,
        "count": len(table),
        "rows": records(table[:MOST_DIFFERENCES]),
    }
