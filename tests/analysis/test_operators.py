"""The tables against numbers worked out by hand from the hand-made capture, and by a second method."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import neuron_nbprof
from neuron_nbprof.analysis.intervals import union_by_group

from ..captures import FRAMEWORK, framework_json, system_table

Capture = Callable[..., Path]


@pytest.fixture
def profile(capture: Capture) -> neuron_nbprof.Profile:
    return neuron_nbprof.open(capture(framework_json(), system_table()))


def test_device_time_counts_two_physical_cores_once(profile: neuron_nbprof.Profile) -> None:
    table = profile.key_averages(where="compute").set_index("name")
    # mul: 38,500..425,500 on core 4 and 39,100..426,100 on core 5; mean likewise from 427,000 to 767,600
    assert table["neuron_us"].to_dict() == {"aten::mul": 387.6, "aten::mean": 340.6}
    assert table["cpu_us"].to_dict() == {"aten::mul": 20.0, "aten::mean": 21.0}
    assert table["calls"].to_dict() == {"aten::mul": 1, "aten::mean": 1}
    assert table["executions"].to_dict() == {"aten::mul": 1, "aten::mean": 1}
    assert table["share"].sum() == pytest.approx(1)


def test_the_whole_table_shows_what_ran_on_the_host_alone(profile: neuron_nbprof.Profile) -> None:
    table = profile.key_averages().set_index("name")
    assert table.index.tolist() == ["aten::mul", "aten::mean", "neuron::synchronize"]
    assert table.loc["neuron::synchronize", "neuron_us"] == 0


def test_headline(profile: neuron_nbprof.Profile) -> None:
    numbers = profile.summary()
    assert numbers["device_ns"] == 387_600 + 340_600
    assert numbers["busy_share"] == pytest.approx((387_600 + 340_600) / (767_600 - 38_500))
    assert (numbers["host_ns"], numbers["copy_ns"]) == (41_000, 0)
    assert numbers["synchronize_ns"] == 720_000
    assert numbers["executions"] == 2


def test_self_time_leaves_out_the_operators_inside(capture: Capture) -> None:
    rows = [
        ("aten::linear", "cpu_op", 1, 0, 100_000, {}),
        ("aten::t", "cpu_op", 1, 10_000, 5_000, {}),
        ("aten::addmm", "cpu_op", 1, 20_000, 60_000, {}),
        ("aten::expand", "cpu_op", 1, 30_000, 7_000, {}),
    ]
    table = neuron_nbprof.open(capture(framework_json(rows))).key_averages().set_index("name")
    assert table["self_cpu_us"].to_dict() == {
        "aten::linear": 35.0, "aten::addmm": 53.0, "aten::expand": 7.0, "aten::t": 5.0,
    }  # fmt: skip
    assert table["share"].isna().all()


def test_side_by_side(capture: Capture) -> None:
    whole = neuron_nbprof.open(capture(framework_json(), system_table(), out="a"))
    half = neuron_nbprof.open(capture(framework_json(FRAMEWORK[:3]), system_table(), out="b"))
    table = neuron_nbprof.compare(whole, half).table
    assert table["device_us"].tolist() == [728.2, 387.6]
    assert table["host_us"].tolist() == [41.0, 20.0]
    assert table["operator_calls"].tolist() == [2, 1]
    assert table["executions"].tolist() == [2, 1]
    assert table["device_ratio"].tolist() == pytest.approx([1.0, 387.6 / 728.2])
    assert table["basis"].tolist() == ["measured", "measured"]
    assert table["remark"].tolist() == ["", ""]


def test_simulated_times_within_the_error_of_the_model_are_not_told_apart(capture: Capture) -> None:
    model = {"simulated": True, "resolution": {"device_relative_error": 0.05}}
    one = neuron_nbprof.open(capture(framework_json(neuron_simulated=model), system_table(), out="one"))
    two = neuron_nbprof.open(capture(framework_json(neuron_simulated=model), system_table(), out="two"))
    half = neuron_nbprof.open(
        capture(framework_json(FRAMEWORK[:3], neuron_simulated=model), system_table(), out="half")
    )
    table = neuron_nbprof.compare(one, two, half).table
    assert table.loc["one", "remark"] == "device time not distinguished by the model from two"
    assert table.loc["half", "remark"] == ""
    assert set(table["basis"]) == {"SIMULATED"}
    assert "SIMULATED" in str(table)
    assert "SIMULATED" in str(one.key_averages())


spans = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 50), st.integers(0, 20)), max_size=30)


@settings(deadline=None)  # a busy machine is no fault
@given(spans)
def test_the_union_is_the_number_of_moments_covered(found: list[tuple[int, int, int]]) -> None:
    array = np.array(found, np.int64).reshape(-1, 3)
    covered = {
        group: len({moment for g, start, dur in found if g == group for moment in range(start, start + dur)})
        for group, _, _ in found
    }
    union = union_by_group(array[:, 0], array[:, 1], array[:, 1] + array[:, 2], 4)
    assert {group: union[group] for group in covered} == covered
