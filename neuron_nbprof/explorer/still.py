"""What stands beside a living widget, which hides it: a picture, and the line that says how to come to more.

It is what a reader sees who opens the saved notebook without a kernel, on a code host, or in a Jupyter whose
server lacks what draws widgets.
"""

from __future__ import annotations

import html
from base64 import b64encode
from collections.abc import Sequence
from typing import Any

from . import page, picture, server
from .answers import comparison

FIGURE = """<figure data-nbp-picture="{id}" style="margin: 0">{shown}
<figcaption>{label}. {line}</figcaption></figure>"""
#: Operators in the table that stands for the picture.
MOST_OPERATORS = 12


def still(profiles: Sequence[Any], id: str) -> str:
    """The lanes of profiles as HTML, found by ``id``; where there is no matplotlib, their operators."""
    device = profiles[0].device if len(profiles) == 1 else ""
    label = html.escape(f"{page.title(*profiles)}, {device}".rstrip(", "))
    drawn = picture.png(*profiles)
    if drawn:
        source = f"data:image/png;base64,{b64encode(drawn).decode()}"
        shown = f'<img alt="Lanes of {label}" style="max-width: 100%" src="{source}">'
    else:
        shown = "".join(map(_operators, profiles))
    if len(profiles) > 1:
        shown += "".join(f"<p>{html.escape(words)}</p>" for words in comparison(profiles).get("words", ()))
    return FIGURE.format(id=id, shown=shown, label=label, line=line())


def line() -> str:
    """Why there is only a picture, what is missing where, and how to come to the explorer; HTML."""
    embed = "<code>%%neuronprof --embed</code> (remembered for the session) or <code>.embed()</code>"
    instead = f"put the whole page here with {embed}."
    prefix = server.environment()
    missing = server.lacks(prefix) if prefix else []
    if missing:
        where = f"the environment of the Jupyter server, <code>{html.escape(str(prefix))}</code>,"
        lacks = " and ".join(missing)
        return f"Only a picture: {where} lacks {lacks}. Install that there and reload, or {instead}"
    needs = "that needs a running kernel"
    if prefix is None:
        needs += f", and {' and '.join(server.NEEDED.values())} in the environment of the Jupyter server"
    return f"To explore it, run the cell: {needs}. Or {instead}"


def _operators(profile: Any) -> str:
    """The table of the busiest operators."""
    table = profile.key_averages()[["name", "calls", "cpu_us", "neuron_us"]]
    return table.head(MOST_OPERATORS).to_html(index=False, border=0, float_format="{:,.1f}".format)
