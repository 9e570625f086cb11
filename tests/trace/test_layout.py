"""Depth rows by two methods: counting for nested events, a stack for all others."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from neuron_nbprof.trace import layout

spans = st.lists(st.tuples(st.integers(0, 40), st.integers(0, 15)), max_size=30)


def columns(found: list[tuple[int, int]]) -> tuple[layout.Int64, layout.Int64]:
    ordered = sorted(found, key=lambda span: (span[0], -span[1]))
    start = np.array([s for s, _ in ordered], np.int64)
    return start, start + np.array([d for _, d in ordered], np.int64)


@given(spans)
def test_counting_and_the_stack_agree_wherever_counting_answers(found: list[tuple[int, int]]) -> None:
    start, end = columns(found)
    depth, parent = layout.stack(start, end)
    slow_depth, slow_parent = layout._overlapping(start, end)
    assert depth.tolist() == slow_depth.tolist()
    assert parent.tolist() == slow_parent.tolist()


def test_a_call_tree_is_answered_by_counting() -> None:
    start, end = columns([(0, 100), (10, 80), (10, 20), (40, 10), (95, 5)])
    counted = layout._nested(start, end)
    assert counted is not None
    assert counted[0].tolist() == [0, 1, 2, 2, 1]
    assert counted[1].tolist() == [-1, 0, 1, 1, 0]


@given(spans)
def test_a_parent_contains_its_child_and_nothing_smaller_does(found: list[tuple[int, int]]) -> None:
    start, end = columns(found)
    depth, parent = layout.stack(start, end)
    for i, above in enumerate(parent.tolist()):
        around = [
            j for j in range(i) if start[j] <= start[i] and end[j] >= end[i] and end[j] > start[i]
        ]  # fmt: skip
        assert (above >= 0) == bool(around)
        if above >= 0:
            assert above in around
            assert depth[above] < depth[i]
