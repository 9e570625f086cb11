"""Submissions and executions without ids: joined in their order, or not at all."""

from __future__ import annotations

import numpy as np
import pytest

from neuron_nbprof.trace import Arguments, LinkRule, Rows, Trace, assemble
from neuron_nbprof.trace.lanes import (
    Track,
    dispatch_track,
    neuron_hardware_track,
    neuron_runtime_track,
    stream_track,
)

RUNTIME = neuron_runtime_track("i", "7", "0")
CORES = [neuron_hardware_track("i", "7", "0", core) for core in ("4", "5")]


def trace_of(events: list[tuple[str, Track, int, int]]) -> Trace:
    tracks = [RUNTIME, *CORES]
    strings = ["neuron_rt", "neuron_hw", *sorted({name for name, *_ in events})]
    return assemble(
        Rows(
            strings=strings,
            tracks=tracks,
            name=np.array([strings.index(name) for name, *_ in events]),
            category=np.array([0 if track is RUNTIME else 1 for _, track, _, _ in events]),
            start=np.array([start for *_, start, _ in events]),
            dur=np.array([dur for *_, dur in events]),
            track=np.array([tracks.index(track) for _, track, _, _ in events]),
            args=Arguments.of([None] * len(events)),
        ),
        title="",
        source="",
    )


SUBMITS = [("nrt_model_submit", RUNTIME, start, 5) for start in (0, 10, 20)]
RUNS = [("nc_exec_running", core, start, 30) for core in CORES for start in (100, 140, 180)]
MARKS = [("timestamp_sync_point", CORES[0], 135, 0)]


def test_the_nth_submission_leads_to_the_nth_execution_on_each_core() -> None:
    trace = trace_of([*RUNS, *MARKS, *SUBMITS])
    links = trace.links
    found = sorted(
        (int(trace.start[a]), int(trace.start[b]), trace.track_of(int(b)).unit)
        for a, b in zip(links.sources, links.targets, strict=True)
    )
    assert found == sorted(
        (submit, run, core) for submit, run in ((0, 100), (10, 140), (20, 180)) for core in ("0:4", "0:5")
    )
    assert set(links.rule.tolist()) == {LinkRule.SUBMISSION_ORDER}
    assert "guessed" in LinkRule.SUBMISSION_ORDER.text


@pytest.mark.parametrize("lost", [0, len(RUNS) - 1, len(RUNS)])
def test_where_the_numbers_differ_nothing_is_guessed(lost: int) -> None:
    events = [*RUNS, *SUBMITS]
    del events[lost]
    assert len(trace_of(events).links.targets) == 0


def test_rows_of_one_name_pair_up_where_the_file_has_no_ids() -> None:
    events = [("aten::mul", 0, 0), ("aten::add", 0, 10), ("aten::mul", 0, 20), ("aten::add", 1, 60)]
    events += [("aten::mul", 1, 70), ("aten::mul", 1, 40), ("aten::rsqrt", 1, 90)]
    strings = ["privateuse1_runtime", "privateuse1_driver", "aten::mul", "aten::add", "aten::rsqrt"]
    trace = assemble(
        Rows(
            strings=strings,
            tracks=[dispatch_track("", "7", "7"), stream_track("", "7", "0")],
            name=np.array([strings.index(name) for name, _, _ in events]),
            category=np.array([kind for _, kind, _ in events]),
            track=np.array([kind for _, kind, _ in events]),
            start=np.array([start for *_, start in events]),
            dur=np.full(len(events), 5),
            args=Arguments.of([None] * len(events)),
        ),
        title="",
        source="",
    )
    links = trace.links
    found = sorted(zip(trace.start[links.sources].tolist(), trace.start[links.targets].tolist(), strict=True))
    assert found == [(0, 40), (10, 60), (20, 70)]
    assert set(links.rule.tolist()) == {LinkRule.SUBMISSION_ORDER}
