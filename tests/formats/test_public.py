"""The calls of the package's face that show more than a timeline."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import neuron_nbprof

from ..captures import framework_json, system_table

Capture = Callable[..., Path]


def test_tables_of_a_folder_are_read_when_asked_for(tmp_path: Path) -> None:
    folder = tmp_path / "profiles" / "global" / "run@latest"
    folder.mkdir(parents=True)
    pq.write_table(pa.table({"engine": ["Tensor"], "new_column": [1]}), folder / "ActiveTime_0.parquet")
    pq.write_table(pa.table({"engine": ["Vector"], "new_column": [2]}), folder / "ActiveTime_1.parquet")
    (folder / "Broken.parquet").write_bytes(b"PAR1")
    tables = neuron_nbprof.tables(tmp_path)
    assert list(tables) == ["ActiveTime", "Broken"]
    assert tables["ActiveTime"].to_pydict() == {"engine": ["Tensor", "Vector"], "new_column": [1, 2]}
    with pytest.raises(neuron_nbprof.ReadError):
        tables["Broken"]


def test_of_several_folders_of_tables_one_has_to_be_named(tmp_path: Path) -> None:
    for name in ("a@latest", "b@latest"):
        (tmp_path / name).mkdir()
        pq.write_table(pa.table({"x": [1]}), tmp_path / name / "Summary.parquet")
    with pytest.raises(neuron_nbprof.ReadError, match="2 folders of tables"):
        neuron_nbprof.tables(tmp_path)
    assert list(neuron_nbprof.tables(tmp_path / "a@latest")) == ["Summary"]


def test_tables_of_a_json_summary(tmp_path: Path) -> None:
    path = tmp_path / "summary.json"
    path.write_text(json.dumps({"n_0123": {"total_time": 3.1322, "mfu_estimated_percent": 0.0628}}))
    (table,) = neuron_nbprof.tables(path).values()
    assert table["total_time"].tolist() == [3.1322]


def test_pairs_name_the_executions_of_a_program(capture: Capture) -> None:
    out = capture(framework_json(), system_table())
    (session,) = (path.parent for path in out.rglob("trace.json"))
    (session / "neff_605291374318702_vnc_0.neff").write_bytes(b"\0" * 2048)
    (session / "605291374318702_vnc_0.ntff").touch()
    row = neuron_nbprof.pairs(out).iloc[0]
    assert row["model_id"] == 605291374318702
    assert row["executions"] == 4  # two, on two physical cores
    assert row["state"]


def test_the_schema_of_the_tables_is_told(capture: Capture) -> None:
    out = capture(framework_json(), system_table())
    (session,) = (path.parent for path in out.rglob("trace.json"))
    pq.write_table(pa.table({"profile_schema_version": ["12.0.1"]}), session / "Metadata.parquet")
    trace = neuron_nbprof.open(out).trace
    assert trace.attributes["explorer_schema"] == "12.0.1"
    assert "tables of Neuron Explorer, schema 12.0.1" in [note.text for note in trace.notes]


def test_a_large_file_says_its_size_first(
    capture: Capture, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("neuron_nbprof.formats.folder.LARGE_BYTES", 100)
    out = capture(framework_json())
    neuron_nbprof.open(out)
    assert "reading" in capsys.readouterr().out
    neuron_nbprof.open(out, progress=False)
    assert capsys.readouterr().out == ""


def test_a_bar_is_shown_for_what_takes_long(
    capture: Capture, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("neuron_nbprof.formats.progress.BYTES_BEFORE_A_BAR", 0)
    monkeypatch.setattr("neuron_nbprof.formats.progress.SECONDS_BEFORE_A_BAR", 0)
    out = capture(framework_json())
    neuron_nbprof.open(out)
    assert "reading" in "".join(capsys.readouterr())  # in a notebook the bar is a widget, else on stderr
    neuron_nbprof.open(out, progress=False)
    assert "".join(capsys.readouterr()) == ""
