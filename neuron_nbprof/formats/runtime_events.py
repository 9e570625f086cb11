"""The events of the Neuron runtime and of the hardware, whichever file tells them: names, lanes, ids, rows.

The table of event types follows the strings and the enumeration compiled into libnrt 2.31 and AWS'
documentation of the event filter; a name marked ``inferred`` is not documented.
"""

from __future__ import annotations

import zlib
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..trace.arguments import Arguments
from ..trace.categories import NEURON_HARDWARE, NEURON_RUNTIME, NOT_WORK
from ..trace.lanes import Track, neuron_hardware_track, neuron_runtime_track
from ..trace.rows import Int64, Interner, Note, Rows


class EventType(NamedTuple):
    """One kind of event: its number in binary files, its display name, whether it carries device time."""

    number: int
    name: str
    hardware: bool = False
    inferred: bool = False


EVENT_TYPES = (
    EventType(0, "generic"),
    EventType(1, "nrt_load"),
    EventType(2, "post_request", inferred=True),
    EventType(3, "nrt_execute"),
    EventType(4, "kmgr_exec_core", inferred=True),
    EventType(5, "nrt_load_collectives"),
    EventType(6, "cc_exec_barrier", hardware=True),
    EventType(7, "nc_exec_running", hardware=True),
    EventType(8, "cc_running", hardware=True),
    EventType(9, "nrt_tensor_read"),
    EventType(10, "nrt_tensor_write"),
    EventType(11, "nrt_tensor_read_batch", inferred=True),
    EventType(12, "nrt_tensor_write_batch", inferred=True),
    EventType(13, "numerical_err", hardware=True),
    EventType(14, "enc_barrier_recv"),
    EventType(15, "enc_barrier_send"),
    EventType(16, "enc_barrier"),
    EventType(17, "kbl_exec_pre"),
    EventType(18, "kbl_exec_core"),
    EventType(19, "kbl_exec_wait"),
    EventType(20, "kbl_exec_post"),
    EventType(21, "nrt_model_switch"),
    EventType(22, "nrt_model_submit"),
    EventType(23, "async_sema_wait"),
    EventType(24, "hw_notify", hardware=True),
    EventType(25, "timestamp_sync_point", hardware=True),
    EventType(26, "nc_model_switch", hardware=True),
    EventType(27, "nrt_tensor_allocate"),
    EventType(28, "nrt_tensor_free"),
    EventType(29, "tensor_block", inferred=True),
    EventType(30, "dmem_buf_copyin"),
    EventType(31, "dmem_buf_copyout"),
    EventType(32, "dmem_buf_copyin_batch", inferred=True),
    EventType(33, "dmem_buf_copyout_batch", inferred=True),
    EventType(34, "nrt_dma_mem_alloc"),
    EventType(35, "nrt_dma_mem_dealloc"),
    EventType(36, "exec_consume_core_notifications", inferred=True),
    EventType(37, "exec_consume_cc_core_notifications"),
    EventType(38, "notification_consume_errors"),
    EventType(39, "exec_consume_gpsimd_stdio"),
    EventType(40, "nrt_cc_prepare"),
    EventType(41, "nrt_cc_schedule"),
    EventType(42, "hostcc_build_context", inferred=True),
    EventType(43, "hostcc_load"),
    EventType(44, "hostcc_exec"),
    EventType(45, "hostcc_wait"),
)

NAME_OF_NUMBER = {kind.number: kind.name for kind in EVENT_TYPES}

#: Names of older tools, which the event filter still knows.
ALIASES = {
    "model_load": "nrt_load",
    "runtime_execute": "kmgr_exec_core",
    "device_exec": "nc_exec_running",
    "cc_exec": "cc_running",
}

HARDWARE_EVENTS = frozenset(kind.name for kind in EVENT_TYPES if kind.hardware)

#: AWS' lists disagree about ``nrt_model_switch``, so its clock decides, as for a name nobody documented.
RUNTIME_EVENTS = frozenset(kind.name for kind in EVENT_TYPES if not kind.hardware) - {"nrt_model_switch"}

#: A pair of host and device clock, taken together after an execution.
SYNC_POINT = "timestamp_sync_point"

#: Of the runtime rows of one execution the one that stands for it: the submit to the core comes first,
#: because the core cannot begin before it; the draining afterwards cannot lead to the execution at all.
JOINTS = ("kbl_exec_core", "kbl_exec_wait", "kbl_exec_pre", "kmgr_exec_core", "nrt_execute")


def display_name(name: str) -> str:
    """The current name of an event that an older tool may have called otherwise."""
    return ALIASES.get(name, name)


def is_hardware(name: str, source: str = "", has_device_clock: bool = False) -> bool:
    """Whether an event belongs to the hardware: by what the file says, else its type, else its clock."""
    if source in (NEURON_HARDWARE, NEURON_RUNTIME):
        return source == NEURON_HARDWARE
    if name in HARDWARE_EVENTS or name in RUNTIME_EVENTS:
        return name in HARDWARE_EVENTS
    return has_device_clock


@dataclass(slots=True)
class SystemEvent:
    """One row in the making: times in ns, ``category`` as `trace.categories` names it.

    ``core`` is the logical core; ``model`` and ``execution`` identify one run of a program, None where the
    file does not tell. ``args`` is JSON text.
    """

    name: str
    category: str
    start: int
    dur: int
    track: Track
    process: int
    core: int | None
    sequence: int
    model: int | None
    execution: int | None
    args: Any


def system_track(
    hardware: bool, instance: str, process: int, core: Any, physical_core: Any, name: str = ""
) -> Track:
    """The row of a runtime or hardware event. An event without a physical core stands on 0, as the
    collectives do in Neuron Explorer."""
    label = "?" if core is None else str(core)
    if hardware:
        physical = 0 if physical_core is None else physical_core
        return neuron_hardware_track(instance, str(process or ""), label, str(physical))
    return neuron_runtime_track(instance, str(process or ""), label, name)


def rows_of(events: Sequence[SystemEvent], notes: list[Note], attributes: dict[str, Any]) -> Rows:
    """The rows of these events, in their order."""
    strings, tracks = Interner(), Interner()
    return Rows(
        name=strings.column([event.name for event in events]),
        category=strings.column([event.category for event in events]),
        start=np.array([event.start for event in events], np.int64),
        dur=np.array([event.dur for event in events], np.int64),
        track=tracks.column([event.track for event in events]),
        scope=np.array([signed(event.process) for event in events], np.int64),
        sequence=np.array([signed(event.sequence) for event in events], np.int64),
        execution=execution_keys(events),
        args=Arguments.of([event.args for event in events]),
        strings=strings.values,
        tracks=tracks.values,
        notes=notes,
        attributes=attributes,
    )


def signed(value: int) -> int:
    """A 64-bit id as the int64 with the same bits, so that no two ids fall together; 0 for a longer one."""
    if not -(1 << 63) <= value < 1 << 64:
        return 0
    return value - (1 << 64) if value >= 1 << 63 else value


def execution_key(core: int | None, model: int | None, execution: int) -> int:
    """One number, never 0, for run ``execution`` of ``model`` on logical ``core``.

    The runtime counts executions per core and per model, so the counter alone would join strangers. Its low
    32 bits stay readable in the key's; the 31 bits above are a checksum of core, model and counter. It
    depends on nothing else, so the same run has the same key in every file.
    """
    checksum = zlib.crc32(f"{core} {model} {execution}".encode()) & 0x7FFFFFFF
    return (checksum or 1) << 32 | (execution & 0xFFFFFFFF)


_SYSTEM = (NEURON_HARDWARE, NEURON_RUNTIME)


def execution_keys(events: Sequence[SystemEvent]) -> Int64:
    """`execution_key` of every hardware row and, for each run, of the runtime row that stands for it.

    Only one runtime row of a run keeps the key: the two rows of the physical cores of a logical core must
    find the same one, whichever of several had begun last by then. A row that does not name its model has
    the one that others with its core and counter name, when they agree. Marks, barriers and clock pairs
    carry the counter too, but are no part of the run.
    """
    models: dict[tuple[int, int | None, int], set[int]] = defaultdict(set)
    for event in events:
        if event.execution is not None and event.model is not None:
            models[event.process, event.core, event.execution].add(event.model)
    keys = np.zeros(len(events), np.int64)
    best: dict[tuple[int, int], int] = {}
    for row, event in enumerate(events):
        if event.execution is None or event.name in NOT_WORK or event.category not in _SYSTEM:
            continue
        model = event.model
        if model is None:
            known = models[event.process, event.core, event.execution]
            model = next(iter(known)) if len(known) == 1 else None
        keys[row] = key = execution_key(event.core, model, event.execution)
        if event.category == NEURON_RUNTIME:
            run = (event.process, key)
            best[run] = min(best.get(run, 1 << 30), _joint_rank(event))
    for row, event in enumerate(events):
        if (
            keys[row]
            and event.category == NEURON_RUNTIME
            and best[event.process, int(keys[row])] < _joint_rank(event)
        ):
            keys[row] = 0
    return keys


def _joint_rank(event: SystemEvent) -> int:
    """Lower is better: a row that also carries the sequence id joins the framework to the hardware."""
    place = JOINTS.index(event.name) if event.name in JOINTS else len(JOINTS)
    return place + (0 if event.sequence else len(JOINTS) + 1)
