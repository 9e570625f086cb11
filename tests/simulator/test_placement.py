"""Finding the host event of a record, when the two clocks do not quite agree."""

from __future__ import annotations

from typing import Any

import pytest

from neuron_nbprof.simulator.placement import HostEvents, place
from neuron_nbprof.simulator.recorder import Kind, Record

THREAD = 7


def row(id: int, name: str, start: int, end: int) -> dict[str, Any]:
    args = {"External id": id}
    return {"name": name, "tid": THREAD, "ts": start / 1000, "dur": (end - start) / 1000, "args": args}


@pytest.fixture
def host() -> HostEvents:
    """A region with what Dynamo does first, then two operators in a row."""
    rows = [
        row(1, "ProfilerStep#3", 0, 100_000),
        row(2, "Torch-Compiled Region: 0/0", 10_000, 40_000),
        row(3, "Pregraph bytecode", 11_000, 15_000),
        row(4, "aten::mul", 50_000, 60_000),
        row(5, "aten::add", 60_000, 70_000),
    ]
    return HostEvents(rows, lambda ts: round(ts * 1000))


def record(kind: Kind, *times: int) -> Record:
    return Record(kind, "aten::x", THREAD, *times)


def test_an_operator_is_replaced_as_a_whole(host: HostEvents) -> None:
    (item,) = place([record(Kind.EXECUTION, 51_000, 53_000, 58_000, 59_000)], host, 0)
    assert item.event and item.event.id == 4
    assert (item.start, item.end) == (50_000, 60_000)
    assert (item.entered, item.numerics) == (51_000, (53_000, 58_000))


def test_a_clock_that_is_off_does_not_reach_into_the_neighbour(host: HostEvents) -> None:
    graph = record(Kind.GRAPH, 14_200, 14_900, 38_000, 39_000)  # begins in the row before it
    operator = record(Kind.EXECUTION, 52_000, 53_000, 60_300, 60_500)  # ends in the row after it
    region, mul = place([graph, operator], host, 0)
    assert region.event and region.event.id == 2
    assert (region.start, region.entered, region.numerics, region.end) == (
        10_000,
        15_000,
        (15_000, 38_000),
        40_000,
    )
    assert mul.event and mul.event.id == 4
    assert (mul.start, mul.entered, mul.numerics, mul.end) == (50_000, 52_000, (53_000, 60_000), 60_000)


def test_a_region_with_two_graphs_is_not_replaced_as_a_whole(host: HostEvents) -> None:
    graphs = [
        record(Kind.GRAPH, 20_000, 21_000, 22_000, 23_000),
        record(Kind.GRAPH, 30_000, 31_000, 32_000, 33_000),
    ]
    first, second = place(graphs, host, 0)
    assert (first.start, first.end, second.start, second.end) == (20_000, 23_000, 30_000, 33_000)


def test_another_thread_has_no_events(host: HostEvents) -> None:
    (item,) = place([record(Kind.EXECUTION, 51_000, 53_000, 58_000, 59_000)._replace(thread=8)], host, 0)
    assert item.event is None and (item.start, item.end) == (51_000, 59_000)
