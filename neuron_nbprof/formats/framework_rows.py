"""What the framework's rows are in an export of Neuron Explorer, which does not keep their categories."""

from __future__ import annotations

import re

from ..trace.categories import COMPILED_REGION, NEURON_DISPATCH, NEURON_STREAM

_FILE = re.compile(r" \[[^\]]*\.json[^\]]*\]$")


def name_of(text: str) -> str:
    """The name without the file that the tool appends to it."""
    return _FILE.sub("", text)


def category_of(name: str, *, on_stream: bool, submitted: bool) -> str:
    """The category that the framework's own trace gives such a row."""
    if on_stream:
        return NEURON_STREAM
    if submitted:
        return NEURON_DISPATCH
    return "cpu_op" if name.startswith(("aten::", COMPILED_REGION)) else "framework"
