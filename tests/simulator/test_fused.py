"""Attention and layer norm are one device operation each, and scatter is none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch.nn.attention import SDPBackend, sdpa_kernel

from .conftest import Recorded

F = torch.nn.functional
Profile = Callable[..., Recorded]
FUSED = "aten::_scaled_dot_product_fused_attention_overrideable"


def heads(*, width: int = 8) -> list[torch.Tensor]:
    generator = torch.Generator().manual_seed(2)
    return [torch.randn(2, 3, 5, width, generator=generator) for _ in range(3)]


def attended(device: str, dtype: torch.dtype = torch.float32, **options: Any) -> list[torch.Tensor]:
    """Attention and the gradients of its inputs (and of a bias), with the CPU's reference implementation."""
    inputs = [t.to(device, dtype).requires_grad_() for t in heads()]
    mask = options.pop("mask", None)
    if mask is not None:
        options["attn_mask"] = mask.to(device)
    with sdpa_kernel([SDPBackend.MATH, SDPBackend.OVERRIDEABLE] if device == "neuron" else SDPBackend.MATH):
        output = F.scaled_dot_product_attention(*inputs, **options)
    leaves = inputs + ([options["attn_mask"]] if mask is not None and mask.requires_grad else [])
    grads = torch.autograd.grad(output.square().sum(), leaves)
    return [t.detach().cpu() for t in [output, *grads]]


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=str)
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"is_causal": True},
        {"scale": 0.3},
        {"mask": torch.ones(5, 5, dtype=torch.bool).tril()},
    ],
    ids=["plain", "causal", "scaled", "masked"],
)
def test_attention_and_its_gradient_are_the_cpus(options: dict[str, Any], dtype: torch.dtype) -> None:
    for a, b in zip(attended("neuron", dtype, **options), attended("cpu", dtype, **options), strict=True):
        assert torch.equal(a, b)


def test_a_bias_that_is_learned_has_a_gradient() -> None:
    bias = torch.randn(2, 3, 5, 5).requires_grad_()
    found = attended("neuron", mask=bias), attended("cpu", mask=bias)
    assert len(found[0]) == 5 and all(torch.equal(a, b) for a, b in zip(*found, strict=True))


def test_attention_is_one_execution_forward_and_one_backward(profile: Profile) -> None:
    q, k, v = (t.to("neuron").requires_grad_() for t in heads())

    def step() -> None:
        F.scaled_dot_product_attention(q, k, v, is_causal=True).backward(torch.ones_like(v))

    names = Counter(row["name"] for row in profile(step).rows("privateuse1_runtime"))
    assert names[FUSED] == names[f"{FUSED}_backward"] == 1
    assert not [name for name in names if "softmax" in name or "bmm" in name]


def test_attention_takes_time_by_its_flops(profile: Profile) -> None:
    def ns(length: int) -> int:
        q = torch.zeros(1, 16, length, 64, device="neuron", dtype=torch.bfloat16)
        run = profile(lambda: F.scaled_dot_product_attention(q, q, q))
        return max(row["duration_ns"] for row in run.events("nc_exec_running"))

    flops = 2 * 2 * 16 * 1024 * 1024 * 64  # two products of [L, 64] and [64, L] or [L, L] and [L, 64]
    assert ns(1024) - ns(64) == pytest.approx(flops / (2 * 79e12) * 1e9, rel=0.1)


@pytest.mark.parametrize("options", [{"dropout_p": 0.5}, {"enable_gqa": True}])
def test_what_the_fused_kernel_cannot_say_is_decomposed(options: dict[str, Any], profile: Profile) -> None:
    q, k, v = (t.to("neuron") for t in heads())
    run = profile(lambda: F.scaled_dot_product_attention(q, k, v, **options))
    assert FUSED not in {row["name"] for row in run.rows("privateuse1_runtime")}


def test_the_users_choice_of_a_kernel_holds(profile: Profile) -> None:
    q, k, v = (t.to("neuron") for t in heads())
    with sdpa_kernel(SDPBackend.MATH):
        run = profile(lambda: F.scaled_dot_product_attention(q, k, v))
    assert FUSED not in {row["name"] for row in run.rows("privateuse1_runtime")}


def test_compiled_attention_equals_eager() -> None:
    q, k, v = (t.to("neuron") for t in heads())
    compiled = torch.compile(F.scaled_dot_product_attention, backend="neuron")
    assert torch.equal(compiled(q, k, v).cpu(), F.scaled_dot_product_attention(q, k, v).cpu())


@pytest.mark.parametrize("width", [8, 6], ids=["alike", "narrower values"])
def test_attention_is_laid_out_as_torch_compile_is_told(width: int) -> None:
    """A model splits its width into heads and joins them again, which is a view of what attention gives."""
    inputs = [torch.randn(2, 5, 3 * size) for size in (8, 8, width)]

    def attend(*inputs: torch.Tensor) -> torch.Tensor:
        q, k, v = (x.view(2, 5, 3, -1).transpose(1, 2) for x in inputs)
        return F.scaled_dot_product_attention(q, k, v).transpose(1, 2).reshape(2, 5, -1) * 2

    def run(device: str, function: Callable[..., torch.Tensor]) -> list[torch.Tensor]:
        leaves = [x.to(device).requires_grad_() for x in inputs]
        with sdpa_kernel([SDPBackend.MATH, SDPBackend.OVERRIDEABLE]):
            output = function(*leaves)
        return [x.cpu() for x in (output, *torch.autograd.grad(output.square().sum(), leaves))]

    wanted = run("cpu", attend)
    for function in (attend, torch.compile(attend, backend="neuron")):
        for found, right in zip(run("neuron", function), wanted, strict=True):
            assert torch.equal(found, right)


def test_joining_the_heads_again_copies_nothing(profile: Profile) -> None:
    q, k, v = (torch.randn(2, 5, 24, device="neuron").view(2, 5, 3, 8).transpose(1, 2) for _ in range(3))
    rows = profile(lambda: F.scaled_dot_product_attention(q, k, v).transpose(1, 2).reshape(2, 5, 24)).rows(
        "privateuse1_runtime"
    )
    assert [row["name"] for row in rows] == [FUSED]


def test_layer_norm_is_one_execution_forward_and_one_backward(profile: Profile) -> None:
    norm = torch.nn.LayerNorm(8).to("neuron")
    x, grad = torch.randn(4, 8, device="neuron", requires_grad=True), torch.ones(4, 8, device="neuron")
    names = Counter(
        row["name"] for row in profile(lambda: norm(x).backward(grad)).rows("privateuse1_runtime")
    )
    assert names["aten::native_layer_norm"] == names["aten::native_layer_norm_backward"] == 1


def test_an_lstm_is_a_fused_cell_for_each_step(profile: Profile) -> None:
    lstm, x = torch.nn.LSTM(4, 4).to("neuron"), torch.randn(5, 2, 4, device="neuron")
    names = Counter(row["name"] for row in profile(lambda: lstm(x)).rows("privateuse1_runtime"))
    assert names["aten::_thnn_fused_lstm_cell"] == 5


@pytest.mark.parametrize("form", ["functional", "in place", "add"])
def test_scatter_falls_back_to_the_cpu(form: str, profile: Profile) -> None:
    x, index = torch.zeros(3, 4), torch.tensor([[0, 1, 2, 0]])
    nx, nindex, source = x.to("neuron"), index.to("neuron"), torch.ones(1, 4)
    nsource = source.to("neuron")
    calls: dict[str, Callable[..., torch.Tensor]] = {
        "functional": lambda x, i, s: x.scatter(0, i, s),
        "in place": lambda x, i, s: x.scatter_(0, i, s),
        "add": lambda x, i, s: x.scatter_add(0, i, s),
    }
    run = profile(lambda: calls[form](nx, nindex, nsource))
    assert not run.events("nc_exec_running")
    (read,), (write,) = run.events("nrta_tensor_read"), run.events("nrta_tensor_write")
    assert write["start_ts"] - read["end_ts"] > 300_000  # the CPU at work
    (operator,) = [row for row in run.rows("cpu_op") if row["name"].startswith("aten::scatter")]
    assert operator["dur"] > 500
    assert torch.equal(calls[form](nx, nindex, nsource).cpu(), calls[form](x, index, source))
