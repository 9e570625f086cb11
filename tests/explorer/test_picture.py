"""The static picture: the right bars in the right place, in the colours of the explorer."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from matplotlib.collections import PolyCollection
from matplotlib.colors import to_hex

from neuron_nbprof.explorer import colours, picture
from neuron_nbprof.profile import Profile

from .traces import FakeProfile, trace_of


def bars(figure: Any) -> list[tuple[str, float, float]]:
    """Colour, begin and end of every bar, from the top down and by time."""
    found = []
    for collection in figure.axes[0].collections:
        if not isinstance(collection, PolyCollection):
            continue
        for path in collection.get_paths():
            (left, top), (right, _) = path.vertices.min(axis=0), path.vertices.max(axis=0)
            found.append((top, left, right, to_hex(collection.get_facecolor()[0])))
    return [(colour, left, right) for _, left, right, colour in sorted(found)]


def test_bars_lie_where_the_events_are() -> None:
    events = [(0, 0, 1_000, 2_000, 0, "aten::mul", "cpu_op", b"{}"),
              (0, 0, 5_000, 1_000, 1, "aten::add", "cpu_op", b"{}"),
              (3, 0, 3_000, 6_000, 2, "nc_exec_running", "neuron_hw", b"{}")]  # fmt: skip
    profile = FakeProfile(trace_of(events, []), (("aten::mul", 1.0), ("aten::add", 1.0)))
    blue, orange, plain = "#0072b2", "#e69f00", "#c9cfd6"
    assert bars(picture.plot(profile)) == [(blue, 0, 2), (orange, 4, 5), (plain, 2, 8)]


def test_all_lanes_are_named_and_simulated_stands_in_the_title() -> None:
    figure = Profile(trace_of()).plot(width=5)
    texts = [text.get_text() for text in figure.axes[0].texts]
    for title in ("1 Dispatch", "2 Stream", "3 Runtime", "4 Hardware"):
        assert title in texts
    assert figure.axes[0].get_title(loc="left") == "SIMULATED · by hand"
    assert figure.get_size_inches()[0] == 5


def test_of_many_short_events_each_column_keeps_one() -> None:
    events = [(0, 0, 10 * i, 5, i, "aten::mul", "cpu_op", b"{}") for i in range(50_000)]
    drawn = bars(picture.plot(FakeProfile(trace_of(events, []))))
    assert 1_900 < len(drawn) <= 2_001
    gaps = [after[1] - before[2] for before, after in pairwise(drawn)]
    assert max(gaps) < 1, "and nothing is left out in between (µs)"


@pytest.mark.parametrize("events", [[], [(0, 0, 7, 0, 0, "a", "cpu_op", b"{}")]])
def test_a_trace_of_nothing_or_next_to_nothing_is_drawn(events: list[Any]) -> None:
    assert picture.png(FakeProfile(trace_of(events, []), ())) is not None


def test_colours_are_those_of_the_browser() -> None:
    source = (Path(__file__).parents[2] / "frontend" / "src" / "core" / "colours.ts").read_text()
    hues = re.search(r"const HUES = \[([^\]]+)\]", source)
    assert hues and tuple(re.findall(r"#\w{6}", hues[1])) == colours.HUES
    tones = re.findall(r"tone\(hue, (\d+), ([\d.]+)\)", source)
    assert [(int(towards), float(share)) for towards, share in tones] == list(colours.TONES[1:])
