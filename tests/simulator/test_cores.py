"""Several logical cores: where tensors are, and where what is done with them runs."""

from __future__ import annotations

import copy
import io
import threading
from collections.abc import Callable
from typing import Any

import pytest
import torch

import neuron_nbprof

from .conftest import Recorded

Profile = Callable[..., Recorded]
CORES = 4  # of a Trainium2, LNC=2


def device(core: int) -> torch.device:
    return torch.device("neuron", core)


def test_the_chip_has_as_many_devices_as_logical_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    assert torch.neuron.device_count() == torch.accelerator.device_count() == CORES
    monkeypatch.setenv("NEURON_LOGICAL_NC_CONFIG", "1")
    for chip, cores in {"trn1": 2, "trn2": 8, "trn3": 8}.items():
        neuron_nbprof.simulate(chip=chip)
        assert torch.neuron.device_count() == cores
        assert torch.ones(1, device=f"neuron:{cores - 1}").item() == 1
    monkeypatch.delenv("NEURON_LOGICAL_NC_CONFIG")
    neuron_nbprof.simulate(chip="trn2")


@pytest.mark.parametrize(
    "make",
    [
        lambda core: torch.ones(2, device=f"neuron:{core}"),
        lambda core: torch.ones(2).to(f"neuron:{core}"),
        lambda core: torch.ones(2).neuron(core),
        lambda core: torch.ones(2, device="neuron").to(device(core)),
        lambda core: torch.tensor([1.0, 1.0], device=device(core)),
        lambda core: torch.zeros(2, device=core) + 1,
        lambda core: torch.ones(2, device=device(core)).view(1, 2).expand(3, 2)[1],
        lambda core: torch.add(
            torch.zeros(2, device=device(core)), 1, out=torch.empty(0, device=device(core))
        ),
        lambda core: torch.ones(4, device=device(core)).resize_(2),
        lambda core: torch._efficientzerotensor((2,), device=device(core)) + torch.ones(2, device=core),
        lambda core: copy.deepcopy(torch.ones(2, device=device(core))),
        lambda core: torch.nn.Linear(2, 2).to(device(core)).weight.detach()[0] * 0 + 1,
    ],
)
@pytest.mark.parametrize("core", range(CORES))
def test_a_tensor_is_where_it_was_put(make: Callable[[int], torch.Tensor], core: int) -> None:
    tensor = make(core)
    assert tensor.device == device(core) and tensor.cpu().flatten().tolist() == [1, 1]


@pytest.mark.parametrize("name", ["neuron:4", "neuron:99"])
def test_a_core_that_is_not_there(name: str) -> None:
    said = f"invalid device {name}: the SIMULATED Trainium2, LNC=2 has 4 logical cores, neuron:0 to neuron:3"
    for put in (
        lambda: torch.ones(2, device=name),
        lambda: torch.ones(2).to(name),
        lambda: torch.neuron.set_device(name),
    ):
        with pytest.raises(RuntimeError, match=said):
            put()


def test_tensors_of_two_cores_do_not_mix() -> None:
    with pytest.raises(RuntimeError, match="at least two devices, neuron:0 and neuron:1!"):
        torch.ones(2, device="neuron:0") + torch.ones(2, device="neuron:1")
    with pytest.raises(RuntimeError, match="at least two devices, neuron:1 and cpu!"):
        torch.ones(2, device="neuron:1") + torch.ones(2)


#: Whatever leaves the number of the device to PyTorch goes to the current one.
FOLLOWERS: dict[str, Callable[[], torch.Tensor]] = {
    "factory": lambda: torch.ones(1, device="neuron"),
    "random": lambda: torch.randn(1, device="neuron"),
    "tensor": lambda: torch.tensor([1.0], device="neuron"),
    "as_tensor": lambda: torch.as_tensor([1.0], device=torch.device("neuron")),
    "asarray": lambda: torch.asarray([1.0], device="neuron"),
    "to": lambda: torch.ones(1).to("neuron"),
    "to device and type": lambda: torch.ones(1).to(torch.device("neuron"), torch.bfloat16),
    "to keyword": lambda: torch.ones(1).to(device="neuron"),
    "method": lambda: torch.ones(1).neuron(),
    "module": lambda: torch.nn.Linear(1, 1).to("neuron").weight,
    "like": lambda: torch.zeros_like(torch.ones(1), device="neuron"),
}


@pytest.mark.parametrize("name", FOLLOWERS)
def test_what_names_no_core_goes_to_the_current_one(name: str) -> None:
    make = FOLLOWERS[name]
    assert make().device == device(0)
    torch.neuron.set_device(2)
    assert make().device == device(2)
    with torch.neuron.device(1):
        assert make().device == device(1)
    with torch.accelerator.device_index(3):
        assert make().device == device(3)
    assert torch.neuron.current_device() == torch.accelerator.current_device_index() == 2
    with torch.device("neuron"):
        assert torch.tensor([1.0]).device == torch.ones(1).device == device(2)
    assert torch.tensor([1.0]).device.type == "cpu"
    torch.accelerator.set_device_index(0)
    assert make().device == device(0)


def test_each_thread_has_its_own_current_core_and_stream() -> None:
    torch.neuron.set_stream(torch.neuron.Stream(1))
    found: list[Any] = []
    thread = threading.Thread(
        target=lambda: found.extend([torch.neuron.current_device(), torch.neuron.current_stream(1).stream_id])
    )
    thread.start()
    thread.join()
    assert found == [0, 0] and torch.neuron.current_device() == 1


def trained(*places: str) -> list[torch.Tensor]:
    """Parameters of a model whose layers lie in different places, after two steps."""
    torch.manual_seed(0)
    layers = [torch.nn.Linear(8, 8), torch.nn.RMSNorm(8), torch.nn.Linear(8, 1)]
    x = torch.randn(4, 8)
    layers = [layer.to(place) for layer, place in zip(layers, places, strict=True)]
    optimiser = torch.optim.AdamW([p for layer in layers for p in layer.parameters()], lr=0.1)
    for _ in range(2):
        optimiser.zero_grad()
        y = x
        for layer, place in zip(layers, places, strict=True):
            y = layer(y.to(place))
        y.square().mean().backward()
        optimiser.step()
    return [p.detach().cpu() for layer in layers for p in layer.parameters()]


@pytest.mark.parametrize("places", [("neuron:1",) * 3, ("neuron:0", "neuron:3", "neuron:1")])
def test_training_on_other_cores_and_across_them_equals_the_cpu(places: tuple[str, ...]) -> None:
    for a, b in zip(trained(*places), trained("cpu", "cpu", "cpu"), strict=True):
        assert torch.equal(a, b)


def test_compiled_code_runs_on_the_core_of_its_tensors(profile: Profile) -> None:
    compiled = torch.compile(lambda x: (x * 2).relu(), backend="neuron", dynamic=False)
    x = torch.ones(4, device="neuron:2")
    run = profile(lambda: compiled(x))
    assert {row["nc_idx"] for row in run.events("nc_exec_running")} == {2}


def test_a_saved_tensor_knows_its_core() -> None:
    file = io.BytesIO()
    torch.save(torch.ones(2, device="neuron:3"), file)
    file.seek(0)
    assert torch.load(file).device == device(3)
    file.seek(0)
    assert torch.load(file, map_location="neuron:1").device == device(1)
