"""Giving PyTorch a device called "neuron" that computes on the CPU."""

from __future__ import annotations

import ctypes
import functools
import os
from typing import Any

import torch
import torch.utils.backend_registration as backend_registration
from torch._ops import OpOverload

from . import autocast, compile, operators, refusals, streams
from .alias import to_neuron
from .kernels import fallback
from .module import NeuronModule

_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3  # of malloc.h
_libraries: list[torch.library.Library] = []  # a registration lives as long as its library object


class _Hooks(torch._C._acc.PrivateUse1Hooks):
    def is_available(self) -> bool:
        return True

    def is_built(self) -> bool:
        return True

    def has_primary_context(self, device_index: int) -> bool:
        return True


def register() -> None:
    """Register the device with PyTorch.  Can be done once in a process and not be undone."""
    os.environ.setdefault("KINETO_LOG_LEVEL", "6")  # its start and stop messages go to the file descriptor 2
    _keep_freed_memory()
    backend_registration._setup_privateuseone_for_python_backend(
        "neuron", backend_module=NeuronModule(), hook=_Hooks()
    )
    everything = _library("_", "IMPL")
    everything.fallback(fallback, "PrivateUse1")
    everything.fallback(torch.library.fallthrough_kernel, "AutocastPrivateUse1")
    aten = _library("aten", "IMPL")
    operators.register(_library("aten", "FRAGMENT"), aten)
    _shadow_composite_kernels(aten)
    autocast.register(aten)
    _guard_storages()
    streams.register()
    refusals.register(everything, aten)
    torch.compile = compile.with_neuron_backend(torch.compile)


def _library(namespace: str, kind: str) -> torch.library.Library:
    library = torch.library.Library(namespace, kind)
    _libraries.append(library)
    return library


def _shadow_composite_kernels(aten: torch.library.Library) -> None:
    """Let every operator with a CPU kernel run as one device operation.

    Hundreds of operators also own a composite kernel, which the dispatcher prefers to a fallback:
    ``aten::mul`` would then show as an allocation and a second ``aten::mul``.
    """
    has = torch._C._dispatch_has_kernel_for_dispatch_key
    for name in torch._C._dispatch_get_all_op_names():
        composite = (
            "CompositeExplicitAutogradNonFunctional",
            "CompositeExplicitAutograd",
            "CompositeImplicitAutograd",
        )
        if not name.startswith("aten::") or has(name, "PrivateUse1") or not has(name, "CPU"):
            continue
        op = _overload(name)
        if op is not None and any(has(name, key) for key in composite):
            aten.impl(name.partition("::")[2], functools.partial(fallback, op), "PrivateUse1")


def _overload(name: str) -> OpOverload | None:
    packet, _, overload = name.partition("::")[2].partition(".")
    return getattr(getattr(torch.ops.aten, packet, None), overload or "default", None)


def _guard_storages() -> None:
    """No allocator stands behind this device: asking C++ for a storage, as deepcopy does, would crash."""
    allocate = torch.UntypedStorage.__new__

    def __new__(cls: type, *args: Any, **kwargs: Any) -> Any:
        device = kwargs.get("device")
        if device is None or torch.device(device).type != "neuron":
            return allocate(cls, *args, **kwargs)
        nbytes = args[0] if args and isinstance(args[0], int) else len(args[0]) if args else 0
        return to_neuron(torch.empty(nbytes, dtype=torch.uint8), streams.core_of(device)).untyped_storage()

    def tag(storage: Any) -> str | None:
        return str(storage.device) if storage.device.type == "neuron" else None

    def restore(storage: Any, location: str) -> Any:
        if location.startswith("neuron"):
            core = streams.core_of(location)
            return to_neuron(torch.empty(0, dtype=torch.uint8).set_(storage), core).untyped_storage()
        return None

    torch.UntypedStorage.__new__ = __new__
    torch.serialization.register_package(5, tag, restore)


def _keep_freed_memory() -> None:
    """Reuse big blocks as a device's allocator does.

    glibc would hand every freed tensor of 32 MB and more back to the system, which takes milliseconds
    between two operators and would show as host time that no device has.  Elsewhere than on glibc nothing
    is changed, nor where the user has set the threshold, as one does where memory is scarce.
    """
    if "MALLOC_MMAP_THRESHOLD_" in os.environ:
        return
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(_M_MMAP_THRESHOLD, 2**30)
        mallopt(_M_TRIM_THRESHOLD, 2**31 - 1)
