"""Where bytes come from: a file or an open binary file, plain or gzip, read once and never beyond a limit."""

from __future__ import annotations

import io
import os
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from ..errors import ReadError

GZIP_MAGIC = b"\x1f\x8b"
#: What a format is recognised by; some writers put 20 kB of their own before the first known key.
HEAD_BYTES = 1 << 16
CHUNK_BYTES = 1 << 20

#: What a reader gets to parse; nobody writes into it.
Bytes = bytes | bytearray

#: Called with the bytes read since the last call, of `Source.size`.
Progress = Callable[[int], None]


@dataclass
class Limits:
    """What reading may cost. ``unpacked_bytes`` bounds what a compressed file may unfold to."""

    unpacked_bytes: int = 8 << 30


LIMITS = Limits()


class Source:
    """One input. ``name`` is what messages call it; ``size`` its bytes as stored, 0 where nobody knows."""

    def __init__(self, file: str | os.PathLike[str] | BinaryIO) -> None:
        self.path: Path | None = None
        self._head: bytes | None = None
        if isinstance(file, (str, os.PathLike)):
            self.path = Path(file)
            self.name = str(self.path)
            self.size = self.path.stat().st_size
        else:
            self.stored = file.read()
            self.name = str(getattr(file, "name", "the open file"))
            self.size = len(self.stored)

    def open(self) -> BinaryIO:
        """The bytes as stored, from their beginning."""
        return self.path.open("rb") if self.path else io.BytesIO(self.stored)

    @property
    def packed(self) -> bool:
        with self.open() as file:
            return file.read(2) == GZIP_MAGIC

    def head(self, count: int = HEAD_BYTES) -> bytes:
        """The first bytes, unpacked; what a damaged file still gives of them."""
        if self._head is None:
            with self.open() as file:
                raw = file.read(HEAD_BYTES)
            if raw[:2] == GZIP_MAGIC:
                try:
                    raw = zlib.decompressobj(wbits=31).decompress(raw, HEAD_BYTES)
                except zlib.error:
                    raw = b""
            self._head = raw[:HEAD_BYTES]
        return self._head[:count]

    def read(self, progress: Progress | None = None) -> tuple[Bytes, str]:
        """All bytes, unpacked, and why the data ends early (empty when it does not).

        Raises ReadError when it is empty, or unfolds beyond `LIMITS`.
        """
        if self.size == 0:
            raise ReadError(
                f"{self.name} is empty (0 bytes): the profiler did not finish writing it; record it again."
            )
        with self.open() as file:
            if not self.packed:
                return _read_plain(file, self.size, progress), ""
            return self._unpack(file, progress)

    def _unpack(self, file: BinaryIO, progress: Progress | None) -> tuple[Bytes, str]:
        """Unfold gzip; several members may follow one another, as ``cat a.gz b.gz`` writes them."""
        out = bytearray()
        unpacker = zlib.decompressobj(wbits=31)
        begun = False
        rest = b""
        while chunk := rest or file.read(CHUNK_BYTES):
            if progress and not rest:
                progress(len(chunk))
            begun = True
            try:
                out += unpacker.decompress(chunk, LIMITS.unpacked_bytes + 1 - len(out))
            except zlib.error as error:
                return out, f"gzip data that is damaged before byte {file.tell():,} ({error})"
            if len(out) > LIMITS.unpacked_bytes:
                raise ReadError(
                    f"{self.name} unfolds to more than {LIMITS.unpacked_bytes:,} bytes, which is the limit; "
                    "raise neuron_nbprof.formats.source.LIMITS.unpacked_bytes if you trust it."
                )
            rest = b""
            if unpacker.eof:
                rest = unpacker.unused_data.lstrip(b"\0")
                unpacker, begun = zlib.decompressobj(wbits=31), False
        return out, f"gzip data that ends early at byte {self.size:,}" if begun else ""


def _read_plain(file: BinaryIO, size: int, progress: Progress | None) -> Bytes:
    """As many bytes as were announced, into one piece of memory."""
    out = bytearray(size)
    view = memoryview(out)
    done = 0
    while done < size and (count := file.readinto(view[done : done + CHUNK_BYTES])):  # type: ignore[attr-defined]
        done += count
        if progress:
            progress(count)
    view.release()
    del out[done:]
    return out
