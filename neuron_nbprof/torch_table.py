"""Torch's own `key_averages()` in three numbers: a capture keeps them, to be compared with its trace."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec


class TorchTable(msgspec.Struct, frozen=True):
    """Its rows, the names in them, and the sum of their ``self_device_time_total`` in µs."""

    rows: int
    names: int
    device_us: float

    @classmethod
    def of(cls, averages: Iterable[Any]) -> TorchTable:
        """``averages`` are torch's rows, each with ``key`` and, on a device, ``self_device_time_total``."""
        rows = list(averages)
        device_us = sum(float(getattr(row, "self_device_time_total", 0) or 0) for row in rows)
        return cls(len(rows), len({row.key for row in rows}), device_us)

    @classmethod
    def kept(cls, facts: Any) -> TorchTable | None:
        """The one that a capture's facts keep under ``torch_table``; None where they have none."""
        try:
            return msgspec.convert(facts["torch_table"], cls) if isinstance(facts, dict) else None
        except (KeyError, msgspec.ValidationError):
            return None
