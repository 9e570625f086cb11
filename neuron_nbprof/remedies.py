"""What to do, a sentence each: said by the doctor and preflight before a capture, by insights after it."""

from __future__ import annotations

SYNCHRONISE = "Call torch.neuron.synchronize() at the end of each recorded step, before prof.step()."
BOTH_ACTIVITIES = "Record with both ProfilerActivity.CPU and ProfilerActivity.PrivateUse1."
DEVICE_LANES = (
    "Without neuron-explorer captures of a Trainium have framework lanes only: apt install "
    "aws-neuronx-tools, then neuron-nbprof convert FOLDER."
)
ONE_RECORDER = (
    "Unset NEURON_RT_INSPECT_ENABLE and restart the kernel: the runtime then profiles the whole process by "
    "itself and writes no framework rows; record through torch.profiler."
)
VISIBLE_CORES = (
    "Set NEURON_RT_VISIBLE_CORES before the process starts: a core belongs to one process at a time."
)
