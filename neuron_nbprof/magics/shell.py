"""``%%neuronprof`` and its family, as IPython meets them."""

from __future__ import annotations

import argparse
import contextlib
import os
import re
import sys
from keyword import iskeyword
from pathlib import Path
from typing import TYPE_CHECKING, Any

from IPython.core.error import UsageError
from IPython.core.magic import (
    Magics,
    line_cell_magic,
    line_magic,
    magics_class,
    no_var_expand,
    output_can_be_silenced,
)
from IPython.display import display
from traitlets import Bool, Enum, Int, List, Unicode, observe

from .. import capture
from .. import open as open_profile
from ..cell import Cell, compile_cell
from ..errors import NeuronProfilerError
from ..explorer import session
from ..state import changes
from . import library, show
from .arguments import SHOW, parse, parse_statement, profiling_arguments, split
from .progress import Progress
from .run import CellRun, CellSyntaxError

if TYPE_CHECKING:
    from ..profile import Profile

LAST = "_profile"
"""The variable that always holds the last profile, with or without a NAME."""


def _setting(trait: Any, help: str) -> Any:
    trait.help = help
    return trait.tag(config=True)


@magics_class
class NeuronMagics(Magics):
    """Its settings are the defaults of ``%%neuronprof``'s options: ``%config NeuronMagics.rows = 30``."""

    shell: Any

    wait = _setting(Int(2), "runs that are not recorded")
    warmup = _setting(Int(1), "runs that warm the profiler up")
    active = _setting(Int(1), "runs that are recorded")
    modes = _setting(List(Unicode(), ["runtime"]), "streams to record")
    nc = _setting(Unicode(None, allow_none=True), "logical NeuronCores to record, such as 0,2-5")
    max_events = _setting(Int(None, allow_none=True), "events that are kept of each core")
    neff_cache = _setting(Unicode(None, allow_none=True), "where compiled programs are kept")
    out = _setting(Unicode("neuron_profiles"), "where captures go")
    shapes = _setting(Bool(True), "record shapes of inputs")
    stack = _setting(Bool(False), "record Python calls, also below the cell")
    memory = _setting(Bool(False), "record allocations")
    flops = _setting(Bool(False), "record estimated floating point operations")
    sort = _setting(Unicode(None, allow_none=True), "order the table by this column")
    rows = _setting(Int(12), "rows of the table")
    filter = _setting(Unicode(None, allow_none=True), "only operators with this in their name")
    show = _setting(Enum(SHOW, "explorer"), "what to show below the cell")
    embed = _setting(
        Bool(None, allow_none=True), "a self-contained page instead of a widget; None: in VS Code"
    )

    def __init__(self, shell: Any) -> None:
        super().__init__(shell)
        self.home = Path.cwd()  # captures stay beside the notebook, wherever %cd leads
        self.target: capture.Target | None = None

    @observe("embed")
    def _choose_pages(self, change: Any) -> None:
        session.pages = bool(change["new"])

    @line_magic
    @no_var_expand
    def neuronprof_device(self, line: str) -> None:
        """``%neuronprof_device auto|neuron|simulated|host``: where ``%%neuronprof`` records from now on.

        ``auto`` takes the real Neuron device where there is one and simulates one elsewhere.
        """
        choice = line.strip()
        if choice not in capture.CHOICES:
            raise UsageError(f"%neuronprof_device takes one of {', '.join(capture.CHOICES)}.")
        self.target = capture.choose(choice)
        print(f"Recording on: {self.target.name} ({self.target.kind}).")

    @profiling_arguments
    @line_cell_magic
    @no_var_expand
    @output_can_be_silenced
    def neuronprof(self, line: str, cell: str | None = None) -> Any:
        """Run a cell (``%%neuronprof [NAME]``) or a statement (``%neuronprof STATEMENT``) and profile it.

        It runs four times: twice unrecorded, once to warm the profiler up, once recorded, so that what
        happens only once (compilation, allocation) is not in the profile.  What the first three runs print
        is shown only if they fail.  The Profile is bound to NAME, and always to ``_profile``.

        Everything is as without the magic: names, imports, ``_``, ``Out``, tracebacks.  Threads that the
        cell starts are outside of PyTorch's profiler; a top-level ``await`` needs neuron_nbprof.record().
        """
        if cell is None:
            options, source = parse_statement(self.neuronprof, line)
            if not source:
                raise UsageError("Give %neuronprof a statement, or use it as %%neuronprof above a cell.")
            return self._profile(options, source, None)
        return self._profile(parse(self.neuronprof, line), cell, f"%%neuronprof {line}")

    @line_magic
    @no_var_expand
    def neuronprof_open(self, line: str) -> None:
        """``%neuronprof_open PATH [NAME]``: show a capture from disk and bind it to NAME and ``_profile``."""
        path, name = library.path_and_name(split(line))
        if name is not None:
            self._checked_name(name)
        options = self._filled(parse(self.neuronprof, ""))
        profile = self._bind(Path(path), name)
        show.show(self.shell, profile, options)

    @line_magic
    def neuronprof_list(self, line: str) -> Any:
        """``%neuronprof_list [DIR]``: the captures below a folder (default: where captures go)."""
        words = split(line)
        return library.captures(Path(words[0]) if words else self._out(None))

    @line_magic
    @no_var_expand
    def neuronprof_compare(self, line: str) -> None:
        """``%neuronprof_compare A B ...``: profiles side by side, by variable or path; A is the baseline."""
        from .. import compare, report

        table = compare(*library.profiles(split(line), self.shell.user_ns))
        if hasattr(self.shell, "kernel"):
            display(table)
        else:
            print(report.comparison(table))

    @line_magic
    @no_var_expand
    def neuronprof_doctor(self, line: str) -> None:
        """``%neuronprof_doctor [device]``: what is here for profiling and what is not, and what to do."""
        from .. import doctor

        print(doctor.text(doctor.examine(device_mode=line.strip() == "device")))

    # --- profiling one cell ---

    def _profile(self, options: argparse.Namespace, source: str, first_line: str | None) -> Any:
        options = self._filled(options)
        name = None if options.name is None else self._checked_name(options.name)
        cell = self._compiled(source, first_line)
        wanted = self._wanted(options, source)
        target = self._target(options.device)
        capture.check(target, wanted)
        if "device" in wanted.modes:
            print(capture.DEVICE_COST)
        recording = capture.Recording(target, wanted)
        with Progress(self.shell, f"neuronprof {wanted.name}") as progress:
            run = CellRun(self.shell, cell, wanted.schedule, progress)
            try:
                folder = recording.run(run, run.report)
            except BaseException:
                progress.end()
                self._keep_partial(recording, name)
                raise
        profile = self._bind(folder, name)
        self._tell(cell, wanted.schedule, folder)
        shown = show.show(self.shell, profile, options)
        if target.kind == "neuron":
            profile = self._convert(folder, name, profile)
            show.update(shown, profile, options)
        show.expectations(profile, options)
        return run.value

    def _filled(self, options: argparse.Namespace) -> argparse.Namespace:
        """What the line does not say is as the settings say; a choice of page or widget holds from now on."""
        if options.embed is not None:
            self.embed = options.embed
        for trait in self.trait_names(config=True):
            if getattr(options, trait, None) is None:
                setattr(options, trait, getattr(self, trait))
        if options.embed is None:
            options.embed = _in_vscode(self.shell.user_ns)
        show.check(options)
        return options

    def _wanted(self, options: argparse.Namespace, source: str) -> capture.CaptureOptions:
        once = options.once
        return capture.CaptureOptions(
            options.name or "cell",
            self._out(options.out),
            schedule=capture.ONCE if once else capture.Schedule(options.wait, options.warmup, options.active),
            modes=tuple(options.modes),
            cores=options.nc,
            max_events=options.max_events,
            neff_cache=options.neff_cache and Path(options.neff_cache).expanduser().absolute(),
            record_shapes=options.shapes,
            with_stack=options.stack,
            profile_memory=options.memory,
            with_flops=options.flops,
            source=source,
            kernel_id=_kernel_id(self.shell),
            notebook=_notebook(self.shell.user_ns),
        )

    def _out(self, out: Path | str | None) -> Path:
        return self.home / Path(out or self.out).expanduser()

    def _target(self, choice: str | None) -> capture.Target:
        return capture.choose(choice) if choice else self.target or capture.default()

    def _checked_name(self, name: str) -> str:
        if not name.isidentifier() or iskeyword(name):
            raise UsageError(f"{name!r} cannot be a variable: %%neuronprof NAME binds the profile to one.")
        if name in self.shell.user_ns and not library.is_profile(bound := self.shell.user_ns[name]):
            raise UsageError(
                f"{name} is already bound to a {type(bound).__name__}: choose another name or `del {name}`."
            )
        return name

    def _compiled(self, source: str, first_line: str | None) -> Cell:
        try:
            cell = compile_cell(self.shell, first_line, source)
        except SyntaxError as error:
            raise CellSyntaxError(self.shell, error) from None
        if cell.is_async:
            raise UsageError(
                "A cell with a top-level await cannot be run again by %%neuronprof: record it with "
                "`with neuron_nbprof.record(NAME):` around what is awaited."
            )
        return cell

    def _bind(self, folder: Path, name: str | None) -> Profile:
        profile = self.shell.user_ns[LAST] = open_profile(folder)
        if name is not None:
            self.shell.user_ns[name] = profile
        return profile

    def _keep_partial(self, recording: capture.Recording, name: str | None) -> None:
        """What was recorded before the cell failed or was interrupted is not thrown away."""
        if recording.folder is None:
            return
        with contextlib.suppress(NeuronProfilerError):
            self._bind(recording.folder, name)
            print(
                f"The recorded run did not end: what was recorded until then is in {name or LAST}.  "
                f"Capture: {recording.folder}",
                flush=True,
            )

    def _tell(self, cell: Cell, schedule: capture.Schedule, folder: Path) -> None:
        times, recorded = len(schedule.phases), schedule.active
        here = Path.cwd()
        folder = folder.relative_to(here) if folder.is_relative_to(here) else folder
        if times == 1:
            print(f"The cell ran once, recorded.  Capture: {folder}")
            return
        which = "the last run was" if recorded == 1 else f"the last {recorded} runs were"
        print(f"The cell ran {times} times, {which} recorded.  Capture: {folder}")
        changed = changes(cell.tree)
        if changed:
            line, code = changed[0]
            print(
                f"It ran {times} times and seems to change what it reads: `{code}` in line "
                f"{line - cell.first_line + 1}.  With --once it runs once."
            )

    def _convert(self, folder: Path, name: str | None, profile: Profile) -> Profile:
        """Bring the device lanes, which takes its time; the framework's are on the screen already."""
        with Progress(self.shell, "neuron-explorer") as progress:
            progress.phase("reading the device lanes")
            outcome = capture.convert(folder)
        for note in outcome.notes:
            print(note, file=sys.stderr)
        if not outcome.notes and not outcome.done:
            return profile
        capture.add_notes(folder, outcome.notes)
        return self._bind(folder, name)


def _in_vscode(user_ns: dict[str, Any]) -> bool:
    """Whether the notebook is shown by VS Code, which fetches the code of widgets from the network.

    Its extension names the file in the kernel, and its own environment reaches kernels that it starts
    itself; one that a Jupyter server started may only have come from a terminal of it.
    """
    started_by_it = "JPY_SESSION_NAME" not in os.environ and {"VSCODE_PID", "VSCODE_CWD"} & os.environ.keys()
    return "__vsc_ipynb_file__" in user_ns or bool(started_by_it)


def _kernel_id(shell: Any) -> str | None:
    """The id under which Jupyter knows this kernel, from the name of its connection file."""
    if not hasattr(shell, "kernel"):
        return None
    try:
        from ipykernel.connect import get_connection_file

        match = re.fullmatch(r"kernel-(.+)\.json", Path(get_connection_file()).name)
    except (ImportError, RuntimeError):  # a kernel of another make
        return None
    return match and match.group(1)


def _notebook(user_ns: dict[str, Any]) -> str | None:
    """Path of the notebook, where the server or the editor tells it."""
    return os.environ.get("JPY_SESSION_NAME") or user_ns.get("__vsc_ipynb_file__")
