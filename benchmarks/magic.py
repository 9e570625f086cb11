"""What ``%%neuronprof`` costs against the same loop written by hand, and what loading the extension costs.

    python benchmarks/magic.py

A cell of about 10 ms runs on the host device.  Compared is what the four runs of the cell take, from their
first statement to their last, in rounds that alternate; the target is at most 5 % more.  What comes after
the runs (writing and reading the trace) is left out.  Times are CPU time, so that what runs beside does not
count.
"""

from __future__ import annotations

import contextlib
import io
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROUNDS = 15
CELL = """
stamps.append(time.thread_time_ns())
for _ in range(20):
    y = (x @ w).relu()
    z = y + x
s = z.sum()
stamps.append(time.thread_time_ns())
"""
LOAD = """
import sys, time
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
began = time.process_time()
shell.run_line_magic("load_ext", "neuron_nbprof")
print(1000 * (time.process_time() - began), "torch" in sys.modules)
"""


def by_hand(namespace: dict[str, object]) -> None:
    import torch
    from torch.profiler import profile, schedule, supported_activities

    code = compile(CELL, "cell", "exec")
    with profile(
        activities=supported_activities(),
        schedule=schedule(wait=2, warmup=1, active=1, repeat=1),
        record_shapes=True,
        acc_events=True,
        on_trace_ready=lambda p: p.export_chrome_trace("hand.json"),
    ) as profiler:
        for _ in range(4):
            exec(code, namespace)
            if torch.accelerator.is_available():
                torch.accelerator.synchronize()
            profiler.step()


def milliseconds(stamps: list[int]) -> list[float]:
    """Of each run, in order; the list is emptied."""
    pairs = list(zip(stamps[::2], stamps[1::2], strict=True))
    stamps.clear()
    return [(end - begin) / 1e6 for begin, end in pairs]


def compare() -> None:
    import torch
    from IPython.core.interactiveshell import InteractiveShell

    torch.set_num_threads(1)
    shell = InteractiveShell.instance()
    stamps: list[int] = []
    names = {"x": torch.randn(256, 256), "w": torch.randn(256, 256), "stamps": stamps, "time": time}
    shell.user_ns.update(names)
    shell.run_line_magic("load_ext", "neuron_nbprof")
    shell.run_line_magic("neuronprof_device", "host")
    found: dict[str, list[list[float]]] = {"hand": [], "magic": []}
    for _ in range(ROUNDS):
        by_hand(shell.user_ns)
        found["hand"].append(milliseconds(stamps))
        with contextlib.redirect_stdout(io.StringIO()):
            shell.run_cell_magic("neuronprof", "--show none", CELL)
        found["magic"].append(milliseconds(stamps))
    hand, magic = ([sum(runs) for runs in found[who]] for who in ("hand", "magic"))
    recorded = [statistics.median(runs[-1] for runs in found[who]) for who in ("hand", "magic")]
    ratio = statistics.median(magic) / statistics.median(hand)
    print(f"four runs: by hand {statistics.median(hand):.2f} ms, magic {statistics.median(magic):.2f} ms")
    print(f"recorded run: by hand {recorded[0]:.2f} ms, magic {recorded[1]:.2f} ms")
    print(f"overhead of the magic: {100 * (ratio - 1):+.1f} % (target: at most 5 %)")


def load() -> None:
    command = [sys.executable, "-c", LOAD]
    answers = [subprocess.check_output(command, text=True).split() for _ in range(5)]
    took = statistics.median(float(ms) for ms, _ in answers)
    print(f"%load_ext: {took:.0f} ms (target: under 150 ms); torch loaded by it: {answers[0][1]}")


if __name__ == "__main__":
    load()
    home = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        compare()
        os.chdir(home)
