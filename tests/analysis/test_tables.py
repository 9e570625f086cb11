"""The options of the table of operators, against calls written by hand."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

import neuron_nbprof
from neuron_nbprof import Profile
from neuron_nbprof.analysis.operators import distribution, key_averages
from neuron_nbprof.trace import Trace

from .traces import Script


def mixed() -> Trace:
    script = Script().eager("aten::mul", 0, (100, 200), dims=[[2, 3], [2, 3]], types=["float", "float"])
    script.eager("aten::mul", 30, (200, 240), dims=[[4, 5], [5]], types=["c10::BFloat16", "c10::BFloat16"])
    script.eager("aten::mm", 60, (240, 300), dims=[[8, 16], [16, 4]])
    script.copy("aten::_to_copy", 90, (112, 120)).host("aten::empty", 120, 125)
    return script.host("neuron::synchronize", 130, 310).trace()


def test_kinds_are_told_apart_and_chosen() -> None:
    table = key_averages(mixed()).set_index("name")
    assert table["kind"].to_dict() == {
        "aten::mul": "compute", "aten::mm": "compute", "neuron::synchronize": "synchronise",
        "aten::_to_copy": "copy", "aten::empty": "allocation",
    }  # fmt: skip
    assert key_averages(mixed(), "compute")["name"].tolist() == ["aten::mul", "aten::mm"]
    assert key_averages(mixed(), "copy")[["name", "launches", "executions"]].values.tolist() == [
        ["aten::_to_copy", 1, 0]
    ]


def test_by_shape_with_bytes_and_flops() -> None:
    table = key_averages(mixed(), "compute", group_by="name+shape").set_index("shapes")
    assert table["neuron_us"].to_dict() == {"2×3, 2×3": 100, "8×16, 16×4": 60, "4×5, 5": 40}
    assert table["input_bytes"].to_dict() == {"2×3, 2×3": 48, "8×16, 16×4": 4 * (128 + 64), "4×5, 5": 50}
    assert table.loc["8×16, 16×4", "flops"] == 2 * 8 * 16 * 4


def test_the_spread_per_call() -> None:
    row = key_averages(mixed()).set_index("name").loc["aten::mul"]
    assert (row["mean_us"], row["median_us"], row["max_us"], row["calls"]) == (70, 70, 100, 2)
    assert row["p95_us"] == pytest.approx(40 + 0.95 * 60)
    assert distribution(mixed(), "aten::mul")["neuron_us"].tolist() == [100, 40]


def test_every_table_of_simulated_times_says_so() -> None:
    profile = neuron_nbprof.example()
    explorer = profile.explore(select="aten::mul")
    compared = neuron_nbprof.compare(profile, neuron_nbprof.example("rmsnorm_fused"))
    tables = [
        profile.events, profile.key_averages(), profile.distribution("aten::mul"), profile.lines(),
        profile.latency(), profile.latency("operator"), profile.gaps(), profile.gap_totals(),
        profile.critical_path(), profile.critical_path("lane"), explorer.chain, compared.table,
        compared.savings, compared.operators(),
    ]  # fmt: skip
    assert {table.columns.name for table in tables} == {"SIMULATED, times are modelled"}
    measured = Profile(mixed())
    assert measured.gaps().columns.name is None and measured.events.columns.name is None


def test_bytes_that_were_copied() -> None:
    script = Script().copy("aten::copy_", 0, (20, 30)).copy("aten::copy_", 30, (50, 60))
    for number, row in enumerate(script.rows):
        if row[1] == "neuron_rt":
            script.rows[number] = (*row[:5], {"size": "4096"}, row[6])
    assert key_averages(script.trace())["copied_bytes"].tolist() == [8192]
    assert key_averages(neuron_nbprof.example().trace).set_index("name")[
        "copied_bytes"
    ].dropna().to_dict() == {
        "aten::add": 2  # one bfloat16 number
    }


def test_sorted_and_cut() -> None:
    assert key_averages(mixed(), sort_by="cpu_us", top=1)["name"].tolist() == ["neuron::synchronize"]
    assert key_averages(mixed(), sort_by="name")["name"].iloc[0] == "aten::_to_copy"


@pytest.mark.parametrize("wrong", [{"where": "gpu"}, {"group_by": "line"}, {"sort_by": "cuda_time"}])
def test_a_wrong_word_is_answered_with_the_right_ones(wrong: dict[str, str]) -> None:
    with pytest.raises(ValueError, match="one of"):
        key_averages(mixed(), **wrong)


def test_by_stack_and_by_module() -> None:
    script = Script().host("train.py(3): step", 0, 100, "python_function")
    script.host("nn.Module: MLP_0", 5, 95, "python_function")
    script.host("nn.Module: Linear_1", 10, 40, "python_function").eager("aten::mm", 12, (110, 150))
    trace = script.eager("aten::mm", 60, (150, 160)).trace()
    by_module = key_averages(trace, group_by="module").set_index("module")
    assert by_module["neuron_us"].to_dict() == {"MLP_0/Linear_1": 40, "MLP_0": 10}
    by_stack = key_averages(trace, group_by="stack").set_index("stack")
    assert by_stack["neuron_us"].to_dict() == {
        "nn.Module: Linear_1;nn.Module: MLP_0;train.py(3): step": 40,
        "nn.Module: MLP_0;train.py(3): step": 10,
    }


def test_two_module_paths_that_read_the_same_are_one() -> None:
    script = Script()
    for at, names in ((0, ("A/B",)), (100, ("A", "B"))):
        for number, name in enumerate(names):
            script.host(f"nn.Module: {name}", at + number, at + 90 - number, "python_function")
        script.eager("aten::mm", at + 10, (at + 300, at + 310))
    table = key_averages(script.trace(), group_by="module")
    assert table[["module", "calls", "neuron_us"]].values.tolist() == [["A/B", 2, 20]]


def averages(*times: float) -> list[SimpleNamespace]:
    return [SimpleNamespace(key="aten::mul", count=1, self_device_time_total=time) for time in times]


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (averages(200), "they agree"),
        (averages(120, 80), "splits 1 of its rows"),
        (averages(0), "column is empty"),
        (averages(400), "every physical core"),
        (averages(260), "1.30×"),
    ],
)
def test_torchs_own_table_is_explained(rows: list[SimpleNamespace], said: str) -> None:
    assert said in Profile(mixed()).reconcile(rows)


@pytest.mark.parametrize(
    ("rows", "device_us", "said"),
    [
        (3, 100.0, "the trace 100.0 µs: they agree."),
        (4, 100.0, "It splits 1 of its rows"),
        (3, 200.0, "2.0× the 100.0 µs of the trace: it adds the row of every physical core"),
        (3, 0.0, "torch's device column is empty, the trace has 100.0 µs"),
    ],
)
def test_torchs_table_of_the_recording_is_explained_unasked(rows: int, device_us: float, said: str) -> None:
    table = {"rows": rows, "names": 3, "device_us": device_us}
    # one execution of 40 to 140 µs, on two cores at once
    profile = Profile(Script(capture={"torch_table": table}).eager("aten::mul", 0, (40, 140)).trace())
    assert said in profile.reconcile()
    assert profile.reconcile() in str(profile).splitlines()


@pytest.mark.parametrize(
    "capture", [{}, {"torch_table": None}, {"torch_table": {"rows": "3"}}, {"torch_table": [1]}]
)
def test_without_torchs_table_nothing_is_said(capture: Any) -> None:
    assert Profile(Script(capture=capture).eager("aten::mul", 0, (40, 140)).trace()).reconcile() == ""


def test_where_nothing_speaks_of_a_device_there_is_nothing_to_reconcile() -> None:
    table = {"rows": 1, "names": 1, "device_us": 0.0}
    trace = Script(capture={"torch_table": table}).host("aten::mm", 0, 10).trace()
    assert Profile(trace).reconcile() == ""
