"""The doctor in made-up places: each line right, and with the right advice."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import json
import os
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from neuron_nbprof import cli, doctor, remedies
from neuron_nbprof.analysis.insights import rules
from neuron_nbprof.capture import conversion
from neuron_nbprof.doctor import Finding, System, examine, text


@pytest.fixture
def system(tmp_path: Path) -> System:
    for name in ("dev", "proc"):
        (tmp_path / name).mkdir()
    return System(tmp_path / "dev", tmp_path / "proc", {}, tmp_path)


def process(system: System, pid: int, *, environ: str = "", cmdline: str = "", device: str = "") -> None:
    place = system.proc / str(pid)
    (place / "fd").mkdir(parents=True)
    (place / "environ").write_text(environ)
    (place / "cmdline").write_text(cmdline)
    (place / "fd" / "0").symlink_to("/dev/null")
    if device:
        (place / "fd" / "7").symlink_to(device)


def found(system: System, what: str, **options: Any) -> list[Finding]:
    return [finding for finding in examine(system, **options) if finding.what == what]


def versions(monkeypatch: pytest.MonkeyPatch, **given: str | None) -> None:
    real = importlib.metadata.version

    def version(name: str) -> str:
        if name in given:
            value = given[name]
            if value is None:
                raise importlib.metadata.PackageNotFoundError(name)
            return value
        return real(name)

    monkeypatch.setattr(importlib.metadata, "version", version)


@pytest.mark.parametrize(
    ("torch_version", "neuron", "advice"),
    [
        ("2.13.0+cpu", "2.13.3.0", ""),
        ("2.14.1", "2.14.3.0", ""),
        ("2.14.1", "2.13.3.0", "pip install torch-neuronx==2.14.3.*"),
        ("2.9.0", "2.13.3.0", "Install torch 2.13 or 2.14"),
        ("2.13.0", None, "%neuronprof_device simulated"),
    ],
)
def test_torch_and_torch_neuronx_and_their_fit(
    torch_version: str, neuron: str | None, advice: str, system: System, monkeypatch: pytest.MonkeyPatch
) -> None:
    versions(monkeypatch, **{"torch": torch_version, "torch-neuronx": neuron})
    (finding,) = found(system, "torch_neuronx")
    assert advice in finding.do and finding.good == (not advice)
    assert found(system, "torch")[0].good == torch_version.startswith(("2.13", "2.14"))


def test_the_older_generation_is_named(system: System, monkeypatch: pytest.MonkeyPatch) -> None:
    versions(monkeypatch, **{"torch-neuronx": "2.7.0"})
    real = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: name == "torch_xla" or real(name))
    assert "older generation on torch_xla" in found(system, "torch_neuronx")[0].found


def test_neuron_explorer(system: System, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    monkeypatch.setattr(conversion, "USUAL_PLACE", tmp_path)
    assert "aws-neuronx-tools" in found(system, "neuron-explorer")[0].do
    (tmp_path / "neuron-explorer").touch(0o755)
    assert found(system, "neuron-explorer")[0].found == str(tmp_path / "neuron-explorer")


def test_devices_and_their_permissions(system: System, monkeypatch: pytest.MonkeyPatch) -> None:
    assert found(system, "/dev/neuron*")[0].found == "none"
    for number in range(2):
        (system.dev / f"neuron{number}").touch()
    (system.dev / "neuron_extra").touch()
    assert found(system, "/dev/neuron*")[0].found == "2, all may be opened"
    monkeypatch.setattr(os, "access", lambda path, mode: not str(path).endswith("neuron1"))
    (finding,) = found(system, "/dev/neuron*")
    assert "1 may not be opened" in finding.found and "neuron1" in finding.do


def test_who_holds_which_core(system: System) -> None:
    process(system, 77, environ="A=1\0JPY_SESSION_NAME=/home/u/a.ipynb\0NEURON_RT_VISIBLE_CORES=0-3\0",
            cmdline="python\0-m\0ipykernel\0", device="/dev/neuron0")  # fmt: skip
    process(system, 78, cmdline="python\0train.py\0", device="/dev/neuron11")
    process(system, 79, cmdline="bash\0")
    process(system, os.getpid(), device="/dev/neuron3")
    this, other = (
        sorted(found(system, "cores"), key=lambda f: f.good, reverse=True)[0],
        found(system, "cores"),
    )
    assert this.found == "this process holds neuron3" and this.good
    assert [f.found for f in other if not f.good] == [
        "pid 77 (notebook /home/u/a.ipynb) holds neuron0, cores 0-3",
        "pid 78 (python train.py) holds neuron11",
    ]
    assert "kill 77" in next(f for f in other if "77" in f.found).do


def test_free_memory_only_for_the_device_mode_and_behind_log_lines(
    system: System, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    devices = [
        {"neuron_device": 0, "memory_size": 96 << 30, "memory_used": 10 << 30},
        {"neuron_device": 1, "memory_size": 96 << 30, "memory_used": 93 << 30},
    ]
    tool = tmp_path / "neuron-ls"
    tool.write_text(f"#!/bin/sh\necho 'INFO: reading devices'\necho '{json.dumps(devices)}'\n")
    tool.chmod(0o755)
    monkeypatch.setattr(conversion, "USUAL_PLACE", tmp_path)
    assert not found(system, "HBM")
    roomy, tight = found(system, "HBM", device_mode=True)
    assert roomy.found == "device 0: 86.0 of 96.0 GB free" and roomy.good
    assert tight.found == "device 1: 3.0 of 96.0 GB free" and "about 5 GB" in tight.do
    tool.write_text("#!/bin/sh\necho 'no devices'\n")
    assert found(system, "HBM", device_mode=True)[0].found == "unknown: neuron-ls -j gave no table"


@pytest.mark.parametrize(
    ("environment", "what", "advice"),
    [
        ({"NEURON_RT_INSPECT_ENABLE": "1"}, "NEURON_RT_INSPECT_ENABLE", remedies.ONE_RECORDER),
        ({"NEURON_LOGICAL_NC_CONFIG": "4"}, "logical cores", "are 1 or 2"),
        (
            {"NEURON_LOGICAL_NC_CONFIG": "1", "NEURON_RT_VIRTUAL_CORE_SIZE": "2"},
            "logical cores", "have to agree",
        ),
        ({"XLA_IR_DEBUG": "1"}, "XLA_IR_DEBUG", "clear the NEFF cache"),
    ],
)  # fmt: skip
def test_variables_that_conflict_or_come_too_late(
    environment: dict[str, str], what: str, advice: str, tmp_path: Path, system: System
) -> None:
    assert torch.neuron.is_initialized()
    (finding,) = found(System(system.dev, system.proc, environment, tmp_path), what)
    assert advice in finding.do
    assert not found(system, what)


def test_a_runtime_that_is_initialised(system: System, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "is_installed", lambda: False)
    (finding,) = found(system, "runtime")
    assert "too late" in finding.found and "Restart the kernel" in finding.do
    monkeypatch.setattr(torch, "neuron", SimpleNamespace(is_initialized=lambda: False))
    assert not found(system, "runtime")


def test_disk_space(system: System, monkeypatch: pytest.MonkeyPatch) -> None:
    assert found(system, "disk")[0].found.endswith(f"GB free at {system.here}")
    usage = doctor.shutil.disk_usage(system.here)
    monkeypatch.setattr(doctor.shutil, "disk_usage", lambda path: usage._replace(free=1 << 30))
    assert "Make room" in found(system, "disk")[0].do


def test_the_environments_of_kernel_and_server(system: System, tmp_path: Path) -> None:
    assert "bokeh 3" in found(system, "kernel")[0].found
    assert found(system, "server")[0].good
    process(system, 42, cmdline=f"{sys.executable}\0-m\0jupyterlab\0")
    started = System(system.dev, system.proc, {"JPY_PARENT_PID": "42"}, tmp_path)
    (server,) = found(started, "server")
    assert server.found.startswith(f"{sys.executable}: bokeh 3") and server.good
    widget, ours = found(started, "extension")
    assert widget.found.startswith("anywidget enabled (") and ours.found.startswith("neuron-nbprof enabled (")
    bare = tmp_path / "python"
    facts = {**dict.fromkeys(doctor.PACKAGES), "prefix": str(tmp_path)}
    bare.write_text(f"#!/bin/sh\necho '{json.dumps(facts)}'\n")
    bare.chmod(0o755)
    process(system, 43, cmdline=f"{bare}\0")
    started = System(system.dev, system.proc, {"JPY_PARENT_PID": "43"}, tmp_path)
    (server,) = found(started, "server")
    assert "pip install anywidget jupyterlab_widgets" in server.do and "bokeh missing" in server.found
    assert ["is missing" in finding.found for finding in found(started, "extension")] == [True, True]


@pytest.mark.parametrize("disabled", [{"anywidget": True}, ["anywidget"]])
@pytest.mark.parametrize("place", ["home", "etc/jupyter"])
def test_an_extension_that_is_disabled(disabled: Any, place: str, tmp_path: Path) -> None:
    (tmp_path / "share/jupyter/labextensions/anywidget").mkdir(parents=True)
    environment = {"JUPYTER_CONFIG_DIR": str(tmp_path / "home")}

    def look() -> Finding:
        return doctor._extension("anywidget", "anywidget", tmp_path, "python", environment)

    assert look().good
    config = tmp_path / place / "labconfig"
    config.mkdir(parents=True)
    (config / "page_config.json").write_text(json.dumps({"disabledExtensions": disabled}))
    assert "is disabled in" in look().found and "labextension enable anywidget" in look().do
    (config / "page_config.json").write_text(json.dumps({"disabledExtensions": {"anywidget": False}}))
    assert look().good


def test_the_page_has_one_line_each_with_the_advice_below(capsys: pytest.CaptureFixture[str]) -> None:
    page = text([Finding("a", "good"), Finding("long", "bad", "Do this.")])
    assert page.splitlines() == ["✓ a     good", "✗ long  bad", "        → Do this."]
    assert cli.main(["doctor"]) == 0
    said = capsys.readouterr().out
    assert said.startswith("✓ Python") and "HBM" not in said
    assert cli.main(["doctor", "--device-mode"]) == 0 and "HBM" in capsys.readouterr().out


def test_the_doctor_is_a_magic_too(run: Any) -> None:
    assert "/dev/neuron*" in run("%neuronprof_doctor").output
    assert "HBM" in run("%neuronprof_doctor device").output


def test_the_doctor_says_before_a_capture_what_insights_say_after_it(
    system: System, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(conversion, "tool", lambda: None)
    process(system, 77, cmdline="python\0", device="/dev/neuron0")
    place = System(system.dev, system.proc, {"NEURON_RT_INSPECT_ENABLE": "1"}, system.here)
    said = rules().set_index("id")["remedy"]
    for what, shared, rule in (
        ("neuron-explorer", remedies.DEVICE_LANES, "empty-device-column"),
        ("NEURON_RT_INSPECT_ENABLE", remedies.ONE_RECORDER, "unlinked-rows"),
        ("cores", remedies.VISIBLE_CORES, "cores"),
    ):
        (finding,) = found(place, what)
        assert shared in finding.do and shared in said[rule]
