"""Rates of copies, by hand: bytes over duration, summed over what is under way."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from neuron_nbprof.analysis.transfers import transfers
from neuron_nbprof.trace import Arguments, Interner, Lane, Rows, Trace, Track, assemble
from neuron_nbprof.trace.lanes import device_track, neuron_runtime_track

CORE = [neuron_runtime_track("", "1", str(core)) for core in (0, 1)]


def trace_of(*rows: tuple[Track, str, int, int, Any], category: str = "neuron_rt", **facts: Any) -> Trace:
    """Rows as track, name, start and end in ns, arguments."""
    strings, tracks = Interner(), Interner()
    columns = Rows(
        name=strings.column([row[1] for row in rows]),
        category=strings.column([category] * len(rows)),
        start=np.array([row[2] for row in rows], np.int64),
        dur=np.array([row[3] - row[2] for row in rows], np.int64),
        track=tracks.column([row[0] for row in rows]),
        args=Arguments.of([json.dumps(row[4]).encode() for row in rows]),
        strings=strings.values,
        tracks=tracks.values,
    )
    return assemble(columns, title="copies", source="", **facts)


def found(trace: Trace) -> dict[str, list[tuple[int, float]]]:
    return {
        counter.label: list(zip(counter.time.tolist(), counter.value.tolist(), strict=True))
        for counter in transfers(trace)
    }


def test_copies_at_once_add_up_in_each_direction_and_on_each_core() -> None:
    trace = trace_of(
        (CORE[0], "dmem_buf_copyin", 0, 100, {"size": 1000}),  # 10 GB/s
        (CORE[0], "dmem_buf_copyin", 50, 250, {"size": "500"}),  # 2.5 GB/s, the size as text
        (CORE[0], "dmem_buf_copyout", 300, 400, {"total_size": 700}),
        (CORE[1], "dmem_buf_copyin", 10, 20, {"size": 30}),
    )
    assert found(trace) == {
        "host → device, NC:0": [(0, 10e9), (50, 12.5e9), (100, 2.5e9), (250, 0.0)],
        "host → device, NC:1": [(10, 3e9), (20, 0.0)],
        "device → host, NC:0": [(300, 7e9), (400, 0.0)],
    }
    assert {counter.unit for counter in transfers(trace)} == {"B/s"}


def test_a_track_of_transfers_is_called_by_its_core() -> None:
    track = neuron_runtime_track("", "1", "3", "nrta_tensor_write")
    assert "HtoD" in track.label
    assert list(found(trace_of((track, "nrta_tensor_write", 0, 10, {"size": 1})))) == [
        "host \u2192 device, NC:3"
    ]


def test_a_call_that_leads_to_a_copy_is_not_counted_again() -> None:
    trace = trace_of(
        (CORE[0], "nrt_tensor_write", 0, 200, {"size": 1000}),
        (CORE[0], "dmem_buf_copyin", 50, 150, {"size": 1000}),
    )
    assert found(trace) == {"host → device, NC:0": [(50, 10e9), (150, 0.0)]}


@pytest.mark.parametrize("args", [{}, {"size": 0}, {"size": -5}, {"size": "many"}, {"size": True}, [1]])
def test_a_copy_without_a_size_counts_nowhere(args: Any) -> None:
    assert found(trace_of((CORE[0], "nrta_tensor_read", 0, 10, args))) == {}
    assert found(trace_of((CORE[0], "nrta_tensor_read", 7, 7, {"size": 10}))) == {}


def test_copies_of_other_accelerators_count_by_their_names() -> None:
    stream = device_track("1", "0", "7")
    trace = trace_of(
        (stream, "Memcpy HtoD (Pageable -> Device)", 0, 10, {"bytes": 100}),
        (stream, "Memcpy DtoH (Device -> Pageable)", 20, 40, {"bytes": 100}),
        (stream, "Memcpy DtoD (Device -> Device)", 50, 60, {"bytes": 100}),
        category="gpu_memcpy",
    )
    assert trace.lane.tolist() == [Lane.HARDWARE] * 3
    assert found(trace) == {
        "host → device, Stream:7": [(0, 10e9), (10, 0.0)],
        "device → host, Stream:7": [(20, 5e9), (40, 0.0)],
    }


def test_modelled_copies_say_so() -> None:
    (counter,) = transfers(trace_of((CORE[0], "nrta_tensor_write", 0, 10, {"size": 1}), simulated=True))
    assert counter.label == "modelled host → device, NC:0" and counter.source.startswith("SIMULATED ")


def test_rates_end_at_zero_whatever_rounding_leaves() -> None:
    rows = [(CORE[0], "dmem_buf_copyin", i, 1000 + 7 * i, {"size": 3 + i}) for i in range(200)]
    assert found(trace_of(*rows))["host → device, NC:0"][-1][1] == 0.0
