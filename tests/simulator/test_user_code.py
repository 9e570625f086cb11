"""What people write with PyTorch runs unchanged on the device "neuron" and gives what the CPU gives."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.checkpoint import checkpoint
from torch.utils.flop_counter import FlopCounterMode

F = nn.functional


def moved(device: str, *shape: int, **options: Any) -> torch.Tensor:
    return torch.randn(*shape, **options).to(device)


def factories(device: str) -> list[torch.Tensor]:
    return [
        torch.arange(5, device=device), torch.linspace(0, 1, 5, device=device), torch.eye(3, device=device),
        torch.full((2,), 3.0, device=device), torch.randint(0, 5, (3,), device=device),
        torch.randperm(4, device=device), torch.triu_indices(3, 3, device=device),
        torch.tensor([1, 2], device=device),
    ]  # fmt: skip


def convolutional(device: str) -> list[torch.Tensor]:
    x, w = (moved(device, *shape).requires_grad_() for shape in ((2, 3, 8, 8), (4, 3, 3, 3)))
    y = F.relu(F.conv2d(x, w, padding=1))
    y = F.dropout(F.max_pool2d(F.batch_norm(y, None, None, training=True), 2), 0.5)
    loss = F.cross_entropy(y.flatten(1), torch.tensor([1, 2], device=device))
    return [loss, *torch.autograd.grad(loss, [x, w])]


def encoder(device: str) -> list[torch.Tensor]:
    layer, x = nn.TransformerEncoderLayer(16, 2, dropout=0.0, batch_first=True), moved(device, 2, 4, 16)
    layer = layer.to(device)
    y = layer(x)
    y.sum().backward()
    with torch.no_grad():
        return [y, layer.linear1.weight.grad, layer.eval()(x)]


def checkpointed(device: str) -> list[torch.Tensor]:
    block = nn.Sequential(nn.Linear(8, 8), nn.GELU(), nn.RMSNorm(8)).to(device)
    x = moved(device, 2, 8).requires_grad_()
    y = checkpoint(block, x, use_reentrant=False)
    return [y, *torch.autograd.grad(y.sum(), x)]


def functional(device: str) -> list[torch.Tensor]:
    x = moved(device, 3, 4)
    cube = lambda x: (x**3).sum()  # noqa: E731
    return [torch.func.grad(cube)(x), torch.func.vmap(cube)(x), torch.func.vmap(torch.func.grad(cube))(x)]


def inference(device: str) -> list[torch.Tensor]:
    with torch.inference_mode():
        return [(moved(device, 3) * 2 + 1).view(3, 1)]


def default_device(device: str) -> list[torch.Tensor]:
    torch.set_default_device(device)
    try:
        return [torch.ones(2) + torch.tensor([1.0, 2.0]), nn.Linear(2, 2).weight]
    finally:
        torch.set_default_device(None)


def state_of_another_device(device: str) -> list[torch.Tensor]:
    file = io.BytesIO()
    torch.save(nn.Linear(2, 2).to(device).state_dict(), file)
    file.seek(0)
    other = nn.Linear(2, 2).to(device)
    other.load_state_dict(torch.load(file, map_location="cpu"))
    return list(other.parameters())


def scaled(device: str) -> list[torch.Tensor]:
    scaler, layer = torch.amp.GradScaler(device), nn.Linear(4, 4).to(device)
    optimiser = torch.optim.SGD(layer.parameters(), lr=0.1)
    with torch.autocast(device, torch.bfloat16):
        loss = layer(moved(device, 2, 4)).float().square().mean()
    scaler.scale(loss).backward()
    scaler.step(optimiser)
    scaler.update()
    return list(layer.parameters())


def masks(device: str) -> list[torch.Tensor]:
    x, mask = moved(device, 2, 4), torch.tensor([[True, False, True, True]] * 2, device=device)
    return [x.masked_fill(~mask, float("-inf")).softmax(-1), torch.where(mask, x, 0), x[mask]]


def complex_numbers(device: str) -> list[torch.Tensor]:
    x = moved(device, 4, 4, dtype=torch.complex64)
    y, column = moved(device, 4, 4, dtype=torch.complex64), x[:, 0]
    products = [x.conj() @ y, x.mH @ y.mT, torch.einsum("ij,jk->ik", x.conj(), y), x.conj() @ column.conj()]
    products += [torch.dot(column.conj(), column), torch.vdot(column, column), torch.addmm(x.conj(), x, y.mH)]
    solved = torch.linalg.solve_triangular(x.conj(), y, upper=True)
    return [*products, solved, x.conj().imag @ y.real, torch.fft.fft(x.conj())]


CODE: dict[str, Callable[[str], list[torch.Tensor]]] = {
    function.__name__: function
    for function in (
        factories, convolutional, encoder, checkpointed, functional, inference, default_device,
        state_of_another_device, scaled, masks, complex_numbers,
    )
}  # fmt: skip


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", CODE)
def test_code_gives_what_the_cpu_gives(name: str) -> None:
    torch.manual_seed(0)
    with sdpa_kernel(SDPBackend.MATH):
        expected = CODE[name]("cpu")
    torch.manual_seed(0)
    actual = CODE[name]("neuron")
    assert {tensor.device.type for tensor in actual} == {"neuron"}
    for here, there in zip(expected, actual, strict=True):
        assert torch.equal(here.detach().resolve_conj(), there.detach().cpu())


def test_flops_are_counted_as_on_the_cpu() -> None:
    with FlopCounterMode(display=False) as counter:
        torch.ones(8, 8, device="neuron") @ torch.ones(8, 8, device="neuron")
    assert counter.get_total_flops() == 2 * 8**3
