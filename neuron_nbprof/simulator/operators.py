"""Operators whose meaning depends on the device: allocation, copies, storage, and the fused ones."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import torch
from torch._functorch.utils import enable_single_level_autograd_function

from . import fused
from .alias import on_neuron, to_cpu, to_neuron
from .kernels import CPU, Call, device_operator, full_name, gradients_on_cpu, on_cpu, record, swap_storage
from .recorder import Kind, now, quiet, recorder
from .refusals import PINNED_MEMORY, refuse
from .streams import core_of

aten = torch.ops.aten


def _allocate(op: Any) -> Callable[..., torch.Tensor]:
    def kernel(*args: Any, **kwargs: Any) -> torch.Tensor:
        core = core_of(kwargs.get("device"))
        if kwargs.pop("pin_memory", None):
            refuse(PINNED_MEMORY)
        return to_neuron(on_cpu(op, *args, **{**kwargs, "device": CPU}), core)

    return kernel


def _zero_tensor(
    size: list[int], dtype: torch.dtype | None = None, device: Any = None, **_: Any
) -> torch.Tensor:
    return to_neuron(
        torch.zeros(size, dtype=dtype), core_of(device)
    )  # the CPU's own has no storage that could be aliased


def _resolved(tensor: torch.Tensor) -> torch.Tensor:
    """The CPU alias, also of zeros that have no memory."""
    if not on_neuron(tensor):
        return tensor
    if tensor._is_zerotensor():
        return torch.zeros((), dtype=tensor.dtype)
    return to_cpu(tensor)


def _copy_from(source: torch.Tensor, target: torch.Tensor, non_blocking: bool = False) -> torch.Tensor:
    entered = now() if recorder.on else 0
    with quiet:
        started = now() if entered else 0
        _resolved(target).copy_(_resolved(source))
        finished = now() if entered else 0
    if entered:
        _record_copy(source, target, (entered, started, finished))
    return target


def _record_copy(source: torch.Tensor, target: torch.Tensor, times: tuple[int, int, int]) -> None:
    if not on_neuron(source):
        kind = Kind.WRITE
    elif not on_neuron(target):
        kind = Kind.READ
    else:
        kind = Kind.EXECUTION if source.device == target.device else Kind.COPY
    call = Call("aten::_copy_from", source if on_neuron(source) else target)
    call.inputs, call.outputs = [source], [target]
    record(kind, call, times, peer=target.get_device() if kind is Kind.COPY else 0)


def _copy_from_and_resize(source: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
    if target.shape != source.shape:
        target.resize_(source.shape)
    return _copy_from(source, target)


def _item(tensor: torch.Tensor) -> Any:
    entered = now() if recorder.on else 0
    with quiet:
        value = on_cpu(aten._local_scalar_dense.default, to_cpu(tensor))
    if entered:
        call = Call("aten::_local_scalar_dense", tensor)
        call.inputs = [tensor]
        record(Kind.READ, call, (entered, entered, now()))
    return value


def _resize(tensor: torch.Tensor, size: list[int], memory_format: Any = None) -> torch.Tensor:
    needed = (math.prod(size) + tensor.storage_offset()) * tensor.element_size()
    if tensor.untyped_storage().nbytes() >= needed:
        return on_cpu(aten.resize_.default, tensor, size, memory_format=memory_format)
    grown = torch.empty(list(size), dtype=tensor.dtype)
    grown.view(-1)[: tensor.numel()].copy_(to_cpu(tensor).reshape(-1))
    swap_storage(tensor, to_neuron(grown, tensor.get_device()))
    return tensor


def _convolution_backward(
    grad: torch.Tensor, x: torch.Tensor, weight: torch.Tensor, stride: Any, padding: Any, dilation: Any,
    transposed: bool, output_padding: Any, groups: int, mask: Any,
) -> Any:  # fmt: skip
    bias_sizes = [weight.shape[1] * groups if transposed else weight.shape[0]]
    return aten.convolution_backward.default(
        grad, x, weight, bias_sizes, stride, padding, dilation, transposed, output_padding, groups, mask
    )


def _rms_norm_backward(
    grad: torch.Tensor, x: torch.Tensor, shape: Any, rstd: torch.Tensor, weight: Any, eps: Any, mask: Any
) -> list[torch.Tensor | None]:
    return gradients_on_cpu(lambda x, w: torch.rms_norm(x, shape, w, eps), [x, weight], mask, grad)


RMS_NORM_BACKWARD_SCHEMA = (
    "_fused_rms_norm_backward.eps(Tensor grad_out, Tensor input, SymInt[] normalized_shape, Tensor rstd, "
    "Tensor? weight, float? eps, bool[2] output_mask) -> (Tensor, Tensor)"
)
"""PyTorch's own overload is not told eps, without which the CPU's gradient cannot be reproduced."""


def rms_norm_backward_shapes(
    grad: torch.Tensor, x: torch.Tensor, shape: Any, rstd: torch.Tensor, weight: Any, eps: Any, mask: Any
) -> tuple[torch.Tensor | None, torch.Tensor | None]:
    """What `RMS_NORM_BACKWARD_SCHEMA` returns, without the numbers: torch.compile traces with it."""
    return (
        torch.empty_like(x) if mask[0] else None,
        torch.empty_like(weight) if weight is not None and mask[1] else None,
    )


class FusedRmsNorm(torch.autograd.function._SingleLevelFunction):
    """The derivative of the fused operator; eps stays with the call it belongs to.

    Single-level, because the dispatcher deals with the levels of torch.func before it comes to a kernel.
    """

    @staticmethod
    def forward(x: torch.Tensor, shape: Any, weight: torch.Tensor | None, eps: float | None) -> Any:
        with torch._C._AutoDispatchBelowAutograd():
            return aten._fused_rms_norm.default(x, shape, weight, eps)

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        x, ctx.shape, weight, ctx.eps = inputs
        ctx.save_for_backward(x, output[1], weight)
        ctx.mark_non_differentiable(output[1])
        ctx.set_materialize_grads(False)

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, grad: torch.Tensor, _: torch.Tensor) -> Any:
        x, rstd, weight = ctx.saved_tensors
        mask = [ctx.needs_input_grad[0], weight is not None and ctx.needs_input_grad[2]]
        grad_x, grad_weight = aten._fused_rms_norm_backward.eps(
            grad, x, ctx.shape, rstd, weight, ctx.eps, mask
        )
        return grad_x, None, grad_weight, None


def _fused_rms_norm_autograd(x: torch.Tensor, shape: Any, weight: Any, eps: Any) -> Any:
    # Quiet, because the dispatcher has opened the operator's row already; a second one would only repeat it.
    with quiet, enable_single_level_autograd_function():
        return FusedRmsNorm.apply(x, shape, weight, eps)


def register(fragment: torch.library.Library, implementations: torch.library.Library) -> None:
    """Register every operator of this module; the libraries have to be kept alive by the caller."""
    fragment.define(RMS_NORM_BACKWARD_SCHEMA)
    implementations.impl("_fused_rms_norm_backward.eps", rms_norm_backward_shapes, "Meta")
    implementations.impl("_fused_rms_norm", _fused_rms_norm_autograd, "AutogradPrivateUse1")
    attention = "scaled_dot_product_attention"
    implementations.impl(attention, fused.scaled_dot_product_attention, "AutogradPrivateUse1")
    for name, kernel in _kernels().items():
        implementations.impl(name, kernel, "PrivateUse1")
    for key in ("Conjugate", "Negative"):
        # Their own kernels clone the tensor, which copies it, which calls _copy_from again, for ever.
        implementations.impl("_copy_from", torch.library.fallthrough_kernel, key)


def _kernels() -> dict[str, Callable[..., Any]]:
    shares_storage = [
        aten.set_.source_Storage,
        aten.set_.source_Storage_storage_offset,
        aten.set_.source_Tensor,
        aten.set_.default,
    ]
    return {
        "empty.memory_format": _allocate(aten.empty.memory_format),
        "empty_strided": _allocate(aten.empty_strided.default),
        "_efficientzerotensor": _zero_tensor,
        "_copy_from": _copy_from,
        "_copy_from_and_resize": _copy_from_and_resize,
        "_local_scalar_dense": _item,
        "equal": lambda a, b: on_cpu(aten.equal.default, to_cpu(a), to_cpu(b)),
        "resize_": _resize,
        "is_pinned": lambda *args, **kwargs: False,
        "record_stream": lambda *args, **kwargs: None,
        "convolution_overrideable": device_operator(
            "aten::convolution_overrideable", aten.convolution.default
        ),
        "convolution_backward_overrideable": device_operator(
            "aten::convolution_backward_overrideable", _convolution_backward
        ),
        "_fused_rms_norm": device_operator("aten::_fused_rms_norm", aten._fused_rms_norm.default),
        "_fused_rms_norm_backward.eps": device_operator("aten::_fused_rms_norm_backward", _rms_norm_backward),
        **fused.kernels(),
        **{_short_name(op): functools.partial(on_cpu, op) for op in shares_storage},
    }


def _short_name(op: Any) -> str:
    return full_name(op).partition("::")[2]
