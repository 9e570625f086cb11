"""The five captures with something wrong: what was run, and on which preset of the simulated device.

What is wrong with each is told nowhere in the capture; `tests/package/test_mysteries.py` says what is found.
"""

from __future__ import annotations

from dataclasses import dataclass

from neuron_nbprof import MYSTERIES

SETUP = """
import torch
import torch.nn.functional as F

torch.set_num_threads(1)
torch.manual_seed(0)


def on_device(*shape):
    return torch.randn(*shape, device="neuron", dtype=torch.bfloat16)
"""


@dataclass(frozen=True)
class Mystery:
    """``setup`` runs before; ``cell`` runs under the magic with ``options``, or, where it steps a profiler of
    its own, as it stands."""

    setup: str
    cell: str
    options: str = ""
    preset: str = "guide"
    own_profiler: bool = False


_TRAINING = Mystery(
    """
weight, head, target = on_device(2048, 2048), on_device(2048, 2048), on_device(2048, 2048)
batches = [on_device(2048, 2048) for _ in range(4)]
losses = [0.0] * 4
""",
    """for number, batch in enumerate(batches):
    prediction = batch @ weight @ head
    losses[number] = F.mse_loss(prediction, target).item()
""",
    preset="wall-clock",
)

_ROUTING = Mystery(
    """
tokens, router = on_device(2048, 1024), on_device(1024, 8)
ones, nothing = torch.ones(2048, device="neuron"), torch.zeros(8, device="neuron")
""",
    """scores = torch.softmax(tokens @ router, -1)
expert = scores.argmax(-1)
load = nothing.scatter_add(0, expert, ones)
balance = torch.softmax(load, 0)
""",
)

_COMPILED = Mystery(
    """
import logging

log = logging.getLogger("model")
up, down, x = on_device(1024, 4096), on_device(4096, 1024), on_device(512, 1024)


def mlp(x):
    hidden = x @ up
    log.debug("after up: %s", hidden.shape)
    hidden = F.silu(hidden)
    log.debug("after the activation: %s", hidden.shape)
    return hidden @ down


model = torch.compile(mlp, backend="neuron")
""",
    "y = model(x)\n",
)

_SERVING = Mystery(
    """
weight = on_device(1024, 1024)
# the first three runs are not recorded
requests = iter([on_device(tokens, 1024) for tokens in (512, 512, 512, 117, 93, 141)])
""",
    """request = next(requests)
hidden = F.gelu(request @ weight)
probabilities = torch.softmax(hidden @ weight, -1)
""",
    options="--active 3",
)

_BENCHMARK = Mystery(
    """
from torch.profiler import ProfilerActivity, profile, schedule
from torch_neuronx.profiling import NeuronConfig

import neuron_nbprof

x, weight = on_device(1024, 1024), on_device(1024, 1024)


def step():
    return torch.softmax(F.silu(x @ weight) @ weight, -1)
""",
    """with profile(
    activities=[ProfilerActivity.CPU, ProfilerActivity.PrivateUse1],
    schedule=schedule(wait=1, warmup=2, active=3, repeat=1),
    record_shapes=True,
    acc_events=True,
    experimental_config=NeuronConfig(modes=[], profile_output_dir="neuron_profiles/mystery_5-own"),
    on_trace_ready=neuron_nbprof.handler(),
) as profiler:
    for _ in range(6):
        step()
        profiler.step()
""",
    own_profiler=True,
)

ALL = dict(zip(MYSTERIES, (_TRAINING, _ROUTING, _COMPILED, _SERVING, _BENCHMARK), strict=True))
