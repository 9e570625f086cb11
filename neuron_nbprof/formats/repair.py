"""Broken JSON of a Chrome trace: event by event, keep what can be read and say what was done to it.

Kineto has written names with bare quotes, Windows paths with bare backslashes, raw control characters and
bytes that are not UTF-8; files are cut, and other writers leave ``NaN`` or a comma at the end. A strict
parser loses the whole file to any one of them.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import msgspec

from ..trace.rows import Note
from .source import Bytes

#: Byte positions named in one note; the count covers the others.
POSITIONS_SHOWN = 3

_EVENTS = re.compile(rb'"traceEvents"\s*:\s*')
#: Where an event of Kineto begins, whatever stands in the strings of the one before.
_KINETO_EVENT = re.compile(rb'\{\s*"ph"\s*:\s*"[A-Za-z]{1,2}"\s*,')
_STRUCTURE = re.compile(rb'["\\{}\[\]]')
_STRING = re.compile(rb'"(?:[^"\\]++|\\.)*+"', re.DOTALL)
_CONTROL = re.compile(rb"[\x00-\x1f]")
_BAD_ESCAPE = re.compile(rb'\\(?!["\\/bfnrt]|u[0-9a-fA-F]{4})')
_NOT_A_NUMBER = re.compile(rb"(?<=[:,\[\s])[-+]?(?:NaN|nan|Infinity|inf)(?=\s*[,}\]])")
#: The text of a name up to the last place where the next key of an event follows.
_NAME = re.compile(rb'("name"\s*:\s*")(.*)("\s*,\s*"(?:pid|tid|ts|cat|ph|dur|args|id|s|bp)"\s*:)', re.DOTALL)
_ARGS = re.compile(rb',\s*"args"\s*:\s*\{.*\Z', re.DOTALL)
_BARE_QUOTE = re.compile(rb'(?<!\\)"')
_BASE = re.compile(rb'"baseTimeNanoseconds"\s*:\s*(\d+)')


@dataclass
class Recovered:
    """What was saved: the envelope's keys, each event's JSON text, and what happened on the way."""

    envelope: dict[str, Any] = field(default_factory=dict)
    events: list[bytes] = field(default_factory=list)
    positions: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))

    def notes(self) -> list[Note]:
        """One note per kind of repair, with the byte positions of its first cases."""
        found = []
        for text, positions in self.positions.items():
            shown = ", ".join(f"{position:,}" for position in positions[:POSITIONS_SHOWN])
            found.append(Note(f"{text} (near byte {shown}{' …' if len(positions) > POSITIONS_SHOWN else ''})",
                              len(positions)))  # fmt: skip
        return found


def recover(data: Bytes) -> Recovered | None:
    """The events of a damaged trace; None when there is no list of events to be seen in it."""
    found = _EVENTS.search(data)
    begin = found.end() if found else len(data) - len(data.lstrip())
    if data[begin : begin + 1] != b"[":
        return None
    out = Recovered(envelope=_envelope(data, begin) if found else {})
    end = begin + 1
    for start, end in _blocks(data, begin + 1):
        text = bytes(data[start:end])
        for place, piece in _pieces(text):
            event = _mend(piece, start + place, out)
            if event is not None:
                out.events.append(event)
            elif end == len(data):
                out.positions["the last event is cut off, the file ends early"].append(start + place)
            else:
                out.positions["events that could not be read, skipped"].append(start + place)
    tail = data[end:].strip()
    if not tail.startswith(b"]"):
        out.positions["the list of events is not closed, read to its end"].append(len(data))
    elif found:
        out.envelope = {**_object(b"{" + tail[1:].lstrip(b" ,\r\n\t")), **out.envelope}
    if not out.positions:
        out.positions["the document is damaged outside its events"].append(end)
    if found and "baseTimeNanoseconds" not in out.envelope and (base := _BASE.search(data)):
        out.envelope["baseTimeNanoseconds"] = int(base[1])
    return out


def _envelope(data: Bytes, begin: int) -> dict[str, Any]:
    """The keys before the events, read as an object of their own."""
    found = _EVENTS.search(data)
    head = bytes(data[: found.start()]) if found else b""
    return _object(head.rstrip(b" ,\r\n\t") + b"}")


def _object(text: bytes) -> dict[str, Any]:
    for attempt in (text, _clean_strings(text)):
        try:
            value = msgspec.json.decode(attempt)
        except msgspec.DecodeError:
            continue
        return value if isinstance(value, dict) else {}
    return {}


def _blocks(data: Bytes, begin: int) -> Iterator[tuple[int, int]]:
    """Start and end of each event's text, without the comma behind it."""
    starts = [match.start() for match in _KINETO_EVENT.finditer(data, begin)]
    if not starts:
        yield from _balanced(data, begin)
        return
    for start, limit in pairwise(starts):
        yield start, start + len(data[start:limit].rstrip(b" ,\r\n\t"))
    last = starts[-1]
    yield last, next((end for start, end in _balanced(data, last) if start == last), _last_brace(data, last))


def _last_brace(data: Bytes, start: int) -> int:
    """An end for the last event when its braces do not balance: the list's closing, else the file's end."""
    closing = re.compile(rb"\}\s*\]").search(data, start)
    return closing.start() + 1 if closing else len(data)


def _pieces(text: bytes) -> Iterator[tuple[int, bytes]]:
    """The objects of one block: one as a rule, more where a writer put something else between events."""
    if _is_json(text):
        yield 0, text
        return
    objects = list(_balanced(text, 0))
    if len(objects) > 1 and all(_is_json(text[start:end]) for start, end in objects):
        yield from ((start, text[start:end]) for start, end in objects)
    else:
        yield 0, text


def _balanced(data: Bytes, begin: int) -> Iterator[tuple[int, int]]:
    """Objects of one list by their braces, strings respected; an object that is cut ends with the file."""
    depth, start, in_string, skip = 0, -1, False, -1
    for match in _STRUCTURE.finditer(data, begin):
        at = match.start()
        sign = match[0]
        if at == skip:
            continue
        if sign == b"\\":
            skip = at + 1
        elif sign == b'"':
            in_string = not in_string
        elif in_string:
            continue
        elif sign in b"{[":
            start = at if depth == 0 else start
            depth += 1
        else:
            depth -= 1
            if depth < 0:
                return
            if depth == 0:
                yield start, at + 1
    if depth > 0:
        yield start, len(data)


def _mend(text: bytes, position: int, out: Recovered) -> bytes | None:
    """The event as JSON that a strict parser reads, mended as little as needed; None when nothing helps."""
    if _is_json(text):
        return text
    for kinds, mended in _attempts(text):
        if _is_json(mended):
            for kind in kinds:
                out.positions[kind].append(position)
            return mended
    return None


def _attempts(text: bytes) -> Iterator[tuple[list[str], bytes]]:
    """Repairs from the mildest to the hardest, each on top of those before that changed something."""
    done: list[str] = []
    for kind, repair in _REPAIRS:
        mended = repair(text)
        if mended != text:
            done = [*done, kind]
            text = mended
            yield done, text


def _is_json(text: bytes) -> bool:
    try:
        msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return False
    return True


def _decode_text(text: bytes) -> bytes:
    return text.decode(errors="replace").encode()


def _clean_strings(text: bytes) -> bytes:
    """Control characters and lone backslashes inside strings, escaped."""

    def clean(match: re.Match[bytes]) -> bytes:
        inner = _BAD_ESCAPE.sub(rb"\\\\", match[0])
        return _CONTROL.sub(lambda sign: b"\\u%04x" % sign[0][0], inner)

    return _STRING.sub(clean, text)


def _escape_name(text: bytes) -> bytes:
    """Bare quotes and backslashes in the name: all of it up to the next key of the event is its text."""

    def escape(match: re.Match[bytes]) -> bytes:
        inner = _BARE_QUOTE.sub(rb'\\"', _BAD_ESCAPE.sub(rb"\\\\", match[2]))
        return match[1] + _CONTROL.sub(lambda sign: b"\\u%04x" % sign[0][0], inner) + match[3]

    return _NAME.sub(escape, text, count=1)


def _drop_args(text: bytes) -> bytes:
    return _ARGS.sub(b"}", text)


_REPAIRS: list[tuple[str, Callable[[bytes], bytes]]] = [
    ("bytes that are not UTF-8, shown as \N{REPLACEMENT CHARACTER}", _decode_text),
    ("numbers that are not finite, read as missing", lambda text: _NOT_A_NUMBER.sub(b"null", text)),
    ("control characters or lone backslashes in a text, escaped", _clean_strings),
    ("quotes inside a name, escaped", _escape_name),
    ("arguments that could not be read, left out", _drop_args),
]
