"""The command line: what each verb prints, for people and for scripts, and its exit codes."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest
from click.testing import CliRunner, Result

import neuron_nbprof
from neuron_nbprof.cli import main, verbs

EXAMPLES = Path(neuron_nbprof.__file__).parent / "examples"
NAIVE, FUSED, COMPILED = (str(EXAMPLES / name) for name in neuron_nbprof.RMSNORMS)


def run(*words: str, code: int = 0, env: dict[str, str] | None = None) -> Result:
    result = CliRunner().invoke(verbs, list(words), env=env, prog_name="neuron-nbprof")
    assert result.exit_code == code, result.output
    return result


def test_summary_prints_what_print_profile_prints() -> None:
    assert run("summary", NAIVE).output.strip() == str(neuron_nbprof.open(NAIVE))
    assert run("summary", NAIVE, FUSED).output.count("SIMULATED ·") == 2


def test_summary_of_one_kind_by_shape() -> None:
    lines = run("summary", NAIVE, "--where", "compute", "--group-by", "name+shape").output.splitlines()
    assert lines[0].split()[:3] == ["name", "shapes", "kind"]
    assert [line.split()[0] for line in lines[1:]] == [
        f"aten::{name}" for name in ("add", "rsqrt", "mul", "mul", "mul", "mean")
    ]


def test_summary_for_scripts() -> None:
    (answer,) = json.loads(run("summary", NAIVE, "--json", "--top", "2").output)
    assert answer["summary"]["executions"] == 6 and answer["simulated"] is True
    assert [row["name"] for row in answer["operators"]] == ["aten::mul", "aten::add"]
    assert answer["insights"][0]["id"] == "fusable-pattern"
    assert answer["gaps"][0]["core"] == "neuron_hw/NC0:4"


def test_chain_prints_stations_and_waits() -> None:
    lines = run("chain", NAIVE, "aten::mul", "1").output.splitlines()
    assert [line.split()[0] for line in lines[1:]] == [
        "Dispatch",
        "wait",
        "Runtime",
        "wait",
        "Hardware",
        "total",
    ]
    answer = json.loads(run("chain", NAIVE, "aten::mul", "1", "--json").output)
    (submission,) = answer["submissions"]
    parts = [s["dur_ns"] for s in submission["stations"]] + [w["ns"] for w in submission["waits"]]
    assert sum(parts) == submission["total_ns"]


def test_compare_says_it_in_words() -> None:
    output = run("compare", NAIVE, FUSED, COMPILED).output
    assert "6 executions became 1" in output and "No winner between" in output
    assert len(json.loads(run("compare", NAIVE, FUSED, "--json").output)["table"]) == 2


def test_check_fails_a_build() -> None:
    limits = ("--max-executions", "1", "--max-device-us", "500")
    assert run("check", FUSED, COMPILED, *limits).output.count("ok ") == 4
    output = run("check", NAIVE, FUSED, *limits, code=1).output
    assert "FAIL SIMULATED rmsnorm_naive: 6 executions, at most 1 allowed" in output
    (answer,) = json.loads(
        run("check", NAIVE, "--max-executions", "6", "--max-copies", "0", "--json", code=1).output
    )
    assert [(line["check"], line["ok"]) for line in answer["checks"]] == [
        ("max_executions", True), ("max_copies", False),
    ]  # fmt: skip
    assert "fusable" not in run("check", NAIVE, "--fail-on", "error").output
    assert "6 executions can be one" in run("check", NAIVE, "--fail-on", "warning", code=1).output


def test_check_does_not_pass_a_capture_in_which_nothing_ran(tmp_path: Path) -> None:
    trace = tmp_path / "trace.json"
    row = {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": 1, "dur": 1}
    trace.write_text(json.dumps({"schemaVersion": 1, "traceEvents": [row]}))
    assert "nothing reached the hardware" in run("check", str(trace), "--max-executions", "1", code=1).output


@pytest.mark.parametrize("suffix", ["parquet", "csv", "json"])
def test_convert_writes_a_row_per_event(suffix: str, tmp_path: Path) -> None:
    out = tmp_path / f"events.{suffix}"
    run("convert", NAIVE, str(out))
    table = {"parquet": pd.read_parquet, "csv": pd.read_csv, "json": pd.read_json}[suffix](out)
    events = neuron_nbprof.open(NAIVE).events
    assert (
        table[["id", "start_ns", "dur_ns"]].values.tolist()
        == events[["id", "start_ns", "dur_ns"]].values.tolist()
    )
    assert table["name"].tolist() == events["name"].tolist() and table["simulated"].all()


def test_view_writes_the_page(tmp_path: Path) -> None:
    output = run("view", NAIVE, "--no-browser", "-o", str(tmp_path / "page.html")).output
    assert str(tmp_path / "page.html") in output and (tmp_path / "page.html").stat().st_size > 1000


def test_view_over_ssh_says_how_to_fetch_the_page_and_opens_nothing(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    env = {"SSH_CONNECTION": "203.0.113.9 5000 198.51.100.7 2222", "DISPLAY": "", "WAYLAND_DISPLAY": ""}
    output = run("view", NAIVE, "-o", str(page), env=env).output
    assert "scp -P 2222 " in output and f"@198.51.100.7:{page} ." in output


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("summary", "nowhere"), "There is no file or folder nowhere"),
        (("summary", NAIVE, "--sort-by", "cuda_time"), "sort_by is one of"),
        (("chain", NAIVE, "aten::conv2d"), "There is no event called 'aten::conv2d'"),
        (("chain", NAIVE, "aten::mul", "3"), "was called 3 times; the last is 2"),
        (("compare", NAIVE), "at least two"),
        (("check", NAIVE), "give a limit"),
        (("convert", NAIVE, "events.xlsx"), "OUT ends in one of"),
        (("convert", NAIVE, "no/such/folder/events.csv"), "no/such/folder"),
        (("demo", "resnet"), "rmsnorm_naive"),
    ],
)
def test_what_cannot_be_done_is_one_sentence_and_exit_code_2(words: tuple[str, ...], said: str) -> None:
    output = run(*words, code=2).output
    assert said in output and "Traceback" not in output


def test_main_returns_the_exit_code(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", FUSED, "--max-executions", "1"]) == 0
    assert main(["check", NAIVE, "--max-executions", "1"]) == 1
    assert main(["summary", "nowhere"]) == 2
    assert capsys.readouterr().err.startswith("neuron-nbprof: There is no file or folder nowhere")


def test_help_and_version_name_every_verb() -> None:
    text = run("--help").output
    for verb in ("summary", "chain", "view", "compare", "check", "convert", "demo"):
        assert f"\n  {verb}" in text
    assert neuron_nbprof.__version__ in run("--version").output
