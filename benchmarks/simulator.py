"""What the simulated device costs for each operator, as a ratio to plain CPU torch on one thread.

    python benchmarks/simulator.py

Tensors of 4 x 4, so that what is measured is the way to the kernel and not the kernel.  "recorded" is with
the profiler on.  Times are CPU time of the thread.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

import torch
from torch.profiler import ProfilerActivity, profile

import neuron_nbprof

ROUNDS, CALLS = 9, 300


def operators(device: str) -> dict[str, Callable[[], object]]:
    x, w = torch.randn(4, 4, device=device), torch.randn(4, 4, device=device)
    linear = torch.nn.Linear(4, 4).to(device)
    norm = torch.nn.LayerNorm(4).to(device)
    return {
        "mul": lambda: x * w,
        "add a number": lambda: x + 1.0,
        "mean": lambda: x.mean(-1),
        "view": lambda: x.view(-1),
        "empty": lambda: torch.empty(4, 4, device=device),
        "matmul": lambda: x @ w,
        "linear": lambda: linear(x),
        "layer_norm": lambda: norm(x),
        "in place": lambda: x.add_(w),
    }


def microseconds(call: Callable[[], object]) -> float:
    """Median over rounds of the mean of one call."""
    rounds = []
    for _ in range(ROUNDS):
        began = time.thread_time()
        for _ in range(CALLS):
            call()
        rounds.append((time.thread_time() - began) / CALLS * 1e6)
    return statistics.median(rounds)


def recorded(calls: dict[str, Callable[[], object]]) -> dict[str, float]:
    with profile(activities=[ProfilerActivity.CPU]):
        return {name: microseconds(call) for name, call in calls.items()}


def main() -> None:
    torch.set_num_threads(1)
    neuron_nbprof.simulate()
    cpu, neuron = operators("cpu"), operators("neuron")
    with torch.no_grad():
        plain = {name: (microseconds(cpu[name]), microseconds(neuron[name])) for name in cpu}
        on_cpu, on_neuron = recorded(cpu), recorded(neuron)
    print(f"{'operator':14}{'CPU us':>9}{'neuron us':>11}{'more us':>9}{'ratio':>7}{'recorded: ratio':>18}")
    for name, (a, b) in plain.items():
        ratio = on_neuron[name] / on_cpu[name]
        print(f"{name:14}{a:9.1f}{b:11.1f}{b - a:9.1f}{b / a:7.1f}{ratio:18.1f}")


if __name__ == "__main__":
    main()
