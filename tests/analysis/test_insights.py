"""Every rule against a trace where it fires, with the numbers worked out here, and one where it does not."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

import neuron_nbprof
from neuron_nbprof.analysis.insights import RULES, insights, rules
from neuron_nbprof.trace import Note, Trace

from .traces import Script

FIRES: dict[str, tuple[Callable[[], Trace], str]] = {}
QUIET: dict[str, Callable[[], Trace]] = {}


def fires(rule: str, sentence: str) -> Callable[[Callable[[], Trace]], None]:
    return lambda make: FIRES.__setitem__(rule, (make, sentence))


def quiet(rule: str) -> Callable[[Callable[[], Trace]], None]:
    return lambda make: QUIET.__setitem__(rule, make)


def well() -> Script:
    """Two executions that follow one another, waited for."""
    script = Script().step(1, 0, 400).eager("aten::mm", 10, (50, 200), dims=[[8, 8], [8, 8]])
    script.eager("aten::add", 40, (205, 350), dims=[[8, 8], [8, 8]])
    return script.host("neuron::synchronize", 70, 360)


@fires(
    "empty-device-column", "2 operators went to the device and the trace holds no execution of any, and the"
)
def _() -> Trace:
    return Script().eager("aten::mm", 0).eager("aten::add", 30).trace()


quiet("empty-device-column")(lambda: well().trace())


@fires("submission-timed", "The host was done 150 µs before the device")
def _() -> Trace:
    return Script().step(1, 0, 100).eager("aten::mm", 10, (50, 250)).trace()


quiet("submission-timed")(lambda: well().trace())


@fires("compilation", "70 µs of the recorded run")
def _() -> Trace:
    # 0..60 and 50..70 overlap: 70 in all
    return well().host("neuronx-cc compile", 0, 60).host("backend_compile", 50, 70).trace()


@quiet("compilation")
def _() -> Trace:
    script = well().host("site-packages/vllm/compilation/wrapper.py(3): call", 5, 60, "python_function")
    return script.host("Torch-Compiled Region: 0/0", 380, 390).trace()


@fires("missing-events", "1 execution of 3 that the runtime was given")
def _() -> Trace:
    return well().eager("aten::mul", 365).trace()


quiet("missing-events")(lambda: well().copy("aten::copy_", 365, (370, 380)).trace())


def rms_norm(script: Script, at: float, begin: float) -> Script:
    for number, name in enumerate(("mul", "mean", "add", "rsqrt", "mul", "mul")):
        start = begin + 50 * number
        script.eager(f"aten::{name}", at + 25 * number, (start, start + 40 - number))
    return script


@fires("fusable-pattern", "6 executions can be one: from aten::mul to aten::mul stands a decomposed RMSNorm.")
def _() -> Trace:
    return rms_norm(Script().eager("aten::mm", 0, (40, 60)), 25, 100).trace()


@quiet("fusable-pattern")
def _() -> Trace:
    # the same operators, with a step between them
    script = Script().step(1, 0, 80).step(2, 80, 1000)
    return rms_norm(script, 0, 200).trace()


@fires("small-executions", "8 executions take hardly longer than the shortest of all (10 µs)")
def _() -> Trace:
    script = Script()
    for number in range(8):
        script.eager("aten::abs", 30 * number, (30 * number + 40, 30 * number + 50))
    return script.eager("aten::mm", 240, (300, 1300)).trace()


@quiet("small-executions")
def _() -> Trace:
    script = Script()
    for number in range(8):
        script.eager("aten::mm", 30 * number, (100 + 200 * number, 110 + 200 * number + 20 * number))
    return script.trace()


@fires("launch-bound", "still for 80 µs of 100 µs (80%), mostly for the cause “host not ready”.")
def _() -> Trace:
    # 50..60 and 140..150: the host hands over the second at 118
    return Script().eager("aten::mm", 0, (50, 60)).eager("aten::mm", 100, (140, 150)).trace()


quiet("launch-bound")(lambda: well().trace())


@fires("cpu-fallback", "aten::nonzero ran on the host: 1 call copied tensors from the device and back")
def _() -> Trace:
    script = well().host("cell line 3", 361, 399).host("aten::nonzero", 362, 398)
    script.copy("aten::_to_copy", 364, (366, 370), cpu=10, call="nrta_tensor_read")
    return script.copy("aten::_to_copy", 380, (382, 386), cpu=10).trace()


@quiet("cpu-fallback")
def _() -> Trace:
    # somebody's own copies there and back, in one line of the cell and under one annotation
    script = well().host("cell line 3", 361, 399).host("my block", 361, 399, "user_annotation")
    script.copy("aten::copy_", 364, (366, 370), cpu=10, call="nrta_tensor_read")
    return script.copy("aten::copy_", 380, (382, 386), cpu=10).trace()


@fires("graph-breaks", "2 compiled regions run in one step")
def _() -> Trace:
    script = well().host("Torch-Compiled Region: 0/0", 362, 370)
    return script.host("Torch-Compiled Region: 2/0", 372, 380).trace()


@quiet("graph-breaks")
def _() -> Trace:
    script = Script().step(1, 0, 100).step(2, 100, 200)
    return (
        script.host("Torch-Compiled Region: 0/0", 10, 20).host("Torch-Compiled Region: 0/0", 110, 120).trace()
    )


def in_the_middle(count: int) -> Script:
    script = Script().step(1, 0, 1000)
    for number in range(count):
        at = 200 * number
        script.eager("aten::mm", at + 10, (at + 50, at + 100)).host("neuron::synchronize", at + 40, at + 110)
    return script.eager("aten::mm", 200 * count + 10, (200 * count + 50, 200 * count + 100))


@fires(
    "synchronise-in-loop", "The host waits for the device 2 times (neuron::synchronize) before the last work"
)
def _() -> Trace:
    return in_the_middle(2).trace()


quiet("synchronise-in-loop")(lambda: in_the_middle(0).host("neuron::synchronize", 40, 110).trace())


@fires("scalar-copies", "made aten::add copy it to the device before it could execute: 1 copy, 8 µs")
def _() -> Trace:
    return neuron_nbprof.example("rmsnorm_naive").trace


quiet("scalar-copies")(lambda: well().copy("aten::copy_", 365, (370, 380)).trace())


@fires("repeated-copies", "aten::copy_ goes from the host to the device in each of 2 steps, 15 µs")
def _() -> Trace:
    script = Script().step(1, 0, 100).copy("aten::copy_", 10, (20, 30))
    return script.step(2, 100, 200).copy("aten::copy_", 110, (120, 125)).trace()


@quiet("repeated-copies")
def _() -> Trace:
    return Script().step(1, 0, 100).copy("aten::copy_", 10, (20, 30)).step(2, 100, 200).trace()


@fires("program-switching", "2 executions of 2 programs made the core change its program 2 times, 5 µs.")
def _() -> Trace:
    return well().running("4", 45, 48, "nc_model_switch").running("4", 202, 204, "nc_model_switch").trace()


quiet("program-switching")(lambda: well().trace())


@fires("new-shapes", "1 operator met a shape in every step that no step before had (aten::mm: 8×4; 8×5)")
def _() -> Trace:
    script = Script().step(1, 0, 100).eager("aten::mm", 10, (50, 60), dims=[[8, 4]])
    return script.step(2, 100, 200).eager("aten::mm", 110, (150, 160), dims=[[8, 5]]).trace()


@quiet("new-shapes")
def _() -> Trace:
    script = Script().step(1, 0, 100).eager("aten::mm", 10, (50, 60), dims=[[8, 4]])
    return script.step(2, 100, 200).eager("aten::mm", 110, (150, 160), dims=[[8, 4]]).trace()


@fires("straggling-core", "neuron_hw/NC0:5 was busy for 200 µs, the other cores for 100 µs")
def _() -> Trace:
    script = Script().eager("aten::mm", 0, (50, 150), cores=("4",))
    return script.running("5", 50, 250, execution=1).trace()


quiet("straggling-core")(lambda: well().trace())


@fires("cores", "Logical core 1 was given work and its hardware was not recorded; recorded: 0.")
def _() -> Trace:
    return well().eager("aten::mul", 365, core="1").trace()


quiet("cores")(lambda: well().eager("aten::mul", 365, (390, 395), core="1", cores=("6", "7")).trace())


@fires("unlinked-rows", "1 hardware row of 5 (8% of their time)")
def _() -> Trace:
    # 2 × (150 + 145) that are linked, 50 that is not
    return well().running("4", 500, 550).trace()


quiet("unlinked-rows")(lambda: well().trace())


@fires("clock-skew", "1 execution of 1 begin before the runtime call that submitted them, by up to 15 µs")
def _() -> Trace:
    return Script().eager("aten::mm", 0, (5, 60), runtime=(20, 29)).trace()


quiet("clock-skew")(lambda: well().trace())


@fires("profiler-overhead", "The profiler itself took 40 µs of the window of 400 µs (10%)")
def _() -> Trace:
    return well().host("Activity Buffer Request", 360, 500, "overhead").trace()


quiet("profiler-overhead")(lambda: well().host("Activity Buffer Request", 360, 362, "overhead").trace())


@fires("rows-per-core", "2 physical cores, which run at once: adding up rows would make 590 µs of the 295 µs")
def _() -> Trace:
    return well().trace()


quiet("rows-per-core")(lambda: Script().eager("aten::mm", 0, (50, 60), cores=("4",)).trace())


@pytest.mark.parametrize("rule", [rule.id for rule in RULES])
def test_it_fires_where_it_should_and_only_there(rule: str) -> None:
    make, sentence = FIRES[rule]
    trace = make()
    (found,) = [insight for insight in insights(trace) if insight.id == rule]
    assert sentence in found.sentence
    assert found.evidence and all(trace.position(event) >= 0 for event in found.evidence)
    assert found.remedy
    assert rule not in {insight.id for insight in insights(QUIET[rule]())}


def test_no_rule_speaks_of_a_well_behaved_trace_but_that_rows_are_per_core() -> None:
    assert [insight.id for insight in insights(well().trace())] == ["rows-per-core"]


def test_ids_are_unique_and_all_rules_are_listed() -> None:
    table = rules()
    assert table["id"].is_unique and len(table) == len(RULES)
    assert set(table["severity"]) == {"error", "warning", "info"}


def test_the_gravest_comes_first() -> None:
    found = insights(Script().step(1, 0, 100).eager("aten::mm", 10, (50, 250)).trace())
    assert [insight.severity for insight in found] == ["error", "info"]


def test_of_one_rule_that_comes_first_which_saves_most() -> None:
    at, script = 0, Script().step(1, 0, 9_000)
    for dur, names in (
        (10, ("mm", "div", "_softmax", "mm")),
        (100, ("pow", "mean", "add", "rsqrt", "mul", "mul")),
    ):
        for name in names:
            script.eager(f"aten::{name}", at, (at + 30, at + 30 + dur))
            at += dur + 40
    savings = [found.saving_us for found in insights(script.trace()) if found.id == "fusable-pattern"]
    assert len(savings) == 2 and savings[0] > savings[1]


def test_the_naive_rmsnorm_yields_unasked_that_six_executions_can_be_one() -> None:
    profile = neuron_nbprof.example("rmsnorm_naive")
    (found,) = [insight for insight in profile.insights() if insight.id == "fusable-pattern"]
    assert found.sentence.startswith("6 executions can be one") and "RMSNorm" in found.sentence
    assert "torch.rms_norm" in found.remedy
    names = [profile.trace.name_of(profile.trace.position(event)) for event in found.evidence]
    assert names == [f"aten::{name}" for name in ("mul", "mean", "add", "rsqrt", "mul", "mul")]
    # from 215,122 to 2,604,935 ns; the shortest, mean, lasts 608,686 to 949,979
    span, shortest = 2_604_935 - 215_122, 949_979 - 608_686
    assert found.saving_us == (span - shortest) / 1000
    assert f"at most {(span - shortest) / 1000:,.0f} µs, of which 30 µs are gaps" in found.sentence
    fused = neuron_nbprof.example("rmsnorm_fused").summary()["device_ns"]
    assert profile.summary()["device_ns"] - fused <= span - shortest  # the bound holds for what fusing saved


@pytest.mark.parametrize("name", ["rmsnorm_fused", "rmsnorm_compiled"])
def test_one_execution_is_left_alone(name: str) -> None:
    assert [insight.id for insight in neuron_nbprof.example(name).insights()] == ["rows-per-core"]


@pytest.mark.parametrize(
    ("names", "pattern"),
    [
        ("mul mean add rsqrt mul mul", "RMSNorm"),
        ("pow mean add rsqrt mul _to_copy mul", "RMSNorm"),
        ("pow mean add sqrt div mul", "RMSNorm"),
        ("mean sub pow mean add rsqrt mul mul add", "LayerNorm"),
        ("mean var sub add sqrt div mul add", "LayerNorm"),
        ("amax sub exp sum div", "softmax"),
        ("matmul div _softmax matmul", "attention"),
        ("bmm mul add amax sub exp sum div bmm", "attention"),
        ("div erf add mul mul", "GELU"),
        ("pow mul add mul tanh add mul mul", "GELU (tanh)"),
        ("silu mul", "SiLU gate"),
        ("sigmoid mul mul", "SiLU gate"),
    ],
)
def test_decompositions_are_known_by_their_order(names: str, pattern: str) -> None:
    script = Script()
    for number, name in enumerate(["cat", *names.split(), "cat"]):
        script.eager(f"aten::{name}", 30 * number, (100 + 30 * number, 120 + 30 * number))
    (found,) = [insight for insight in insights(script.trace()) if insight.id == "fusable-pattern"]
    assert f"decomposed {pattern}." in found.sentence
    assert len(found.evidence) == len(names.split())


def test_repeated_patterns_are_counted_together() -> None:
    script = rms_norm(rms_norm(Script(), 0, 100), 500, 600)
    (found,) = [insight for insight in insights(script.trace()) if insight.id == "fusable-pattern"]
    # each: 100 to 385 less the shortest, 35: 250
    assert "12 executions can be 2" in found.sentence and "RMSNorm, 2 times" in found.sentence
    assert found.saving_us == 2 * (285 - 35)


def test_reading_a_number_in_the_loop_is_a_wait_too() -> None:
    script = Script().step(1, 0, 1000)
    for at in (0, 200):
        script.eager("aten::mm", at + 10, (at + 50, at + 100))
        script.copy("aten::item", at + 40, (at + 104, at + 108), cpu=72, call="nrta_tensor_read")
    script.eager("aten::mm", 410, (450, 500)).host("neuron::synchronize", 440, 510)
    (found,) = [insight for insight in insights(script.trace()) if insight.id == "synchronise-in-loop"]
    assert "2 times (aten::item)" in found.sentence
    # the copy ends at 108, then nobody has submitted until 228; and again from 308 to 428
    assert found.saving_us == (228 - 108) + (428 - 308)


def test_what_the_recording_says_of_itself_is_passed_on() -> None:
    script = well()
    script.notes.append(Note("1,001 trace events were dropped", 1001))
    script.attributes["system_profile"] = {"dropped_events": 7}
    said = [insight.sentence for insight in insights(script.trace()) if insight.id == "missing-events"]
    assert len(said) == 2 and "1,001 trace events were dropped" in said[0] and "dropped_events = 7" in said[1]


def test_an_insight_travels_as_json() -> None:
    found = [insight.to_dict() for insight in neuron_nbprof.example().insights()]
    assert json.loads(json.dumps(found)) == found


def test_a_device_of_which_nothing_was_recorded_is_missed() -> None:
    def said(device: str = "", simulated: bool = False, wait: bool = False) -> list[str]:
        script = Script(capture={"device": device}).host("aten::mul", 0, 20).host("aten::add", 30, 40)
        if wait:
            script.host("neuron::synchronize", 50, 60)
        trace = script.trace(simulated)
        return [insight.sentence for insight in insights(trace) if insight.id == "empty-device-column"]

    sentence = (
        "The device column is empty: recorded on a Neuron device, the trace holds 2 operators of the host"
    )
    for found in (said("neuron"), said(simulated=True)):
        assert len(found) == 1 and found[0].startswith(sentence)
    assert said("host") == said() == said("simulated", simulated=True, wait=True) == []


def test_nothing_stands_out_in_an_empty_trace() -> None:
    assert insights(Script().trace()) == []
