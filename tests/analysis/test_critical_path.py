"""The critical path against steps worked out by hand, and: its segments tile every step."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

import neuron_nbprof
from neuron_nbprof.analysis.critical_path import LANES, critical_path
from neuron_nbprof.analysis.steps import window
from neuron_nbprof.trace import Trace

from .scripts import scripts
from .traces import Script


def segments(trace: Trace) -> list[tuple[str, str, float, float]]:
    table = critical_path(trace)
    return list(table[["lane", "name", "start_us", "dur_us"]].itertuples(index=False, name=None))


def test_a_host_bound_step_goes_through_the_last_operators_dispatch() -> None:
    script = Script().step(1, 0, 300).eager("aten::mul", 10, (50, 60)).eager("aten::add", 100, (140, 190))
    script.host("neuron::synchronize", 130, 200)
    # 200..300 host, 190..200 the synchronise ends, 140..190 add; mul was long over (60): so runtime 120..129,
    # add handed over at 118; before that the host alone
    assert segments(script.trace()) == [
        ("host", "between operators", 0, 10), ("host", "aten::mul", 10, 20),
        ("host", "between operators", 30, 70), ("host", "aten::add", 100, 18),
        ("stream", "dispatch to runtime", 118, 2), ("runtime", "nrta_execute_schedule", 120, 9),
        ("stream", "runtime to hardware", 129, 11), ("hardware", "aten::add", 140, 50),
        ("runtime", "neuron::synchronize", 190, 10), ("host", "between operators", 200, 100),
    ]  # fmt: skip


def test_a_device_bound_step_goes_from_execution_to_execution() -> None:
    script = Script().step(1, 0, 400).eager("aten::mul", 10, (50, 200)).eager("aten::add", 40, (210, 380))
    script.host("neuron::synchronize", 70, 390)
    trace = script.trace()
    lanes = critical_path(trace, "lane").set_index("lane")
    assert lanes["dur_us"].to_dict() == {
        "hardware": 150 + 170,
        "host": 10 + 18 + 10,
        "stream": 2 + 11 + 10,
        "runtime": 9 + 10,
    }
    assert lanes.loc["hardware", "step_without_us"] == 80
    assert lanes["share"].sum() == pytest.approx(1)
    names = critical_path(trace, "name").set_index(["lane", "name"])["dur_us"]
    assert names[("hardware", "aten::add")] == 170


def test_a_copy_before_the_execution_is_on_the_path() -> None:
    script = (
        Script()
        .step(1, 0, 300)
        .copy("aten::copy_", 0, (20, 120))
        .eager("aten::mul", 30, (140, 250), runtime=(121, 130))
    )
    script.host("neuron::synchronize", 60, 260)
    assert [segment[:2] for segment in segments(script.trace())] == [
        ("host", "aten::copy_"), ("stream", "dispatch to runtime"), ("copy", "nrta_tensor_write"),
        ("stream", "runtime to hardware"), ("runtime", "nrta_execute_schedule"),
        ("stream", "runtime to hardware"),
        ("hardware", "aten::mul"), ("runtime", "neuron::synchronize"), ("host", "between operators"),
    ]  # fmt: skip


def test_a_read_waits_for_the_device_too() -> None:
    script = Script().step(1, 0, 200).eager("aten::mul", 0, (40, 100))
    script.copy("aten::item", 30, (104, 120), cpu=95, call="nrta_tensor_read")
    lanes = critical_path(script.trace(), "lane").set_index("lane")["dur_us"]
    # the read ends at 125: 100..125 belong to the copy, 40..100 to the execution
    assert (lanes["copy"], lanes["hardware"], lanes["host"]) == (25, 60, 18 + 75)


def test_a_synchronise_that_waited_for_nothing_is_the_hosts_own() -> None:
    script = Script().step(1, 0, 100).host("neuron::synchronize", 10, 30).host("neuron::synchronize", 40, 60)
    assert critical_path(script.trace(), "lane")["lane"].tolist() == ["host"]


def test_steps_of_one_name_are_told_apart() -> None:
    script = Script().step(1, 0, 100).step(1, 100, 250).eager("aten::mul", 110, (150, 160))
    assert critical_path(script.trace()).groupby("step")["dur_us"].sum().to_dict() == {
        "ProfilerStep#1": 100,
        "ProfilerStep#1 (2)": 150,
    }


@pytest.mark.parametrize("name", neuron_nbprof.EXAMPLES)
def test_events_of_the_path_are_where_it_says(name: str) -> None:
    trace = neuron_nbprof.example(name).trace
    for row in critical_path(trace).dropna(subset="event").to_dict("records"):
        event = trace.position(int(row["event"]))
        assert trace.start[event] / 1000 <= row["start_us"] + 1e-6
        # an execution lasts until its last core is done, 0.6 µs after this one
        assert row["start_us"] + row["dur_us"] <= trace.end[event] / 1000 + 0.6 + 1e-6


@settings(deadline=None)  # a busy machine is no fault
@given(scripts())
def test_segments_tile_every_step(script: Script) -> None:
    trace = script.trace()
    table = critical_path(trace)
    assert set(table["lane"]) <= set(LANES)
    low, high = window(trace)
    spans = {
        trace.name_of(row): (int(trace.start[row]) / 1000, int(trace.end[row]) / 1000)
        for row in range(len(trace)) if trace.name_of(row).startswith("ProfilerStep#")
    } or ({"whole trace": (low / 1000, high / 1000)} if high > low else {})  # fmt: skip
    assert set(table["step"]) == set(spans)
    for step, (start, end) in spans.items():
        mine = table[table["step"] == step]
        assert mine["start_us"].iloc[0] == start
        assert (mine["start_us"] + mine["dur_us"]).tolist() == [*mine["start_us"].tolist()[1:], end]
        assert (mine["dur_us"] > 0).all()
