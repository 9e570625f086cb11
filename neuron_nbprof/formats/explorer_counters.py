"""Samples of a system profile as counters, from Neuron Explorer's parquet tables or the lists of its JSON.

Host CPUs and host memory are sampled once a second; HBM in use is told per memory of each device.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from ..trace import Counter, Note
from ..trace.counters import BYTES, PERCENT
from .samples import CPU_SPAN_NS, Quantity, Samples

HBM, CPU, HOST_MEMORY = "SystemProfileHbmUsage", "CpuUsage", "HostMemUsage"
TABLES = (HBM, CPU, HOST_MEMORY)
#: The lists of the same in JSON, with the names of their columns there.
LISTS = {
    "cpu_util": (CPU, {"util": "util_percent"}),
    "mem_usage": (HOST_MEMORY, {"usage": "used_bytes", "percent_usage": "used_percent"}),
}
#: Documented, for schemas that name no CPU.
AVERAGE = "average"

Record = Mapping[str, Any]


def counters(table: str, records: Iterable[Record]) -> tuple[list[Counter], list[Note]]:
    """The counters that a table of this name holds, and what of it was left out."""
    samples = Samples()
    for record in records:
        # 0 is what a sampler writes that has lost its clock
        time = record.get("timestamp") or None
        for quantity, value in _READERS[table](record, table):
            samples.add(quantity, time, value)
    return samples.counters(), samples.notes()


def modelled(counter: Counter) -> Counter:
    """A counter of a simulated capture, with the word for it where a table told it."""
    if counter.source not in TABLES:
        return counter
    return replace(counter, label=f"modelled {counter.label}", source=f"SIMULATED {counter.source}")


def _hbm(record: Record, source: str) -> list[tuple[Quantity, Any]]:
    label = f"HBM in use, ND:{record.get('device_idx', '?')} HBM:{record.get('hbm_idx', '?')}"
    return [(Quantity(label, BYTES, source, instance=_instance(record)), record.get("total_bytes"))]


def _cpu(record: Record, source: str) -> list[tuple[Quantity, Any]]:
    cpu = str(record.get("cpu_id", AVERAGE))
    label = "host CPU, average" if cpu == AVERAGE else f"host CPU {cpu}"
    quantity = Quantity(label, PERCENT, source, CPU_SPAN_NS, _instance(record))
    return [(quantity, record.get("util_percent"))]


def _host_memory(record: Record, source: str) -> list[tuple[Quantity, Any]]:
    quantity = Quantity("host memory", BYTES, source, instance=_instance(record))
    return [(quantity, record.get("used_bytes"))]


def _instance(record: Record) -> str:
    return str(record.get("instance_id") or "")


_READERS = {HBM: _hbm, CPU: _cpu, HOST_MEMORY: _host_memory}


def listed(key: str, records: Any) -> tuple[list[Counter], list[Note]]:
    """The counters of one list of a JSON profile; nothing for a list of another kind."""
    if key not in LISTS or not isinstance(records, list):
        return [], []
    table, names = LISTS[key]
    renamed = [
        {names.get(str(name), str(name)): value for name, value in record.items()}
        for record in records
        if isinstance(record, dict)
    ]
    return counters(table, renamed)
