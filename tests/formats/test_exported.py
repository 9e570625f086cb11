"""What we write opens again as it was: events, tracks, links, notes."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import neuron_nbprof
from neuron_nbprof.formats import exported
from neuron_nbprof.trace import Note, Trace

from ..captures import FRAMEWORK, framework_json, system_table

Capture = Callable[..., Path]


@pytest.fixture
def trace(capture: Capture) -> Trace:
    rows = [*FRAMEWORK, ("odd \u202e<b>\n\x01 '\"", "cpu_op", 4300, 800_001, 0, {"text": "µ \u4e58"})]
    found = neuron_nbprof.open(capture(framework_json(rows), system_table())).trace
    found.notes.append(Note("a repaired row", 3))
    return found


def same(found: Trace, expected: Trace) -> None:
    assert found.origin_ns == expected.origin_ns
    assert found.tracks == expected.tracks
    for column in ("start", "dur", "id", "lane", "track", "depth", "parent"):
        assert getattr(found, column).tolist() == getattr(expected, column).tolist(), column
    for row in range(len(expected)):
        assert found.name_of(row) == expected.name_of(row)
        assert found.category_of(row) == expected.category_of(row)
        assert found.args(row) == expected.args(row)
    for column in ("offsets", "targets", "rule", "key"):
        assert getattr(found.links, column).tolist() == getattr(expected.links, column).tolist(), column
    assert found.notes == expected.notes
    assert (found.title, found.device, found.simulated) == (
        expected.title,
        expected.device,
        expected.simulated,
    )


@pytest.mark.parametrize("name", ["trace.json", "trace.json.gz"])
def test_a_chrome_trace_opens_as_it_was(trace: Trace, tmp_path: Path, name: str) -> None:
    same(neuron_nbprof.open(exported.to_perfetto(trace, tmp_path / name)).trace, trace)


def test_parquet_opens_as_it_was(trace: Trace, tmp_path: Path) -> None:
    same(neuron_nbprof.open(exported.to_parquet(trace, tmp_path / "out")).trace, trace)


@pytest.mark.parametrize("example", neuron_nbprof.EXAMPLES)
def test_simulated_captures_stay_simulated(example: str, tmp_path: Path) -> None:
    profile = neuron_nbprof.example(example)
    for path in (profile.to_perfetto(tmp_path / "trace.json"), profile.to_parquet(tmp_path / "tables")):
        again = neuron_nbprof.open(path)
        same(again.trace, profile.trace)
        assert again.simulated
        assert again.key_averages().equals(profile.key_averages())


@pytest.mark.parametrize(
    ("sound", "damaged"),
    [('"version": 1', '"version": 9'), ('"links": [[', '"links": [[999999, '), ('"lane": 3', '"lane": 77')],
)
def test_a_damaged_part_of_ours_is_left_out_and_said(
    trace: Trace, tmp_path: Path, sound: str, damaged: str
) -> None:
    path = exported.to_perfetto(trace, tmp_path / "trace.json")
    text = path.read_text()
    assert sound in text
    path.write_text(text.replace(sound, damaged))
    found = neuron_nbprof.open(path).trace
    assert len(found) == len(trace)
    assert any("beside the events is not used" in note.text for note in found.notes)


def test_kernels_of_another_accelerator_come_back_on_their_stream(tmp_path: Path) -> None:
    path = tmp_path / "trace.json"
    row = {"ph": "X", "pid": 7, "tid": 7, "ts": 1, "dur": 2}
    launch = {**row, "name": "cudaLaunchKernel", "cat": "cuda_runtime", "args": {"correlation": 3}}
    kernel = {**row, "name": "gemm", "cat": "kernel", "args": {"correlation": 3, "device": 1, "stream": 20}}
    path.write_text(json.dumps({"traceEvents": [launch, kernel]}))
    expected = neuron_nbprof.open(path).trace
    assert len(expected.links.targets) == 1
    same(neuron_nbprof.open(exported.to_perfetto(expected, tmp_path / "again.json")).trace, expected)


def test_perfetto_reads_lanes_and_arrows_from_it(trace: Trace, tmp_path: Path) -> None:
    events = json.loads(exported.to_perfetto(trace, tmp_path / "trace.json").read_text())["traceEvents"]
    named = {event["pid"]: event["args"]["name"] for event in events if event["name"] == "process_name"}
    assert named == {1: "Dispatch", 2: "Stream", 3: "Runtime", 4: "Hardware"}
    assert sum(event["ph"] == "s" for event in events) == len(trace.links.targets)
    assert sum(event["ph"] == "X" for event in events) == len(trace)
