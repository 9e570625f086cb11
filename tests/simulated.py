"""What tests on the simulated device share; a folder has it whose conftest imports both fixtures.

PyTorch lets a process have the device once and for ever.
"""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")

from neuron_nbprof import simulator  # noqa: E402
from neuron_nbprof.simulator import streams  # noqa: E402


@pytest.fixture(scope="session", autouse=True)
def device() -> simulator.SimulatedDevice:
    installed = simulator.install()
    torch.set_num_threads(1)
    return installed


@pytest.fixture(autouse=True)
def one_core(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each test begins as a process does: on core 0 and its default stream, no other having been used."""
    monkeypatch.setattr(streams, "used", {0})
    monkeypatch.setattr(streams, "_side_streams", False)
    monkeypatch.setattr(streams, "_here", streams._Here())
