"""The raw system trace by its wire: messages are put together here, field by field."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from neuron_nbprof import ReadError
from neuron_nbprof.formats import ntrace, protobuf
from neuron_nbprof.formats.source import Source
from neuron_nbprof.trace import Rows

from .reading import BASE, outcome, table

SEQUENCE = 1_407_374_883_553_287
MODEL = 605_291_374_318_702


def varint(value: int) -> bytes:
    out = b""
    while value > 0x7F:
        out += bytes([value & 0x7F | 0x80])
        value >>= 7
    return out + bytes([value])


def number(field: int, value: int) -> bytes:
    return varint(field << 3) + varint(value) if value else b""


def inner(field: int, value: bytes) -> bytes:
    return varint(field << 3 | 2) + varint(len(value)) + value


def event(
    kind: int, phase: int, time: int, tracking: int, sequence: int = 0, field: int = 16, **attributes: Any
) -> bytes:
    pairs = b"".join(
        inner(12, inner(1, key.encode()) + inner(2, str(value).encode())) for key, value in attributes.items()
    )
    return (
        number(1, time) + number(4, 0) + number(5, kind) + number(8, 4300) + number(9, tracking * 10) + pairs
        + number(13, phase) + number(14, tracking) + number(field, sequence)
    )  # fmt: skip


START, STOP, INSTANT = 1, 2, 3


def trace(root_field: int = 3, sequence_field: int = 16) -> bytes:
    """nrt_model_submit (22), then nc_exec_running (7) on the device's clock, then a sync point (25).

    Device time 1,000 is BASE + 500,000 - 9,000 + 1,000 = BASE + 492,000 on the host's.
    """
    events = [
        event(22, START, BASE + 100_000, 1, SEQUENCE, sequence_field, model_id=MODEL),
        event(22, STOP, BASE + 130_000, 1),
        event(7, START, 1_000, 2, exec_id=2, model_id=MODEL, device_core_idx=4, nc_timestamp_ns=1_000),
        event(7, STOP, 6_000, 2, nc_timestamp_ns=6_000),
        event(25, INSTANT, 9_000, 0, exec_id=2, nc_timestamp_ns=9_000, cpu_timestamp_ns=BASE + 500_000),
    ]
    names = inner(2, number(1, MODEL) + inner(2, b"model.neff")) + inner(2, number(1, 7) + inner(2, b"other"))
    root = number(1, 4242) + inner(2, names) + b"".join(inner(root_field, one) for one in events)
    return root + number(9, 2)


EXPECTED = {
    ("neuron_rt/NC:0", "nrt_model_submit", 100_000, 30_000),
    ("neuron_hw/NC0:4", "nc_exec_running", 492_000, 5_000),
    ("neuron_hw/NC0:0", "timestamp_sync_point", 500_000, 0),
}


def read(data: bytes) -> Rows:
    return ntrace.read(Source(io.BytesIO(data)))


@pytest.mark.parametrize("root_field", [1, 3, 15])
@pytest.mark.parametrize("sequence_field", [15, 16])
def test_events_are_found_under_any_root_number(root_field: int, sequence_field: int) -> None:
    data = trace(root_field, sequence_field)
    assert ntrace.recognises(data[:4096])
    rows = read(data)
    assert table(rows) == EXPECTED
    assert SEQUENCE in rows.sequence.tolist()
    assert rows.attributes["ntrace"] == {
        "events_field": root_field,
        "nrta_seq_id_field": sequence_field,
        "numbers": {"1": 4242, "9": 2},
    }


def test_it_says_that_it_is_experimental() -> None:
    rows = read(trace())
    assert "experimental" in rows.attributes["experimental"]
    assert [note.text for note in rows.notes] == [rows.attributes["experimental"]]


def test_interned_names_of_models() -> None:
    args = [json.loads(bytes(text)) for text in read(trace()).args]
    assert [one.get("model_name") for one in args] == ["model.neff", "model.neff", None]
    assert args[0]["model_id"] == MODEL


def test_an_unknown_event_type_is_shown_by_its_number() -> None:
    assert table(read(inner(1, event(99, INSTANT, BASE + 1, 5)))) == {
        ("neuron_rt/NC:0", "event type 99", 1, 0)
    }


def test_an_event_with_a_duration_is_whole() -> None:
    data = inner(1, event(1, 0, BASE + 5, 1) + number(7, 40))
    assert table(read(data)) == {("neuron_rt/NC:0", "nrt_load", 5, 40)}


@pytest.mark.parametrize(
    "data", [b"\x0a\x03abc", b"\xff\xff\xff", b"plain words", inner(1, inner(2, b"name"))]
)
def test_what_does_not_fit_is_opaque_and_never_corrupt(data: bytes, tmp_path: Path) -> None:
    path = tmp_path / "ntrace.pb"
    path.write_bytes(data)
    with pytest.raises(ReadError, match="opaque") as caught:
        ntrace.read(Source(path))
    assert f"neuron-explorer view -d {tmp_path}" in str(caught.value)
    assert "corrupt" not in str(caught.value)
    assert not ntrace.recognises(data)


def test_the_process_is_that_of_the_folder(tmp_path: Path) -> None:
    folder = tmp_path / "i-0a_pid_77"
    folder.mkdir()
    (folder / "ntrace.pb").write_bytes(trace())
    assert set(ntrace.read(Source(folder / "ntrace.pb")).scope.tolist()) == {77}


def test_texts_of_trace_info() -> None:
    listed = inner(1, b"profile_nc_0_session_0.ntff") + number(2, 1)
    data = inner(1, b"i-0123456789abcdef0") + number(2, 5) + inner(3, listed)
    assert ntrace.info_texts(Source(io.BytesIO(data))) == [
        "i-0123456789abcdef0",
        "profile_nc_0_session_0.ntff",
    ]


@pytest.mark.parametrize("head", [b'{"traceEvents": []}', b"[]", b"PAR1", b"\x1f\x8b", b"", b"<html>"])
def test_other_files_are_not_recognised(head: bytes) -> None:
    assert not ntrace.recognises(head)


def test_wire_types() -> None:
    data = number(1, 300) + b"\x11" + bytes(range(8)) + inner(3, b"ab") + b"\x25\x01\x00\x00\x00"
    assert protobuf.message(data) == [
        (1, 0, 300),
        (2, 1, 0x0706050403020100),
        (3, 2, b"ab"),
        (4, 5, 1),
    ]


@pytest.mark.parametrize(
    "tail", [b"\x00", b"\x08", b"\x0b", b"\x0a\x05ab", b"\x09\x01", b"\x0d\x01", b"\x08" + b"\xff" * 10]
)
def test_a_walk_ends_where_no_field_begins(tail: bytes) -> None:
    assert protobuf.walk(number(1, 7) + tail) == protobuf.Message([(1, 0, 7)], 2)
    assert protobuf.message(number(1, 7) + tail) is None


WHOLE = trace()


@given(st.binary(max_size=300))
@settings(deadline=None)
def test_any_bytes(data: bytes) -> None:
    outcome(read, data)
    outcome(read, WHOLE + data)
    ntrace.recognises(data)
    protobuf.texts(data)


@given(st.integers(0, len(WHOLE)))
@settings(deadline=None)
def test_any_truncation(length: int) -> None:
    rows = outcome(read, WHOLE[:length])
    if rows is not None and length < len(WHOLE) - 2:
        assert rows.attributes["experimental"]
        assert len(rows) <= len(EXPECTED)


@given(st.integers(0, len(WHOLE) - 1), st.integers(0, 255))
@settings(deadline=None, max_examples=400)
def test_any_changed_byte(position: int, byte: int) -> None:
    outcome(read, WHOLE[:position] + bytes([byte]) + WHOLE[position + 1 :])


def test_messages_nested_without_end_are_bounded() -> None:
    data = b"\x01"
    for _ in range(3_000):
        data = inner(1, data)
    assert protobuf.texts(data) == []
