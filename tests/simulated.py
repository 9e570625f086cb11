"""One simulated device for the whole test process: PyTorch lets a process have it once and for ever."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")

from neuron_nbprof import simulator  # noqa: E402


@pytest.fixture(scope="session", autouse=True)
def device() -> simulator.SimulatedDevice:
    """For the tests of a folder whose conftest imports this."""
    installed = simulator.install()
    torch.set_num_threads(1)
    return installed
