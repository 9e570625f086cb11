"""Traces made by hand for the explorer: every value is chosen here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from neuron_nbprof.analysis.insights import Insight
from neuron_nbprof.profile import Profile
from neuron_nbprof.trace import Arguments, Counter, Lane, LinkRule, Links, Note, Trace, Track

HOST = Track("framework/TID:7", Lane.DISPATCH, "i-1", "42", "7")
STREAM = Track("framework/Stream:0", Lane.STREAM, "i-1", "42", "0")
RUNTIME = Track("neuron_rt/NC:0", Lane.RUNTIME, "i-1", "42", "0")
CORE = Track("neuron_hw/NC0:4", Lane.HARDWARE, "i-1", "42", "0:4")
TRACKS = [HOST, STREAM, RUNTIME, CORE]


#: Beyond 32 bits, before the origin, and a mean over the second before.
COUNTERS = [
    Counter("HBM in use", "B", "by hand", np.array([-4_000, 2**33 + 5]), np.array([2**40 + 1, 0])),
    Counter(
        "host CPU",
        "%",
        "by hand",
        np.array([2**32]),
        np.array([12.25]),
        span_ns=10**9,
        instance="i-1",
        process="42",
    ),
]


class Edge(NamedTuple):
    source: int
    target: int
    rule: LinkRule
    key: int

    def column(self) -> tuple[Any, ...]:
        one = [np.array([value], np.int64) for value in (self.source, self.target, self.key)]
        return (one[0], one[1], self.rule, one[2])


#: Not exact as a double: the next odd number above 2^53, and a sequence id as the runtime gives them out.
ODD = 2**53 + 1
SEQUENCE = (1 << 48) + 29

#: track, depth, start, duration, id, name, category, args; in row order. Operators begin 2^32 ns and more
#: apart, one before the origin, and durations lie below, at and above what 32 bits hold.
EVENTS: list[tuple[int, int, int, int, int, str, str, bytes]] = [
    (0, 0, -5_000, 20_000, 3, "aten::mul", "cpu_op", b'{"External id": 701}'),
    (0, 0, 2**32 + 1, 7, 9, "aten::mean", "cpu_op", b"{}"),
    (0, 0, 2**33 + 1, 2**32 - 2, 10, "aten::add", "cpu_op", b'{"note": "\xc3\xa9\xe2\x80\xae <b>"}'),
    (0, 0, 2**34, 0, 11, "aten::add", "cpu_op", b"{}"),
    (0, 1, -4_000, 15_000, 4, "aten::mul.Tensor", "privateuse1_runtime", b'{"seq": 281474976710685}'),
    (1, 0, 30_000, 2**32 + 5, 5, "aten::mul.Tensor", "privateuse1_driver", b"{}"),
    (2, 0, 31_000, 9_000, 6, "nrta_execute_schedule", "neuron_rt", b"{}"),
    (3, 0, 45_000, 388_000, 7, "nc_exec_running", "neuron_hw", b"{}"),
    (3, 0, 2**32 * 5, 2**32 - 1, 8, "nc_exec_running", "neuron_hw", b"{}"),
]
EDGES = [
    Edge(0, 4, LinkRule.EXTERNAL_ID, 701),
    Edge(4, 5, LinkRule.NRT_SEQUENCE, SEQUENCE),
    Edge(4, 6, LinkRule.NRT_SEQUENCE, SEQUENCE),
    Edge(6, 7, LinkRule.EXEC_FLOW, -ODD),
]


def trace_of(
    events: list[tuple[Any, ...]] | None = None, edges: list[Edge] | None = None, **facts: Any
) -> Trace:
    events = EVENTS if events is None else events
    strings = list(dict.fromkeys(text for event in events for text in (event[5], event[6])))
    track = np.array([event[0] for event in events], np.int32)
    facts = {"title": "by hand", "simulated": True, "device": "SIMULATED Trainium2, LNC=2", **facts}
    return Trace(
        origin_ns=1_790_857_026_000_000_123,
        tracks=TRACKS,
        strings=strings,
        start=np.array([event[2] for event in events], np.int64),
        dur=np.array([event[3] for event in events], np.int64),
        id=np.array([event[4] for event in events], np.int64),
        lane=np.array([track.lane for track in TRACKS], np.uint8)[track],
        track=track,
        name=np.array([strings.index(event[5]) for event in events], np.int32),
        category=np.array([strings.index(event[6]) for event in events], np.int32),
        depth=np.array([event[1] for event in events], np.uint16),
        parent=np.full(len(events), -1, np.int64),
        links=Links.from_edges(len(events), [edge.column() for edge in (EDGES if edges is None else edges)]),
        arguments=Arguments.of([event[7] for event in events]),
        notes=[Note("a repaired row", 2)],
        **facts,
    )


OPERATORS = (("aten::mul", 388.0), ("aten::mean", 0.0), ("aten::add", 20.5))


class FakeProfile(Profile):
    """A Profile whose operators, insights and summary are chosen here."""

    def __init__(
        self,
        trace: Trace,
        operators: tuple[tuple[str, float], ...] = OPERATORS,
        found: Sequence[Insight] = (),
    ) -> None:
        super().__init__(trace)
        self.operators = operators
        self.found = found

    def key_averages(self) -> pd.DataFrame:
        rows = [
            {
                "name": name, "calls": 1, "cpu_us": 20.0, "neuron_us": time, "share": time / 408.5,
                "kind": "compute", "launches": 1,
            }
            for name, time in self.operators
        ]  # fmt: skip
        columns = ["name", "calls", "cpu_us", "neuron_us", "share", "kind", "launches"]
        return pd.DataFrame(rows, columns=columns)

    def insights(self) -> list[Insight]:
        return list(self.found)

    def summary(self) -> dict[str, Any]:
        return {
            "device_ns": 388_000, "host_ns": 20_000, "copy_ns": 0, "synchronize_ns": 0, "executions": 1,
            "busy_share": None, "events": len(self.trace),
        }  # fmt: skip
