"""The framework trace: numbers by their text, other accelerators, writers that differ."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import neuron_nbprof
from neuron_nbprof.formats.microseconds import nanoseconds
from neuron_nbprof.trace import Lane, LinkRule, Trace

from ..captures import FRAMEWORK, framework_json


@given(st.integers(0, 10**19), st.booleans())
def test_nanoseconds_are_exact_for_every_time_kineto_can_write(ns: int, negative: bool) -> None:
    text = f"{'-' if negative else ''}{ns // 1000}.{ns % 1000:03d}"
    assert nanoseconds(text.encode()) == (-ns if negative else ns)


@given(st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**15), max_value=10**15))
def test_nanoseconds_of_any_number_are_within_half_of_one(value: object) -> None:
    found = nanoseconds(str(value).encode())
    assert found is not None
    assert abs(found - Fraction(str(value)) * 1000) <= Fraction(1, 2)


@pytest.mark.parametrize(
    ("text", "ns"), [(b"5", 5000), (b'"12.5"', 12500), (b"1.7e3", 1_700_000), (b"5.7", 5700)]
)
def test_nanoseconds_of_other_writers(text: bytes, ns: int) -> None:
    assert nanoseconds(text) == ns


@pytest.mark.parametrize("text", [b"null", b'"soon"', b"{}", b"NaN", b"Infinity"])
def test_what_is_no_number_has_no_time(text: bytes) -> None:
    assert nanoseconds(text) is None


def write(path: Path, events: list[dict[str, object]]) -> Trace:
    path.write_text(json.dumps({"traceEvents": events}))
    return neuron_nbprof.open(path).trace


def row(
    name: str, cat: str, tid: int, ts: float, dur: float, pid: int = 7, **args: object
) -> dict[str, object]:
    return {"ph": "X", "name": name, "cat": cat, "pid": pid, "tid": tid, "ts": ts, "dur": dur, "args": args}


@pytest.fixture
def cuda(tmp_path: Path) -> Trace:
    return write(
        tmp_path / "trace.json",
        [
            row("aten::linear", "cpu_op", 10, 0, 100, **{"External id": 1}),
            row("aten::addmm", "cpu_op", 10, 10, 80, **{"External id": 2}),
            row("cudaLaunchKernel", "cuda_runtime", 10, 20, 5, **{"External id": 2, "correlation": 11}),
            row("cudaLaunchKernel", "cuda_runtime", 10, 40, 6, **{"correlation": 12}),
            row("cudaDeviceSynchronize", "cuda_runtime", 10, 120, 50, **{"correlation": 0}),
            row(
                "gemm",
                "kernel",
                7,
                60,
                30,
                pid=0,
                **{"device": 0, "stream": 7, "correlation": 11, "External id": 2},
            ),
            row("bias", "kernel", 7, 95, 20, pid=0, **{"device": 0, "stream": 7, "correlation": 12}),
            row("lost", "kernel", 7, 150, 20, pid=0, **{"device": 0, "stream": 7, "correlation": 0}),
        ],
    )


def test_another_accelerator_fills_the_lanes(cuda: Trace) -> None:
    assert [(track.lane, track.label) for track in cuda.tracks] == [
        (Lane.DISPATCH, "framework/TID:10"),
        (Lane.RUNTIME, "cuda/TID:10"),
        (Lane.HARDWARE, "device 0/Stream:7"),
    ]


def test_an_operator_leads_over_its_launch_to_its_kernel(cuda: Trace) -> None:
    links = cuda.links
    found = {
        (cuda.name_of(int(a)), cuda.name_of(int(b)), LinkRule(int(rule)))
        for a, b, rule in zip(links.sources, links.targets, links.rule, strict=True)
    }
    assert found == {
        ("aten::linear", "aten::addmm", LinkRule.ENCLOSING),
        ("aten::addmm", "cudaLaunchKernel", LinkRule.EXTERNAL_ID),
        ("aten::addmm", "cudaLaunchKernel", LinkRule.ENCLOSING),
        ("cudaLaunchKernel", "gemm", LinkRule.CORRELATION),
        ("cudaLaunchKernel", "bias", LinkRule.CORRELATION),
    }


def test_zero_is_never_an_id(cuda: Trace) -> None:
    (lost,) = cuda.rows_named("lost").tolist()
    assert cuda.links.incoming(lost) == []


def test_an_external_id_of_an_operator_at_another_time_is_not_believed(tmp_path: Path) -> None:
    trace = write(
        tmp_path / "trace.json",
        [
            row("aten::relu", "cpu_op", 10, 500, 10, **{"External id": 3}),
            row("aten::mul", "cpu_op", 10, 0, 50, **{"External id": 4}),
            row("cudaLaunchKernel", "cuda_runtime", 10, 20, 5, **{"External id": 3, "correlation": 1}),
            row("k", "kernel", 7, 60, 30, pid=0, **{"correlation": 1}),
        ],
    )
    (launch,) = trace.rows_named("cudaLaunchKernel").tolist()
    (edge,) = trace.links.incoming(launch)
    assert trace.name_of(int(trace.links.sources[edge])) == "aten::mul"
    assert trace.links.rule[edge] == LinkRule.ENCLOSING


def test_arrows_of_the_file_join_what_ids_do_not(tmp_path: Path) -> None:
    trace = write(
        tmp_path / "trace.json",
        [
            row("aten::mul", "privateuse1_runtime", 10, 0, 10),
            row("aten::mul", "privateuse1_driver", 0, 20, 10),
            {"ph": "f", "id": 5, "pid": 7, "tid": 0, "ts": 20, "cat": "ac2g", "name": "ac2g", "bp": "e"},
            {"ph": "s", "id": 5, "pid": 7, "tid": 10, "ts": 0, "cat": "ac2g", "name": "ac2g"},
            {"ph": "f", "id": 6, "pid": 7, "tid": 0, "ts": 20, "cat": "ac2g", "name": "ac2g", "bp": "e"},
        ],
    )
    assert trace.links.rule.tolist() == [LinkRule.AC2G]
    assert trace.links.key.tolist() == [5]


def test_spans_of_the_whole_recording_are_counted_and_not_drawn(tmp_path: Path) -> None:
    trace = write(
        tmp_path / "trace.json",
        [
            row("PyTorch Profiler (0)", "Trace", 0, 0, 1000),
            row("aten::mul", "cpu_op", 10, 5, 10),
            {"ph": "i", "s": "g", "name": "Record Window End", "pid": "", "tid": "", "ts": 1000},
        ],
    )
    assert len(trace) == 1
    assert sorted(note.count for note in trace.notes if not note.text.startswith("hint")) == [1, 1]


def test_overlap_on_one_track_gets_rows_of_its_own(tmp_path: Path) -> None:
    trace = write(
        tmp_path / "trace.json",
        [
            row("a", "kernel", 7, 0, 10),
            row("b", "kernel", 7, 5, 10),
            row("c", "kernel", 7, 12, 1),
            row("d", "kernel", 7, 20, 1),
        ],
    )
    assert {trace.name_of(i): int(trace.depth[i]) for i in range(4)} == {"a": 0, "b": 1, "c": 2, "d": 0}


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 60), st.integers(0, 30)), max_size=40))
def test_no_event_covers_another_and_none_is_lost(
    tmp_path_factory: pytest.TempPathFactory, spans: object
) -> None:
    assert isinstance(spans, list)
    path = tmp_path_factory.mktemp("layout") / "trace.json"
    trace = write(path, [row("x", "cpu_op", tid, start, dur) for tid, start, dur in spans])
    assert sorted(trace.id.tolist()) == list(range(len(spans)))
    last: dict[tuple[int, int], int] = {}
    for i in range(len(trace)):
        place = (int(trace.track[i]), int(trace.depth[i]))
        assert int(trace.start[i]) >= last.get(place, -1)
        last[place] = int(trace.end[i])


@pytest.mark.parametrize("size", [50, 200, 700])
def test_batches_give_what_the_whole_document_gives(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, size: int
) -> None:
    path = tmp_path / "trace.json"
    arrows = [
        {"ph": "s", "id": 5, "pid": 4242, "tid": 4300, "ts": 1, "cat": "ac2g", "name": '}, {"ph": "X"'},
        {
            "ph": "M",
            "name": "thread_name",
            "pid": 1,
            "tid": 1,
            "ts": 0,
            "args": {"name": '"}, {"ph": "X", "'},
        },
    ]
    whole = json.loads(framework_json(FRAMEWORK * 3, distributedInfo={"rank": 2}))
    whole["traceEvents"][5:5] = arrows
    whole["traceName"] = "x"
    path.write_text(json.dumps(whole))
    expected = neuron_nbprof.open(path).trace
    monkeypatch.setattr("neuron_nbprof.formats.chrome_document.BATCH_BYTES", size)
    found = neuron_nbprof.open(path).trace
    for column in ("start", "dur", "id", "lane", "track", "depth", "parent"):
        assert getattr(found, column).tolist() == getattr(expected, column).tolist(), column
    assert [found.name_of(row) for row in range(len(found))] == [
        expected.name_of(i) for i in range(len(expected))
    ]
    assert [found.args(row) for row in range(len(found))] == [
        expected.args(row) for row in range(len(expected))
    ]
    assert found.links.targets.tolist() == expected.links.targets.tolist()
    assert found.attributes == expected.attributes


@pytest.mark.parametrize("position", [0.2, 0.5, 0.8])
def test_damage_in_any_batch_is_repaired_like_damage_of_the_whole(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, position: float
) -> None:
    path = tmp_path / "trace.json"
    text = framework_json(FRAMEWORK * 3)
    place = text.index('"name": "', int(len(text) * position)) + len('"name": "')
    path.write_text(text[:place] + 'a "quoted" ' + text[place:])
    monkeypatch.setattr("neuron_nbprof.formats.chrome_document.BATCH_BYTES", 200)
    trace = neuron_nbprof.open(path).trace
    assert len(trace) == 3 * len(FRAMEWORK)
    assert [note.count for note in trace.notes if "quotes inside a name" in note.text] == [1]


def test_of_several_launches_with_one_id_the_last_that_had_begun_is_taken_and_said(tmp_path: Path) -> None:
    trace = write(
        tmp_path / "trace.json",
        [
            row("cudaLaunchKernel", "cuda_runtime", 10, start, 5, **{"correlation": 7, "External id": start})
            for start in (1, 40, 80)
        ]
        + [row("k", "kernel", 7, start, 3, pid=0, **{"correlation": 7}) for start in (20, 50, 90)],
    )
    links = trace.links
    starts = trace.start + 1000
    found = sorted(zip(starts[links.sources].tolist(), starts[links.targets].tolist(), strict=True))
    assert found == [(1000, 20000), (40000, 50000), (80000, 90000)]
    assert [note.count for note in trace.notes if "several causes share" in note.text] == [3]
