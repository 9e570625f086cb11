"""PyTorch's own samples of all its operators, on the simulated device and on the CPU, compared bit for bit.

``python opinfo_sweep.py FIRST STEP`` goes through every STEP-th operator of `op_db` from the FIRST on and
prints a line of JSON when it begins with one (its name) and one when it is done (its verdicts).
`test_opinfo` runs it, in processes of their own because a fault in here ends the process.
"""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.testing._internal.common_methods_invocations import op_db
from torch.utils._pytree import tree_leaves, tree_map

import neuron_nbprof

SAMPLES = {"forward": 10, "backward": 8, "bfloat16": 4, "int64": 4, "in place": 4, "out": 4}
"""Kinds of comparison, with how many samples of an operator each takes."""
EQUAL, SKIPPED = "equal", "skipped"
UNDEFINED = ("empty", "new_empty")
"""What these return has a shape and no values."""
UNSTABLE = ("linalg.lstsq",)
"""LAPACK's gelsy differs in the last digits from run to run, on the CPU alone too."""


def moved(value: Any) -> Any:
    """A sample's part on the device: a tensor with its whole memory, so that strides and offsets stay."""
    if value == "cpu" or (isinstance(value, torch.device) and value.type == "cpu"):
        return torch.device("neuron")
    if not isinstance(value, torch.Tensor) or value.layout is not torch.strided or value.is_nested:
        return value
    tensor = value.detach().resolve_conj().resolve_neg()
    storage = tensor.untyped_storage()
    count = storage.nbytes() // tensor.element_size()
    memory = torch.empty(0, dtype=tensor.dtype).set_(storage, 0, (count,), (1,)).to("neuron")
    there = memory.as_strided(tensor.size(), tensor.stride(), tensor.storage_offset())
    return there.requires_grad_(value.requires_grad)


def copied(value: Any) -> Any:
    """A sample's part that may be written to without harm."""
    if not isinstance(value, torch.Tensor):
        return value
    return value.detach().clone().requires_grad_(value.requires_grad)


def tensors(value: Any) -> list[torch.Tensor]:
    return [leaf for leaf in tree_leaves(value) if isinstance(leaf, torch.Tensor)]


def differs(name: str, expected: list[torch.Tensor], actual: list[torch.Tensor]) -> str | None:
    """How two results of an operator differ, or None."""
    if len(expected) != len(actual):
        return f"{len(actual)} results instead of {len(expected)}"
    for there, here in zip(actual, expected, strict=True):
        if here.layout is not torch.strided:
            continue
        if there.device.type != "neuron":
            return f"a result on {there.device}"
        a, b = here.detach().resolve_conj().resolve_neg(), there.detach().cpu()
        if (a.shape, a.dtype) != (b.shape, b.dtype):
            return f"{tuple(b.shape)} {b.dtype} instead of {tuple(a.shape)} {a.dtype}"
        close = name.startswith(UNSTABLE) and torch.allclose(a, b, 1e-4, 1e-4)
        if not (name.startswith(UNDEFINED) or close or same(a, b)):
            return "different values"
    return None


def same(a: torch.Tensor, b: torch.Tensor) -> bool:
    """Whether two tensors of the CPU are equal; not-a-number is equal to itself."""
    if a.dtype is torch.complex32:
        a, b = a.to(torch.complex64), b.to(torch.complex64)
    return bool(((a == b) | ((a != a) & (b != b))).all())


Run = Callable[[Any, Any, Any], list[torch.Tensor]]
"""Results of an operator with (its first input, its arguments, its keyword arguments) of one device."""


def forward(op: Any) -> Run:
    return lambda first, args, kwargs: tensors(op(first, *args, **kwargs))


def backward(op: Any) -> Run:
    def run(first: Any, args: Any, kwargs: Any) -> list[torch.Tensor]:
        outputs = [t for t in tensors(op(first, *args, **kwargs)) if t.requires_grad]
        wanted = [t for t in tensors((first, args, kwargs)) if t.requires_grad]
        if not outputs:
            raise NotImplementedError("nothing to differentiate")
        scalars = [(t.abs() if t.is_complex() else t).sum() for t in outputs]
        return [g for g in torch.autograd.grad(scalars, wanted, allow_unused=True) if g is not None]

    return run


def in_place(op: Any) -> Run:
    def run(first: Any, args: Any, kwargs: Any) -> list[torch.Tensor]:
        first = copied(first)
        result = op.inplace_variant(first, *args, **kwargs)
        assert tensors(result)[0] is tensors(first)[0], "another tensor is returned"
        return tensors(first)

    return run


def out(op: Any) -> Run:
    """Into a tensor that fits, and into an empty one that has to grow."""

    def run(first: Any, args: Any, kwargs: Any) -> list[torch.Tensor]:
        found = op(first, *args, **kwargs)
        results = []
        for make in (torch.empty_like, lambda t: t.new_empty(0)):
            given = tree_map(make, found)
            returned = op(first, *args, **kwargs, out=given)
            pairs = zip(tensors(returned), tensors(given), strict=True)
            assert all(a is b for a, b in pairs), "another tensor is returned"
            results += tensors(given)
        return results

    return run


RUNS: dict[str, Callable[[Any], Run]] = {
    "forward": forward, "backward": backward, "bfloat16": forward, "int64": forward, "in place": in_place,
    "out": out,
}  # fmt: skip


def samples(op: Any, kind: str) -> Iterator[tuple[Any, Any, Any]]:
    dtype = {"bfloat16": torch.bfloat16, "int64": torch.int64}.get(kind, torch.float32)
    wanted = {"in place": op.inplace_variant is not None, "out": op.supports_out}.get(kind, True)
    if not wanted or not op.supports_dtype(dtype, "cpu"):
        return
    for sample in islice(op.sample_inputs("cpu", dtype, requires_grad=kind == "backward"), SAMPLES[kind]):
        if kind != "in place" or not sample.broadcasts_input:
            yield sample.input, tuple(sample.args), dict(sample.kwargs)


def verdict(op: Any, kind: str) -> str:
    """`EQUAL`, `SKIPPED` (the CPU has no such thing), or what is different."""
    run, found = RUNS[kind](op), SKIPPED
    for sample in samples(op, kind):
        there = tree_map(moved, sample)
        torch.manual_seed(0)
        try:
            with sdpa_kernel(SDPBackend.MATH):  # the device's attention computes what this one does
                expected = run(*sample)
        except Exception:  # not on the CPU either
            continue
        torch.manual_seed(0)
        try:
            with torch.device("neuron"):  # for samples that name no device
                actual = run(*there)
        except Exception as error:
            return f"{type(error).__name__}: {str(error).splitlines()[0][:160]}"
        different = differs(op.name, expected, actual)
        if different:
            return different
        found = EQUAL
    return found


def name_of(op: Any) -> str:
    return f"{op.name}.{op.variant_test_name}" if op.variant_test_name else op.name


def main(first: int, step: int) -> None:
    warnings.filterwarnings("ignore")
    torch.set_num_threads(1)
    neuron_nbprof.simulate()
    for op in op_db[first::step]:
        print(json.dumps([name_of(op), None]), flush=True)
        print(json.dumps([name_of(op), {kind: verdict(op, kind) for kind in SAMPLES}]), flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
