"""What a capture of the simulated device holds: rows, ids and their joints."""

from __future__ import annotations

import json
import os
import re
import time
from collections import Counter
from collections.abc import Callable
from typing import Any

import pyarrow.parquet as pq
import pytest
import torch

import neuron_nbprof

from .conftest import Recorded, rms_norm


def naive() -> Callable[[], Any]:
    x, weight = torch.randn(256, 256, device="neuron"), torch.ones(256, device="neuron")
    return lambda: rms_norm(x, weight)


@pytest.fixture
def naive_capture(profile: Callable[..., Recorded]) -> Recorded:
    return profile(naive())


def start_ns(row: dict[str, Any]) -> int:
    """ns since the file's base; in a float, ts still resolves them, but a sum of two floats would not."""
    return round(row["ts"] * 1000)


def end_ns(row: dict[str, Any]) -> int:
    return start_ns(row) + round(row["dur"] * 1000)


def test_the_folder_is_named_as_the_runtime_names_it(naive_capture: Recorded) -> None:
    folder = naive_capture.folder
    assert re.fullmatch(r"\d{19}", folder.name)
    assert re.fullmatch(rf"sim-.+_pid_{os.getpid()}", folder.parent.name)
    assert sorted(path.name for path in folder.iterdir()) == [
        "SystemProfileEvents.parquet",
        "SystemProfileHbmUsage.parquet",
        "SystemProfileMetadata.parquet",
        "trace.json",
    ]


def test_both_files_say_simulated(naive_capture: Recorded) -> None:
    facts = naive_capture.trace["neuron_simulated"]
    assert facts["simulated"] is True
    assert {c["provenance"] for c in facts["constants"]} == {"published", "fitted", "assumed"}
    for name in ("SystemProfileEvents", "SystemProfileHbmUsage", "SystemProfileMetadata"):
        name = f"{name}.parquet"
        metadata = pq.read_schema(naive_capture.folder / name).metadata
        said = json.loads(metadata[b"neuron_nbprof_simulated"])
        assert said == {key: value for key, value in facts.items() if key != "constants"}
    assert all(json.loads(row["extra_attributes_json"])["simulated"] is True for row in naive_capture.system)


def test_an_operator_has_its_dispatch_row_inside_and_its_stream_row_after(naive_capture: Recorded) -> None:
    operators = {row["args"]["External id"]: row for row in naive_capture.rows("cpu_op")}
    dispatches = naive_capture.rows("privateuse1_runtime")
    assert [row["name"] for row in dispatches] == [
        "aten::mul.Tensor",
        "aten::mean.dim",
        "aten::_copy_from",  # eps goes to the device
        "aten::add.Tensor",
        "aten::rsqrt",
        "aten::mul.Tensor",
        "aten::mul.Tensor",
    ]
    streams = {row["args"]["nrt_sequence_id"]: row for row in naive_capture.rows("privateuse1_driver")}
    assert len(streams) == len(dispatches)
    free = 0
    for row in dispatches:
        operator = operators[row["args"]["External id"]]
        assert start_ns(operator) < start_ns(row) and end_ns(row) < end_ns(operator)
        assert (row["pid"], row["tid"]) == (os.getpid(), operator["tid"])
        stream = streams[row["args"]["nrt_sequence_id"]]
        assert stream["name"] == row["name"]
        assert (stream["pid"], stream["tid"]) == (os.getpid(), 0)
        if row["name"] == "aten::_copy_from":  # a copy does not queue behind executions
            assert start_ns(stream) == end_ns(row)
        else:
            assert start_ns(stream) == max(end_ns(row), free)
            free = end_ns(stream)


def test_arrows_lead_from_dispatch_to_stream(naive_capture: Recorded) -> None:
    arrows = [row for row in naive_capture.trace["traceEvents"] if row.get("cat") == "ac2g"]
    starts = {row["id"]: row for row in arrows if row["ph"] == "s"}
    ends = {row["id"]: row for row in arrows if row["ph"] == "f"}
    assert len(starts) == 7 and starts.keys() == ends.keys()
    for flow, row in enumerate(naive_capture.rows("privateuse1_runtime"), 1):
        assert (starts[flow]["ts"], starts[flow]["tid"]) == (row["ts"], row["tid"])
        assert ends[flow]["tid"] == 0 and ends[flow]["bp"] == "e"


def test_flow_ids_join_framework_runtime_and_hardware(naive_capture: Recorded) -> None:
    def flows(name: str) -> list[list[str]]:
        return [row["flow_id"] for row in naive_capture.events(name)]

    sequences = [str((1 << 48) | n) for n in range(1, 7)]
    executions = [str(n) for n in range(1, 7)]
    assert flows("nrta_execute_schedule") == [[s] for s in sequences]
    assert flows("kbl_exec_wait") == [[s, e] for s, e in zip(sequences, executions, strict=True)]
    assert Counter(flow for (flow,) in flows("nc_exec_running")) == dict.fromkeys(executions, 2)
    assert flows("nrta_tensor_write") == [[str((2 << 48) | 1)]]
    multiplications = Counter(flow for (flow,) in flows("aten::mul.Tensor [trace.json]"))
    assert multiplications == {sequences[0]: 2, sequences[4]: 2, sequences[5]: 2}  # dispatch and stream


def test_hardware_rows_come_in_pairs_of_physical_cores(naive_capture: Recorded) -> None:
    rows = naive_capture.events("nc_exec_running")
    assert {(row["nc_idx"], row["pcore_idx"]) for row in rows} == {(0, 4), (0, 5)}
    assert {row["trace_event_source"] for row in rows} == {"neuron_hw"}
    for row in rows:
        facts = json.loads(row["extra_attributes_json"])
        assert facts["device_core_idx"] == row["pcore_idx"] and facts["model_name"].endswith(".neff")
        assert facts["exec_id"] == int(row["flow_id"][0])


def test_stream_rows_of_the_table_name_their_stream(naive_capture: Recorded) -> None:
    framework = [row for row in naive_capture.system if row["trace_event_source"] == "framework"]
    assert all(row["name"].endswith(" [trace.json]") and row["id"] >= 1 << 62 for row in framework)
    assert Counter(row["framework_stream_id"] for row in framework)["0"] == 7
    assert {row["framework_stream_id"] for row in naive_capture.events("nrta_execute_schedule")} == {"0"}


def test_both_files_are_on_one_clock_to_the_nanosecond(naive_capture: Recorded) -> None:
    base = naive_capture.trace["baseTimeNanoseconds"]
    text = (naive_capture.folder / "trace.json").read_text()
    exact = [int(whole + part) for whole, part in re.findall(r'"ts": ?(\d+)\.(\d{3})\b', text)]
    starts = {
        row["start_ts"] - base for row in naive_capture.system if row["trace_event_source"] == "framework"
    }
    assert starts <= set(exact)
    by_sequence = {row["args"]["nrt_sequence_id"]: row for row in naive_capture.rows("privateuse1_driver")}
    for wait in naive_capture.events("kbl_exec_wait"):
        stream = by_sequence[int(wait["flow_id"][0])]
        assert base + start_ns(stream) <= wait["start_ts"] + 2_000
        assert wait["end_ts"] == base + end_ns(stream) - 2_000


def test_metadata_spans_the_events(naive_capture: Recorded) -> None:
    (row,) = pq.read_table(naive_capture.folder / "SystemProfileMetadata.parquet").to_pylist()
    assert row["first_ts_ns"] == str(min(event["start_ts"] for event in naive_capture.system))
    assert row["last_ts_ns"] == str(max(event["end_ts"] for event in naive_capture.system))
    assert re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{9} \+0000 UTC", row["first_ts"])


def test_synchronize_waits_for_the_last_execution(naive_capture: Recorded) -> None:
    base = naive_capture.trace["baseTimeNanoseconds"]
    last = max(row["end_ts"] for row in naive_capture.events("nc_exec_running"))
    waits = [row for row in naive_capture.rows("cpu_op") if row["name"] == "neuron::synchronize"]
    assert any(base + start_ns(row) < last < base + end_ns(row) for row in waits)


def assert_nested(rows: list[dict[str, Any]]) -> None:
    """Rows of one thread lie inside each other or apart, to the nanosecond."""
    for thread in {row["tid"] for row in rows}:
        open_ends: list[int] = []
        spans = [(start_ns(row), end_ns(row)) for row in rows if row["tid"] == thread]
        for start, stop in sorted(spans, key=lambda span: (span[0], -span[1])):
            while open_ends and open_ends[-1] <= start:
                open_ends.pop()
            assert not open_ends or stop <= open_ends[-1]
            open_ends.append(stop)


def training_step() -> Callable[[], Any]:
    torch.manual_seed(0)
    model = torch.nn.Sequential(
        torch.nn.Linear(32, 64), torch.nn.GELU(), torch.nn.RMSNorm(64), torch.nn.Linear(64, 1)
    ).to("neuron")
    optimiser = torch.optim.AdamW(model.parameters(), lr=1e-3, foreach=True)
    x = torch.randn(8, 32, device="neuron")

    def step() -> None:
        optimiser.zero_grad()
        model(x).square().mean().backward()
        optimiser.step()

    step()
    return step


def test_a_training_step_is_deterministic_and_nested(profile: Callable[..., Recorded]) -> None:
    step = training_step()
    first, second = profile(step), profile(step)

    def hardware(run: Recorded) -> list[Any]:
        return [(row["duration_ns"], row["pcore_idx"]) for row in run.events("nc_exec_running")]

    def dispatched(run: Recorded) -> list[Any]:
        return [(row["name"], round(row["dur"] * 1000)) for row in run.rows("privateuse1_runtime")]

    assert len(hardware(first)) > 60
    assert hardware(first) == hardware(second)
    assert dispatched(first) == dispatched(second)
    for run in (first, second):
        assert_nested(run.rows("cpu_op") + run.rows("user_annotation") + run.rows("privateuse1_runtime"))
    assert len({row["tid"] for row in first.rows("privateuse1_runtime")}) == 2  # autograd has its own thread


def test_fused_forward_and_backward_are_one_row_each(profile: Callable[..., Recorded]) -> None:
    x = torch.randn(8, 32, device="neuron", requires_grad=True)
    run = profile(lambda: torch.autograd.grad(torch.rms_norm(x, (32,), None, 1e-5).sum(), x))
    names = Counter(row["name"] for row in run.rows("cpu_op"))
    assert names["aten::_fused_rms_norm"] == names["aten::_fused_rms_norm_backward"] == 1
    dispatched = Counter(row["name"] for row in run.rows("privateuse1_runtime"))
    assert dispatched["aten::_fused_rms_norm"] == dispatched["aten::_fused_rms_norm_backward"] == 1


def test_a_compiled_function_is_one_region_and_one_execution(profile: Callable[..., Recorded]) -> None:
    x, weight = torch.randn(8, 32, device="neuron"), torch.ones(32, device="neuron")
    compiled = torch.compile(rms_norm, backend="neuron")
    run = profile(lambda: compiled(x, weight))
    (region,) = [row for row in run.rows("cpu_op") if row["name"].startswith("Torch-Compiled Region: ")]
    (dispatch,) = run.rows("privateuse1_runtime")
    assert dispatch["args"]["External id"] == region["args"]["External id"]
    assert dispatch["name"].startswith("model_default")
    assert len(run.events("nc_exec_running")) == 2
    assert not [row for row in run.rows("cpu_op") if row["name"] == "aten::mul"]


def test_a_graph_break_gives_two_regions_and_two_executions(profile: Callable[..., Recorded]) -> None:
    x = torch.randn(8, 8, device="neuron")

    @torch.compile(backend="neuron")
    def broken(x: torch.Tensor) -> torch.Tensor:
        y = x * 2
        torch._dynamo.graph_break()
        return y + 1

    run = profile(lambda: broken(x))
    regions = [row for row in run.rows("cpu_op") if row["name"].startswith("Torch-Compiled Region: ")]
    owners = [row["args"]["External id"] for row in run.rows("privateuse1_runtime")]
    assert owners == [region["args"]["External id"] for region in regions] and len(owners) == 2
    assert len(run.events("nc_exec_running")) == 4
    assert_nested(run.rows("cpu_op") + run.rows("privateuse1_runtime"))


def test_copies_have_no_hardware_row(profile: Callable[..., Recorded]) -> None:
    host = torch.randn(64, 64)
    run = profile(lambda: host.to("neuron").cpu())
    assert len(run.events("nrta_tensor_write")) == len(run.events("nrta_tensor_read")) == 1
    assert not run.events("nc_exec_running") and not run.events("nrta_execute_schedule")
    for name in ("nrta_tensor_write", "nrta_tensor_read"):
        assert json.loads(run.events(name)[0]["extra_attributes_json"])["size"] == 64 * 64 * 4


def test_copies_stand_on_tracks_of_their_own(profile: Callable[..., Recorded]) -> None:
    host, there = torch.randn(64, 64), torch.randn(64, 64, device="neuron")
    run = profile(lambda: (host.to("neuron"), there * there, there.cpu(), there.to("neuron:1")))
    events = neuron_nbprof.open(run.folder).events
    tracks = dict(zip(events["name"], events["track"], strict=True))
    way = "neuron_rt/NC:0/{}".format
    assert tracks["nrta_tensor_write"] == way("HtoD")
    assert tracks["nrta_tensor_read"] == way("DtoH")
    assert tracks["nrta_tensor_copy"] == way("DtoD")
    assert tracks["nrta_execute_schedule"] == tracks["kbl_exec_wait"] == "neuron_rt/NC:0"


def test_torchs_own_table_shows_the_time_of_the_hardware_lane(profile: Callable[..., Recorded]) -> None:
    run = profile(naive())
    spans: dict[str, tuple[int, int]] = {}
    for wait in run.events("kbl_exec_wait"):
        rows = [row for row in run.events("nc_exec_running") if row["flow_id"] == wait["flow_id"][1:]]
        spans[wait["flow_id"][0]] = (min(r["start_ts"] for r in rows), max(r["end_ts"] for r in rows))
    expected: Counter[str] = Counter()
    for row in run.rows("privateuse1_runtime"):
        start, end = spans.get(str(row["args"]["nrt_sequence_id"]), (0, 0))
        expected[row["name"].partition(".")[0]] += end - start
    averages = run.averages()
    for name in ("aten::mul", "aten::mean", "aten::add", "aten::rsqrt"):
        assert averages[name].self_device_time_total == pytest.approx(expected[name] / 1000)
    table = run.profiler.key_averages().table(sort_by="self_privateuse1_time_total")
    assert "Self NEURON" in table and "Self NEURON time total" in table


def test_device_time_survives_torchs_removal_of_repeated_rows(profile: Callable[..., Recorded]) -> None:
    """`x.sum()` shows as aten::sum in aten::sum, of which torch's table keeps one."""
    x = torch.randn(64, 64, device="neuron")
    averages = profile(lambda: x.sum()).averages()
    assert averages["aten::sum"].self_device_time_total > 0


@pytest.mark.parametrize("options", [{"record_shapes": True}, {"profile_memory": True}, {"with_flops": True}])
def test_documented_profiler_options_work(options: dict[str, bool], profile: Callable[..., Recorded]) -> None:
    run = profile(naive(), **options)
    assert len(run.events("nc_exec_running")) == 12


def lanes(run: Recorded) -> list[tuple[Any, ...]]:
    """Everything of the runtime and hardware lanes, in ns since the first of it."""
    rows = [row for row in run.system if row["trace_event_source"] in ("neuron_rt", "neuron_hw")]
    first = min(row["start_ts"] for row in rows)
    return sorted(
        (row["start_ts"] - first, row["duration_ns"], row["name"], row["pcore_idx"]) for row in rows
    )


@pytest.mark.parametrize("make", [naive, training_step])
def test_python_between_operators_does_not_move_the_device_lanes(
    make: Callable[[], Any], profile: Callable[..., Recorded]
) -> None:
    step = make()

    def dawdling(pause: float) -> Callable[[], Any]:
        return lambda: (time.sleep(pause), step(), time.sleep(pause))

    quick, slow, slower = (lanes(profile(dawdling(pause))) for pause in (0.0, 0.003, 0.006))
    assert quick == slow == slower


def test_pauses_between_two_operators_do_not_move_them_either(profile: Callable[..., Recorded]) -> None:
    x = torch.randn(8, 8, device="neuron")

    def dawdling(pause: float) -> Callable[[], Any]:
        return lambda: (x * x, time.sleep(pause), x + x, time.sleep(pause), x * x)

    assert lanes(profile(dawdling(0.0))) == lanes(profile(dawdling(0.004)))


def test_a_pause_of_the_user_stays(profile: Callable[..., Recorded]) -> None:
    x = torch.randn(8, 8, device="neuron")
    run = profile(lambda: (x * x, torch.neuron.synchronize(), time.sleep(0.1), x * x))
    first, second = sorted({row["start_ts"] for row in run.events("nrta_execute_schedule")})
    assert 100e6 <= second - first < 1e9
