"""What the explorer's tabs of answers are told: bounded, and never in the way of drawing."""

from __future__ import annotations

import json
from typing import Any

import pytest

import neuron_nbprof
from neuron_nbprof.analysis.insights import Insight
from neuron_nbprof.explorer import answers, page
from neuron_nbprof.explorer.columns import encode

from .traces import FakeProfile, trace_of


def test_insights_travel_as_python_words_them() -> None:
    profile = neuron_nbprof.example("rmsnorm_naive")
    told = encode(profile).meta["answers"]["insights"]
    assert told["count"] == len(profile.insights())
    assert told["found"][0]["id"] == "fusable-pattern"
    assert told["found"] == [insight.to_dict() for insight in profile.insights()]


def test_only_so_many_insights_travel() -> None:
    insight = Insight("a-rule", "info", "Something.", [3], "Nothing.")
    found = answers.answers(FakeProfile(trace_of(), found=[insight] * 250))["insights"]
    assert (found["count"], len(found["found"])) == (250, answers.MOST_INSIGHTS)


@pytest.mark.parametrize(
    ("error", "sentence"), [(KeyError("step"), "'step'"), (RuntimeError(), "RuntimeError")]
)
def test_an_analysis_that_raises_is_a_sentence_and_the_page_is_written(
    error: Exception, sentence: str, monkeypatch: Any
) -> None:
    def fails(*_: Any, **__: Any) -> Any:
        raise error

    for name in ANSWERS.values():
        monkeypatch.setattr(FakeProfile, name, fails)
    found = encode(FakeProfile(trace_of())).meta["answers"]
    assert found == {name: {"absent": f"This could not be worked out: {sentence}"} for name in ANSWERS}
    assert "could not be worked out" in page.html(FakeProfile(trace_of()))


def test_what_json_does_not_hold_is_a_sentence_too() -> None:
    insight = Insight("a-rule", "info", "Something.", [3], "Nothing.", float("nan"))
    found = answers.answers(FakeProfile(trace_of(), found=[insight]))["insights"]
    assert found["absent"].startswith("This could not be worked out: ")
    json.dumps(found, allow_nan=False)


def test_a_big_trace_is_drawn_without_its_answers_which_python_still_gives(monkeypatch: Any) -> None:
    monkeypatch.setattr(answers, "MOST_EVENTS", 8)
    asked: list[str] = []
    for name in ANSWERS.values():
        monkeypatch.setattr(FakeProfile, name, lambda *_, name=name: asked.append(name))
    found = answers.answers(FakeProfile(trace_of()))
    assert asked == []
    for name, call in ANSWERS.items():
        assert f"profile.{call}()" in found[name]["absent"]


#: The answers, and what of a Profile works them out.
ANSWERS = {"insights": "insights"}
