"""The texts: what they say, how long they are, and that names from a file do not steer a terminal."""

from __future__ import annotations

import neuron_nbprof
from neuron_nbprof import Profile, report
from neuron_nbprof.trace import Note, chain

from .traces import Script


def test_a_profile_prints_as_a_summary() -> None:
    text = str(neuron_nbprof.example("rmsnorm_naive"))
    assert len(text.splitlines()) <= report.MOST_LINES
    assert text.startswith("rmsnorm_naive: SIMULATED · Trainium2, LNC=2 · 2,360 µs on the device")
    assert "chains: 69% of the time of 6 chains is waiting for the hardware" in text
    assert "idle: neuron_hw/NC0:4 3% of 2,439 µs: runtime 49 µs" in text
    assert "critical path: hardware 97%" in text and "at best 79 µs" in text
    assert "aten::rsqrt" in text and "6 executions can be one" in text


def test_it_stays_short_however_much_there_is_to_say() -> None:
    script = Script().step(1, 0, 100)
    for number in range(60):
        script.eager(f"aten::op{number}", 1 + 20 * number, (20_000 - 100 * number, 20_050 - 100 * number))
        script.running("4", 50_000 + 20 * number, 50_010 + 20 * number, "nc_model_switch")
    script.running("9", 60_000, 99_000).host("neuronx-cc", 0, 90)
    script.notes = [Note(f"note {number}") for number in range(30)]
    text = str(Profile(script.trace()))
    assert len(text.splitlines()) <= report.MOST_LINES
    assert "… and" in text and "more in profile.notes" in text and "more in profile.insights()" in text


def test_a_profile_without_a_device_says_so() -> None:
    text = str(Profile(Script("host").host("aten::mm", 0, 10).trace()))
    assert text.splitlines()[0] == "host: 1 events, none of them an execution on a device"
    assert str(Profile(Script("empty").trace()))


def test_control_characters_are_written_out() -> None:
    text = str(Profile(Script("a\x1b[2Jb").eager("aten::\x1b]0;x\x07\n", 0, (40, 50)).trace()))
    assert "\x1b" not in text and "\x07" not in text and "\\x1b]0;x\\x07\\n" in text


def test_a_chain_is_printed_with_its_stations_and_waits() -> None:
    trace = Script().eager("aten::mul", 0, (40, 140)).trace()
    lines = report.chain(trace, chain(trace, int(trace.rows_named("aten::mul")[0]))).splitlines()
    # host 0..20, runtime 20..29, hardware on two cores 40..140
    assert [line.split()[-1] for line in lines] == [
        "µs", "20.000", "0.000", "9.000", "11.000", "100.000", "140.000",
    ]  # fmt: skip
    assert lines[-2].startswith("Hardware") and "(+1)" in lines[-2] and "40.000" in lines[-2]


def test_a_version_that_loses_is_said_to_add() -> None:
    found = neuron_nbprof.compare(*map(neuron_nbprof.example, ("rmsnorm_fused", "rmsnorm_naive")))
    assert "1 execution became 6" in found.words[0]
    assert "it loses 2,002 µs: 30 µs are gaps between executions" in found.words[1]
    assert "5 executions more at" in found.words[1] and "-" not in found.words[1]


def test_host_times_that_are_measured_are_marked_among_modelled_ones() -> None:
    def printed(constant: str) -> str:
        script = Script(neuron_simulated={"simulated": True, "constants": [{"name": constant}]})
        script.eager("aten::mul", 0, (40, 140)).host("aten::relu", 30, 37)
        return report.operators(Profile(script.trace(simulated=True)))

    mul, relu, legend = printed("execution_us").splitlines()[1:]
    assert "7.0 †" in relu and "†" not in mul and legend.startswith("† its own time was measured")
    assert "†" not in printed("host_step_us")
