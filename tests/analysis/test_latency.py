"""Stations and waits against times written down in the script, and against the chain walk."""

from __future__ import annotations

import pytest

import neuron_nbprof
from neuron_nbprof.analysis.latency import holder, latency
from neuron_nbprof.trace import chain

from .traces import Script


def test_stations_and_waits_of_a_chain_add_up() -> None:
    trace = Script().eager("aten::mul", 0, (40, 140)).eager("aten::mul", 30, (150, 250)).trace()
    table = latency(trace)
    # host 0..20, runtime 20..29, hardware 40..140; host 30..50, runtime 50..59, hardware 150..250
    assert table["dispatch_us"].tolist() == [20, 20]
    assert table["to_runtime_us"].tolist() == [0, 0]
    assert table["runtime_us"].tolist() == [9, 9]
    assert table["to_hardware_us"].tolist() == [11, 91]
    assert table["hardware_us"].tolist() == [100, 100]
    assert table["total_us"].tolist() == [140, 220]
    assert holder(trace) == {
        "part": "hardware_us", "text": "the hardware", "us": 200, "share": 200 / 360, "chains": 2,
    }  # fmt: skip


def test_the_distribution_per_operator() -> None:
    script = Script()
    for i, dur in enumerate((10, 20, 90)):
        script.eager("aten::mul", 200 * i, (200 * i + 40, 200 * i + 40 + dur))
    table = latency(script.trace(), by="operator").loc[("aten::mul", "hardware_us")]
    assert (table["chains"], table["sum_us"], table["median_us"], table["max_us"]) == (3, 120, 20, 90)
    assert table["p95_us"] == pytest.approx(20 + 0.9 * 70)


def test_a_station_the_trace_does_not_hold_is_not_a_number_and_the_wait_spans_it() -> None:
    script = Script().eager("aten::mul", 0, (40, 140))
    script.rows = [row for row in script.rows if row[1] not in ("neuron_rt", "neuron_hw")]
    script.running("4", 40, 140)
    script.rows[1][6]["correlation"] = script.rows[-1][6]["correlation"] = 5
    (row,) = latency(script.trace()).to_dict("records")
    assert row["runtime_us"] != row["runtime_us"] and row["to_runtime_us"] != row["to_runtime_us"]
    assert (row["dispatch_us"], row["to_hardware_us"], row["hardware_us"], row["total_us"]) == (
        20,
        20,
        100,
        140,
    )


def test_a_trace_without_executions_has_no_chains() -> None:
    trace = Script().host("aten::mul", 0, 10).trace()
    assert len(latency(trace)) == 0 and holder(trace) == {}


# in mystery_3 compiled regions stand inside one another, so that one chain holds several submissions
@pytest.mark.parametrize("name", sorted(set(neuron_nbprof.EXAMPLES) - {"mystery_3"}))
def test_the_columns_say_the_same_as_the_chain_walk(name: str) -> None:
    trace = neuron_nbprof.example(name).trace
    for row in latency(trace).to_dict("records"):
        walked = [
            line for line in chain(trace, trace.position(row["event"])).lines if len(line.stations) == 3
            and trace.lane[line.stations[2].rows[0]] == 3
        ]  # fmt: skip
        (line,) = walked
        assert [s.dur / 1000 for s in line.stations] == [
            row["dispatch_us"],
            row["runtime_us"],
            row["hardware_us"],
        ]
        assert [w.ns / 1000 for w in line.waits] == [row["to_runtime_us"], row["to_hardware_us"]]
        assert line.total / 1000 == pytest.approx(row["total_us"])
