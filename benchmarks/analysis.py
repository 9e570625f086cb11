"""How long each answer takes on a trace of a given size.

    python benchmarks/analysis.py [--events 1000000]

The traces are made in memory: eager operators at LNC=2, seven rows each, in steps of a thousand operators;
for the answers that ask for Python stacks four frames more around each. Each figure is the processor time of
one call on a fresh Profile, the median of three, so that a busy machine does not count; the limit every
answer keeps on a million events is 2 s.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from neuron_nbprof import Profile
from neuron_nbprof.explorer.answers import answers
from neuron_nbprof.profile import compare
from neuron_nbprof.trace import Arguments, Rows, Trace, assemble
from neuron_nbprof.trace.categories import LINE_PREFIX
from neuron_nbprof.trace.lanes import (
    dispatch_track,
    neuron_hardware_track,
    neuron_runtime_track,
    stream_track,
)

LIMIT_SECONDS = 2.0
BASE = 1_790_857_026_000_000_000
OPERATORS = 40
PER_STEP = 1000
CADENCE = 60_000  # ns from one operator to the next
#: track, category, start and duration in ns of the rows of one operator, in file order
ROWS = (
    (0, "cpu_op", 0, 20_000), (0, "privateuse1_runtime", 3_000, 15_000),
    (1, "privateuse1_driver", 18_000, 40_000),
    (2, "neuron_rt", 20_000, 9_000), (2, "neuron_rt", 29_000, 30_000),
    (3, "neuron_hw", 32_000, 25_000), (4, "neuron_hw", 32_600, 25_000),
)  # fmt: skip
#: and of what stands around it where Python stacks and lines of a cell were recorded
AROUND = (
    (0, "user_annotation", -4_000, 28_000), (0, "python_function", -3_000, 26_000),
    (0, "python_function", -2_000, 24_000), (0, "python_function", -1_000, 22_000),
)  # fmt: skip
ROUNDS = 3


def synthetic(events: int, stacks: bool = False) -> Trace:
    parts = (*ROWS, *AROUND) if stacks else ROWS
    calls = events // len(parts)
    number = np.repeat(np.arange(calls), len(parts))
    part = np.tile(np.arange(len(parts)), calls)
    steps = -(-calls // PER_STEP)
    names = [f"aten::op{i}" for i in range(OPERATORS)]
    fixed = ["nrta_execute_schedule", "kbl_exec_wait", "nc_exec_running"]
    frames = [f"/tmp/ipykernel_7/1.py({i}): layer" for i in range(OPERATORS)]
    modules = ["nn.Module: Block_0", "nn.Module: Linear_0"]
    lines = [f"{LINE_PREFIX}{i + 1}" for i in range(OPERATORS)]
    categories = sorted({category for _, category, _, _ in parts} | {"user_annotation"})
    strings = [
        *names,
        *fixed,
        *frames,
        *modules,
        *lines,
        *categories,
        *(f"ProfilerStep#{i}" for i in range(steps)),
    ]
    place = {text: i for i, text in enumerate(strings)}
    # the first name of each part, and how many take turns
    begins = (*names[:1] * 3, *fixed, fixed[2], lines[0], modules[0], frames[0], modules[1])
    first = np.array([place[text] for text in begins])
    turns = np.array([OPERATORS] * 3 + [1] * 4 + [OPERATORS, 1, OPERATORS, 1])
    name = first[part] + number % turns[part]

    def column(values: list[int], step_values: np.ndarray | int = 0) -> np.ndarray:
        filled = np.array([*values, *[0] * (len(parts) - len(values))])
        return np.concatenate([filled[part], np.broadcast_to(step_values, steps)]).astype(np.int64)

    at = np.concatenate([BASE + number * CADENCE, BASE + np.arange(steps) * PER_STEP * CADENCE])
    ids = np.concatenate([number + 1, np.zeros(steps, np.int64)])
    shapes = [
        f'{{"Input Dims": [[{2 ** (i % 9)}, 64]], "Input type": ["float"]}}'.encode() for i in range(99)
    ]
    args: list[bytes | None] = [None] * (len(number) + steps)
    for i in range(calls):
        args[i * len(parts)] = shapes[i % len(shapes)]
    rows = Rows(
        strings=strings,
        tracks=[
            dispatch_track("", "1", "7"), stream_track("", "1", "0"), neuron_runtime_track("", "1", "0"),
            neuron_hardware_track("", "1", "0", "4"), neuron_hardware_track("", "1", "0", "5"),
        ],
        name=np.concatenate([name, place["ProfilerStep#0"] + np.arange(steps)]),
        category=column([place[category] for _, category, _, _ in parts], place["user_annotation"]),
        start=at + column([start for _, _, start, _ in parts]),
        dur=column([dur for _, _, _, dur in parts], PER_STEP * CADENCE),
        track=column([track for track, _, _, _ in parts]),
        external=ids * column([1, 1, 0, 0, 0, 0, 0]),
        sequence=(ids + (1 << 48)) * column([0, 1, 1, 1, 1, 0, 0]),
        execution=ids * column([0, 0, 0, 0, 1, 1, 1]),
        args=Arguments.of(args),
    )  # fmt: skip
    return assemble(rows, title="synthetic", source="")


#: What is asked, and whether of a trace with Python stacks.
ANSWERS: dict[str, tuple[Callable[[Profile], object], bool]] = {
    "summary()": (Profile.summary, False),
    "key_averages()": (Profile.key_averages, False),
    "key_averages by shape": (lambda p: p.key_averages(group_by="name+shape"), False),
    "key_averages by stack": (lambda p: p.key_averages(group_by="stack"), True),
    "key_averages by module": (lambda p: p.key_averages(group_by="module"), True),
    "distribution of one operator": (lambda p: p.distribution("aten::op0"), False),
    "lines()": (Profile.lines, True),
    "latency()": (Profile.latency, False),
    "latency by operator": (lambda p: p.latency("operator"), False),
    "gaps()": (Profile.gaps, False),
    "gap_totals()": (Profile.gap_totals, False),
    "critical_path()": (Profile.critical_path, False),
    "critical_path by lane": (lambda p: p.critical_path("lane"), False),
    "insights()": (Profile.insights, False),
    "print(profile)": (str, False),
    "compare with itself": (lambda p: compare(p, p), False),
    "its operators": (lambda p: compare(p, p).operators(), False),
    "all tabs of the explorer": (answers, False),
}


def seconds(answer: Callable[[Profile], object], trace: Trace) -> float:
    """Median over fresh profiles: what one answer has worked out helps the next one of the same trace."""
    took = []
    for _ in range(ROUNDS):
        fresh = Profile(replace(trace))
        begin = time.process_time()
        answer(fresh)
        took.append(time.process_time() - begin)
    return statistics.median(took)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--events", type=int, default=1_000_000)
    events = parser.parse_args().events
    slow = []
    for stacks in (False, True):
        trace = synthetic(events, stacks)
        print(
            f"{len(trace):,} events, {len(trace.links.targets):,} links{', Python stacks' if stacks else ''}"
        )
        for name, (answer, wanted) in ANSWERS.items():
            if wanted is stacks:
                took = seconds(answer, trace)
                print(f"{name:30}{took:8.2f} s")
                slow += [name] if took > LIMIT_SECONDS and events <= 1_000_000 else []
    if slow:
        print(f"slower than {LIMIT_SECONDS:g} s: {', '.join(slow)}", file=sys.stderr)
    return bool(slow)


if __name__ == "__main__":
    sys.exit(main())
