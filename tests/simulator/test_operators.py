"""A sweep over operators: forward, and backward where there is one, against the CPU."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch

from neuron_nbprof.errors import SimulatorError

F = torch.nn.functional
Operator = Callable[..., Any]

NAMED = [
    "abs",
    "neg",
    "exp",
    "log1p",
    "sin",
    "cos",
    "tanh",
    "sigmoid",
    "erf",
    "square",
    "sqrt",
    "rsqrt",
    "reciprocal",
    "floor",
    "relu",
    "sum",
    "mean",
    "std",
    "amax",
    "argmax",
    "sort",
    "norm",
    "tril",
    "triu",
    "nonzero",
    "isnan",
]
UNARY: dict[str, Operator] = {name: getattr(torch, name) for name in NAMED}
UNARY |= {
    "softmax": lambda x: torch.softmax(x, -1),
    "log_softmax": lambda x: torch.log_softmax(x, -1),
    "logsumexp": lambda x: torch.logsumexp(x, 0),
    "cumsum": lambda x: torch.cumsum(x, 0),
    "flip": lambda x: x.flip(0),
    "roll": lambda x: x.roll(2, 1),
    "topk": lambda x: x.topk(2),
    "max dim": lambda x: x.max(1),
    "pow": lambda x: x**3,
    "power of a number": lambda x: 2**x,
    "remainder": lambda x: torch.remainder(7, x.detach()),
    "unique": lambda x: x.detach().unique(),
    "clamp": lambda x: x.clamp(0.2, 0.8),
    "where": lambda x: torch.where(x > 0.5, x, 0.0),
    "masked_fill": lambda x: x.masked_fill(x > 0.5, float("-inf")),
    "gelu": F.gelu,
    "silu": F.silu,
    "dropout": lambda x: F.dropout(x, 0.5),
    "layer_norm": lambda x: F.layer_norm(x, (6,)),
    "rms_norm": lambda x: F.rms_norm(x, (6,)),
    "batch_norm": lambda x: F.batch_norm(x, None, None, training=True),
    "cross_entropy": lambda x: F.cross_entropy(x, x.argmax(1)),
    "one_hot": lambda x: F.one_hot(x.argmax(1), 6),
    "pad": lambda x: F.pad(x, (1, 2), value=3.0),
    "split": lambda x: x.split(2, 1),
    "cat": lambda x: torch.cat([x, x * 2]),
    "stack": lambda x: torch.stack([x, x]),
    "gather": lambda x: x.gather(1, x.argsort(1)),
    "index_add": lambda x: x.index_add(0, x.argmax(0)[:2] % 4, x[:2]),
    "advanced index": lambda x: x[[0, 2], [1, 3]],
    "einsum": lambda x: torch.einsum("ij,kj->ik", x, x),
    "fft": lambda x: torch.fft.rfft(x).abs(),
    "svd": lambda x: torch.linalg.svdvals(x),
    "interpolate": lambda x: F.interpolate(x[None, None], scale_factor=2.0),
    "unfold": lambda x: F.unfold(x[None, None], 2),
    "conv2d": lambda x: F.conv2d(x[None, None], x[None, None, :3, :3], padding=1),
    "max_pool2d": lambda x: F.max_pool2d(x[None, None], 2),
    "foreach": lambda x: torch._foreach_mul([x, x + 1], 2.0),
    "to half and back": lambda x: x.to(torch.bfloat16).float(),
}
BINARY: dict[str, Operator] = {
    "add": torch.add,
    "sub": torch.sub,
    "mul": torch.mul,
    "div": torch.div,
    "atan2": torch.atan2,
    "maximum": torch.maximum,
    "lerp": lambda x, y: torch.lerp(x, y, 0.3),
    "addcmul": lambda x, y: torch.addcmul(x, x, y, value=2),
    "broadcast": lambda x, y: x + y[:1],
    "mm": lambda x, y: x @ y.T,
    "bmm": lambda x, y: torch.bmm(x[None], y.T[None]),
    "addmm": lambda x, y: torch.addmm(x[:, :4], x, y.T),
    "linear": lambda x, y: F.linear(x, y, y[0, :4]),
    "mse_loss": F.mse_loss,
    "cdist": torch.cdist,
    "eq": torch.eq,
    "embedding": lambda x, y: F.embedding(x.argmax(1) % 4, y),
}


def results(op: Operator, inputs: list[torch.Tensor]) -> list[torch.Tensor]:
    """Outputs of an operator, then gradients of its inputs, all moved to the CPU."""
    torch.manual_seed(0)
    output = op(*inputs)
    outputs = [output] if isinstance(output, torch.Tensor) else list(output)
    differentiable = [t for t in outputs if t.requires_grad]
    grads: Any = []
    if differentiable:
        grads = torch.autograd.grad([t.abs().sum() for t in differentiable], inputs, allow_unused=True)
    assert {t.device for t in outputs} == {inputs[0].device}
    return [t.detach().cpu() for t in [*outputs, *grads] if t is not None]


@pytest.mark.parametrize("name", [*UNARY, *BINARY])
def test_operator_equals_the_cpu(name: str) -> None:
    op, count = (UNARY[name], 1) if name in UNARY else (BINARY[name], 2)
    generator = torch.Generator().manual_seed(3)
    inputs = [torch.rand(4, 6, generator=generator) + 0.1 for _ in range(count)]
    expected = results(op, [t.clone().requires_grad_() for t in inputs])
    actual = results(op, [t.to("neuron").requires_grad_() for t in inputs])
    assert len(actual) == len(expected)
    for a, b in zip(actual, expected, strict=True):
        assert a.dtype == b.dtype and torch.equal(a, b)


def test_an_operator_without_a_cpu_kernel_is_refused_in_one_sentence() -> None:
    lstm = torch.nn.LSTM(4, 4).to("neuron")
    with pytest.raises(
        SimulatorError, match=r"^aten::_thnn_fused_lstm_cell has no CPU kernel, so .*cannot run it\.$"
    ):
        lstm(torch.randn(3, 2, 4, device="neuron"))
