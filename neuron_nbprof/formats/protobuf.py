"""Protocol Buffers without a schema: the fields of one message as they stand on the wire.

The wire format is public (protobuf.dev, "Encoding"); what a field means is the caller's business. One call
walks one message and never descends, so no nesting of a file can exhaust the stack.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5

#: A field as (number, wire type, value): an int for numbers, the bytes for everything with a length.
Field = tuple[int, int, "int | bytes"]

#: Messages inside messages are looked at down to here, and at most so many of them.
MAX_DEPTH = 8
MAX_MESSAGES = 100_000
MIN_TEXT = 4


@dataclass(frozen=True)
class Message:
    """The fields that could be read, and the bytes they took: fewer than given when the rest does not fit."""

    fields: list[Field]
    size: int


def walk(data: bytes, limit: int = 1 << 62) -> Message:
    """The fields of the message that ``data`` begins with, at most ``limit`` of them.

    Ends at the first byte that is no field: an unknown wire type, a number 0, a length beyond the data.
    Groups (wire types 3 and 4), which nothing writes any more, end it as well.
    """
    fields: list[Field] = []
    at, size = 0, len(data)
    while at < size and len(fields) < limit:
        begin = at
        tag, at = varint(data, at)
        number, wire = tag >> 3, tag & 7
        value: int | bytes
        if tag < 8 or number >= 1 << 29:
            return Message(fields, begin)
        if wire == VARINT:
            value, at = varint(data, at)
        elif wire == BYTES:
            length, at = varint(data, at)
            if length < 0 or at + length > size:
                return Message(fields, begin)
            value = data[at : at + length]
            at += length
        elif wire in (FIXED64, FIXED32):
            width = 8 if wire == FIXED64 else 4
            if at + width > size:
                return Message(fields, begin)
            value = int.from_bytes(data[at : at + width], "little")
            at += width
        else:
            return Message(fields, begin)
        if value == -1:
            return Message(fields, begin)
        fields.append((number, wire, value))
    return Message(fields, at)


def varint(data: bytes, at: int) -> tuple[int, int]:
    """The number that begins at byte ``at`` and the place behind it; -1 for one that is cut or too long."""
    if at < len(data) and data[at] < 0x80:  # by far the most
        return data[at], at + 1
    value = shift = 0
    for byte in data[at : at + 10]:
        value |= (byte & 0x7F) << shift
        at += 1
        if byte < 0x80:
            return value & 0xFFFFFFFFFFFFFFFF, at
        shift += 7
    return -1, at


def message(data: bytes) -> list[Field] | None:
    """The fields of a message that takes up all of ``data``; None when it does not fit."""
    found = walk(data)
    return found.fields if found.size == len(data) else None


def texts(data: bytes) -> list[str]:
    """Printable texts in a message and in the messages inside it, each once, breadth first."""
    found: dict[str, None] = {}
    waiting = deque([(data, 0)])
    seen = 0
    while waiting and seen < MAX_MESSAGES:
        inner, depth = waiting.popleft()
        seen += 1
        for _, wire, value in walk(inner, MAX_MESSAGES).fields:
            if wire != BYTES or not isinstance(value, bytes):
                continue
            text = printable(value)
            if len(text) >= MIN_TEXT:
                found.setdefault(text)
            elif depth < MAX_DEPTH and value:
                waiting.append((value, depth + 1))
    return list(found)


def printable(value: bytes) -> str:
    """The bytes as text, empty when they are none."""
    try:
        text = value.decode()
    except UnicodeDecodeError:
        return ""
    return text if text.isprintable() else ""
