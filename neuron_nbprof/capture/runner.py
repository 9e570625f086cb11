"""Running code under the profiler: unrecorded, as warm-up, recorded."""

from __future__ import annotations

import contextlib
import json
import shutil
import warnings
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import msgspec

from ..errors import CaptureError, NeuronProfilerError
from ..torch_table import TorchTable
from . import preflight
from .options import ONCE, CaptureOptions
from .targets import Target

Report = Callable[[str, int], None]
"""Called with the phase and the number of the run (from 1) before each run."""
CAPTURE_FILE = "capture.json"
#: Torch makes an object of each event for its table; up to here that takes a fraction of a second.
MOST_TRACE_BYTES = 2 << 20

_recording = (
    False  # a profiler that still waits for its turn is invisible to torch, so nesting is noticed here
)


def record(run_once: Callable[[], object], target: Target, options: CaptureOptions, report: Report) -> Path:
    """Run `run_once` as often as the schedule says and return the folder of the capture; see `Recording`."""
    return Recording(target, options).run(run_once, report)


class Recording:
    """One capture in the making.

    What the code raises goes through; the profiler is off afterwards, whatever happens, and a capture that
    was begun stays with its error written down.  Raises `CaptureError` before anything runs when something
    is in the way, such as a profiler that is active already.
    """

    def __init__(self, target: Target, options: CaptureOptions) -> None:
        self.target, self.options = target, options
        self.folder: Path | None = None
        """The capture, once there is something in it that stays."""
        self._torch_table: TorchTable | None = None

    def run(self, run_once: Callable[[], object], report: Report) -> Path:
        """Run `run_once` once for each phase of the schedule."""
        with self.profiling() as profiler:
            for number, phase in enumerate(self.options.schedule.phases, 1):
                report(phase, number)
                run_once()
                self.target.synchronize()
                with self._profilers_part():
                    profiler.step()
        assert self.folder is not None
        return self.folder

    @contextlib.contextmanager
    def once(self) -> Iterator[None]:
        """Record the block, which runs once."""
        with self.profiling():
            yield
            self.target.synchronize()

    @contextlib.contextmanager
    def profiling(self) -> Iterator[Any]:
        """A started `torch.profiler.profile` that is stopped however the block ends."""
        preflight.check(self.target, self.options)
        with _only_profiler():
            folder = _new_folder(self.options)
            error: str | None = None
            try:
                with self._profilers_part():
                    profiler = self._profiler(folder)
                    profiler.start()
                try:
                    yield profiler
                except BaseException:
                    self._stop_after_error(profiler)
                    raise
                with self._profilers_part():
                    profiler.stop()
                self._torch_table = torch_table(profiler, folder)
                if not any(folder.rglob("trace.json")):
                    raise CaptureError(_why_no_trace(folder))
            except BaseException as exception:
                error = f"{type(exception).__name__}: {exception}"
                raise
            finally:
                _switch_off()
                if any(folder.rglob("trace.json")):
                    self.folder = folder
                    with self._profilers_part():
                        describe(folder, self.target, self.options, error, self._torch_table)
                else:
                    shutil.rmtree(folder, ignore_errors=True)

    def _profiler(self, folder: Path) -> Any:
        import torch

        options = self.options
        runs = options.schedule
        with warnings.catch_warnings():
            # Without warm-up torch warns that results may be skewed; whoever leaves it out has asked for it.
            warnings.filterwarnings("ignore", "Profiler won't be using warmup")
            schedule = torch.profiler.schedule(
                wait=runs.wait, warmup=runs.warmup, active=runs.active, repeat=1
            )
        return torch.profiler.profile(
            schedule=None if runs == ONCE else schedule,
            record_shapes=options.record_shapes,
            with_stack=options.with_stack,
            profile_memory=options.profile_memory,
            with_flops=options.with_flops,
            acc_events=True,  # there is one cycle only; without it torch warns about the ones before
            **self.target.profiler_arguments(folder, options),
        )

    def _stop_after_error(self, profiler: Any) -> None:
        """What went wrong first is what matters, so nothing that goes wrong here is told.

        A profiler that was interrupted just before it began must not be stopped: torch would crash.
        """
        try:
            with contextlib.suppress(Exception):
                self.target.synchronize()
        finally:
            if profiler.current_action.name.startswith("RECORD") == preflight.profiler_is_active():
                with contextlib.suppress(Exception):
                    profiler.stop()

    @contextlib.contextmanager
    def _profilers_part(self) -> Iterator[None]:
        """What fails here is not the user's code, so it is told in one sentence."""
        try:
            yield
        except NeuronProfilerError:
            raise
        except OSError as error:
            raise CaptureError(
                f"The capture could not be written below {self.options.out}: {error.strerror or error}."
            ) from None
        except Exception as error:
            raise CaptureError(
                f"The profiler of {self.target.name} failed, {type(error).__name__}: {error}"
            ) from error


@contextlib.contextmanager
def _only_profiler() -> Iterator[None]:
    global _recording
    if _recording or preflight.profiler_is_active():
        raise CaptureError(preflight.ACTIVE_PROFILER)
    _recording = True
    try:
        yield
    finally:
        _recording = False


def _new_folder(options: CaptureOptions) -> Path:
    """A folder of its own for each capture, also within one second."""
    wanted = options.out / f"{options.name}-{datetime.now():%Y%m%d-%H%M%S}"
    candidates = [wanted, *(wanted.with_name(f"{wanted.name}-{number}") for number in range(2, 100))]
    for folder in candidates:
        with contextlib.suppress(FileExistsError):
            folder.mkdir(parents=True)
            return folder
    raise CaptureError(f"{wanted} and 98 folders named after it exist already.")


def torch_table(profiler: Any, folder: Path) -> TorchTable | None:
    """What torch's own `key_averages()` says of device time, to be compared with the trace; None where the
    trace is so large that making that table would take seconds, or where torch fails at it."""
    if sum(path.stat().st_size for path in folder.rglob("trace.json")) > MOST_TRACE_BYTES:
        return None
    with contextlib.suppress(Exception):  # the capture is good without it
        return TorchTable.of(profiler.key_averages())
    return None


def _why_no_trace(folder: Path) -> str:
    """PyTorch's own writer says nothing when it fails."""
    if shutil.disk_usage(folder).free < preflight.LEAST_FREE_BYTES:
        return f"The capture could not be written to {folder}: the disk is full."
    return "The profiler wrote no trace, although the code ran to its end."


def _switch_off() -> None:
    """No profiler was active before this one, so one that still is has been interrupted while it stopped."""
    if preflight.profiler_is_active():
        import torch

        with contextlib.suppress(Exception):
            torch.autograd._disable_profiler()


def describe(
    folder: Path,
    target: Target,
    options: CaptureOptions,
    error: str | None = None,
    torch_table: TorchTable | None = None,
) -> None:
    """Write down beside a capture what it is of."""
    import torch

    from .._version import __version__

    runs = options.schedule
    facts: dict[str, Any] = {
        "version": 1,
        "name": options.name,
        "kernel_id": options.kernel_id,
        "notebook": options.notebook,
        "source": options.source,
        "device": target.kind,
        "device_name": target.name,
        "simulated": target.kind == "simulated",
        "created": datetime.now().astimezone().isoformat(timespec="seconds"),
        "runs": {"unrecorded": runs.wait, "warmup": runs.warmup, "recorded": runs.active},
        "torch": torch.__version__,
        "torch_table": msgspec.to_builtins(torch_table),
        "neuron_nbprof": __version__,
        "notes": list(target.notes),
        "error": error,
    }
    _write_facts(folder, facts)


def add_notes(folder: Path, notes: list[str]) -> None:
    """Let a capture remember what became known of it later."""
    facts = json.loads((folder / CAPTURE_FILE).read_text(encoding="utf-8"))
    facts["notes"] = facts.get("notes", []) + notes
    _write_facts(folder, facts)


def _write_facts(folder: Path, facts: dict[str, Any]) -> None:
    (folder / CAPTURE_FILE).write_text(json.dumps(facts, indent=1) + "\n", encoding="utf-8")
