"""Traces of Ascend NPUs (``trace_view.json``): the role of a row is told by the name of its process."""

from __future__ import annotations

from typing import Any

from ..trace.lanes import Track, device_track, host_runtime_track, stream_track

HARDWARE = "Ascend Hardware"
COLLECTIVES = "Communication"
RUNTIME = "CANN"
SUMMARY = "Overlap Analysis"
PROCESSES = frozenset({HARDWARE, COLLECTIVES, RUNTIME, SUMMARY})


def category(process_name: str, name: str) -> str:
    """The category of a row of one of `PROCESSES`, which has none in the file."""
    if process_name == HARDWARE:
        return "device_sync" if name.startswith(("EVENT_", "NOTIFY_")) else "kernel"
    if process_name == COLLECTIVES:
        return "collective_comm"
    return "cann" if process_name == RUNTIME else "gpu_user_annotation"


def track(process_name: str, process: str, tid: Any) -> Track:
    """The lane of a row of one of `PROCESSES`; what the tool summed up itself is the framework's view."""
    if process_name == RUNTIME:
        return host_runtime_track(process, "cann", str(tid))
    if process_name == SUMMARY:
        return stream_track("", process, f"overlap {tid}")
    unit = f"collectives {tid}" if process_name == COLLECTIVES else str(tid)
    return device_track(process, "npu", unit)
