"""Choosing a device, and the real one through a double that accepts nothing but the documented interface."""

from __future__ import annotations

import enum
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import torch

from neuron_nbprof import capture, simulator
from neuron_nbprof.capture import CaptureOptions
from neuron_nbprof.errors import CaptureError


class ProfileMode(enum.Enum):
    DEVICE = 1
    RUNTIME = 2
    CPU_UTIL = 3
    HOST_MEMORY = 4


class NeuronConfig(torch._C._profiler._ExperimentalConfig):
    made: list[NeuronConfig] = []  # noqa: RUF012 - a double for one test process

    def __init__(
        self,
        *,
        modes: list[ProfileMode],
        profile_output_dir: str,
        max_events_per_nc: int = 1_000_000,
        capture_enabled_for_nc: str | None = None,
        neff_cache_dir: str | None = None,
        precache_node_info: bool = True,
        correlate_device_time: bool = False,
    ) -> None:
        super().__init__()
        assert isinstance(modes, list) and all(isinstance(mode, ProfileMode) for mode in modes)
        assert isinstance(profile_output_dir, str)
        self.modes, self.out, self.correlates = modes, profile_output_dir, correlate_device_time
        NeuronConfig.made.append(self)


class NeuronProfiler:
    def __init__(self, config: NeuronConfig) -> None:
        assert type(config) is NeuronConfig
        self._config = config

    def export_trace(self, profiler: torch.profiler.profile) -> None:
        session = Path(self._config.out) / "i-0123456789abcdef0_pid_4242" / "1790857027000000000"
        session.mkdir(parents=True)
        assert profiler.experimental_config is self._config
        profiler.export_chrome_trace(str(session / "trace.json"))


@pytest.fixture
def native(monkeypatch: pytest.MonkeyPatch) -> None:
    """torch_neuronx as the documentation describes it, imported; the simulated device plays the hardware."""
    package, profiling = ModuleType("torch_neuronx"), ModuleType("torch_neuronx.profiling")
    package.profiling = profiling  # type: ignore[attr-defined]
    for member in (ProfileMode, NeuronConfig, NeuronProfiler):
        setattr(profiling, member.__name__, member)
    monkeypatch.setitem(sys.modules, "torch_neuronx", package)
    monkeypatch.setitem(sys.modules, "torch_neuronx.profiling", profiling)
    monkeypatch.setattr(simulator, "_installed", None)


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch) -> None:
    """A process in which no Neuron device of any kind has been asked for."""
    monkeypatch.delitem(sys.modules, "torch_neuronx")
    monkeypatch.delitem(sys.modules, "torch_neuronx.profiling")
    monkeypatch.setattr(simulator, "_installed", None)


def test_a_real_device_is_used_by_its_documented_interface(
    native: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits: list[Any] = []
    monkeypatch.setattr(torch.neuron, "synchronize", lambda *device: waits.append(device), raising=False)
    target = capture.choose("neuron")
    folder = capture.record(
        lambda: torch.ones(2, device="neuron") * 2, target, CaptureOptions("real", tmp_path), lambda *_: None
    )
    config = NeuronConfig.made[-1]
    assert config.modes == [ProfileMode.RUNTIME] and config.correlates
    assert Path(config.out) == folder
    assert len(waits) >= 4  # once after each run
    assert len(list(folder.glob("i-0123456789abcdef0_pid_4242/1790857027000000000/trace.json"))) == 1


def test_auto_prefers_the_real_device(native: None) -> None:
    assert capture.choose("auto").kind == "neuron"
    assert capture.default().kind == "neuron"


def test_auto_simulates_where_there_is_none() -> None:
    assert capture.choose("auto").kind == "simulated"


def test_nothing_is_simulated_that_was_not_asked_for(bare: None) -> None:
    assert capture.default().kind == "host"
    assert not simulator.is_installed()


def test_a_simulated_device_that_was_asked_for_is_the_default() -> None:
    assert capture.default().kind == "simulated"


def test_an_unknown_device() -> None:
    with pytest.raises(CaptureError, match="'gpu'; there are auto, neuron, simulated, host"):
        capture.choose("gpu")
