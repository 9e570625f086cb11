"""What cannot be read: one sentence that says what was found and what to do."""

from __future__ import annotations

import gzip
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


def test_an_empty_folder(tmp_path: Path) -> None:
    assert "it is empty" in sentence(tmp_path)


def test_raw_runtime_files_name_the_conversion(tmp_path: Path) -> None:
    (tmp_path / "ntrace.pb").write_bytes(b"\x0a\x00")
    assert "neuron-explorer view -d" in sentence(tmp_path)


@pytest.mark.parametrize("name", ["trace.json", "x.parquet", "trace.json.gz"])
def test_an_empty_file(tmp_path: Path, name: str) -> None:
    (tmp_path / name).touch()
    assert "empty" in sentence(tmp_path / name)


@pytest.mark.parametrize("keep", [0.1, 0.5, 0.99])
def test_a_cut_file(tmp_path: Path, keep: float) -> None:
    whole = framework_json()
    path = tmp_path / "trace.json"
    path.write_text(whole[: int(len(whole) * keep)])
    assert "cut or damaged" in sentence(path)


def test_a_cut_gzip(tmp_path: Path) -> None:
    whole = gzip.compress(framework_json().encode())
    path = tmp_path / "trace.json.gz"
    path.write_bytes(whole[: len(whole) // 2])
    assert "ends early" in sentence(path)


def test_a_cut_trace_in_a_folder(capture: Capture) -> None:
    out = capture(framework_json()[:300])
    with pytest.raises(ReadError, match="cut or damaged"):
        neuron_nbprof.open(out)


@pytest.mark.parametrize("text", ["<html>403 Forbidden</html>", "plain words", "\x89PNG\r\n"])
def test_another_kind_of_file(tmp_path: Path, text: str) -> None:
    path = tmp_path / "trace.json"
    path.write_text(text)
    assert "neither" in sentence(path)


def test_json_that_is_no_trace(tmp_path: Path) -> None:
    path = tmp_path / "package.json"
    path.write_text('{"name": "x"}')
    assert "traceEvents" in sentence(path)


def test_a_damaged_parquet_file(capture: Capture) -> None:
    out = capture(framework_json())
    (session,) = (path.parent for path in out.rglob("trace.json"))
    (session / "SystemProfileEvents.parquet").write_bytes(b"PAR1 but cut")
    with pytest.raises(ReadError, match="not a readable parquet"):
        neuron_nbprof.open(out)


def test_ipython_is_given_the_sentence_and_no_stack() -> None:
    assert ReadError("There is no x.")._render_traceback_() == ["ReadError: There is no x."]
