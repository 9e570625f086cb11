"""What a person sees while a cell is being profiled: phase, run, elapsed time, a compiler at work."""

from __future__ import annotations

import os
import sys
import threading
import time
import uuid
from pathlib import Path
from types import FrameType, TracebackType
from typing import Any

TICK_SECONDS = 1.0
PATIENCE_SECONDS = 30.0
"""When the first of several runs takes longer, ``--once`` is offered."""

#: Programs that compile for Neuron, by the beginning of their process names (15 characters in /proc).
COMPILERS = ("neuronx-cc", "neuron-cc", "walrus_driver", "hlo2penguin", "hlo-opt", "tensorizer")
#: Where a thread is that traces or compiles inside this process.
COMPILING_FILES = (
    "torch/_dynamo/convert_frame.py",
    "torch/_inductor/compile_fx.py",
    "torch_neuronx/neuron_dynamo_backend/",
    "libneuronxla/",
)


class Progress:
    """A line below the cell that is renewed every second, by a thread, until the block ends.

    In a notebook it is a display of its own, which the held back output of warm-ups does not touch; in a
    terminal a line of stdout that gets its end before the run whose output is not held back.
    """

    def __init__(self, shell: Any, title: str) -> None:
        self._title, self._stdout = title, sys.stdout
        self._publisher = shell.display_pub if hasattr(shell, "kernel") else None
        self._display = {"display_id": uuid.uuid4().hex}
        self._shown = self._open_line = self._quiet = False
        self._phase = ""
        self._began = time.monotonic()
        self._run_began = self._began
        self._ended = threading.Event()
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self._tick, name="neuronprof progress", daemon=True)
        self._watched = threading.get_ident()

    def __enter__(self) -> Progress:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._ended.set()
        self.end()

    def end(self) -> None:
        """From now on stdout belongs to others; in a terminal the line is ended."""
        with self._lock:
            self._end_line()
            self._quiet = True

    def say(self, text: str) -> None:
        """Something that stays, on a line of its own."""
        with self._lock:
            self._end_line()
            print(text, file=self._stdout, flush=True)

    def phase(self, text: str, last: bool = False) -> None:
        """Say what begins now; `last` in a terminal ends the line, for what follows may print."""
        with self._lock:
            self._phase, self._run_began = text, time.monotonic()
            if self._quiet:
                return
            self._show(self._text())
            if last and self._publisher is None:
                self._end_line()
                self._quiet = True

    def _end_line(self) -> None:
        if self._open_line:
            print(file=self._stdout, flush=True)
            self._open_line = False

    def run_seconds(self) -> float:
        """How long the current phase has taken."""
        return time.monotonic() - self._run_began

    def _tick(self) -> None:
        while not self._ended.wait(TICK_SECONDS):
            with self._lock:
                if not self._quiet and self._phase:
                    self._show(self._text(compiler_at_work(self._watched)))

    def _text(self, compiler: str | None = None) -> str:
        elapsed = time.monotonic() - self._began
        parts = [f"{self._title}: {self._phase}"]
        if elapsed >= TICK_SECONDS:
            parts.append(f"{elapsed:.0f} s")
        if compiler:
            parts.append(f"{compiler} is compiling")
        return ", ".join(parts)

    def _show(self, text: str) -> None:
        if self._publisher is None:
            print(f"\r{text:<76}", end="", file=self._stdout, flush=True)
            self._open_line = True
        else:
            data = {"text/plain": text}
            self._publisher.publish(data, {}, transient=self._display, update=self._shown)
            self._shown = True


def compiler_at_work(thread: int) -> str | None:
    """What compiles now: a program below this process, or the code that the thread is in."""
    for name in _names_below(os.getpid()):
        if name.startswith(COMPILERS):
            return name
    frame: FrameType | None = sys._current_frames().get(thread)
    while frame is not None:
        if any(part in frame.f_code.co_filename for part in COMPILING_FILES):
            return "torch.compile"
        frame = frame.f_back
    return None


def _names_below(pid: int) -> list[str]:
    """Names of all processes below one; empty where there is no /proc."""
    names = []
    for children in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            for child in children.read_text().split():
                names.append(Path(f"/proc/{child}/comm").read_text().strip())
                names.extend(_names_below(int(child)))
        except OSError:  # it has ended meanwhile
            continue
    return names
