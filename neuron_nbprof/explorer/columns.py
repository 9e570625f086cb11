"""The codec of the explorer: a Trace as exact typed columns for the browser, and what it says beside them.

The browser has no fast 64-bit integers, so a start travels as a 32-bit offset from a 64-bit base: each
display row opens a block with a base of its own, and so does each event that the offset would not reach. A
duration beyond 32 bits travels in a table of its own. Nothing is rounded. Times that no JavaScript number
holds exactly are moved to the edge of what it does, and travel as text beside the columns.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..analysis.operators import measured_on_host
from ..trace import OWNER_RULES, Lane, LinkRule, Trace
from .answers import answers
from .clock import Clock
from .colours import colours, operator_colours
from .counters import sampled
from .graphs import held

if TYPE_CHECKING:
    import pandas as pd

VERSION = 1
#: Marks a duration that stands in the table of long ones.
ESCAPED = 2**32 - 1
#: Columns begin at multiples of this, so that the browser can lay typed arrays over them.
ALIGNMENT = 8
#: Exact times of at most so many events that lie farther away travel as text.
MOST_CLAMPED = 1_000
#: So many frames cut off by the end of the profile are marked; a note counts all of them.
MOST_CUT_OFF = 10_000
#: Arguments of events in a page or widget, in bytes; those of later rows stay behind, and are said to.
MOST_ARGS = 64_000_000
#: The table of operators shows the busiest; all of them stay in `Profile.key_averages`.
MOST_OPERATORS = 500


@dataclass(frozen=True)
class Encoded:
    """``meta`` is JSON; ``block`` holds the columns that ``meta["columns"]`` places in it."""

    meta: dict[str, Any]
    block: bytes


def encode(profile: Any, *, answered: bool = True, most_args: int | None = None) -> Encoded:
    """Everything that the explorer draws of a profile; ``answered=False`` leaves the `answers` for later.

    ``most_args`` bytes of arguments travel with the events, or `MOST_ARGS`.

    Events more than 104 days from the others, whose times a browser would round, are drawn at the edge of
    what it can draw, and a note says so.
    """
    trace: Trace = profile.trace
    clock = Clock.of(trace)
    operators = _operators(trace, profile.key_averages())
    args, args_until = _args(trace, MOST_ARGS if most_args is None else most_args)
    counters, counter_columns = sampled(trace, clock)
    colour_numbers = {row["name"]: row["colour"] for row in operators}
    columns = event_columns(trace, clock, colour_numbers)
    places, block = _pack({**columns, **args, **counter_columns})
    meta = {
        "version": VERSION,
        "title": profile.title,
        "simulated": bool(profile.simulated),
        "device": profile.device,
        "source": trace.source,
        "origin_ns": str(trace.origin_ns + clock.base),
        "lanes": [lane.title for lane in Lane],
        "tracks": [
            {
                "label": track.label,
                "lane": int(track.lane),
                "rows": int(rows),
                "instance": track.instance,
                "process": track.process,
            }
            for track, rows in zip(trace.tracks, _rows_of_tracks(trace), strict=True)
        ],
        "strings": trace.strings,
        "rules": [
            {"text": rule.text, "owner": rule in OWNER_RULES, "guessed": rule == LinkRule.SUBMISSION_ORDER}
            for rule in LinkRule
        ],
        "counters": counters,
        "graphs": held(trace),
        "operators": operators[:MOST_OPERATORS],
        "reconciled": profile.reconcile(),
        "answers": answers(profile, clock.base) if answered else None,
        "notes": [{"text": note.text, "count": int(note.count)} for note in [*trace.notes, *clock.notes]],
        "cell": _cell(trace),
        "clamped": [
            [row, str(int(trace.start[row]) - clock.base), str(int(trace.dur[row]))]
            for row in clock.clamped[:MOST_CLAMPED].tolist()
        ],
        "cut_off": trace.cut_off()[:MOST_CUT_OFF].tolist(),
        "args_until": args_until,
        "summary": {key: _plain(value) for key, value in profile.summary().items()},
        "columns": places,
    }
    return Encoded(meta, block)


def _cell(trace: Trace) -> str | None:
    """Source of the profiled cell, when the capture has it."""
    capture = trace.attributes.get("capture")
    source = capture.get("source") if isinstance(capture, dict) else None
    return source if isinstance(source, str) and source.strip() else None


def _args(trace: Trace, most: int) -> tuple[dict[str, NDArray[Any]], int | None]:
    """Arguments as one text with the end of each event's, and the row from which on they stayed behind."""
    texts: list[bytes] = []
    total = 0
    for row in range(len(trace)):
        text = trace.args_text(row)
        total += len(text)
        if total > most:
            break
        texts.append(text)
    ends = np.cumsum([len(text) for text in texts], dtype=np.int64)
    columns = {
        "args": np.frombuffer(b"".join(texts), "<u1"),
        "args_offsets": np.concatenate([[0], ends]).astype("<u4"),
    }
    return columns, None if len(texts) == len(trace) else len(texts)


def event_columns(trace: Trace, clock: Clock, operators: dict[str, int]) -> dict[str, NDArray[Any]]:
    """The columns by name, little endian; ``operators`` gives their colour numbers by name."""
    rows_of_tracks = _rows_of_tracks(trace)
    first_row = np.concatenate([[0], np.cumsum(rows_of_tracks)])
    row_ptr = np.searchsorted(first_row[trace.track] + trace.depth, np.arange(first_row[-1] + 1))
    block_row = _blocks(clock.start, row_ptr)
    block_base = clock.start[block_row]
    sizes = np.diff(np.append(block_row, len(trace)))
    long = np.flatnonzero(clock.dur >= ESCAPED)
    links = trace.links
    return {
        "row_ptr": row_ptr.astype("<u4"),
        "block_row": block_row.astype("<u4"),
        "block_base": block_base.astype("<i8"),
        "start": (clock.start - np.repeat(block_base, sizes)).astype("<u4"),
        "dur": np.minimum(clock.dur, ESCAPED).astype("<u4"),
        "long_row": long.astype("<u4"),
        "long_dur": clock.dur[long].astype("<i8"),
        "name": _smallest(trace.name, len(trace.strings), "<u2", "<u4"),
        "category": _smallest(trace.category, len(trace.strings), "<u1", "<u2", "<u4"),
        "id": trace.id.astype("<u4"),
        "colour": colours(trace, operators),
        "edge_offsets": links.offsets.astype("<u4"),
        "edge_targets": links.targets.astype("<u4"),
        "edge_rule": links.rule.astype("<u1"),
        "edge_key": links.key.astype("<i8"),
    }


def _rows_of_tracks(trace: Trace) -> NDArray[np.int64]:
    """Display rows of every track: its greatest depth plus one."""
    rows = np.ones(len(trace.tracks), np.int64)
    np.maximum.at(rows, trace.track, trace.depth.astype(np.int64) + 1)
    return rows


def _blocks(start: NDArray[np.int64], row_ptr: NDArray[np.int64]) -> NDArray[np.int64]:
    """First events of the blocks: a new one for each display row and wherever 32 bits do not reach."""
    first: list[int] = []
    for low, high in zip(row_ptr[:-1].tolist(), row_ptr[1:].tolist(), strict=True):
        while low < high:
            first.append(low)
            low += int(np.searchsorted(start[low:high], start[low] + 2**32))
    return np.array(first, np.int64)


def _smallest(values: NDArray[Any], limit: int, *dtypes: str) -> NDArray[Any]:
    """``values`` in the first of ``dtypes`` that holds everything below ``limit``."""
    return values.astype(next(dtype for dtype in dtypes if limit - 1 <= np.iinfo(dtype).max))


def _pack(columns: dict[str, NDArray[Any]]) -> tuple[dict[str, list[Any]], bytes]:
    """One block, and for each column its type, its offset in bytes and its length in elements."""
    places: dict[str, list[Any]] = {}
    parts: list[bytes] = []
    offset = 0
    for name, values in columns.items():
        places[name] = [values.dtype.kind + str(values.dtype.itemsize), offset, len(values)]
        size = -(-values.nbytes // ALIGNMENT) * ALIGNMENT
        parts.append(values.tobytes().ljust(size, b"\0"))
        offset += size
    return places, b"".join(parts)


def _operators(trace: Trace, table: pd.DataFrame) -> list[dict[str, Any]]:
    """Rows of the table of operators, those with the most device time first."""
    table = table.assign(measured=measured_on_host(trace, table))
    table = table.sort_values(["neuron_us", "cpu_us"], ascending=False, kind="stable")
    columns = ["name", "calls", "cpu_us", "neuron_us", "share", "measured"]
    rows = [{name: _plain(value) for name, value in row.items()} for row in table[columns].to_dict("records")]
    numbers = operator_colours({row["name"]: row["neuron_us"] for row in rows})
    return [{**row, "colour": numbers[row["name"]]} for row in rows]


def _plain(value: Any) -> Any:
    """A NumPy scalar as JSON knows it; what is not a number (a share of nothing) as 0."""
    value = value.item() if isinstance(value, np.generic) else value
    return 0 if isinstance(value, float) and not math.isfinite(value) else value
