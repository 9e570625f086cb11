"""Comparisons against differences worked out by hand, and the guide's three versions in words."""

from __future__ import annotations

import json

import pytest

import neuron_nbprof
from neuron_nbprof import Profile, report
from neuron_nbprof.analysis.compare import Comparison
from neuron_nbprof.analysis.overview import summary
from neuron_nbprof.trace import Trace

from .traces import Script


def chained(
    title: str, durations: list[float], *, gap: float = 10, steps: int = 1, name: str = "aten::mul"
) -> Trace:
    """Per step one execution after another, ``gap`` apart, from 100 µs into the step on."""
    script = Script(title)
    for step in range(steps):
        at = 10_000 * step
        script.step(step, at, at + 10_000)
        begin = at + 100
        for number, dur in enumerate(durations):
            dims = [[64, 64], [64, 64]]
            script.eager(name, at + 25 * number, (begin, begin + dur + 4 * step), dims=dims)
            begin += dur + 4 * step + gap
    return script.trace()


def test_the_saving_is_split_into_gaps_executions_and_data() -> None:
    found = Comparison([chained("raw", [50, 40, 60]), chained("fused", [70], name="aten::fused")])
    (saved,) = found.savings.to_dict("records")
    # 3 executions and 2 gaps of 10: 170 µs from first to last, against 70
    assert (saved["saved_us"], saved["gaps_us"], saved["executions_removed"]) == (100, 20, 2)
    # the shortest execution of both profiles lasts 40: 2 × 40 at most, the rest is data
    assert (saved["execution_cost_us"], saved["executions_us"], saved["data_us"]) == (40, 80, 0)
    assert "assumed" in saved["cost_basis"]
    given = Comparison([chained("raw", [50, 40, 60]), chained("fused", [70])], execution_us=15)
    (saved,) = given.savings.to_dict("records")
    assert (saved["executions_us"], saved["data_us"], saved["cost_basis"]) == (30, 50, "given")


def test_the_table_counts_what_the_guides_table_counts_and_more() -> None:
    script = (
        Script("one").copy("aten::copy_", 0, (20, 30)).eager("aten::mul", 25, (60, 100), key="a", dims=[[8]])
    )
    script.eager("aten::mul", 50, (110, 150), key="b", dims=[[8]]).eager("aten::mul", 75, (150, 190), key="b")
    row = Comparison([script.trace()]).table.loc["one"]
    assert (row["device_us"], row["host_us"], row["operator_calls"], row["executions"]) == (120, 60, 3, 3)
    assert (row["submissions"], row["copies"], row["switches"], row["idle_us"]) == (4, 1, 1, 10)
    assert (row["intermediates"], row["intermediate_bytes"]) == (2, 64)


def test_host_time_counts_operators_inside_one_another_once() -> None:
    script = Script("nested").eager("aten::outer", 0, (120, 150), cpu=100)
    script.eager("aten::inner", 30, (160, 190), cpu=40).eager("aten::next", 110, (200, 230), cpu=15)
    trace = script.trace()
    assert Comparison([trace]).table.loc["nested", "host_us"] == 115
    assert summary(trace)["host_ns"] == 115_000


def test_host_time_of_copies_stands_by_itself_and_not_where_an_operator_copies() -> None:
    script = Script("copies").eager("aten::add", 0, (120, 150), cpu=100)
    script.copy("aten::_to_copy", 10, (20, 30), cpu=40).copy("aten::copy_", 200, (210, 215), cpu=25)
    numbers = summary(script.trace())
    assert (numbers["host_ns"], numbers["copy_ns"]) == (100_000, 25_000)
    assert "100 µs host + 25 µs in copies" in report.headline(Profile(script.trace()))


def test_operators_are_matched_by_name_and_shape() -> None:
    found = Comparison([chained("raw", [50, 40]), chained("fused", [70], name="aten::fused")])
    table = found.operators("fused").set_index("name")
    assert table["change"].to_dict() == {"aten::mul": "removed", "aten::fused": "added"}
    assert table["difference_us"].to_dict() == {"aten::mul": -90, "aten::fused": 70}
    assert table.loc["aten::mul", "calls_baseline"] == 2


def test_several_steps_are_means_with_their_spread_and_no_winner_inside_it() -> None:
    # steps of 100 and 104 µs against steps of 103 and 107
    found = Comparison([chained("a", [100], steps=2), chained("b", [103], steps=2)])
    assert found.table[["device_us", "device_min_us", "device_max_us", "executions"]].values.tolist() == [
        [102, 100, 104, 1], [105, 103, 107, 1],
    ]  # fmt: skip
    assert any("No winner between a and b" in sentence for sentence in found.words)
    a, b = report.comparison(found).splitlines()[1:3]
    assert "100 to 104" in a and "103 to 107" in b
    assert "device_max_us" in repr(found) and "<th>device_min_us</th>" in found._repr_html_()
    single = Comparison([chained("a", [100]), chained("b", [103])])
    assert "in its steps" not in report.comparison(single) and "device_min_us" not in repr(single)
    apart = Comparison([chained("a", [100], steps=2), chained("b", [120], steps=2)])
    assert not any("No winner" in sentence for sentence in apart.words)


def test_a_version_that_never_reached_the_device_is_named() -> None:
    empty = Script("empty").host("aten::mul", 0, 10).trace()
    found = Comparison([chained("raw", [50]), empty])
    assert found.words == ["Nothing of empty reached the hardware: was there a synchronise?"]
    assert "nothing reached the hardware" in found.table.loc["empty", "remark"]


def test_the_three_rmsnorms_say_what_the_guide_says() -> None:
    found = neuron_nbprof.compare(*map(neuron_nbprof.example, neuron_nbprof.RMSNORMS))
    text = " ".join(found.words)
    for version in ("rmsnorm_fused", "rmsnorm_compiled"):
        assert f"{version} takes 388 µs on the device where rmsnorm_naive takes 2,360 µs" in text
    assert text.count("about a sixth") == 2 and text.count("6 executions became 1") == 2
    # x_sq and x·rms of 4096 × 4096 bfloat16, mean_sq and two more of 4096
    assert "5 intermediate tensors (67.1 MB)" in text
    assert found.table["intermediate_bytes"].iloc[0] == 2 * 2 * 4096 * 4096 + 3 * 2 * 4096
    assert "No winner between rmsnorm_fused and rmsnorm_compiled" in text
    assert "Simulated times come from a cost model" in text
    saved = found.savings.loc["rmsnorm_fused"]
    assert saved["gaps_us"] + saved["executions_us"] + saved["data_us"] == pytest.approx(saved["saved_us"])


def test_it_travels_as_json_and_shows_in_a_notebook() -> None:
    found = neuron_nbprof.compare(*map(neuron_nbprof.example, neuron_nbprof.RMSNORMS))
    again = json.loads(json.dumps(found.to_dict()))
    assert [row["version"] for row in again["table"]] == list(neuron_nbprof.RMSNORMS)
    assert set(again["operators"]) == {"rmsnorm_fused", "rmsnorm_compiled"}
    assert "<li>" in found._repr_html_() and "rmsnorm_naive" in repr(found)


def test_titles_from_a_file_are_escaped() -> None:
    found = Comparison([chained("<script>", [50]), chained("b", [40])])
    assert "<script>" not in found._repr_html_()


def test_nothing_to_compare_is_said() -> None:
    with pytest.raises(neuron_nbprof.NeuronProfilerError, match="two profiles"):
        neuron_nbprof.compare()
