"""How long things take on the simulated device.

Every constant says where it comes from: *published* with its source, *fitted* to the guide's table, or
*assumed*. Fitted means that the numbers of the guide come out because they were put in: the model is
calibrated to a published table, it predicts nothing.  The guide does not tell the shape of its tensor; 4096
x 4096 bfloat16 is assumed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

import torch

from .recorder import Kind, Record, TensorFacts

GUIDE = "the guide's key_averages() table, x taken as 4096 x 4096 bfloat16"


def _published(value: float, unit: str, source: str) -> Any:
    return field(default=value, metadata={"unit": unit, "provenance": "published", "source": source})


def _fitted(value: float, unit: str, to: str) -> Any:
    return field(default=value, metadata={"unit": unit, "provenance": "fitted", "source": f"{to} of {GUIDE}"})


def _assumed(value: float, unit: str, reason: str) -> Any:
    return field(default=value, metadata={"unit": unit, "provenance": "assumed", "source": reason})


_TRN2 = "AWS Neuron documentation, Trainium2 architecture"
_NKI = "AWS Neuron documentation, Trainium2 architecture guide for NKI"
_LANES_ONLY = "shapes the lanes, no table depends on it"


@dataclass(frozen=True)
class CostModel:
    """One logical NeuronCore, by default of a Trainium2 at LNC=2.  Rates are per physical core."""

    device: str = "Trainium2, LNC=2"
    calibrated_to: str = GUIDE
    device_error: float = 0.05
    host_error: float = 0.10
    sources: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """Provenance and source of constants that differ from the defaults."""

    physical_cores: int = _published(2, "cores", "AWS Neuron documentation, logical NeuronCore configuration")
    hbm: float = _published(2.9e12 / 8, "B/s", f"{_TRN2}: 2.9 TB/s for 8 cores")
    tensor_16bit: float = _published(79e12, "FLOP/s", _NKI)
    tensor_32bit: float = _published(20e12, "FLOP/s", _NKI)
    vector: float = _published(0.96e9 * 256, "elements/s", f"{_NKI}: 0.96 GHz, 256 elements a cycle")
    vector_16bit_scalar: float = _published(
        0.96e9 * 512, "elements/s", f"{_NKI}: 512 with a 16-bit scalar operand"
    )
    scalar: float = _published(1.2e9 * 128, "elements/s", f"{_NKI}: 1.2 GHz, 128 elements a cycle")
    host_link: float = _published(
        14.1e9, "B/s", "whn09/xpu-perf, Neuron vendor_ops: host copies measured on a trn2.3xlarge"
    )

    core_link: float = _published(
        368e9, "B/s", "AWS Neuron documentation, NKI DMA bandwidth guide: 16 engines of 23 B/ns on a core"
    )

    memory_efficiency: float = _assumed(1.0, "of the memory's rate", "the fixed cost holds what is lost")
    tensor_efficiency: float = _assumed(
        1.0, "of the tensor engine's rate", "the fixed cost holds what is lost"
    )

    execution_us: float = _fitted(295.0, "us per execution", "mul, mean, fused and compiled rows")
    fine_grained_us: float = _fitted(0.015, "us per element moved singly", "rsqrt row")
    scalar_launch_us: float = _fitted(20.0, "us per CPU scalar", "add row")

    host_operator_us: float = _fitted(16.0, "us per operator", "CPU time of the rsqrt row")
    host_operand_us: float = _fitted(4.5, "us per further tensor operand", "CPU time of the mul row")
    host_scalar_us: float = _fitted(10.5, "us per CPU scalar", "CPU time of the add row")
    host_reduction_us: float = _fitted(5.0, "us more for a reduction", "CPU time of the mean row")
    host_fused_us: float = _fitted(
        27.0, "us more for a fused operator", "CPU time of the _fused_rms_norm row"
    )
    host_graph_us: float = _fitted(
        98.0, "us per compiled region", "CPU time of the Torch-Compiled Region row"
    )

    host_fallback_us: float = _published(
        500.0, "us at least per operator that falls back to the CPU", "AWS Neuron workshop, compiler chapter"
    )
    host_step_us: float = _assumed(2.0, "us from one host event to the next", "Python and dispatcher between")
    host_noise_ms: float = _assumed(
        50.0,
        "ms",
        "what lasts longer between two host events is the user's and kept as measured, in whole ms",
    )

    submit_us: float = _assumed(4.0, "us from dispatch to runtime", _LANES_ONLY)
    schedule_us: float = _assumed(9.0, "us in the runtime", _LANES_ONLY)
    launch_us: float = _assumed(3.0, "us from runtime to hardware", _LANES_ONLY)
    gap_us: float = _assumed(6.0, "us between two executions", _LANES_ONLY)
    completion_us: float = _assumed(5.0, "us until the runtime sees an end", _LANES_ONLY)
    notification_us: float = _assumed(2.0, "us until the framework sees it", _LANES_ONLY)
    copy_us: float = _assumed(8.0, "us per copy", _LANES_ONLY)
    core_skew_us: float = _assumed(0.6, "us between the physical cores", _LANES_ONLY)
    dispatch_begins: float = _assumed(0.3, "of an operator's host time", _LANES_ONLY)
    dispatch_ends: float = _assumed(0.9, "of an operator's host time", _LANES_ONLY)
    grain: float = _assumed(64, "B", "shorter innermost runs of a tensor are moved element by element")
    reuse: float = _assumed(16, "times", "a tensor this much bigger loads such an operand only once")

    def device_ns(self, record: Record) -> int:
        """Length of one execution: fixed cost, the slowest of memory and engines, elements moved singly."""
        return round(1000 * (
            self.execution_us
            + 1e6 * max(self.bounds(record).values())
            + self.fine_grained_us * self._fine_grained_elements(record)
            + self.scalar_launch_us * bool(record.scalars)
        ))  # fmt: skip

    def bounds(self, record: Record) -> dict[str, float]:
        """Seconds that each part of the device needs for an execution on its own."""
        cores = self.physical_cores
        low_precision = _low_precision(record)
        return {
            "hbm": nbytes(record) / (self.hbm * self.memory_efficiency * cores),
            "tensor engine": record.flops
            / ((self.tensor_16bit if low_precision else self.tensor_32bit) * self.tensor_efficiency * cores),
            "vector and scalar engines": self._element_seconds(record, low_precision) / cores,
        }

    def _element_seconds(self, record: Record, low_precision: bool) -> float:
        elements = max((facts.elements for facts in record.inputs + record.outputs), default=0)
        name = base_name(record)
        if record.kind is Kind.GRAPH:
            return record.passes / (self.vector + self.scalar)  # a compiler balances the two engines
        if name in FUSED_PASSES:
            return FUSED_PASSES[name] * elements / (self.vector + self.scalar)
        if record.flops:
            return 0.0
        if name in ACTIVATIONS:
            return elements / self.scalar
        return elements / (self.vector_16bit_scalar if low_precision and record.scalars else self.vector)

    def _fine_grained_elements(self, record: Record) -> int:
        """Elements of [N, 1]-like tensors, unless they are small beside the others."""
        if base_name(record) not in ELEMENTWISE:
            return 0
        tensors = record.inputs + record.outputs
        fine = sum(facts.elements for facts in tensors if self._is_fine_grained(facts))
        return fine if max((facts.elements for facts in tensors), default=0) <= self.reuse * fine else 0

    def _is_fine_grained(self, facts: TensorFacts) -> bool:
        return (
            bool(facts.shape) and facts.elements > 1 and facts.shape[-1] * facts.dtype.itemsize < self.grain
        )

    def host_ns(self, record: Record) -> int:
        """Time of the host for one operator or compiled region."""
        if record.kind is Kind.GRAPH:
            return round(1000 * self.host_graph_us)
        if record.kind is Kind.FALLBACK:
            return round(1000 * self.host_fallback_us)
        return round(1000 * (
            self.host_operator_us
            + self.host_operand_us * max(record.operands - 1, 0)
            + self.host_scalar_us * bool(record.scalars)
            + self.host_reduction_us * _is_reduction(record)
            + self.host_fused_us * (base_name(record) in FUSED_PASSES)
        ))  # fmt: skip

    def copy_ns(self, size: int) -> int:
        return round(1000 * self.copy_us + 1e9 * size / self.host_link)

    def core_copy_ns(self, size: int) -> int:
        """Of a copy from core to core, by the engines of the one that sends."""
        return round(1000 * self.copy_us + 1e9 * size / (self.core_link * self.physical_cores))

    def describe(self) -> dict[str, Any]:
        """Everything a reader needs to judge the numbers; goes into each capture."""
        return {
            "simulated": True,
            "device": self.device,
            "calibrated_to": self.calibrated_to,
            "host_clock": "virtual: numerics cut out, host time of device operators modelled, waits inserted",
            "resolution": {
                "device_relative_error": self.device_error,
                "host_relative_error": self.host_error,
                "not_distinguished": "executions of the same bytes, such as fused and compiled",
            },
            "assumed_passes_of_fused_operators": FUSED_PASSES,
            "constants": self.constants(),
        }  # fmt: skip

    def constants(self) -> list[dict[str, Any]]:
        """Name, value, unit, provenance and source of every constant."""
        found = []
        for constant in fields(self):
            if constant.metadata:
                facts = {"name": constant.name, "value": getattr(self, constant.name), **constant.metadata}
                if constant.name in self.sources:
                    facts["provenance"], facts["source"] = self.sources[constant.name]
                found.append(facts)
        return found


ACTIVATIONS = frozenset(
    [
        "rsqrt",
        "sqrt",
        "exp",
        "tanh",
        "gelu",
        "silu",
        "sigmoid",
        "log",
        "reciprocal",
        "erf",
        "sin",
        "cos",
        "pow",
    ]
)
ELEMENTWISE = frozenset(["add", "sub", "mul", "div", "rsqrt", "sqrt", "exp", "pow", "neg", "reciprocal"])
FUSED_PASSES = {
    "_softmax": 4,
    "_log_softmax": 4,
    "native_layer_norm": 4,
    "native_layer_norm_backward": 6,
    "_fused_rms_norm": 3,
    "_fused_rms_norm_backward": 6,
}
"""Operators that walk their tensor several times in one kernel (assumed)."""


def base_name(record: Record) -> str:
    """``aten::mul_.Tensor`` -> ``mul``."""
    return record.name.partition("::")[2].partition(".")[0].removesuffix("_")


def nbytes(record: Record) -> int:
    """Bytes that an execution reads and writes, or that a copy carries."""
    tensors = (
        record.inputs
        if record.kind in (Kind.WRITE, Kind.READ, Kind.FALLBACK, Kind.COPY)
        else record.inputs + record.outputs
    )
    return sum(facts.nbytes for facts in tensors)


def _low_precision(record: Record) -> bool:
    # What is multiplied decides; a product may come with sums in float32, as attention does.
    tensors = record.inputs if record.flops else record.inputs + record.outputs
    return all(facts.dtype in (torch.bfloat16, torch.float16) for facts in tensors)


def _is_reduction(record: Record) -> bool:
    produced = sum(facts.elements for facts in record.outputs)
    return not record.flops and produced < max((facts.elements for facts in record.inputs), default=0)
