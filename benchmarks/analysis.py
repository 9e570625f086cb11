"""How long each answer takes on a trace of a given size.

    python benchmarks/analysis.py [--events 1000000]

The trace is made in memory: eager operators at LNC=2, seven rows each, in steps of a thousand operators.
Each figure is the processor time of one call on a fresh Profile, so that a busy machine does not count; the
limit every answer keeps on a million events is 2 s.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from neuron_nbprof import Profile
from neuron_nbprof.profile import compare
from neuron_nbprof.trace import Arguments, Rows, Trace, assemble
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
    (3, "neuron_hw", 32_000, 25_000),    (4, "neuron_hw", 32_600, 25_000),
)  # fmt: skip


def synthetic(events: int) -> Trace:
    calls = events // len(ROWS)
    number = np.repeat(np.arange(calls), len(ROWS))
    part = np.tile(np.arange(len(ROWS)), calls)
    steps = -(-calls // PER_STEP)
    names = [f"aten::op{i}" for i in range(OPERATORS)]
    fixed = ["nrta_execute_schedule", "kbl_exec_wait", "nc_exec_running"]
    categories = sorted({category for _, category, _, _ in ROWS} | {"user_annotation"})
    strings = [*names, *fixed, *categories, *(f"ProfilerStep#{i}" for i in range(steps))]
    place = {text: i for i, text in enumerate(strings)}
    runtime_names = np.array([-1, -1, -1, *(place[fixed[i]] for i in (0, 1, 2, 2))])
    name = np.where(part < 3, number % OPERATORS, runtime_names[part])

    def column(values: list[int], step_values: np.ndarray | int = 0) -> np.ndarray:
        return np.concatenate([np.array(values)[part], np.broadcast_to(step_values, steps)]).astype(np.int64)

    at = np.concatenate([BASE + number * CADENCE, BASE + np.arange(steps) * PER_STEP * CADENCE])
    ids = np.concatenate([number + 1, np.zeros(steps, np.int64)])
    shapes = [
        f'{{"Input Dims": [[{2 ** (i % 9)}, 64]], "Input type": ["float"]}}'.encode() for i in range(99)
    ]
    args: list[bytes | None] = [None] * (len(number) + steps)
    for i in range(calls):
        args[i * len(ROWS)] = shapes[i % len(shapes)]
    first = place["ProfilerStep#0"]
    rows = Rows(
        strings=strings,
        tracks=[
            dispatch_track("", "1", "7"), stream_track("", "1", "0"), neuron_runtime_track("", "1", "0"),
            neuron_hardware_track("", "1", "0", "4"), neuron_hardware_track("", "1", "0", "5"),
        ],
        name=np.concatenate([name, first + np.arange(steps)]),
        category=column([place[category] for _, category, _, _ in ROWS], place["user_annotation"]),
        start=at + column([start for _, _, start, _ in ROWS]),
        dur=column([dur for _, _, _, dur in ROWS], PER_STEP * CADENCE),
        track=column([track for track, _, _, _ in ROWS]),
        external=ids * column([1, 1, 0, 0, 0, 0, 0]),
        sequence=(ids + (1 << 48)) * column([0, 1, 1, 1, 1, 0, 0]),
        execution=ids * column([0, 0, 0, 0, 1, 1, 1]),
        args=Arguments.of(args),
    )  # fmt: skip
    return assemble(rows, title="synthetic", source="")


def answers(trace: Trace) -> dict[str, Callable[[Profile], object]]:
    return {
        "summary": Profile.summary,
        "key_averages": Profile.key_averages,
        "key_averages by shape": lambda p: p.key_averages(group_by="name+shape"),
        "latency": Profile.latency,
        "latency by operator": lambda p: p.latency("operator"),
        "lines": Profile.lines,
        "gaps": Profile.gaps,
        "gap_totals": Profile.gap_totals,
        "critical_path": Profile.critical_path,
        "insights": Profile.insights,
        "print(profile)": str,
        "compare with itself": lambda p: compare(p, p),
    }


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--events", type=int, default=1_000_000)
    events = parser.parse_args().events
    trace = synthetic(events)
    print(f"{len(trace):,} events, {len(trace.links.targets):,} links")
    slow = []
    for name, answer in answers(trace).items():
        fresh = Profile(replace(trace))  # what one answer has worked out helps the next one of the same trace
        begin = time.process_time()
        answer(fresh)
        seconds = time.process_time() - begin
        print(f"{name:24}{seconds:8.2f} s")
        slow += [name] if seconds > LIMIT_SECONDS and events <= 1_000_000 else []
    if slow:
        print(f"slower than {LIMIT_SECONDS:g} s: {', '.join(slow)}", file=sys.stderr)
    return bool(slow)


if __name__ == "__main__":
    sys.exit(main())
