"""The Jupyter server behind this kernel, whose environment need not be ours: what it lacks for widgets."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

#: Labextensions that draw a widget, by folder, and the package that brings each.
NEEDED = {"@jupyter-widgets/jupyterlab-manager": "jupyterlab_widgets", "anywidget": "anywidget"}


def environment() -> Path | None:
    """The environment of the server that started this kernel; None where that cannot be seen from here."""
    try:
        import psutil  # which every kernel has, as ipykernel needs it

        server = psutil.Process(int(os.environ.get("JPY_PARENT_PID", "")))
        command, variables = server.cmdline()[0], server.environ()
    except (ImportError, ValueError, IndexError, OSError):
        return None
    except psutil.Error:  # it has ended, or is somebody else's
        return None
    python = shutil.which(command, path=variables.get("PATH"))
    if python is None:
        return None
    # What a virtual environment calls python is a link out of it, so links are not followed.
    return Path(os.path.abspath(python)).parent.parent


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
