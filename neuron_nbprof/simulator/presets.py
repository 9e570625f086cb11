"""Cost models: how the constants of a chip and a preset differ from a Trainium2's after the guide."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from .costs import CostModel
from .settings import Settings, current

Value = tuple[float, str, str]
"""A constant, where it comes from (published, fitted or assumed), and the source or the reason."""

_TRN1 = "AWS Neuron documentation, Trainium1 architecture and its guide for NKI"
_TRN3 = "AWS Neuron documentation, Trainium3 architecture and its guide for NKI"
_DMA = "AWS Neuron documentation, NKI DMA bandwidth guide"
_XPU = "whn09/xpu-perf, Neuron vendor_ops, measured eagerly on a trn2.3xlarge"

CHIPS: dict[str, dict[str, Value]] = {
    "trn1": {
        "hbm": (820e9 / 2, "published", f"{_TRN1}: 820 GB/s for 2 cores"),
        "tensor_16bit": (92e12, "published", _TRN1),
        "tensor_32bit": (23e12, "published", _TRN1),
        "vector": (1.12e9 * 128, "published", f"{_TRN1}: 1.12 GHz, 128 elements a cycle"),
        "vector_16bit_scalar": (1.12e9 * 128, "published", f"{_TRN1}: no faster with 16 bits"),
        "scalar": (1.4e9 * 128, "published", f"{_TRN1}: 1.4 GHz, 128 elements a cycle"),
        "core_link": (272e9, "published", f"{_DMA}: 16 engines of 17 B/ns on a core"),
    },
    "trn2": {},
    "trn3": {
        "hbm": (4.9e12 / 8, "published", f"{_TRN3}: 4.9 TB/s for 8 cores"),
        "tensor_16bit": (79e12, "published", _TRN3),
        "tensor_32bit": (20e12, "published", _TRN3),
        "vector": (1.2e9 * 256, "published", f"{_TRN3}: 1.2 GHz, 256 elements a cycle"),
        "vector_16bit_scalar": (1.2e9 * 512, "published", f"{_TRN3}: 512 with 16 bits"),
        "scalar": (1.2e9 * 128, "published", f"{_TRN3}: 1.2 GHz, 128 elements a cycle"),
        "core_link": (528e9, "published", f"{_DMA}: 16 engines of 33 B/ns on a core"),
    },
}

_NOT_MEASURED = "no measurement tells it apart from the cost of any operator"
WALL_CLOCK: dict[str, Value] = {
    "execution_us": (15.0, "published", "public benchmark of a small NKI kernel on trn2: 15 to 18 us"),
    "memory_efficiency": (600 / 725, "published", f"{_XPU}: add, sub and mul reach about 600 GB/s of 725"),
    "tensor_efficiency": (149.4 / 158, "published", f"{_XPU}: 149.4 TFLOP/s, best shape of a bf16 product"),
    "host_operator_us": (60.0, "published", f"{_XPU}: 55 to 65 us per operator, pipelined"),
    "host_graph_us": (97.5, "published", f"{_XPU}: 95 to 100 us per compiled launch"),
    **{
        name: (0.0, "assumed", _NOT_MEASURED)
        for name in ("fine_grained_us", "scalar_launch_us", "host_operand_us", "host_scalar_us")
    },
    **{name: (0.0, "assumed", _NOT_MEASURED) for name in ("host_reduction_us", "host_fused_us")},
}

#: What the presets are measured against, and by how much they may be off on the chip they are of.
CALIBRATED_TO = {"wall-clock": f"wall-clock times of {_XPU}"}
WALL_CLOCK_ERROR = 0.15
UNCALIBRATED_ERROR = 0.5


def cost_model(settings: Settings | None = None) -> CostModel:
    """The model of what is simulated now, or of other settings."""
    settings = settings or current()
    values = dict(CHIPS[settings.chip])
    if settings.preset == "wall-clock":
        values |= WALL_CLOCK
    if (settings.chip, settings.lnc) != ("trn2", 2):
        values |= _carried_over(values)
    values["physical_cores"] = (
        settings.lnc, "published", "AWS Neuron documentation, logical NeuronCore configuration",
    )  # fmt: skip
    return CostModel(
        **{name: value for name, (value, _, _) in values.items()},  # type: ignore[arg-type]
        device=settings.title,
        sources={name: (provenance, source) for name, (_, provenance, source) in values.items()},
        **_calibration(settings),
    )


def _carried_over(values: dict[str, Value]) -> dict[str, Value]:
    """What was fitted or measured on a Trainium2 at LNC=2 is an assumption anywhere else."""
    carried: dict[str, Value] = {}
    for field in fields(CostModel):
        if field.metadata.get("provenance") == "fitted":
            value, _, source = values.get(
                field.name, (getattr(CostModel, field.name), "", field.metadata["source"])
            )
            carried[field.name] = (value, "assumed", f"as on a Trainium2, LNC=2: {source}")
    return carried


def _calibration(settings: Settings) -> dict[str, Any]:
    if (settings.chip, settings.lnc) != ("trn2", 2):
        title = "nothing: fixed costs are those of a Trainium2, LNC=2"
        return {"calibrated_to": title, "device_error": UNCALIBRATED_ERROR, "host_error": UNCALIBRATED_ERROR}
    if settings.preset == "guide":
        return {}
    return {
        "calibrated_to": CALIBRATED_TO[settings.preset],
        "device_error": WALL_CLOCK_ERROR,
        "host_error": WALL_CLOCK_ERROR,
    }
