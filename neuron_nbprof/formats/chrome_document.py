"""A Chrome trace document in batches: its envelope, and its events a few megabytes at a time.

Decoding a long list of events at once holds several times the file in memory. Batches end where one event
ends and the next begins; every byte of the document is still parsed strictly, so that damage anywhere shows
as a DecodeError and never as a missing event.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

import msgspec

from .chrome_event import Event, decode_arguments, decode_events
from .source import Bytes

#: A batch is at least this long; documents below twice this are decoded at once.
BATCH_BYTES = 4 << 20

T = TypeVar("T")

_EVENTS = re.compile(rb'"traceEvents"\s*:\s*\[')
_LIST = re.compile(rb"\s*\[")
_BOUNDARY = re.compile(rb'\}\s*,\s*(?=\{\s*"ph"\s*:)')


@dataclass(frozen=True)
class Batch:
    """Some events of the document: how many bytes they took, and how to get the text of their arguments."""

    events: list[Event]
    arguments: Callable[[], list[msgspec.Raw | None]]
    size: int


class Document:
    """One document. After `batches` has ended, ``envelope`` holds every key but the events."""

    def __init__(self, text: Bytes) -> None:
        self.text = text
        self.envelope: dict[str, Any] = {}

    def batches(self) -> Iterator[Batch]:
        """The events in their order; raises DecodeError where the document is damaged."""
        begin = _EVENTS.search(self.text)
        if begin is None or len(self.text) < 2 * BATCH_BYTES:
            yield _batch(self._list(self.text))
            return
        self._keep(msgspec.json.decode(bytes(self.text[: begin.end()]) + b"]}", type=dict[str, msgspec.Raw]))
        text = self.text if isinstance(self.text, bytearray) else bytearray(self.text)
        position = begin.end()
        for end in self._boundaries(position):
            yield Batch(
                _in_brackets(text, position, end, decode_events),
                partial(_in_brackets, text, position, end, decode_arguments),
                end - position,
            )
            position = text.index(b"{", end)
        yield _batch(self._list(b"".join([b'{"traceEvents":[', memoryview(text)[position:]])))

    def _boundaries(self, position: int) -> Iterator[int]:
        """Ends of batches: the end of an event, one batch further each."""
        while position + 2 * BATCH_BYTES < len(self.text):
            found = _BOUNDARY.search(self.text, position + BATCH_BYTES)
            if found is None:
                return
            position = found.start() + 1
            yield position

    def _list(self, text: Bytes) -> Bytes | msgspec.Raw:
        """The list of events of a whole document; the other keys go to the envelope."""
        if _LIST.match(text):
            return text
        raw = msgspec.json.decode(text, type=dict[str, msgspec.Raw])
        if "traceEvents" not in raw:
            raise msgspec.DecodeError("no traceEvents")
        events = raw.pop("traceEvents")
        self._keep(raw)
        return events

    def _keep(self, raw: dict[str, msgspec.Raw]) -> None:
        self.envelope |= {
            key: msgspec.json.decode(value) for key, value in raw.items() if key != "traceEvents"
        }


def _batch(text: Bytes | msgspec.Raw) -> Batch:
    return Batch(decode_events(text), partial(decode_arguments, text), len(memoryview(text)))


def _in_brackets(text: bytearray, start: int, end: int, decode: Callable[[memoryview], T]) -> T:
    """What ``decode`` makes of the events between two places as a list, where they stand, without a copy.

    The characters around them are brackets for that time; one comma may have to be both.
    """
    around = text[start - 1], text[end]
    text[start - 1], text[end] = b"[]"
    try:
        return decode(memoryview(text)[start - 1 : end + 1])
    finally:
        text[start - 1], text[end] = around
