"""The framework trace: Kineto's Chrome trace JSON (``trace.json``), plain or gzip, object or bare list.

Times in the file are microseconds with a fraction; they are read from their text, so that every ns stays
exact. The envelope is Kineto's; rows of the Neuron backend are those of category ``privateuse1_*``.
"""

from __future__ import annotations

from typing import Any

import msgspec

from ..errors import ReadError
from ..trace.rows import Note, Rows
from . import exported
from .chrome_document import Document
from .chrome_event import decode_arguments, decode_event
from .kineto_rows import KinetoRows, NeedsWhole
from .progress import bar
from .repair import recover
from .source import HEAD_BYTES, Bytes, Progress, Source

NAME = "Kineto trace (Chrome trace JSON)"
BOM = b"\xef\xbb\xbf"

#: One of these stands near the beginning of every trace that Kineto or a Chrome tool wrote.
_KEYS = (
    b'"traceEvents"',
    b'"schemaVersion"',
    b'"deviceProperties"',
    b'"ph"',
    b'"displayTimeUnit"',
    b'"neuron_nbprof"',
)


def recognises(head: bytes) -> bool:
    """Whether a document begins like a Chrome trace: a list of events, or an object with Kineto's keys."""
    text = head.removeprefix(BOM).lstrip()
    if text[:1] == b"[":
        return text[1:].lstrip()[:1] in (b"{", b"]", b"") and (b'"ph"' in text or len(text) < HEAD_BYTES // 2)
    return text[:1] == b"{" and any(key in text for key in _KEYS)


def read(source: Source, progress: Progress | None = None) -> Rows:
    """The rows of one framework trace, whatever state it is in.

    What was repaired or lost stands in the notes. Raises ReadError when nothing of a trace is left.
    """
    data, cut = source.read(progress)
    text = data[len(BOM) :] if data[: len(BOM)] == BOM else data
    del data
    try:
        rows = _strict(text, source.name)
    except (msgspec.DecodeError, RecursionError) as error:
        rows = _recovered(text, source.name, cut or str(error))
    if cut:
        rows.notes.insert(0, Note(f"{cut}; what came before it is shown"))
    return rows


def _strict(text: Bytes, name: str) -> Rows:
    """A document as it should be, batch by batch; raises DecodeError for any other."""
    document, found = Document(text), KinetoRows()
    with bar(name, len(text)) as done:
        try:
            for batch in document.batches():
                found.add(batch.events, batch.arguments)
                done(batch.size)
        except NeedsWhole:
            document, found = Document(text), KinetoRows()
            batches = list(document.batches())
            found.add(
                [event for batch in batches for event in batch.events],
                lambda: [text for batch in batches for text in batch.arguments()],
            )
    return _rows(found, document.envelope)


def _rows(found: KinetoRows, envelope: dict[str, Any]) -> Rows:
    """The rows; of a trace that we wrote ourselves with the tracks and links that stand in it."""
    ours = envelope.pop(exported.KEY, None)
    rows = found.rows(envelope)
    return rows if ours is None else exported.restore(rows, ours, found.tids() - 1)


def _recovered(text: Bytes, name: str, problem: str) -> Rows:
    """What can be saved of a damaged document."""
    recovered = recover(text)
    if recovered is None or (recovered.positions and not recovered.events):
        raise ReadError(_not_a_trace(text, name, problem))
    found = KinetoRows()
    found.add(
        [decode_event(event) for event in recovered.events],
        lambda: decode_arguments(b"[" + b",".join(recovered.events) + b"]"),
    )
    rows = _rows(found, recovered.envelope)
    rows.notes = recovered.notes() + rows.notes
    return rows


def _not_a_trace(text: Bytes, name: str, problem: str) -> str:
    """What was found instead of a trace."""
    try:
        value = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return f"{name} is cut or damaged before its first event ({problem}); copy or record it again."
    if isinstance(value, dict) and "traceEvents" in value:
        found = "null" if value["traceEvents"] is None else type(value["traceEvents"]).__name__
        return f"{name} holds no events: its traceEvents is {found}, not a list."
    keys = ", ".join(str(key) for key in list(value)[:6]) if isinstance(value, dict) else type(value).__name__
    return (
        f"{name} is JSON without a traceEvents list (it holds: {keys or 'nothing'}); "
        "open the capture folder or a Kineto trace."
    )
