"""Whatever the bytes: a Trace with notes, or one sentence."""

from __future__ import annotations

import gzip
import io
import json
import random

import pyarrow.parquet as pq
from hypothesis import given, settings
from hypothesis import strategies as st

import neuron_nbprof
from neuron_nbprof.trace import Trace

from ..captures import FRAMEWORK, framework_json, system_table
from .test_folder import edges

GOOD = framework_json().encode()
EVENTS = json.loads(GOOD)["traceEvents"]


def read(data: bytes) -> Trace | None:
    """The Trace, or None where the answer was a sentence."""
    try:
        trace = neuron_nbprof.open(io.BytesIO(data)).trace
    except neuron_nbprof.ReadError as error:
        assert "\n" not in str(error)
        return None
    assert ((trace.dur >= 0) & (trace.start >= 0)).all()
    return trace


@given(st.binary(max_size=300))
def test_any_bytes(data: bytes) -> None:
    read(data)
    read(b'{"traceEvents": [' + data)
    read(b'[{"ph": "X", ' + data)


@given(st.integers(0, len(GOOD)))
def test_any_truncation_keeps_the_complete_events(length: int) -> None:
    trace = read(GOOD[:length])
    complete = GOOD[:length].count(b"}}")  # arguments and event close together
    if complete:
        assert trace is not None
        assert complete <= len(trace) <= complete + 1
        assert length == len(GOOD) or trace.notes


@given(st.integers(0, len(GOOD) - 1), st.integers(0, 255))
@settings(max_examples=300)
def test_any_changed_byte(position: int, byte: int) -> None:
    trace = read(GOOD[:position] + bytes([byte]) + GOOD[position + 1 :])
    assert trace is None or len(trace) <= len(FRAMEWORK) + 1


@given(st.integers(0, 2**32))
def test_any_order_of_events_gives_the_same_links(seed: int) -> None:
    shuffled = random.Random(seed).sample(FRAMEWORK, len(FRAMEWORK))
    expected = read(GOOD)
    found = read(framework_json(shuffled).encode())
    assert expected is not None and found is not None
    assert edges(found) == edges(expected)


@given(st.integers(0, 400), st.integers(0, 255))
def test_a_damaged_gzip(position: int, byte: int) -> None:
    packed = gzip.compress(GOOD)
    position %= len(packed)
    read(packed[:position] + bytes([byte]) + packed[position + 1 :])
    read(packed[:position])


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)
odd_events = st.fixed_dictionaries(
    {},
    optional={
        key: json_values for key in ("ph", "cat", "name", "pid", "tid", "ts", "dur", "id", "args", "bp")
    },
)


@given(st.lists(odd_events | json_values, max_size=6))
def test_any_json_in_place_of_events(events: list[object]) -> None:
    read(json.dumps({"baseTimeNanoseconds": 10**18, "traceEvents": [*EVENTS, *events]}).encode())
    read(json.dumps(events).encode())


@given(
    st.sampled_from(EVENTS),
    st.sampled_from(["ph", "cat", "name", "pid", "tid", "ts", "dur", "args"]),
    json_values,
)
def test_any_value_in_any_field(event: dict[str, object], field: str, value: object) -> None:
    read(json.dumps({"traceEvents": [*EVENTS, {**event, field: value}]}).encode())


def test_nesting_without_end_does_not_recurse() -> None:
    assert read(b"[" * 100_000) is None
    assert read(b'{"traceEvents": ' + b"[" * 100_000) is None
    deep = (
        b'{"ph": "X", "name": "a", "pid": 1, "tid": 1, "ts": 1, "dur": 1, "args": '
        + b"[" * 5000
        + b"]" * 5000
        + b"}"
    )
    trace = read(b'{"traceEvents": [' + deep + b"]}")
    assert trace is None or len(trace) <= 1


def test_any_damage_of_a_parquet_table() -> None:
    sink = io.BytesIO()
    pq.write_table(system_table(), sink)
    good = sink.getvalue()
    rng = random.Random(7)
    for _ in range(200):
        data = bytearray(good)
        data[rng.randrange(len(data))] = rng.randrange(256)
        read(bytes(data))
        read(good[: rng.randrange(len(good))])
