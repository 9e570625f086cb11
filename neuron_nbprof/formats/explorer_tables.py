"""Every parquet table of a Neuron Explorer profile, as Arrow tables by name.

Documented for schema 7.4.0; later schemas are read the same way, by names. Tables and columns that nobody
documented are kept, missing ones are simply not there: a table is written only when it has rows.
"""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import ReadError
from ..trace.lanes import natural_key
from .source import LIMITS

#: A ``pyarrow.Table``; the library has no types, and is imported when a table is asked for.
ArrowTable = Any

#: Large tables are split: ``Instruction_0.parquet``, ``Instruction_1.parquet``, … No table that is
#: known ends in a number, and ``DmaPacketAggregated`` is a name of its own, not a part of ``DmaPacket``.
TABLE_FILE = re.compile(r"^(?P<table>\w+?)(?:_\d+)?\.parquet$")
LATEST = "@latest"
SYSTEM_TABLES = frozenset({"SystemProfileEvents", "SystemProfileMetadata", "DeviceProfileList"})
DEVICE_TABLES = frozenset({"Metadata", "Summary", "Instruction", "ActiveTime", "NeffHeader", "ExecutionInfo"})
MAX_FOLDERS = 100_000


@dataclass(frozen=True)
class ExplorerFolder:
    """One profile: ``name`` as the tool shows it; ``kind`` is system, device or unknown."""

    folder: Path
    name: str
    kind: str


class Tables(Mapping[str, ArrowTable]):
    """The tables of one folder by name; a file is opened when its table is asked for, and read once.

    Asking for one raises KeyError when it is not there, ReadError when its file is damaged.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.parts = parts(folder)
        self._read: dict[str, ArrowTable] = {}

    def __getitem__(self, name: str) -> ArrowTable:
        if name not in self._read:
            self._read[name] = _joined(self.parts[name])
        return self._read[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.parts)

    def __len__(self) -> int:
        return len(self.parts)

    def __repr__(self) -> str:
        return f"<Tables of {self.folder}: {', '.join(self) or 'none'}>"


def tables(folder: str | os.PathLike[str]) -> Tables:
    """The tables directly in ``folder``."""
    return Tables(Path(folder))


def parts(folder: Path) -> dict[str, list[Path]]:
    """The files of every table directly in ``folder``, numbered parts in their order."""
    found: dict[str, list[Path]] = defaultdict(list)
    for path in folder.glob("*.parquet") if folder.is_dir() else ():
        if match := TABLE_FILE.match(path.name):
            found[match["table"]].append(path)
    return {name: sorted(found[name], key=lambda path: natural_key(path.name)) for name in sorted(found)}


def schema_version(folder: str | os.PathLike[str]) -> str:
    """The schema of a device profile, such as ``7.4.0``; empty when the folder does not say.

    Only ``Metadata`` tells it, which system profiles do not have.
    """
    metadata: ArrowTable = tables(folder).get("Metadata")
    if metadata is None or "profile_schema_version" not in metadata.column_names or not metadata.num_rows:
        return ""
    return str(metadata["profile_schema_version"][0].as_py() or "")


def find_folders(root: str | os.PathLike[str]) -> list[ExplorerFolder]:
    """Every folder below ``root``, itself included, that directly holds tables, system profiles first.

    The tool writes ``profiles/global/<name>@latest/``, device profiles beside the system profile, or any
    folder that ``--output-file`` named.
    """
    found = []
    for count, (place, folders, names) in enumerate(os.walk(root)):
        folders.sort()
        if count >= MAX_FOLDERS:
            raise ReadError(
                f"{root} holds more than {MAX_FOLDERS:,} folders; name the profile's folder itself."
            )
        held = {match["table"] for name in names if (match := TABLE_FILE.match(name))}
        if held:
            folder = Path(place)
            found.append(ExplorerFolder(folder, folder.name.removesuffix(LATEST), _kind(held)))
    return sorted(found, key=lambda one: (one.kind != "system", natural_key(str(one.folder))))


def _kind(held: set[str]) -> str:
    if held & SYSTEM_TABLES:
        return "system"
    return "device" if held & DEVICE_TABLES else "unknown"


def _joined(paths: list[Path]) -> ArrowTable:
    """The parts one below the other; a column that only some have is null in the others."""
    import pyarrow as pa

    read = [_table(path) for path in paths]
    try:
        return read[0] if len(read) == 1 else pa.concat_tables(read, promote_options="permissive")
    except pa.ArrowException as error:
        raise ReadError(
            f"{paths[0]} and its other parts do not fit together ({_first_line(error)})."
        ) from None


def _table(path: Path) -> ArrowTable:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(path) as file:
            unpacked = sum(
                file.metadata.row_group(group).total_byte_size for group in range(file.num_row_groups)
            )
            if unpacked > LIMITS.unpacked_bytes:
                raise ReadError(
                    f"{path} unfolds to {unpacked:,} bytes, over the limit of {LIMITS.unpacked_bytes:,}; "
                    "raise neuron_nbprof.formats.source.LIMITS.unpacked_bytes if you trust it."
                )
            return file.read()
    except (pa.ArrowException, OSError, ValueError, MemoryError) as error:  # names that are not UTF-8, too
        raise ReadError(
            f"{path} is not a readable parquet file, it is empty, cut or damaged ({_first_line(error)})."
        ) from None


def _first_line(error: BaseException) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]
