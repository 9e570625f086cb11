"""Recording without IPython."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
import torch

import neuron_nbprof
from neuron_nbprof import CaptureError, Profile


def facts(folder: Path) -> dict[str, Any]:
    (path,) = folder.glob("*/capture.json")
    return json.loads(path.read_text())


def test_a_block_becomes_a_profile(tmp_path: Path) -> None:
    x = torch.ones(4, device="neuron")
    with neuron_nbprof.record("block", out=tmp_path) as profile:
        with pytest.raises(CaptureError, match="is there when the block"):
            profile.summary()
        assert "not ended" in repr(profile)
        x * x + x
    assert type(profile) is Profile and profile.title == "block" and profile.simulated
    assert profile.summary()["executions"] == 2
    assert facts(tmp_path)["runs"] == {"unrecorded": 0, "warmup": 0, "recorded": 1}


def test_a_block_may_await(tmp_path: Path) -> None:
    async def work() -> Profile:
        with neuron_nbprof.record("awaited", out=tmp_path, device="host") as profile:
            await asyncio.sleep(0.01)
            torch.ones(2) + 1
        return profile

    averages = asyncio.run(work()).key_averages()
    assert "aten::add" in set(averages["name"])


@pytest.mark.parametrize("error", [ZeroDivisionError("x"), KeyboardInterrupt(), SystemExit(3)])
def test_what_a_block_raises_goes_through_and_its_profile_stays(error: BaseException, tmp_path: Path) -> None:
    x = torch.ones(4, device="neuron")
    with pytest.raises(type(error)) as caught, neuron_nbprof.record("failing", out=tmp_path) as profile:
        x * x
        raise error
    assert caught.value is error and not torch.autograd._profiler_enabled()
    assert profile.summary()["executions"] == 1
    assert facts(tmp_path)["error"].startswith(type(error).__name__)


def test_a_block_in_a_block_is_refused(tmp_path: Path) -> None:
    with (
        neuron_nbprof.record("outer", out=tmp_path / "outer"),
        pytest.raises(CaptureError, match="active already"),
        neuron_nbprof.record("inner", out=tmp_path / "inner"),
    ):
        pass
    assert not (tmp_path / "inner").exists()


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"modes": ("gpu",)}, "no mode 'gpu'"),
        ({"cores": "5-2"}, "runs backwards"),
        ({"frobnicate": 1}, "record\\(\\) takes no such option"),
        ({"device": "gpu"}, "no device 'gpu'"),
    ],
)
def test_wrong_options_are_one_sentence(options: dict[str, Any], sentence: str, tmp_path: Path) -> None:
    with pytest.raises(CaptureError, match=sentence), neuron_nbprof.record("x", out=tmp_path, **options):
        raise AssertionError("the block ran")


def test_an_existing_loop_writes_a_session_for_each_cycle(tmp_path: Path) -> None:
    out = tmp_path / "loop"
    with torch.profiler.profile(
        schedule=torch.profiler.schedule(wait=0, warmup=1, active=1, repeat=2),
        on_trace_ready=neuron_nbprof.handler(out),
        acc_events=True,
    ) as profiler:
        for _ in range(4):
            torch.ones(3) * 2
            profiler.step()
    assert len(neuron_nbprof.sessions(out)) == 2
    profile = neuron_nbprof.open(out)
    assert profile.title == "loop" and "aten::mul" in set(profile.key_averages()["name"])
    assert json.loads((out / "capture.json").read_text())["device"] == "host"


def test_a_loop_with_a_neuron_config_keeps_the_runtimes_place(tmp_path: Path) -> None:
    from torch_neuronx.profiling import NeuronConfig

    config = NeuronConfig(profile_output_dir=str(tmp_path / "there"))
    x = torch.ones(4, device="neuron")
    with torch.profiler.profile(
        activities=[torch.profiler.ProfilerActivity.CPU, torch.profiler.ProfilerActivity.PrivateUse1],
        experimental_config=config,
        on_trace_ready=neuron_nbprof.handler(tmp_path / "here"),
    ):
        x * x
        torch.neuron.synchronize()
    assert neuron_nbprof.open(tmp_path / "there").summary()["executions"] == 1
    assert not (tmp_path / "here").exists()


def test_a_loop_whose_folder_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with (
        pytest.raises(CaptureError, match="No capture can be written"),
        torch.profiler.profile(on_trace_ready=neuron_nbprof.handler(tmp_path / "file")),
    ):
        torch.ones(2)
    assert not torch.autograd._profiler_enabled()
