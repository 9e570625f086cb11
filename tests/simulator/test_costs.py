"""The cost model against the guide's table, and what was put into it to get there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from typing import Any

import pytest
import torch

from neuron_nbprof.simulator.costs import CostModel

from .conftest import Recorded, rms_norm

#: The guide's tables: operator -> (calls, CPU us, Neuron us).
GUIDE = {
    "naive": {
        "aten::mul": (3, 60.9, 1164.5),
        "aten::add": (1, 26.6, 434.6),
        "aten::rsqrt": (1, 15.6, 415.0),
        "aten::mean": (1, 21.1, 340.8),
    },
    "fused": {"aten::_fused_rms_norm": (1, 47.6, 403.3)},
    "compiled": {"Torch-Compiled Region": (1, 98.4, 375.5)},
}
DEVICE_TOLERANCE, HOST_TOLERANCE = 0.05, 0.10

#: Everything that was fitted: nine constants for twelve numbers, so that agreement is by construction.
FITTED = {
    "execution_us",
    "fine_grained_us",
    "scalar_launch_us",
    "host_operator_us",
    "host_operand_us",
    "host_scalar_us",
    "host_reduction_us",
    "host_fused_us",
    "host_graph_us",
}


def constants(provenance: str) -> set[str]:
    return {f.name for f in fields(CostModel) if f.metadata.get("provenance") == provenance}


def test_every_constant_says_where_it_comes_from() -> None:
    assert constants("fitted") == FITTED
    assert constants("published") | constants("assumed") | FITTED == {
        f.name for f in fields(CostModel) if f.metadata
    }
    assert all(f.metadata["source"] and f.metadata["unit"] for f in fields(CostModel) if f.metadata)
    assert {f.name for f in fields(CostModel) if not f.metadata} == {
        "device", "calibrated_to", "device_error", "host_error", "sources"
    }  # fmt: skip


def test_the_published_rates_alone_do_not_explain_the_guide() -> None:
    """4096 x 4096 bfloat16, read and written: 2 * 33.5 MB at 725 GB/s are 93 us, and the guide shows 388."""
    model = CostModel(execution_us=0, fine_grained_us=0, scalar_launch_us=0)
    seconds = 2 * 4096 * 4096 * 2 / (2 * model.hbm)
    assert seconds * 1e6 == pytest.approx(92.6, abs=0.1)
    assert seconds * 1e6 < 0.25 * GUIDE["naive"]["aten::mul"][2] / 3


@pytest.fixture(scope="module")
def arguments() -> tuple[torch.Tensor, torch.Tensor]:
    x = torch.randn(4096, 4096, device="neuron", dtype=torch.bfloat16)
    return x, torch.ones(4096, device="neuron", dtype=torch.bfloat16)


@pytest.mark.parametrize("version", GUIDE)
def test_the_guides_rows(version: str, profile: Callable[..., Recorded], arguments: Any) -> None:
    x, weight = arguments
    compiled = torch.compile(rms_norm, backend="neuron")
    runs = {
        "naive": lambda: rms_norm(x, weight),
        "fused": lambda: torch.rms_norm(x, (4096,), weight, 1e-6),
        "compiled": lambda: compiled(x, weight),
    }
    # Regions are numbered through the whole process, so the first one of this test need not be 0/0.
    rows = {name.partition(": ")[0]: row for name, row in profile(runs[version]).averages().items()}
    for name, (calls, host_us, device_us) in GUIDE[version].items():
        row = rows[name]
        assert row.count == calls
        assert row.self_device_time_total == pytest.approx(device_us, rel=DEVICE_TOLERANCE)
        assert row.cpu_time_total == pytest.approx(host_us, rel=HOST_TOLERANCE)
    total = sum(device for _, _, device in GUIDE[version].values())
    assert sum(row.self_device_time_total for row in rows.values()) == pytest.approx(
        total, rel=DEVICE_TOLERANCE
    )


def test_fused_and_compiled_are_not_told_apart(profile: Callable[..., Recorded], arguments: Any) -> None:
    x, weight = arguments
    fused = profile(lambda: torch.rms_norm(x, (4096,), weight, 1e-6))
    facts = fused.trace["neuron_simulated"]
    assert "fused and compiled" in facts["resolution"]["not_distinguished"]
    compiled_model = torch.compile(rms_norm, backend="neuron")
    compiled = profile(lambda: compiled_model(x, weight))
    times = [run.events("nc_exec_running")[0]["duration_ns"] for run in (fused, compiled)]
    assert times[0] == pytest.approx(times[1], rel=facts["resolution"]["device_relative_error"])
