"""The explorer of one profile in a notebook."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING, Any

import traitlets
from ipywidgets import Widget, widget_serialization

from ..trace import Trace, chain
from .answers import SOON, answers
from .columns import Clock, encode
from .living import LivingView
from .stations import table

if TYPE_CHECKING:
    import pandas as pd

#: One message holds at most this much; proxies between the kernel and the browser limit its size.
CHUNK_BYTES = 8_000_000
#: Arguments of events that travel with them, in bytes; those of the others are fetched when asked for.
MOST_ARGS = 2_000_000


class Chunk(Widget):
    """A part of the columns of a profile."""

    data = traitlets.Bytes().tag(sync=True)


class Explorer(LivingView):
    """Four lanes of a profile; a click follows an event from its dispatch to the hardware.

    ``selected`` is the id of the selected event or None; it may be observed and set. ``arrangement`` is what
    the reader changed of the tracks: how they are grouped, hidden, ordered and resized.
    """

    meta = traitlets.Dict().tag(sync=True)
    chunks = traitlets.List(traitlets.Instance(Chunk)).tag(sync=True, **widget_serialization)
    selected = traitlets.Int(None, allow_none=True).tag(sync=True)
    arrangement = traitlets.Dict().tag(sync=True)
    asked = traitlets.Bool(False).tag(sync=True)
    answers = traitlets.Dict(default_value=None, allow_none=True).tag(sync=True)

    def __init__(self, profile: Any) -> None:
        encoded = encode(profile, answered=len(profile.trace) <= SOON, most_args=MOST_ARGS)
        packed = gzip.compress(encoded.block, 1)
        self._trace: Trace = profile.trace
        super().__init__(
            profile,
            meta=encoded.meta,
            chunks=[Chunk(data=packed[at : at + CHUNK_BYTES]) for at in range(0, len(packed), CHUNK_BYTES)],
        )
        self.on_msg(self._tell_args)

    def _tell_args(self, _: Any, question: Any, buffers: Any) -> None:
        """Tell the browser the arguments of the event that it asks for, as their text; null for none."""
        if not isinstance(question, dict) or question.get("type") != "args":
            return
        row = question.get("row")
        text = None
        if type(row) is int and 0 <= row < len(self._trace):
            text = self._trace.args_text(row).decode(errors="replace")
        self.send({"type": "args", "row": row, "text": text})

    def __repr__(self) -> str:
        label = "SIMULATED " if self._trace.simulated else ""
        events = f"{len(self._trace):,} events, selected {self.selected}"
        return f"<{label}Explorer {self._trace.title!r}: {events}>"

    def close(self) -> None:
        """Let go of what the browser holds; the library stays for other explorers."""
        for chunk in self.chunks:
            chunk.close()
        super().close()

    @traitlets.observe("asked")
    def _answer(self, change: Any) -> None:
        """The browser asks when a tab that needs them is first opened; all views are told."""
        if not self.answers:
            self.answers = answers(self._profiles[0], Clock.of(self._trace).base)

    @traitlets.validate("selected")
    def _known(self, proposal: Any) -> int | None:
        event = proposal["value"]
        if event is not None and not (self._trace.id == event).any():
            raise traitlets.TraitError(f"There is no event {event} in {self._trace.title!r}.")
        return event

    def select(self, event: str | int | None, n: int = 0) -> None:
        """Select an event by its id, or the ``n``-th event of a name in order of start; None clears.

        Raises ValueError when there is no such event.
        """
        if isinstance(event, str):
            rows = self._trace.rows_named(event)
            if not -len(rows) <= n < len(rows):
                raise ValueError(f"There are {len(rows)} events called {event!r}, no number {n}.")
            event = int(self._trace.id[rows[n]])
        elif event is not None and not (self._trace.id == event).any():
            raise ValueError(f"There is no event {event} in {self._trace.title!r}.")
        self.selected = event

    @property
    def chain(self) -> pd.DataFrame:
        """The chain of the selected event, one row per station; see `stations.table`. Empty without one."""
        if self.selected is None:
            return table(self._trace, [])
        return table(self._trace, chain(self._trace, self._trace.position(self.selected)).lines)
