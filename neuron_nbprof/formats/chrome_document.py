"""A Chrome trace document in batches: its envelope, and its events a few megabytes at a time.

Decoding a long list of events at once holds several times the file in memory. Batches end where one event
ends and the next begins; every byte of the document is still parsed strictly, so that damage anywhere shows
as a DecodeError and never as a missing event.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import msgspec

from .chrome_event import Event, decode_events
from .source import Bytes

#: A batch is at least this long; documents below twice this are decoded at once.
BATCH_BYTES = 8 << 20

_EVENTS = re.compile(rb'"traceEvents"\s*:\s*\[')
_LIST = re.compile(rb"\s*\[")
_BOUNDARY = re.compile(rb'\}\s*,\s*(?=\{\s*"ph"\s*:)')


class Document:
    """One document. After `batches` has ended, ``envelope`` holds every key but the events."""

    def __init__(self, text: Bytes) -> None:
        self.text = text
        self.envelope: dict[str, Any] = {}

    def batches(self) -> Iterator[tuple[list[Event], int]]:
        """Events, and how many bytes they took; raises DecodeError where the document is damaged."""
        begin = _EVENTS.search(self.text)
        if begin is None or len(self.text) < 2 * BATCH_BYTES:
            yield self._whole(), len(self.text)
            return
        self._keep(msgspec.json.decode(bytes(self.text[: begin.end()]) + b"]}", type=dict[str, msgspec.Raw]))
        text = self.text if isinstance(self.text, bytearray) else bytearray(self.text)
        position = begin.end()
        for end in self._boundaries(position):
            yield _decode_slice(text, position, end), end - position
            position = text.index(b"{", end)
        tail = b'{"traceEvents":[' + bytes(text[position:])
        raw = msgspec.json.decode(tail, type=dict[str, msgspec.Raw])
        events = decode_events(raw.pop("traceEvents"))
        self._keep(raw)
        yield events, len(tail)

    def _boundaries(self, position: int) -> Iterator[int]:
        """Ends of batches: the end of an event, one batch further each."""
        while position + 2 * BATCH_BYTES < len(self.text):
            found = _BOUNDARY.search(self.text, position + BATCH_BYTES)
            if found is None:
                return
            position = found.start() + 1
            yield position

    def _whole(self) -> list[Event]:
        if _LIST.match(self.text):
            return decode_events(self.text)
        raw = msgspec.json.decode(self.text, type=dict[str, msgspec.Raw])
        if "traceEvents" not in raw:
            raise msgspec.DecodeError("no traceEvents")
        events = decode_events(raw.pop("traceEvents"))
        self._keep(raw)
        return events

    def _keep(self, raw: dict[str, msgspec.Raw]) -> None:
        self.envelope |= {
            key: msgspec.json.decode(value) for key, value in raw.items() if key != "traceEvents"
        }


def _decode_slice(text: bytearray, start: int, end: int) -> list[Event]:
    """The events between two places, decoded where they stand, so that their arguments need no copy.

    The characters around them are brackets for the time of decoding; one comma may have to be both.
    """
    around = text[start - 1], text[end]
    text[start - 1], text[end] = b"[]"
    try:
        return decode_events(memoryview(text)[start - 1 : end + 1])
    finally:
        text[start - 1], text[end] = around
