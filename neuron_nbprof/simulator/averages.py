"""`correlate_device_time`: device and modelled host times in torch's own `key_averages()`."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import torch
from torch.autograd.profiler_util import FunctionEvent, Interval

from .schedule import Submission, VirtualClock


def correlate(profiler: Any, clock: VirtualClock, submissions: list[Submission], origin: int) -> None:
    """Move the events of `torch.autograd.profiler.profile` onto the virtual clock, with device times."""
    events = [e for e in profiler.function_events if e.device_type == torch.autograd.DeviceType.CPU]
    shift = profiler.kineto_results.trace_start_ns() - origin
    _give_device_times(events, submissions)
    for event in events:
        event.time_range = Interval(
            _moved(event.time_range.start, shift, clock), _moved(event.time_range.end, shift, clock)
        )
    _mark(events)


def _moved(microseconds: float, shift: int, clock: VirtualClock) -> float:
    return (clock(round(microseconds * 1000) + shift) - shift) / 1000


def _give_device_times(events: list[FunctionEvent], submissions: list[Submission]) -> None:
    kept = {event.id: event for event in events}
    for submission in submissions:
        if submission.running is None or submission.placed.event is None:
            continue
        # torch drops an aten::x that sits alone in another aten::x; its device time goes to the one it kept.
        owner = next((e.id for e in submission.placed.event.lineage() if e.id in kept), None)
        if owner is not None:
            start, end = submission.running
            kept[owner].append_kernel(kept[owner].name, submission.placed.record.core, (end - start) / 1000)


def _mark(events: list[FunctionEvent]) -> None:
    """Let torch's table count these rows.

    Its totals take device time only from rows marked as legacy, and rows of one name are split by that
    mark, so every leaf of a name that has device time gets it.
    """
    leaves: dict[str, list[FunctionEvent]] = defaultdict(list)
    for event in events:
        if not any(child.device_time_total for child in event.cpu_children):
            leaves[event.name].append(event)
    for name in {event.name for event in events if event.kernels}:
        for event in leaves[name]:
            event.is_legacy = True
