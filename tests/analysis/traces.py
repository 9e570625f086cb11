"""Small traces written by hand: what the host does, what it submits, when each core runs it. Times in µs."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from neuron_nbprof.trace import Arguments, Interner, Note, Rows, Trace, assemble
from neuron_nbprof.trace.lanes import (
    dispatch_track,
    neuron_hardware_track,
    neuron_runtime_track,
    stream_track,
)

BASE = 1_790_857_026_000_000_000
Span = tuple[float, float]


class Script:
    """Collects rows; `trace` links them. Every `eager` operator has an id that all its rows share."""

    def __init__(self, title: str = "script", **attributes: Any) -> None:
        self.title, self.attributes = title, attributes
        self.rows: list[tuple[Any, ...]] = []
        self.notes: list[Note] = []
        self.submitted = 0

    def row(
        self, track: Any, category: str, name: str, start: float, end: float, args: Any = None, **ids: int
    ):
        self.rows.append((track, category, name, round(start * 1000), round(end * 1000), args, ids))
        return self

    def host(self, name: str, start: float, end: float, category: str = "cpu_op", **args: Any) -> Script:
        return self.row(dispatch_track("", "1", "7"), category, name, start, end, args or None)

    def step(self, number: int, start: float, end: float) -> Script:
        return self.host(f"ProfilerStep#{number}", start, end, "user_annotation")

    def eager(
        self, name: str, at: float, runs: Span | None = None, *, cpu: float = 20, runtime: Span | None = None,
        cores: tuple[str, ...] = ("4", "5"), call: str = "nrta_execute_schedule", dims: Any = None,
        types: Any = None, concrete: Any = None, key: str = "", operator: bool = True, core: str = "0",
    ) -> Script:  # fmt: skip
        """One operator: on the host from ``at`` for ``cpu``, its submission from 2 after to 2 before its end,
        in the runtime during ``runtime`` (by default right after it for 9), on all ``cores`` during ``runs``.
        """
        self.submitted += 1
        sequence = (1 << 48) | self.submitted
        args = {"Input Dims": dims, "Input type": types or ["float"] * len(dims)} if dims is not None else {}
        if concrete is not None:
            args["Concrete Inputs"] = concrete
        thread = dispatch_track("", "1", "7")
        if operator:
            self.row(thread, "cpu_op", name, at, at + cpu, args, external=self.submitted)
        self.row(thread, "privateuse1_runtime", f"{name}.call", at + 2, at + cpu - 2, None,
                 external=self.submitted, sequence=sequence)  # fmt: skip
        if runs:
            self.row(stream_track("", "1", "0"), "privateuse1_driver", f"{name}.call", at + cpu - 2, runs[1],
                     {"neff_cache_key": key} if key else None, sequence=sequence)  # fmt: skip
        begin, end = runtime or (at + cpu, at + cpu + 9)
        track = neuron_runtime_track("", "1", core)
        self.row(track, "neuron_rt", call, begin, end, None, sequence=sequence)
        if runs:
            self.row(track, "neuron_rt", "kbl_exec_wait", end, runs[1] + 1, None,
                     sequence=sequence, execution=self.submitted)  # fmt: skip
        for physical in cores if runs else ():
            self.running(physical, *runs, execution=self.submitted, core=core)
        return self

    def copy(self, name: str, at: float, runtime: Span, *, cpu: float = 20, call: str = "nrta_tensor_write"):
        return self.eager(name, at, None, cpu=cpu, runtime=runtime, call=call)

    def running(
        self, physical: str, start: float, end: float, name: str = "nc_exec_running", execution: int = 0,
        core: str = "0",
    ) -> Script:  # fmt: skip
        track = neuron_hardware_track("", "1", core, physical)
        return self.row(track, "neuron_hw", name, start, end, None, execution=execution)

    def trace(self, simulated: bool = False) -> Trace:
        strings, tracks = Interner(), Interner()
        ids = {
            column: np.array([row[6].get(column, 0) for row in self.rows], np.int64)
            for column in ("external", "sequence", "execution", "correlation")
        }
        rows = Rows(
            name=strings.column([row[2] for row in self.rows]),
            category=strings.column([row[1] for row in self.rows]),
            track=tracks.column([row[0] for row in self.rows]),
            start=np.array([BASE + row[3] for row in self.rows], np.int64),
            dur=np.array([row[4] - row[3] for row in self.rows], np.int64),
            args=Arguments.of([json.dumps(row[5]).encode() if row[5] else None for row in self.rows]),
            notes=self.notes,
            attributes=self.attributes,
            **ids,
        )
        rows.strings, rows.tracks = strings.values, tracks.values
        return assemble(rows, title=self.title, source="", simulated=simulated)
