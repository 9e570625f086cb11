"""What an event category means for links and for time: one table, used by readers and by analysis."""

from __future__ import annotations

#: Rows that are operators: they own calls, and `key_averages` counts them.
OPERATORS = frozenset({"cpu_op", "user_annotation"})

#: Dispatch rows of the Neuron backend, one per submission.
NEURON_DISPATCH = "privateuse1_runtime"
NEURON_STREAM = "privateuse1_driver"

#: How PyTorch calls what `torch.compile` made of a piece of code; numbers follow.
COMPILED_REGION = "Torch-Compiled Region"

#: Rows written by the Neuron runtime and by the hardware, as the parquet tables call their source.
NEURON_RUNTIME = "neuron_rt"
NEURON_HARDWARE = "neuron_hw"

#: Host calls into an accelerator's runtime or driver.
HOST_RUNTIME = frozenset(
    {
        "cuda_runtime",
        "cuda_driver",
        "xpu_runtime",
        "xpu_driver",
        "mtia_runtime",
        "glow_runtime",
    }
)

#: What older writers called the same things.
OLD_NAMES = {
    "Operator": "cpu_op",
    "Kernel": "kernel",
    "Memcpy": "gpu_memcpy",
    "Memset": "gpu_memset",
    "Runtime": "cuda_runtime",
}

#: Work on an accelerator that is not a Neuron core.
DEVICE_WORK = frozenset(
    {
        "kernel",
        "gpu_memcpy",
        "gpu_memset",
        "mtia_ccp_events",
        "hpu_op",
        "collective_comm",
        "cuda_sync",
        "xpu_sync",
    }
)

#: An annotation repeated on the device by the framework: a view, not work.
DEVICE_ANNOTATIONS = frozenset({"gpu_user_annotation"})

#: Hardware rows that are not the execution of a program (marks, barriers, clock pairs, waits).
NOT_WORK = frozenset(
    {
        "timestamp_sync_point",
        "hw_notify",
        "numerical_err",
        "cc_exec_barrier",
        "nc_model_switch",
    }
)
NOT_WORK_CATEGORIES = frozenset({"cuda_sync", "xpu_sync", "device_sync"}) | DEVICE_ANNOTATIONS

#: Runtime rows of one submission, the one that hands the work over first.
MAIN_RUNTIME_ROWS = (
    "nrta_execute_schedule",
    "nrta_tensor_write",
    "nrta_tensor_read",
    "nrta_tensor_copy",
    "nrt_model_submit",
    "nrt_execute",
    "kmgr_exec_core",
    "kbl_exec_core",
    "kbl_exec_wait",
)

#: Those of them that hand over an execution.
EXECUTION_CALLS = tuple(name for name in MAIN_RUNTIME_ROWS if "tensor" not in name)

#: Annotations that span what others do and own nothing: steps of a schedule, marks of a cell's lines.
STEP_PREFIX, LINE_PREFIX = "ProfilerStep#", "cell line "
SPAN_PREFIXES = (STEP_PREFIX, LINE_PREFIX)
