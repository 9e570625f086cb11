"""Colour numbers of events: an operator's name decides its colour, and what it causes takes it over.

The same name has the same colour in every profile, so that profiles can be compared by eye. Operators that
often stand side by side have colours of their own; any other name is given one by its check sum.
"""

from __future__ import annotations

from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from ..trace import Lane, LinkRule, Trace

#: Annotations and everything that no operator owns.
PLAIN = 0
#: Time spent waiting for the device.
WAITING = 255
#: Okabe and Ito's colours, as in `frontend/src/core/colours.ts`; each also darker and lighter.
HUES = ("#0072b2", "#e69f00", "#cc79a7", "#009e73", "#d55e00", "#56b4e9", "#7b52a6", "#a6761d")
TONES = ((0, 0.0), (0, 0.4), (255, 0.4))
NUMBERS = len(HUES) * len(TONES)
#: Families of operators in the order of their colours; what stands side by side differs in hue.
FAMILIES = (
    ("mul", "mul_", "square", "pow"),
    ("add", "add_", "addmm", "sub", "sub_"),
    ("rsqrt", "sqrt", "reciprocal", "div", "div_"),
    ("mean", "sum", "var", "max", "amax"),
    ("mm", "bmm", "matmul", "linear", "convolution"),
    ("_softmax", "_log_softmax", "softmax", "exp", "log"),
    ("_fused_rms_norm", "rms_norm", "native_layer_norm", "layer_norm", "silu", "gelu", "relu"),
    ("copy_", "_to_copy", "to", "clone", "contiguous", "embedding", "index_select"),
)
_FAMILY = {f"aten::{name}": hue for hue, names in enumerate(FAMILIES) for name in names}


def colour_number(name: str) -> int:
    """1 to `NUMBERS`, the same for a name in every profile."""
    if name not in _FAMILY:
        return crc32(name.encode()) % NUMBERS + 1
    hue = _FAMILY[name]
    tone = FAMILIES[hue].index(name.removeprefix("aten::")) % (NUMBERS // len(FAMILIES))
    return tone * len(FAMILIES) + hue + 1


def hex_of(number: int) -> str:
    """The colour of a number on a light page."""
    if number in (PLAIN, WAITING):
        return "#c9cfd6"
    towards, share = TONES[(number - 1) % NUMBERS // len(HUES)]
    hue = HUES[(number - 1) % len(HUES)]
    parts = (int(hue[at : at + 2], 16) for at in (1, 3, 5))
    return "#" + "".join(f"{int(part + (towards - part) * share + 0.5):02x}" for part in parts)


def readable(on: str) -> str:
    """Black or white, whichever stands out more on a colour by the relative luminance of WCAG 2.2."""
    parts = [int(on[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    return "black" if luminance > 0.179 else "white"


def operator_colours(device_time: dict[str, float]) -> dict[str, int]:
    """Colour numbers of operators, given with their device time.

    Operators without device time stay plain where others have some, so that colour means work on the device.
    """
    on_device = any(device_time.values())
    return {
        name: WAITING if is_wait(name) else PLAIN if on_device and not time else colour_number(name)
        for name, time in device_time.items()
    }


def is_wait(name: str) -> bool:
    """Whether an event of this name is the host's wait for the device."""
    return "synchronize" in name.lower()


def colours(trace: Trace, operators: dict[str, int]) -> NDArray[np.uint8]:
    """Colour number of every event [n], from those of `operator_colours`."""
    by_name = np.array([operators.get(text, PLAIN) for text in trace.strings], np.uint8)
    waits = np.array([is_wait(text) for text in trace.strings], bool)
    colour = np.zeros(len(trace), np.uint8)
    rows = trace.operators()
    colour[rows] = by_name[trace.name[rows]]
    on_host = (trace.lane == Lane.DISPATCH) | (trace.lane == Lane.RUNTIME)
    colour[on_host & waits[trace.name]] = WAITING
    enclosing = trace.links.rule == LinkRule.ENCLOSING
    # A direct owner is better evidence than an operator that only encloses the call.
    _spread(colour, trace, ~enclosing)
    _spread(colour, trace, np.ones_like(enclosing))
    return colour


def _spread(colour: NDArray[np.uint8], trace: Trace, edges: NDArray[np.bool_]) -> None:
    """Hand colours on along ``edges`` until nothing changes; what has a colour keeps it."""
    sources, targets = trace.links.sources[edges], trace.links.targets[edges]
    while True:
        given = colour[sources]
        open_edges = (given != PLAIN) & (given != WAITING) & (colour[targets] == PLAIN)
        if not open_edges.any():
            return
        colour[targets[open_edges]] = given[open_edges]
