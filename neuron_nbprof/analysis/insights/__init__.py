"""What stands out in a profile, why, and what to do: one rule per file, all of them listed here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...trace import Trace
from . import (
    clock_skew,
    compilation,
    cores,
    cpu_fallback,
    doubled_rows,
    empty_device_column,
    fusable_pattern,
    graph_breaks,
    launch_bound,
    missing_events,
    new_shapes,
    profiler_overhead,
    program_switching,
    repeated_copies,
    scalar_copies,
    small_executions,
    straggling_core,
    submission_timed,
    synchronise_in_loop,
    unlinked_rows,
)
from .rule import SEVERITIES, Insight, Rule
from .view import View

if TYPE_CHECKING:
    import pandas as pd

#: Within one severity insights come in this order; those of one rule, by what they save.
RULES: tuple[Rule, ...] = (
    empty_device_column.RULE,
    submission_timed.RULE,
    compilation.RULE,
    missing_events.RULE,
    fusable_pattern.RULE,
    small_executions.RULE,
    launch_bound.RULE,
    cpu_fallback.RULE,
    graph_breaks.RULE,
    synchronise_in_loop.RULE,
    scalar_copies.RULE,
    repeated_copies.RULE,
    program_switching.RULE,
    new_shapes.RULE,
    straggling_core.RULE,
    cores.RULE,
    unlinked_rows.RULE,
    clock_skew.RULE,
    profiler_overhead.RULE,
    doubled_rows.RULE,
)


def insights(trace: Trace) -> list[Insight]:
    """What every rule finds, the gravest first."""
    view = View(trace)
    found = [
        insight
        for rule in RULES
        for insight in sorted(rule.insights(view), key=lambda insight: -(insight.saving_us or 0))
    ]
    return sorted(found, key=lambda insight: SEVERITIES.index(insight.severity))


def rules() -> pd.DataFrame:
    """Every rule: ``id``, ``severity``, ``looks_for``, ``remedy``."""
    import pandas as pd

    return pd.DataFrame(
        [(rule.id, rule.severity, rule.title, rule.remedy) for rule in RULES],
        columns=["id", "severity", "looks_for", "remedy"],
    )


__all__ = ["RULES", "Insight", "Rule", "View", "insights", "rules"]
