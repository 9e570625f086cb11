"""Four runs, one capture, and no profiler left on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import torch

import neuron_nbprof
from neuron_nbprof import capture
from neuron_nbprof.capture import CaptureOptions, runner
from neuron_nbprof.capture.host import Host
from neuron_nbprof.capture.simulated import Simulated
from neuron_nbprof.errors import CaptureError


class Code:
    """A piece of code that counts its runs and may fail in one of them."""

    def __init__(self, fails_in: int | None = None, error: BaseException | None = None) -> None:
        self.runs, self.fails_in, self.error = 0, fails_in, error or ZeroDivisionError("boom")
        self.phases: list[tuple[str, int]] = []

    def __call__(self) -> None:
        self.runs += 1
        torch.ones(4, device="neuron") * 2
        if self.runs == self.fails_in:
            raise self.error

    def report(self, phase: str, number: int) -> None:
        assert number == self.runs + 1
        self.phases.append((phase, number))


def record(code: Code, out: Path, target: Any = None) -> Path:
    return capture.record(
        code, target or Simulated(), CaptureOptions("name", out, source="x * 2"), code.report
    )


def facts(folder: Path) -> dict[str, Any]:
    return json.loads((folder / "capture.json").read_text())


def test_the_schedule_of_the_guide(tmp_path: Path) -> None:
    code = Code()
    folder = record(code, tmp_path)
    assert code.runs == 4
    assert code.phases == [("unrecorded", 1), ("unrecorded", 2), ("warm-up", 3), ("recorded", 4)]
    (trace,) = folder.rglob("trace.json")
    names = [
        row["name"] for row in json.loads(trace.read_text())["traceEvents"] if row.get("cat") == "cpu_op"
    ]
    assert names.count("aten::mul") == 1
    assert names.count("neuron::synchronize") >= 1  # inside the recorded window


def test_capture_json_tells_what_was_recorded(tmp_path: Path) -> None:
    folder = record(Code(), tmp_path)
    told = facts(folder)
    assert told.pop("created").startswith("20")
    assert told.pop("neuron_nbprof")
    ours = neuron_nbprof.open(folder).key_averages()["neuron_us"].sum()
    assert told.pop("torch_table")["device_us"] == pytest.approx(ours)
    assert told == {
        "version": 1,
        "name": "name",
        "kernel_id": None,
        "notebook": None,
        "source": "x * 2",
        "notes": [],
        "device": "simulated",
        "device_name": "SIMULATED Trainium2, LNC=2",
        "simulated": True,
        "runs": {"unrecorded": 2, "warmup": 1, "recorded": 1},
        "torch": torch.__version__,
        "error": None,
    }


def test_captures_of_one_second_do_not_share_a_folder(tmp_path: Path) -> None:
    folders = {record(Code(), tmp_path, Host()) for _ in range(3)}
    assert len(folders) == 3 and {folder.parent for folder in folders} == {tmp_path}


@pytest.mark.parametrize("error", [ZeroDivisionError("boom"), KeyboardInterrupt(), SystemExit(3)])
@pytest.mark.parametrize("run", [1, 3, 4])
def test_an_error_goes_through_and_leaves_no_profiler_on(
    run: int, error: BaseException, tmp_path: Path
) -> None:
    code = Code(fails_in=run, error=error)
    with pytest.raises(type(error)) as caught:
        record(code, tmp_path)
    assert caught.value is error and code.runs == run
    assert not torch.autograd._profiler_enabled()
    record(Code(), tmp_path / "next")  # and the next capture works


def test_an_error_in_the_recorded_run_keeps_what_was_recorded(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError):
        record(Code(fails_in=4), tmp_path)
    (folder,) = tmp_path.iterdir()
    assert facts(folder)["error"] == "ZeroDivisionError: boom"
    assert len(list(folder.rglob("trace.json"))) == 1


def test_an_error_before_it_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError):
        record(Code(fails_in=2), tmp_path)
    assert not list(tmp_path.iterdir())


def test_an_active_profiler_is_refused_before_anything_runs(tmp_path: Path) -> None:
    code = Code()
    with torch.profiler.profile(), pytest.raises(CaptureError, match="A profiler is active already"):
        record(code, tmp_path)
    assert code.runs == 0 and not list(tmp_path.iterdir())


def test_a_capture_inside_a_capture_is_refused(tmp_path: Path) -> None:
    inner = Code()

    def outer() -> None:
        record(inner, tmp_path / "inner")

    with pytest.raises(CaptureError, match="A profiler is active already"):
        capture.record(outer, Simulated(), CaptureOptions("outer", tmp_path / "outer"), lambda *_: None)
    assert inner.runs == 0


def test_a_machine_without_neuron_records_its_host(tmp_path: Path) -> None:
    folder = capture.record(
        lambda: torch.ones(3) + 1, Host(), CaptureOptions("cpu", tmp_path), lambda *_: None
    )
    (trace,) = folder.rglob("trace.json")
    assert trace.parent.parent.parent == folder and "_pid_" in trace.parent.parent.name
    rows = json.loads(trace.read_text())["traceEvents"]
    assert [row["name"] for row in rows if row.get("cat") == "cpu_op"].count("aten::add") == 1
    assert facts(folder)["device"] == "host" and facts(folder)["simulated"] is False


def test_a_large_trace_is_not_asked_for_torchs_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "MOST_TRACE_BYTES", 100)
    folder = record(Code(), tmp_path)
    assert facts(folder)["torch_table"] is None
    assert neuron_nbprof.open(folder).reconcile() == ""


def test_where_torch_fails_at_its_table_the_capture_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: Any, **__: Any) -> Any:
        raise AssertionError("torch's own")

    monkeypatch.setattr(torch.profiler.profile, "key_averages", fails)
    told = facts(record(Code(), tmp_path))
    assert (told["torch_table"], told["error"]) == (None, None)


def test_a_disk_that_fills_up_meanwhile_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """PyTorch's writer says nothing, there is just no file."""
    monkeypatch.setattr("neuron_nbprof.capture.host.export", lambda profiler, folder: None)
    with pytest.raises(CaptureError, match="wrote no trace, although the code ran"):
        record(Code(), tmp_path, Host())
    usage, code = capture.preflight.shutil.disk_usage(tmp_path), Code()

    def free(path: Path) -> Any:
        return usage if code.runs < 4 else usage._replace(free=0)

    monkeypatch.setattr(capture.preflight.shutil, "disk_usage", free)
    with pytest.raises(CaptureError, match=r"could not be written to .*name-.*: the disk is full\.$"):
        record(code, tmp_path, Host())
    assert not list(tmp_path.iterdir())


PLACES = {
    "start": "torch.profiler.profile.start",
    "starting": "torch.autograd.profiler.profile._start_trace",
    "step": "torch.profiler.profile.step",
    "stop": "torch.profiler.profile.stop",
    "stopping": "torch.autograd.profiler.profile.__exit__",
    "export": "neuron_nbprof.simulator.artifacts.write_tables",
    "facts": "neuron_nbprof.capture.runner._write_facts",
    "wait": "torch.neuron.synchronize",
}


@pytest.mark.parametrize("schedule", [capture.ONCE, capture.Schedule()], ids=["once", "four times"])
@pytest.mark.parametrize("place", PLACES)
def test_an_interrupt_anywhere_leaves_no_profiler_on(
    place: str, schedule: capture.Schedule, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    options = CaptureOptions("name", tmp_path, schedule=schedule)
    with monkeypatch.context() as patched:
        patched.setattr(PLACES[place], interrupted)
        if schedule == capture.ONCE and place == "step":
            return  # a block that runs once makes no steps
        with pytest.raises(KeyboardInterrupt):
            if schedule == capture.ONCE:
                with capture.Recording(Simulated(), options).once():
                    torch.ones(4, device="neuron") * 2
            else:
                capture.record(Code(), Simulated(), options, lambda *_: None)
    assert not torch.autograd._profiler_enabled()
    (trace,) = record(Code(), tmp_path / "next").rglob("trace.json")
    names = [
        row["name"] for row in json.loads(trace.read_text())["traceEvents"] if row.get("cat") == "cpu_op"
    ]
    assert names.count("aten::mul") == 1
