"""`torch.autocast("neuron")`: what runs in low precision, what in float32; the rest runs as it comes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch._C import DispatchKey, DispatchKeySet

LOW_PRECISION = [
    "mm",
    "bmm",
    "addmm",
    "baddbmm",
    "addmv",
    "mv",
    "addbmm",
    "matmul",
    "linear",
    "conv1d",
    "conv2d",
    "conv3d",
    "convolution",
    "scaled_dot_product_attention",
    "einsum",
]
FLOAT32 = [
    "softmax.int",
    "log_softmax.int",
    "layer_norm",
    "rms_norm",
    "nll_loss",
    "cross_entropy_loss",
    "mse_loss",
    "exp",
    "log",
    "pow.Tensor_Scalar",
    "rsqrt",
    "sum",
    "sum.dim_IntList",
    "cumsum",
    "norm.Scalar",
    "nll_loss_nd",
    "native_layer_norm",
]
_KEY = DispatchKeySet(DispatchKey.AutocastPrivateUse1)


def register(aten: torch.library.Library) -> None:
    for name in LOW_PRECISION:
        aten.impl(name, _casting(name, lambda: torch.get_autocast_dtype("neuron")), "AutocastPrivateUse1")
    for name in FLOAT32:
        aten.impl(name, _casting(name, lambda: torch.float32), "AutocastPrivateUse1")


def _casting(name: str, dtype: Callable[[], torch.dtype]) -> Callable[..., Any]:
    packet, _, overload = name.partition(".")
    op = getattr(getattr(torch.ops.aten, packet), overload or "default")

    def kernel(*args: Any, **kwargs: Any) -> Any:
        with torch._C._ExcludeDispatchKeyGuard(_KEY):
            wanted = dtype()
            cast_kwargs = {key: _cast(value, wanted) for key, value in kwargs.items()}
            return op(*[_cast(arg, wanted) for arg in args], **cast_kwargs)

    return kernel


def _cast(value: Any, dtype: torch.dtype) -> Any:
    if isinstance(value, (list, tuple)):
        return type(value)(_cast(item, dtype) for item in value)
    castable = isinstance(value, torch.Tensor) and value.is_neuron and value.is_floating_point()
    return value.to(dtype) if castable and value.dtype not in (dtype, torch.float64) else value
