"""Parquet tables of a profile: split, foreign, missing, damaged."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from neuron_nbprof import ReadError
from neuron_nbprof.formats import explorer_tables, percent, source


def write(folder: Path, name: str, **columns: list[object]) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.parquet"
    pq.write_table(pa.table(columns), path)
    return path


def test_tables_by_name(tmp_path: Path) -> None:
    write(tmp_path, "Summary", total_time=[0.5], brand_new_column=[1])
    write(tmp_path, "Brand_New2Table", x=[1])
    write(tmp_path, "DmaPacket", id=[1])
    write(tmp_path, "DmaPacketAggregated", id=[2, 3])
    (tmp_path / "notes.txt").touch()
    found = explorer_tables.tables(tmp_path)
    assert list(found) == ["Brand_New2Table", "DmaPacket", "DmaPacketAggregated", "Summary"]
    assert found["DmaPacket"]["id"].to_pylist() == [1]
    assert found["DmaPacketAggregated"]["id"].to_pylist() == [2, 3]
    assert found["Summary"].column_names == ["total_time", "brand_new_column"]
    assert found.get("Instruction") is None
    assert "Instruction" not in found
    with pytest.raises(KeyError):
        found["Instruction"]


def test_split_tables_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    for part in (10, 0, 2):
        write(tmp_path, f"Instruction_{part}", id=[(1 << 62) + part])
    write(tmp_path, "Instruction_11", id=[7], added=["x"])
    table = explorer_tables.tables(tmp_path)["Instruction"]
    assert table["id"].to_pylist() == [(1 << 62), (1 << 62) + 2, (1 << 62) + 10, 7]
    assert table["added"].to_pylist() == [None, None, None, "x"]


def test_a_table_is_read_when_it_is_asked_for(tmp_path: Path) -> None:
    (tmp_path / "Broken.parquet").write_bytes(b"PAR1 but cut")
    write(tmp_path, "Good", x=[1])
    found = explorer_tables.tables(tmp_path)
    assert found["Good"] is found["Good"]
    with pytest.raises(ReadError, match=r"Broken\.parquet is not a readable parquet file"):
        found["Broken"]


def test_parts_that_do_not_fit(tmp_path: Path) -> None:
    write(tmp_path, "T_0", x=[1])
    write(tmp_path, "T_1", x=[["a"]])
    with pytest.raises(ReadError, match="do not fit together"):
        explorer_tables.tables(tmp_path)["T"]


def test_a_table_over_the_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, "T", x=list(range(1000)))
    monkeypatch.setattr(source.LIMITS, "unpacked_bytes", 100)
    with pytest.raises(ReadError, match="over the limit of 100"):
        explorer_tables.tables(tmp_path)["T"]


@pytest.mark.parametrize("version", ["7.4.0", "12.0.1"])
def test_schema_version(tmp_path: Path, version: str) -> None:
    write(tmp_path, "Metadata", profile_schema_version=[version])
    assert explorer_tables.schema_version(tmp_path) == version


def test_no_schema_version(tmp_path: Path) -> None:
    assert explorer_tables.schema_version(tmp_path) == ""
    write(tmp_path, "Metadata", ntff_version=[5])
    assert explorer_tables.schema_version(tmp_path) == ""


def test_find_folders(tmp_path: Path) -> None:
    profiles = tmp_path / "profiles" / "global"
    write(profiles / "run_i-0_pid_1_nc_10_session_0@latest", "Instruction", id=[1])
    write(profiles / "run_i-0_pid_1_nc_9_session_0@latest", "Summary", total_time=[1.0])
    write(profiles / "run@latest", "SystemProfileEvents_0", id=[1])
    write(profiles / "odd", "Odd", id=[1])
    (profiles / "nothing@latest").mkdir()
    assert [(one.name, one.kind) for one in explorer_tables.find_folders(tmp_path)] == [
        ("run", "system"),
        ("odd", "unknown"),
        ("run_i-0_pid_1_nc_9_session_0", "device"),
        ("run_i-0_pid_1_nc_10_session_0", "device"),
    ]
    assert explorer_tables.find_folders(tmp_path / "nowhere") == []


def test_percent_scales_of_a_table(tmp_path: Path) -> None:
    write(
        tmp_path, "Summary", mfu_percent=[0.0628], sbuf_util_percent=[62.8], odd_percent=[25300.0], time=[3.0]
    )
    frame = explorer_tables.tables(tmp_path)["Summary"].to_pandas()
    assert percent.scales(frame) == {
        "mfu_percent": percent.FRACTION,
        "sbuf_util_percent": percent.PERCENT,
        "odd_percent": percent.BEYOND,
    }
    assert percent.scale([float("nan"), None]) == percent.UNKNOWN


@given(st.data())
@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_damage_is_a_table_or_a_sentence(tmp_path: Path, data: st.DataObject) -> None:
    whole = write(tmp_path, "T", x=[1, 2, 3], y=["a", "b", None]).read_bytes()
    position = data.draw(st.integers(0, len(whole) - 1))
    changed = whole[:position] + bytes([data.draw(st.integers(0, 255))]) + whole[position + 1 :]
    (tmp_path / "T.parquet").write_bytes(changed[: data.draw(st.sampled_from([len(whole), position]))])
    try:
        assert explorer_tables.tables(tmp_path)["T"].num_rows >= 0
    except ReadError as error:
        assert "\n" not in str(error)
