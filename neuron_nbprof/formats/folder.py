"""A capture: a folder with what one profiling session wrote, a file of it, or several."""

from __future__ import annotations

import os
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import reduce
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from ..errors import ReadError
from ..trace import Note, Rows, Trace, assemble, concatenate
from . import explorer_counters, explorer_parquet, exported, hints, kineto, ntrace
from .documents import recognise
from .progress import shown
from .sessions import Session, find, table
from .source import Source

PathLike = str | os.PathLike[str]
Readable = PathLike | BinaryIO
Input = Readable | Sequence[Readable]

#: Above this many bytes the size is said before reading begins.
LARGE_BYTES = 1_000_000_000


def read(
    what: Readable | Sequence[Readable], *, rank: int | None = None, session: str | None = None
) -> Trace:
    """The Trace of a capture folder or of any folder above it, of one file, or of the files of one capture.

    Of several captures ``rank`` (a number) and ``session`` (a part of the folder's path) choose; else the
    newest is read, of several ranks the lowest, and a note names the others. Raises ReadError in one
    sentence when there is nothing to read.
    """
    if isinstance(what, Sequence) and not isinstance(what, str):
        return _read_files([_source(one) for one in what])
    if not isinstance(what, (str, os.PathLike)):
        return _read_files([_source(what)])
    place = Path(what).expanduser()
    if not place.exists():
        raise ReadError(f"There is no file or folder {place}; the current folder is {Path.cwd()}.")
    return _read_folder(place, rank, session) if place.is_dir() else _read_files([_source(place)])


def _source(one: Readable) -> Source:
    try:
        return Source(one)
    except OSError as error:
        raise ReadError(f"{one} cannot be read: {error.strerror or error}.") from None


def _read_files(sources: list[Source]) -> Trace:
    """Several files of one capture as one Trace; at least one."""
    if not sources:
        raise ReadError("The list of files is empty; name at least one.")
    parts = [_read_source(source) for source in sources]
    title = Path(sources[0].name).name
    for suffix in (".gz", ".json", ".trace", ".pt"):
        title = title.removesuffix(suffix)
    return _assemble(reduce(merge, parts), title, ", ".join(source.name for source in sources), {})


def _read_source(source: Source) -> Rows:
    if source.size > LARGE_BYTES and shown.get():
        print(f"reading {source.name}: {source.size / 1e9:.1f} GB", flush=True)
    if source.head(4) == b"PAR1":
        return explorer_parquet.read_table(source)
    found = recognise(source)
    if found is not None:
        return found.read(source)
    _, cut = source.read()  # an empty file has a sentence of its own
    if cut:
        raise ReadError(f"{source.name} is {cut}, before anything of a capture; copy it again.")
    raise ReadError(
        f"{source.name} is {what_it_is(source)}, neither a Kineto trace (JSON, plain or gzip) nor a table of "
        "Neuron Explorer; open the capture folder or its trace.json."
    )


def what_it_is(source: Source) -> str:
    """A foreign file in words, by its first bytes."""
    head = source.head().lstrip()
    kinds = {
        b"<!doctype html": "an HTML page",
        b"<html": "an HTML page",
        b"%PDF": "a PDF document",
        b"\x89PNG": "a picture",
        b"PK\x03\x04": "a zip archive",
        b"<?xml": "an XML document",
        b"{": "a JSON document of another kind",
        b"[": "a JSON list of another kind",
    }
    lowered = head[:16].lower()
    for sign, kind in kinds.items():
        if lowered.startswith(sign.lower()):
            return kind
    printable = all(byte >= 32 or byte in b"\t\r\n" for byte in head[:64])
    return "a text file" if printable else "a binary file of another kind"


def _read_folder(folder: Path, rank: int | None, session: str | None) -> Trace:
    sessions = find(folder)
    readable = [found for found in sessions if found.readable]
    if not readable:
        raise ReadError(_nothing_to_read(folder, sessions))
    wanted = [
        found
        for found in readable
        if (rank is None or found.rank == rank) and (session is None or session in str(found.folder))
    ]
    if not wanted:
        raise ReadError(
            f"{folder} has no capture with {_choice(rank, session)}; it has {_listing(readable)}."
        )
    chosen = _choose(wanted)
    trace = _read_session(chosen, folder)
    if len(wanted) > 1:
        others = _listing([found for found in wanted if found is not chosen])
        trace.notes.insert(
            0,
            Note(f"other captures below {folder}, choose with rank= or session=: {others}", len(wanted) - 1),
        )
    return trace


def _choice(rank: int | None, session: str | None) -> str:
    by_rank = [] if rank is None else [f"rank {rank}"]
    by_path = [] if session is None else [f"{session!r} in its path"]
    return " and ".join(by_rank + by_path)


def _choose(sessions: list[Session]) -> Session:
    """The newest session; where ranks are known, of the lowest rank."""
    lowest = min((found.rank for found in sessions if found.rank is not None), default=None)
    of_rank = [found for found in sessions if found.rank == lowest] if lowest is not None else sessions
    return max(of_rank, key=lambda found: (found.modified, str(found.folder)))


def _listing(sessions: list[Session]) -> str:
    """Captures in words, the first few of them."""
    texts = [
        ", ".join(
            part
            for part in (
                f"rank {found.rank}" if found.rank is not None else "",
                f"pid {found.pid}" if found.pid is not None else "",
                f"{found.bytes:,} bytes",
                str(found.folder),
            )
            if part
        )
        for found in sessions[:5]
    ]
    return "; ".join(texts) + (f"; and {len(sessions) - 5} more" if len(sessions) > 5 else "")


def _nothing_to_read(folder: Path, sessions: list[Session]) -> str:
    if sessions:
        return (
            f"{sessions[0].folder} holds only raw runtime files; turn them into parquet with "
            f"`neuron-explorer view -d {folder} --ingest-only` and open the folder that it writes."
        )
    names = sorted(entry.name for entry in folder.iterdir())
    inside = f"it holds {', '.join(names[:5])}{' …' if len(names) > 5 else ''}" if names else "it is empty"
    return (
        f"{folder} holds no capture ({inside}): a capture folder has a trace.json or a "
        f"{explorer_parquet.EVENTS}.parquet somewhere below it."
    )


def _read_session(session: Session, asked: Path) -> Trace:
    """Framework trace and system profile; of the latter the tables if there are any, else the raw trace."""
    if session.export:
        return _assemble(exported.read_parquet(session.folder), asked.resolve().name, str(asked), {})
    framework = _read_source(Source(session.framework)) if session.framework else Rows()
    system = explorer_parquet.read(session.folder) if session.tables else Rows()
    for path, known in session.documents:
        if known is not kineto and not session.tables:
            system = concatenate(system, known.read(Source(path)))
    if session.raw_trace and not len(system):
        system = _read_raw(session.raw_trace, may_fail=bool(len(framework)))
    record = session.record(asked)
    title = record.get("name") or asked.resolve().name
    return _assemble(merge(framework, system), str(title), str(asked), record)


def _read_raw(path: Path, may_fail: bool) -> Rows:
    """The raw system trace; beside a framework trace one that stays opaque is only noted."""
    try:
        return ntrace.read(Source(path))
    except ReadError as error:
        if not may_fail:
            raise
        return Rows(notes=[Note(str(error))])


def merge(framework: Rows, system: Rows) -> Rows:
    """Framework trace and system profile of one session in one list.

    The system profile repeats the framework's rows; the trace's own are richer, so a repeated row only
    lends its flow id (as the sequence) to the row that it repeats.
    """
    if not len(framework) or not len(system):
        return concatenate(framework, system)
    _adopt(framework, system)
    instances = Counter(track.instance for track in system.tracks if track.instance)
    instance = instances.most_common(1)[0][0] if instances else ""
    framework.tracks = [replace(track, instance=instance) for track in framework.tracks]
    known: dict[tuple[str, str, int], list[int]] = defaultdict(list)
    for row, place in enumerate(_places(framework)):
        known[place].append(row)
    repeats = np.zeros(len(system), bool)
    for row, place in enumerate(_places(system)):
        twins = known.get(place)
        if twins is None:
            continue
        repeats[row] = True
        for twin in twins:
            framework.sequence[twin] = framework.sequence[twin] or system.sequence[row]
    return concatenate(framework, system.take(np.flatnonzero(~repeats)))


def _adopt(framework: Rows, system: Rows) -> None:
    """Runtime rows that do not say their process belong to the one of the framework trace."""
    if system.scope.any() or not framework.scope.any():
        return
    process = int(framework.scope[framework.scope != 0][0])
    system.scope[:] = process
    system.tracks = [replace(track, process=track.process or str(process)) for track in system.tracks]


def _places(rows: Rows) -> Iterator[tuple[str, str, int]]:
    """By what a row of the framework is known again: its track, its name, its start."""
    for track, name, start in zip(rows.track.tolist(), rows.name.tolist(), rows.start.tolist(), strict=True):
        yield rows.tracks[track].label, rows.strings[name], start


def _assemble(rows: Rows, title: str, source: str, capture: dict[str, Any]) -> Trace:
    rows.attributes.setdefault("capture", capture)
    rows.notes.extend(Note(str(text)) for text in capture.get("notes") or ())
    known = rows.attributes.pop(exported.KEY, {})
    model = rows.attributes.get("neuron_simulated")
    simulated = bool(model or capture.get("simulated") or known.get("simulated"))
    if simulated:
        rows.counters = [explorer_counters.modelled(counter) for counter in rows.counters]
    trace = assemble(
        rows,
        title=str(known.get("title") or title),
        source=source,
        simulated=simulated,
        device=str(known.get("device") or _device(model, capture)),
    )
    if not known:
        trace.notes.extend(hints.notes(trace))
    return trace


def _device(model: Any, capture: dict[str, Any]) -> str:
    if isinstance(model, dict) and model.get("device"):
        return str(model["device"])
    return str(capture.get("device_name") or "")


__all__ = ["find", "merge", "read", "table"]
