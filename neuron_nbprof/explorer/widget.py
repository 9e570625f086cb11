"""The explorer in a notebook. Everything is drawn in the browser; only the selection comes back, and of a big
trace the question for its answers.

Beside the widget stands a picture, which the living widget hides: it is what a reader sees who opens the
saved notebook without a kernel, on a code host, or where no widget can be drawn.
"""

from __future__ import annotations

import gzip
import html
import secrets
from base64 import b64encode
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import anywidget
import bokeh
import traitlets
from ipywidgets import Widget, widget_serialization

from ..trace import Lane, Trace, chain
from . import page, picture, session
from .answers import SOON, answers
from .columns import Clock, encode
from .embedded import Embedded
from .figure import bokeh_js, timeline_item
from .frontend import module
from .stations import table

if TYPE_CHECKING:
    import pandas as pd

#: One message holds at most this much; proxies between the kernel and the browser limit its size.
CHUNK_BYTES = 8_000_000


#: Arguments of events that travel with them, in bytes; those of the others are fetched when asked for.
MOST_ARGS = 2_000_000


class Blob(Widget):
    """Bytes in the browser, shared by the widgets that refer to it."""

    data = traitlets.Bytes().tag(sync=True)


_bokeh: Blob | None = None


def _shared_bokeh() -> Blob:
    """BokehJS, which travels once per kernel, however many explorers there are."""
    global _bokeh
    if _bokeh is None or _bokeh.comm is None:
        _bokeh = Blob(data=gzip.compress(bokeh_js(), 6))
    return _bokeh


PICTURE = """<figure data-nbp-picture="{id}" style="margin: 0">{shown}
<figcaption>{label}. The explorer itself needs a running kernel: run the cell, or keep it in the notebook with
<code>explorer.embed()</code>.</figcaption></figure>"""
#: Operators in the table that stands for the picture.
MOST_OPERATORS = 12


class Explorer(anywidget.AnyWidget):
    """Four lanes of a profile; a click follows an event from its dispatch to the hardware.

    ``selected`` is the id of the selected event or None; it may be observed and set. ``arrangement`` is what
    the reader changed of the tracks: how they are grouped, hidden, ordered and resized.
    """

    _esm = module("widget.js")
    meta = traitlets.Dict().tag(sync=True)
    figure = traitlets.Dict().tag(sync=True)
    library = traitlets.Instance(Blob).tag(sync=True, **widget_serialization)
    library_version = traitlets.Unicode(bokeh.__version__).tag(sync=True)
    chunks = traitlets.List(traitlets.Instance(Blob)).tag(sync=True, **widget_serialization)
    selected = traitlets.Int(None, allow_none=True).tag(sync=True)
    views = traitlets.Int(0).tag(sync=True)
    view = traitlets.Dict().tag(sync=True)
    arrangement = traitlets.Dict().tag(sync=True)
    picture = traitlets.Unicode().tag(sync=True)
    asked = traitlets.Bool(False).tag(sync=True)
    answers = traitlets.Dict(default_value=None, allow_none=True).tag(sync=True)

    def __init__(self, profile: Any) -> None:
        encoded = encode(profile, answered=len(profile.trace) <= SOON, most_args=MOST_ARGS)
        packed = gzip.compress(encoded.block, 1)
        self._profile = profile
        self._trace: Trace = profile.trace
        super().__init__(
            meta=encoded.meta,
            figure=timeline_item(),
            library=_shared_bokeh(),
            picture=secrets.token_hex(8),
            chunks=[Blob(data=packed[at : at + CHUNK_BYTES]) for at in range(0, len(packed), CHUNK_BYTES)],
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

    def _ipython_display_(self) -> None:
        """The picture and then the widget, as two outputs: a frontend shows one form of an output only."""
        from IPython.display import display

        if session.pages:
            display(self.embed())
            return
        display({"text/html": self._still(), "text/plain": repr(self)}, raw=True)
        display(self._repr_mimebundle_()[0], raw=True)

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        bundle = super()._repr_mimebundle_(**kwargs)
        data, metadata = bundle if isinstance(bundle, tuple) else (bundle or {}, {})
        return {**data, "text/plain": repr(self)}, metadata

    def _still(self) -> str:
        """The picture of the lanes as HTML; where there is no matplotlib, the table of operators."""
        label = html.escape(f"{page.title(self._profile)}, {self._profile.device}".rstrip(", "))
        drawn = picture.png(self._profile)
        if drawn:
            source = f"data:image/png;base64,{b64encode(drawn).decode()}"
            shown = f'<img alt="Lanes of {label}" style="max-width: 100%" src="{source}">'
        else:
            operators = self._profile.key_averages()[["name", "calls", "cpu_us", "neuron_us"]]
            shown = operators.head(MOST_OPERATORS).to_html(
                index=False, border=0, float_format="{:,.1f}".format
            )
        return PICTURE.format(id=self.picture, shown=shown, label=label)

    def embed(self, height: int | None = None) -> Embedded:
        """The same explorer as a page in the output itself, ``height`` pixels high: it needs no kernel."""
        return Embedded(self._profile, height=height)

    def arrange(self, height: int | None = None, lanes: Sequence[int | str] | None = None) -> None:
        """Give the lanes ``height`` pixels; show only ``lanes``, by title or number from 1. None: as usual.

        Raises ValueError for a lane that there is not.
        """
        numbers = None if lanes is None else [_lane(lane) for lane in lanes]
        self.view = {"height": height, "lanes": numbers}

    def close(self) -> None:
        """Let go of what the browser holds; BokehJS stays for other explorers."""
        for chunk in self.chunks:
            chunk.close()
        super().close()

    @traitlets.observe("asked")
    def _answer(self, change: Any) -> None:
        """The browser asks when a tab that needs them is first opened; all views are told."""
        if not self.answers:
            self.answers = answers(self._profile, Clock.of(self._trace).base)

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


def _lane(lane: int | str) -> int:
    """Index of a lane that is named by its title, in any case, or its number from 1."""
    for known in Lane:
        if lane == known + 1 or (isinstance(lane, str) and lane.lower() == known.title.lower()):
            return int(known)
    titles = ", ".join(f"{known + 1} {known.title}" for known in Lane)
    raise ValueError(f"There is no lane {lane!r}; there are {titles}.")
