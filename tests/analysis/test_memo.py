"""What is remembered about a trace, and for how long."""

from __future__ import annotations

import gc
from typing import Any

from neuron_nbprof import Profile
from neuron_nbprof.analysis import memo, operators
from neuron_nbprof.analysis.submissions import submissions

from .traces import Script


def test_it_is_worked_out_once_and_forgotten_with_the_trace() -> None:
    gc.collect()
    before = len(memo._known)
    trace = Script().eager("aten::mul", 0, (40, 50)).trace()
    assert submissions(trace) is submissions(trace)
    assert len(memo._known) == before + 1
    other = Script().eager("aten::mul", 0, (40, 60)).trace()
    assert submissions(other).end.tolist() == [60_000]
    del trace, other
    gc.collect()
    assert len(memo._known) == before


def test_a_user_may_change_the_tables_he_is_given() -> None:
    profile = Profile(Script().eager("aten::mul", 0, (40, 50)).trace())
    for answer in (profile.gaps, profile.key_averages, profile.gap_totals):
        first = answer()
        expected = first.copy()
        first["more"] = 1
        first.loc[:, first.columns[-2]] = first.iloc[0, -2]
        assert answer().equals(expected)


def test_the_table_of_operators_is_worked_out_once_however_it_is_shown(monkeypatch: Any) -> None:
    asked = []
    work = operators._copied_bytes
    monkeypatch.setattr(operators, "_copied_bytes", lambda *given: asked.append(1) or work(*given))
    profile = Profile(Script().eager("aten::mul", 0, (40, 50)).eager("aten::add", 30, (60, 90)).trace())
    assert profile.key_averages()["name"].tolist() == ["aten::add", "aten::mul"]
    assert profile.key_averages("compute", top=1)["neuron_us"].tolist() == [30]
    assert profile.key_averages(sort_by="name")["name"].tolist() == ["aten::add", "aten::mul"]
    assert len(asked) == 1
