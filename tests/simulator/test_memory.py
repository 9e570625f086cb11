"""Memory of the simulated device: what its tensors hold, as counted by hand, at each dispatch."""

from __future__ import annotations

import gc
from collections.abc import Callable
from typing import Any

import pyarrow.parquet as pq
import torch

from neuron_nbprof.simulator import memory

from .conftest import Recorded, rms_norm

SIDE = 256
#: Bytes of a square float32 tensor, of one column, and of one number.
SQUARE, COLUMN = SIDE * SIDE * 4, SIDE * 4


def test_memory_follows_what_is_made_grown_and_let_go_of() -> None:
    gc.collect()
    before = memory.in_use(0)
    x = torch.zeros(SIDE, SIDE, device="neuron")
    assert memory.in_use(0) - before == SQUARE
    view = x[1:]
    x.mul_(2)
    assert memory.in_use(0) - before == SQUARE, "a view and work in place take nothing"
    y = x + 1
    assert memory.in_use(0) - before == 2 * SQUARE
    del x
    assert memory.in_use(0) - before == 2 * SQUARE, "the view still holds the storage"
    del view
    assert memory.in_use(0) - before == SQUARE
    y.resize_(2 * SIDE, SIDE)
    assert memory.in_use(0) - before == 2 * SQUARE
    del y
    assert memory.in_use(0) == before


def test_storages_that_died_are_forgotten() -> None:
    for _ in range(3 * memory._FEWEST):
        torch.empty(1, device="neuron")
    assert len(memory._storages) < 3 * memory._FEWEST


def test_a_capture_tells_memory_in_use_at_each_dispatch(profile: Callable[..., Recorded]) -> None:
    gc.collect()
    x, weight = torch.randn(SIDE, SIDE, device="neuron"), torch.ones(SIDE, device="neuron")
    base = memory.in_use(0)
    run = profile(lambda: rms_norm(x, weight))
    table = pq.read_table(run.folder / "SystemProfileHbmUsage.parquet").to_pydict()
    # rms_norm keeps x_sq, mean_sq and rms until it returns; mean_sq + eps lives until rsqrt has it.
    expected = {
        "aten::mul.Tensor": [SQUARE, SQUARE + 2 * COLUMN + SQUARE, SQUARE + 2 * COLUMN + 2 * SQUARE],
        "aten::mean.dim": [SQUARE + COLUMN],
        "aten::add.Tensor": [SQUARE + 2 * COLUMN],
        "aten::rsqrt": [SQUARE + 3 * COLUMN],
    }
    found: dict[str, list[int]] = {}
    dispatches = run.rows("privateuse1_runtime")
    for row, used in zip(dispatches, table["total_bytes"], strict=True):
        found.setdefault(row["name"], []).append(used - base)
    for name, used in expected.items():
        assert found[name] == used, name
    assert table["total_bytes"] == table["tensors_bytes"]
    at = [run.trace["baseTimeNanoseconds"] + round(row["ts"] * 1000) for row in dispatches]
    assert table["timestamp"] == at


def test_a_compiled_graph_tells_its_operators(profile: Callable[..., Recorded]) -> None:
    x, weight = torch.randn(SIDE, SIDE, device="neuron"), torch.ones(SIDE, device="neuron")
    compiled: Any = torch.compile(rms_norm, backend="neuron")
    (row,) = profile(lambda: compiled(x, weight)).rows("privateuse1_runtime")
    assert row["args"]["graph_operators"] == [
        "aten::mul", "aten::mean", "aten::add", "aten::rsqrt", "aten::mul", "aten::mul",
    ]  # fmt: skip
