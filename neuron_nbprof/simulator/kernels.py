"""Running an operator of the simulated device: on CPU aliases of its arguments, with the CPU's own kernel.

Numerics are therefore the CPU's, bit for bit.  `fallback` is what the dispatcher calls for every operator
that has no kernel of its own in `operators`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch._C import DispatchKey
from torch._ops import OpOverload
from torch.utils.flop_counter import flop_registry

from . import refusals
from .alias import to_cpu, to_neuron
from .recorder import Kind, Record, TensorFacts, now, quiet, recorder, thread_id
from .streams import core_of, current_core, current_stream_id

CPU = torch.device("cpu")
CPU_FALLBACK = frozenset(["scatter", "scatter_add", "scatter_reduce"])
"""What a Neuron device is known to leave to the CPU: inputs are read back, results are written."""
_NUMBER_DTYPES = {float: torch.float32, int: torch.int64, bool: torch.bool, complex: torch.complex64}


def on_cpu(op: OpOverload, *args: Any, **kwargs: Any) -> Any:
    """Call the CPU kernel of an operator directly, past the dispatcher."""
    return op._op_dk(DispatchKey.CPU, *args, **kwargs)


def full_name(op: OpOverload) -> str:
    """``aten::mul.Tensor``: the name as the device's lanes write it."""
    schema = op._schema
    return f"{schema.name}.{schema.overload_name}" if schema.overload_name else schema.name


def is_view(op: OpOverload) -> bool:
    return any(r.alias_info is not None and not r.alias_info.is_write for r in op._schema.returns)


def fallback(op: OpOverload, *args: Any, **kwargs: Any) -> Any:
    return _kernel(op)(*args, **kwargs)


@functools.cache
def _kernel(op: OpOverload) -> Callable[..., Any]:
    name = full_name(op)
    # Asking for a kernel that does not exist would crash the process, so look before every first call.
    if not torch._C._dispatch_has_computed_kernel_for_dispatch_key(name, "CPU"):
        raise refusals.Refused(f"{name} {refusals.NO_CPU_KERNEL.sentence}")
    if is_view(op):
        # View kernels only touch sizes and strides: on the neuron tensor itself they share its storage.
        return functools.partial(on_cpu, op)
    return functools.partial(_run, _Signature(op))


class _Signature:
    """What the schema of one operator says about its arguments, worked out once."""

    def __init__(self, op: OpOverload) -> None:
        arguments = op._schema.arguments
        written = [
            (i, a) for i, a in enumerate(arguments) if a.alias_info is not None and a.alias_info.is_write
        ]
        self.op = op
        self.name = full_name(op)
        self.written = [(i, a.name) for i, a in written]
        self.out_names = [a.name for _, a in written if a.is_out]
        self.tensor_positions = [i for i, a in enumerate(arguments) if isinstance(a.type, torch.TensorType)]
        self.takes_numbers = torch._C._should_allow_numbers_as_tensors(op._schema.name.partition("::")[2])
        self.flops = flop_registry.get(op.overloadpacket)
        self.falls_back = op._schema.name.partition("::")[2].removesuffix("_") in CPU_FALLBACK

    def written_tensors(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Iterable[torch.Tensor]:
        for position, name in self.written:
            value = kwargs[name] if name in kwargs else args[position] if position < len(args) else None
            yield from value if isinstance(value, (list, tuple)) else [value] if value is not None else []


class Call:
    """One call on its way to the CPU and back: arguments become aliases, results neuron tensors."""

    def __init__(self, name: str, place: torch.Tensor | None = None) -> None:
        self.name = name
        self.inputs: list[torch.Tensor] = []
        self.outputs: list[torch.Tensor] = []
        self.aliases: list[torch.Tensor] = []
        self.scalars = 0
        self._core = None if place is None else place.get_device()

    @property
    def core(self) -> int:
        """Where it runs: where its tensors are, else where its results are wanted."""
        return current_core() if self._core is None else self._core

    def lower(self, value: Any) -> Any:
        if isinstance(value, torch.Tensor):
            return self._lower_tensor(value)
        if isinstance(value, (list, tuple)):
            return [self.lower(item) for item in value]
        if isinstance(value, torch.device) and value.type == "neuron":
            self._core = core_of(value)
            return CPU
        return value

    def _lower_tensor(self, tensor: torch.Tensor) -> torch.Tensor:
        if tensor.is_neuron:
            core = tensor.get_device()
            if self._core is None:
                self._core = core
            elif core != self._core:
                raise self._mixed(str(tensor.device), self._core)
            return self.remember(tensor, to_cpu(tensor))
        if tensor.dim():
            raise self._mixed(str(tensor.device), self.core)
        self.scalars += 1
        return tensor

    def _mixed(self, device: str, core: int) -> RuntimeError:
        return RuntimeError(
            "Expected all tensors to be on the same device, but found at least two devices, "
            f"neuron:{core} and {device}! (when checking an argument of {self.name})"
        )

    def remember(self, tensor: torch.Tensor, alias: torch.Tensor) -> torch.Tensor:
        self.inputs.append(tensor)
        self.aliases.append(alias)
        return alias

    def lift(self, value: Any) -> Any:
        if isinstance(value, torch.Tensor):
            lifted = self._original(value)
            self.outputs.append(lifted)
            return lifted
        if isinstance(value, (list, tuple)):
            return type(value)(self.lift(item) for item in value)
        return value

    def _original(self, result: torch.Tensor) -> torch.Tensor:
        """In-place and out= operators return an argument: give back the very tensor the caller passed."""
        for tensor, alias in zip(self.inputs, self.aliases, strict=True):
            if alias is result:
                return tensor
        return to_neuron(result, self.core)


def _run(signature: _Signature, *args: Any, **kwargs: Any) -> Any:
    entered = now() if recorder.on else 0
    call = Call(signature.name)
    lowered = [call.lower(arg) for arg in args]
    lowered_kwargs = {name: call.lower(value) for name, value in kwargs.items()}
    _lower_numbers(signature, call, args, lowered)
    grown = _replace_empty_outs(signature, call, kwargs, lowered_kwargs)
    with quiet:
        started = now() if entered else 0
        result = on_cpu(signature.op, *lowered, **lowered_kwargs)
        finished = now() if entered else 0
    for tensor, replacement in grown:
        swap_storage(tensor, to_neuron(replacement, call.core))
    lifted = call.lift(result)
    if entered and signature.falls_back:
        _record_fallback(call, (entered, started, finished))
    elif entered:
        call.outputs.extend(signature.written_tensors(args, kwargs))
        flops = signature.flops(*args, **kwargs, out_val=result) if signature.flops else 0
        record(Kind.EXECUTION, call, (entered, started, finished), flops=flops)
    return lifted


def record(
    kind: Kind,
    call: Call,
    times: tuple[int, int, int],
    *,
    flops: int = 0,
    passes: int = 0,
    operators: tuple[str, ...] = (),
    peer: int = 0,
) -> None:
    recorder.add(
        Record(
            kind,
            call.name,
            thread_id(),
            *times,
            now(),
            TensorFacts.of(call.inputs),
            TensorFacts.of(call.outputs),
            call.scalars,
            len(call.inputs),
            int(flops),
            passes,
            operators,
            0,
            call.core,
            current_stream_id(call.core),
            peer,
        )
    )


def _record_fallback(call: Call, times: tuple[int, int, int]) -> None:
    """Two copies instead of an execution; the CPU's work belongs to the second."""
    entered, started, finished = times
    back, forth = TensorFacts.of(call.inputs), TensorFacts.of(call.outputs)
    where: dict[str, Any] = {"core": call.core, "stream": current_stream_id(call.core)}
    copy, thread = "aten::_copy_from", thread_id()
    recorder.add(Record(Kind.READ, copy, thread, entered, started, started, started, back, **where))
    recorder.add(Record(Kind.FALLBACK, copy, thread, started, started, finished, now(), forth, **where))


def _lower_numbers(signature: _Signature, call: Call, args: tuple[Any, ...], lowered: list[Any]) -> None:
    """A Python number where a tensor belongs is a CPU scalar; a few operators only take it as a tensor."""
    for position in signature.tensor_positions:
        if position < len(args) and type(args[position]) in _NUMBER_DTYPES:
            call.scalars += 1
            if not signature.takes_numbers:
                number = args[position]
                lowered[position] = torch.scalar_tensor(number, dtype=_NUMBER_DTYPES[type(number)])


def _replace_empty_outs(
    signature: _Signature, call: Call, kwargs: dict[str, Any], lowered: dict[str, Any]
) -> list[tuple[torch.Tensor, torch.Tensor]]:
    """An alias cannot grow, so an empty ``out=`` gets a fresh CPU tensor and takes its storage over later."""
    grown = []
    for name in signature.out_names:
        out = kwargs.get(name)
        if isinstance(out, torch.Tensor) and not out.numel():
            lowered[name] = call.remember(out, torch.empty(0, dtype=out.dtype))
            grown.append((out, lowered[name]))
    return grown


def swap_storage(target: torch.Tensor, source: torch.Tensor) -> None:
    """Let `target` have the memory, size and strides of `source` (both on neuron)."""
    with torch._C._AutoDispatchBelowAutograd():
        set_ = torch.ops.aten.set_.source_Storage_storage_offset
        on_cpu(set_, target, source.untyped_storage(), 0, list(source.shape), list(source.stride()))


def device_operator(
    name: str, run: Callable[..., Any], flops: Callable[..., int] | None = None
) -> Callable[..., Any]:
    """A kernel that shows as one operation `name` and computes `run` on CPU aliases of its arguments."""

    def kernel(*args: Any, **kwargs: Any) -> Any:
        entered = now() if recorder.on else 0
        call = Call(name)
        lowered = [call.lower(arg) if isinstance(arg, torch.Tensor) else arg for arg in args]
        with quiet:
            started = now() if entered else 0
            result = run(*lowered, **kwargs)
            finished = now() if entered else 0
        lifted = call.lift(result)
        if entered:
            record(Kind.EXECUTION, call, (entered, started, finished), flops=flops(*args) if flops else 0)
        return lifted

    return kernel


def gradients_on_cpu(
    forward: Callable[..., torch.Tensor], inputs: list[torch.Tensor | None], wanted: list[bool], grad: Any
) -> list[torch.Tensor | None]:
    """What autograd makes of `forward` on the CPU, so that gradients are the CPU's bit for bit."""
    excluded = torch._C._dispatch_tls_local_exclude_set()
    for key in (DispatchKey.AutogradCPU, DispatchKey.ADInplaceOrView, DispatchKey.AutogradOther):
        excluded = excluded.remove(key)
    included = torch._C._dispatch_tls_local_include_set()
    with torch._C._ForceDispatchKeyGuard(included, excluded), torch.enable_grad():
        leaves = [
            None if tensor is None else tensor.detach().requires_grad_(want)
            for tensor, want in zip(inputs, wanted, strict=True)
        ]
        sought = [leaf for leaf in leaves if leaf is not None and leaf.requires_grad]
        grads = iter(torch.autograd.grad(forward(*leaves), sought, grad))
        return [next(grads) if leaf is not None and leaf.requires_grad else None for leaf in leaves]
