"""What each line of the recorded cell costs, beside its source, as a line profiler shows it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from ..trace import Lane, Trace
from ..trace.categories import LINE_PREFIX
from .intervals import union_by_group
from .label import labelled
from .ownership import Rows, names_of, starts_with
from .stacks import innermost, parents
from .submissions import submissions

if TYPE_CHECKING:
    import pandas as pd

#: A Python frame of code that was written in a cell, which ipykernel and IPython name so: its file, its first
#: line, its function.
_NOTEBOOK_FRAME = re.compile(r"((?:.*[\\/])?ipykernel_\d+[\\/]\d+\.py|<ipython-input-.*>)\((\d+)\): (.+)")


@labelled
def lines(trace: Trace) -> pd.DataFrame:
    """One row per line of the cell, in order, and then one per function of the notebook that it calls.

    ``line`` and ``source``; ``hits``: how often it ran; ``host_us``: host time without the lines inside it;
    ``neuron_us``: device time of what it launched, the union over physical cores; ``share`` of all
    ``neuron_us`` of the cell's lines; ``executions``; ``function``: '' for the cell itself. A line that only
    belongs to a longer statement has no hits. Functions need `with_stack`; their ``line`` counts in their
    own cell. Empty where the capture has no marks of lines.
    """
    import pandas as pd

    marks = np.flatnonzero(starts_with(trace, LINE_PREFIX) & (trace.lane == Lane.DISPATCH))
    numbers = [_number(name) for name in names_of(trace, marks)]
    marks = marks[[number is not None for number in numbers]]
    cell = _costs(trace, marks)
    cell["line"] = [number for number in numbers if number is not None]
    grouped = cell.groupby("line")[["hits", "host_us", "neuron_us", "executions"]].sum()
    source = str(trace.attributes.get("capture", {}).get("source") or "").splitlines()
    last = max([len(source), *grouped.index.tolist()], default=0)
    table = grouped.reindex(range(1, last + 1) if len(grouped) else [], fill_value=0)
    table.insert(0, "source", [source[n - 1] if n <= len(source) else "" for n in table.index])
    table = table.rename_axis("line").reset_index().assign(function="")
    total = table["neuron_us"].sum()
    parts = [table] if not len(table) else [table, _functions(trace)]
    table = pd.concat([part for part in parts if len(part)] or [table], ignore_index=True)
    table["share"] = table["neuron_us"] / total if total else np.nan
    table[["hits", "executions"]] = table[["hits", "executions"]].astype(int)
    return table[["line", "source", "hits", "host_us", "neuron_us", "share", "executions", "function"]]


def _number(name: str) -> int | None:
    text = name.removeprefix(LINE_PREFIX)
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 9 else None


def _functions(trace: Trace) -> pd.DataFrame:
    found = [
        (number, match)
        for number, text in enumerate(trace.strings)
        if (match := _NOTEBOOK_FRAME.fullmatch(text)) and match.group(3) != "<module>"
    ]
    frames = trace.rows_in("python_function")
    frames = frames[np.isin(trace.name[frames], [number for number, _ in found])]
    costs = _costs(trace, frames).groupby(trace.name[frames]).sum()
    matches = dict(found)
    costs["line"] = [int(matches[number].group(2)) for number in costs.index]
    costs["function"] = [matches[number].group(3) for number in costs.index]
    costs["source"] = [f"def {function}" for function in costs["function"]]
    return costs.sort_values("neuron_us", ascending=False)


def _costs(trace: Trace, spans: Rows) -> pd.DataFrame:
    """For each span its host time without the spans inside it, and what was launched in it."""
    import pandas as pd

    place = np.full(len(trace) + 1, -1, np.int64)
    place[spans] = np.arange(len(spans))
    found = submissions(trace)
    launcher = place[innermost(trace, spans, found.root)]
    of = launcher[found.of]
    rows = found.rows[of >= 0]
    around = place[parents(trace, spans)]
    inner = np.zeros(len(spans), np.int64)
    np.add.at(inner, around[around >= 0], trace.dur[spans[around >= 0]])
    device = union_by_group(of[of >= 0], trace.start[rows], trace.end[rows], len(spans))
    executions = np.bincount(launcher[found.executes & (launcher >= 0)], minlength=len(spans))
    return pd.DataFrame(
        {
            "hits": 1,
            "host_us": (trace.dur[spans] - inner) / 1000.0,
            "neuron_us": device / 1000.0,
            "executions": executions,
        },
        index=range(len(spans)),
    )
