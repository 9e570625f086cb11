"""Which program (NEFF) each submission executed."""

from __future__ import annotations

from typing import Any

import msgspec
import numpy as np

from ..trace import Interner, Lane, Trace
from .ownership import Rows, named, names_of
from .submissions import Submissions


class _Args(msgspec.Struct):
    neff_cache_key: str | int | None = None
    model_id: str | int | None = None


def programs(trace: Trace, found: Submissions) -> tuple[Rows, list[str]]:
    """The number of each submission's program, -1 where it is not known or nothing was computed, and what
    names each: the NEFF cache key of the stream row, the runtime's model id, else the dispatched overload."""
    decoder = msgspec.json.Decoder(_Args)
    known = Interner()
    numbers = np.full(len(found), -1, np.int64)
    names = names_of(trace, found.root)
    chosen = np.flatnonzero(~found.is_copy & (trace.lane[found.root] != Lane.HARDWARE))
    texts = [_arguments(trace, rows[chosen]) for rows in (found.stream, found.runtime)]
    for at, *raws in zip(chosen.tolist(), *texts, strict=True):
        for raw in raws:
            if raw is None:
                continue
            try:
                args = decoder.decode(raw)
            except msgspec.DecodeError:
                continue
            key = args.neff_cache_key if args.neff_cache_key is not None else args.model_id
            if key is not None:
                numbers[at] = known.number(str(key).strip('"'))
                break
        else:
            numbers[at] = known.number(str(names[at]))
    return numbers, known.values


def _arguments(trace: Trace, rows: Rows) -> list[Any]:
    """The arguments of rows; None where a row is -1."""
    texts: list[Any] = [None] * len(rows)
    known = np.flatnonzero(rows >= 0)
    for at, text in zip(known.tolist(), trace.arguments.at(rows[known]), strict=True):
        texts[at] = text
    return texts


def switches(trace: Trace, found: Submissions, program: Rows) -> int:
    """How often a core changed its program: the runtime's own `nc_model_switch` rows, per logical core, or
    where there are none the executions in a row whose programs differ."""
    rows = np.flatnonzero(named(trace, "nc_model_switch"))
    if len(rows):
        return int(np.bincount(trace.track[rows]).max())
    ran = np.flatnonzero(found.executes & (program >= 0))
    in_order = program[ran[np.argsort(found.begin[ran], kind="stable")]]
    return int((in_order[1:] != in_order[:-1]).sum())
