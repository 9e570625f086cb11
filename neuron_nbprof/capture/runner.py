"""Running code under the profiler: twice unrecorded, once as warm-up, once recorded."""

from __future__ import annotations

import contextlib
import json
import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

from ..errors import CaptureError
from .options import CaptureOptions
from .targets import Target

PHASES = ("unrecorded", "unrecorded", "warm-up", "recorded")
Report = Callable[[str, int], None]
"""Called with the phase and the number of the run (from 1) before each run."""

_recording = (
    False  # a profiler that still waits for its turn is invisible to torch, so nesting is noticed here
)


def record(run_once: Callable[[], None], target: Target, options: CaptureOptions, report: Report) -> Path:
    """Run `run_once` four times and return the folder of the capture of the last run.

    What `run_once` raises goes through; the profiler is off afterwards, whatever happens, and a capture that
    was begun stays with its error written down.  Raises `CaptureError` when a profiler is active already.
    """
    with _only_profiler():
        folder = _new_folder(options)
        error: str | None = None
        try:
            _drive(run_once, target, options, folder, report)
        except BaseException as exception:
            error = f"{type(exception).__name__}: {exception}"
            raise
        finally:
            if any(folder.rglob("trace.json")):
                _describe(folder, target, options, error)
            else:
                shutil.rmtree(folder)
    return folder


def _drive(
    run_once: Callable[[], None], target: Target, options: CaptureOptions, folder: Path, report: Report
) -> None:
    import torch

    runs = Counter(PHASES)
    profiler = torch.profiler.profile(
        schedule=torch.profiler.schedule(
            wait=runs["unrecorded"], warmup=runs["warm-up"], active=runs["recorded"], repeat=1
        ),
        record_shapes=options.record_shapes,
        acc_events=True,  # there is one cycle only; without it torch warns about the ones before
        **target.profiler_arguments(folder, options),
    )
    profiler.start()
    try:
        for number, phase in enumerate(PHASES, 1):
            report(phase, number)
            run_once()
            target.synchronize()
            profiler.step()
    except BaseException:
        with contextlib.suppress(Exception):  # what went wrong first is what matters
            profiler.stop()
        raise
    profiler.stop()
    if not any(folder.rglob("trace.json")):
        raise CaptureError("The profiler wrote no trace, although the code ran to its end.")


@contextlib.contextmanager
def _only_profiler() -> Iterator[None]:
    global _recording
    import torch

    if _recording or torch.autograd._profiler_enabled():
        raise CaptureError(
            "A profiler is active already and only one can be: stop it first, nothing has been run."
        )
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


def _describe(folder: Path, target: Target, options: CaptureOptions, error: str | None) -> None:
    import torch

    from .._version import __version__

    runs = Counter(PHASES)
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
        "runs": {"unrecorded": runs["unrecorded"], "warmup": runs["warm-up"], "recorded": runs["recorded"]},
        "torch": torch.__version__,
        "neuron_nbprof": __version__,
        "error": error,
    }
    (folder / "capture.json").write_text(json.dumps(facts, indent=1) + "\n", encoding="utf-8")
