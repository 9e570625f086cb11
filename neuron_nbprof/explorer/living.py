"""What explorers in a notebook have in common. Everything is drawn in the browser; only selections come back,
and of a big trace the question for its answers.

Beside each widget stands a picture, see `still`, which the living widget hides.
"""

from __future__ import annotations

import gzip
import hashlib
import secrets
from collections.abc import Sequence
from typing import Any

import anywidget
import traitlets
from ipywidgets import Widget, widget_serialization

from ..trace import Lane
from . import session
from .embedded import Embedded
from .figure import bokeh_js, timeline_item
from .frontend import module
from .still import still


class Library(Widget):
    """What all widgets of a kernel draw with: BokehJS, our own module (both gzipped), and the figure."""

    version = traitlets.Unicode().tag(sync=True)
    bokeh = traitlets.Bytes().tag(sync=True)
    drawing = traitlets.Bytes().tag(sync=True)
    figure = traitlets.Dict().tag(sync=True)


_library: Library | None = None


def shared_library() -> Library:
    """The library, which travels once per kernel, however many widgets there are."""
    global _library
    if _library is None or _library.comm is None:
        bokeh, drawing = bokeh_js(), module("drawing.js").encode()
        _library = Library(
            version=hashlib.sha256(bokeh + drawing).hexdigest(),
            bokeh=gzip.compress(bokeh, 6),
            drawing=gzip.compress(drawing, 6),
            figure=timeline_item(),
        )
    return _library


class LivingView(anywidget.AnyWidget):
    """Profiles in an output, drawn by the browser: shown as a picture and then as itself.

    Once a page was asked for with ``--embed``, it is shown as a page for the rest of the session.
    """

    _esm = module("widget.js")
    #: What `drawing.ts` makes of it.
    kind = traitlets.Unicode("explorer").tag(sync=True)
    library = traitlets.Instance(Library).tag(sync=True, **widget_serialization)
    picture = traitlets.Unicode().tag(sync=True)
    views = traitlets.Int(0).tag(sync=True)
    view = traitlets.Dict().tag(sync=True)

    def __init__(self, *profiles: Any, **traits: Any) -> None:
        self._profiles = profiles
        super().__init__(library=shared_library(), picture=secrets.token_hex(8), **traits)

    def _ipython_display_(self) -> None:
        """The picture and then the widget, as two outputs: a frontend shows one form of an output only."""
        from IPython.display import display

        if session.pages:
            display(self.embed())
            return
        still_form = {"text/html": still(self._profiles, self.picture), "text/plain": repr(self)}
        display(still_form, raw=True)
        display(self._repr_mimebundle_()[0], raw=True)

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        bundle = super()._repr_mimebundle_(**kwargs)
        data, metadata = bundle if isinstance(bundle, tuple) else (bundle or {}, {})
        return {**data, "text/plain": repr(self)}, metadata

    def embed(self, height: int | None = None) -> Embedded:
        """The same as a page in the output itself, ``height`` pixels high: it needs no kernel."""
        return Embedded(*self._profiles, height=height)

    def arrange(self, height: int | None = None, lanes: Sequence[int | str] | None = None) -> None:
        """Give lanes ``height`` pixels; show only ``lanes``, by title or number from 1. None: as usual.

        Raises ValueError for a lane that there is not.
        """
        numbers = None if lanes is None else [_lane(lane) for lane in lanes]
        self.view = {"height": height, "lanes": numbers}


def _lane(lane: int | str) -> int:
    """Index of a lane that is named by its title, in any case, or its number from 1."""
    for known in Lane:
        if lane == known + 1 or (isinstance(lane, str) and lane.lower() == known.title.lower()):
            return int(known)
    titles = ", ".join(f"{known + 1} {known.title}" for known in Lane)
    raise ValueError(f"There is no lane {lane!r}; there are {titles}.")
