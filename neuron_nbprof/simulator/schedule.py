"""When everything happens on the simulated device: a pure function of what was recorded.

The host runs on a virtual clock, a monotone map of the real one: numerics take no time on it, the host time
of an operator is the modelled one, and where the host has to wait for the device, time is inserted.  All
times are int ns since the origin of the capture.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import NamedTuple

from .costs import CostModel, nbytes
from .placement import Interval, Placed
from .recorder import Kind, Record


class VirtualClock:
    """A monotone, piecewise linear map of ints."""

    def __init__(self) -> None:
        self._real: list[int] = []
        self._virtual: list[int] = []

    def __call__(self, real: int) -> int:
        position = bisect_right(self._real, real)
        if position == 0:
            return real
        x, y = self._real[position - 1], self._virtual[position - 1]
        if position == len(self._real):
            return y + real - x
        width, height = self._real[position] - x, self._virtual[position] - y
        return y + (real - x) * height // width

    def replace(self, instants: Sequence[int], lengths: Sequence[int]) -> int:
        """Let the time from each real instant to the next take the given length; return the virtual start."""
        real = self._not_before(instants[0])
        start = virtual = self(real)
        self._anchor(real, virtual)
        for instant, length in zip(instants[1:], lengths, strict=True):
            real, virtual = max(real, instant), virtual + length
            self._anchor(real, virtual)
        return start

    def wait(self, at: int, until: int) -> None:
        """Insert time at the real instant `at`, so that the host goes on at the virtual instant `until`."""
        at = self._not_before(at)
        arrived = self(at)
        self._anchor(at, arrived)
        self._anchor(at, max(arrived, until))

    def step(self, real: int, step: int, longest_noise: int) -> None:
        """Let the time up to the real instant take `step`, or what it took if that is no noise (whole ms)."""
        last = self._real[-1] if self._real else 0
        if real <= last:
            return
        if not self._real:
            self._anchor(0, 0)
        took = real - last
        length = step if took < longest_noise else round(took, -6)
        self._anchor(real, self._virtual[-1] + length)

    def _not_before(self, real: int) -> int:
        return max(real, self._real[-1]) if self._real else real

    def _anchor(self, real: int, virtual: int) -> None:
        self._real.append(real)
        self._virtual.append(virtual)


class Unit(IntEnum):
    """Kinds of execution units of the runtime; each stream of a core has one of each."""

    COMPUTE = 1
    WRITE = 2
    READ = 3
    COPY = 4


RUNTIME_CALLS = {
    Unit.COMPUTE: "nrta_execute_schedule",
    Unit.WRITE: "nrta_tensor_write",
    Unit.READ: "nrta_tensor_read",
    Unit.COPY: "nrta_tensor_copy",
}


@dataclass(slots=True)
class Submission:
    """One thing handed to the device, and its way through the four lanes."""

    placed: Placed
    name: str
    unit: Unit
    sequence: int
    """The execution unit in the upper 16 bits, counted in it in the others."""
    size: int
    dispatch: Interval
    runtime: Interval
    stream: Interval = (0, 0)
    """As the framework sees it: from the submission, or the end of the one before, to the completion."""
    waiting: Interval | None = None
    running: Interval | None = None
    completed: int = 0
    execution: int | None = None


@dataclass(slots=True)
class _Queue:
    """One stream of a core: what is given to it begins in order."""

    number: int
    runtime_free: int = 0
    held: int = 0
    """Until when it waits for events and copies of other streams."""
    seen: int = 0
    """When the runtime saw its last execution end."""
    streamed: int = 0
    idle: int = 0
    counts: Counter[Unit] = field(default_factory=Counter)

    def next_sequence(self, unit: Unit) -> int:
        self.counts[unit] += 1
        return (unit + len(Unit) * self.number) << 48 | self.counts[unit]


class _Device:
    """A chip: streams run beside each other, and each core computes one thing at a time."""

    def __init__(self, model: CostModel) -> None:
        self.model = model
        self.submissions: list[Submission] = []
        self.marks: dict[int, int] = {}
        self._queues: dict[tuple[int, int], _Queue] = {}
        self._free: Counter[int] = Counter()  # when each core is
        self._executions = 0

    def queue(self, core: int, stream: int | None) -> _Queue:
        return self._queues.setdefault((core, stream or 0), _Queue(len(self._queues)))

    def submit(self, placed: Placed, name: str, unit: Unit, size: int, dispatch: Interval) -> Submission:
        model, record = self.model, placed.record
        queue = self.queue(record.core, record.stream)
        begin = max(dispatch[1] + _ns(model.submit_us), queue.runtime_free, queue.held)
        if unit is Unit.READ:
            begin = max(begin, queue.seen)
        peer = self.queue(record.peer, 0) if unit is Unit.COPY else None
        if peer:
            begin = max(begin, queue.seen, peer.idle)
        queue.runtime_free = begin + self._runtime_ns(unit, size)
        runtime = (begin, queue.runtime_free)
        submission = Submission(placed, name, unit, queue.next_sequence(unit), size, dispatch, runtime)
        submission.completed = queue.runtime_free + _ns(model.notification_us)
        begins = dispatch[1]
        if unit is Unit.COMPUTE:
            self._execute(submission, queue)
            begins, queue.streamed = max(begins, queue.streamed), submission.completed
        submission.stream = (begins, submission.completed)
        queue.idle = max(queue.idle, submission.completed)
        if peer:
            peer.held = peer.idle = max(peer.idle, submission.completed)
        self.submissions.append(submission)
        return submission

    def _runtime_ns(self, unit: Unit, size: int) -> int:
        if unit is Unit.COMPUTE:
            return _ns(self.model.schedule_us)
        return self.model.core_copy_ns(size) if unit is Unit.COPY else self.model.copy_ns(size)

    def _execute(self, submission: Submission, queue: _Queue) -> None:
        model, record = self.model, submission.placed.record
        scheduled, free = submission.runtime[1], self._free[record.core]
        start = max(scheduled + _ns(model.launch_us), free + _ns(model.gap_us) if free else 0)
        end = start + model.device_ns(record)
        submission.running = (start, end)
        submission.waiting = (max(scheduled, queue.seen), end + _ns(model.completion_us))
        submission.completed = submission.waiting[1] + _ns(model.notification_us)
        self._executions += 1
        submission.execution = self._executions
        self._free[record.core], queue.seen = end, submission.waiting[1]

    def mark(self, record: Record, at: int) -> None:
        """Record an event: it is over when all that its stream has been given until now is."""
        self.marks[record.mark] = max(at, self.queue(record.core, record.stream).idle)

    def hold(self, record: Record) -> None:
        """Let a stream wait for an event."""
        queue = self.queue(record.core, record.stream)
        queue.held = max(queue.held, self.marks.get(record.mark, 0))

    def done(self, record: Record) -> int:
        """When that is over which the host waits for: an event, a stream, or all streams of a core."""
        if record.mark:
            return self.marks.get(record.mark, 0)
        idle = [
            queue.idle
            for (core, stream), queue in self._queues.items()
            if core == record.core and record.stream in (None, stream)
        ]
        return max(idle, default=0)


class Simulation(NamedTuple):
    """What `simulate` finds: the host's clock, all that was submitted, and when each event was over."""

    clock: VirtualClock
    submissions: list[Submission]
    marks: dict[int, int]


def simulate(
    placed: Iterable[Placed], model: CostModel, boundaries: Sequence[int] | None = None
) -> Simulation:
    """Run the recorded operations through the model, in the order given.

    `boundaries` are the real instants, ascending, at which host events begin or end.  With them the host's
    own time from one to the next is modelled too, so that what runs beside on this machine changes nothing;
    without them it is as measured.
    """
    clock, device = VirtualClock(), _Device(model)
    steps = _Steps(clock, model, boundaries)
    for item in placed:
        kind = item.record.kind
        if kind is Kind.SYNCHRONIZE:
            middle = (item.event.start + item.event.end) // 2 if item.event else item.start
            steps.until(middle)
            clock.wait(middle, device.done(item.record))
            continue
        steps.until(item.start)
        if kind is Kind.MARK:
            device.mark(item.record, clock(item.start))
        elif kind is Kind.WAIT:
            device.hold(item.record)
        else:
            _dispatch(item, clock, device)
    steps.until(None)
    return Simulation(clock, device.submissions, device.marks)


class _Steps:
    """The host's time between operators, event by event."""

    def __init__(self, clock: VirtualClock, model: CostModel, boundaries: Sequence[int] | None) -> None:
        self._clock, self._boundaries, self._next = clock, boundaries, 0
        self._step, self._noise = _ns(model.host_step_us), _ns(model.host_noise_ms * 1000)

    def until(self, real: int | None) -> None:
        """Up to a real instant, or to the last boundary."""
        if self._boundaries is None:
            return
        while self._next < len(self._boundaries):
            boundary = self._boundaries[self._next]
            if real is not None and boundary > real:
                break
            self._clock.step(boundary, self._step, self._noise)
            self._next += 1
        if real is not None:
            self._clock.step(real, self._step, self._noise)


def _dispatch(item: Placed, clock: VirtualClock, device: _Device) -> None:
    record, model = item.record, device.model
    host = model.host_ns(record)
    begin, end = round(host * model.dispatch_begins), round(host * model.dispatch_ends)
    instants = (item.start, item.entered, *item.numerics, item.end)
    start = clock.replace(instants, (begin, end - begin, 0, host - end))
    begin, end = start + begin, start + end
    if record.kind is Kind.EXECUTION and record.scalars:
        shipped = begin + (end - begin) // 3
        device.submit(item, "aten::_copy_from", Unit.WRITE, _scalar_bytes(record), (begin, shipped))
        begin = shipped
    submission = device.submit(item, record.name, _unit(record), nbytes(record), (begin, end))
    if record.kind is Kind.READ:
        clock.wait(item.end, submission.completed)


_COPIES = {
    Kind.WRITE: Unit.WRITE, Kind.FALLBACK: Unit.WRITE, Kind.READ: Unit.READ, Kind.COPY: Unit.COPY
}  # fmt: skip


def _unit(record: Record) -> Unit:
    return _COPIES.get(record.kind, Unit.COMPUTE)


def _scalar_bytes(record: Record) -> int:
    return max((facts.dtype.itemsize for facts in record.outputs), default=4)


def _ns(microseconds: float) -> int:
    return round(microseconds * 1000)
