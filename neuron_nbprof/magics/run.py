"""One cell on its way through its runs."""

from __future__ import annotations

from typing import Any

from IPython.utils.capture import capture_output

from ..capture import LineMark, Schedule
from ..cell import Cell
from .progress import PATIENCE_SECONDS, Progress


class CellSyntaxError(Exception):
    """A cell that does not compile, shown exactly as IPython shows a cell that does not compile."""

    def __init__(self, shell: Any, error: SyntaxError) -> None:
        super().__init__(str(error))
        self._shown = shell.SyntaxTB.structured_traceback(type(error), error, [])

    def _render_traceback_(self) -> list[str]:
        return self._shown


class CellRun:
    """The cell, once per call; output of all but the recorded runs is held back unless it fails."""

    def __init__(self, shell: Any, cell: Cell, schedule: Schedule, progress: Progress) -> None:
        self.shell, self.cell, self.progress = shell, cell, progress
        self.runs = len(schedule.phases)
        self.value: Any = None
        self._recorded = False

    def report(self, phase: str, number: int) -> None:
        seconds = self.progress.run_seconds()
        self._recorded = phase == "recorded"
        if number == 2 and seconds > PATIENCE_SECONDS:
            self.progress.say(
                f"The first run took {seconds:.0f} s and {self.runs - 1} more follow: interrupting is safe "
                "at any time, and with --once a cell runs only once."
            )
        self.progress.phase(f"run {number} of {self.runs}, {phase}", last=self._recorded)

    def __call__(self) -> None:
        if self._recorded:
            self.value = self._run()
            return
        holding = capture_output()
        try:
            with holding as held:
                self._run()
        except BaseException:
            self.progress.end()
            held.show()
            raise

    def _run(self) -> Any:
        try:
            return self.cell.run(self.shell.user_global_ns, self.shell.user_ns, LineMark)
        except BaseException as error:
            self._show_as_the_users(error)
            raise

    def _show_as_the_users(self, error: BaseException) -> None:
        """Let IPython show the traceback from the cell on: how the cell came to run would only bury it."""
        traceback = self.cell.traceback(error.__traceback__)
        if traceback is not None:
            structured = self.shell.InteractiveTB.structured_traceback
            error._render_traceback_ = lambda: structured(type(error), error, traceback, tb_offset=0)  # type: ignore[attr-defined]
