"""What ran on the simulated device: one `Record` per operation, while a profiler is on."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Iterable
from enum import Enum
from typing import NamedTuple

import torch
import torch.autograd.profiler as autograd_profiler

from . import memory

now = time.time_ns  # the clock Kineto's own timestamps are on
thread_id = threading.get_native_id
_MOST_RECORDS = 500_000  # a profiler that never exports must not fill the memory


class Kind(Enum):
    """What a record asks of the device."""

    EXECUTION = "execution"
    GRAPH = "graph"
    WRITE = "host to device copy"
    READ = "device to host copy"
    FALLBACK = "work of the CPU and the copy of its result to the device"
    COPY = "copy from core to core"
    SYNCHRONIZE = "synchronize"
    MARK = "an event is recorded in a stream"
    WAIT = "a stream waits for an event"


class TensorFacts(NamedTuple):
    """All the cost model may know of a tensor."""

    shape: tuple[int, ...]
    dtype: torch.dtype
    nbytes: int

    @classmethod
    def of(cls, tensors: Iterable[torch.Tensor]) -> tuple[TensorFacts, ...]:
        """One entry per distinct tensor: ``x * x`` reads x once."""
        distinct = {id(tensor): tensor for tensor in tensors}
        return tuple(cls(tuple(t.shape), t.dtype, t.element_size() * t.numel()) for t in distinct.values())

    @property
    def elements(self) -> int:
        return self.nbytes // self.dtype.itemsize


class Record(NamedTuple):
    """One operation.  Times are Unix ns; the numerics ran from `started` to `finished`."""

    kind: Kind
    name: str
    thread: int
    entered: int
    started: int
    finished: int
    left: int
    inputs: tuple[TensorFacts, ...] = ()
    outputs: tuple[TensorFacts, ...] = ()
    scalars: int = 0
    """Python numbers and CPU scalars that have to be shipped with the launch."""
    operands: int = 0
    """Tensor arguments, counted as often as they are passed."""
    flops: int = 0
    passes: int = 0
    """Elements walked by all element-wise operations of a graph."""
    operators: tuple[str, ...] = ()
    """Names of the operators of a graph, in its order."""
    hbm: int = 0
    """Bytes of all tensors that are alive on the core once it is done; see `Recorder.add`."""
    core: int = 0
    stream: int | None = 0
    """Of the core, 0 being its default; None is all of them."""
    peer: int = 0
    """The core that a copy goes to."""
    mark: int = 0
    """Number of the event that is recorded or waited for."""


class _Quiet(threading.local):
    """A re-entrant context in which torch's profiler does not see what a thread does."""

    depth = 0

    def __enter__(self) -> None:
        if not self.depth:
            torch._C._autograd._enable_record_function(False)
        self.depth += 1

    def __exit__(self, *exc_info: object) -> None:
        self.depth -= 1
        if not self.depth:
            torch._C._autograd._enable_record_function(True)


class _Muted(threading.local):
    """A re-entrant context in which this recorder does not see what a thread does either."""

    depth = 0

    def __enter__(self) -> None:
        quiet.__enter__()
        self.depth += 1

    def __exit__(self, *exc_info: object) -> None:
        self.depth -= 1
        quiet.__exit__(*exc_info)


quiet = _Quiet()
muted = _Muted()


class Recorder:
    """Collects records while torch's profiler is recording, or an event takes the time."""

    def __init__(self) -> None:
        self.records: deque[Record] = deque(maxlen=_MOST_RECORDS)
        self.timed = 0
        """Events that were recorded to take the time with: they need to know what runs between them."""
        self.marks: dict[int, int] = {}
        """Instants (ns) of the marks that were simulated last, for the time between two of them."""

    @property
    def on(self) -> bool:
        return (autograd_profiler._is_profiler_enabled or self.timed > 0) and not muted.depth

    def add(self, record: Record) -> None:
        """Keep a record of work, with the memory that is in use after it."""
        self.records.append(record._replace(hbm=memory.in_use(record.core)))

    def take(self, first: int, last: int) -> list[Record]:
        """Remove and return the records inside [first, last] (Unix ns); older ones have no reader left."""
        taken = [record for record in self.records if record.entered >= first and record.left <= last]
        self.records.clear()
        return taken


recorder = Recorder()
