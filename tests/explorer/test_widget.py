"""The notebook widget's Python side: selection, chain, and what goes over the wire."""

from __future__ import annotations

import base64
import gzip
import re
import sys

import pytest
import traitlets

from neuron_nbprof.errors import NeuronProfilerError
from neuron_nbprof.explorer import widget
from neuron_nbprof.explorer.columns import encode
from neuron_nbprof.explorer.frontend import module
from neuron_nbprof.explorer.still import still
from neuron_nbprof.explorer.widget import Explorer
from neuron_nbprof.profile import Profile

from .traces import EVENTS, FakeProfile, trace_of


@pytest.fixture
def explorer() -> Explorer:
    return Explorer(FakeProfile(trace_of()))


def test_select_by_name_takes_the_nth_in_order_of_start(explorer: Explorer) -> None:
    explorer.select("aten::add", 1)
    assert explorer.selected == 11
    explorer.select("aten::add")
    assert explorer.selected == 10
    explorer.select("aten::add", -1)
    assert explorer.selected == 11


def test_select_by_id_and_clear(explorer: Explorer) -> None:
    explorer.select(7)
    assert explorer.selected == 7
    explorer.select(None)
    assert explorer.selected is None


@pytest.mark.parametrize(("event", "n"), [("aten::mul", 1), ("no such", 0), (999, 0)])
def test_selecting_what_is_not_there_is_refused(explorer: Explorer, event: str | int, n: int) -> None:
    with pytest.raises(ValueError, match=r"^There (is|are) .*\.$"):
        explorer.select(event, n)
    assert explorer.selected is None


def test_the_trait_takes_only_events_of_the_trace(explorer: Explorer) -> None:
    with pytest.raises(traitlets.TraitError, match="no event 12345"):
        explorer.selected = 12345


def test_an_observer_hears_of_a_selection_once(explorer: Explorer) -> None:
    heard: list[object] = []
    explorer.observe(lambda change: heard.append(change["new"]), "selected")
    explorer.select("aten::mul", 0)
    explorer.select("aten::mul", 0)
    assert heard == [3]


def test_the_chain_has_a_row_for_each_of_the_four_stations(explorer: Explorer) -> None:
    explorer.select("aten::mul", 0)
    chain = explorer.chain
    assert list(chain.columns) == [
        "station", "lane", "track", "name", "start_us", "duration_us", "wait_before_us", "rule",
    ]  # fmt: skip
    assert chain.lane.tolist() == ["Dispatch", "Stream", "Runtime", "Hardware"]
    assert chain.station.tolist() == [1, 2, 3, 4]
    names = ["aten::mul", "aten::mul.Tensor", "nrta_execute_schedule", "nc_exec_running"]
    assert chain.name.tolist() == names
    assert chain.track.tolist()[3] == "neuron_hw/NC0:4"
    assert chain.rule.tolist() == ["", "seen by the framework, not added", "nrt_sequence_id", "exec flow"]
    assert chain.start_us.tolist() == [-5.0, 30.0, 31.0, 45.0]
    # The operator ends at 15 µs, the runtime row at 40 µs.
    assert chain.wait_before_us.fillna(0).tolist() == [0, 0, 16.0, 5.0]
    assert chain.index.tolist() == [1, 1, 1, 1]


def test_stations_and_waits_of_the_table_add_up(explorer: Explorer) -> None:
    explorer.select(7)
    counted = explorer.chain[explorer.chain.lane != "Stream"]
    # From the start of the operator, -5 µs, to the end of the execution, 45 + 388 µs.
    assert counted.duration_us.sum() + counted.wait_before_us.sum() == 438.0


def test_without_a_selection_the_chain_is_empty(explorer: Explorer) -> None:
    assert explorer.chain.empty
    assert "wait_before_us" in explorer.chain.columns


def test_columns_travel_in_messages_of_limited_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(widget, "CHUNK_BYTES", 100)
    explorer = Explorer(FakeProfile(trace_of()))
    assert len(explorer.chunks) > 1
    assert all(len(chunk.data) <= 100 for chunk in explorer.chunks)
    packed = b"".join(chunk.data for chunk in explorer.chunks)
    assert gzip.decompress(packed) == encode(FakeProfile(trace_of())).block


def test_arguments_stay_in_the_kernel_beyond_a_limit_and_are_told_when_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(widget, "MOST_ARGS", 30)
    explorer = Explorer(FakeProfile(trace_of()))
    assert explorer.meta["args_until"] == 2
    said: list[object] = []
    monkeypatch.setattr(explorer, "send", said.append)
    strange = [None, 5, {}, {"type": "other", "row": 4}]
    for question in [{"type": "args", "row": row} for row in (4, 2, 99, -1, "4", None, True)] + strange:
        explorer._handle_custom_msg(question, [])
    texts = ['{"seq": 281474976710685}', '{"note": "\u00e9\u202e <b>"}', None, None, None, None, None]
    assert [answer["text"] for answer in said] == texts
    assert said[0] == {"type": "args", "row": 4, "text": texts[0]}


def test_bokeh_and_what_draws_travel_once_however_many_explorers(explorer: Explorer) -> None:
    other = Explorer(FakeProfile(trace_of()))
    assert other.library is explorer.library
    assert b"BokehJS" in gzip.decompress(explorer.library.bokeh)
    assert gzip.decompress(explorer.library.drawing).decode() == module("drawing.js")
    assert len(explorer._esm) < 2_000, "which every widget repeats"


def test_repr_is_one_short_line(explorer: Explorer) -> None:
    assert repr(explorer) == f"<SIMULATED Explorer 'by hand': {len(EVENTS)} events, selected None>"


def test_closing_lets_go_of_the_columns_and_keeps_bokeh(explorer: Explorer) -> None:
    chunks, library = explorer.chunks, explorer.library
    explorer.close()
    assert all(chunk.comm is None for chunk in chunks)
    assert library.comm is not None


def test_lanes_are_chosen_by_title_or_number(explorer: Explorer) -> None:
    explorer.arrange(320, ["dispatch", 4])
    assert explorer.view == {"height": 320, "lanes": [0, 3]}
    explorer.arrange()
    assert explorer.view == {"height": None, "lanes": None}


@pytest.mark.parametrize("lane", [0, 5, "engine"])
def test_a_lane_that_there_is_not_is_refused(explorer: Explorer, lane: int | str) -> None:
    with pytest.raises(ValueError, match=r"no lane .*; there are 1 Dispatch, .* 4 Hardware\.$"):
        explorer.arrange(lanes=[lane])


def test_explore_takes_height_lanes_and_a_selection_and_stays_one_widget() -> None:
    profile = Profile(trace_of())
    explorer = profile.explore(height=300, lanes=["hardware"], select="aten::add")
    assert explorer.view == {"height": 300, "lanes": [3]}
    assert explorer.selected == 10
    assert profile.explore() is explorer and explorer.view["height"] == 300


def test_the_picture_beside_the_widget_is_small_and_names_what_it_is(explorer: Explorer) -> None:
    shown = still([explorer._profiles[0]], explorer.picture)
    assert f'data-nbp-picture="{explorer.picture}"' in shown
    assert 'alt="Lanes of SIMULATED · by hand' in shown and "<table" not in shown
    picture = base64.b64decode(re.search(r"base64,([^\"]+)", shown)[1])  # type: ignore[index]
    assert picture.startswith(b"\x89PNG")
    assert len(shown) < 200_000


def test_without_matplotlib_the_table_stays(explorer: Explorer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    shown = still([explorer._profiles[0]], explorer.picture)
    assert "<img" not in shown and "aten::mul" in shown
    with pytest.raises(NeuronProfilerError, match="pip install matplotlib"):
        Profile(trace_of()).plot()


@pytest.mark.parametrize("matplotlib", [True, False])
def test_names_in_the_picture_and_its_table_are_text(
    monkeypatch: pytest.MonkeyPatch, matplotlib: bool
) -> None:
    if not matplotlib:
        monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    name = "<img src=x onerror=alert(1)>$\\frac{"
    events = [(0, 0, 0, 10, 0, name, "cpu_op", b"{}")]
    shown = still([FakeProfile(trace_of(events, [], title=name, device=name), ((name, 1.0),))], "id")
    assert "<img src=x" not in shown and "&lt;img src=x" in shown


def test_a_widget_is_shown_as_a_picture_and_then_itself(
    explorer: Explorer, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown: list[dict[str, object]] = []
    monkeypatch.setattr("IPython.display.display", lambda data, raw: shown.append(data))
    explorer._ipython_display_()
    assert "application/vnd.jupyter.widget-view+json" in shown[1]
    assert list(shown[0]) == ["text/html", "text/plain"]


def test_an_embedded_explorer_is_a_sandboxed_frame(explorer: Explorer) -> None:
    frame = explorer.embed(height=640)._repr_html_()
    assert re.match(
        r'<iframe title="Explorer of SIMULATED · by hand" sandbox="allow-scripts" srcdoc="&lt;!doctype', frame
    )
    assert "height: 640px" in frame and frame.count("<") == 2
