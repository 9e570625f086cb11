"""What a Trace tells of its own rows."""

from __future__ import annotations

import numpy as np
import pytest

from neuron_nbprof.trace import Arguments, Rows, Trace, assemble
from neuron_nbprof.trace.lanes import dispatch_track


def trace_of(events: list[tuple[str, str, int, int]]) -> Trace:
    """Events of one thread: category, name, start and end in ns."""
    strings = sorted({text for event in events for text in event[:2]})
    rows = Rows(
        strings=strings,
        tracks=[dispatch_track("", "1", "7")],
        name=np.array([strings.index(name) for _, name, _, _ in events]),
        category=np.array([strings.index(category) for category, *_ in events]),
        start=np.array([start for *_, start, _ in events]),
        dur=np.array([end - start for *_, start, end in events]),
        track=np.zeros(len(events), int),
        args=Arguments.of([None] * len(events)),
    )
    return assemble(rows, title="", source="")


FRAME, OPERATOR = "python_function", "cpu_op"


@pytest.mark.parametrize(
    ("events", "names"),
    [
        ([], set()),
        # The last row of all is an operator that ends with the frames: it is none of them.
        (
            [
                (FRAME, "fit", 0, 9_000),
                (FRAME, "load", 0, 7_999),
                (FRAME, "step", 8_000, 8_000),
                (OPERATOR, "aten::mul", 8_500, 9_000),
            ],
            {"fit", "step"},
        ),
        # A frame that is the only one to end last may have ended by itself.
        ([(FRAME, "fit", 0, 9_000), (FRAME, "load", 0, 7_999)], set()),
        # The profile outlived all frames.
        ([(FRAME, "fit", 0, 100), (FRAME, "load", 0, 90), (OPERATOR, "aten::mul", 5_000, 9_000)], set()),
    ],
)
def test_frames_are_cut_off_where_several_end_with_the_profile(
    events: list[tuple[str, str, int, int]], names: set[str]
) -> None:
    trace = trace_of(events)
    assert {trace.name_of(int(row)) for row in trace.cut_off()} == names


def test_the_arguments_of_many_events_are_those_of_each() -> None:
    first = Arguments.of([b"0", None, b"2"])
    second = Arguments([(2, lambda: [b"3", b"4"]), (0, list), (1, lambda: [b"5"])])
    taken = first.followed_by(second).take(np.array([5, 0, 4, 1, 2, 2]))
    both = taken.followed_by(Arguments.of([b"6"]))
    assert list(both) == [b"5", b"0", b"4", None, b"2", b"2", b"6"]
    for rows in ([], [6, 0, 3, 3, 1], [2, 5], [6], list(range(7))):
        assert both.at(np.array(rows, np.int64)) == [both[row] for row in rows]
    with pytest.raises(IndexError):
        both.at(np.array([7]))
