"""JSON documents of the tools: with log lines around them, with ``NaN`` in them, or cut off.

A whole document takes the strict and fast way. What a strict parser refuses is walked by its brackets, so
that every complete entry of a list is kept. Nothing recurses here, however deep a file nests.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any, TypeVar

import msgspec

from ..errors import ReadError
from ..trace.rows import Note
from .source import Bytes, Progress, Source

T = TypeVar("T")

BOM = b"\xef\xbb\xbf"

#: Where a document begins: at the start of a line. Log lines such as ``[INFO] …`` do not look like it.
_BEGIN = re.compile(rb'(?:\A|[\r\n])[ \t]*(?=\{\s*["}]|\[\s*[{\]])')
#: So many closing braces before the end of a cut document are tried as the end of its last whole entry.
LAST_ENTRIES = 16
REPAIRED = "text that is not UTF-8 or numbers that are not finite, read as far as possible"
_TRAILING = re.compile(r"trailing characters \(byte (\d+)\)")
#: A string (also one that is cut), or a sign that shapes the document.
_TOKEN = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"?|[{}\[\],]', re.DOTALL)
_COLON = re.compile(rb"\s*:\s*")
_NOT_FINITE = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"?|-?\b(?:NaN|nan|Infinity|inf|Inf)\b', re.DOTALL)


def members(source: Source, progress: Progress | None = None) -> tuple[dict[str, Any], list[Note]]:
    """The JSON text of each member of the document's object; that of a list stands under ``""``.

    Raises ReadError when no document begins in the file.
    """
    data, cut = source.read(progress)
    notes = [Note(f"{cut}; what came before it is shown")] if cut else []
    text = data[len(BOM) :] if data[: len(BOM)] == BOM else data
    begin = _BEGIN.search(text)
    if begin is None:
        raise ReadError(f"{source.name} is not JSON: no object and no list of objects begins in it.")
    if text[: begin.end()].strip():
        notes.append(Note("log lines before the JSON, skipped", text[: begin.end()].count(b"\n") or 1))
    if begin.end():
        text = text[begin.end() :]
    try:
        return _strict(text), notes
    except (msgspec.DecodeError, RecursionError) as error:
        problem = str(error)
    for repaired, note in _repairs(text, problem):
        try:
            return _strict(repaired), [*notes, note]
        except (msgspec.DecodeError, RecursionError):
            continue  # another flaw comes first; the walk by brackets keeps what can be kept
    return _walked(text), [*notes, Note("damaged JSON, its complete entries are kept")]


def _repairs(text: Bytes, problem: str) -> Iterator[tuple[Bytes, Note]]:
    """Whole documents in which the strict parser's problem is mended."""
    if trailing := _TRAILING.search(problem):
        end = int(trailing[1]) - 1  # the parser names the byte behind the first one that is too much
        yield text[:end], Note("log lines after the JSON, skipped", text.count(b"\n", end) or 1)
    elif "invalid character" in problem:
        yield mended(bytes(text)), Note(REPAIRED)
    elif "truncated" in problem:
        closing = b"]" if text[:1] == b"[" else b"]}"
        end = len(text)
        for _ in range(LAST_ENTRIES):
            end = text.rfind(b"}", 0, end)
            if end < 0:
                return
            note = Note(f"the document ends early, what came before byte {end + 1:,} is shown")
            yield text[: end + 1] + closing, note


def _strict(text: Bytes) -> dict[str, Any]:
    if text[:1] == b"[":
        msgspec.json.decode(text, type=list[msgspec.Raw])
        return {"": text}
    return msgspec.json.decode(text, type=dict[str, msgspec.Raw])


def _walked(text: Bytes) -> dict[str, Any]:
    """Members by brackets alone; one that is cut reaches to the end of the text."""
    if text[:1] == b"[":
        return {"": text}
    found: dict[str, Any] = {}
    depth, key, begin = 0, "", -1
    for token in _TOKEN.finditer(text):
        sign = token[0]
        if sign in b"{[":
            depth += 1
        elif sign in b"}]":
            depth -= 1
        elif depth == 1 and sign != b"," and begin < 0 and (colon := _COLON.match(text, token.end())):
            key, begin = sign.strip(b'"').decode(errors="replace"), colon.end()
        if begin >= 0 and (depth == 0 or (depth == 1 and sign == b",")):
            found[key] = bytes(text[begin : token.start()]).strip()
            begin = -1
        if depth <= 0:
            break
    if begin >= 0:
        found[key] = bytes(text[begin:])
    return found


def keys(head: bytes) -> list[str]:
    """Keys of the object, or of the list's first object, that begins in the first bytes of a file."""
    begin = _BEGIN.search(head.removeprefix(BOM))
    if begin is None:
        return []
    text = head.removeprefix(BOM)[begin.end() :]
    return list(_walked(text[1:].lstrip() if text[:1] == b"[" else text))


def _attempts(text: Any) -> Iterator[Any]:
    yield text
    yield mended(bytes(text))


def value(text: Any) -> Any:
    """One value; None for one that cannot be read."""
    for attempt in _attempts(text):
        try:
            return msgspec.json.decode(attempt)
        except (msgspec.DecodeError, RecursionError):
            continue
    return None


def objects(text: Any, kind: type[T]) -> tuple[list[Any], list[T], list[Note]]:
    """The entries of a list, or of an object of entries: their JSON text, what they hold, what was skipped.

    ``kind`` is what an entry is decoded to; an entry that is something else is skipped and counted.
    """
    problems: Counter[str] = Counter()
    texts = _entries(text, problems)
    try:
        if not any(problems.values()):
            return texts, _decode_all(texts, kind), []
    except (msgspec.DecodeError, RecursionError):
        pass
    kept, values = [], []
    for entry in texts:
        for attempt in _attempts(entry):
            try:
                values.append(msgspec.json.decode(attempt, type=kind))
            except (msgspec.DecodeError, RecursionError):
                continue
            kept.append(attempt)
            problems[REPAIRED] += attempt is not entry
            break
        else:
            problems["entries that could not be read, skipped"] += 1
    return kept, values, [Note(text, count) for text, count in problems.items() if count]


def _decode_all(texts: list[Any], kind: type[T]) -> list[T]:
    return msgspec.json.decode(b"[" + b",".join(texts) + b"]", type=list[kind])  # type: ignore[valid-type]


def _entries(text: Any, problems: Counter[str]) -> list[Any]:
    """The text of each entry; writers put a list where another puts an object of entries."""
    for place, attempt in enumerate(_attempts(text)):
        try:
            if starts_list(text):
                found = msgspec.json.decode(attempt, type=list[msgspec.Raw])
            else:
                entries = msgspec.json.decode(attempt, type=dict[str, msgspec.Raw]).values()
                found = [one for entry in entries for one in _flat(entry, problems)]
        except (msgspec.DecodeError, RecursionError):
            continue
        problems[REPAIRED] += place
        return found
    problems["the list is damaged or ends early, complete entries kept"] += 1
    return list(_complete(bytes(text)))


def _flat(entry: Any, problems: Counter[str]) -> list[Any]:
    return _entries(entry, problems) if starts_list(entry) else [entry]


def starts_list(text: Any) -> bool:
    return bytes(memoryview(text)[:1]) == b"["


def _complete(text: bytes) -> Iterator[bytes]:
    """The complete objects directly inside a list (or the text itself, when it is an object)."""
    outer = 1 if text[:1] == b"[" else 0
    depth, begin = 0, 0
    for token in _TOKEN.finditer(text):
        sign = token[0]
        if sign in b"{[":
            begin = token.start() if depth == outer else begin
            depth += 1
        elif sign in b"}]":
            depth -= 1
            if depth == outer and sign == b"}":
                yield text[begin : token.end()]
            if depth < outer:
                return


def mended(text: bytes) -> bytes:
    """Bytes that are not UTF-8 replaced, numbers that JSON does not know read as missing."""
    text = text.decode(errors="replace").encode()
    return _NOT_FINITE.sub(lambda found: found[0] if found[0][:1] == b'"' else b"null", text)


def whole(value: Any) -> int | None:
    """An integer, also one written as text or as a float without a fraction; None for anything else."""
    if type(value) is int:
        return value
    if isinstance(value, str):
        text = value.strip()
        return int(text) if len(text) < 32 and text.removeprefix("-").isdecimal() else None
    return int(value) if isinstance(value, float) and value.is_integer() else None
