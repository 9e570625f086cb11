"""`torch.compile(f, backend="neuron")`: a whole graph runs as one execution of the device.

Its numerics go through the very same kernels as eager code, so compiled and eager agree bit for bit.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch._ops import OpOverload
from torch.utils.flop_counter import flop_registry

from .alias import on_neuron
from .kernels import Call, is_view, record
from .recorder import Kind, muted, now, recorder

_graph_numbers = itertools.count()


def with_neuron_backend(compile_: Callable[..., Any]) -> Callable[..., Any]:
    """`torch.compile` that knows the backend, from its first use on: importing Dynamo takes seconds."""

    @functools.wraps(compile_)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        _register_backend()
        return compile_(*args, **kwargs)

    return wrapper


@functools.cache
def _register_backend() -> None:
    import torch._dynamo

    torch._dynamo.register_backend(_backend, name="neuron")


def _backend(graph: torch.fx.GraphModule, example_inputs: list[Any]) -> Any:
    from functorch.compile import min_cut_rematerialization_partition
    from torch._dynamo.backends.common import aot_autograd

    number = next(_graph_numbers)
    lower = aot_autograd(
        fw_compiler=functools.partial(_lower, name=f"model_default_{number}_forward"),
        bw_compiler=functools.partial(_lower, name=f"model_default_{number}_backward"),
        partition_fn=min_cut_rematerialization_partition,
    )
    return lower(graph, example_inputs)


def _lower(graph: torch.fx.GraphModule, example_inputs: list[Any], name: str) -> Callable[..., Any]:
    from functorch.compile import make_boxed_func

    flops, passes = _work(graph)
    held = tuple(node.target._schema.name for node in _computing(graph))

    def run(*args: Any) -> Any:
        entered = now() if recorder.on else 0
        with muted, torch.no_grad():
            started = now() if entered else 0
            results = graph(*args)
            finished = now() if entered else 0
        if entered:
            tensors = [arg for arg in args if isinstance(arg, torch.Tensor)]
            call = Call(name, next(filter(on_neuron, tensors), None))
            call.inputs = tensors
            call.outputs = [result for result in results if isinstance(result, torch.Tensor)]
            record(Kind.GRAPH, call, (entered, started, finished), flops=flops, passes=passes, operators=held)
        return results

    return make_boxed_func(run)


def _work(graph: torch.fx.GraphModule) -> tuple[int, int]:
    """(floating point operations, elements walked by element-wise operations) of one run of a graph."""
    flops = passes = 0
    for node in _computing(graph):
        count = flop_registry.get(node.target.overloadpacket)
        if count is not None:
            flops += count(*map(_value, node.args), **node.kwargs, out_val=_value(node))
        else:
            passes += max((_elements(n) for n in [node, *node.all_input_nodes]), default=0)
    return int(flops), passes


def _computing(graph: torch.fx.GraphModule) -> Iterator[Any]:
    """The nodes of a graph that compute something, in its order; views do not."""
    for node in graph.graph.nodes:
        if node.op == "call_function" and isinstance(node.target, OpOverload) and not is_view(node.target):
            yield node


def _value(argument: Any) -> Any:
    return argument.meta["val"] if isinstance(argument, torch.fx.Node) else argument


def _elements(node: torch.fx.Node) -> int:
    value = node.meta.get("val")
    return int(value.numel()) if isinstance(value, torch.Tensor) else 0
