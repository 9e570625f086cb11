"""How fast a trace becomes a linked Trace, against parsers that only parse, in one run.

    python benchmarks/read.py TRACE [TRACE ...] [--events 100000 1000000]

Each figure is the median of several rounds; ratios below 1 mean that neuron_nbprof, which also lays out,
links and notes, takes less time than the rival takes to parse the same bytes. With --events a synthetic
trace of each size is read, to show how time and memory grow.
"""

from __future__ import annotations

import argparse
import gzip
import json
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


def hta_seconds(path: Path) -> float | None:
    """Holistic Trace Analysis' own reader, when it is installed; it counts wall time of one process."""
    try:
        from hta.common.trace import parse_trace_file
    except ImportError:
        return None
    return median_seconds(lambda: parse_trace_file(str(path)))


def compare(paths: list[Path]) -> None:
    print(f"{'trace':40}{'MB':>6}{'events':>9}{'s':>8}{'/ json':>8}{'/ orjson':>9}{'/ HTA':>7}{'peak':>7}")
    ratios: list[tuple[float, float, float, float]] = []
    for path in paths:
        data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        with tempfile.TemporaryDirectory() as place:
            plain = Path(place) / "trace.json"
            plain.write_bytes(data)
            ours = median_seconds(lambda plain=plain: folder.read(plain))
            _, memory = peak_of(plain)
        events = len(neuron_nbprof.open(path).trace)
        hta = hta_seconds(path)
        row = (
            ours / median_seconds(lambda data=data: json.loads(data)),
            ours / median_seconds(lambda data=data: orjson.loads(data)),
            ours / hta if hta else float("nan"),
            memory,
        )
        ratios.append(row)
        print(f"{path.name[:39]:40}{len(data) / 1e6:6.0f}{events:9,}{ours:8.2f}{figures(row)}")
    if len(ratios) > 1:
        median = tuple(statistics.median(column) for column in zip(*ratios, strict=True))
        print(f"{'median':40}{'':23}{figures(median)}")


def figures(row: tuple[float, ...]) -> str:
    plain, fast, hta, memory = row
    return f"{plain:8.2f}{fast:9.2f}{hta:7.2f}{memory:7.2f}"


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
            out = subprocess.run(
                [sys.executable, __file__, "--peak", str(path)], capture_output=True, text=True, check=True
            )
            seconds, before, peak = map(float, out.stdout.split())
            raw = path.stat().st_size
            each, memory = 1e6 * seconds / size, (peak - before) / raw
            print(f"{size:18,}{raw / 1e6:7.0f}{seconds:8.2f}{each:10.2f}{memory:10.2f}")


def peak_of(path: Path) -> tuple[float, float]:
    """Seconds, and peak memory over the file's size, of one read in a process of its own."""
    command = [sys.executable, __file__, "--peak", str(path)]
    out = subprocess.run(command, capture_output=True, text=True, check=True)
    seconds, before, after = map(float, out.stdout.split())
    return seconds, (after - before) / path.stat().st_size


def peak(path: Path) -> None:
    neuron_nbprof.open(neuron_nbprof.example().trace.source)  # whatever is imported is not the read's
    before = memory("VmRSS")
    begin = time.process_time()
    neuron_nbprof.open(path, progress=False)
    print(time.process_time() - begin, before, memory("VmHWM"))


def memory(kind: str) -> int:
    """Resident bytes of this process, now or at most (Linux)."""
    (line,) = (line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith(kind))
    return int(line.split()[1]) * 1024


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
