"""What lies around an event on its own track: Python frames, modules (`with_stack`), lines of the cell."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from ..trace import Interner, Trace
from ..trace.layout import stack
from .ownership import Mask, Rows

MODULE = "nn.Module: "


def innermost(trace: Trace, spans: Rows, rows: Rows) -> Rows:
    """For each of ``rows`` the innermost of ``spans`` on its track that contains it, -1 for none."""
    ordered, parent, is_span, place = _nested(trace, spans, rows)
    around = parent[place[len(spans) :]]
    while True:
        other = (around >= 0) & ~is_span[around] if len(ordered) else around >= 0
        if not other.any():
            return np.where(around >= 0, ordered[around], -1) if len(ordered) else around
        around = np.where(other, parent[around], around)


def parents(trace: Trace, spans: Rows) -> Rows:
    """For each of ``spans`` the innermost other one that contains it, -1 for none."""
    ordered, parent, _, place = _nested(trace, spans, np.zeros(0, np.int64))
    around = parent[place]
    return np.where(around >= 0, ordered[around], -1) if len(ordered) else around


def _nested(trace: Trace, spans: Rows, rows: Rows) -> tuple[Rows, Rows, Mask, Rows]:
    """Both lists in order of nesting, the place of each one's parent, whether it is a span, and the place
    of each of ``spans`` and then ``rows``."""
    both = np.concatenate([spans, rows])
    is_span = np.arange(len(both)) < len(spans)
    order = np.lexsort((~is_span, -trace.dur[both], trace.start[both], trace.track[both]))
    ordered = both[order]
    parent = np.full(len(ordered), -1, np.int64)
    bounds = np.flatnonzero(np.diff(trace.track[ordered], prepend=-1))
    for low, high in pairwise([*bounds.tolist(), len(ordered)]):
        part = ordered[low:high]
        inside = stack(trace.start[part], trace.end[part])[1]
        parent[low:high] = np.where(inside >= 0, inside + low, -1)
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    return ordered, parent, is_span[order], place


def python_stacks(trace: Trace, rows: Rows, modules: bool = False) -> tuple[Rows, list[str]]:
    """For each row the number of its stack, and the stacks as texts.

    A stack is the frames around, innermost first, joined by ``;``, or with ``modules`` the path of the
    `nn.Module` around, outermost first, joined by ``/``; '' where there is none.
    """
    frames = trace.rows_in("python_function")
    if modules:
        wanted = np.array([text.startswith(MODULE) for text in trace.strings], bool)
        frames = frames[wanted[trace.name[frames]]]
    ordered, parent, is_frame, place = _nested(trace, frames, rows)
    # a stack is (the stack around it, a name): its text is made only where somebody asks for it
    stacks, numbers = Interner(), [0] * len(ordered)
    stacks.number(None)
    names = trace.name[ordered].tolist()
    for at, (name, above, frame) in enumerate(zip(names, parent.tolist(), is_frame.tolist(), strict=True)):
        around = numbers[above] if above >= 0 else 0
        numbers[at] = stacks.number((around, name)) if frame else around
    used, found = np.unique(np.array(numbers, np.int64)[place[len(frames) :]], return_inverse=True)
    return found, [_text(trace, stacks.values, number, modules) for number in used.tolist()]


def _text(trace: Trace, stacks: list[tuple[int, int] | None], number: int, modules: bool) -> str:
    names = []
    while (pair := stacks[number]) is not None:
        number, name = pair
        names.append(trace.strings[name].removeprefix(MODULE) if modules else trace.strings[name])
    return "/".join(reversed(names)) if modules else ";".join(names)
