"""Names that tell rows apart."""

from __future__ import annotations

import pytest

from neuron_nbprof.analysis.records import unique


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        ([], []),
        (["a", "b"], ["a", "b"]),
        (["a", "a", "b", "a"], ["a", "a (2)", "b", "a (3)"]),
        (["a", "a (2)", "a"], ["a", "a (2)", "a (3)"]),
        (["a (2)", "a", "a", "a"], ["a (2)", "a", "a (3)", "a (4)"]),
    ],
)
def test_further_ones_are_numbered(names: list[str], expected: list[str]) -> None:
    assert unique(names) == expected
