"""NEFF: a compiled program. Its header and the list of its members; nothing is ever extracted.

A header of 1,024 little-endian bytes without a magic number, then a tar that may be gzipped. The layout is
reverse engineered and agrees with the columns of the ``NeffHeader`` table that neuron-explorer writes; a bare
tar without the header is accepted too.
"""

from __future__ import annotations

import gzip
import hashlib
import os
import re
import struct
import tarfile
import uuid
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from ..errors import ReadError
from ..trace.rows import Rows
from .source import GZIP_MAGIC, LIMITS, Progress, Source

NAME = "compiled program (NEFF)"
HEADER_BYTES = 1024
MAX_MEMBERS = 10_000
MAX_NAME_BYTES = 1 << 16

#: Version, header size, data size, major, minor, build, gzip flag, hash, uuid, name, cores, cores per node,
#: feature bits, vnc size.
_HEADER = struct.Struct("<QQQQQ128sI32s16s256sI64sQI")
#: The feature bits stand at 0x220 and the vnc size at 0x228, right behind the 64 counts.
assert _HEADER.size == 0x22C

_USTAR = slice(257, 262)


@dataclass(frozen=True)
class NeffHeader:
    """The header, field by field, named as in the table of neuron-explorer. Sizes in bytes."""

    package_version: int
    header_size: int
    data_size: int
    major_version: int
    minor_version: int
    build_version: str
    is_gzip: bool
    hash: bytes
    uuid: str
    network_name: str
    neuroncore_count: int
    enabled_features: int
    pcore_count_per_lnc: int


@dataclass(frozen=True)
class Member:
    """One member of the tar: its name as written, never a path to write to; ``size`` in bytes."""

    name: str
    size: int
    kind: str


@dataclass(frozen=True)
class NeffFile:
    """What a NEFF is. ``form`` is in words; ``notes`` tell what was refused or did not fit."""

    path: Path
    size: int
    form: str
    header: NeffHeader | None = None
    members: list[Member] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def recognises(head: bytes) -> bool:
    """Whether the first (unpacked) bytes are the header, or a bare tar."""
    return _has_header(head) or head[_USTAR] == b"ustar"


def read(source: Source, progress: Progress | None = None) -> Rows:
    """Raises ReadError always: a program is no timeline."""
    raise ReadError(
        f"{source.name} is a NEFF, a compiled program, and holds no events; "
        "neuron_nbprof.formats.neff.describe(path) lists what is in it; open the capture folder instead."
    )


def describe(path: str | os.PathLike[str]) -> NeffFile:
    """Header and members of a NEFF. Raises ReadError when the file cannot be opened at all."""
    place = Path(path)
    try:
        with place.open("rb") as file:
            return _describe(place, os.fstat(file.fileno()).st_size, file)
    except OSError as error:
        raise ReadError(f"{place} cannot be read: {error.strerror or error}.") from None


def sha256(path: str | os.PathLike[str]) -> str:
    """SHA-256 of the file. The runtime copies a NEFF unchanged, so it finds the compiler cache's copy."""
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _describe(path: Path, size: int, file: BinaryIO) -> NeffFile:
    if size == 0:
        return NeffFile(path, 0, "empty")
    head = file.read(HEADER_BYTES)
    header = _header(head) if _has_header(head) else None
    begin = HEADER_BYTES if header else 0
    notes = []
    if header and header.data_size != size - HEADER_BYTES:
        notes.append(f"the header announces {header.data_size:,} bytes, {size - HEADER_BYTES:,} follow it")
    file.seek(begin)
    start = file.read(512)
    packed = start[:2] == GZIP_MAGIC
    if not packed and start[_USTAR] != b"ustar":
        form = "header without a tar behind it" if header else "opaque: neither a NEFF header nor a tar"
        return NeffFile(path, size, form, header, [], notes)
    file.seek(begin)
    members = _members(file, packed, notes)
    form = ("header and " if header else "bare ") + ("gzipped tar" if packed else "tar")
    return NeffFile(path, size, form, header, members, notes)


def _has_header(head: bytes) -> bool:
    return len(head) >= _HEADER.size and int.from_bytes(head[8:16], "little") == HEADER_BYTES


def _header(head: bytes) -> NeffHeader:
    package, size, data, major, minor, build, packed, digest, unique, name, cores, _, features, vnc = (
        _HEADER.unpack_from(head)
    )
    return NeffHeader(
        package, size, data, major, minor, _text(build), bool(packed), digest, str(uuid.UUID(bytes=unique)),
        _text(name), cores, features, vnc,
    )  # fmt: skip


def _text(value: bytes) -> str:
    return value.partition(b"\0")[0].decode(errors="replace")


def _members(file: BinaryIO, packed: bool, notes: list[str]) -> list[Member]:
    """The tar's table of contents, as far as it can be read; links and paths that lead out are refused."""
    members: list[Member] = []
    refused = 0
    try:
        for name, info in _entries(gzip.GzipFile(fileobj=file) if packed else file):
            if len(members) + refused >= MAX_MEMBERS:
                notes.append(f"more than {MAX_MEMBERS:,} members, the rest is not listed")
                break
            if info.islnk() or info.issym() or leads_out(name):
                refused += 1
            else:
                members.append(Member(name, info.size, "folder" if info.isdir() else "file"))
    except (tarfile.TarError, EOFError, OSError, zlib.error, ValueError, OverflowError) as error:
        notes.append(f"the list of members ends early ({error})")
    if refused:
        notes.append(f"{refused} links or paths out of the archive, refused")
    return members


def _entries(stream: BinaryIO | gzip.GzipFile) -> Iterator[tuple[str, tarfile.TarInfo]]:
    """Name and header of each member. Their contents are skipped, so that none can fill the memory.

    The library's own reader holds a long name in memory however long it says it is, and recurses over them.
    """
    begin = stream.tell()
    long_name = ""
    while block := stream.read(tarfile.BLOCKSIZE):
        if not block.strip(b"\0"):
            return
        info = tarfile.TarInfo.frombuf(block, "utf-8", "replace")
        padded = -(-info.size // tarfile.BLOCKSIZE) * tarfile.BLOCKSIZE
        if info.size < 0 or stream.tell() - begin + padded > LIMITS.unpacked_bytes:
            raise tarfile.ReadError(f"a member beyond the limit of {LIMITS.unpacked_bytes:,} bytes")
        after = stream.tell() + padded
        if info.type in (tarfile.GNUTYPE_LONGNAME, tarfile.XHDTYPE):
            long_name = _long_name(info.type, stream.read(min(info.size, MAX_NAME_BYTES)))
        elif info.type not in (tarfile.GNUTYPE_LONGLINK, tarfile.XGLTYPE):
            yield long_name or info.name, info
            long_name = ""
        stream.seek(after)


def _long_name(kind: bytes, text: bytes) -> str:
    """A name too long for its header: in a record of its own (GNU), or as ``path`` of a list (POSIX)."""
    if kind == tarfile.XHDTYPE:
        found = re.search(rb"^\d+ path=([^\n]*)", text, re.MULTILINE)
        text = found[1] if found else b""
    return _text(text)


def leads_out(name: str) -> bool:
    """Whether a member's name is absolute or climbs out of the folder it would be unpacked to."""
    path = PurePosixPath(name.replace("\\", "/"))
    return path.is_absolute() or ".." in path.parts or name[1:2] == ":"
