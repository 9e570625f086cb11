"""The fault corpus: every file gives the answer of its case; every real trace opens and links.

The folder is found through NBPROF_CORPUS and is no part of the project.
"""

from __future__ import annotations

import gzip
import json
import os
from collections import Counter
from decimal import Decimal
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import neuron_nbprof
from neuron_nbprof.analysis.ownership import device_work, ownership
from neuron_nbprof.trace import LinkRule, Trace

CORPUS = Path(os.environ.get("NBPROF_CORPUS", ""))
pytestmark = pytest.mark.skipif(
    not os.environ.get("NBPROF_CORPUS"), reason="NBPROF_CORPUS does not name the fault corpus"
)

#: file, events that remain, and the note that says what was done with its count (None: nothing to say).
FAULTS: list[tuple[str, int, tuple[str, int] | None]] = [
    ("00_good.json", 16, None),
    ("00_good.json.gz", 16, None),
    ("01_unescaped_quote.json", 16, ("quotes inside a name, escaped (near byte 106)", 1)),
    ("02_windows_backslash.json", 16, ("lone backslashes", 1)),
    ("03_control_char.json", 16, ("control characters", 1)),
    ("04_bad_utf8.json", 16, ("not UTF-8", 1)),
    ("05_raw_newline.json", 16, ("control characters", 1)),
    ("06_nan_inf.json", 15, ("whose time is missing, not a number", 1)),
    ("07_truncated.json", 12, ("the list of events is not closed, read to its end (near byte 2,462)", 1)),
    ("08_truncated.json.gz", 4, ("gzip data that ends early at byte 314", 1)),
    ("09_trailing_comma.json", 16, ("not closed", 1)),
    ("10_bom.json", 16, None),
    ("12_gz_named_json.json", 16, None),
    ("20_top_level_list.json", 16, None),
    ("21_trailing_empty_event.json", 16, ("entries that are not events", 1)),
    ("23_no_events.json", 0, None),
    ("26_args_not_object.json", 17, None),
    ("30_string_ts.json", 16, None),
    ("31_negative_duration.json", 16, ("negative durations, shown as 0", 2)),
    ("32_ts_zero.json", 16, None),
    ("33_negative_ts.json", 16, None),
    ("34_epoch_us_ns_fraction.json", 200, ("device rows but no operators", 1)),
    ("36_int64_ns.json", 15, ("beyond 64 bits of ns", 1)),
    ("37_unsorted.json", 16, None),
    ("40_overlap_on_one_track.json", 18, ("Hardware rows that no link reaches", 2)),
    ("41_python_frames_to_profile_end.json", 200, ("frames still running when the profile ended", 66)),
    ("42_deep_stack_5000.json.gz", 5000, ("frames still running when the profile ended", 2)),
    ("44_unmatched_BE.json", 2, ("begins without an end, end guessed", 1)),
    ("50_flow_finish_without_start.json", 16, None),
    ("51_flow_start_without_finish.json", 16, None),
    ("53_correlation_zero.json", 16, None),
    ("54_external_vs_correlation_collide.json", 8, None),
    ("55_no_flow_no_correlation.json", 16, ("Hardware rows that no link reaches", 4)),
    ("56_host_to_host_flow.json", 16, None),
    ("60_unicode_and_html_names.json", 16, None),
    ("61_huge_args.json.gz", 200, None),
    ("62_host_only_no_device.json", 4, ("torch.neuron.synchronize() at the end of each recorded step", 1)),
    ("63_device_only.json", 4, ("device rows but no operators", 1)),
    ("64_no_profiler_step.json", 16, None),
    ("65_steps_reset.json", 20, None),
    ("66_overhead_rows_claim_device_time.json", 21, None),
    ("68_mixed_pid_types.json", 16, None),
    ("70_rank0_of_2.json", 16, None),
    ("70_rank1_of_2.json", 16, None),
    ("71_rank_unknown.json", 16, None),
    ("80_100k_events.json.gz", 66668, None),
]
REFUSED = {
    "13_empty_file.json": "empty (0 bytes)",
    "14_html_error_page.json": "an HTML page",
    "22_events_null.json": "its traceEvents is null",
}


def fault(name: str) -> Trace:
    return neuron_nbprof.open(CORPUS / "faults" / name).trace


def test_the_table_covers_the_corpus() -> None:
    listed = {name for name, _, _ in FAULTS} | set(REFUSED)
    assert listed == {path.name for path in (CORPUS / "faults").iterdir()}


@pytest.mark.parametrize(("name", "events", "note"), FAULTS, ids=[name for name, _, _ in FAULTS])
def test_a_fault_gives_the_answer_of_its_case(name: str, events: int, note: tuple[str, int] | None) -> None:
    trace = fault(name)
    assert len(trace) == events
    if note is None:
        assert trace.notes == []
    else:
        assert [found.count for found in trace.notes if note[0] in found.text] == [note[1]]


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_read_is_named(name: str) -> None:
    with pytest.raises(neuron_nbprof.ReadError) as caught:
        fault(name)
    assert REFUSED[name] in str(caught.value)


def rules(trace: Trace) -> Counter[LinkRule]:
    return Counter(LinkRule(rule) for rule in trace.links.rule.tolist())


def operator_of(trace: Trace, name: str) -> list[str]:
    """Names of the operators that the work called ``name`` belongs to, in order of start."""
    owner = ownership(trace).operator
    return [
        trace.name_of(int(owner[row])) if owner[row] >= 0 else "" for row in trace.rows_named(name).tolist()
    ]


def test_names_are_repaired_to_what_was_meant() -> None:
    assert '{"device": "cpu"}(12): run' in fault("01_unescaped_quote.json").strings
    assert any("\\" in text for text in fault("02_windows_backslash.json").strings)
    assert any("\n" in text for text in fault("05_raw_newline.json").strings)


@pytest.mark.parametrize(
    "name",
    ["01_unescaped_quote.json", "20_top_level_list.json", "30_string_ts.json", "37_unsorted.json",
     "50_flow_finish_without_start.json", "51_flow_start_without_finish.json", "56_host_to_host_flow.json",
     "68_mixed_pid_types.json"],
)  # fmt: skip
def test_links_are_those_of_the_sound_trace(name: str) -> None:
    assert rules(fault(name)) == rules(fault("00_good.json"))


def test_times_are_those_of_the_text() -> None:
    path = CORPUS / "faults" / "34_epoch_us_ns_fraction.json"
    events = json.loads(path.read_text(), parse_float=Decimal)["traceEvents"]
    spans = sorted((int(e["ts"] * 1000), int(Decimal(e["dur"]) * 1000)) for e in events)
    trace = fault(path.name)
    base = trace.origin_ns - min(start for start, _ in spans)
    found = sorted(zip((trace.start + trace.origin_ns - base).tolist(), trace.dur.tolist(), strict=True))
    assert found == spans
    overlaps = sum(start + dur > after for (start, dur), (after, _) in pairwise(spans))
    assert int((trace.depth > 0).sum()) == overlaps


def test_overlapping_work_gets_rows_of_its_own() -> None:
    trace = fault("40_overlap_on_one_track.json")
    crowded = next(i for i, track in enumerate(trace.tracks) if "NC0:4" in track.label)
    assert sorted(trace.depth[trace.track == crowded].tolist()) == [0, 1]


def test_zero_is_no_correlation_and_a_colliding_id_is_not_believed() -> None:
    assert LinkRule.CORRELATION not in rules(fault("53_correlation_zero.json"))
    trace = fault("54_external_vs_correlation_collide.json")
    assert operator_of(trace, "mul_kernel") == ["aten::mul", "aten::mul"]


def test_overhead_is_no_device_time() -> None:
    sound, claimed = (
        neuron_nbprof.open(CORPUS / "faults" / name).summary()["device_ns"]
        for name in ("00_good.json", "66_overhead_rows_claim_device_time.json")
    )
    assert claimed == sound > 0


def kineto_traces() -> list[Path]:
    folder = CORPUS / "traces"
    return sorted(path for path in folder.rglob("*.json*") if path.is_file()) if folder.is_dir() else []


@pytest.mark.parametrize("path", kineto_traces(), ids=lambda path: path.name)
def test_a_real_trace_opens_and_loses_nothing(path: Path) -> None:
    trace = neuron_nbprof.open(path).trace
    assert len(trace) > 0
    skipped = sum(note.count for note in trace.notes)
    assert len(trace) + skipped >= complete_events(path)


def complete_events(path: Path) -> int:
    """Events with a duration by another reader, where the file is sound JSON."""
    data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    try:
        document: Any = json.loads(data)
    except ValueError:
        return 0
    events = document if isinstance(document, list) else document["traceEvents"]
    return sum(1 for event in events if isinstance(event, dict) and event.get("ph") == "X")


@pytest.mark.parametrize(
    ("name", "least"),
    [
        ("hta/trace_diff_control.json.gz", 0.99),
        ("hta/df_index_resolver.json.gz", 0.99),
        ("hta/nccl_data.json.gz", 0.9),
        ("tracelens/xdit_sd35_rank0.json.gz", 0.9),
        ("tracelens/vllm_decode_graph_execution.json.gz", 0.9),
        ("kineto/resnet50_workers0.pt.trace.json.gz", 0.9),
        ("ascend/level0_rank0_trace_view.json.gz", 0.3),
    ],
)
def test_device_rows_reach_an_operator(name: str, least: float) -> None:
    trace = neuron_nbprof.open(CORPUS / "traces" / name).trace
    work = device_work(trace)
    reached = (ownership(trace).operator[work] >= 0).mean()
    assert reached >= least


def test_a_chain_leads_from_an_operator_over_its_launch_to_its_kernel() -> None:
    profile = neuron_nbprof.open(CORPUS / "traces" / "hta" / "trace_diff_control.json.gz")
    trace = profile.trace
    for found in profile.chains("aten::sigmoid"):
        for line in found.lines:
            assert [station.lane.title for station in line.stations] == ["Dispatch", "Runtime", "Hardware"]
            assert [wait.rule for wait in line.waits] == [LinkRule.ENCLOSING, LinkRule.CORRELATION]
            assert trace.name_of(line.stations[0].rows[0]) == "aten::sigmoid"
            assert trace.name_of(line.stations[1].rows[0]) == "cudaLaunchKernel"
            assert sum(s.dur for s in line.stations) + sum(w.ns for w in line.waits) == line.total
