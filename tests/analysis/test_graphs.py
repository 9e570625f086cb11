"""What compiled regions hold: as recorded with the graph, and what they call by themselves."""

from __future__ import annotations

from neuron_nbprof.analysis.graphs import Held, graphs
from neuron_nbprof.explorer.graphs import held
from neuron_nbprof.trace import Trace
from neuron_nbprof.trace.lanes import dispatch_track

from .traces import Script

REGION = "Torch-Compiled Region: 0/0"


def row(trace: Trace, name: str) -> int:
    return int(trace.rows_named(name)[0])


def graph(script: Script, at: float, operators: object) -> Script:
    """A region with the dispatch of a graph in it, which ran on the device."""
    script.eager("graph", at + 5, (at + 60, at + 90), operator=False)
    script.row(dispatch_track("", "1", "7"), "cpu_op", REGION, at, at + 40, None, external=script.submitted)
    (place,) = [i for i, row in enumerate(script.rows) if row[2:4] == ("graph.call", round(1000 * at) + 7000)]
    script.rows[place] = (*script.rows[place][:5], {"graph_operators": operators}, script.rows[place][6])
    return script


def test_a_graph_tells_its_operators_with_how_often_each() -> None:
    trace = graph(Script(), 0, ["aten::mul", "aten::mean", "aten::mul"]).trace()
    call = row(trace, "graph.call")
    assert graphs(trace) == [Held(call, (("aten::mul", 2), ("aten::mean", 1)), True)]


def test_graphs_that_run_again_share_a_list() -> None:
    script = graph(graph(Script(), 0, ["aten::mul"]), 200, ["aten::mul"])
    trace = script.trace()
    calls = trace.rows_in("privateuse1_runtime").tolist()
    assert held(trace) == {
        "rows": [[calls[0], 0, True], [calls[1], 0, True]],
        "lists": [[1, [["aten::mul", 1]]]],
    }


def test_operators_called_within_a_region_are_told_but_not_what_these_call() -> None:
    script = Script().host(REGION, 0, 100).host("aten::linear", 10, 40).host("aten::addmm", 15, 35)
    script.host("Pregraph bytecode", 41, 60).host("aten::relu", 50, 55).host("aten::outside", 200, 210)
    trace = script.trace()
    assert graphs(trace) == [Held(row(trace, REGION), (("aten::linear", 1), ("aten::relu", 1)), False)]


def test_what_is_no_list_of_names_is_no_list_of_operators() -> None:
    for value in ("aten::mul", [1, None], {"a": 1}, []):
        assert graphs(graph(Script(), 0, value).trace()) == []


def test_of_very_many_names_the_most_frequent_are_sent_in_their_order() -> None:
    names = [f"aten::op{i}" for i in range(500)]
    trace = graph(Script(), 0, [*names, "aten::op499"]).trace()
    ((count, listed),) = held(trace)["lists"]
    assert count == 500 and len(listed) == 200
    assert listed[:2] == [["aten::op0", 1], ["aten::op1", 1]] and listed[-1] == ["aten::op499", 2]


def test_without_a_region_nothing_is_looked_at() -> None:
    assert graphs(Script().eager("aten::mul", 0, (30, 60)).trace()) == []
