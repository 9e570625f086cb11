"""Several explorers on one scale in a notebook: their selections, and what stays without a kernel."""

from __future__ import annotations

from typing import Any

import pytest
from matplotlib.collections import PolyCollection

import neuron_nbprof
from neuron_nbprof.explorer import picture, session
from neuron_nbprof.explorer.still import still
from neuron_nbprof.explorer.widget import Explorer
from neuron_nbprof.trace import LinkRule

from .test_page import HOSTILE
from .traces import Edge, FakeProfile, trace_of


def profile(title: str, first: int = 1_000, length: int = 400_000) -> FakeProfile:
    """An operator at ``first`` ns, after a step that began 1 µs before, and its execution 3 µs after."""
    events = [
        (0, 0, first - 1_000, 10_000, 0, "ProfilerStep#1", "user_annotation", b"{}"),
        (0, 1, first, 2_000, 1, "aten::mul", "cpu_op", b"{}"),
        (3, 0, first + 3_000, length, 2, "nc_exec_running", "neuron_hw", b"{}"),
    ]
    trace = trace_of(events, [Edge(1, 2, LinkRule.EXEC_FLOW, 1)], title=title)
    return FakeProfile(trace, (("aten::mul", 1.0),))


def test_its_explorers_are_those_of_the_profiles() -> None:
    slow, fast = profile("slow"), profile("fast", 9_000_000, 100_000)
    view = neuron_nbprof.compare_view(slow, fast, height=200, lanes=["hardware"])
    assert view.explorers == [slow.explore(), fast.explore()]
    assert view.view == {"height": 200, "lanes": [3]} and slow.explore().view == {}
    assert repr(view) == "<Comparison of SIMULATED · slow and fast>"
    state = view.get_state()
    assert state["explorers"] == [f"IPY_MODEL_{one.explore().model_id}" for one in (slow, fast)]
    assert state["library"] == slow.explore().get_state()["library"]
    # Columns and meta travel with the explorers, and not again.
    assert "meta" not in state and "chunks" not in state


def test_a_profile_may_be_compared_with_itself() -> None:
    one = profile("one")
    assert neuron_nbprof.compare_view(one, one).explorers == [one.explore()] * 2


def test_a_comparison_needs_a_profile() -> None:
    with pytest.raises(ValueError, match="no profile"):
        neuron_nbprof.compare_view()


def test_a_profile_whose_explorer_was_closed_gets_a_new_one() -> None:
    one = profile("one")
    closed = one.explore()
    closed.close()
    assert one.explore() is not closed
    assert neuron_nbprof.compare_view(one).explorers == [one.explore()]


def test_the_picture_has_one_scale_and_begins_at_the_first_dispatches() -> None:
    profiles = profile("slow"), profile("fast", 9_000_000, 100_000)
    figure = picture.plot(*profiles)
    above, below = figure.axes
    # From the step, 1 µs before the dispatch, to the end of the longer execution.
    assert above.get_xlim() == below.get_xlim() == (-1.0, 403.0)

    def hardware(axes: Any) -> tuple[float, float]:
        boxes = [
            path.get_extents()
            for collection in axes.collections
            if isinstance(collection, PolyCollection)
            for path in collection.get_paths()
        ]
        lowest = max(boxes, key=lambda box: box.y0)
        return lowest.x0, lowest.x1

    assert hardware(above) == (3.0, 403.0) and hardware(below) == (3.0, 103.0)
    assert below.get_xlabel() == "time after the first dispatch, µs"


def test_what_stays_is_the_picture_and_what_compare_says() -> None:
    shown = still([profile("slow"), profile(HOSTILE, 9_000_000, 100_000)], "an-id")
    assert 'data-nbp-picture="an-id"' in shown and "SIMULATED · slow and" in shown
    assert "100 µs on the device where slow takes 400 µs" in shown
    assert HOSTILE not in shown and len(shown) < 200_000


def test_once_a_page_was_asked_for_pages_are_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[Any] = []
    monkeypatch.setattr("IPython.display.display", lambda what, **options: shown.append(what))
    monkeypatch.setattr(session, "pages", True)
    one = profile("one")
    one.explore()._ipython_display_()
    neuron_nbprof.compare_view(one, one)._ipython_display_()
    assert [type(what).__name__ for what in shown] == ["Embedded", "Embedded"]
    assert [len(what.profiles) for what in shown] == [1, 2]
    assert isinstance(one.explore(), Explorer), "in Python it stays what it is"
