"""The written list of what the simulated device refuses, and where it does so: one sentence each."""

from __future__ import annotations

from typing import Any, NamedTuple, NoReturn

import torch

from ..errors import SimulatorError
from .stand_ins import stand_in


class Refusal(NamedTuple):
    """What is refused, and what is said to whoever asks for it."""

    what: str
    sentence: str


class Refused(SimulatorError, NotImplementedError):
    """The simulated device cannot do this."""


def _instead(what: str, have: str, instead: str) -> Refusal:
    return Refusal(what, f"The simulated Neuron device {have}: {instead}.")


LAYOUT = _instead(
    "sparse tensors and other layouts",
    "has strided tensors only",
    "keep others on the CPU, or use to_dense()",
)
NESTED = _instead(
    "nested tensors (the strided layout)",
    "has nested tensors with layout=torch.jagged only",
    "ask for that layout",
)
QUANTIZED = _instead("quantised tensors", "has no quantised tensors", "keep them on the CPU")
GENERATOR = _instead(
    'torch.Generator("neuron")',
    "has no generator of its own",
    "torch.manual_seed() seeds it, and operators take a torch.Generator() of the CPU",
)
RESIZED_STORAGE = _instead(
    "resizing a storage", "cannot resize a storage", "resize the tensor, with tensor.resize_()"
)
PINNED_MEMORY = _instead("pinned memory", "reads any host memory", "leave pin_memory out")
STATISTICS = _instead("statistics of its memory", "counts no memory", "its tensors are in the host's")
INDUCTOR = _instead(
    "torch.compile with inductor", "is not known to inductor", 'use torch.compile(f, backend="neuron")'
)
NO_CPU_KERNEL = Refusal(
    "operators without a CPU kernel", "has no CPU kernel, so the simulated Neuron device cannot run it."
)

REFUSALS = (
    LAYOUT, NESTED, QUANTIZED, GENERATOR, RESIZED_STORAGE, PINNED_MEMORY, STATISTICS, INDUCTOR, NO_CPU_KERNEL,
)  # fmt: skip


def refuse(refusal: Refusal) -> NoReturn:
    raise Refused(refusal.sentence)


def refuse_layout(tensor: torch.Tensor) -> None:
    """Raises where a tensor is more than strided memory."""
    if tensor.is_quantized:
        refuse(QUANTIZED)
    if tensor.layout is not torch.strided:
        refuse(LAYOUT)


def _refusing(refusal: Refusal) -> Any:
    def refused(*_: Any, **__: Any) -> NoReturn:
        refuse(refusal)

    return refused


_COMPRESSED = (
    "sparse_compressed_tensor.comp_plain_value_size",
    "sparse_compressed_tensor.comp_plain_value",
    "_sparse_compressed_tensor_unsafe",
)


def register(everything: torch.library.Library, aten: torch.library.Library) -> None:
    """Let PyTorch's own ways to these things end here; the caller keeps the libraries alive."""
    for key in ("SparsePrivateUse1", "SparseCsrPrivateUse1"):
        everything.fallback(_refusing(LAYOUT), key)
    for name in _COMPRESSED:  # these have kernels that come before a fallback
        aten.impl(name, _refusing(LAYOUT), "SparseCsrPrivateUse1")
    everything.fallback(_refusing(NESTED), "NestedTensorPrivateUse1")
    everything.fallback(_refusing(QUANTIZED), "QuantizedPrivateUse1")
    aten.impl("_pin_memory", _refusing(PINNED_MEMORY), "CPU")
    torch.Generator = stand_in(torch.Generator, _refusing(GENERATOR), "cpu")
    _refuse_statistics()
    _refuse_resizing()
    _refuse_inductor()


def _refuse_statistics() -> None:
    for name in ("getDeviceStats", "getMemoryInfo", "resetAccumulatedStats", "resetPeakStats"):
        setattr(torch._C, f"_accelerator_{name}", _refusing(STATISTICS))
    torch._C._accelerator_isAllocatorInitialized = lambda: True
    torch._C._accelerator_emptyCache = lambda: None  # nothing is cached, so there is nothing to refuse


def _refuse_resizing() -> None:
    resize = torch.UntypedStorage.resize_

    def resize_(self: torch.UntypedStorage, size: int) -> torch.UntypedStorage:
        if self.device.type == "neuron":
            refuse(RESIZED_STORAGE)
        return resize(self, size)

    torch.UntypedStorage.resize_ = resize_


def _refuse_inductor() -> None:
    compile_ = torch._TorchCompileInductorWrapper.__call__

    def __call__(self: Any, model: Any, inputs: list[Any]) -> Any:
        if any(isinstance(value, torch.Tensor) and value.device.type == "neuron" for value in inputs):
            refuse(INDUCTOR)
        return compile_(self, model, inputs)

    torch._TorchCompileInductorWrapper.__call__ = __call__
