from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from ..intervals import union
from ..ownership import matches, of_category
from .rule import Finding, Rule
from .view import View
from .words import time

#: What the compiler, Dynamo and the loading of a program are called in a trace.
_COMPILES = re.compile(
    r"neuronx.?cc|backend_compile|compile_inner|compile_fx|compile_graph|\bcompil(e|ing|ation)\b|nrt_load",
    re.IGNORECASE,
)


def find(view: View) -> Iterator[Finding]:
    trace = view.trace
    # a Python frame names the file it stands in, which may be called compilation.py
    frames = of_category(trace, "python_function")
    rows = np.flatnonzero(matches(trace, _COMPILES) & ~frames)
    if not len(rows):
        return
    start, end = union(trace.start[rows], trace.end[rows])
    spent = int((end - start).sum())
    yield Finding(
        f"{time(spent)} of the recorded run went into compiling or loading programs; the other numbers are "
        "those of a first run.",
        view.in_order(rows),
        saving_us=spent / 1000,
    )


RULE = Rule(
    "compilation",
    "error",
    "a program was compiled or loaded inside the recorded window",
    "Run the cell at least three times before it is recorded (more warm-up steps), with the same shapes.",
    find,
)
