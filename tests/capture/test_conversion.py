"""neuron-explorer played by scripts, well behaved and not."""

from __future__ import annotations

import os
import sys
import textwrap
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

import neuron_nbprof
from neuron_nbprof import cli
from neuron_nbprof.capture import conversion, convert

from ..captures import framework_json, system_table
from . import neuron_double
from .conftest import Ran

Tool = Callable[[str], None]


@pytest.fixture
def capture_folder(tmp_path: Path) -> Path:
    """A capture as a Trainium leaves it: framework trace and raw files, no tables."""
    session = tmp_path / "cap" / neuron_double.SESSION
    session.mkdir(parents=True)
    (session / "trace.json").write_text(framework_json())
    (session / "ntrace.pb").write_bytes(b"\x00raw")
    return tmp_path / "cap"


@pytest.fixture
def tool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Tool:
    """`tool(body)` puts a neuron-explorer on the PATH; `out` and `session` are what it was given."""
    pq.write_table(system_table(), tmp_path / "events.parquet")
    monkeypatch.setattr(conversion, "USUAL_PLACE", tmp_path / "usual")
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/usr/bin:/bin")

    def install(body: str, place: str = "bin") -> None:
        head = f"""
            import pathlib, shutil, subprocess, sys, time
            given = sys.argv[1:]
            assert given[0] == "view" and "--ingest-only" in given, given
            assert given[given.index("--output-format") + 1] == "parquet"
            session = pathlib.Path(given[given.index("-d") + 1])
            out = pathlib.Path(given[given.index("--data-path") + 1])
            name = given[given.index("--display-name") + 1]
            def tables():
                place = out / "profiles" / "global" / (name + "@latest")
                place.mkdir(parents=True)
                shutil.copy({str(tmp_path / "events.parquet")!r}, place / "SystemProfileEvents.parquet")
        """
        script = tmp_path / place / "neuron-explorer"
        script.parent.mkdir(exist_ok=True)
        script.write_text(f"#!{sys.executable}" + textwrap.dedent(head) + textwrap.dedent(body))
        script.chmod(0o755)

    return install


def test_the_lanes_of_the_device_come_from_the_tables(capture_folder: Path, tool: Tool) -> None:
    assert neuron_nbprof.open(capture_folder).summary()["executions"] == 0
    tool("tables()")
    outcome = convert(capture_folder)
    assert outcome.done and outcome.notes == []
    assert neuron_nbprof.open(capture_folder).summary()["executions"] == 2
    assert not list(capture_folder.rglob(".neuron-explorer*"))
    tool("raise SystemExit('asked twice')")
    assert convert(capture_folder) == conversion.Conversion()  # there is nothing left to do


def test_the_usual_place_is_looked_at_too(capture_folder: Path, tool: Tool) -> None:
    tool("tables()", "usual")  # type: ignore[call-arg]
    assert convert(capture_folder).done


def test_without_the_tool_one_line_says_what_is_missing(capture_folder: Path, tool: Tool) -> None:
    (note,) = convert(capture_folder).notes
    assert note == (
        "The device lanes are not complete: neuron-explorer (apt package aws-neuronx-tools) is not here; "
        f"where it is, run `neuron-nbprof convert {capture_folder}`."
    )


def test_the_command_of_that_line_works(
    capture_folder: Path, tool: Tool, capsys: pytest.CaptureFixture[str]
) -> None:
    tool("tables()")
    assert cli.main(["convert", str(capture_folder)]) == 0
    assert capsys.readouterr().out == f"The device lanes are there now.  Capture: {capture_folder}\n"
    assert cli.main(["convert", str(capture_folder)]) == 0
    assert capsys.readouterr().out.startswith("Nothing was converted.")
    assert cli.main(["convert", str(capture_folder / "nowhere")]) == 2
    assert "There is no folder" in capsys.readouterr().err
    assert neuron_nbprof.open(capture_folder).summary()["executions"] == 2


def test_warnings_of_the_tool_are_kept_once_each(capture_folder: Path, tool: Tool) -> None:
    tool(
        """
        print("INFO ingesting")
        for _ in range(3): print("WARN: 1,234 trace events were dropped", file=sys.stderr)
        tables()
        """
    )
    outcome = convert(capture_folder)
    assert outcome.done and outcome.notes == ["neuron-explorer: WARN: 1,234 trace events were dropped"]


def test_a_tool_that_talks_without_end_does_not_flood(capture_folder: Path, tool: Tool) -> None:
    tool("for n in range(500): print('warning', n)\ntables()")
    notes = convert(capture_folder).notes
    assert len(notes) == 21 and notes[-1] == "neuron-explorer: and 480 more warnings"


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("raise SystemExit(3)", "ended with code 3 and no tables"),
        ("print('done')", "ended with code 0 and no tables"),
        ("tables(); sys.exit(1)", "ended with code 1"),
    ],
)
def test_a_tool_that_fails(body: str, reason: str, capture_folder: Path, tool: Tool) -> None:
    tool(body)
    outcome = convert(capture_folder)
    assert not outcome.done and reason in outcome.notes[-1] and "to try again, run" in outcome.notes[-1]
    assert neuron_nbprof.open(capture_folder).summary()["executions"] == 0


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.parametrize("ends", [True, False])
def test_no_process_is_left_behind(ends: bool, capture_folder: Path, tool: Tool, tmp_path: Path) -> None:
    """A web server that the tool started, and a tool that never ends."""
    tool(
        f"""
        server = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
        pathlib.Path({str(tmp_path / "pid")!r}).write_text(str(server.pid))
        {"tables()" if ends else "time.sleep(60)"}
        """
    )
    began = time.monotonic()
    outcome = convert(capture_folder, limit=4 if not ends else 30)
    assert time.monotonic() - began < 40
    assert outcome.done == ends
    if not ends:
        assert "took longer than 4 s" in outcome.notes[-1]
    server = int((tmp_path / "pid").read_text())
    until = time.monotonic() + 5
    while is_running(server) and time.monotonic() < until:
        time.sleep(0.05)
    assert not is_running(server)


def test_an_empty_device_trace_is_explained(capture_folder: Path, tool: Tool) -> None:
    tool("tables()")
    (capture_folder / neuron_double.SESSION / "profile_nc_3_session_0.ntff").touch()
    outcome = convert(capture_folder)
    assert outcome.done and outcome.notes == [
        "profile_nc_3_session_0.ntff is empty: nothing ran on that core while it was recorded."
    ]


def test_the_magic_on_a_real_device_shows_what_the_tool_brought(
    tool: Tool, run: Callable[[str], Ran], shell: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    neuron_double.install(monkeypatch).empty_ntff = True
    run("import torch\nx = torch.ones(2, device='neuron')")
    ran = run("%%neuronprof a\nx * x")
    assert ran.error is None and "neuron-explorer (apt package aws-neuronx-tools) is not here" in ran.output
    notes = [note.text for note in shell.user_ns["a"].notes]
    assert any("device lanes are not complete" in note for note in notes)
    assert any("profile_nc_1_session_0.ntff is empty" in note for note in notes)
    tool("tables()")
    ran = run("%%neuronprof b --expect executions=2\nx * x")
    assert ran.error is None and "✓ executions: 2" in ran.output
    assert shell.user_ns["b"].summary()["executions"] == 2
    assert os.environ.get("NEURON_RT_INSPECT_ENABLE") is None
