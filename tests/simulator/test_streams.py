"""Streams, events and cores at work: what waits for what, and what a capture shows of it."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest
import torch

import neuron_nbprof
from neuron_nbprof.simulator import streams

from .conftest import Recorded

Profile = Callable[..., Recorded]
CORES = 4  # of a Trainium2, LNC=2


def device(core: int) -> torch.device:
    return torch.device("neuron", core)


# --- streams and events, as PyTorch offers them ---


@pytest.mark.parametrize("place", ["torch", "torch.neuron"])
def test_a_stream_is_current_where_it_was_entered(place: str) -> None:
    make = torch.Stream if place == "torch" else torch.neuron.Stream
    stream, other = make(device="neuron"), make(device="neuron:2")
    assert isinstance(stream, torch.Stream) and isinstance(stream, torch.neuron.Stream)
    assert stream != other and other.device == device(2)
    default = torch.accelerator.current_stream()
    assert default == torch.neuron.default_stream() and default.stream_id == 0
    with stream:
        assert torch.neuron.current_stream() == torch.accelerator.current_stream() == stream
        with other:
            assert torch.neuron.current_device() == 2 and torch.neuron.current_stream() == other
            assert torch.neuron.current_stream(0) == stream
            with stream, stream:
                assert torch.neuron.current_device() == 0
        assert torch.neuron.current_device() == 0 and torch.neuron.current_stream() == stream
    assert torch.neuron.current_stream() == default
    with torch.neuron.stream(stream):
        assert torch.neuron.current_stream() == stream
    with torch.neuron.stream(None):
        assert torch.neuron.current_stream() == default
    torch.accelerator.set_stream(other)
    assert torch.neuron.current_device() == 2


def test_streams_of_other_devices_are_made_as_before() -> None:
    stream = torch.Stream(stream_id=5, device_index=0, device_type=1)
    assert stream.device == torch.device("cuda", 0) and not isinstance(stream, torch.neuron.Stream)
    assert isinstance(stream, torch.Stream) and issubclass(torch.neuron.Stream, torch.Stream)

    class Own(torch.Stream):
        pass

    assert isinstance(torch.Event("cpu"), torch.Event)
    assert not isinstance(stream, Own)


def test_everything_of_a_stream_and_an_event_can_be_called() -> None:
    first, second, event = torch.neuron.Stream(), torch.neuron.Stream(), torch.neuron.Event()
    event.wait(first)  # nothing to wait for yet
    assert first.record_event(event) is event and isinstance(first.record_event(), torch.Event)
    second.wait_event(event)
    second.wait_stream(first)
    assert first.query() and event.query()
    first.synchronize()
    event.synchronize()
    torch.ones(2, device="neuron").record_stream(first)


def running(run: Recorded) -> dict[int, list[tuple[int, int]]]:
    """When each physical core ran, by logical core."""
    found: dict[int, list[tuple[int, int]]] = {}
    for row in sorted(run.events("nc_exec_running"), key=lambda row: row["start_ts"]):
        found.setdefault(row["nc_idx"], []).append((row["start_ts"], row["end_ts"]))
    return found


def test_two_cores_work_at_the_same_time(profile: Profile) -> None:
    a, b = torch.ones(64, 64, device="neuron:0"), torch.ones(64, 64, device="neuron:1")

    def both() -> None:
        for _ in range(2):
            a * a
            b * b
        torch.neuron.synchronize(1)

    run = profile(both)
    assert sorted(running(run)) == [0, 1] and [len(rows) for rows in running(run).values()] == [4, 4]
    first, second = running(run)[0][0], running(run)[1][0]
    assert first[0] < second[0] < first[1] < second[1]  # the second began while the first ran
    pairs = {(row["nc_idx"], row["pcore_idx"]) for row in run.events("nc_exec_running")}
    assert pairs == {(0, 4), (0, 5), (1, 6), (1, 7)}
    assert {row["nc_idx"] for row in run.events("nrta_execute_schedule")} == {0, 1}
    assert {row["tid"] for row in run.rows("privateuse1_driver")} == {0, 1}
    profile_ = neuron_nbprof.open(run.folder)
    tracks = {track.label for track in profile_.trace.tracks}
    assert {"NC0:4", "NC0:5", "NC1:6", "NC1:7"} <= {label.rpartition("/")[2] for label in tracks}
    assert profile_.summary()["executions"] == 4
    for chain in profile_.chains("aten::mul"):
        cores = [profile_.trace.tracks[profile_.trace.track[node]].label for node in chain.nodes]
        assert len({label.rpartition("/NC")[2].lstrip(":")[0] for label in cores if "/NC" in label}) == 1


@pytest.mark.parametrize("lnc", [1, 2])
def test_physical_cores_are_shared_by_no_two_logical_ones(lnc: int, monkeypatch: pytest.MonkeyPatch) -> None:
    from neuron_nbprof.simulator.settings import CHIPS, Settings

    for chip, facts in CHIPS.items():
        if lnc in facts.lnc:
            settings = Settings(chip, lnc=lnc)
            numbers = [n for core in range(settings.cores) for n in settings.physical(core)]
            assert sorted(numbers) == list(range(facts.cores))


def test_a_copy_from_core_to_core_waits_for_the_one_and_holds_the_other(profile: Profile) -> None:
    a = torch.ones(1024, 1024, device="neuron:0")

    def handed_on() -> torch.Tensor:
        b = (a * a).to("neuron:1")
        return b + b

    run = profile(handed_on)
    (copied,) = run.events("nrta_tensor_copy")
    (multiplied, *_), (added, *_) = running(run)[0], running(run)[1]
    assert multiplied[1] <= copied["start_ts"] and copied["end_ts"] <= added[0]
    assert copied["nc_idx"] == 0 and json.loads(copied["extra_attributes_json"])["size"] == 4 * 1024**2
    # 8 us and 4 MiB at 2 x 368 GB/s
    assert copied["duration_ns"] == pytest.approx(8_000 + 4 * 1024**2 / 736, abs=2)
    assert not run.events("nrta_tensor_read") and not run.events("nrta_tensor_write")


def test_a_copy_runs_beside_the_computation_of_another_stream(profile: Profile) -> None:
    a, host = torch.ones(512, 512, device="neuron"), torch.ones(2048, 2048)
    side = torch.neuron.Stream()

    def one_stream() -> None:
        host.to("neuron", non_blocking=True)
        a * a

    def two_streams() -> None:
        with side:
            host.to("neuron", non_blocking=True)
        a * a

    def order(run: Recorded) -> bool:
        (written,) = run.events("nrta_tensor_write")
        return running(run)[0][0][0] < written["end_ts"]

    assert not order(profile(one_stream))
    run = profile(two_streams)
    assert order(run)
    assert sorted(row["tid"] for row in run.rows("privateuse1_driver")) == [0, CORES]
    assert {row["framework_stream_id"] for row in run.events("nrta_tensor_write")} == {str(CORES)}
    sequences = [row["args"]["nrt_sequence_id"] for row in run.rows("privateuse1_driver")]
    assert len({sequence >> 48 for sequence in sequences}) == 2  # an execution unit for each


def test_a_core_computes_one_thing_at_a_time_whatever_the_streams(profile: Profile) -> None:
    a = torch.ones(64, 64, device="neuron")
    sides = [torch.neuron.Stream() for _ in range(2)]

    def spread() -> None:
        for side in sides:
            with side:
                a * a
                a + a

    rows = [
        row
        for row in sorted(profile(spread).events("nc_exec_running"), key=lambda r: r["start_ts"])
        if row["pcore_idx"] == 4
    ]
    assert len(rows) == 4
    assert all(later["start_ts"] > row["end_ts"] for row, later in pairwise(rows))


def test_a_stream_waits_for_an_event_of_another_one(profile: Profile) -> None:
    a, side = torch.ones(64, 64, device="neuron:0"), torch.neuron.Stream(device="neuron:1")
    b = torch.ones(64, 64, device="neuron:1")

    def apart(wait: bool) -> Callable[[], None]:
        def step() -> None:
            a * a
            done = torch.neuron.current_stream().record_event()
            a * a
            with side:
                if wait:
                    side.wait_event(done)
                b * b
            side.synchronize()

        return step

    free, held = running(profile(apart(False))), running(profile(apart(True)))
    assert free[1][0][0] < free[0][0][1]  # began while the first one still ran
    assert held[0][1][1] <= held[1][0][0] < held[0][3][1]  # after the first one, not after the second one


def test_backward_runs_in_the_stream_in_which_it_is_called(profile: Profile) -> None:
    weight, side = torch.ones(8, 8, device="neuron", requires_grad=True), torch.neuron.Stream()

    def step() -> None:
        with side:
            (weight * weight).sum().backward()
        weight.grad = None

    run = profile(step)
    assert {row["tid"] for row in run.rows("privateuse1_driver")} == {CORES}


def test_the_same_code_gives_the_same_lanes_whichever_streams_it_makes(profile: Profile) -> None:
    a = torch.ones(64, 64, device="neuron")

    def step() -> None:
        side = torch.neuron.Stream()  # a new one each time
        with side:
            a * a
        torch.neuron.current_stream().wait_stream(side)
        a + a

    def lanes(run: Recorded) -> list[Any]:
        rows = [row for row in run.system if row["trace_event_source"] != "framework"]
        first = min(row["start_ts"] for row in rows)
        return sorted(
            (row["start_ts"] - first, row["duration_ns"], row["name"], row["framework_stream_id"] or "")
            for row in rows
        )

    assert lanes(profile(step)) == lanes(profile(step))


def test_the_host_waits_for_what_it_was_told_to(profile: Profile) -> None:
    a, b = torch.ones(64, 64, device="neuron:0"), torch.ones(64, 64, device="neuron:1")

    def waiting(wait: Callable[[], None]) -> tuple[int, int, int]:
        def step() -> None:
            a * a
            b * b
            wait()
            a[0, 0]  # a view: no work of the device
            torch.neuron.synchronize(0), torch.neuron.synchronize(1)

        run = profile(step)
        first = min(run.rows("cpu_op"), key=lambda row: row["ts"] if "synchronize" in row["name"] else 1e99)
        base = run.trace["baseTimeNanoseconds"]
        end = base + round((first["ts"] + first["dur"]) * 1000)
        return end, max(running(run)[0])[1], max(running(run)[1])[1]

    end, first, second = waiting(lambda: torch.neuron.synchronize(0))
    assert first < end < second
    end, first, second = waiting(lambda: torch.neuron.default_stream(1).synchronize())
    assert first < second < end


def test_elapsed_time_is_the_modelled_one_and_always_the_same(profile: Profile) -> None:
    a = torch.ones(64, 64, device="neuron")

    def measured() -> float:
        start, end = torch.Event(enable_timing=True), torch.neuron.Event(enable_timing=True)
        start.record()
        for _ in range(3):
            a * a
        end.record()
        end.synchronize()
        return start.elapsed_time(end)

    outside = {measured() for _ in range(3)}
    assert len(outside) == 1
    found: list[float] = []
    run = profile(lambda: found.append(measured()))
    core = [row for row in run.events("nc_exec_running") if row["pcore_idx"] == 4]
    span = (core[-1]["end_ts"] - core[0]["start_ts"]) / 1e6
    assert len(core) == 3 and span < found[-1] < span + 0.05  # ms: launch and completion come on top
    assert streams.recorder.timed == 0 and not streams.recorder.on  # nothing is recorded any longer


def test_events_that_cannot_tell_the_time() -> None:
    plain, timing, other = torch.Event(), torch.Event(enable_timing=True), torch.Event(enable_timing=True)
    with pytest.raises(ValueError, match="enable_timing=True"):
        plain.elapsed_time(timing)
    with pytest.raises(ValueError, match="recorded before"):
        timing.elapsed_time(other)


def test_strictly_only_what_was_waited_for_is_reported(tmp_path: Any) -> None:
    from torch.profiler import ProfilerActivity
    from torch_neuronx.profiling import NeuronConfig, NeuronProfiler, ProfileMode

    a, b = torch.ones(4, device="neuron:0"), torch.ones(4, device="neuron:1")
    side = torch.neuron.Stream()

    def executions(name: str, wait: Callable[[], Any]) -> list[int]:
        config = NeuronConfig(modes=[ProfileMode.RUNTIME], profile_output_dir=str(tmp_path / name))
        with torch.profiler.profile(
            activities=[ProfilerActivity.CPU, ProfilerActivity.PrivateUse1],
            experimental_config=config,
            on_trace_ready=NeuronProfiler(config).export_trace,
        ):
            a * a
            event = torch.neuron.current_stream().record_event()
            a + a
            b * b
            with side:
                a - a
            wait(event)
        trace = neuron_nbprof.open(tmp_path / name).events
        rows = trace[trace["name"] == "nrta_execute_schedule"]
        return sorted(int(track.rpartition("NC:")[2]) for track in rows["track"])

    neuron_nbprof.simulate(strict_sync=True)
    try:
        assert executions("nothing", lambda event: None) == []
        assert executions("core 0", lambda event: torch.neuron.synchronize(0)) == [0, 0, 0]
        assert executions("core 1", lambda event: torch.neuron.synchronize(1)) == [1]
        assert executions("stream", lambda event: side.synchronize()) == [0]
        assert executions("event", lambda event: event.synchronize()) == [0]
    finally:
        neuron_nbprof.simulate(strict_sync=False)


def test_the_magic_waits_for_every_core(tmp_path: Any) -> None:
    a, b = torch.ones(4, device="neuron:0"), torch.ones(4, device="neuron:3")
    neuron_nbprof.simulate(strict_sync=True)
    try:
        with neuron_nbprof.record("x", out=tmp_path) as profile:
            a * a
            b * b
    finally:
        neuron_nbprof.simulate(strict_sync=False)
    assert profile.summary()["executions"] == 2
