"""The Jupyter server behind this kernel, whose environment need not be ours: what it lacks for widgets."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path

#: Labextensions that draw a widget, by folder, and the package that brings each.
NEEDED = {"@jupyter-widgets/jupyterlab-manager": "jupyterlab_widgets", "anywidget": "anywidget"}


def python(variables: Mapping[str, str] = os.environ, processes: Path = Path("/proc")) -> str | None:
    """The Python of the server that started this kernel, found by the process id that Jupyter tells."""
    pid = variables.get("JPY_PARENT_PID", "")
    if not pid.isdigit():
        return None
    try:
        command = (processes / pid / "cmdline").read_bytes().split(b"\0")[0]
    except OSError:
        return None
    return shutil.which(os.fsdecode(command)) if command else None


def environment() -> Path | None:
    """The environment of that server; None where it cannot be seen from here."""
    found = python()
    # What a virtual environment calls python is a link out of it, so links are not followed.
    return Path(os.path.abspath(found)).parent.parent if found else None


def lacks(prefix: Path) -> list[str]:
    """Packages that are missing for widgets in the environment at ``prefix``, as the server there looks."""
    try:
        from jupyter_core.paths import jupyter_path
    except ImportError:  # no kernel, so no server either
        return []
    # The server looks where we do, but in its own environment instead of ours.
    ours = Path(sys.prefix)
    shared = (Path(place) for place in jupyter_path("labextensions"))
    places = [prefix / "share" / "jupyter" / "labextensions", *(p for p in shared if ours not in p.parents)]
    return [package for folder, package in NEEDED.items() if not any((p / folder).is_dir() for p in places)]
