"""What the line of the magic may say, and the one sentence when it may not."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from neuron_nbprof import Profile, capture, remedies
from neuron_nbprof.capture import CaptureOptions, Schedule
from neuron_nbprof.errors import CaptureError
from neuron_nbprof.magics import NeuronMagics
from neuron_nbprof.magics.show import SHOWN

from .conftest import Ran

Run = Callable[[str], Ran]


def facts() -> dict[str, Any]:
    (path,) = Path("neuron_profiles").glob("*/capture.json")
    return json.loads(path.read_text())


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("prof --frobnicate", "unrecognized arguments: --frobnicate"),
        ("prof --nc 5-2", "--nc 5-2 runs backwards: write 2-5."),
        ("prof --nc 0,x", "--nc takes cores such as 0,2-5, and 'x' is none."),
        ("prof --nc 2000", "there is no core 2000"),
        ("prof --modes gpu", "There is no mode 'gpu': --modes takes runtime, device, cpu-util, host-memory"),
        ("prof --modes ,", "--modes takes"),
        ("prof --device tpu", "--device: invalid choice: 'tpu'"),
        ("prof --active 0", "at least one has to be recorded"),
        ("prof --wait -1", "Runs are counted from 0"),
        ("prof --wait two", "--wait: invalid int value: 'two'"),
        ("prof --max-events 0", "--max-events is a number of events from 1 on, not 0."),
        ("prof --rows 0", "--rows is a number from 1 on, not 0."),
        ("prof --sort speed", "There is no column 'speed' to sort by; there are name, calls"),
        ("prof --show picture", "--show: invalid choice: 'picture'"),
        ("prof --expect executions", "write executions=6 or events=6, not 'executions'"),
        ("prof --expect love=1", "not 'love=1'"),
        ("prof --out /proc/nowhere", "Captures cannot be written to /proc/nowhere"),
        ("prof --filter 'x", "No closing quotation in"),
    ],
)
def test_what_is_wrong_is_said_before_the_cell_runs(line: str, sentence: str, run: Run, shell: Any) -> None:
    run("runs = 0")
    ran = run(f"%%neuronprof {line}\nruns += 1")
    assert ran.error is not None and sentence in ran.output
    assert len(ran.output.strip().splitlines()) == 1
    assert shell.user_ns["runs"] == 0 and not Path("neuron_profiles").exists()


def test_a_file_in_the_way_of_out(run: Run, shell: Any) -> None:
    Path("taken").write_text("")
    ran = run("%%neuronprof --out taken\nruns = 1")
    assert "Captures cannot be written to" in ran.output and "runs" not in shell.user_ns


def test_a_full_disk_is_found_before_and_while(run: Run, shell: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    usage = capture.preflight.shutil.disk_usage(".")
    with monkeypatch.context() as nearly_full:
        nearly_full.setattr(capture.preflight.shutil, "disk_usage", lambda path: usage._replace(free=1 << 20))
        said = run("%%neuronprof\nruns = 1").output
    assert "Only 1 MB are free at" in said and "runs" not in shell.user_ns

    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("neuron_nbprof.simulator.artifacts.write_tables", full)
    ran = run("%%neuronprof --device simulated\n1")
    assert isinstance(ran.error, CaptureError) and "No space left on device" in ran.output
    assert not torch.autograd._profiler_enabled() and not list(Path("neuron_profiles").iterdir())


@pytest.mark.parametrize("value", ["1", "true"])
def test_a_runtime_that_profiles_by_itself_is_refused(
    value: str, run: Run, shell: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NEURON_RT_INSPECT_ENABLE", value)
    ran = run("%%neuronprof\nruns = 1")
    assert remedies.ONE_RECORDER in ran.output and "runs" not in shell.user_ns
    assert len(ran.output.strip().splitlines()) == 1
    monkeypatch.setenv("NEURON_RT_INSPECT_ENABLE", "0")
    assert run("%%neuronprof\n1").error is None


def test_without_a_name_the_profile_is_the_last_one(run: Run, shell: Any) -> None:
    run("%%neuronprof\n1")
    assert isinstance(shell.user_ns["_profile"], Profile)
    run("%%neuronprof named\n2")
    assert shell.user_ns["_profile"] is shell.user_ns["named"]


@pytest.mark.parametrize(
    ("options", "runs"),
    [
        ("--once", {"unrecorded": 0, "warmup": 0, "recorded": 1}),
        ("--wait 0", {"unrecorded": 0, "warmup": 1, "recorded": 1}),
        ("--wait 1 --warmup 0", {"unrecorded": 1, "warmup": 0, "recorded": 1}),
        ("--active 3", {"unrecorded": 2, "warmup": 1, "recorded": 3}),
    ],
)
def test_the_cell_runs_as_often_as_asked(options: str, runs: dict[str, int], run: Run, shell: Any) -> None:
    run("import torch\nn, x = 0, torch.ones(2, device='neuron')")
    ran = run(f"%%neuronprof prof {options}\nn += 1\ny = x * x")
    assert ran.error is None and "warn" not in ran.output.lower().replace("warm-up", "")
    assert shell.user_ns["n"] == sum(runs.values()) and facts()["runs"] == runs
    assert shell.user_ns["prof"].summary()["executions"] == runs["recorded"]


def test_options_reach_the_profiler(run: Run, shell: Any) -> None:
    run("import torch\nx = torch.ones(2, device='neuron')")
    run("%%neuronprof prof --memory --flops --no-shapes --once\ny = x * x")
    (path,) = Path("neuron_profiles").rglob("trace.json")
    trace = json.loads(path.read_text())
    flags = [trace.get(key, 0) for key in ("profile_memory", "with_flops", "record_shapes", "with_stack")]
    assert flags == [1, 1, 0, 0]


def test_stacks_tell_the_lines_of_called_functions(run: Run, shell: Any) -> None:
    run("import torch\ndef f(x):\n    return x * x\nx = torch.ones(2, device='neuron')")
    assert run("%%neuronprof prof --stack --once\ny = f(x)").error is None
    events = shell.user_ns["prof"].events
    assert events[events["category"] == "python_function"]["name"].str.contains(r"\): f$").any()


def cores(profile: Profile) -> set[str]:
    tracks = {track for track in profile.events["track"] if track.startswith("neuron_rt/NC:")}
    return {track.rpartition("/NC:")[2] for track in tracks}


def test_only_the_cores_that_were_asked_for_are_recorded(run: Run, shell: Any) -> None:
    run("import torch\na, b = (torch.ones(2, device=f'neuron:{n}') for n in (0, 2))")
    run("%%neuronprof prof --once\na * a; b * b")
    assert cores(shell.user_ns["prof"]) == {"0", "2"}
    run("%%neuronprof prof --once --nc 1-2\na * a; b * b")
    assert cores(shell.user_ns["prof"]) == {"2"}
    run("%%neuronprof prof --once --nc 0,2-5\na * a; b * b")
    assert cores(shell.user_ns["prof"]) == {"0", "2"}
    said = [note.text for note in shell.user_ns["prof"].notes]
    assert "The SIMULATED Trainium2, LNC=2 has the cores 0 to 3, so there are no 4, 5." in said
    run("runs = 0")
    ran = run("%%neuronprof --nc 4-7\nruns += 1")
    assert "--nc 4-7 names none of the cores of the SIMULATED Trainium2, LNC=2: 0 to 3." in ran.output
    assert len(ran.output.strip().splitlines()) == 1 and shell.user_ns["runs"] == 0


def test_a_ring_that_is_too_small_keeps_the_last_events_and_says_so(run: Run, shell: Any) -> None:
    run("import torch\nx = torch.ones(2, device='neuron')")
    run("%%neuronprof whole --once\nfor _ in range(9): x * x")
    run("%%neuronprof cut --once --max-events 10\nfor _ in range(9): x * x")
    whole, cut = (shell.user_ns[name].events for name in ("whole", "cut"))
    of_core = [events["track"].str.startswith(("neuron_rt", "neuron_hw")) for events in (whole, cut)]
    assert [int(mask.sum()) for mask in of_core] == [36, 10]  # two rows of the runtime, two of the hardware
    assert "nc_exec_running" in set(cut[of_core[1]]["name"])
    dropped = "dropped_event_count = 26"
    assert dropped in str(shell.user_ns["cut"].insights())
    assert "dropped" not in str(shell.user_ns["whole"].insights())


def test_streams_that_are_not_simulated_are_named(run: Run, shell: Any) -> None:
    assert (
        run("%%neuronprof prof --once --modes runtime,cpu-util,host-memory --device simulated\n1").error
        is None
    )
    notes = [note.text for note in shell.user_ns["prof"].notes]
    assert "The simulated device has no cpu-util or host-memory to record." in notes


def test_out_may_be_anywhere(run: Run, tmp_path: Path) -> None:
    run("%%neuronprof prof --out 'a b/c'\n1")
    assert list((tmp_path / "a b" / "c").glob("prof-*/capture.json"))


def test_predictions_are_checked_aloud(run: Run) -> None:
    run("import torch\nx = torch.ones(2, device='neuron')")
    ran = run("%%neuronprof --expect executions=2 --expect executions=7\n(x * x) + x")
    assert "✓ executions: 2, as predicted." in ran.output
    assert "✗ executions: 2, not 7 as predicted." in ran.output


def test_an_open_prediction_is_the_readers_turn(run: Run) -> None:
    run("import torch\nx = torch.ones(2, device='neuron')")
    ran = run("%%neuronprof --expect executions=... --expect executions=1\nx * x")
    assert ran.error is None
    assert "Your turn: put your prediction of executions where the ... is" in ran.output
    assert "What the profile shows is held back until then." in ran.output
    assert "on the device" not in ran.output and "aten::mul" not in ran.output
    assert "✓" not in ran.output, "not even what was predicted of the same number"


def test_lines_below_a_cell_are_short_and_name_the_capture_from_here(run: Run) -> None:
    run("import torch\nx = torch.ones(2, device='neuron')")
    name = "a-long-name-with-hyphens"
    printed = run(f"%%neuronprof --show none --out {name}\nx * x").output
    assert f"recorded.  Capture: {name}/cell-" in printed
    told = printed.partition("cell: SIMULATED")[2]
    assert told and all(len(line) <= 90 for line in told.splitlines())
    assert all(line.endswith("·") for line in told.splitlines()[:1]), "broken between the parts"


def test_the_table_is_what_was_asked_for(run: Run) -> None:
    run("import torch\nx = torch.ones(2, device='neuron')")
    ran = run("%%neuronprof --sort name --rows 2 --filter 'aten::*'\n((x * x) + x).rsqrt()")
    rows = [line.split()[0] for line in ran.output.splitlines() if line.startswith("aten::")]
    assert rows == ["aten::add", "aten::mul"] and "… and 1 more operators" in ran.output
    assert "aten::" not in run("%%neuronprof --show none\nx * x").output


def test_the_columns_are_those_of_the_table(run: Run, shell: Any) -> None:
    run("%%neuronprof\n1")
    assert set(SHOWN) <= set(shell.user_ns["_profile"].key_averages().columns)


def test_settings_are_the_defaults(run: Run, shell: Any) -> None:
    run("%config NeuronMagics.wait = 0\n%config NeuronMagics.show = 'none'\nn = 0")
    ran = run("%%neuronprof\nn += 1")
    assert shell.user_ns["n"] == 2 and "aten" not in ran.output
    run("%%neuronprof --wait 1\nn += 1")
    assert shell.user_ns["n"] == 5


def test_every_setting_says_what_it_is(run: Run) -> None:
    assert all(trait.help for trait in NeuronMagics.class_traits(config=True).values())


def test_a_statement_is_profiled_as_it_stands(run: Run, shell: Any) -> None:
    run("import torch\nx = torch.ones(2, device='neuron')\ntexts = []")
    ran = run('%neuronprof --once --expect executions=1 texts.append("a  \'b"); y = x * x')
    assert ran.error is None and shell.user_ns["texts"] == ["a  'b"] and "✓" in ran.output
    assert run("%neuronprof --show none --once 20 + 1").result == 21
    assert "Give %neuronprof a statement" in run("%neuronprof --once").output
    assert "1 / 0" in run("%neuronprof 1 / 0").output


def test_help_shows_the_options(run: Run) -> None:
    doc = NeuronMagics.neuronprof.__doc__
    assert "--nc CORES" in doc and "four times" in doc and "--no-shapes" in doc


def test_open_list_and_compare(run: Run, shell: Any) -> None:
    run("import torch\nx = torch.ones(2, device='neuron')")
    run("%%neuronprof a\nx * x")
    run("%%neuronprof b\nx * x * x")
    listed = run("%neuronprof_list").result
    assert sorted(listed["name"]) == ["a", "b"]
    path = listed.set_index("name").loc["b", "path"]
    ran = run(f"%neuronprof_open '{path}' again")
    assert "aten::mul" in ran.output and shell.user_ns["again"].summary()["executions"] == 2
    ran = run(f"%neuronprof_compare a b '{path}'")
    assert [line.split()[0] for line in ran.output.splitlines()[1:4]] == ["a", "b", "b"]
    assert "takes two or more" in run("%neuronprof_compare a").output
    assert "nothing is neither a variable" in run("%neuronprof_compare a nothing").output
    assert "There is no file or folder" in run("%neuronprof_open nowhere").output
    assert "x is already bound to a Tensor" in run(f"%neuronprof_open '{path}' x").output
    assert len(run("%neuronprof_list nowhere").result) == 0


def test_device_of_one_run_only(run: Run, shell: Any) -> None:
    run("%neuronprof_device simulated")
    run("%%neuronprof cpu --device host\n1")
    assert not shell.user_ns["cpu"].simulated
    run("%%neuronprof sim\n1")
    assert shell.user_ns["sim"].simulated


def test_device_mode_says_what_it_costs_first(run: Run) -> None:
    ran = run("%%neuronprof --modes runtime,device\n1")
    assert ran.error is None and ran.output.startswith(capture.DEVICE_COST)


def test_options_of_a_capture_are_checked_without_a_magic_too(tmp_path: Path) -> None:
    for wrong in ({"modes": ()}, {"cores": "3-1"}, {"max_events": 0}):
        with pytest.raises(CaptureError):
            CaptureOptions("x", tmp_path, **wrong)
    assert Schedule(1, 0, 2).phases == ("unrecorded", "recorded", "recorded")
    assert CaptureOptions("x", tmp_path, cores="0, 2-5").cores == "0, 2-5"
    assert os.environ.get("NEURON_RT_INSPECT_ENABLE") is None
