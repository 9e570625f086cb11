"""Idle time against intervals worked out by hand, and: busy and idle add up, whatever happened."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

import neuron_nbprof
from neuron_nbprof.analysis.gaps import CAUSES, gap_totals, gaps
from neuron_nbprof.trace import Lane, Trace
from neuron_nbprof.trace.lanes import neuron_hardware_track

from .scripts import scripts
from .traces import Script


def ns(us: float) -> int:
    return round(us * 1000)


def pieces(trace: Trace, core: str = "4") -> list[tuple[str, float, float]]:
    table = gaps(trace)
    table = table[table["core"] == f"neuron_hw/NC0:{core}"]
    return list(table[["cause", "start_us", "dur_us"]].itertuples(index=False, name=None))


def test_every_cause_by_hand() -> None:
    script = Script().step(1, 0, 1000)
    # host 10..30, handed over at 28, runtime 30..39, runs 50..100: nobody had submitted before 28
    script.eager("aten::mul", 10, (50, 100))
    # handed over at 148 while the core stood since 100: host to 148, then the runtime to 170
    script.eager("aten::add", 130, (170, 200))
    # a copy in the runtime 210..240 and a program switch 240..250 before the next, handed over at 258
    script.copy("aten::copy_", 190, (210, 240)).running("4", 240, 250, "nc_model_switch")
    script.eager("aten::mm", 240, (300, 400))
    # a wait for the other cores before an execution handed over at 278
    script.running("4", 410, 430, "cc_exec_barrier").eager("aten::sum", 262, (430, 500), runtime=(280, 290))
    script.host("neuron::synchronize", 290, 520)
    assert pieces(script.trace()) == [
        ("host not ready", 0, 28), ("runtime", 28, 22),
        ("host not ready", 100, 48), ("runtime", 148, 22),
        ("host not ready", 200, 10), ("copy", 210, 30), ("NEFF switch", 240, 10),
        ("host not ready", 250, 8), ("runtime", 258, 42),
        ("runtime", 400, 10), ("collective wait", 410, 20),
        ("synchronise", 500, 20), ("end of step", 520, 480),
    ]  # fmt: skip


def test_each_gap_names_the_chain_that_ended_it() -> None:
    trace = Script().eager("aten::mul", 0, (40, 50)).eager("aten::add", 60, (100, 120)).trace()
    table = gaps(trace)[lambda t: t["core"] == "neuron_hw/NC0:5"].dropna(subset="execution")
    assert table["name"].tolist() == ["aten::mul", "aten::mul", "aten::add", "aten::add"]
    ended = trace.position(int(table["execution"].iloc[-1]))
    assert (trace.track_of(ended).label, trace.start[ended]) == ("neuron_hw/NC0:5", 100_000)
    assert trace.name_of(trace.position(int(table["event"].iloc[-1]))) == "aten::add"


def test_an_execution_that_nobody_submitted_is_not_blamed_on_the_host() -> None:
    trace = Script().host("aten::mul", 0, 10).running("4", 40, 50).running("4", 70, 80).trace()
    assert pieces(trace) == [("unknown", 0, 40), ("unknown", 50, 20)]


def test_between_two_steps_the_first_ends_and_the_second_is_not_ready() -> None:
    script = Script().step(1, 0, 100).eager("aten::mul", 0, (30, 60))
    script.step(2, 100, 200).eager("aten::mul", 120, (150, 200))
    assert pieces(script.trace())[2:] == [
        ("end of step", 60, 40),
        ("host not ready", 100, 38),
        ("runtime", 138, 12),
    ]


def test_totals_of_the_guides_naive_version() -> None:
    totals = gap_totals(neuron_nbprof.example("rmsnorm_naive").trace).loc["neuron_hw/NC0:4"]
    assert totals["busy_us"] == pytest.approx(386.964 + 340.693 + 437.303 + 417.303 + 2 * 386.975)
    assert ns(totals["busy_us"]) + ns(totals["idle_us"]) == ns(totals["window_us"])


@settings(deadline=None)  # a busy machine is no fault
@given(scripts())
def test_busy_and_idle_add_up_to_the_window(script: Script) -> None:
    trace = script.trace()
    table = gaps(trace)
    totals = gap_totals(trace)
    for row in totals.to_dict("records"):
        assert ns(row["busy_us"]) + ns(row["idle_us"]) == ns(row["window_us"])
        assert sum(ns(row[cause]) for cause in CAUSES) == ns(row["idle_us"])
    for number, track in enumerate(trace.tracks):
        if track.lane is not Lane.HARDWARE:
            continue
        mine = table[table["core"] == track.label]
        work = (trace.track == number) & np.array(
            [trace.name_of(i) == "nc_exec_running" for i in range(len(trace))]
        )
        covered = {
            moment
            for row in np.flatnonzero(work)
            for moment in range(trace.start[row] // 1000, trace.end[row] // 1000)
        }
        idle = [
            moment for start, dur in zip(mine["start_us"], mine["dur_us"], strict=True)
            for moment in range(int(start), int(start + dur))
        ]  # fmt: skip
        assert len(idle) == len(set(idle))
        assert not covered & set(idle)
        assert len(covered) + len(idle) == totals.loc[track.label, "window_us"]


def test_cores_of_two_processes_with_one_label_are_told_apart() -> None:
    script = Script()
    for process, (start, end) in {"1": (0, 40), "2": (60, 100)}.items():
        core = neuron_hardware_track("", process, "0", "4")
        script.row(core, "neuron_hw", "nc_exec_running", start, end)
    totals = gap_totals(script.trace())
    # 40 of 100 µs each, one at the beginning and one at the end
    assert totals[["busy_us", "idle_us", "longest_us"]].to_dict("index") == {
        "neuron_hw/NC0:4 of process 1": {"busy_us": 40, "idle_us": 60, "longest_us": 60},
        "neuron_hw/NC0:4 of process 2": {"busy_us": 40, "idle_us": 60, "longest_us": 60},
    }
    table = gaps(script.trace())
    assert list(table[["core", "start_us", "dur_us"]].itertuples(index=False, name=None)) == [
        ("neuron_hw/NC0:4 of process 1", 40, 60), ("neuron_hw/NC0:4 of process 2", 0, 60),
    ]  # fmt: skip
