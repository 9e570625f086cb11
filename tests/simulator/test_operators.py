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
    with pytest.raises(
        SimulatorError, match=r"^aten::_cudnn_rnn_flatten_weight has no CPU kernel, so .*cannot run it\.$"
    ):
        weight = torch.ones(4, device="neuron")
        torch.ops.aten._cudnn_rnn_flatten_weight([weight], 1, 4, 2, 4, 0, 1, False, False)


@pytest.mark.parametrize("kind", [torch.nn.LSTM, torch.nn.GRU, torch.nn.RNN])
@pytest.mark.parametrize("options", [{}, {"bias": False}, {"num_layers": 2, "bidirectional": True}])
def test_recurrent_layers_agree_with_the_cpu_to_rounding(kind: Any, options: dict[str, Any]) -> None:
    torch.manual_seed(0)
    layer, x = kind(5, 7, **options), torch.randn(6, 3, 5)
    found = []
    for device in ("cpu", "neuron"):
        moved = kind(5, 7, **options).to(device)
        moved.load_state_dict(layer.state_dict())
        leaf = x.to(device).requires_grad_()
        output, state = moved(leaf)
        states = list(state) if isinstance(state, tuple) else [state]
        loss = output.square().sum() + sum(s.pow(3).sum() for s in states)
        grads = torch.autograd.grad(loss, [leaf, *moved.parameters()])
        found.append([t.detach().cpu() for t in [output, *states, *grads]])
    for expected, actual in zip(*found, strict=True):
        torch.testing.assert_close(actual, expected, rtol=1e-5, atol=1e-5)


def test_packed_sequences() -> None:
    lstm, x = torch.nn.LSTM(4, 4), torch.randn(3, 2, 4)
    packed = torch.nn.utils.rnn.pack_padded_sequence(x, torch.tensor([3, 1]))
    expected = lstm(packed)[0].data
    on_device = torch.nn.utils.rnn.pack_padded_sequence(x.to("neuron"), torch.tensor([3, 1]))
    torch.testing.assert_close(lstm.to("neuron")(on_device)[0].data.cpu(), expected)


#: Each with the dtypes that it is swept in; the CPU is the measure, bit for bit.
FLOATS, INTEGERS = (torch.bfloat16, torch.float16, torch.float64), (torch.int64, torch.int32, torch.uint8)
FLOAT_ONLY = {"exp", "log1p", "sin", "cos", "tanh", "sigmoid", "erf", "sqrt", "rsqrt", "reciprocal", "mean",
              "std", "norm"}  # fmt: skip
IN_PLACE = ["abs", "exp", "log1p", "sin", "cos", "tanh", "sigmoid", "sqrt", "rsqrt", "reciprocal", "floor",
            "relu", "neg", "square", "tril", "triu", "erf"]  # fmt: skip
ARITHMETIC = ["add", "sub", "mul", "maximum", "minimum", "bitwise_and", "eq", "lt", "remainder"]


def equal(op: Operator, *inputs: torch.Tensor) -> None:
    expected, actual = results(op, [t.clone() for t in inputs]), results(op, [t.to("neuron") for t in inputs])
    for a, b in zip(actual, expected, strict=True):
        assert a.dtype == b.dtype and torch.equal(a, b)


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@pytest.mark.parametrize("name", [*UNARY, *BINARY])
def test_other_floating_point_types(name: str, dtype: torch.dtype) -> None:
    op, count = (UNARY[name], 1) if name in UNARY else (BINARY[name], 2)
    inputs = [(torch.rand(4, 6) + 0.1).to(dtype) for _ in range(count)]
    try:
        results(op, [t.clone() for t in inputs])
    except (RuntimeError, NotImplementedError):  # the CPU has it not in this type either
        with pytest.raises((RuntimeError, NotImplementedError)):
            results(op, [t.to("neuron") for t in inputs])
        return
    equal(op, *inputs)


@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
@pytest.mark.parametrize("name", [*ARITHMETIC, *sorted(set(NAMED) - FLOAT_ONLY)])
def test_integers(name: str, dtype: torch.dtype) -> None:
    inputs = [torch.randint(1, 9, (4, 6)).to(dtype) for _ in range(2 if name in ARITHMETIC else 1)]
    equal(getattr(torch, name), *inputs)


@pytest.mark.parametrize("name", IN_PLACE)
def test_in_place_variants_return_the_very_tensor(name: str) -> None:
    x = torch.rand(4, 6) + 0.1
    there = x.to("neuron")
    same = getattr(there, f"{name}_")()
    assert same is there and torch.equal(there.cpu(), getattr(x, f"{name}_")())


@pytest.mark.parametrize("size", [(0,), (4, 6)], ids=["empty", "right"])
@pytest.mark.parametrize("name", [*sorted({*IN_PLACE} - {"relu"}), *ARITHMETIC[:5], "matmul"])
def test_out_variants(name: str, size: tuple[int, ...]) -> None:
    op = getattr(torch, name)
    x, y = torch.rand(4, 6) + 0.1, torch.rand(4, 6)
    inputs = [x, y] if name in ARITHMETIC else [x, torch.rand(6, 6)] if name == "matmul" else [x]
    out = torch.empty(size, device="neuron")
    assert op(*[t.to("neuron") for t in inputs], out=out) is out
    assert torch.equal(out.cpu(), op(*inputs))
