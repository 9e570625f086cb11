"""The packaged captures with one thing wrong: it is the gravest insight, and all that they warn of."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

import neuron_nbprof
from neuron_nbprof.teaching import HELD_BACK, unspoiled

EXAMPLES = Path(neuron_nbprof.__file__).parent / "examples"

#: Severity and rule of the gravest insight, the operators that show it and how often.
WRONG = {
    "mystery_1": ("warning", "synchronise-in-loop", {"aten::_local_scalar_dense": 3}),
    "mystery_2": ("warning", "cpu-fallback", {"aten::scatter_add": 1}),
    "mystery_3": (
        "warning",
        "graph-breaks",
        {f"Torch-Compiled Region: {number}/0": 1 for number in range(3)},
    ),
    "mystery_4": ("warning", "new-shapes", {"aten::mm": 2, "aten::gelu": 2, "aten::_softmax": 2}),
    "mystery_5": ("error", "submission-timed", {"aten::mm": 5, "aten::silu": 3, "aten::_softmax": 3}),
}


def test_each_has_something_else_wrong():
    assert tuple(WRONG) == neuron_nbprof.MYSTERIES
    assert len({rule for _, rule, _ in WRONG.values()}) == len(WRONG)


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_found_first_and_alone(name):
    profile = neuron_nbprof.example(name)
    first, *rest = profile.insights()
    severity, rule, shown = WRONG[name]
    assert (first.severity, first.id) == (severity, rule)
    assert {insight.severity for insight in rest} <= {"info"}
    names = profile.events.set_index("id")["name"].loc[first.evidence]
    assert names.value_counts().to_dict() == shown


def raw(name: str) -> tuple[dict, list[dict]]:
    (path,) = (EXAMPLES / name).glob("*/*/trace.json.gz")
    document = json.loads(gzip.decompress(path.read_bytes()))
    return document, [event for event in document["traceEvents"] if event.get("ph") == "X"]


def test_the_host_reads_the_loss_of_each_batch():
    _, events = raw("mystery_1")
    batches = [event for event in events if event["name"] == "aten::mse_loss" and event["cat"] == "cpu_op"]
    reads = [event for event in events if event["name"] == "aten::item"]
    assert len(batches) == len(reads) == 4
    last = max(event["ts"] for event in batches)
    assert sum(event["ts"] + event["dur"] < last for event in reads) == 3  # the fourth ends the step


def test_the_operator_that_falls_back_is_the_only_one_that_executes_nothing():
    table = neuron_nbprof.example("mystery_2").key_averages()
    table = table[(table["launches"] > 0) & (table["executions"] == 0)]
    assert table["name"].tolist() == ["aten::scatter_add"]


def test_every_request_has_a_length_of_its_own():
    _, events = raw("mystery_4")
    first = {
        tuple(event["args"]["Input Dims"][0])
        for event in events
        if event["cat"] == "cpu_op" and event["name"] == "aten::mm"
    }
    assert first == {(117, 1024), (93, 1024), (141, 1024)}


def test_the_steps_end_before_the_device_does():
    events = neuron_nbprof.example("mystery_5").events
    end = events["start_ns"] + events["dur_ns"]
    steps = events["name"].str.startswith("ProfilerStep#") & (events["lane"] == "Dispatch")
    assert steps.sum() == 3
    assert end[events["name"] == "nc_exec_running"].max() > 5 * end[steps].max()


@pytest.mark.parametrize("name", neuron_nbprof.EXAMPLES)
def test_nothing_tells_of_the_machine_that_it_was_made_on(name):
    document, events = raw(name)
    assert document["host_name"] == "sim-example"
    assert {event["pid"] for event in events if event["cat"] == "cpu_op"} == {4242}
    for path in (EXAMPLES / name).rglob("*"):
        if path.is_file():
            data = path.read_bytes()
            text = gzip.decompress(data) if path.suffix == ".gz" else data
            assert not [word for word in (b"/tmp", b"/home", b"/root", b"/usr") if word in text]


@pytest.mark.parametrize("name", neuron_nbprof.EXAMPLES)
def test_each_file_alone_says_that_it_is_simulated(name):
    files = [path for path in (EXAMPLES / name).glob("*/*/*") if "Metadata" not in path.name]
    assert len(files) == 2
    for path in files:
        assert neuron_nbprof.open(path).simulated


def test_a_riddle_is_shown_without_its_solution():
    profile = neuron_nbprof.example("mystery_2")
    explorer = unspoiled(profile, height=260)
    assert explorer is profile.explore()
    answers = explorer.meta["answers"]
    assert answers["insights"] == {"absent": HELD_BACK}
    assert answers["gaps"]["cores"] and answers["critical_path"]["lanes"]
    assert "cpu-fallback" not in str(explorer.meta)
    assert "cpu-fallback" not in explorer.embed()._repr_html_(), "nor as a page"
    assert profile.insights()[0].id == "cpu-fallback"
