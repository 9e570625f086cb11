"""What a student's kernel needs for each tutorial: memory at its highest, CPU and wall time.

    python benchmarks/notebooks.py [NOTEBOOK ...]

Each runs from clean in a kernel of its own with one OpenMP thread; programs that a cell starts with ``!`` are
not in its memory, and their time is.
"""

from __future__ import annotations

import os
import re
import resource
import sys
import tempfile
import time
from pathlib import Path

import nbformat
from nbclient import NotebookClient

NOTEBOOKS = Path(__file__).parent.parent / "notebooks"
#: It needs a Trainium.
NOT_EXECUTED = "09_on_a_real_trainium.ipynb"


def main(paths: list[Path]) -> None:
    os.environ["OMP_NUM_THREADS"] = "1"
    print(f"{'notebook':32}{'MB at most':>12}{'CPU s':>8}{'wall s':>8}")
    for path in paths:
        used, began = _children(), time.monotonic()
        peak = measure(path)
        wall = time.monotonic() - began
        print(f"{path.stem:32}{peak / 1e6:12.0f}{_children() - used:8.1f}{wall:8.1f}", flush=True)


def measure(path: Path) -> int:
    """The most resident memory that the kernel of a notebook had, in bytes."""
    notebook = nbformat.read(path, as_version=4)
    with tempfile.TemporaryDirectory() as folder:
        client = NotebookClient(notebook, timeout=300, resources={"metadata": {"path": folder}})
        with client.setup_kernel():
            for number, cell in enumerate(notebook.cells):
                client.execute_cell(cell, number)
            status = Path(f"/proc/{client.km.provisioner.pid}/status").read_text()
    return int(re.search(r"VmHWM:\s+(\d+) kB", status)[1]) * 1024


def _children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    main([Path(name) for name in sys.argv[1:]] or sorted(
        path for path in NOTEBOOKS.glob("*.ipynb") if path.name != NOT_EXECUTED
    ))  # fmt: skip
