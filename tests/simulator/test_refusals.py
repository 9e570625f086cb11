"""The written list of refusals: each is met on every way to it, and is one sentence."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from neuron_nbprof.errors import SimulatorError
from neuron_nbprof.simulator import refusals
from neuron_nbprof.simulator.refusals import REFUSALS, Refusal

DOCUMENT = Path(__file__).parents[2] / "ARCHITECTURE.md"


def ones(*shape: int) -> torch.Tensor:
    return torch.ones(*shape, device="neuron")


def indices(device: str = "cpu") -> torch.Tensor:
    return torch.zeros(1, 1, dtype=torch.long, device=device)


def quantised() -> torch.Tensor:
    return torch.quantize_per_tensor(torch.ones(2), 0.1, 0, torch.qint8)


WAYS: dict[Refusal, dict[str, Callable[[], Any]]] = {
    refusals.LAYOUT: {
        "to_sparse": lambda: ones(2, 2).to_sparse(),
        "to_sparse_csr": lambda: ones(2, 2).to_sparse_csr(),
        "to_mkldnn": lambda: ones(2, 2).to_mkldnn(),
        "COO": lambda: torch.sparse_coo_tensor(indices(), torch.ones(1), (2,), device="neuron"),
        "COO of ours": lambda: torch.sparse_coo_tensor(indices("neuron"), ones(1), (2,)),
        "COO moved": lambda: torch.ones(2, 2).to_sparse().to("neuron"),
        "CSR": lambda: torch.sparse_csr_tensor([0, 1], [0], [1.0], (1, 1), device="neuron"),
        "CSR without size": lambda: torch.sparse_csr_tensor([0, 1], [0], [1.0], device="neuron"),
        "CSR moved": lambda: torch.ones(2, 2).to_sparse_csr().to("neuron"),
        "CSC moved": lambda: torch.ones(2, 2).to_sparse_csc().to("neuron"),
    },
    refusals.NESTED: {
        "made": lambda: torch.nested.nested_tensor([torch.ones(2), torch.ones(3)], device="neuron") + 1,
        "moved": lambda: torch.nested.nested_tensor([torch.ones(2), torch.ones(3)]).to("neuron"),
    },
    refusals.QUANTIZED: {
        "made": lambda: torch.quantize_per_tensor(ones(2), 0.1, 0, torch.qint8),
        "moved": lambda: quantised().to("neuron"),
    },
    refusals.GENERATOR: {
        "name": lambda: torch.Generator("neuron"),
        "keyword": lambda: torch.Generator(device=torch.device("neuron", 1)),
    },
    refusals.RESIZED_STORAGE: {
        "grown": lambda: ones(2).untyped_storage().resize_(100),
        "freed": lambda: ones(2).untyped_storage().resize_(0),
        "typed": lambda: ones(2).storage().resize_(100),
    },
    refusals.PINNED_MEMORY: {
        "method": lambda: torch.ones(2).pin_memory(),
        "factory": lambda: torch.ones(2, device="neuron", pin_memory=True),
        "loader": lambda: list(torch.utils.data.DataLoader([torch.ones(1)], pin_memory=True)),
    },
    refusals.STATISTICS: {
        "allocated": lambda: torch.accelerator.memory_allocated(),
        "stats": lambda: torch.accelerator.memory_stats(),
        "info": lambda: torch.accelerator.get_memory_info(),
        "reset": lambda: torch.accelerator.reset_peak_memory_stats(),
    },
    refusals.INDUCTOR: {"compile": lambda: torch.compile(lambda x: x + 1)(ones(2))},
    refusals.NO_CPU_KERNEL: {
        "operator": lambda: torch.ops.aten._cudnn_rnn_flatten_weight(
            [ones(4)], 1, 4, 2, 4, 0, 1, False, False
        ),
    },
}


def test_every_refusal_is_tested_and_written_down() -> None:
    assert set(WAYS) == set(REFUSALS)
    text = re.sub(r"\s+", " ", DOCUMENT.read_text(encoding="utf-8"))
    assert [refusal.what for refusal in REFUSALS if refusal.what not in text] == []


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("refusal", "way"),
    [pytest.param(r, way, id=f"{r.what}-{name}") for r, ways in WAYS.items() for name, way in ways.items()],
)
def test_a_refusal_is_one_sentence(refusal: Refusal, way: Callable[[], Any]) -> None:
    with pytest.raises(Exception) as caught:
        way()
    assert refusal.sentence in str(caught.value)
    assert refusal.sentence.endswith(".") and refusal.sentence.count(". ") == 0
    if refusal is not refusals.INDUCTOR:
        assert isinstance(caught.value, SimulatorError) and isinstance(caught.value, NotImplementedError)
        assert len(str(caught.value).splitlines()) == 1


def test_what_is_beside_a_refusal_works() -> None:
    generator = torch.Generator().manual_seed(1)
    assert isinstance(generator, torch.Generator) and torch.Generator(device="cpu").device.type == "cpu"
    expected = torch.randn(2, generator=torch.Generator().manual_seed(1))
    assert torch.equal(torch.randn(2, device="neuron", generator=generator).cpu(), expected)
    assert torch.ones(2).untyped_storage().resize_(100).nbytes() == 100
    assert torch.ones(2, 2).to_sparse_csr().to(torch.float64).to_dense().sum() == 4
    jagged = torch.nested.nested_tensor([torch.ones(2), torch.ones(3)], device="neuron", layout=torch.jagged)
    assert (jagged * 2).values().tolist() == [2] * 5
    assert torch.compile(lambda x: x + 1, backend="eager")(ones(2)).tolist() == [2, 2]
    torch.accelerator.empty_cache()
