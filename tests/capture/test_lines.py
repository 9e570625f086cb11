"""Each top-level line of a cell is marked in the trace, and cells that must not repeat are noticed."""

from __future__ import annotations

import ast
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from neuron_nbprof.capture import LineMark
from neuron_nbprof.state import changes

from .conftest import Ran

Run = Callable[[str], Ran]


def trace_rows() -> list[dict[str, Any]]:
    (path,) = Path("neuron_profiles").rglob("trace.json")
    return json.loads(path.read_text())["traceEvents"]


def marks() -> dict[str, tuple[float, float]]:
    """Start and end of each mark, in µs."""
    return {
        row["name"]: (row["ts"], row["ts"] + row["dur"])
        for row in trace_rows()
        if row.get("cat") == "user_annotation" and row["name"].startswith("cell line ")
    }


@pytest.mark.parametrize("kind", ["simulated", "host"])
def test_every_top_level_line_is_marked_by_its_place_in_the_source(kind: str, run: Run) -> None:
    run("import torch\nx = torch.ones(8, device='neuron')")
    source = "\n# a comment\ny = x * x\nif True:\n    z = (y +\n         1)\n\ny.rsqrt()"
    run(f"%%neuronprof prof --device {kind}\n{source}")
    (told,) = Path("neuron_profiles").glob("*/capture.json")
    lines = json.loads(told.read_text())["source"].splitlines()
    found = marks()
    assert list(found) == ["cell line 3", "cell line 4", "cell line 8"]
    assert [lines[int(name.split()[-1]) - 1] for name in found] == ["y = x * x", "if True:", "y.rsqrt()"]
    for operator, line in (("aten::mul", 3), ("aten::add", 4), ("aten::rsqrt", 8)):
        (row,) = [r for r in trace_rows() if r["name"] == operator and r.get("cat") == "cpu_op"]
        start, end = found[f"cell line {line}"]
        assert start <= row["ts"] and row["ts"] + row["dur"] <= end


def test_a_mark_owns_nothing_and_is_no_operator(run: Run, shell: Any) -> None:
    run("import torch\nx = torch.ones(8, device='neuron')")
    run("%%neuronprof prof\ny = x * x")
    profile = shell.user_ns["prof"]
    assert "cell line 1" in set(profile.events["name"])
    assert not profile.key_averages()["name"].str.startswith("cell line").any()
    (chain,) = profile.chains("aten::mul")
    names = {profile.trace.name_of(node) for node in chain.nodes}
    assert "aten::mul.Tensor" in names and "cell line 1" not in names


def test_a_statement_on_one_line_is_line_one(run: Run) -> None:
    run("%neuronprof --once a = 1; b = 2")
    assert list(marks()) == ["cell line 1"]


def test_a_mark_is_ended_by_an_exception_and_costs_nothing_without_a_profiler() -> None:
    with torch.profiler.profile() as profiler:
        with pytest.raises(ZeroDivisionError), LineMark(1):
            raise ZeroDivisionError
        with LineMark(2):
            pass
    spans = {e.name: e.time_range for e in profiler.events()}
    assert spans["cell line 1"].end <= spans["cell line 2"].start
    mark = LineMark(3)
    with mark:
        assert mark._handle is None


def test_future_imports_and_annotations_work_statement_by_statement(run: Run, shell: Any) -> None:
    run("%%neuronprof --once\nfrom __future__ import annotations\ndef f(x: Nowhere): pass\ny: int = 3")
    assert shell.user_ns["f"].__annotations__ == {"x": "Nowhere"} and shell.user_ns["y"] == 3


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("i += 1", [(1, "i += 1")]),
        ("y = f(x)\nx = x + 1", [(2, "x = x + 1")]),
        ("rows.append(y)", [(1, "rows.append(y)")]),
        ("model.state.update(y)", [(1, "model.state.update(y)")]),
        ("for _ in range(2):\n    opt.step()", [(1, "opt.step()")]),
        ("batch = next(it)", [(1, "next(it)")]),
        ("table[k] += 1", [(1, "table[k] += 1")]),
        ("y = x * x\ny += 1", []),
        ("rows = []\nfor r in xs:\n    rows.append(r)", []),
        ("loss = f(x)\nloss.backward()", []),
        ("def f():\n    n.append(1)", []),
        ("g = lambda: n.append(1)", []),
        ("x = y + 1\ny = f(x)", []),
    ],
)
def test_what_changes_something_it_did_not_make(source: str, expected: list[tuple[int, str]]) -> None:
    assert changes(ast.parse(source)) == expected


def test_a_cell_that_changes_what_it_reads_gets_one_line(run: Run) -> None:
    run("i = 0")
    said = run("%%neuronprof\n\ni += 1").output
    assert "It ran 4 times and seems to change what it reads: `i += 1` in line 2." in said
    assert said.count("--once") == 1
    assert "--once" not in run("%%neuronprof --once\ni += 1").output
    assert "--once" not in run("%%neuronprof\nj = i + 1").output


def test_a_slow_first_run_offers_once(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("neuron_nbprof.magics.run.PATIENCE_SECONDS", 0.05)
    run("import time\nn = 0")
    said = run("%%neuronprof\ntime.sleep(0.1 if n == 0 else 0)\nn = 1").output
    assert said.count("The first run took 0 s and 3 more follow") == 1
    assert "The first run took" not in run("%%neuronprof --once\ntime.sleep(0.1)").output
    assert "The first run took" not in run("%%neuronprof\n1").output


def test_elapsed_time_and_a_compiler_at_work_are_shown(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("neuron_nbprof.magics.progress.TICK_SECONDS", 0.05)
    compiler = Path("neuronx-cc")  # stands for the program: what counts is the name of a child process
    compiler.write_bytes(Path(sys.executable).resolve().read_bytes())
    compiler.chmod(0o755)
    run("import subprocess\nn = 0")
    said = run(
        "%%neuronprof\nif n == 0:\n    n = 1\n"
        "    subprocess.run(['./neuronx-cc', '-S', '-c', 'import time; time.sleep(0.5)'],"
        f" env={{'PYTHONHOME': {sys.base_prefix!r}, 'LD_LIBRARY_PATH': {sys.base_prefix + '/lib'!r}}})"
    ).output
    assert "run 1 of 4, unrecorded, 0 s, neuronx-cc is compiling" in said


def test_torch_compile_at_work_is_shown(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    from neuron_nbprof.magics.progress import compiler_at_work

    seen: list[str | None] = []

    def slow(graph: Any, inputs: Any) -> Any:
        seen.append(compiler_at_work(__import__("threading").get_ident()))
        return graph

    torch.compile(lambda x: x + 1, backend=slow)(torch.ones(2))
    assert seen == ["torch.compile"]
    assert compiler_at_work(__import__("threading").get_ident()) is None


def test_nothing_ticks_after_the_cell(run: Run) -> None:
    import threading

    run("%%neuronprof\n1")
    run("%%neuronprof\n1/0")
    until = time.monotonic() + 3
    while time.monotonic() < until:
        if not [t for t in threading.enumerate() if t.name == "neuronprof progress"]:
            return
        time.sleep(0.05)
    raise AssertionError("the progress thread still runs")
