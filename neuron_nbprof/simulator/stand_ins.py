"""Classes of PyTorch's C part that cannot be told of another device, and what passes for them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

PRIVATE_USE = 20  # c10::DeviceType::PrivateUse1


def stand_in(base: type, make: Callable[..., Any], default: str) -> type:
    """A class that passes for `base`, and lets `make` answer what is asked for on the device "neuron".

    `default` is the device that a call without one means.
    """

    class Meta(type(base)):  # type: ignore[misc]
        def __call__(cls, *args: Any, **kwargs: Any) -> Any:
            if cls is not passing:
                return super().__call__(*args, **kwargs)
            return (make if _on_neuron(default, *args, **kwargs) else base)(*args, **kwargs)

        def __instancecheck__(cls, instance: Any) -> bool:
            return isinstance(instance, base) if cls is passing else super().__instancecheck__(instance)

        def __subclasscheck__(cls, subclass: type) -> bool:
            return issubclass(subclass, base) if cls is passing else super().__subclasscheck__(subclass)

    passing = Meta(base.__name__, (base,), {"__module__": base.__module__, "__doc__": base.__doc__})
    return passing


def _on_neuron(default: str, *args: Any, device: Any = None, **kwargs: Any) -> bool:
    if "device_type" in kwargs:
        return kwargs["device_type"] == PRIVATE_USE
    device = device if device is not None else args[0] if args else default
    return isinstance(device, int) or torch.device(device).type == "neuron"
