"""How fast a trace becomes a linked Trace, against parsers that only parse, in one run.

    python benchmarks/read.py TRACE [TRACE ...] [--events 100000 1000000]

Each figure is the median of several rounds; ratios below 1 mean that neuron_nbprof, which also lays out,
links and notes, takes less time than the rival takes to parse the same bytes. With --events a synthetic
trace of each size is read, to show how time and memory grow.
"""

from __future__ import annotations

import argparse
import gzip
import io
import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import orjson

import neuron_nbprof
from neuron_nbprof.formats import folder

ROUNDS = 5

#: Category, thread or stream, offset and duration in µs of the rows of one synthetic operator.
OPERATOR = (("cpu_op", 7, 0, 20), ("privateuse1_runtime", 7, 2, 15), ("privateuse1_driver", 0, 20, 40))


def median_seconds(work: Callable[[], object]) -> float:
    times = []
    for _ in range(ROUNDS):
        begin = time.process_time()
        work()
        times.append(time.process_time() - begin)
    return statistics.median(times)


def read_bytes(data: bytes) -> object:
    return folder.read(io.BytesIO(data))


def hta_seconds(path: Path) -> float | None:
    """Holistic Trace Analysis' own reader, when it is installed."""
    try:
        from hta.common.trace_parser import parse_trace_file
    except ImportError:
        return None
    return median_seconds(lambda: parse_trace_file(str(path)))


def compare(paths: list[Path]) -> None:
    print(f"{'trace':40}{'MB':>6}{'events':>9}{'s':>8}{'/ json':>8}{'/ orjson':>9}{'/ HTA':>7}")
    ratios = []
    for path in paths:
        data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        ours = median_seconds(lambda data=data: read_bytes(data))
        plain = ours / median_seconds(lambda data=data: json.loads(data))
        fast = ours / median_seconds(lambda data=data: orjson.loads(data))
        hta = hta_seconds(path)
        events = len(neuron_nbprof.open(path).trace)
        ratios.append((plain, fast, ours / hta if hta else None))
        last = f"{ours / hta:7.2f}" if hta else "      -"
        size = len(data) / 1e6
        print(f"{path.name[:39]:40}{size:6.0f}{events:9,}{ours:8.2f}{plain:8.2f}{fast:9.2f}{last}")
    if ratios:
        plain, fast = (statistics.median(ratio[i] for ratio in ratios) for i in (0, 1))
        print(f"{'median':40}{'':23}{plain:8.2f}{fast:9.2f}")


def synthetic(events: int, path: Path) -> None:
    """A trace of eager operators with their dispatch and stream rows, written event by event."""
    with path.open("w") as file:
        file.write('{"schemaVersion": 1, "baseTimeNanoseconds": 1790857026000000000, "traceEvents": [')
        for i in range(events // 3):
            start, ids = 1000 + 60 * i, f'"External id": {i + 1}, "nrt_sequence_id": {(1 << 48) + i}'
            rows = (
                ("cpu_op", 7, 0, 20),
                ("privateuse1_runtime", 7, 2, 15),
                ("privateuse1_driver", 0, 20, 40),
            )
            for category, tid, offset, dur in rows:
                comma = "" if i == 0 and category == "cpu_op" else ",\n"
                file.write(
                    f'{comma}{{"ph": "X", "cat": "{category}", "name": "aten::op{i % 40}", "pid": 7, '
                    f'"tid": {tid}, "ts": {start + offset}.125, "dur": {dur}.250, "args": {{{ids}}}}}'
                )
        file.write("]}")


def grow(sizes: list[int]) -> None:
    print(f"\n{'synthetic events':>18}{'MB':>7}{'s':>8}{'µs/event':>10}{'peak/raw':>10}")
    for size in sizes:
        with tempfile.TemporaryDirectory() as place:
            path = Path(place) / "trace.json"
            synthetic(size, path)
            # in a process of its own, whose peak memory is that of this one reading
            out = subprocess.run(
                [sys.executable, __file__, "--peak", str(path)], capture_output=True, text=True, check=True
            )
            seconds, before, peak = map(float, out.stdout.split())
            raw = path.stat().st_size
            each, memory = 1e6 * seconds / size, (peak - before) / raw
            print(f"{size:18,}{raw / 1e6:7.0f}{seconds:8.2f}{each:10.2f}{memory:10.2f}")


def peak(path: Path) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    begin = time.process_time()
    neuron_nbprof.open(path)
    seconds = time.process_time() - begin
    print(seconds, before, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("traces", nargs="*", type=Path)
    parser.add_argument("--events", nargs="*", type=int, default=[])
    parser.add_argument("--peak", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.peak:
        peak(options.peak)
        return
    compare(options.traces)
    if options.events:
        grow(options.events)


if __name__ == "__main__":
    main()
