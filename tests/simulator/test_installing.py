"""Where the simulated device must not be installed, and what it says."""

from __future__ import annotations

import importlib.metadata
import subprocess
import sys
from pathlib import Path

import pytest

from neuron_nbprof import simulator
from neuron_nbprof.errors import SimulatorError


@pytest.fixture(autouse=True)
def not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if nothing had been installed in this process yet."""
    monkeypatch.setattr(simulator, "_installed", None)
    for name in ("torch_neuronx", "torch_neuronx.profiling"):
        monkeypatch.delitem(sys.modules, name)


def refusal() -> str:
    with pytest.raises(SimulatorError) as caught:
        simulator.install()
    message = str(caught.value)
    assert message.count(". ") == 0 and message.endswith(".")  # one sentence
    return message


def test_a_real_torch_neuronx_is_not_imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "torch_neuronx"
    package.mkdir()
    (package / "__init__.py").write_text("raise AssertionError('imported')")
    monkeypatch.syspath_prepend(tmp_path)
    assert "torch_neuronx can be imported" in refusal()


def test_an_installed_distribution_counts_even_if_broken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    metadata = tmp_path / "torch_neuronx-2.13.3.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: torch-neuronx\nVersion: 2.13.3\n")
    monkeypatch.syspath_prepend(tmp_path)
    assert "torch-neuronx 2.13.3 is installed" in refusal()


@pytest.mark.parametrize("version", ["2.9.1", "2.12.0+cpu", "2.15.0", "2.130.0", "3.13.0"])
def test_an_untested_torch(version: str, monkeypatch: pytest.MonkeyPatch) -> None:
    real = importlib.metadata.version
    monkeypatch.setattr(
        importlib.metadata, "version", lambda name: version if name == "torch" else real(name)
    )
    message = refusal()
    assert version in message and "2.13" in message


def test_no_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    def version(name: str) -> str:
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "version", version)
    assert "neuron-nbprof[torch]" in refusal()


def test_another_custom_device() -> None:
    assert 'custom PyTorch device called "neuron"' in refusal()  # the one that this test process has


def test_installing_twice_is_installing_once(
    device: simulator.SimulatedDevice, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(simulator, "_installed", device)
    assert simulator.install() is device
    assert "SIMULATED" in str(device)


def test_asking_for_the_simulator_does_not_load_torch() -> None:
    code = "import sys, neuron_nbprof.simulator as s; s.real_package(); print('torch' in sys.modules)"
    output = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert output.strip() == "False"
