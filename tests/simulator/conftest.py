"""Captures of the simulated device as plain data."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from ..simulated import device as device
from ..simulated import one_core as one_core
from ..simulated import torch


class Recorded(NamedTuple):
    """One capture as plain data: trace.json, the rows of the events table, and torch's profiler object."""

    folder: Path
    trace: dict[str, Any]
    system: list[dict[str, Any]]
    profiler: Any

    def rows(self, category: str) -> list[dict[str, Any]]:
        rows = (row for row in self.trace["traceEvents"] if row.get("cat") == category and row["ph"] == "X")
        return sorted(rows, key=lambda row: row["ts"])

    def events(self, name: str) -> list[dict[str, Any]]:
        return [row for row in self.system if row["name"] == name]

    def averages(self) -> dict[str, Any]:
        return {row.key: row for row in self.profiler.key_averages()}


@pytest.fixture
def profile(tmp_path: Path) -> Callable[..., Recorded]:
    """`profile(f)` runs f as the guide does: two runs unrecorded, one warm-up, one recorded."""

    def run(f: Callable[[], Any], **arguments: Any) -> Recorded:
        import pyarrow.parquet as pq
        from torch.profiler import ProfilerActivity, schedule
        from torch_neuronx.profiling import NeuronConfig, NeuronProfiler, ProfileMode

        out = tmp_path / str(len(list(tmp_path.iterdir())))
        config = NeuronConfig(
            modes=[ProfileMode.RUNTIME],
            profile_output_dir=str(out),
            correlate_device_time=True,
        )
        with torch.profiler.profile(
            activities=[ProfilerActivity.CPU, ProfilerActivity.PrivateUse1],
            experimental_config=config,
            schedule=schedule(wait=2, warmup=1, active=1, repeat=1),
            acc_events=True,
            on_trace_ready=NeuronProfiler(config).export_trace,
            **arguments,
        ) as profiler:
            for _ in range(4):
                f()
                torch.neuron.synchronize()
                profiler.step()
        (path,) = out.rglob("trace.json")
        system = pq.read_table(path.with_name("SystemProfileEvents.parquet")).to_pylist()
        return Recorded(path.parent, json.loads(path.read_text()), system, profiler)

    return run


def rms_norm(x: Any, weight: Any, eps: float = 1e-6) -> Any:
    x_sq = x * x
    mean_sq = x_sq.mean(-1, keepdim=True)
    rms = torch.rsqrt(mean_sq + eps)
    return x * rms * weight
