"""Which device is simulated: the chip, how many cores make a logical one, and which preset of time."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from typing import Any

from ..errors import SimulatorError

LNC_VARIABLE = "NEURON_LOGICAL_NC_CONFIG"
PRESETS = ("guide", "wall-clock")
_FIRST_PHYSICAL = 4  # of logical core 0, as published screenshots of LNC=2 have it; the others follow around


@dataclass(frozen=True)
class Chip:
    """What has to be known of a chip before PyTorch is loaded; its rates are in `presets`."""

    title: str
    cores: int
    """Physical ones."""
    lnc: tuple[int, ...]
    """Physical cores that may make a logical one; the last is the default."""
    hbm_gib: int
    """Of one physical core."""


CHIPS = {
    "trn1": Chip("Trainium1", 2, (1,), 16),
    "trn2": Chip("Trainium2", 8, (1, 2), 12),
    "trn3": Chip("Trainium3", 8, (1, 2), 18),
}


@dataclass(frozen=True)
class Settings:
    """``strict_sync``: a window without synchronise lacks the device's rows, as on a Trainium."""

    chip: str = "trn2"
    preset: str = "guide"
    lnc: int = 2
    strict_sync: bool = False

    @property
    def title(self) -> str:
        return f"{CHIPS[self.chip].title}, LNC={self.lnc}"

    @property
    def device_name(self) -> str:
        return f"SIMULATED {self.title}"

    @property
    def cores(self) -> int:
        """Logical cores of the chip: ``neuron:0`` and on."""
        return CHIPS[self.chip].cores // self.lnc

    def physical(self, core: int) -> list[int]:
        """Numbers of the physical cores that make a logical one."""
        first, there = _FIRST_PHYSICAL + core * self.lnc, CHIPS[self.chip].cores
        return [number % there for number in range(first, first + self.lnc)]

    @property
    def hbm_bytes(self) -> int:
        """Of one logical core."""
        return CHIPS[self.chip].hbm_gib * self.lnc * 2**30


_current = Settings()


def current() -> Settings:
    return _current


def use(chip: str | None = None, preset: str | None = None, strict_sync: bool | None = None) -> Settings:
    """Change what is given and keep the rest; cores come from `LNC_VARIABLE`.  Raises `SimulatorError`."""
    global _current
    given = {"chip": chip, "preset": preset, "strict_sync": strict_sync}
    changes: dict[str, Any] = {key: value for key, value in given.items() if value is not None}
    wanted = replace(_current, **changes)
    if wanted.chip not in CHIPS:
        raise SimulatorError(f"There is no chip {wanted.chip!r} to simulate; there are {', '.join(CHIPS)}.")
    if wanted.preset not in PRESETS:
        raise SimulatorError(f"There is no preset {wanted.preset!r}; there are {', '.join(PRESETS)}.")
    _current = replace(wanted, lnc=_lnc(CHIPS[wanted.chip]))
    return _current


def _lnc(chip: Chip) -> int:
    value = os.environ.get(LNC_VARIABLE) or str(chip.lnc[-1])
    if value not in map(str, chip.lnc):
        allowed = " or ".join(map(str, chip.lnc))
        raise SimulatorError(f"{LNC_VARIABLE} is {value!r}, and on a {chip.title} it can be {allowed}.")
    return int(value)
