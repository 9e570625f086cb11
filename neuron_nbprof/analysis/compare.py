"""Several profiles side by side: the guide's last table, what the difference is made of, and what it says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ..trace import Trace
from . import verdict
from .label import label
from .operators import key_averages
from .records import records, unique
from .versions import version

if TYPE_CHECKING:
    import pandas as pd

#: The columns of the table that stand for numbers of one `Version`.
NUMBERS = (
    "device_us",
    "host_us",
    "operator_calls",
    "executions",
    "idle_us",
    "submissions",
    "switches",
    "copies",
    "intermediates",
    "intermediate_bytes",
    "steps",
)

#: The columns of the table that are shown; all of them are in `Comparison.table`.
SHOWN = (
    "device_us",
    "device_ratio",
    "host_us",
    "operator_calls",
    "executions",
    "idle_us",
    "copies",
    "intermediates",
    "basis",
)
#: Busy time of the fastest and the slowest step, shown where several were recorded.
SPREAD = ("device_min_us", "device_max_us")


def _number(value: float) -> str:
    return f"{value:,.0f}" if value == int(value) else f"{value:,.2f}"


def distinct(traces: Sequence[Trace]) -> list[Trace]:
    """The same traces under titles that differ."""
    titles = unique([trace.title for trace in traces])
    return [
        trace if title == trace.title else replace(trace, title=title)
        for trace, title in zip(traces, titles, strict=True)
    ]


class Comparison:
    """Profiles beside a baseline, the first. Numbers are means per recorded step, times in µs."""

    def __init__(self, traces: Sequence[Trace], execution_us: float | None = None) -> None:
        self.versions = [version(trace) for trace in traces]
        self._execution_us = execution_us

    @cached_property
    def table(self) -> pd.DataFrame:
        """One row per version; the columns are those of `Version`, then ``device_min_us`` and
        ``device_max_us``: the spread over the recorded steps, ``basis``: measured or SIMULATED, and
        ``remark``: what a comparison must not conclude. ``device_ratio`` is to the baseline."""
        import pandas as pd

        result = pd.DataFrame(
            [
                {"version": v.trace.title, **{name: getattr(v, name) for name in NUMBERS}}
                for v in self.versions
            ],
            columns=["version", *NUMBERS],
        )
        baseline = result["device_us"].iloc[0] if len(result) else 0
        result.insert(2, "device_ratio", result["device_us"] / baseline if baseline else float("nan"))
        result["device_min_us"] = [min(v.step_device_us) for v in self.versions]
        result["device_max_us"] = [max(v.step_device_us) for v in self.versions]
        result["basis"] = ["SIMULATED" if v.trace.simulated else "measured" for v in self.versions]
        result["remark"] = [verdict.remark(v, self.versions) for v in self.versions]
        return label(result.set_index("version"), self._simulated)

    @cached_property
    def savings(self) -> pd.DataFrame:
        """What each version saves of the baseline's time from the first execution to the last, in µs.

        ``saved_us`` = ``gaps_us``: idle between executions that is gone + ``executions_us``:
        ``executions_removed`` × ``execution_cost_us`` + ``data_us``: the rest, time spent on data.
        ``execution_cost_us`` is the cost of executing anything at all, as given, or assumed to be the
        shortest execution of all these profiles, which is its upper bound: ``executions_us`` is then at
        most, and ``data_us`` at least, this. ``cost_basis`` says which.
        """
        import pandas as pd

        base, *others = self.versions
        rows = []
        for other in others:
            removed = base.executions - other.executions
            gaps, busy = base.idle_us - other.idle_us, base.busy_us - other.busy_us
            rows.append(
                {
                    "version": other.trace.title,
                    "saved_us": gaps + busy,
                    "gaps_us": gaps,
                    "executions_us": removed * self.execution_cost_us,
                    "data_us": busy - removed * self.execution_cost_us,
                    "executions_removed": removed,
                    "execution_cost_us": self.execution_cost_us,
                    "cost_basis": self.cost_basis,
                }
            )
        return label(pd.DataFrame(rows).set_index("version"), self._simulated) if rows else pd.DataFrame()

    @property
    def _simulated(self) -> bool:
        return any(v.trace.simulated for v in self.versions)

    @property
    def baseline(self) -> str:
        """The title of the version that ratios and savings are relative to."""
        return self.versions[0].trace.title

    @property
    def execution_cost_us(self) -> float:
        """The cost of executing anything at all that `savings` reckons with."""
        if self._execution_us is not None:
            return self._execution_us
        return min((v.shortest_us for v in self.versions if v.shortest_us == v.shortest_us), default=0.0)

    @property
    def cost_basis(self) -> str:
        if self._execution_us is not None:
            return "given"
        return "assumed: the shortest execution of these profiles, its upper bound"

    def operators(self, other: int | str = 1) -> pd.DataFrame:
        """The operators of the baseline and of another version (number or title), matched by name and shape.

        ``change``: *added*, *removed* or *both*; calls, executions and device time (µs) of each, and
        ``difference_us``: the other's device time less the baseline's. The largest difference first.
        """
        import pandas as pd

        titles = [v.trace.title for v in self.versions]
        position = titles.index(other) if isinstance(other, str) else other
        keys, columns = ["name", "shapes"], ["calls", "executions", "neuron_us"]
        tables = []
        for found in (self.versions[0], self.versions[position]):
            averages = key_averages(found.trace, group_by="name+shape")
            averages = averages.set_index(keys)[columns] / found.steps
            tables.append(averages)
        joined = tables[0].merge(tables[1], "outer", on=keys, suffixes=("_baseline", "_other"))
        present = [joined[f"calls_{side}"].notna() for side in ("baseline", "other")]
        joined = joined.fillna(0.0)
        change = pd.Series("both", joined.index).mask(~present[0], "added").mask(~present[1], "removed")
        joined.insert(0, "change", change)
        joined["difference_us"] = joined["neuron_us_other"] - joined["neuron_us_baseline"]
        order = joined["difference_us"].abs().sort_values(ascending=False, kind="stable").index
        return label(joined.loc[order].reset_index(), self._simulated)

    @cached_property
    def words(self) -> list[str]:
        """What the tables say, in sentences."""
        return verdict.sentences(self.versions, self.savings)

    def to_dict(self) -> dict[str, Any]:
        """Everything as JSON knows it: ``table``, ``savings``, ``words``, ``operators`` per version."""
        return {
            "baseline": self.baseline,
            "table": records(self.table, index=True),
            "savings": records(self.savings, index=True),
            "words": self.words,
            "operators": {
                v.trace.title: records(self.operators(i)) for i, v in enumerate(self.versions) if i
            },
        }

    def __repr__(self) -> str:
        return "\n".join([self._shown().to_string(float_format=_number), *self.words])

    def _shown(self) -> pd.DataFrame:
        """What fits beside each other: the guide's columns and the next most asked for."""
        spread = SPREAD if (self.table["steps"] > 1).any() else ()
        return self.table[[SHOWN[0], *spread, *SHOWN[1:]]]

    def _repr_html_(self) -> str:
        from html import escape

        sentences = "".join(f"<li>{escape(sentence)}</li>" for sentence in self.words)
        return f"{self._shown().to_html(float_format=_number)}<ul>{sentences}</ul>"
