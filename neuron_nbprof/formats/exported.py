"""Traces that neuron_nbprof wrote: as a Chrome trace for Perfetto, and as parquet tables.

Both open again with the same events, tracks, links and notes, whatever the rules of a later version.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import ReadError
from ..trace import Arguments, Counter, Interner, KnownLinks, Lane, LinkRule, Note, Rows, Trace, Track
from ..trace.rows import Int64

VERSION = 1
#: Key of our own part of a Chrome trace, and of the metadata of our parquet files.
KEY = "neuron_nbprof"
#: The process under which Perfetto lists counters, after one for each lane.
_COUNTERS = len(Lane) + 1
EVENTS, LINKS = "neuron_nbprof_events.parquet", "neuron_nbprof_links.parquet"


def to_perfetto(trace: Trace, path: Path) -> Path:
    """Write a Chrome trace (gzip when ``path`` ends in .gz) that Perfetto draws with lanes and arrows."""
    with gzip.open(path, "wt", compresslevel=5) if path.suffix == ".gz" else path.open("w") as file:
        head = {"displayTimeUnit": "ns", "baseTimeNanoseconds": trace.origin_ns, KEY: _description(trace)}
        file.write(json.dumps(head)[:-1] + ', "traceEvents": [\n')
        file.write(",\n".join(_entries(trace)))
        file.write("\n]}\n")
    return path


def _entries(trace: Trace) -> Iterator[str]:
    """Names of lanes and tracks, the events in file order, an arrow for every link, then samples."""
    for lane in Lane:
        yield _json(ph="M", name="process_name", pid=int(lane) + 1, tid=0, ts=0, args={"name": lane.title})
    for number, track in enumerate(trace.tracks):
        place = {"pid": int(track.lane) + 1, "tid": number + 1}
        yield _json(ph="M", name="thread_name", ts=0, args={"name": track.label}, **place)
    for row in np.argsort(trace.id, kind="stable").tolist():
        event = _json(ph="X", cat=trace.category_of(row), name=trace.name_of(row), **_place(trace, row))
        times = f'"ts": {_us(int(trace.start[row]))}, "dur": {_us(int(trace.dur[row]))}'
        yield f'{event[:-1]}, {times}, "args": {trace.args_text(row).decode(errors="replace")}}}'
    links = trace.links
    for edge, (source, target) in enumerate(zip(links.sources.tolist(), links.targets.tolist(), strict=True)):
        for phase, row, more in (("s", source, {}), ("f", target, {"bp": "e"})):
            arrow = _json(ph=phase, id=edge + 1, cat="link", name="link", **more, **_place(trace, row))
            yield f'{arrow[:-1]}, "ts": {_us(int(trace.start[row]))}}}'
    if trace.counters:
        yield _json(ph="M", name="process_name", pid=_COUNTERS, tid=0, ts=0, args={"name": "Counters"})
    for counter in trace.counters:
        for time, value in zip(counter.time.tolist(), counter.value.tolist(), strict=True):
            sample = _json(ph="C", name=counter.label, pid=_COUNTERS, args={"value": value})
            yield f'{sample[:-1]}, "ts": {_us(time)}}}'


def _json(**event: Any) -> str:
    return json.dumps(event)


def _place(trace: Trace, row: int) -> dict[str, int]:
    return {"pid": int(trace.lane[row]) + 1, "tid": int(trace.track[row]) + 1}


def _us(ns: int) -> str:
    return f"{'-' if ns < 0 else ''}{abs(ns) // 1000}.{abs(ns) % 1000:03d}"


def _description(trace: Trace) -> dict[str, Any]:
    """Everything of a trace that is not an event; links between rows in file order."""
    links, order = trace.links, _file_rank(trace)
    return {
        "version": VERSION,
        "title": trace.title,
        "device": trace.device,
        "simulated": trace.simulated,
        "tracks": [asdict(track) for track in trace.tracks],
        "counters": [_counter(counter, trace.origin_ns) for counter in trace.counters],
        "notes": [[note.text, note.count] for note in trace.notes],
        "attributes": trace.attributes,
        "links": [
            order[links.sources].tolist(),
            order[links.targets].tolist(),
            links.rule.tolist(),
            links.key.tolist(),
        ],
    }


def _counter(counter: Counter, origin: int) -> dict[str, Any]:
    """A counter with its times in Unix ns; floats are written so that they come back as they were."""
    facts = {key: value for key, value in vars(counter).items() if key not in ("time", "value")}
    return {**facts, "time": (counter.time + origin).tolist(), "value": counter.value.tolist()}


def _restored(facts: dict[str, Any]) -> Counter:
    exact = all(isinstance(value, int) for value in facts["value"])
    time, value = np.array(facts["time"], np.int64), np.array(facts["value"], np.int64 if exact else float)
    if len(time) != len(value) or (np.diff(time) < 0).any() or not np.isfinite(value).all():
        raise ValueError("samples of a counter do not fit together")
    return Counter(**{**facts, "time": time, "value": value})


def _file_rank(trace: Trace) -> Int64:
    """For each row its place among the rows in file order."""
    rank = np.empty(len(trace), np.int64)
    rank[np.argsort(trace.id, kind="stable")] = np.arange(len(trace))
    return rank


def restore(rows: Rows, description: Any, track: Int64) -> Rows:
    """Rows of a file that we wrote, with the tracks, links and notes that stand in it.

    ``track`` is the number of each row's track as the file gives it. What does not fit is left out and noted.
    """
    try:
        if description["version"] != VERSION:
            raise ValueError(f"version {description['version']}, this is {VERSION}")
        tracks = [Track(**{**track, "lane": Lane(track["lane"])}) for track in description["tracks"]]
        links = KnownLinks(*(np.array(column, np.int64) for column in description["links"]))
        counters = [_restored(facts) for facts in description.get("counters", ())]
        notes = [Note(str(text), int(count)) for text, count in description["notes"]]
        ends = np.concatenate([links.source, links.target])
        rules = {int(rule) for rule in LinkRule}
        if not (_within(ends, len(rows)) and _within(track, len(tracks))):
            raise ValueError("events, tracks and links do not fit together")
        if set(links.rule.tolist()) - rules:
            raise ValueError("it has links of an unknown rule")
    except (TypeError, ValueError, KeyError, OverflowError) as error:
        rows.notes.append(Note(f"what neuron_nbprof wrote beside the events is not used ({error})"))
        return rows
    rows.tracks, rows.track, rows.links, rows.notes = tracks, track, links, notes
    rows.counters = counters
    attributes = description.get("attributes")
    rows.attributes = {**(attributes if isinstance(attributes, dict) else {}), KEY: _kept(description)}
    return rows


def _within(numbers: Int64, count: int) -> bool:
    return bool(((numbers >= 0) & (numbers < count)).all())


def _kept(description: dict[str, Any]) -> dict[str, Any]:
    return {key: description.get(key) for key in ("title", "device", "simulated")}


def to_parquet(trace: Trace, folder: Path) -> Path:
    """Write two parquet tables into ``folder``: events in file order (times in ns), and links."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    folder.mkdir(parents=True, exist_ok=True)
    order = np.argsort(trace.id, kind="stable")
    strings = pa.array(trace.strings, pa.string())
    description = {key: value for key, value in _description(trace).items() if key != "links"}
    events = pa.table(
        {
            "name": pa.DictionaryArray.from_arrays(pa.array(trace.name[order]), strings),
            "category": pa.DictionaryArray.from_arrays(pa.array(trace.category[order]), strings),
            "track": trace.track[order],
            "start_ns": trace.start[order] + trace.origin_ns,
            "dur_ns": trace.dur[order],
            "args": pa.array([trace.args_text(row) for row in order.tolist()], pa.binary()),
        }
    ).replace_schema_metadata({KEY: json.dumps(description)})
    pq.write_table(events, folder / EVENTS)
    source, target, rule, key = _description(trace)["links"]
    pq.write_table(pa.table({"source": source, "target": target, "rule": rule, "key": key}), folder / LINKS)
    return folder


def read_parquet(folder: Path) -> Rows:
    """The rows of the two tables in ``folder``. Raises ReadError when they are damaged."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = folder / EVENTS
    try:
        events, links = pq.read_table(path), pq.read_table(folder / LINKS)
        description = json.loads((events.schema.metadata or {})[KEY.encode()])
        strings = Interner()
        rows = Rows(
            start=events["start_ns"].to_numpy(),
            dur=events["dur_ns"].to_numpy(),
            name=strings.column(events["name"].to_pylist()),
            category=strings.column(events["category"].to_pylist()),
            track=events["track"].to_numpy().astype(np.int64),
            args=Arguments.of(events["args"].to_pylist()),
            strings=strings.values,
            tracks=[],
        )
        description["links"] = [links[name].to_numpy() for name in ("source", "target", "rule", "key")]
    except (pa.ArrowException, OSError, ValueError, KeyError, TypeError) as error:
        sentence = str(error).partition("\n")[0]
        raise ReadError(f"{path} is not a readable export of neuron_nbprof ({sentence}).") from None
    return restore(rows, description, rows.track)
