"""A double of torch_neuronx as AWS documents it: strict about what it is given, misbehaving on request.

The simulated device plays the hardware.  Nothing here is known from a real device.
"""

from __future__ import annotations

import enum
import json
import sys
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import torch

from neuron_nbprof import simulator

SESSION = "i-0123456789abcdef0_pid_4242/1790857027000000000"


class ProfileMode(enum.Enum):
    DEVICE = 1
    RUNTIME = 2
    CPU_UTIL = 3
    HOST_MEMORY = 4


@dataclass
class Neuron:
    """The device behind the double: what it was asked, and in which way it misbehaves."""

    synchronised: bool = False
    configs: int = 0
    last: Any = None
    writes_trace: bool = True
    empty_ntff: bool = False
    export_fails: Exception | None = None


def _config(neuron: Neuron) -> type:
    class NeuronConfig(torch._C._profiler._ExperimentalConfig):
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
            self.given = dict(
                modes=modes, out=profile_output_dir, events=max_events_per_nc, cores=capture_enabled_for_nc,
                cache=neff_cache_dir, correlate=correlate_device_time,
            )  # fmt: skip
            neuron.configs, neuron.last, neuron.synchronised = neuron.configs + 1, self, False

    return NeuronConfig


def _older_config(neuron: Neuron) -> type:
    class NeuronConfig(torch._C._profiler._ExperimentalConfig):
        """As it was before device times could be correlated and rings be sized."""

        def __init__(self, modes: list[ProfileMode], profile_output_dir: str) -> None:
            super().__init__()
            self.given = dict(modes=modes, out=profile_output_dir)
            neuron.configs, neuron.last, neuron.synchronised = neuron.configs + 1, self, False

    return NeuronConfig


def _profiler(neuron: Neuron) -> type:
    class NeuronProfiler:
        def __init__(self, config: Any) -> None:
            assert config is neuron.last
            self._config = config

        def export_trace(self, profiler: torch.profiler.profile) -> None:
            if neuron.export_fails:
                raise neuron.export_fails
            if not neuron.writes_trace:
                return
            session = Path(self._config.given["out"]) / SESSION
            session.mkdir(parents=True)
            assert profiler.experimental_config is self._config
            profiler.export_chrome_trace(str(session / "trace.json"))
            trace = json.loads((session / "trace.json").read_text())
            trace["traceEvents"] += self._device_rows(trace["traceEvents"])
            (session / "trace.json").write_text(json.dumps(trace))
            (session / "ntrace.pb").write_bytes(b"\x00\x01raw")
            if neuron.empty_ntff:
                (session / "profile_nc_1_session_0.ntff").touch()

        def _device_rows(self, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
            """Without a synchronise in the window the device has not reported anything yet."""
            operators = [row for row in rows if row.get("cat") == "cpu_op" and row["name"] == "aten::mul"]
            return [
                {
                    **row,
                    "cat": "privateuse1_driver",
                    "tid": 0,
                    "args": {"External id": row["args"]["External id"], "nrt_sequence_id": (1 << 48) | n},
                }
                for n, row in enumerate(operators if neuron.synchronised else [], 1)
            ]

    return NeuronProfiler


def install(
    monkeypatch: pytest.MonkeyPatch, *, older: bool = False, synchronize: str = "torch.neuron"
) -> Neuron:
    """Put the double where ``import torch_neuronx`` finds it; `synchronize` is the module that has it."""
    neuron = Neuron()
    package, profiling = ModuleType("torch_neuronx"), ModuleType("torch_neuronx.profiling")
    package.profiling = profiling  # type: ignore[attr-defined]
    profiling.ProfileMode = ProfileMode  # type: ignore[attr-defined]
    profiling.NeuronConfig = (_older_config if older else _config)(neuron)  # type: ignore[attr-defined]
    profiling.NeuronProfiler = _profiler(neuron)  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "torch_neuronx", package)
    monkeypatch.setitem(sys.modules, "torch_neuronx.profiling", profiling)
    monkeypatch.setattr(simulator, "_installed", None)

    def wait(device: Any = None) -> None:
        neuron.synchronised = True

    device = ModuleType("torch.neuron")
    device.is_available = lambda: True  # type: ignore[attr-defined]
    if synchronize == "torch.neuron":
        device.synchronize = wait  # type: ignore[attr-defined]
    elif synchronize == "torch_neuronx":
        package.synchronize = wait  # type: ignore[attr-defined]
    monkeypatch.setattr(torch, "neuron", device)
    return neuron
