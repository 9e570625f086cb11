"""What user code imports from `torch_neuronx`, for the simulated device."""

from __future__ import annotations

import enum
import os
import sys
import tempfile
import types
from collections import defaultdict
from importlib.machinery import ModuleSpec
from pathlib import Path
from typing import Any

import msgspec
import torch
from torch._C._profiler import _ExperimentalConfig

from ..errors import SimulatorError
from . import artifacts, averages
from .placement import HostEvents, place
from .presets import cost_model
from .recorder import Kind, Record, recorder
from .schedule import Submission, simulate
from .settings import current

_SLACK = 2_000  # ns: the recorder's clock and Kineto's agree within a microsecond


class ProfileMode(enum.Enum):
    """Streams of data that a capture can hold."""

    DEVICE = "device"
    RUNTIME = "runtime"
    CPU_UTIL = "cpu_util"
    HOST_MEMORY = "host_memory"


class NeuronConfig(_ExperimentalConfig):
    """What to capture; goes to `torch.profiler.profile` as ``experimental_config``.

    The simulated device always writes the RUNTIME stream; of DEVICE it writes placeholders that say so, and
    of the others nothing.  `capture_enabled_for_nc` (``0,2-5``) are the cores whose runtime and hardware rows
    are written, of each the last `max_events_per_nc`.
    """

    def __init__(
        self,
        modes: list[ProfileMode] | None = None,
        profile_output_dir: str | os.PathLike[str] = "./output",
        capture_enabled_for_nc: str | None = None,
        max_events_per_nc: int = 1_000_000,
        correlate_device_time: bool = False,
        **options: Any,
    ) -> None:
        super().__init__()
        self.modes = [ProfileMode.DEVICE, ProfileMode.RUNTIME] if modes is None else list(modes)
        self.profile_output_dir = profile_output_dir
        self.capture_enabled_for_nc = capture_enabled_for_nc
        self.max_events_per_nc = max_events_per_nc
        self.correlate_device_time = correlate_device_time
        self.options = options


class NeuronProfiler:
    """Writes captures; ``export_trace`` goes to `torch.profiler.profile` as ``on_trace_ready``."""

    def __init__(self, config: NeuronConfig) -> None:
        self.config = config

    def export_trace(self, profiler: torch.profiler.profile) -> None:
        """Write one capture folder and, if asked to, give torch's own tables the device's times."""
        model = cost_model()
        trace = artifacts.FrameworkTrace(_kineto_trace(profiler))
        records = recorder.take(trace.origin - _SLACK, trace.origin + trace.end + _SLACK)
        host = HostEvents(trace.host_rows(), trace.to_ns)
        clock, submissions, recorder.marks = simulate(
            place(records, host, trace.origin), model, host.boundaries()
        )
        if current().strict_sync:
            submissions = _reported(submissions, records)
        trace.move(clock)
        trace.add(submissions, model)
        folder = artifacts.session_folder(self.config.profile_output_dir, trace.origin)
        limits = artifacts.Limits(self.config.capture_enabled_for_nc, self.config.max_events_per_nc)
        artifacts.write_tables(folder, trace, submissions, model, limits)
        if ProfileMode.DEVICE in self.config.modes:
            artifacts.write_placeholders(folder, submissions)
        trace.write(folder / "trace.json")
        if self.config.correlate_device_time:
            averages.correlate(profiler.profiler, clock, submissions, trace.origin)


def _reported(submissions: list[Submission], records: list[Record]) -> list[Submission]:
    """What the device has reported when the window closes: all that the host has waited for."""
    marked = {record.mark: record for record in records if record.kind is Kind.MARK}
    waited: dict[tuple[int, int | None], int] = defaultdict(int)
    for record in records:
        # An event stands for all that its stream had been given when it was recorded.
        wait = marked.get(record.mark) if record.mark else record
        if wait is not None and record.kind in (Kind.READ, Kind.SYNCHRONIZE):
            waited[wait.core, wait.stream] = max(waited[wait.core, wait.stream], wait.started)

    def done(work: Record) -> bool:
        return work.started <= max(waited[work.core, None], waited[work.core, work.stream])

    return [submission for submission in submissions if done(submission.placed.record)]


def _kineto_trace(profiler: torch.profiler.profile) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "trace.json"
        profiler.export_chrome_trace(str(path))
        try:
            return msgspec.json.decode(path.read_bytes())
        except msgspec.DecodeError as error:
            raise SimulatorError(
                f"PyTorch wrote a trace that is not valid JSON ({error}); profile without with_stack."
            ) from None


def register() -> None:
    """Put the shim where ``import torch_neuronx`` finds it."""
    package = _module("torch_neuronx", is_package=True)
    package.simulated = True
    package.synchronize = lambda device=None: torch.neuron.synchronize(device)
    profiling = _module("torch_neuronx.profiling", is_package=False)
    profiling.NeuronConfig, profiling.NeuronProfiler, profiling.ProfileMode = (
        NeuronConfig,
        NeuronProfiler,
        ProfileMode,
    )
    package.profiling = profiling


def _module(name: str, *, is_package: bool) -> Any:
    module = types.ModuleType(name, "Simulated by neuron_nbprof.")
    module.__spec__ = ModuleSpec(name, None, is_package=is_package)
    if is_package:
        module.__path__ = []
    sys.modules[name] = module
    return module
