"""Explore profiles of PyTorch on AWS Trainium, in notebooks and without them.

Importing this package loads neither torch nor bokeh nor pandas; each is imported when first needed.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ._version import __version__
from .errors import CaptureError, NeuronProfilerError, ReadError, SimulatorError

if TYPE_CHECKING:
    import pandas as pd

    from .formats.folder import Input
    from .profile import Profile, compare, compare_view
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
    "load_ipython_extension",
    "open",
    "sessions",
    "simulate",
]

EXAMPLES = ("rmsnorm_naive", "rmsnorm_fused", "rmsnorm_compiled")


def open(what: Input, *, rank: int | None = None, session: str | None = None) -> Profile:
    """Open a capture folder, any folder above it, a file of one (a path or an open binary file), or several.

    Of several captures below a folder ``rank`` and ``session`` (a part of the path) choose one; `sessions`
    lists them. Raises `ReadError`, in one sentence, when there is nothing to read.
    """
    from .formats import folder
    from .profile import Profile

    return Profile(folder.read(what, rank=rank, session=session))


def sessions(folder: str | os.PathLike[str]) -> pd.DataFrame:
    """The captures below a folder: rank, pid, cores, when written, bytes, where, whether they can be read."""
    from .formats.sessions import find, table

    return table(find(Path(folder)))


def example(name: str = "rmsnorm_naive") -> Profile:
    """One of the small captures that come with the package, made by the simulated device: `EXAMPLES`."""
    if name not in EXAMPLES:
        raise ReadError(f"There is no example {name!r}; there are {', '.join(EXAMPLES)}.")
    return open(Path(__file__).parent / "examples" / name)


def simulate() -> SimulatedDevice:
    """Make ``device="neuron"`` work on this machine, numerics on the CPU, times from a cost model.

    Raises `SimulatorError` where a real torch_neuronx is installed or torch is of an untested version.
    """
    from .simulator import install

    return install()


def load_ipython_extension(ipython: Any) -> None:
    """``%load_ext neuron_nbprof``: the magics."""
    from .magics import load_ipython_extension as load

    load(ipython)


def __getattr__(name: str) -> Any:
    if name in ("Profile", "compare", "compare_view"):
        from . import profile

        return getattr(profile, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
