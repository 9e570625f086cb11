"""Choosing a device, and the real one through a double that accepts nothing but the documented interface."""

from __future__ import annotations

import importlib.util
import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest
import torch

import neuron_nbprof
from neuron_nbprof import capture, simulator
from neuron_nbprof.capture import CaptureOptions
from neuron_nbprof.errors import CaptureError

from . import neuron_double
from .neuron_double import SESSION, Neuron, ProfileMode

WAYS = "open captures from elsewhere (neuron_nbprof.open), record on the host (%neuronprof_device host)"


@pytest.fixture
def native(monkeypatch: pytest.MonkeyPatch) -> Neuron:
    return neuron_double.install(monkeypatch)


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch) -> None:
    """A process in which no Neuron device of any kind has been asked for."""
    monkeypatch.delitem(sys.modules, "torch_neuronx")
    monkeypatch.delitem(sys.modules, "torch_neuronx.profiling")
    monkeypatch.setattr(simulator, "_installed", None)


def record(out: Path, code: Any = None, **options: Any) -> Path:
    x = torch.ones(2, device="neuron")
    return capture.record(
        code or (lambda: x * x),
        capture.choose("neuron"),
        CaptureOptions("real", out, **options),
        lambda *_: None,
    )


def facts(folder: Path) -> dict[str, Any]:
    return json.loads((folder / "capture.json").read_text())


def test_a_real_device_is_used_by_its_documented_interface(native: Neuron, tmp_path: Path) -> None:
    folder = record(tmp_path)
    assert native.configs == 1
    assert native.last.given == {
        "modes": [ProfileMode.RUNTIME], "out": str(folder), "events": 1_000_000, "cores": None,
        "cache": None, "correlate": True,
    }  # fmt: skip
    assert (folder / SESSION / "trace.json").is_file()
    assert facts(folder)["notes"] == [] and facts(folder)["device"] == "neuron"


def test_what_was_asked_for_reaches_the_device(
    native: Neuron, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TORCH_NEURONX_NEFF_CACHE_DIR", "/elsewhere")
    cached: list[str] = []
    cache = tmp_path / "cache"
    record(
        tmp_path, lambda: cached.append(os.environ["TORCH_NEURONX_NEFF_CACHE_DIR"]), neff_cache=cache,
        modes=("runtime", "device", "cpu-util", "host-memory"), cores="0, 2-5", max_events=7,
    )  # fmt: skip
    given = native.last.given
    assert set(given["modes"]) == set(ProfileMode)
    assert (given["cores"], given["events"], given["cache"]) == ("0,2-5", 7, str(cache))
    assert cached == [str(cache)] * 4  # it is set before the first run


@pytest.mark.parametrize("place", ["torch.neuron", "torch_neuronx"])
def test_the_device_is_waited_for_whatever_the_name(
    place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    native = neuron_double.install(monkeypatch, synchronize=place)
    trace = json.loads((record(tmp_path) / SESSION / "trace.json").read_text())
    assert native.synchronised
    assert len([row for row in trace["traceEvents"] if row.get("cat") == "privateuse1_driver"]) == 1


def test_the_double_reports_nothing_without_a_synchronise(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So that the test above can fail.  Where there is a torch.neuron.synchronize, PyTorch calls it too."""
    neuron_double.install(monkeypatch, synchronize="torch_neuronx")
    target = capture.choose("neuron")
    target.synchronize = lambda: None  # type: ignore[method-assign]
    x = torch.ones(2, device="neuron")
    folder = capture.record(lambda: x * x, target, CaptureOptions("x", tmp_path), lambda *_: None)
    assert "privateuse1_driver" not in (folder / SESSION / "trace.json").read_text()


def test_without_any_synchronise_there_is_no_device(monkeypatch: pytest.MonkeyPatch) -> None:
    neuron_double.install(monkeypatch, synchronize="nowhere")
    with pytest.raises(CaptureError, match=r'does not register the device "neuron" with a synchronize\(\)'):
        capture.choose("neuron")


def test_an_older_config_gets_what_it_takes_and_the_effect_is_stated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    native = neuron_double.install(monkeypatch, older=True)
    folder = record(tmp_path)
    assert native.last.given == {"modes": [ProfileMode.RUNTIME], "out": str(folder)}
    (note,) = facts(folder)["notes"]
    assert "no correlate_device_time" in note
    assert note in [note.text for note in neuron_nbprof.open(folder).notes]


def test_an_option_that_an_older_config_lacks_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    neuron_double.install(monkeypatch, older=True)
    for option, name in (("cores", "--nc"), ("max_events", "--max-events"), ("neff_cache", "--neff-cache")):
        value = {"cores": "0", "max_events": 5, "neff_cache": tmp_path}[option]
        with pytest.raises(CaptureError, match=f"so {name} cannot be used with it"):
            record(tmp_path / "out", lambda: pytest.fail("it ran"), **{option: value})
    assert not list((tmp_path / "out").iterdir())


def test_a_device_that_writes_no_trace(native: Neuron, tmp_path: Path) -> None:
    native.writes_trace = False
    with pytest.raises(CaptureError, match="wrote no trace"):
        record(tmp_path)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (
            RuntimeError("nrt status 4"),
            "The profiler of AWS Neuron device failed, RuntimeError: nrt status 4",
        ),
        (OSError(28, "No space left on device"), "could not be written below .*: No space left on device"),
    ],
)
def test_a_device_that_fails_to_export(
    error: Exception, sentence: str, native: Neuron, tmp_path: Path
) -> None:
    native.export_fails = error
    with pytest.raises(CaptureError, match=sentence):
        record(tmp_path)
    assert not torch.autograd._profiler_enabled() and not list(tmp_path.iterdir())
    native.export_fails = None
    assert record(tmp_path).is_dir()


def test_a_second_start_is_found_before_the_code_runs(native: Neuron, tmp_path: Path) -> None:
    """The device would ignore it, and the code would run for nothing."""

    def outer() -> None:
        with pytest.raises(CaptureError, match="active already"):
            record(tmp_path / "inner", lambda: pytest.fail("it ran"))

    record(tmp_path / "outer", outer)
    assert native.configs == 1


def test_auto_prefers_the_real_device(native: Neuron) -> None:
    assert capture.choose("auto").kind == "neuron"
    assert capture.default().kind == "neuron"


def test_auto_simulates_where_there_is_none() -> None:
    assert capture.choose("auto").kind == "simulated"


def test_nothing_is_simulated_that_was_not_asked_for(bare: None) -> None:
    assert capture.default().kind == "host"
    assert not simulator.is_installed()


def test_a_simulated_device_that_was_asked_for_is_the_default() -> None:
    assert capture.default().kind == "simulated"


def refusal(choice: str) -> str:
    with pytest.raises(CaptureError) as caught:
        capture.choose(choice)
    message = str(caught.value)
    assert message.count(". ") == 0 and WAYS in message  # one sentence, with a way that works
    return message


def test_no_installation(bare: None) -> None:
    assert refusal("neuron").startswith("No Neuron device here, torch_neuronx is not installed: ")


def test_a_native_installation_without_a_device(native: Neuron, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.neuron, "is_available", lambda: False)
    assert "torch_neuronx is installed and finds no Neuron device" in refusal("auto")
    assert capture.default().kind == "host"


@pytest.mark.parametrize("xla", [True, False])
def test_an_installation_that_is_not_the_native_one(
    xla: bool, bare: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for package in ("torch_neuronx", *(["torch_xla"] if xla else [])):
        (tmp_path / package).mkdir()
        (tmp_path / package / "__init__.py").touch()
    monkeypatch.syspath_prepend(tmp_path)
    assert (importlib.util.find_spec("torch_xla") is not None) == xla
    message = refusal("auto")
    assert ("of the older generation on torch_xla" if xla else "cannot be used (No module") in message
    assert capture.default().kind == "host"
    monkeypatch.delitem(sys.modules, "torch_neuronx", raising=False)


def test_an_unknown_device() -> None:
    with pytest.raises(CaptureError, match="'gpu'; there are auto, neuron, simulated, host"):
        capture.choose("gpu")
