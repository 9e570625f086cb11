"""Operators that other devices run as one kernel: attention, and the cells of LSTM and GRU.

Attention computes what the CPU's own composite computes, bit for bit, and so does its gradient.  The cells
have no CPU kernel; they are written down here, and agree with the CPU's LSTM and GRU to rounding, because
those add the biases in another order.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch._C import DispatchKey
from torch._meta_registrations import alloc_with_matching_layout
from torch.utils.flop_counter import sdpa_backward_flop_count, sdpa_flop_count

from .kernels import device_operator, gradients_on_cpu

aten = torch.ops.aten


def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, attn_mask: Tensor | None = None, dropout_p: float = 0.0,
    is_causal: bool = False, *, scale: float | None = None, enable_gqa: bool = False,
) -> Tensor:  # fmt: skip
    """Fused, unless the user forbids it (`torch.nn.attention.sdpa_kernel`) or it cannot express the call."""
    if torch._C._get_overrideable_sdp_enabled() and query.dim() == 4 and not dropout_p and not enable_gqa:
        if attn_mask is not None and attn_mask.dtype == torch.bool:
            attn_mask = torch.zeros_like(attn_mask, dtype=query.dtype).masked_fill_(~attn_mask, -math.inf)
        fused = aten._scaled_dot_product_fused_attention_overrideable.default
        return fused(query, key, value, attn_mask, 0.0, is_causal, scale=scale)[0]
    composite = aten.scaled_dot_product_attention.default
    return composite._op_dk(
        DispatchKey.CompositeImplicitAutograd, query, key, value, attn_mask, dropout_p, is_causal,
        scale=scale, enable_gqa=enable_gqa,
    )  # fmt: skip


def _attention(
    query: Tensor, key: Tensor, value: Tensor, bias: Tensor | None = None, dropout_p: float = 0.0,
    is_causal: bool = False, return_debug_mask: bool = False, *, scale: float | None = None,
) -> tuple[Any, ...]:  # fmt: skip
    output, _ = aten._scaled_dot_product_attention_math.default(
        query, key, value, bias, 0.0, is_causal, scale=scale
    )
    # heads are mostly a transposed view, and torch.compile has been told that the result is laid out alike
    output = alloc_with_matching_layout(query, tuple(output.shape)).copy_(output)
    nothing = torch.zeros(0, dtype=torch.int64)
    sums = torch.zeros(query.shape[:-1])  # the gradient computes them again
    return output, sums, nothing, nothing, query.shape[-2], key.shape[-2], nothing, nothing, nothing


def _attention_backward(
    grad: Tensor, query: Tensor, key: Tensor, value: Tensor, bias: Tensor | None, mask: list[bool],
    output: Tensor, sums: Tensor, cum_q: Tensor, cum_k: Tensor, max_q: int, max_k: int, dropout_p: float,
    is_causal: bool, seed: Tensor, offset: Tensor, *, scale: float | None = None,
) -> list[Tensor | None]:  # fmt: skip
    def forward(query: Tensor, key: Tensor, value: Tensor, bias: Tensor | None) -> Tensor:
        return aten._scaled_dot_product_attention_math.default(
            query, key, value, bias, 0.0, is_causal, scale=scale
        )[0]

    inputs = [query, key, value, bias]
    grads = gradients_on_cpu(forward, inputs, mask, grad)
    return [
        grad if grad is None else torch.empty_like(x).copy_(grad)
        for x, grad in zip(inputs, grads, strict=True)
    ]


def _sum(*tensors: Tensor | None) -> Tensor:
    given = [tensor for tensor in tensors if tensor is not None]
    return sum(given[1:], given[0])


def _lstm_cell(
    input_gates: Tensor, hidden_gates: Tensor, cx: Tensor,
    input_bias: Tensor | None = None, hidden_bias: Tensor | None = None,
) -> tuple[Tensor, Tensor, Tensor]:  # fmt: skip
    i, f, g, o = _sum(input_gates, hidden_gates, input_bias, hidden_bias).chunk(4, 1)
    i, f, g, o = i.sigmoid(), f.sigmoid(), g.tanh(), o.sigmoid()
    cy = f * cx + i * g
    return o * cy.tanh(), cy, torch.cat([i, f, g, o], 1)


def _lstm_cell_backward(
    grad_hy: Tensor | None, grad_cy: Tensor | None, cx: Tensor, cy: Tensor, gates: Tensor, has_bias: bool
) -> tuple[Tensor, Tensor, Tensor | None]:
    i, f, g, o = gates.chunk(4, 1)
    tanh = cy.tanh()
    hidden = torch.zeros_like(cy) if grad_hy is None else grad_hy
    cell = _sum(hidden * o * (1 - tanh * tanh), grad_cy)
    grads = torch.cat(
        [
            cell * g * i * (1 - i),
            cell * cx * f * (1 - f),
            cell * i * (1 - g * g),
            hidden * tanh * o * (1 - o),
        ],
        1,
    )
    return grads, cell * f, grads.sum(0) if has_bias else None


def _gru_cell(
    input_gates: Tensor, hidden_gates: Tensor, hx: Tensor,
    input_bias: Tensor | None = None, hidden_bias: Tensor | None = None,
) -> tuple[Tensor, Tensor]:  # fmt: skip
    from_input, from_hidden = _sum(input_gates, input_bias), _sum(hidden_gates, hidden_bias)
    ri, zi, ni = from_input.chunk(3, 1)
    rh, zh, nh = from_hidden.chunk(3, 1)
    r, z = (ri + rh).sigmoid(), (zi + zh).sigmoid()
    n = (ni + r * nh).tanh()
    return n + z * (hx - n), torch.cat([r, z, n, hx, nh], 1)


def _gru_cell_backward(grad: Tensor, workspace: Tensor, has_bias: bool) -> tuple[Tensor | None, ...]:
    r, z, n, hx, nh = workspace.chunk(5, 1)
    grad_n = grad * (1 - z) * (1 - n * n)
    grad_z = grad * (hx - n) * z * (1 - z)
    grad_r = grad_n * nh * r * (1 - r)
    of_input = torch.cat([grad_r, grad_z, grad_n], 1)
    of_hidden = torch.cat([grad_r, grad_z, grad_n * r], 1)
    biases = (of_input.sum(0), of_hidden.sum(0)) if has_bias else (None, None)
    return of_input, of_hidden, grad * z, *biases


def kernels() -> dict[str, Callable[..., Any]]:
    """Operator names with what runs for them."""
    attention = "_scaled_dot_product_fused_attention_overrideable"
    return {
        "scaled_dot_product_attention": scaled_dot_product_attention,
        attention: device_operator(
            f"aten::{attention}", _attention, lambda q, k, v, *_: sdpa_flop_count(q.shape, k.shape, v.shape)
        ),
        f"{attention}_backward": device_operator(
            f"aten::{attention}_backward",
            _attention_backward,
            lambda g, q, k, v, *_: sdpa_backward_flop_count(g.shape, q.shape, k.shape, v.shape),
        ),
        "_thnn_fused_lstm_cell": device_operator("aten::_thnn_fused_lstm_cell", _lstm_cell),
        "_thnn_fused_lstm_cell_backward_impl": device_operator(
            "aten::_thnn_fused_lstm_cell_backward", _lstm_cell_backward
        ),
        "_thnn_fused_gru_cell": device_operator("aten::_thnn_fused_gru_cell", _gru_cell),
        "_thnn_fused_gru_cell_backward": device_operator(
            "aten::_thnn_fused_gru_cell_backward", _gru_cell_backward
        ),
    }
