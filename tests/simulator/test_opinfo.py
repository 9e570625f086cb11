"""The sweep over all operators of PyTorch's own tests: bit for bit the CPU's, but for a written list."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

pytest.importorskip("expecttest", reason="PyTorch's samples need expecttest, of the extra `test`")
from torch.testing._internal.common_methods_invocations import op_db

from .opinfo_sweep import EQUAL, SAMPLES, SKIPPED, name_of

PROCESSES = 2

_SPARSE = "has strided tensors only: refused, see ARCHITECTURE.md"
_ON_CPU = "wants the indices on the CPU, and the sweep moves whatever it can"
_CHUNKED = "sums in another precision wherever the device is not the CPU, by its own rule"
_MODE = "has a list of devices of its own in PyTorch"
_UNWRITTEN = "leaves the result unwritten on the CPU itself where it grows an axis"
_NO_DERIVATIVE = "has no derivative in PyTorch; the CPU finds nothing to differentiate and says nothing"

#: What is not equal, with the reason.  A name that becomes equal has to leave.
EXCEPTIONS: dict[str, dict[str, str]] = {
    "forward": {
        "sparse.mm.reduce": _SPARSE, "sparse.sampled_addmm": _SPARSE, "to_sparse": _SPARSE,
        "tensor_split": _ON_CPU,
    },
    "backward": {
        "sparse.mm.reduce": _SPARSE, "sparse.sampled_addmm": _SPARSE, "to_sparse": _SPARSE,
        "tensor_split": _ON_CPU, "_chunk_cat": _NO_DERIVATIVE,
    },
    "bfloat16": {
        "sparse.mm.reduce": _SPARSE, "to_sparse": _SPARSE, "tensor_split": _ON_CPU,
        "nn.functional.linear_cross_entropy.chunked": _CHUNKED,
        "nn.functional.linear_cross_entropy.chunked_none": _CHUNKED,
    },
    "int64": {"to_sparse": _SPARSE, "tensor_split": _ON_CPU},
    "in place": {},
    "out": {"mode": _MODE, "fft.ihfftn": _UNWRITTEN, "fft.ihfft2": _UNWRITTEN},
}  # fmt: skip

#: At least so many operators are compared in each way; the CPU lacks the others.
COMPARED = {"forward": 660, "backward": 530, "bfloat16": 530, "int64": 450, "in place": 150, "out": 330}


def part(first: int) -> dict[str, dict[str, str]]:
    """Verdicts of every `PROCESSES`-th operator by kind; one that ends the process is called crashed."""
    names = [name_of(op) for op in op_db[first::PROCESSES]]
    found: dict[str, dict[str, str]] = {}
    while len(found) < len(names):
        for name, verdicts in lines(first + PROCESSES * len(found)):
            found[name] = verdicts or dict.fromkeys(SAMPLES, "crashed")
    return found


def lines(first: int) -> Iterator[tuple[str, dict[str, str] | None]]:
    script = Path(__file__).with_name("opinfo_sweep.py")
    command = [sys.executable, str(script), str(first), str(PROCESSES)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        begun = False
        for line in process.stdout:
            begun = True
            yield json.loads(line)
    assert begun, f"the sweep ended with {process.returncode} before the first operator"


@pytest.fixture(scope="module")
def verdicts() -> dict[str, dict[str, str]]:
    with ThreadPoolExecutor(PROCESSES) as pool:
        return {name: found for parts in pool.map(part, range(PROCESSES)) for name, found in parts.items()}


@pytest.mark.parametrize("kind", SAMPLES)
def test_every_operator_equals_the_cpu_but_for_the_written_list(
    kind: str, verdicts: dict[str, dict[str, str]]
) -> None:
    assert len(verdicts) == len(op_db)
    different = {name: found[kind] for name, found in verdicts.items() if found[kind] not in (EQUAL, SKIPPED)}
    assert {name: why for name, why in different.items() if name not in EXCEPTIONS[kind]} == {}
    assert [name for name in EXCEPTIONS[kind] if name not in different] == []  # equal by now: take it off
    assert sum(found[kind] == EQUAL for found in verdicts.values()) >= COMPARED[kind]
