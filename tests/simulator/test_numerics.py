"""The simulated device computes what the CPU computes, bit for bit."""

from __future__ import annotations

import copy
import io
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn
from torch.nn.attention import SDPBackend, sdpa_kernel

from .conftest import rms_norm

F = nn.functional


class Block(nn.Module):
    """A transformer block with the operators that models are made of."""

    def __init__(self, width: int = 64, heads: int = 4) -> None:
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.RMSNorm(width, eps=1e-5), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        q, k, v = (
            t.unflatten(-1, (self.heads, -1)).transpose(1, 2) for t in self.qkv(self.norm1(x)).chunk(3, -1)
        )
        attended = F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).flatten(2)
        x = x + self.out(attended)
        return x + self.mlp(self.norm2(x))


def train(
    device: str, optimiser: Callable[..., Any], *, autocast: bool = False, compiled: bool = False
) -> list[torch.Tensor]:
    """Two steps of training; returns the losses and all parameters, on the CPU."""
    torch.manual_seed(0)
    block, x, target = Block(), torch.randn(2, 8, 64), torch.randn(2, 8, 64)
    block, x, target = block.to(device), x.to(device), target.to(device)
    optimiser = optimiser(block.parameters())
    backend = "neuron" if device == "neuron" else "aot_eager"
    forward = torch.compile(block, backend=backend) if compiled else block
    losses = []
    for _ in range(2):
        optimiser.zero_grad()
        with torch.autocast(device, dtype=torch.bfloat16, enabled=autocast), sdpa_kernel(SDPBackend.MATH):
            loss = ((forward(x) - target) ** 2).mean()
        loss.backward()
        nn.utils.clip_grad_norm_(block.parameters(), 1.0)
        optimiser.step()
        losses.append(loss.detach())
    return [tensor.detach().cpu() for tensor in [*losses, *block.parameters()]]


def assert_equal(actual: list[torch.Tensor], expected: list[torch.Tensor]) -> None:
    assert len(actual) == len(expected)
    for a, b in zip(actual, expected, strict=True):
        assert torch.equal(a, b)


@pytest.mark.parametrize(
    "optimiser",
    [
        lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.9),
        lambda p: torch.optim.AdamW(p, lr=1e-3),
        lambda p: torch.optim.Adam(p, lr=1e-3, foreach=True),
        lambda p: torch.optim.Adam(p, lr=1e-3, fused=True),
    ],
    ids=["sgd", "adamw", "adam-foreach", "adam-fused"],
)
def test_training_equals_the_cpu(optimiser: Any) -> None:
    assert_equal(train("neuron", optimiser), train("cpu", optimiser))


def test_training_under_autocast_equals_the_cpu() -> None:
    sgd = lambda p: torch.optim.SGD(p, lr=0.1)  # noqa: E731
    assert_equal(train("neuron", sgd, autocast=True), train("cpu", sgd, autocast=True))


def test_compiled_training_equals_compiled_on_the_cpu() -> None:
    sgd = lambda p: torch.optim.SGD(p, lr=0.1)  # noqa: E731
    assert_equal(train("neuron", sgd, compiled=True), train("cpu", sgd, compiled=True))


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_three_rms_norms(dtype: torch.dtype) -> None:
    x, weight = torch.randn(16, 128, dtype=dtype), torch.randn(128, dtype=dtype)
    nx, nweight = x.to("neuron"), weight.to("neuron")
    naive = rms_norm(nx, nweight)
    assert naive.device == torch.device("neuron", 0) and naive.dtype == dtype
    assert torch.equal(naive.cpu(), rms_norm(x, weight))
    assert torch.equal(
        torch.rms_norm(nx, (128,), nweight, 1e-6).cpu(), torch.rms_norm(x, (128,), weight, 1e-6)
    )
    compiled = torch.compile(rms_norm, backend="neuron")(nx, nweight)
    assert torch.equal(compiled.cpu(), rms_norm(x, weight))


def rms_norm_gradients(device: str, f: Callable[..., torch.Tensor], eps: list[float]) -> list[torch.Tensor]:
    """Gradients of several fused norms that differ in eps only, taken after all forwards are done."""
    torch.manual_seed(1)
    x = (torch.randn(4, 32) * 1e-3).to(device).requires_grad_()
    weight = torch.randn(32).to(device).requires_grad_()
    outputs = [f(x, (32,), weight, e) for e in eps]
    grads = [torch.autograd.grad(y.square().sum(), [x, weight]) for y in outputs]
    return [grad.cpu() for pair in grads for grad in pair]


def test_fused_rms_norm_gradients_know_their_own_eps() -> None:
    eps = [1e-12, 1e-6, 1e-2]
    expected = rms_norm_gradients("cpu", torch.rms_norm, eps)
    assert not torch.equal(expected[0], expected[2])  # eps matters for numbers this small
    assert_equal(rms_norm_gradients("neuron", torch.rms_norm, eps), expected)
    compiled = torch.compile(torch.rms_norm, backend="neuron", dynamic=False)
    assert_equal(rms_norm_gradients("neuron", compiled, eps), expected)


def test_fused_rms_norm_without_weight_and_in_torch_func() -> None:
    x = torch.randn(4, 32)

    def loss(x: torch.Tensor) -> torch.Tensor:
        return torch.rms_norm(x, (32,), None, 1e-5).pow(3).sum()

    assert torch.equal(torch.func.grad(loss)(x.to("neuron")).cpu(), torch.func.grad(loss)(x))


def test_a_second_derivative_of_the_fused_norm_is_refused() -> None:
    x = torch.randn(4, 32, device="neuron", requires_grad=True)
    (grad,) = torch.autograd.grad(torch.rms_norm(x, (32,), None, 1e-5).pow(3).sum(), x, create_graph=True)
    with pytest.raises(RuntimeError, match="once_differentiable"):
        grad.sum().backward()


def test_save_load_and_deepcopy() -> None:
    tensor = torch.randn(3, 4)
    saved = io.BytesIO()
    torch.save({"w": tensor.to("neuron")}, saved)
    saved.seek(0)
    loaded = torch.load(saved)["w"]
    assert loaded.device.type == "neuron" and torch.equal(loaded.cpu(), tensor)
    saved.seek(0)
    assert torch.equal(torch.load(saved, map_location="cpu")["w"], tensor)
    original = tensor.to("neuron")
    duplicate = copy.deepcopy(original)
    duplicate.zero_()
    assert duplicate.device.type == "neuron" and torch.equal(original.cpu(), tensor)


def test_views_share_memory_and_in_place_operators_return_the_same_tensor() -> None:
    x = torch.arange(12.0, device="neuron").view(3, 4)
    row = x[1]
    assert row.add_(1) is row
    x[:, 2] = 0
    x[x > 8] = -1
    expected = torch.arange(12.0).view(3, 4)
    expected[1] += 1
    expected[:, 2] = 0
    expected[expected > 8] = -1
    assert torch.equal(x.cpu(), expected) and torch.equal(row.cpu(), expected[1])


def test_out_arguments_and_resizing() -> None:
    out = torch.empty(0, device="neuron")
    assert torch.add(torch.ones(3, device="neuron"), 1, out=out) is out
    assert out.tolist() == [2, 2, 2]
    out.resize_(5)
    assert out.device.type == "neuron" and out[:3].tolist() == [2, 2, 2] and out.shape == (5,)


def test_lazy_conjugates_and_zero_tensors_survive_copies() -> None:
    x = torch.randn(4, dtype=torch.complex64)
    assert torch.equal(x.to("neuron").conj().cpu(), x.conj().resolve_conj())
    assert torch.equal(x.to("neuron").conj().imag.cpu(), x.conj().imag)
    assert torch._efficientzerotensor((2,), device="neuron").cpu().tolist() == [0, 0]


def test_random_numbers_follow_torchs_seed() -> None:
    torch.manual_seed(5)
    expected = torch.randn(4)
    torch.manual_seed(5)
    assert torch.equal(torch.randn(4, device="neuron").cpu(), expected)


def test_tensors_of_two_devices_do_not_mix() -> None:
    with pytest.raises(RuntimeError, match="at least two devices, neuron:0 and cpu"):
        torch.ones(2, device="neuron") + torch.ones(2)
    with pytest.raises(TypeError, match="numpy"):
        torch.ones(2, device="neuron").numpy()


def test_torch_finds_the_device(device: Any) -> None:
    assert torch.neuron.is_available() and torch.neuron.is_initialized()
    assert torch.accelerator.current_accelerator() == torch.device("neuron")
    assert torch.neuron.get_device_name() == device.name and "SIMULATED" in device.name
    with torch.device("neuron"):
        assert nn.Linear(2, 2).weight.device.type == "neuron"
