"""A finished profiler of torch opens without a file in between."""

from __future__ import annotations

import pytest

import neuron_nbprof

torch = pytest.importorskip("torch")


def recorded() -> object:
    torch.set_num_threads(1)
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as profiler:
        torch.ones(4, 4) @ torch.ones(4, 4)
    return profiler


def test_operators_are_those_that_torch_counts() -> None:
    profiler = recorded()
    expected = {row.key: row.count for row in profiler.key_averages() if row.key.startswith("aten::")}  # type: ignore[attr-defined]
    table = neuron_nbprof.open(profiler).key_averages().set_index("name")  # type: ignore[arg-type]
    assert {name: int(table.loc[name, "calls"]) for name in expected} == expected


def test_a_profiler_that_gives_no_trace_is_told_in_one_sentence() -> None:
    profiler = recorded()
    neuron_nbprof.open(profiler)  # type: ignore[arg-type]
    for unusable in (profiler, torch.profiler.profile()):
        with pytest.raises(neuron_nbprof.ReadError, match="gives no trace"):
            neuron_nbprof.open(unusable)
