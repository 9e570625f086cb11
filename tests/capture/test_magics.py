"""`%%neuronprof` in a real IPython: everything is as without the magic, plus a profile."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from neuron_nbprof import Profile

from .conftest import Ran

Run = Callable[[str], Ran]
OURS = ("shell.py", "runner.py", "run.py", "cell.py", "run_cell_magic")


@pytest.fixture(autouse=True)
def nothing_stays_on() -> Any:
    yield
    assert not torch.autograd._profiler_enabled()


def captures() -> list[Path]:
    folder = Path("neuron_profiles")
    return sorted(folder.iterdir()) if folder.exists() else []


def test_the_profile_is_bound_and_shown(run: Run, shell: Any) -> None:
    run("import torch\nx = torch.ones(8, 8, device='neuron')")
    ran = run("%%neuronprof prof\ny = x * x + 1\n")
    assert ran.error is None and ran.result is None
    profile = shell.user_ns["prof"]
    assert isinstance(profile, Profile) and profile.simulated
    averages = profile.key_averages("compute").set_index("name")
    assert averages.loc["aten::mul", "calls"] == averages.loc["aten::add", "calls"] == 1
    assert "SIMULATED" in ran.output and "aten::mul" in ran.output
    assert profile.reconcile().endswith("they agree.") and profile.reconcile() in ran.output
    assert "The cell ran 4 times" in ran.output
    assert [phase in ran.output for phase in ("unrecorded", "warm-up", "recorded")] == [True] * 3
    (folder,) = captures()
    assert folder.name.startswith("prof-")
    told = json.loads((folder / "capture.json").read_text())
    assert told["source"] == "y = x * x + 1\n" and told["simulated"] is True


def test_captures_stay_beside_the_notebook(run: Run, shell: Any, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    run("%cd elsewhere")
    run("%%neuronprof prof\n1")
    assert list((tmp_path / "neuron_profiles").iterdir()) and not captures()


def test_the_value_is_shown_once_and_is_the_cells_out(run: Run, shell: Any) -> None:
    ran = run("%%neuronprof prof\ny = 20\ny + 1\n")
    assert ran.result == 21
    assert ran.output.count("Out[") == 1
    assert shell.user_ns["_"] == 21 and 21 in shell.user_ns["Out"].values()
    assert run("_ * 2").result == 42


def test_a_semicolon_hides_the_value(run: Run) -> None:
    ran = run("%%neuronprof prof\n1 + 1;")
    assert ran.result is None and "Out[" not in ran.output


def test_names_and_imports_stay(run: Run, shell: Any) -> None:
    run("runs = 0")
    run(
        "%%neuronprof prof\nimport fractions\nruns += 1\ndef f(): return runs\nrows = [f() for _ in range(2)]"
    )
    assert shell.user_ns["runs"] == 4 and shell.user_ns["rows"] == [4, 4]
    assert "fractions" in shell.user_ns and shell.user_ns["f"]() == 4


def test_output_of_the_first_three_runs_is_held_back(run: Run) -> None:
    assert run("%%neuronprof prof\nprint('hello')").output.count("hello") == 1


def test_output_of_a_run_that_fails_is_shown(run: Run) -> None:
    assert run("%%neuronprof prof\nprint('hello')\n1/0").output.count("hello\n") == 1


def test_an_exception_names_the_users_lines_only(run: Run, shell: Any) -> None:
    run("def f(x):\n    return 1 / x")
    ran = run("%%neuronprof prof\nx = 0\n\nf(x)\n")
    assert isinstance(ran.error, ZeroDivisionError)
    assert "line 4" in ran.output and "----> 4 f(x)" in ran.output and "return 1 / x" in ran.output
    assert not [name for name in OURS if name in ran.output]
    assert "prof" not in shell.user_ns and not captures()


def test_an_exception_in_the_recorded_run_keeps_the_capture(run: Run, shell: Any) -> None:
    run("runs = 0")
    ran = run("%%neuronprof prof\nruns += 1\nassert runs < 4")
    assert isinstance(ran.error, AssertionError)
    (folder,) = captures()
    assert "what was recorded until then is in prof" in ran.output
    assert shell.user_ns["prof"] is shell.user_ns["_profile"]
    assert shell.user_ns["prof"].title == "prof"
    assert json.loads((folder / "capture.json").read_text())["error"].startswith("AssertionError")


def test_an_interrupt_is_an_interrupt(run: Run, shell: Any) -> None:
    ran = run("%%neuronprof prof\nimport os, signal\nos.kill(os.getpid(), signal.SIGINT)\nwhile True: pass")
    assert isinstance(ran.error, KeyboardInterrupt)
    assert not [name for name in OURS if name in ran.output]
    assert run("%%neuronprof prof\n1").error is None


def test_a_syntax_error_is_shown_as_ipython_shows_it(run: Run, shell: Any) -> None:
    run("runs = 0")
    source = "runs += 1\nx = = 1\n"
    with_magic, without = run("%%neuronprof prof\n" + source), run("#\n" + source)
    for ran in (with_magic, without):
        assert ran.error is not None and "line 3" in ran.output and "x = = 1" in ran.output
    shown = [re.sub(r"In\[\d+\]", "In[n]", ran.output).strip() for ran in (with_magic, without)]
    assert shown[0] == shown[1]
    assert shell.user_ns["runs"] == 0 and not captures()


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("3x", "'3x' cannot be a variable"),
        ("class", "'class' cannot be a variable"),
        ("{taken}", "'{taken}' cannot be a variable"),
        ("a b", "unrecognized arguments: b"),
        ("nothing", "nothing is already bound to a NoneType"),
        ("taken", "taken is already bound to a int: choose another name or `del taken`."),
    ],
)
def test_a_name_that_will_not_do_is_refused_before_anything_runs(
    line: str, sentence: str, run: Run, shell: Any
) -> None:
    run("taken, nothing, runs = 7, None, 0")
    ran = run(f"%%neuronprof {line}\nruns += 1")
    assert ran.error is not None and sentence in ran.output
    assert len(ran.output.strip().splitlines()) == 1
    assert shell.user_ns["runs"] == 0 and shell.user_ns["taken"] == 7 and not captures()


def test_a_profile_may_be_recorded_again(run: Run, shell: Any) -> None:
    run("%%neuronprof prof\n1")
    first = shell.user_ns["prof"]
    assert run("%%neuronprof prof\n2").error is None
    assert shell.user_ns["prof"] is not first and len(captures()) == 2


def test_an_active_profiler_is_refused_before_anything_runs(run: Run, shell: Any) -> None:
    run("import torch\nruns = 0\nmine = torch.profiler.profile()\nmine.start()")
    ran = run("%%neuronprof prof\nruns += 1")
    assert run("mine.stop()").error is None
    assert "A profiler is active already" in ran.output and len(ran.output.strip().splitlines()) == 1
    assert shell.user_ns["runs"] == 0


def test_the_magic_inside_itself_is_refused(run: Run) -> None:
    ran = run("%%neuronprof outer\n%%neuronprof inner\n1")
    assert "A profiler is active already" in ran.output
    assert run("%%neuronprof outer\n1").error is None


def test_another_cell_magic_may_stand_inside(run: Run, shell: Any) -> None:
    assert run("%%neuronprof prof\n%%capture text\nprint('hello')").error is None
    assert shell.user_ns["text"].stdout == "hello\n"


def test_a_top_level_await_is_refused_in_one_sentence(run: Run, shell: Any) -> None:
    ran = run("%%neuronprof prof\nruns = 1\nawait something")
    assert "top-level await" in ran.output and len(ran.output.strip().splitlines()) == 1
    assert "runs" not in shell.user_ns


def test_devices_are_chosen_and_named(run: Run, shell: Any) -> None:
    assert run("%neuronprof_device auto").output == "Recording on: SIMULATED Trainium2, LNC=2 (simulated).\n"
    assert run("%neuronprof_device host").output == "Recording on: host with neuron (host).\n"
    run("import torch\nx = torch.ones(2)")
    run("%%neuronprof prof\nx + x")
    assert not shell.user_ns["prof"].simulated
    assert json.loads((captures()[0] / "capture.json").read_text())["device"] == "host"
    assert "one of auto, neuron, simulated, host" in run("%neuronprof_device gpu").output
    assert run("%neuronprof_device neuron").output.startswith("CaptureError: No Neuron device here")


def test_exit_in_a_cell_is_an_exit(run: Run, shell: Any) -> None:
    ran = run("%%neuronprof prof\nraise SystemExit(3)")
    assert isinstance(ran.error, SystemExit) and "prof" not in shell.user_ns
    assert run("%%neuronprof prof\n1").error is None


def test_a_refused_await_names_the_way_that_works(run: Run) -> None:
    assert "with neuron_nbprof.record(NAME):" in run("%%neuronprof\nawait something").output


def test_what_the_cell_writes_is_not_changed_by_braces_or_percent(run: Run, shell: Any) -> None:
    run("%%neuronprof --once\ntext = '{x} $y %s' ; other = '''\n  {z}\n\n'''")
    assert shell.user_ns["text"] == "{x} $y %s" and shell.user_ns["other"] == "\n  {z}\n\n"


def test_shell_lines_and_magics_work_inside(run: Run, shell: Any) -> None:
    assert run("%%neuronprof --once\nlines = !echo hello\n%cd -q .\n").error is None
    assert shell.user_ns["lines"] == ["hello"]
    assert run("%%neuronprof --once\nlen?").error is None
    assert run("%%neuronprof --once\n%%time\n1").error is None


def test_it_works_in_ipythons_terminal_application(tmp_path: Path) -> None:
    script = tmp_path / "session.ipy"
    script.write_text(
        "%load_ext neuron_nbprof\n%neuronprof_device simulated\nimport torch\n"
        "x = torch.ones(8, 8, device='neuron')\n%neuronprof --expect executions=1 y = x * x\n"
    )
    ipython = [sys.executable, "-m", "IPython", "--colors=nocolor", str(script)]
    ran = subprocess.run(ipython, cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert "✓ executions: 1, as predicted." in ran.stdout
