"""The simulated Neuron device: the CPU's numerics, a modelled Trainium2's times."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import re
import sys
from dataclasses import dataclass, replace

from ..errors import SimulatorError
from . import settings

TESTED_TORCH = "2.13 and 2.14"


@dataclass(frozen=True)
class SimulatedDevice:
    """What `install` has put in place."""

    name: str
    device: str
    torch: str

    def __str__(self) -> str:
        return (
            f'{self.name}: device "{self.device}" computes on the CPU of this machine (torch {self.torch}).'
        )


_installed: SimulatedDevice | None = None


def is_installed() -> bool:
    return _installed is not None


def install(
    *, chip: str | None = None, preset: str | None = None, strict_sync: bool | None = None
) -> SimulatedDevice:
    """Make "neuron" a device of this process.  Doing it again only changes what is given.

    `chip` is trn1, trn2 or trn3 (default: trn2).  `preset` of time is ``guide``, fitted to the table of the
    guide, or ``wall-clock``, after public measurements of eager operators.  NEURON_LOGICAL_NC_CONFIG says
    how many physical cores make the logical one.  With `strict_sync` a profile whose window has no
    synchronise lacks the device's rows.

    Raises `SimulatorError` where a real torch_neuronx is installed, or where PyTorch is missing, untested
    or already has another custom device.
    """
    global _installed
    if _installed is None:
        settings.use(chip, preset, strict_sync)
        _refuse_beside_real_device()
        _refuse_untested_torch()
        from . import device, torch_neuronx

        device.register()
        torch_neuronx.register()
        _installed = SimulatedDevice(
            settings.current().device_name, "neuron", importlib.metadata.version("torch")
        )
    elif (chip, preset, strict_sync) != (None, None, None):
        _installed = replace(_installed, name=settings.use(chip, preset, strict_sync).device_name)
    return _installed


def describe() -> None:
    """Print what is simulated: every constant with its source, and what is refused or left to the CPU."""
    from .kernels import CPU_FALLBACK
    from .presets import cost_model
    from .refusals import REFUSALS

    facts = cost_model().describe()
    print(f"{settings.current().device_name}, preset {settings.current().preset}")
    print(f"calibrated to {facts['calibrated_to']}")
    for constant in facts["constants"]:
        value = f"{constant['value']:.6g} {constant['unit']}"
        print(f"  {constant['name']:<20} {value:<44} {constant['provenance']:<10} {constant['source']}")
    print(f"passes of fused operators (assumed): {facts['assumed_passes_of_fused_operators']}")
    print(f"left to the CPU, as on the real device: {', '.join(sorted(CPU_FALLBACK))}")
    print("refused:")
    for refusal in REFUSALS:
        print(f"  {refusal.what}")


def real_package() -> str | None:
    """How a real torch_neuronx was found, or None.  It is not imported: that would claim the device name."""
    module = sys.modules.get("torch_neuronx")
    if module is not None:
        return None if getattr(module, "simulated", False) else "torch_neuronx is imported"
    if importlib.util.find_spec("torch_neuronx") is not None:
        return "torch_neuronx can be imported"
    try:
        return f"torch-neuronx {importlib.metadata.version('torch-neuronx')} is installed"
    except importlib.metadata.PackageNotFoundError:
        return None


def _refuse_beside_real_device() -> None:
    found = real_package()
    if found:
        raise SimulatorError(
            f"{found}, so the Neuron device is not simulated here: use the real one, or another environment."
        )


def _refuse_untested_torch() -> None:
    try:
        version = importlib.metadata.version("torch")
    except importlib.metadata.PackageNotFoundError:
        raise SimulatorError(
            "The simulated Neuron device needs PyTorch: pip install 'neuron-nbprof[torch]' brings it."
        ) from None
    if not re.match(r"2\.1[34]\.", version):
        raise SimulatorError(
            f"The simulated Neuron device is tested with torch {TESTED_TORCH}, and this is torch {version}."
        )
    import torch

    taken = torch._C._get_privateuse1_backend_name()
    if taken != "privateuseone":
        raise SimulatorError(
            f'This process already has a custom PyTorch device called "{taken}", and it can only have one.'
        )
