"""The captures below a folder, known by their names: no file but ``capture.json`` is opened to list them."""

from __future__ import annotations

import json
import os
import re
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from ..formats.naming import PROCESS_FOLDER
from .root import Root

CAPTURE_FILE = "capture.json"
CAPTURE_FILE_BYTES = 1 << 20
#: Files that make the folder they stand in a capture.
OF_A_FOLDER = re.compile(r"^(trace\.json(\.gz)?|ntrace\.pb|SystemProfileEvents.*\.parquet)$")
#: Files that are captures themselves.
OF_ITS_OWN = re.compile(r"^.+(\.pt\.trace|_trace)\.json(\.gz)?$|^.+\.ntff$")
SKIPPED = frozenset({"node_modules", "__pycache__", "site-packages"})


@dataclass(frozen=True)
class Limits:
    """What listing may cost: levels below the root, entries looked at, captures told."""

    depth: int = 8
    entries: int = 100_000
    captures: int = 2_000


@dataclass
class Capture:
    """One entry of the list. ``kernel`` is None where nobody knows which kernel recorded it."""

    path: str
    name: str
    created: float
    bytes: int
    kernel: str | None = None
    running: bool = False
    notebook: str | None = None
    device: str = ""
    simulated: bool = False
    error: str | None = None
    recorded_with: str | None = None
    torch: str | None = None
    device_ns: int | None = None


@dataclass
class Listing:
    """Newest first; ``cut`` says that a limit was reached, so that there may be more."""

    captures: list[Capture] = field(default_factory=list)
    cut: bool = False

    def document(self) -> dict[str, Any]:
        return {"captures": [asdict(capture) for capture in self.captures], "cut": self.cut}


def find(root: Root, kernels: set[str], limits: Limits = Limits()) -> Listing:
    """Every capture below ``root``; ``kernels`` are the ids of those that run."""
    listing = Listing()
    entries = 0
    for place, folders, names in os.walk(root.folder):
        folder = Path(place)
        entries += len(folders) + len(names)
        if entries > limits.entries:
            listing.cut = True
            break
        capture = _capture_in(root, folder, names, kernels)
        listing.captures += [capture] if capture else _files_in(root, folder, names)
        depth = len(folder.relative_to(root.folder).parts)
        inside = [] if capture else [name for name in folders if not _skipped(name)]
        if depth >= limits.depth:
            listing.cut |= bool(inside)
            inside = []
        folders[:] = sorted(inside)
    listing.captures.sort(key=lambda capture: (-capture.created, capture.path))
    listing.cut |= len(listing.captures) > limits.captures
    del listing.captures[limits.captures :]
    return listing


def _skipped(name: str) -> bool:
    return name.startswith(".") or name in SKIPPED


def _capture_in(root: Root, folder: Path, names: list[str], kernels: set[str]) -> Capture | None:
    """The capture that a folder is, if it is one."""
    if folder == root.folder:
        return None
    record = _record(folder / CAPTURE_FILE) if CAPTURE_FILE in names else None
    if record is None and not any(OF_A_FOLDER.match(name) for name in names):
        return None
    facts = _Facts(record or {})
    kernel = facts.text("kernel_id")
    files = _files_below(folder)
    return Capture(
        path=root.name(folder),
        name=facts.text("name") or _name(folder),
        created=max((file.st_mtime for file in files), default=0.0),
        bytes=sum(file.st_size for file in files),
        kernel=kernel,
        running=kernel in kernels,
        notebook=facts.text("notebook"),
        device=facts.text("device_name") or "",
        simulated=facts.record.get("simulated") is True,
        error=facts.text("error"),
        recorded_with=facts.text("neuron_nbprof"),
        torch=facts.text("torch"),
    )


@dataclass(frozen=True)
class _Facts:
    """What a ``capture.json`` says, which anybody may have written."""

    record: dict[str, Any]

    def text(self, key: str) -> str | None:
        value = self.record.get(key)
        return value[:2000] if isinstance(value, str) and value else None


def _record(path: Path) -> dict[str, Any] | None:
    try:
        if path.is_symlink() or path.stat().st_size > CAPTURE_FILE_BYTES:
            return None
        record = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return None
    return record if isinstance(record, dict) else None


def _name(folder: Path) -> str:
    """A session folder is named by the folder that was given to the profiler."""
    process = folder.parent
    return process.parent.name if PROCESS_FOLDER.match(process.name) else folder.name


def _files_below(folder: Path) -> list[os.stat_result]:
    found = []
    for place, _, names in os.walk(folder):
        for name in names:
            try:
                found.append(os.lstat(os.path.join(place, name)))
            except OSError:  # gone since it was listed
                continue
    return found


def _files_in(root: Root, folder: Path, names: list[str]) -> list[Capture]:
    """The files of a folder that are captures themselves."""
    found = []
    for name in names:
        path = folder / name
        if name.startswith(".") or not OF_ITS_OWN.match(name):
            continue
        try:
            resolved = path.resolve(strict=True)
            if not root.holds(resolved) or not resolved.is_file():
                continue
            stat = resolved.stat()
        except (OSError, RuntimeError):
            continue
        found.append(Capture(path=root.name(path), name=name, created=stat.st_mtime, bytes=stat.st_size))
    return found
