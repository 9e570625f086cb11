"""Logical cores, their streams, and events: which are current, and what a profile is told of them.

PyTorch's device guard for Python backends knows one device and one stream, so the current ones are kept
here, and the classes below carry what its own `torch.Stream` and `torch.Event` would ask the guard for.
"""

from __future__ import annotations

import functools
import itertools
import threading
from collections.abc import Callable
from typing import Any

import torch
from torch.utils._device import DeviceContext, _device_constructors

from .recorder import Kind, Record, now, recorder, thread_id
from .settings import current
from .stand_ins import PRIVATE_USE, stand_in

_stream_ids, _marks = itertools.count(1), itertools.count(1)

used = {0}
"""Cores that something was put on, or that were current, in this process."""
_side_streams = False  # whether any stream but the default ones has been current


class _Here(threading.local):
    """What is current in a thread."""

    def __init__(self) -> None:
        self.core = 0
        self.streams: dict[int, torch.Stream] = {}


_here = _Here()


def checked(core: int) -> int:
    """The core, if there is one of this number.  Raises RuntimeError, as PyTorch does for other devices."""
    count = current().cores
    if not 0 <= core < count:
        raise RuntimeError(
            f"invalid device neuron:{core}: the {current().device_name} has {count} logical cores, "
            f"neuron:0 to neuron:{count - 1}"
        )
    used.add(core)
    return core


def core_of(device: Any) -> int:
    """The core that a device, its name or its number means; without a number the current one."""
    if device is None:
        return _here.core
    index = device if isinstance(device, int) else torch.device(device).index
    return _here.core if index is None else checked(index)


def current_core() -> int:
    return _here.core


def set_core(device: Any) -> int:
    """Make a core current in this thread; returns the one that was."""
    before, _here.core = _here.core, core_of(device)
    if _here.core:
        _let_factories_follow()
    return before


def current_stream(device: Any = None) -> torch.Stream:
    core = core_of(device)
    return _here.streams.get(core) or default_stream(core)


def current_stream_id(core: int) -> int:
    stream = _here.streams.get(core)
    return 0 if stream is None else stream.stream_id


def default_stream(device: Any = None) -> Stream:
    return Stream(stream_id=0, device_index=core_of(device), device_type=PRIVATE_USE)


def set_stream(stream: torch.Stream) -> None:
    """Make a stream current on its core, and the core in this thread."""
    global _side_streams
    set_core(stream.device)
    _side_streams = _side_streams or bool(stream.stream_id)
    _here.streams[_here.core] = stream


def told(kind: Kind, name: str, core: int, stream: int | None = None, mark: int = 0) -> None:
    """Let the recorder know of something that is no operation."""
    if recorder.on:
        at = now()
        recorder.records.append(
            Record(kind, name, thread_id(), at, at, at, at, core=core, stream=stream, mark=mark)
        )


def synchronize(core: int, stream: int | None = None, mark: int = 0) -> None:
    """Wait for a core, a stream of it, or a mark.

    The numerics are long done; the modelled wait stretches this row.
    """
    with torch._C._profiler._RecordFunctionFast("neuron::synchronize"):
        told(Kind.SYNCHRONIZE, "neuron::synchronize", core, stream, mark)


class Stream(torch.Stream):
    """Work given to it runs in order, beside that of other streams; a core computes one thing at a time."""

    def __new__(cls, device: Any = None, priority: int = 0, **ids: int) -> Stream:
        ids = ids or {
            "stream_id": next(_stream_ids), "device_index": core_of(device), "device_type": PRIVATE_USE
        }  # fmt: skip
        return super().__new__(cls, **ids)

    def __init__(self, *_: Any, **__: Any) -> None:
        self._before: list[tuple[int, torch.Stream]] = []

    def query(self) -> bool:
        return True

    def synchronize(self) -> None:
        synchronize(self.device.index, self.stream_id)

    def record_event(self, event: Event | None = None) -> Event:
        event = Event(self.device) if event is None else event
        event.record(self)
        return event

    def wait_event(self, event: Event) -> None:
        event.wait(self)

    def wait_stream(self, stream: Stream) -> None:
        self.wait_event(stream.record_event())

    def __enter__(self) -> Stream:
        core = self.device.index
        self._before.append((current_core(), current_stream(core)))
        set_stream(self)
        return self

    def __exit__(self, *exc_info: object) -> None:
        core, stream = self._before.pop()
        set_stream(stream)
        set_core(core)


class Event(torch.Event):
    """A mark in a stream.  Times between two of them are modelled, like all others."""

    def __new__(cls, device: Any = None, *, enable_timing: bool = False, **options: Any) -> Event:
        return super().__new__(cls, "neuron", enable_timing=enable_timing, **options)

    def __init__(self, device: Any = None, *, enable_timing: bool = False, **_: Any) -> None:
        self._timing, self._core, self._mark = enable_timing, core_of(device), 0

    def record(self, stream: torch.Stream | None = None) -> None:
        stream = current_stream(self._core) if stream is None else stream
        if self._timing and not self._mark:
            recorder.timed += 1
        self._core, self._mark = stream.device.index, next(_marks)
        told(Kind.MARK, "neuron::record_event", self._core, stream.stream_id, self._mark)

    def wait(self, stream: torch.Stream | None = None) -> None:
        stream = current_stream() if stream is None else stream
        if self._mark:
            told(Kind.WAIT, "neuron::wait_event", stream.device.index, stream.stream_id, self._mark)

    def query(self) -> bool:
        return True

    def synchronize(self) -> None:
        if self._mark:
            synchronize(self._core, mark=self._mark)

    def elapsed_time(self, end: Event) -> float:
        """Milliseconds from this mark to another one on the modelled device."""
        from .marks import between

        if not (self._timing and end._timing):
            raise ValueError("Both events must be created with enable_timing=True.")
        if not (self._mark and end._mark):
            raise ValueError("Both events must be recorded before the time between them is asked for.")
        return between(self._mark, end._mark) / 1e6

    def __del__(self) -> None:
        if self._timing and self._mark:
            recorder.timed -= 1


class _Engine(type(torch.autograd.Variable._execution_engine)):  # type: ignore[misc]
    """Backward runs on the thread that calls it, where several cores or streams are in use.

    PyTorch's own threads for it are as many as the guard tells of devices, which is one, and they would not
    know which stream is current.
    """

    def run_backward(self, *args: Any, **kwargs: Any) -> Any:
        if len(used) == 1 and not _side_streams:
            return super().run_backward(*args, **kwargs)
        with torch.autograd.set_multithreading_enabled(False):
            return super().run_backward(*args, **kwargs)


@functools.cache
def _let_factories_follow() -> None:
    """Where PyTorch's C part itself completes "neuron" to a device, it would always take core 0."""
    _device_constructors()  # is remembered from now on, with the functions as PyTorch knows them
    for owner, name in ((torch.Tensor, "to"), (torch, "tensor"), (torch, "as_tensor"), (torch, "asarray")):
        setattr(owner, name, _onto_current_core(getattr(owner, name)))
    construct = DeviceContext.__torch_function__

    def __torch_function__(
        self: DeviceContext, function: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        """What ``with torch.device("neuron"):`` constructs."""
        if function in _device_constructors() and (kwargs or {}).get("device") is None:
            kwargs = {**(kwargs or {}), "device": _indexed(self.device)}
        return construct(self, function, types, args, kwargs)

    DeviceContext.__torch_function__ = __torch_function__


def _onto_current_core(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def called(*args: Any, **kwargs: Any) -> Any:
        return function(*map(_indexed, args), **{name: _indexed(value) for name, value in kwargs.items()})

    return called


def _indexed(value: Any) -> Any:
    unnumbered = isinstance(value, torch.device) and value.type == "neuron" and value.index is None
    if unnumbered or (isinstance(value, str) and value == "neuron"):
        return torch.device("neuron", _here.core)
    return value


def register() -> None:
    """Let PyTorch's own functions know of cores and streams."""
    torch.Stream = stand_in(torch.Stream, Stream, "neuron")
    torch.Event = stand_in(torch.Event, Event, "neuron")
    torch.autograd.Variable._execution_engine = _Engine()
    accelerator: dict[str, Callable[..., Any]] = {
        "getDeviceIndex": current_core,
        "setDeviceIndex": set_core,
        "exchangeDevice": set_core,
        "maybeExchangeDevice": set_core,
        "getStream": current_stream,
        "setStream": set_stream,
        "synchronizeDevice": lambda index: synchronize(core_of(index)),
    }
    for name, function in accelerator.items():
        setattr(torch._C, f"_accelerator_{name}", function)
