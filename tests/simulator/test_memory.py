"""Memory of the simulated device: what its tensors hold, as counted by hand, at each dispatch."""

from __future__ import annotations

import gc
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
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


def test_storages_that_died_leave_nothing_behind() -> None:
    gc.collect()
    before = memory.in_use(0)
    watched = set(memory._watches)
    kept = [torch.empty(n, device="neuron") for n in range(1, 101)]
    assert memory.in_use(0) - before == 4 * 5050
    with ThreadPoolExecutor(4) as threads:
        list(threads.map(lambda n: torch.empty(n, device="neuron").sum().item(), range(1, 101)))
    assert memory.in_use(0) - before == 4 * 5050
    del kept[1::2]
    assert memory.in_use(0) - before == 4 * 2500, "those of 1, 3, 5 ... numbers are left"
    kept.clear()
    assert memory.in_use(0) == before
    assert not memory._ended and not set(memory._watches) - watched


def test_what_only_autograd_holds_is_in_use() -> None:
    gc.collect()
    before = memory.in_use(0)
    weight = torch.ones(SIDE, SIDE, device="neuron", requires_grad=True)
    loss = (weight * torch.ones(SIDE, SIDE, device="neuron")).sum()
    number = loss.element_size()
    assert memory.in_use(0) - before == 2 * SQUARE + number, "the weight, and its factor for the way back"
    loss.backward()
    assert memory.in_use(0) - before == 2 * SQUARE + number, "the weight and its gradient"
    del loss, weight
    assert memory.in_use(0) == before


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
