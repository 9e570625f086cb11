"""What the arguments of an operator tell: shapes, bytes of its inputs, flops, bytes of its output.

Kineto writes them where `record_shapes` was on. Each distinct combination is read once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from math import prod
from typing import Any

import msgspec
import numpy as np

from ..trace import Interner, Trace
from .calls import calls
from .memo import once_per_trace
from .ownership import Rows

Shape = tuple[int, ...]

#: Bytes of an element by the name that PyTorch records.
ELEMENT_BYTES = {
    "c10::BFloat16": 2, "c10::Half": 2, "float": 4, "double": 8, "long int": 8, "long": 8, "int": 4,
    "short": 2, "short int": 2, "signed char": 1, "unsigned char": 1, "bool": 1,
    "c10::complex<float>": 8, "c10::complex<double>": 16, "c10::Float8_e4m3fn": 1, "c10::Float8_e5m2": 1,
}  # fmt: skip

_REDUCTIONS = frozenset({"mean", "sum", "amax", "amin", "prod", "var", "std", "norm"})
_ELEMENTWISE = frozenset(
    {
        "add", "sub", "mul", "div", "pow", "neg", "exp", "log", "sqrt", "rsqrt", "reciprocal", "tanh", "erf",
        "sigmoid", "silu", "gelu", "relu", "clamp", "where", "maximum", "minimum", "square", "abs",
        "_softmax", "_log_softmax", "softmax",
    }
)  # fmt: skip


class _Args(msgspec.Struct):
    """The raw text of what is needed, so that equal arguments are recognised without being parsed."""

    dims: msgspec.Raw = msgspec.field(name="Input Dims", default=msgspec.Raw(b""))
    types: msgspec.Raw = msgspec.field(name="Input type", default=msgspec.Raw(b""))
    concrete: msgspec.Raw = msgspec.field(name="Concrete Inputs", default=msgspec.Raw(b""))


@dataclass(frozen=True)
class Signature:
    """One combination of arguments: ``text`` shows the tensors' shapes, '' where none were recorded.

    ``tensors`` are (shape, element bytes) of the inputs that are tensors, ``scalars`` says whether a
    dimensionless input stands beside them. ``input_bytes``, ``output_bytes`` and ``flops`` are None where
    they cannot be known.
    """

    text: str
    tensors: tuple[tuple[Shape, int], ...]
    scalars: bool
    input_bytes: int | None
    output_bytes: int | None
    flops: int | None


def signatures(trace: Trace, rows: Rows) -> tuple[Rows, list[Signature]]:
    """For each operator row the number of its signature, and the signatures."""
    numbers, known = _of_calls(trace)
    return numbers[rows], known


@once_per_trace
def _of_calls(trace: Trace) -> tuple[Rows, list[Signature]]:
    """The number of the signature of every row, that of nothing for rows that are no call."""
    rows = calls(trace)["row"].to_numpy(np.int64)
    decoder = msgspec.json.Decoder(_Args)
    keys = [(-1, b"", b"", b"")]  # of rows that are no call
    for name, raw in zip(trace.name[rows].tolist(), trace.arguments.at(rows), strict=True):
        try:
            args = decoder.decode(raw) if raw is not None else _Args()
        except msgspec.DecodeError:
            args = _Args()
        keys.append((name, bytes(args.dims), bytes(args.types), bytes(args.concrete)))
    known = Interner()
    numbers = np.zeros(len(trace), np.int64)
    numbers[rows] = known.column(keys)[1:]
    return numbers, [
        _signature("" if name < 0 else trace.strings[name], *texts) for name, *texts in known.values
    ]


@cache
def _signature(name: str, dims_text: bytes, types_text: bytes, concrete_text: bytes) -> Signature:
    dims, types, concrete = (_parsed(text) for text in (dims_text, types_text, concrete_text))
    known = list(zip(dims, types, strict=False))
    tensors = tuple(
        (tuple(shape), ELEMENT_BYTES[kind]) for shape, kind in known if _is_tensor(shape, kind) and shape
    )
    base = name.rpartition("::")[2].rstrip("_") if "::" in name else ""
    shapes = [shape for shape, _ in tensors]
    output = _output_shape(base, shapes, concrete)
    return Signature(
        text=", ".join("×".join(map(str, shape)) for shape in shapes),
        tensors=tensors,
        scalars=bool(tensors)
        and any(shape == [] and kind in ("double", "long int") for shape, kind in known),
        input_bytes=sum(prod(shape) * size for shape, size in tensors) if tensors else None,
        output_bytes=prod(output) * tensors[0][1] if output is not None else None,
        flops=_flops(base, shapes),
    )


def _parsed(text: bytes) -> list[Any]:
    value = msgspec.json.decode(text) if text else []
    return value if isinstance(value, list) else []


def _is_tensor(shape: Any, kind: Any) -> bool:
    return (
        isinstance(shape, list)
        and all(isinstance(size, int) for size in shape)
        and isinstance(kind, str)
        and kind in ELEMENT_BYTES
    )


def _output_shape(base: str, shapes: Sequence[Shape], concrete: list[Any]) -> Shape | None:
    """Broadcasting for elementwise operators, the kept dimensions for reductions; else unknown."""
    if not shapes:
        return None
    if base in _ELEMENTWISE:
        try:
            return np.broadcast_shapes(*shapes)
        except ValueError:
            return None
    if base in _REDUCTIONS:
        axes = [_parsed(str(text).encode()) for text in concrete if str(text).startswith("[")]
        kept = "True" in concrete
        wanted = {axis % len(shapes[0]) for axis in axes[0]} if axes else set(range(len(shapes[0])))
        sized = [1 if at in wanted else size for at, size in enumerate(shapes[0])]
        return tuple(size for at, size in enumerate(sized) if kept or at not in wanted)
    return None


def _flops(base: str, shapes: Sequence[Shape]) -> int | None:
    """Multiplications and additions of a matrix product, as torch.utils.flop_counter counts them."""
    if base == "addmm" or base == "baddbmm":
        shapes = shapes[1:]
    if len(shapes) < 2:
        return None
    a, b = shapes[:2]
    if base in ("mm", "addmm") and len(a) == len(b) == 2:
        return 2 * a[0] * a[1] * b[1]
    if base in ("bmm", "baddbmm") and len(a) == len(b) == 3:
        return 2 * a[0] * a[1] * a[2] * b[2]
    return None
