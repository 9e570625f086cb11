"""What compiled graphs hold, as plain data of a bounded size."""

from __future__ import annotations

from typing import Any

from ..analysis.graphs import graphs
from ..trace import Trace

#: Names listed of one graph, those with the most calls; a count tells how many there are.
MOST_NAMES = 200


def held(trace: Trace) -> dict[str, list[Any]]:
    """``rows``: row, number of its list, and whether it was recorded; ``lists``: count of names, and names
    with how often each. Graphs that run again and again share a list.
    """
    numbers: dict[tuple[tuple[str, int], ...], int] = {}
    rows = [[one.row, numbers.setdefault(one.operators, len(numbers)), one.recorded] for one in graphs(trace)]
    return {"rows": rows, "lists": [_bounded(operators) for operators in numbers]}


def _bounded(operators: tuple[tuple[str, int], ...]) -> list[Any]:
    ranked = sorted(range(len(operators)), key=lambda place: -operators[place][1])[:MOST_NAMES]
    return [len(operators), [list(operators[place]) for place in sorted(ranked)]]
