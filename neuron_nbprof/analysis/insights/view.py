"""A profile as the rules see it: each answer worked out once, when the first rule asks."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from ...trace import Lane, Trace
from ...trace.categories import NEURON_DISPATCH
from .. import gaps, steps
from ..calls import SYNCHRONIZE, calls
from ..intervals import union
from ..ownership import Mask, Ownership, Rows, device_work, named, names_of, ownership
from ..programs import programs
from ..shapes import Signature, signatures
from ..submissions import READS, Submissions, submissions
from .patterns import Pattern, occurrences

if TYPE_CHECKING:
    import pandas as pd


class View:
    """Times are ns unless a name says otherwise."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace

    @cached_property
    def owned(self) -> Ownership:
        return ownership(self.trace)

    @cached_property
    def found(self) -> Submissions:
        return submissions(self.trace)

    @cached_property
    def calls(self) -> pd.DataFrame:
        return calls(self.trace)

    @cached_property
    def compute(self) -> pd.DataFrame:
        """The calls that executed, in order of start, with ``step``."""
        table = self.calls[self.calls["kind"] == "compute"]
        table = table.iloc[np.argsort(self.trace.start[table["row"]], kind="stable")]
        return table.assign(step=steps.step_of(self.trace, self.trace.start[table["row"]])[0])

    @cached_property
    def patterns(self) -> list[tuple[Pattern, list[int]]]:
        """Decompositions and their places in `compute`."""
        step = self.compute["step"].to_numpy()
        last = np.append(np.diff(step) != 0, False)[: len(step)]
        return list(occurrences(self.compute["name"].tolist(), last.tolist()))

    @cached_property
    def gaps(self) -> pd.DataFrame:
        return gaps.intervals(self.trace)

    @cached_property
    def steps(self) -> Rows:
        return steps.steps(self.trace)

    @cached_property
    def window(self) -> tuple[int, int]:
        return steps.window(self.trace)

    @cached_property
    def programs(self) -> Rows:
        return programs(self.trace, self.found)[0]

    @cached_property
    def work(self) -> Rows:
        return device_work(self.trace)

    @cached_property
    def core_work(self) -> Rows:
        """Executions on physical Neuron cores; the tracks of other accelerators are streams, not cores."""
        cores = np.array([track.label.startswith("neuron_hw/") for track in self.trace.tracks], bool)
        return self.work[cores[self.trace.track[self.work]]] if len(self.work) else self.work

    @cached_property
    def is_neuron(self) -> bool:
        """Whether any of it comes from a Neuron device: rules that speak of its compiler ask."""
        labels = any(track.label.startswith("neuron_") for track in self.trace.tracks)
        return labels or NEURON_DISPATCH in self.trace.strings

    @cached_property
    def recorded_on_neuron(self) -> bool:
        """Whether the capture says so of itself, whatever rows it holds."""
        capture = self.trace.attributes.get("capture") or {}
        return self.trace.simulated or capture.get("device") == "neuron"

    @cached_property
    def busy(self) -> tuple[Rows, Rows]:
        """When anything executed, on any core: disjoint intervals."""
        return union(self.trace.start[self.work], self.trace.end[self.work])

    @cached_property
    def synchronises(self) -> Rows:
        """Synchronise calls, the outermost ones, in order of start."""
        rows = np.flatnonzero(named(self.trace, *SYNCHRONIZE) & (self.trace.lane == Lane.DISPATCH))
        parent = self.trace.parent[rows]
        return self.in_order(rows[~np.isin(parent, rows)])

    @cached_property
    def waits(self) -> Rows:
        """Where the host waits for the device: synchronise calls, and operators that read from it."""
        reads = (self.found.runtime >= 0) & (self.found.operator >= 0)
        reads[reads] = named(self.trace, *READS)[self.found.runtime[reads]]
        return self.in_order(np.union1d(self.synchronises, self.found.operator[reads]).astype(np.int64))

    def signatures(self, rows: Rows) -> list[Signature]:
        numbers, known = signatures(self.trace, rows)
        return [known[number] for number in numbers.tolist()]

    def in_order(self, rows: Rows) -> Rows:
        return rows[np.argsort(self.trace.start[rows], kind="stable")]

    def names(self, rows: Rows) -> list[str]:
        return [str(name) for name in names_of(self.trace, rows)]

    def named(self, *names: str) -> Mask:
        return named(self.trace, *names)

    def operators_of(self, wanted: Mask) -> Rows:
        """The operators of some submissions, or their first rows where none is known."""
        root, operator = self.found.root[wanted], self.found.operator[wanted]
        return np.where(operator >= 0, operator, root)
