"""Recording without IPython: a block of code, or a loop that steps a profiler of its own."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from . import capture
from .errors import CaptureError
from .profile import Profile

FOLDER = "neuron_profiles"


class PendingProfile(Profile):
    """The profile of a block that still runs; it becomes an ordinary Profile when the block ends."""

    def __init__(self) -> None:
        pass  # there is no trace yet

    def __getattr__(self, name: str) -> Any:
        raise CaptureError("The profile is there when the block that it is of has ended.")

    def __repr__(self) -> str:
        return "<Profile of a block that has not ended>"


@contextlib.contextmanager
def record(
    name: str = "block", *, out: str | os.PathLike[str] = FOLDER, device: str | None = None, **options: Any
) -> Iterator[Profile]:
    """``with neuron_nbprof.record("name") as profile:`` records the block, which runs once.

    `device` is one of auto, neuron, simulated and host (default: what this process has already got);
    `options` are those of `neuron_nbprof.capture.CaptureOptions`, such as ``with_stack=True``.  The block
    has to be warm already: what happens only once, such as compilation, is in the profile.  May be used
    around an ``await``.  What the block raises goes through, and the profile of what was recorded until
    then is kept.  Raises `CaptureError` before the block when something is in the way.
    """
    target = capture.choose(device) if device else capture.default()
    try:
        wanted = capture.CaptureOptions(name, Path(out), schedule=capture.ONCE, **options)
    except TypeError as error:
        raise CaptureError(f"record() takes no such option: {error}.") from None
    recording, profile = capture.Recording(target, wanted), PendingProfile()
    try:
        with recording.once():
            yield profile
    finally:
        if recording.folder is not None:
            if target.kind == "neuron":
                capture.add_notes(recording.folder, capture.convert(recording.folder).notes)
            _fill(profile, recording.folder)


def _fill(profile: Profile, folder: Path) -> None:
    from .formats import folder as reader

    profile.__class__ = Profile
    profile.__init__(reader.read(folder))  # type: ignore[misc]


def handler(out: str | os.PathLike[str] = FOLDER) -> Callable[[Any], None]:
    """``on_trace_ready=neuron_nbprof.handler(folder)``: let an existing loop write captures to open later.

    Each cycle of the loop's schedule becomes a session below `out`; ``neuron_nbprof.open(out)`` reads the
    newest, ``neuron_nbprof.sessions(out)`` lists them.  Where the loop gives its profiler a NeuronConfig,
    the trace goes beside what the runtime writes, into that config's ``profile_output_dir``.
    """
    from .capture import host

    folder = Path(out)

    def on_trace_ready(profiler: Any) -> None:
        config = getattr(profiler, "experimental_config", None)
        if getattr(config, "profile_output_dir", None) is not None:
            from torch_neuronx.profiling import NeuronProfiler

            NeuronProfiler(config).export_trace(profiler)
            return
        try:
            host.export(profiler, folder)
        except OSError as error:
            raise CaptureError(f"No capture can be written to {folder}: {error.strerror or error}.") from None
        target, wanted = host.Host(), capture.CaptureOptions(folder.name, folder)
        capture.describe(folder, target, wanted)

    return on_trace_ready
