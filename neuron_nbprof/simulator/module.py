"""What user code finds as `torch.neuron`."""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import torch
import torch.autograd.profiler as autograd_profiler

from . import streams
from .settings import current


class NeuronModule:
    """`torch.neuron`."""

    __name__ = "torch.neuron"
    simulated = True

    def is_available(self) -> bool:
        return True

    def is_initialized(self) -> bool:
        return True

    def _is_in_bad_fork(self) -> bool:
        return False

    def init(self) -> None:
        pass

    _lazy_init = init

    def device_count(self) -> int:
        """Logical cores of one chip."""
        return current().cores

    def current_device(self) -> int:
        return streams.current_core()

    def set_device(self, device: Any) -> None:
        streams.set_core(device)

    Stream, Event = streams.Stream, streams.Event

    def current_stream(self, device: Any = None) -> Any:
        return streams.current_stream(device)

    def default_stream(self, device: Any = None) -> Any:
        return streams.default_stream(device)

    def set_stream(self, stream: Any) -> None:
        streams.set_stream(stream)

    def stream(self, stream: Any) -> AbstractContextManager[Any]:
        """``with torch.neuron.stream(s):``; None changes nothing."""
        return nullcontext() if stream is None else stream

    def get_device_name(self, device: Any = None) -> str:
        return current().device_name

    def is_bf16_supported(self) -> bool:
        return True

    def get_amp_supported_dtype(self) -> list[torch.dtype]:
        return [torch.bfloat16, torch.float16]

    def manual_seed(self, seed: int) -> None:
        torch.manual_seed(seed)

    def manual_seed_all(self, seed: int) -> None:
        pass  # torch.manual_seed, which calls this, has seeded the CPU generator that serves this device

    def get_rng_state(self, device: Any = "neuron") -> torch.Tensor:
        return torch.get_rng_state()

    def set_rng_state(self, state: torch.Tensor, device: Any = "neuron") -> None:
        torch.set_rng_state(state)

    def synchronize(self, device: Any = None) -> None:
        """Wait for all streams of a core, the current one if none is named.

        PyTorch's profiler waits by itself when its window closes, which is too late for a real device.
        """
        late = current().strict_sync and sys._getframe(1).f_code.co_filename == autograd_profiler.__file__
        if not late:
            streams.synchronize(streams.core_of(device))

    class device:
        """``with torch.neuron.device(1):``"""

        def __init__(self, device: Any) -> None:
            self._device = device

        def __enter__(self) -> None:
            self._before = streams.set_core(self._device)

        def __exit__(self, *exc_info: object) -> None:
            streams.set_core(self._before)
