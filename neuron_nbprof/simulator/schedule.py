"""When everything happens on the simulated device: a pure function of what was recorded.

The host runs on a virtual clock, a monotone map of the real one: numerics take no time on it, the host time
of an operator is the modelled one, and where the host has to wait for the device, time is inserted.  All
times are int ns since the origin of the capture.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import IntEnum

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
    """Execution units of the runtime: the upper 16 bits of a sequence number."""

    COMPUTE = 1
    WRITE = 2
    READ = 3


RUNTIME_CALLS = {
    Unit.COMPUTE: "nrta_execute_schedule",
    Unit.WRITE: "nrta_tensor_write",
    Unit.READ: "nrta_tensor_read",
}


@dataclass(slots=True)
class Submission:
    """One thing handed to the device, and its way through the four lanes."""

    placed: Placed
    name: str
    unit: Unit
    number: int
    size: int
    dispatch: Interval
    runtime: Interval
    stream: Interval = (0, 0)
    """As the framework sees it: from the submission, or the end of the one before, to the completion."""
    waiting: Interval | None = None
    running: Interval | None = None
    completed: int = 0
    execution: int | None = None

    @property
    def sequence(self) -> int:
        return (self.unit << 48) | self.number


class _Device:
    """One stream: what is submitted runs in order."""

    def __init__(self, model: CostModel) -> None:
        self.model = model
        self.submissions: list[Submission] = []
        self.runtime_free = self.free = self.seen = self.streamed = self.idle = 0
        self._numbers: Counter[Unit] = Counter()

    def submit(self, placed: Placed, name: str, unit: Unit, size: int, dispatch: Interval) -> Submission:
        model = self.model
        self._numbers[unit] += 1
        begin = max(dispatch[1] + _ns(model.submit_us), self.runtime_free)
        if unit is Unit.READ:
            begin = max(begin, self.seen)
        length = _ns(model.schedule_us) if unit is Unit.COMPUTE else model.copy_ns(size)
        self.runtime_free = begin + length
        submission = Submission(
            placed, name, unit, self._numbers[unit], size, dispatch, (begin, self.runtime_free)
        )
        submission.completed = self.runtime_free + _ns(model.notification_us)
        begins = dispatch[1]
        if unit is Unit.COMPUTE:
            self._execute(submission)
            begins, self.streamed = max(begins, self.streamed), submission.completed
        submission.stream = (begins, submission.completed)
        self.idle = max(self.idle, submission.completed)
        self.submissions.append(submission)
        return submission

    def _execute(self, submission: Submission) -> None:
        model = self.model
        scheduled = submission.runtime[1]
        start = max(scheduled + _ns(model.launch_us), self.free + _ns(model.gap_us) if self.free else 0)
        end = start + model.device_ns(submission.placed.record)
        submission.running = (start, end)
        submission.waiting = (max(scheduled, self.seen), end + _ns(model.completion_us))
        submission.completed = submission.waiting[1] + _ns(model.notification_us)
        submission.execution = self._numbers[Unit.COMPUTE]
        self.free, self.seen = end, submission.waiting[1]


def simulate(
    placed: Iterable[Placed], model: CostModel, boundaries: Sequence[int] | None = None
) -> tuple[VirtualClock, list[Submission]]:
    """Run the recorded operations through the model, in the order given.

    `boundaries` are the real instants, ascending, at which host events begin or end.  With them the host's
    own time from one to the next is modelled too, so that what runs beside on this machine changes nothing;
    without them it is as measured.
    """
    clock, device = VirtualClock(), _Device(model)
    steps = _Steps(clock, model, boundaries)
    for item in placed:
        if item.record.kind is Kind.SYNCHRONIZE:
            middle = (item.event.start + item.event.end) // 2 if item.event else item.start
            steps.until(middle)
            clock.wait(middle, device.idle)
        else:
            steps.until(item.start)
            _dispatch(item, clock, device)
    steps.until(None)
    return clock, device.submissions


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


def _unit(record: Record) -> Unit:
    copies = {Kind.WRITE: Unit.WRITE, Kind.FALLBACK: Unit.WRITE, Kind.READ: Unit.READ}
    return copies.get(record.kind, Unit.COMPUTE)


def _scalar_bytes(record: Record) -> int:
    return max((facts.dtype.itemsize for facts in record.outputs), default=4)


def _ns(microseconds: float) -> int:
    return round(microseconds * 1000)
