"""Counters of a Chrome trace: its own counter events, and memory as PyTorch's ``profile_memory`` tells it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import msgspec
import numpy as np

from ..trace import Counter, Note
from ..trace.counters import BYTES
from .chrome_event import ABSENT, Event, integer, text_of
from .microseconds import nanoseconds
from .samples import Quantity, Samples

MEMORY = "[memory]"
#: Names of `torch.DeviceType` by number; what is not here is called by its number.
DEVICES = {0: "host", 1: "CUDA", 6: "HIP", 8: "XLA", 12: "XPU", 19: "MTIA", 20: "device"}
#: Keys of a counter event that are units and no names of a series.
UNITS = frozenset({"B", "KB", "MB", "GB", "B/s", "KB/s", "MB/s", "GB/s", "Hz", "MHz", "GHz", "%"})
VALUE = "value"
_WITH_UNIT = re.compile(r"(.+)\(([^()]+)\)$")


class KinetoCounters:
    """Gathers the samples of one trace, batch by batch."""

    def __init__(self) -> None:
        self._samples, self._changes = Samples(), Samples()

    def add(self, batch: list[Event], arguments: Callable[[], Sequence[Any]]) -> None:
        """The samples among the events of one batch; ``arguments`` gives the texts of all of them."""
        rows = [row for row, event in enumerate(batch) if event.ph == "C" or event.name == MEMORY]
        texts = arguments() if rows else ()
        for row in rows:
            event, args = batch[row], _object(texts[row])
            time = None if event.ts is ABSENT else nanoseconds(event.ts)
            if event.ph == "C":
                self._add_series(event, time, args)
            else:
                self._add_memory(event, time, args)

    def _add_series(self, event: Event, time: int | None, args: dict[str, Any]) -> None:
        """Each argument is a series; beside a ``value`` the others only say of what."""
        name, process = text_of(event.name), text_of(event.pid)
        if VALUE in args:
            which = [f"{key} {value}" for key, value in args.items() if key != VALUE]
            args = {VALUE: args[VALUE]}
            name = " ".join([name, *which])
        for key, value in args.items() or [("", None)]:
            series, unit = _series(key)
            label = f"{name}: {series}" if series else name
            self._samples.add(Quantity(label, unit, "counter events", process=process), time, value)

    def _add_memory(self, event: Event, time: int | None, args: dict[str, Any]) -> None:
        kind, index = integer(args.get("Device Type")), integer(args.get("Device Id"))
        device = DEVICES.get(kind, f"device type {kind}") + (f" {index}" if kind and index >= 0 else "")
        process = text_of(event.pid)
        if "Total Allocated" in args:
            quantity = Quantity(f"PyTorch memory, {device}", BYTES, f"{MEMORY} events", process=process)
            self._samples.add(quantity, time, args["Total Allocated"])
        else:
            label = f"PyTorch memory, {device}, since the beginning"
            quantity = Quantity(label, BYTES, f"sum of {MEMORY} events", process=process)
            self._changes.add(quantity, time, args.get("Bytes"))

    def counters(self, base: int) -> list[Counter]:
        """All of them, times moved by ``base`` ns; what the file tells as changes is added up."""
        changes = self._changes.counters(base)
        sums = [replace(change, value=np.cumsum(change.value)) for change in changes]
        return self._samples.counters(base) + sums

    def notes(self) -> list[Note]:
        return self._samples.notes() + self._changes.notes()


def _series(key: str) -> tuple[str, str]:
    """What a series is called beside the name of its counter, and its unit where the key says one."""
    if key in UNITS:
        return "", key
    found = _WITH_UNIT.match(key)
    if found and found[2] in UNITS:
        return found[1], found[2]
    return "" if key == VALUE else key, ""


def _object(text: Any) -> dict[str, Any]:
    try:
        value = msgspec.json.decode(text) if text is not None else None
    except msgspec.DecodeError:
        value = None
    return value if isinstance(value, dict) else {}
