"""Explore profiles of PyTorch on AWS Trainium, in notebooks and without them.

Importing this package loads neither torch nor bokeh nor pandas; each is imported when first needed.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from ._version import __version__
from .errors import CaptureError, NeuronProfilerError, ReadError, SimulatorError

if TYPE_CHECKING:
    import pandas as pd

    from .formats.finished import FinishedProfiler
    from .formats.folder import Input
    from .profile import Profile, compare, compare_view
    from .recording import handler, record
    from .simulator import SimulatedDevice


__all__ = [
    "CaptureError",
    "NeuronProfilerError",
    "Profile",
    "ReadError",
    "SimulatorError",
    "__version__",
    "compare",
    "compare_view",
    "example",
    "handler",
    "load_ipython_extension",
    "open",
    "pairs",
    "record",
    "sessions",
    "simulate",
    "tables",
]

RMSNORMS = ("rmsnorm_naive", "rmsnorm_fused", "rmsnorm_compiled")
#: Each has one thing wrong, which its insights find.
MYSTERIES = ("mystery_1", "mystery_2", "mystery_3", "mystery_4", "mystery_5")
EXAMPLES = (*RMSNORMS, *MYSTERIES)


def open(
    what: Input | FinishedProfiler,
    *,
    rank: int | None = None,
    session: str | None = None,
    progress: bool = True,
) -> Profile:
    """Open a capture folder, any folder above it, a file of one (a path or an open binary file), or several.

    A finished ``torch.profiler.profile`` opens too. Of several captures below a folder ``rank`` and
    ``session`` (a part of the path) choose one; `sessions` lists them. What takes longer than a second shows
    a bar, unless ``progress`` is false. Raises `ReadError`, in one sentence, when there is nothing to read.
    """
    from .formats import finished, folder
    from .formats.progress import shown
    from .profile import Profile

    token = shown.set(progress)
    try:
        if finished.is_profiler(what):
            return Profile(finished.read(what))
        return Profile(folder.read(cast("Input", what), rank=rank, session=session))
    finally:
        shown.reset(token)


def sessions(folder: str | os.PathLike[str]) -> pd.DataFrame:
    """The captures below a folder: rank, pid, cores, when written, bytes, where, whether they can be read."""
    from .formats.sessions import find, table

    return table(find(Path(folder)))


def tables(path: str | os.PathLike[str]) -> Mapping[str, Any]:
    """The tables of Neuron Explorer by name: of a folder of parquet files as Arrow tables, each read when it
    is asked for, or of one of its JSON files as DataFrames.

    Of several folders of tables below ``path`` the caller has to name one. Raises `ReadError`.
    """
    from .formats import explorer_tables, neuron_explorer_json

    place = Path(path)
    if not place.is_dir():
        return neuron_explorer_json.tables(place)
    found = explorer_tables.find_folders(place)
    if not found:
        raise ReadError(f"{place} holds no parquet tables of Neuron Explorer.")
    if len(found) > 1 and found[0].folder != place:
        names = ", ".join(str(one.folder) for one in found[:5])
        raise ReadError(f"{place} holds {len(found)} folders of tables, name one of them: {names}.")
    return explorer_tables.tables(found[0].folder)


def pairs(folder: str | os.PathLike[str]) -> pd.DataFrame:
    """Which compiled program (NEFF) belongs to which device trace (NTFF) and to which executions.

    One row per program, then what has no partner; ``state`` says in words what is there, which is seldom an
    error. Executions are filled where the folder also holds a timeline that opens.
    """
    from .formats import folder as capture
    from .formats import pairing

    try:
        trace = capture.read(folder)
    except ReadError:
        trace = None
    return pairing.pairs(folder, trace)


def example(name: str = "rmsnorm_naive") -> Profile:
    """One of the small captures that come with the package, made by the simulated device: `EXAMPLES`."""
    if name not in EXAMPLES:
        raise ReadError(f"There is no example {name!r}; there are {', '.join(EXAMPLES)}.")
    return open(Path(__file__).parent / "examples" / name)


def simulate(
    *, chip: str | None = None, preset: str | None = None, strict_sync: bool | None = None
) -> SimulatedDevice:
    """Make ``device="neuron"`` work on this machine, numerics on the CPU, times from a cost model.

    `chip` is trn1, trn2 or trn3, `preset` guide or wall-clock; see `neuron_nbprof.simulator.install`.
    Raises `SimulatorError` where a real torch_neuronx is installed or torch is of an untested version.
    """
    from .simulator import install

    return install(chip=chip, preset=preset, strict_sync=strict_sync)


def load_ipython_extension(ipython: Any) -> None:
    """``%load_ext neuron_nbprof``: the magics."""
    from .magics import load_ipython_extension as load

    load(ipython)


def __getattr__(name: str) -> Any:
    if name in ("Profile", "compare", "compare_view"):
        from . import profile

        return getattr(profile, name)
    if name in ("handler", "record"):
        from . import recording

        return getattr(recording, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
