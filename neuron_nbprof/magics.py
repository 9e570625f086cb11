"""``%%neuronprof NAME`` and ``%neuronprof_device``."""

from __future__ import annotations

import os
import re
from keyword import iskeyword
from pathlib import Path
from typing import TYPE_CHECKING, Any

from IPython.core.error import UsageError
from IPython.core.magic import (
    Magics,
    cell_magic,
    line_magic,
    magics_class,
    no_var_expand,
    output_can_be_silenced,
)
from IPython.display import display
from IPython.utils.capture import capture_output

from . import capture
from . import open as open_profile
from .capture import CaptureOptions
from .cell import Cell, compile_cell

if TYPE_CHECKING:
    from .profile import Profile

FOLDER = "neuron_profiles"


def load_ipython_extension(shell: Any) -> None:
    shell.register_magics(NeuronMagics(shell))


class CellSyntaxError(Exception):
    """A cell that does not compile, shown exactly as IPython shows a cell that does not compile."""

    def __init__(self, shell: Any, error: SyntaxError) -> None:
        super().__init__(str(error))
        self._shown = shell.SyntaxTB.structured_traceback(type(error), error, [])

    def _render_traceback_(self) -> list[str]:
        return self._shown


@magics_class
class NeuronMagics(Magics):
    """Captures go below the folder that was current when the extension was loaded."""

    shell: Any

    def __init__(self, shell: Any) -> None:
        super().__init__(shell)
        self.out = Path.cwd() / FOLDER
        self.target: capture.Target | None = None

    @line_magic
    @no_var_expand
    def neuronprof_device(self, line: str) -> None:
        """``%neuronprof_device auto|neuron|simulated|host``: where ``%%neuronprof`` records.

        ``auto`` takes the real Neuron device where there is one and simulates one elsewhere.
        """
        choice = line.strip()
        if choice not in capture.CHOICES:
            raise UsageError(f"%neuronprof_device takes one of {', '.join(capture.CHOICES)}.")
        self.target = capture.choose(choice)
        print(f"Recording on: {self.target.name} ({self.target.kind}).")

    @cell_magic
    @no_var_expand
    @output_can_be_silenced
    def neuronprof(self, line: str, source: str) -> Any:
        """``%%neuronprof NAME``: run the cell four times, record the last run, bind its Profile to NAME.

        The first two runs are not recorded and the third warms the profiler up, so that what happens only
        once (compilation, allocation) is not in the profile.  What those three print is shown only if they
        fail.
        """
        name = self._checked_name(line.strip())
        cell = self._compiled(line, source)
        target = self.target or capture.default()
        run = _CellRun(self.shell, cell, name)
        options = CaptureOptions(
            name, self.out, source=source, kernel_id=_kernel_id(), notebook=_notebook(self.shell.user_ns)
        )
        folder = capture.record(run, target, options, run.report)
        print(f"The cell ran {len(capture.PHASES)} times, the last run was recorded.  Capture: {folder}")
        profile = self.shell.user_ns[name] = open_profile(folder)
        self._show(profile)
        return run.value

    def _checked_name(self, name: str) -> str:
        if not name.isidentifier() or iskeyword(name):
            raise UsageError("Give the profile a name that can be a variable: %%neuronprof NAME")
        if name in self.shell.user_ns and not _is_profile(bound := self.shell.user_ns[name]):
            raise UsageError(
                f"{name} is already bound to a {type(bound).__name__}: choose another name or `del {name}`."
            )
        return name

    def _compiled(self, line: str, source: str) -> Cell:
        try:
            cell = compile_cell(self.shell, f"%%neuronprof {line}", source)
        except SyntaxError as error:
            raise CellSyntaxError(self.shell, error) from None
        if cell.is_async:
            raise UsageError(
                "A cell with a top-level await cannot be profiled: put it in a function that runs it."
            )
        return cell

    def _show(self, profile: Profile) -> None:
        from . import report

        print(report.headline(profile))
        if hasattr(self.shell, "kernel"):
            display(profile.key_averages())
            display(profile.explore())
        else:
            print(report.operators(profile))


class _CellRun:
    """The cell, once per call; output of all but the recorded run is held back unless it fails."""

    def __init__(self, shell: Any, cell: Cell, name: str) -> None:
        self.shell, self.cell, self.name = shell, cell, name
        self.value: Any = None
        self._recorded = False

    def report(self, phase: str, number: int) -> None:
        self._recorded = phase == "recorded"
        text = f"neuronprof {self.name}: run {number} of {len(capture.PHASES)}, {phase}"
        print(f"\r{text:<60}", end="\n" if self._recorded else "", flush=True)

    def __call__(self) -> None:
        if self._recorded:
            self.value = self._run()
            return
        holding = capture_output()
        try:
            with holding as held:
                self._run()
        except BaseException:
            print(flush=True)  # ends the line that says which run this was
            held.show()
            raise

    def _run(self) -> Any:
        try:
            return self.cell.run(self.shell.user_global_ns, self.shell.user_ns)
        except BaseException as error:
            self._show_as_the_users(error)
            raise

    def _show_as_the_users(self, error: BaseException) -> None:
        """Let IPython show the traceback from the cell on: how the cell came to run would only bury it."""
        traceback = self.cell.traceback(error.__traceback__)
        if traceback is not None:
            structured = self.shell.InteractiveTB.structured_traceback
            error._render_traceback_ = lambda: structured(type(error), error, traceback, tb_offset=0)  # type: ignore[attr-defined]


def _is_profile(value: Any) -> bool:
    from .profile import Profile

    return isinstance(value, Profile)


def _kernel_id() -> str | None:
    """The id under which Jupyter knows this kernel, from the name of its connection file."""
    try:
        from ipykernel.connect import get_connection_file

        match = re.fullmatch(r"kernel-(.+)\.json", Path(get_connection_file()).name)
    except (ImportError, RuntimeError):  # no ipykernel, or a shell that is no kernel
        return None
    return match and match.group(1)


def _notebook(user_ns: dict[str, Any]) -> str | None:
    """Path of the notebook, where the server or the editor tells it."""
    return os.environ.get("JPY_SESSION_NAME") or user_ns.get("__vsc_ipynb_file__")
