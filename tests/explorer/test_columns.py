"""The codec: what is encoded comes back exactly; a golden file holds the TypeScript decoder to it."""

from __future__ import annotations

import base64
import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from neuron_nbprof.explorer import columns
from neuron_nbprof.explorer.colours import FAMILIES, PLAIN, WAITING, colour_number, operator_colours
from neuron_nbprof.explorer.columns import Encoded, encode
from neuron_nbprof.trace import Counter, LinkRule

from .traces import COUNTERS, EDGES, EVENTS, FakeProfile, trace_of

GOLDEN = Path(__file__).parent.parent / "golden" / "columns.json"


def column(encoded: Encoded, name: str) -> list[int]:
    dtype, offset, length = encoded.meta["columns"][name]
    return np.frombuffer(encoded.block, f"<{dtype}", length, offset).tolist()


def decode_starts(encoded: Encoded) -> list[int]:
    offsets, bases = column(encoded, "start"), column(encoded, "block_base")
    ends = [*column(encoded, "block_row"), len(offsets)][1:]
    found: list[int] = []
    for base, end in zip(bases, ends, strict=True):
        found += [base + offset for offset in offsets[len(found) : end]]
    return found


def decode_durations(encoded: Encoded) -> list[int]:
    found = column(encoded, "dur")
    for row, dur in zip(column(encoded, "long_row"), column(encoded, "long_dur"), strict=True):
        assert found[row] == 2**32 - 1
        found[row] = dur
    return found


@pytest.fixture(scope="module")
def encoded() -> Encoded:
    return encode(FakeProfile(trace_of(counters=COUNTERS)))


def test_times_come_back_exactly(encoded: Encoded) -> None:
    assert decode_starts(encoded) == [event[2] for event in EVENTS]
    assert decode_durations(encoded) == [event[3] for event in EVENTS]


def test_a_block_ends_where_32_bits_do_not_reach(encoded: Encoded) -> None:
    # Rows 0 to 3 share a display row, and each begins 2^32 ns or more after the one before.
    assert column(encoded, "block_row") == [0, 1, 2, 3, 4, 5, 6, 7, 8]
    close = [(0, 0, 2**40, 1, 0, "a", "cpu_op", b"{}"), (0, 0, 2**40 + 2**32 - 1, 1, 1, "a", "cpu_op", b"{}")]
    pair = encode(FakeProfile(trace_of(close, [])))
    assert column(pair, "block_row") == [0]
    assert decode_starts(pair) == [2**40, 2**40 + 2**32 - 1]


def test_ids_names_and_arguments_come_back(encoded: Encoded) -> None:
    strings = encoded.meta["strings"]
    assert column(encoded, "id") == [event[4] for event in EVENTS]
    assert [strings[i] for i in column(encoded, "name")] == [event[5] for event in EVENTS]
    assert [strings[i] for i in column(encoded, "category")] == [event[6] for event in EVENTS]
    texts, places = bytes(column(encoded, "args")), column(encoded, "args_offsets")
    assert [texts[a:b] for a, b in pairwise(places)] == [event[7] for event in EVENTS]


def test_links_come_back_with_64_bit_keys(encoded: Encoded) -> None:
    offsets = column(encoded, "edge_offsets")
    sources = [row for row in range(len(EVENTS)) for _ in range(offsets[row], offsets[row + 1])]
    rest = [column(encoded, f"edge_{name}") for name in ("targets", "rule", "key")]
    assert list(zip(sources, *rest, strict=True)) == [tuple(edge) for edge in EDGES]


def test_every_depth_of_a_track_is_a_display_row(encoded: Encoded) -> None:
    assert [track["rows"] for track in encoded.meta["tracks"]] == [2, 1, 1, 1]
    assert column(encoded, "row_ptr") == [0, 4, 5, 6, 7, 9]


def test_a_depth_without_events_keeps_its_row() -> None:
    events = [(0, 2, 0, 1, 0, "a", "cpu_op", b"{}")]
    encoded = encode(FakeProfile(trace_of(events, [])))
    assert encoded.meta["tracks"][0]["rows"] == 3
    assert column(encoded, "row_ptr") == [0, 0, 0, 1, 1, 1, 1]


def test_columns_are_aligned_and_small() -> None:
    count = 1_000
    events = [(0, 0, 10 * i, 5, i, f"op{i % 300}", "cpu_op", b"{}") for i in range(count)]
    encoded = encode(FakeProfile(trace_of(events, [])))
    places = encoded.meta["columns"]
    assert all(offset % 8 == 0 for _, offset, _ in places.values())
    per_event = sum(int(places[name][0][1]) for name in ("start", "dur", "name", "category", "id", "colour"))
    assert per_event <= 20
    assert len(places["block_row"]) < count / 100


def test_counters_travel_exactly_with_what_they_are(encoded: Encoded) -> None:
    assert encoded.meta["counters"][1] == {
        "label": "host CPU", "unit": "%", "source": "by hand", "span_ns": 10**9, "instance": "i-1",
        "process": "42", "samples": 1, "left_out": 0,
    }  # fmt: skip
    assert column(encoded, "counter_time") == [-4_000, 2**33 + 5, 2**32]
    assert column(encoded, "counter_value") == [2**40 + 1, 0, 12.25]
    assert encode(FakeProfile(trace_of())).meta["counters"] == []


def test_samples_too_far_to_be_exact_stay_behind_and_are_counted() -> None:
    far = Counter("far", "", "", np.array([0, 2**60]), np.array([1, 2]))
    encoded = encode(FakeProfile(trace_of(counters=[far])))
    assert column(encoded, "counter_time") == [0]
    assert [encoded.meta["counters"][0][key] for key in ("samples", "left_out")] == [1, 1]


def test_copies_become_a_counter_of_the_page() -> None:
    events = [(2, 0, 0, 1_000, 0, "nrta_tensor_write", "neuron_rt", b'{"size": 5000}')]
    (counter,) = encode(FakeProfile(trace_of(events, []))).meta["counters"]
    assert counter["label"] == "modelled host \u2192 device, NC:0" and counter["unit"] == "B/s"


def test_an_empty_trace_is_encoded() -> None:
    encoded = encode(FakeProfile(trace_of([], []), ()))
    assert decode_starts(encoded) == decode_durations(encoded) == []
    assert encoded.meta["operators"] == []


def test_events_too_far_apart_are_drawn_at_the_edge_and_told_exactly() -> None:
    # A thousand events now, one at the origin of Unix time, and one that lasts for 200 days.
    now, day = 1_790_857_026_000_000_000, 86_400 * 10**9
    events = [(0, 0, 0, 5, 0, "lost", "cpu_op", b"{}")]
    events += [(0, 0, now + 10 * i, 7, 1 + i, "a", "cpu_op", b"{}") for i in range(1000)]
    events += [(1, 0, now + 5, 200 * day, 2000, "endless", "cpu_op", b"{}")]
    encoded = encode(FakeProfile(trace_of(events, [])))
    starts, durations = decode_starts(encoded), decode_durations(encoded)
    origin = int(encoded.meta["origin_ns"]) - trace_of().origin_ns
    assert [origin + start for start in starts[1:]] == [event[2] for event in events[1:]]
    assert starts[0] == -(2**53 - 1) and durations[:2] == [0, 7]
    assert starts[-1] + durations[-1] == 2**53 - 1
    exact = [[row, int(start) + origin, int(dur)] for row, start, dur in encoded.meta["clamped"]]
    assert exact == [[0, 0, 5], [1001, now + 5, 200 * day]]
    assert encoded.meta["notes"][-1] == {
        "text": "events more than 104 days from the others, drawn at the edge of the time axis", "count": 2,
    }  # fmt: skip


def test_arguments_beyond_a_limit_stay_behind_and_are_said_to(monkeypatch: pytest.MonkeyPatch) -> None:
    events = [(0, 0, 10 * i, 5, i, "a", "cpu_op", b'{"n": 1}') for i in range(10)]
    monkeypatch.setattr(columns, "MOST_ARGS", 30)
    encoded = encode(FakeProfile(trace_of(events, [])))
    assert encoded.meta["args_until"] == 3
    assert column(encoded, "args_offsets") == [0, 8, 16, 24]
    monkeypatch.setattr(columns, "MOST_ARGS", 80)
    assert encode(FakeProfile(trace_of(events, []))).meta["args_until"] is None


def test_the_source_of_the_cell_travels_where_the_capture_has_it() -> None:
    def cell(attributes: dict[str, Any]) -> str | None:
        return encode(FakeProfile(trace_of(attributes=attributes))).meta["cell"]

    assert cell({"capture": {"source": "y = x * x\n"}}) == "y = x * x\n"
    assert [cell(attributes) for attributes in ({}, {"capture": None}, {"capture": {"source": " "}})] == [
        None, None, None,
    ]  # fmt: skip


def test_an_operator_hands_its_colour_on_to_all_it_causes(encoded: Encoded) -> None:
    mul, add = 1, 2
    assert column(encoded, "colour") == [mul, PLAIN, add, add, mul, mul, mul, mul, PLAIN]
    assert [(row["name"], row["colour"]) for row in encoded.meta["operators"]] == [
        ("aten::mul", mul), ("aten::add", add), ("aten::mean", PLAIN),
    ]  # fmt: skip


def test_colours_go_by_name_and_are_kept_for_work_on_the_device() -> None:
    times = {"aten::mul": 5.0, "neuron::synchronize": 0.0, "aten::add": 0.0}
    assert operator_colours(times) == {"aten::mul": 1, "neuron::synchronize": WAITING, "aten::add": PLAIN}
    assert operator_colours({"aten::add": 0.0, "aten::mul": 0.0}) == {"aten::add": 2, "aten::mul": 1}
    many = operator_colours({str(i): 1.0 for i in range(600)})
    assert set(many.values()) == set(range(1, 25))
    assert all(number == operator_colours({name: 9.0})[name] for name, number in many.items())


def test_operators_that_stand_side_by_side_have_hues_of_their_own() -> None:
    together = ["aten::mul", "aten::mean", "aten::add", "aten::rsqrt", "aten::mm", "aten::_softmax"]
    assert len({colour_number(name) % 8 for name in together}) == len(together)
    all_known = [f"aten::{name}" for family in FAMILIES for name in family]
    assert len(set(all_known)) == len(all_known)
    assert {colour_number(name) for name in all_known} == set(range(1, 25))


def test_meta_is_json_and_numbers_that_are_none_stay_out(encoded: Encoded) -> None:
    meta = json.loads(json.dumps(encoded.meta, allow_nan=False))
    assert meta["origin_ns"] == "1790857026000000123"
    assert meta["simulated"] is True
    assert meta["rules"][LinkRule.EXTERNAL_ID] == {
        "text": "External id", "owner": True, "guessed": False,
    }  # fmt: skip
    assert meta["notes"] == [{"text": "a repaired row", "count": 2}]
    assert meta["summary"]["busy_share"] is None


def expected() -> dict[str, Any]:
    """What a decoder must find, as JSON can say it exactly."""
    return {
        "start": [str(event[2]) for event in EVENTS],
        "dur": [str(event[3]) for event in EVENTS],
        "name": [event[5] for event in EVENTS],
        "category": [event[6] for event in EVENTS],
        "id": [event[4] for event in EVENTS],
        "colour": [1, 0, 2, 2, 1, 1, 1, 1, 0],
        "row_ptr": [0, 4, 5, 6, 7, 9],
        "edges": [[edge.source, edge.target, int(edge.rule), str(edge.key)] for edge in EDGES],
        "args": [event[7].decode() for event in EVENTS],
        "samples": [
            [counter.label, [str(time) for time in counter.time.tolist()], counter.value.tolist()]
            for counter in COUNTERS
        ],
    }


def test_the_golden_file_of_the_typescript_decoder_is_what_python_writes(encoded: Encoded) -> None:
    golden = json.loads(GOLDEN.read_text())
    for key in ("strings", "tracks", "columns", "counters", "graphs"):
        assert golden["meta"][key] == encoded.meta[key]
    assert golden["meta"]["rules"] == [{"owner": rule["owner"]} for rule in encoded.meta["rules"]]
    assert base64.b64decode(golden["block"]) == encoded.block
    assert golden["expected"] == expected()
