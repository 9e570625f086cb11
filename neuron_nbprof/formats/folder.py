"""A capture: a folder with what one profiling session wrote, or a single file of it."""

from __future__ import annotations

import json
import os
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import ReadError
from ..trace import Note, Rows, Trace, assemble, concatenate
from . import explorer_parquet, kineto

CAPTURE_FILE = "capture.json"
MAX_FILES = 200_000

#: Names under which a framework trace is found inside a capture folder, best known first.
FRAMEWORK_TRACE = re.compile(
    r"^(trace|neuron_framework_trace_rank_\d+|pytorch_trace|neuron_trace|.+\.pt\.trace)\.json(\.gz)?$"
)
RUNTIME_FILES = re.compile(r"^(ntrace\.pb|trace_info\.pb|.+\.ntff)$")


@dataclass(frozen=True)
class Session:
    """One folder that directly holds files of a capture."""

    folder: Path
    framework: Path | None
    has_parquet: bool
    modified: float


def read(path: str | os.PathLike[str]) -> Trace:
    """The Trace of a capture folder, of any folder above it, or of a framework trace alone.

    Raises ReadError in one sentence when there is nothing to read.
    """
    place = Path(path).expanduser()
    if not place.exists():
        raise ReadError(f"There is no file or folder {place}; the current folder is {Path.cwd()}.")
    return _read_folder(place) if place.is_dir() else _read_file(place)


def _read_file(path: Path) -> Trace:
    if path.stat().st_size == 0:
        raise ReadError(
            f"{path} is empty (0 bytes): the profiler did not finish writing it; record it again."
        )
    if path.suffix == ".parquet":
        return _read_session(Session(path.parent, None, True, 0.0), path)
    if not kineto.looks_like(path):
        raise ReadError(
            f"{path} is neither a Kineto trace (JSON, plain or gzip) nor a parquet table of Neuron Explorer; "
            "open the capture folder or its trace.json."
        )
    return _assemble(kineto.read(path), path, capture={})


def _read_folder(folder: Path) -> Trace:
    sessions = find_sessions(folder)
    readable = [session for session in sessions if session.framework or session.has_parquet]
    if not readable:
        raise ReadError(_nothing_to_read(folder, sessions))
    newest = max(readable, key=lambda session: (session.modified, str(session.folder)))
    trace = _read_session(newest, folder)
    if len(readable) > 1:
        trace.notes.insert(
            0,
            Note(f"other captures below {folder}; this is the newest, in {newest.folder}", len(readable) - 1),
        )
    return trace


def find_sessions(folder: Path) -> list[Session]:
    """Every folder below ``folder`` (itself included) that directly holds files of a capture."""
    found = []
    seen = 0
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if name not in ("node_modules", ".git", ".venv"))
        seen += len(names)
        if seen > MAX_FILES:
            raise ReadError(f"{folder} holds more than {MAX_FILES:,} files; name the capture folder itself.")
        here = Path(place)
        traces = sorted((name for name in names if FRAMEWORK_TRACE.match(name)), key=_trace_order)
        parquet = bool(explorer_parquet.table_files(here, explorer_parquet.EVENTS))
        if traces or parquet or any(RUNTIME_FILES.match(name) for name in names):
            found.append(Session(here, here / traces[0] if traces else None, parquet, here.stat().st_mtime))
    return found


def _trace_order(name: str) -> tuple[bool, str]:
    return (not name.startswith("trace.json"), name)


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
    framework = kineto.read(session.framework) if session.framework else Rows()
    system = explorer_parquet.read(session.folder) if session.has_parquet else Rows()
    rows = merge(framework, system)
    return _assemble(rows, asked, _capture_record(session.folder, asked))


def merge(framework: Rows, system: Rows) -> Rows:
    """Framework trace and system profile of one session in one list.

    The system profile repeats the framework's rows; the trace's own are richer, so a repeated row only
    lends its flow id (as the sequence) to the row that it repeats.
    """
    if not len(framework) or not len(system):
        return concatenate(framework, system)
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


def _places(rows: Rows) -> Iterator[tuple[str, str, int]]:
    """By what a row of the framework is known again: its track, its name, its start."""
    for track, name, start in zip(rows.track.tolist(), rows.name.tolist(), rows.start.tolist(), strict=True):
        yield rows.tracks[track].label, rows.strings[name], start


def _capture_record(folder: Path, asked: Path) -> dict[str, Any]:
    """The ``capture.json`` beside or above a session, up to two levels and the folder that was asked for."""
    for place in (folder, *folder.parents[:2]):
        record = place / CAPTURE_FILE
        if record.is_file():
            try:
                value = json.loads(record.read_text(encoding="utf-8"))
            except (OSError, ValueError):
                return {}
            return value if isinstance(value, dict) else {}
        if place == asked:
            break
    return {}


def _assemble(rows: Rows, asked: Path, capture: dict[str, Any]) -> Trace:
    simulated = bool(rows.attributes.get("neuron_simulated") or capture.get("simulated"))
    rows.attributes["capture"] = capture
    title = capture.get("name") or asked.resolve().name.removesuffix(".gz").removesuffix(".json")
    return assemble(
        rows, title=str(title), source=str(asked), simulated=simulated, device=_device(rows, capture)
    )


def _device(rows: Rows, capture: dict[str, Any]) -> str:
    model = rows.attributes.get("neuron_simulated")
    if isinstance(model, dict) and model.get("device"):
        return str(model["device"])
    return str(capture.get("device_name") or "")
