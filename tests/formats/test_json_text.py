"""JSON of the tools: log lines around it, numbers that JSON does not know, cut ends."""

from __future__ import annotations

import io
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from neuron_nbprof import ReadError
from neuron_nbprof.formats import json_text
from neuron_nbprof.formats.source import Source


def members(text: bytes) -> tuple[dict[str, Any], list[str]]:
    found, notes = json_text.members(Source(io.BytesIO(text)))
    return {key: bytes(value) for key, value in found.items()}, [note.text for note in notes]


def test_a_plain_document() -> None:
    assert members(b'{"a": [1, 2], "b": {"c": "}"}}') == ({"a": b"[1, 2]", "b": b'{"c": "}"}'}, [])


def test_log_lines_before_and_after() -> None:
    text = b'2026-01-01 [INFO] reading {x}\n[WARN] 3 events\n{"a": 1}\nINFO done\n[INFO] bye'
    found, notes = members(text)
    assert found == {"a": b"1"}
    assert notes == ["log lines before the JSON, skipped", "log lines after the JSON, skipped"]


def test_a_list_stands_under_no_name() -> None:
    assert members(b'[{"a": 1}]') == ({"": b'[{"a": 1}]'}, [])


def test_a_document_that_ends_early_inside_a_list() -> None:
    text = b'{"a": {"x": [1]}, "b": [{"y": "]}"}, {"y": {"z": 2}}, {"y": {"z": 3}'
    found, notes = members(text)
    assert found == {"a": b'{"x": [1]}', "b": b'[{"y": "]}"}, {"y": {"z": 2}}]'}
    assert notes == [f"the document ends early, what came before byte {text.index(b', {', 40):,} is shown"]
    assert members(b'[{"a": 1}, {"a"')[0] == {"": b'[{"a": 1}]'}


def test_a_damaged_document_keeps_its_members() -> None:
    found, notes = members(b'{"a": {"x": [1]}, "b": [{"y": "]}"}, {"y" 2}, {"y": 2}], "c": 3}')
    assert found == {"a": b'{"x": [1]}', "b": b'[{"y": "]}"}, {"y" 2}, {"y": 2}]', "c": b"3"}
    assert notes == ["damaged JSON, its complete entries are kept"]
    _, values, problems = json_text.objects(found["b"], dict[str, Any])
    assert values == [{"y": "]}"}, {"y": 2}]
    assert {note.text: note.count for note in problems} == {
        "the list is damaged or ends early, complete entries kept": 1,
        "entries that could not be read, skipped": 1,
    }


def test_numbers_that_json_does_not_know() -> None:
    texts, values, problems = json_text.objects(
        b'[{"a": NaN, "b": -Infinity, "c": "NaN"}, {"a": nan}, 7]', dict[str, Any]
    )
    assert values == [{"a": None, "b": None, "c": "NaN"}, {"a": None}]
    assert bytes(texts[0]) == b'{"a": null, "b": null, "c": "NaN"}'
    assert ("entries that could not be read, skipped", 1) in [(note.text, note.count) for note in problems]


def test_numbers_that_json_does_not_know_in_a_whole_document() -> None:
    assert members(b'{"a": [NaN, 1], "b": "inf"}') == (
        {"a": b"[null, 1]", "b": b'"inf"'},
        ["text that is not UTF-8 or numbers that are not finite, read as far as possible"],
    )


def test_bytes_that_are_not_utf8() -> None:
    _, values, problems = json_text.objects(b'[{"a": "\xff"}]', dict[str, Any])
    assert values == [{"a": "\N{REPLACEMENT CHARACTER}"}]
    assert problems[0].count == 1


def test_an_object_of_entries_is_a_list_of_them() -> None:
    assert json_text.objects(b'{"x": {"a": 1}, "y": [{"a": 2}, {"a": 3}]}', dict[str, Any])[1] == [
        {"a": 1},
        {"a": 2},
        {"a": 3},
    ]


@pytest.mark.parametrize("text", [b"words", b"[INFO] only a log", b"\x89PNG"])
def test_no_document_at_all(text: bytes) -> None:
    with pytest.raises(ReadError, match="is not JSON"):
        members(text)


def test_keys_of_a_cut_head() -> None:
    assert json_text.keys(b'log\n{"events": [{"event_type": "a", "data": {"exec') == ["events"]
    assert json_text.keys(b'[{"total_time": 1, "x": 2}, ') == ["total_time", "x"]
    assert json_text.keys(b"\xef\xbb\xbf{}") == []


@pytest.mark.parametrize(
    ("value", "expected"),
    [(7, 7), ("18446744073709551615", 2**64 - 1), ("-3", -3), (2.0, 2), (2.5, None), ("", None), (True, None),
     ("9" * 5000, None), (None, None), ([], None)],
)  # fmt: skip
def test_whole_numbers(value: Any, expected: int | None) -> None:
    assert json_text.whole(value) == expected


@pytest.mark.parametrize(
    "text",
    [
        b'{"a": ' * 50_000,
        b'{"a": "' + b'\\"' * 200_000,
        b'{"a": [' + b'"' * 200_001,
        b'{"a":[' + b'{"b":[' * 50_000,
    ],
)
def test_deep_or_endless_text_comes_to_an_end(text: bytes) -> None:
    """Quadratic time would not end while one waits, and a level of the stack for each brace would crash."""
    found, _ = json_text.members(Source(io.BytesIO(text)))
    for value in found.values():
        json_text.objects(value, dict[str, Any])
        json_text.value(value)


@given(st.binary(max_size=200))
@settings(deadline=None)
def test_any_bytes_are_walked_without_an_exception(data: bytes) -> None:
    json_text.keys(data)
    json_text.mended(data)
    json_text.objects(b"[" + data, dict[str, Any])
    try:
        json_text.members(Source(io.BytesIO(b'{"a": ' + data)))
    except ReadError as error:
        assert "\n" not in str(error)
