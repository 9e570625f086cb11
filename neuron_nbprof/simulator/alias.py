"""Tensors that live on the device "neuron" while their bytes stay in host memory.

A tensor of the simulated device is an ordinary strided tensor: device ``neuron:<core>``, dispatch keys of
PrivateUse1, a storage over host memory.  It is made by exporting a tensor through DLPack and changing the
device type inside the capsule, which costs no copy and needs no tensor subclass, so nothing can be lost on
its way through C++.
"""

from __future__ import annotations

import ctypes

import torch

from . import memory
from .refusals import refuse_layout

_DLPACK_CPU = 1
_DLPACK_EXTENSION = 12  # PyTorch reads it as PrivateUse1
_DEVICE_TYPE_OFFSET = (
    8  # struct DLTensor { void *data; struct { int32 device_type, device_id; } device; ... }
)
_DEVICE_ID_OFFSET = 12

_capsule_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_capsule_pointer.restype = ctypes.c_void_p
_capsule_pointer.argtypes = [ctypes.py_object, ctypes.c_char_p]


def _alias(tensor: torch.Tensor, device_type: int, index: int) -> torch.Tensor:
    capsule = torch._C._to_dlpack(tensor)
    address = _capsule_pointer(capsule, b"dltensor")
    ctypes.c_int32.from_address(address + _DEVICE_TYPE_OFFSET).value = device_type
    ctypes.c_int32.from_address(address + _DEVICE_ID_OFFSET).value = index
    return torch._C._from_dlpack(capsule)


def to_neuron(cpu: torch.Tensor, core: int) -> torch.Tensor:
    """The same memory as a tensor on ``neuron:<core>``.

    Raises `Refused` for what is not strided memory, such as sparse and quantised tensors.
    """
    try:
        tensor = _alias(cpu, _DLPACK_EXTENSION, core)
    except (RuntimeError, BufferError):
        refuse_layout(cpu)
        raise
    memory.remember(tensor, core)
    return tensor


def to_cpu(neuron: torch.Tensor) -> torch.Tensor:
    """The same memory as a CPU tensor, with the lazy conjugate and negative bits, which DLPack drops."""
    cpu = _alias(neuron, _DLPACK_CPU, 0)
    if neuron.is_conj():
        cpu = cpu.conj()
    return torch._neg_view(cpu) if neuron.is_neg() else cpu


def on_neuron(value: object) -> bool:
    return isinstance(value, torch.Tensor) and value.device.type == "neuron"
