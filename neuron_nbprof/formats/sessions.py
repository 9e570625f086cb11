"""Which captures lie below a folder: one session per folder that directly holds files of one."""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import ReadError
from . import explorer_parquet, exported, kineto
from .documents import Format, recognise
from .naming import PROCESS_FOLDER
from .source import HEAD_BYTES, Source

if TYPE_CHECKING:
    import pandas as pd

CAPTURE_FILE = "capture.json"
MAX_FILES = 200_000
SKIPPED_FOLDERS = frozenset({"node_modules", "__pycache__"})

#: The framework trace's documented names, best known first; any other file is known by its content.
FRAMEWORK_NAMES = (
    re.compile(r"^trace\.json(\.gz)?$"),
    re.compile(r"^neuron_framework_trace_rank_(?P<rank>\d+)\.json(\.gz)?$"),
    re.compile(r"^(pytorch_trace|neuron_trace)\.json(\.gz)?$"),
)
DOCUMENT_SUFFIXES = frozenset({".json", ".gz", ".txt", ".tmp", ""})
RUNTIME_NAME = re.compile(r"^(ntrace\.pb|trace_info\.pb|.+\.ntff)$")
_RANK = re.compile(rb'"rank"\s*:\s*(\d+)')


@dataclass(frozen=True)
class Session:
    """What one profiling session of one process wrote: the files of ``folder`` that belong to a capture.

    ``documents`` are JSON files with the format they were recognised as.
    """

    folder: Path
    documents: tuple[tuple[Path, Format], ...]
    runtime: tuple[Path, ...]
    tables: tuple[Path, ...]
    export: Path | None = None
    """The events table of a trace that neuron_nbprof wrote as parquet."""

    @property
    def raw_trace(self) -> Path | None:
        return next((path for path in self.runtime if path.name == "ntrace.pb"), None)

    @property
    def readable(self) -> bool:
        return bool(self.documents or self.tables or self.raw_trace or self.export)

    @property
    def framework(self) -> Path | None:
        """The framework trace: the one with the best known name."""
        traces = [path for path, known in self.documents if known is kineto]
        return min(traces, key=lambda path: (_name_rank(path.name), path.name), default=None)

    @property
    def files(self) -> list[Path]:
        export = [self.export] if self.export else []
        return [*(path for path, _ in self.documents), *self.runtime, *self.tables, *export]

    @cached_property
    def bytes(self) -> int:
        return sum(path.stat().st_size for path in self.files)

    @cached_property
    def modified(self) -> float:
        """Unix seconds of the newest file."""
        return max((path.stat().st_mtime for path in self.files), default=0.0)

    @property
    def pid(self) -> int | None:
        found = self._process
        return int(found["pid"]) if found else None

    @property
    def instance(self) -> str:
        found = self._process
        return found["instance"] if found else ""

    @cached_property
    def _process(self) -> re.Match[str] | None:
        places = (self.folder, *self.folder.parents)
        return next((found for place in places if (found := PROCESS_FOLDER.match(place.name))), None)

    @cached_property
    def rank(self) -> int | None:
        """From the framework trace's name or its ``distributedInfo``; no path holds it otherwise."""
        if self.framework is None:
            return None
        named = FRAMEWORK_NAMES[1].match(self.framework.name)
        return int(named["rank"]) if named else _rank_in(self.framework)

    @cached_property
    def cores(self) -> list[int]:
        """Logical cores that have a device trace."""
        named = (re.search(r"(?:_nc_|_vnc_)(\d+)", path.name) for path in self.runtime)
        return sorted({int(found[1]) for found in named if found})

    def record(self, asked: Path) -> dict[str, Any]:
        """The ``capture.json`` beside or above the session, not above the folder that was asked for."""
        for place in (self.folder, *self.folder.parents[:3]):
            path = place / CAPTURE_FILE
            if path.is_file():
                try:
                    value = json.loads(path.read_text(encoding="utf-8"))
                except (OSError, ValueError, RecursionError):
                    return {}
                return value if isinstance(value, dict) else {}
            if place == asked:
                break
        return {}


def _name_rank(name: str) -> int:
    return next(
        (rank for rank, known in enumerate(FRAMEWORK_NAMES) if known.match(name)), len(FRAMEWORK_NAMES)
    )


def _rank_in(path: Path) -> int | None:
    """The rank in the head or the tail of a framework trace, wherever ``distributedInfo`` was written."""
    source = Source(path)
    texts = [source.head()]
    if not source.packed:
        with source.open() as file:
            file.seek(max(0, source.size - HEAD_BYTES))
            texts.append(file.read())
    for text in texts:
        place = text.find(b'"distributedInfo"')
        if place >= 0 and (found := _RANK.search(text, place)):
            return int(found[1])
    return None


def find(folder: Path) -> list[Session]:
    """Every session at or below ``folder``, in path order, hidden folders left out.

    Raises ReadError beyond `MAX_FILES` files.
    """
    found = []
    seen = 0
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if name[0] != "." and name not in SKIPPED_FOLDERS)
        seen += len(names)
        if seen > MAX_FILES:
            raise ReadError(f"{folder} holds more than {MAX_FILES:,} files; name the capture folder itself.")
        session = _session(Path(place), names)
        if session.files:
            found.append(session)
    return found


def _session(folder: Path, names: list[str]) -> Session:
    documents = []
    for name in sorted(names):
        path = folder / name
        if name.startswith(".") or name == CAPTURE_FILE or path.suffix not in DOCUMENT_SUFFIXES:
            continue
        found = recognise(path)
        if found is not None:
            documents.append((path, found))
    return Session(
        folder=folder,
        documents=tuple(documents),
        runtime=tuple(folder / name for name in sorted(names) if RUNTIME_NAME.match(name)),
        tables=tuple(explorer_parquet.table_files(folder, explorer_parquet.EVENTS)),
        export=folder / exported.EVENTS if exported.EVENTS in names else None,
    )


def table(sessions: list[Session]) -> pd.DataFrame:
    """The sessions side by side: rank, pid, cores, when written, bytes, folder, whether they can be read."""
    import pandas as pd

    return pd.DataFrame(
        {
            "rank": pd.array([session.rank for session in sessions], dtype="Int64"),
            "pid": pd.array([session.pid for session in sessions], dtype="Int64"),
            "cores": [",".join(map(str, session.cores)) for session in sessions],
            "written": [pd.Timestamp(session.modified, unit="s").floor("s") for session in sessions],
            "bytes": [session.bytes for session in sessions],
            "readable": [session.readable for session in sessions],
            "folder": [str(session.folder) for session in sessions],
        }
    )
