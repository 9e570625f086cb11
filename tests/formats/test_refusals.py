"""What cannot be read: one sentence that says what was found and what to do."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import pytest

import neuron_nbprof
from neuron_nbprof import ReadError

from ..captures import framework_json

Capture = Callable[..., Path]


def sentence(path: Path) -> str:
    with pytest.raises(ReadError) as caught:
        neuron_nbprof.open(path)
    text = str(caught.value)
    assert "\n" not in text
    assert str(path.name) in text
    return text


def test_a_path_that_is_not_there(tmp_path: Path) -> None:
    assert "no file or folder" in sentence(tmp_path / "nowhere")


def test_a_folder_without_a_capture(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("nothing")
    text = sentence(tmp_path)
    assert "notes.txt" in text
    assert "trace.json" in text


STEERING = "one\ntwo\x1b[31m\u202e"


@pytest.mark.parametrize("beside", [{"schemaVersion": 1}, {"system_profile_metadata": []}])
def test_names_out_of_a_file_cannot_break_the_sentence(tmp_path: Path, beside: dict[str, object]) -> None:
    path = tmp_path / "other.json"
    path.write_text(json.dumps({STEERING: 1, **beside}))
    text = sentence(path)
    assert text.isprintable() and r"one\ntwo\x1b[31m\u202e" in text


def test_names_of_files_cannot_break_it_either(tmp_path: Path) -> None:
    (tmp_path / STEERING).write_text("nothing")
    text = sentence(tmp_path)
    assert text.isprintable() and r"one\ntwo\x1b[31m\u202e" in text


def test_an_empty_folder(tmp_path: Path) -> None:
    assert "it is empty" in sentence(tmp_path)


def test_raw_runtime_files_name_the_conversion(tmp_path: Path) -> None:
    (tmp_path / "ntrace.pb").write_bytes(b"\x0a\x00")
    with pytest.raises(ReadError, match="neuron-explorer view -d"):
        neuron_nbprof.open(tmp_path)


@pytest.mark.parametrize("name", ["trace.json", "x.parquet", "trace.json.gz"])
def test_an_empty_file(tmp_path: Path, name: str) -> None:
    (tmp_path / name).touch()
    assert "empty" in sentence(tmp_path / name)


def test_a_file_cut_before_its_first_event(tmp_path: Path) -> None:
    path = tmp_path / "trace.json"
    path.write_text(framework_json()[:100])
    assert "before its first event" in sentence(path)


def test_a_gzip_cut_before_its_first_event(tmp_path: Path) -> None:
    path = tmp_path / "trace.json.gz"
    path.write_bytes(gzip.compress(framework_json().encode())[:40])
    assert "ends early at byte 40" in sentence(path)


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"<html>403 Forbidden</html>", "an HTML page"),
        (b"\n <!DOCTYPE html><html>", "an HTML page"),
        (b"plain words", "a text file"),
        (b"\x89PNG\r\n\x1a\n", "a picture"),
        (b"\x00\x01\x02", "a binary file"),
        (b"\x1f\x8bnot gzip at all", "gzip data that is damaged"),
    ],
)
def test_another_kind_of_file_is_named(tmp_path: Path, data: bytes, kind: str) -> None:
    path = tmp_path / "trace.json"
    path.write_bytes(data)
    assert kind in sentence(path)


def test_a_choice_that_no_capture_meets(capture: Capture) -> None:
    out = capture(framework_json(distributedInfo={"rank": 3}))
    with pytest.raises(ReadError, match="no capture with rank 7; it has rank 3, pid 4242"):
        neuron_nbprof.open(out, rank=7)


def test_an_empty_list_of_files() -> None:
    with pytest.raises(ReadError, match="list of files is empty"):
        neuron_nbprof.open([])


def test_json_that_is_no_trace(tmp_path: Path) -> None:
    path = tmp_path / "package.json"
    path.write_text('{"name": "x"}')
    assert "a JSON document of another kind" in sentence(path)
    path.write_text('{"schemaVersion": 1, "name": "x"}')
    assert "without a traceEvents list" in sentence(path)


def test_events_that_are_no_list(tmp_path: Path) -> None:
    path = tmp_path / "trace.json"
    path.write_text('{"traceEvents": null}')
    assert "its traceEvents is null" in sentence(path)


def test_a_damaged_parquet_file(capture: Capture) -> None:
    out = capture(framework_json())
    (session,) = (path.parent for path in out.rglob("trace.json"))
    (session / "SystemProfileEvents.parquet").write_bytes(b"PAR1 but cut")
    with pytest.raises(ReadError, match="not a readable parquet"):
        neuron_nbprof.open(out)


def test_ipython_is_given_the_sentence_and_no_stack() -> None:
    assert ReadError("There is no x.")._render_traceback_() == ["ReadError: There is no x."]


def test_a_file_that_unfolds_beyond_the_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "trace.json.gz"
    path.write_bytes(gzip.compress(b'{"traceEvents": [' + b" " * 5_000_000 + b"]}"))
    monkeypatch.setattr("neuron_nbprof.formats.source.LIMITS.unpacked_bytes", 1_000_000)
    assert "unfolds to more than 1,000,000 bytes" in sentence(path)
