"""Chips, cores, presets of time, and the strictness of the real device."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch

import neuron_nbprof
from neuron_nbprof import simulator
from neuron_nbprof.errors import SimulatorError
from neuron_nbprof.simulator import settings
from neuron_nbprof.simulator.costs import CostModel
from neuron_nbprof.simulator.presets import CHIPS, cost_model
from neuron_nbprof.simulator.recorder import Kind, Record, TensorFacts
from neuron_nbprof.simulator.refusals import REFUSALS
from neuron_nbprof.simulator.settings import Settings

from .conftest import Recorded

Profile = Callable[..., Recorded]
BF16 = torch.bfloat16


@pytest.fixture(autouse=True)
def as_before(device: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The device of the other tests afterwards."""
    monkeypatch.delenv(settings.LNC_VARIABLE, raising=False)
    yield
    monkeypatch.delenv(settings.LNC_VARIABLE, raising=False)
    simulator.install(chip="trn2", preset="guide", strict_sync=False)


def operation(name: str, *shapes: tuple[int, ...], flops: int = 0) -> Record:
    """The first shapes are inputs, the last is the output; bfloat16."""
    facts = tuple(TensorFacts(shape, BF16, 2 * torch.Size(shape).numel()) for shape in shapes)
    return Record(Kind.EXECUTION, name, 1, 0, 0, 0, 0, facts[:-1], facts[-1:], 0, len(shapes) - 1, flops)


def test_the_default_is_the_model_of_the_guide() -> None:
    model = cost_model(Settings())
    assert {**vars(model), "sources": {}} == {**vars(CostModel()), "sources": {}}


@pytest.mark.parametrize(
    ("chip", "lnc", "title", "tflops"),
    [
        ("trn1", 1, "Trainium1, LNC=1", 92),
        ("trn2", 1, "Trainium2, LNC=1", 79),
        ("trn2", 2, "Trainium2, LNC=2", 158),
        ("trn3", 2, "Trainium3, LNC=2", 158),
    ],
)
def test_chips_and_logical_cores(
    chip: str, lnc: int, title: str, tflops: int, profile: Profile, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(settings.LNC_VARIABLE, str(lnc))
    assert neuron_nbprof.simulate(chip=chip).name == f"SIMULATED {title}" == torch.neuron.get_device_name()
    model = cost_model()
    product = operation("aten::mm", (4096, 4096), (4096, 4096), (4096, 4096), flops=2 * 4096**3)
    assert model.bounds(product)["tensor engine"] == pytest.approx(2 * 4096**3 / (tflops * 1e12))
    x = torch.ones(4, 4, device="neuron")
    run = profile(lambda: x * x)
    assert run.trace["neuron_simulated"]["device"] == title
    assert len(run.events("nc_exec_running")) == lnc


def test_what_was_fitted_elsewhere_is_assumed_here() -> None:
    for chosen in (Settings("trn1", lnc=1), Settings("trn3"), Settings("trn2", lnc=1)):
        facts = cost_model(chosen).describe()
        assert "fitted" not in {c["provenance"] for c in facts["constants"]}
        assert facts["calibrated_to"].startswith("nothing")
        assert facts["resolution"]["device_relative_error"] == 0.5
    assert set(CHIPS) == set(settings.CHIPS)


@pytest.mark.parametrize(
    ("chosen", "lnc", "sentence"),
    [
        ({"chip": "trn9"}, None, "no chip 'trn9' to simulate; there are trn1, trn2, trn3"),
        ({"preset": "fast"}, None, "no preset 'fast'; there are guide, wall-clock"),
        ({"chip": "trn2"}, "4", "NEURON_LOGICAL_NC_CONFIG is '4', and on a Trainium2 it can be 1 or 2"),
        ({"chip": "trn1"}, "2", "on a Trainium1 it can be 1"),
    ],
)
def test_what_cannot_be_simulated_changes_nothing(
    chosen: dict[str, Any], lnc: str | None, sentence: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if lnc:
        monkeypatch.setenv(settings.LNC_VARIABLE, lnc)
    with pytest.raises(SimulatorError, match=sentence):
        simulator.install(**chosen)
    assert settings.current() == Settings()


#: us of wall-clock time, whn09/xpu-perf on one logical core of a trn2: eager chains of n times silu(x + b) at
#: 1024 x 1024, and a product of 1024 x 4096 and 4096 x 4096.  Both bfloat16.
CHAINS = {4: 512.2, 16: 2035, 64: 8236}
PRODUCT = 280.0


@pytest.mark.parametrize("length", CHAINS)
def test_wall_clock_gives_the_measured_chains(length: int, profile: Profile) -> None:
    simulator.install(preset="wall-clock")
    x, b = (torch.randn(1024, 1024, device="neuron", dtype=BF16) for _ in range(2))

    def chain() -> None:
        y = x
        for _ in range(length):
            y = torch.nn.functional.silu(y + b)

    run = profile(chain)
    rows = [row for row in run.system if row["trace_event_source"] == "neuron_hw"]
    first = min(row["ts"] for row in run.rows("cpu_op")) * 1000 + run.trace["baseTimeNanoseconds"]
    took = (max(row["end_ts"] for row in rows) - first) / 1000
    assert took == pytest.approx(CHAINS[length], rel=0.15)


def test_wall_clock_gives_the_measured_product() -> None:
    model = cost_model(Settings(preset="wall-clock"))
    product = operation("aten::mm", (1024, 4096), (4096, 4096), (1024, 4096), flops=2 * 1024 * 4096**2)
    assert model.device_ns(product) / 1000 == pytest.approx(PRODUCT, rel=0.15)
    assert "fitted" not in {c["provenance"] for c in model.describe()["constants"]}


def test_everything_is_printed_with_its_source(capsys: pytest.CaptureFixture[str]) -> None:
    simulator.describe()
    said = capsys.readouterr().out
    assert said.startswith("SIMULATED Trainium2, LNC=2, preset guide\n")
    for constant in CostModel().constants():
        (line,) = [line for line in said.splitlines() if line.startswith(f"  {constant['name']} ")]
        assert constant["provenance"] in line and constant["source"] in line
    assert all(f"  {refusal.what}\n" in said for refusal in REFUSALS) and "scatter" in said
    simulator.install(chip="trn3", preset="wall-clock")
    simulator.describe()
    assert "SIMULATED Trainium3, LNC=2, preset wall-clock" in capsys.readouterr().out


def test_strictly_there_are_no_device_rows_without_a_synchronise(tmp_path: Any) -> None:
    from torch.profiler import ProfilerActivity
    from torch_neuronx.profiling import NeuronConfig, NeuronProfiler, ProfileMode

    x = torch.ones(4, 4, device="neuron")

    def executions(name: str, *, synchronise: bool) -> int:
        config = NeuronConfig(modes=[ProfileMode.RUNTIME], profile_output_dir=str(tmp_path / name))
        with torch.profiler.profile(
            activities=[ProfilerActivity.CPU, ProfilerActivity.PrivateUse1],
            experimental_config=config,
            on_trace_ready=NeuronProfiler(config).export_trace,
        ):
            x * x
            if synchronise:
                torch.neuron.synchronize()
            x + x
        return neuron_nbprof.open(tmp_path / name).summary()["executions"]

    assert executions("lenient", synchronise=False) == 2
    simulator.install(strict_sync=True)
    assert executions("strict", synchronise=False) == 0
    assert executions("half", synchronise=True) == 1


def test_the_device_mode_writes_placeholders_in_pairs(tmp_path: Any) -> None:
    x = torch.ones(4, 4, device="neuron")
    with neuron_nbprof.record("x", out=tmp_path, modes=("runtime", "device")) as profile:
        x * x + x
    assert profile.summary()["executions"] == 2
    neffs, ntffs = (sorted(tmp_path.rglob(f"*.{kind}")) for kind in ("neff", "ntff"))
    assert len(neffs) == len(ntffs) == 2
    numbers = [path.name.removeprefix("neff_").removesuffix("_vnc_0.neff") for path in neffs]
    assert sorted(path.name.removesuffix("_vnc_0.ntff") for path in ntffs) == numbers
    assert all(path.read_text().startswith("SIMULATED: this is a placeholder") for path in [*neffs, *ntffs])
    assert "aten_mul_Tensor.neff" in " ".join(path.read_text() for path in neffs)
