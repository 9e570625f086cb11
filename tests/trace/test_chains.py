"""Chains against hand-walked golden files, which the TypeScript core is held to as well."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from neuron_nbprof.trace import Arguments, Lane, LinkRule, Links, Trace, Track, chain

GOLDEN = sorted((Path(__file__).parent.parent / "golden" / "chains").glob("*.json"))


def trace_of(golden: dict[str, Any]) -> Trace:
    events = golden["events"]
    n = len(events)
    names = sorted({event["name"] for event in events})
    tracks = {event["track"]: event["lane"] for event in events}
    depth = np.searchsorted(np.array(golden["row_ptr"]), np.arange(n), side="right")
    edges = [
        (np.array([source]), np.array([target]), LinkRule(rule), np.array([int(key)]))
        for source, target, rule, key in golden["edges"]
    ]
    return Trace(
        origin_ns=0,
        tracks=[Track(f"track {i}", Lane(tracks[i]), "", "", str(i)) for i in sorted(tracks)],
        strings=names,
        start=np.array([event["start"] for event in events], np.int64),
        dur=np.array([event["dur"] for event in events], np.int64),
        id=np.arange(n, dtype=np.int64),
        lane=np.array([event["lane"] for event in events], np.uint8),
        track=np.array([event["track"] for event in events], np.int32),
        name=np.array([names.index(event["name"]) for event in events], np.int32),
        category=np.zeros(n, np.int32),
        depth=depth.astype(np.uint16),
        parent=np.full(n, -1, np.int64),
        links=Links.from_edges(n, edges),
        arguments=Arguments.of([None] * n),
    )


def cases() -> list[Any]:
    found = []
    for path in GOLDEN:
        golden = json.loads(path.read_text())
        found += [
            pytest.param(golden, expected, id=f"{path.stem}-{expected['event']}")
            for expected in golden["chains"]
        ]
    return found


def test_there_are_golden_files() -> None:
    assert len(GOLDEN) >= 3


@pytest.mark.parametrize(("golden", "expected"), cases())
def test_chain_is_the_one_walked_by_hand(golden: dict[str, Any], expected: dict[str, Any]) -> None:
    trace = trace_of(golden)
    found = chain(trace, expected["event"])
    links = trace.links
    assert found.nodes == expected["nodes"]
    assert sorted([int(links.sources[e]), int(links.targets[e])] for e in found.edges) == expected["edges"]
    assert [
        {
            "stations": [
                {"lane": int(s.lane), "rows": s.rows, "start": s.start, "end": s.end} for s in line.stations
            ],
            "waits": [{"ns": w.ns, "rule": int(w.rule), "key": str(w.key)} for w in line.waits],
            "stream": line.stream,
            "total": line.total,
        }
        for line in found.lines
    ] == expected["lines"]


@pytest.mark.parametrize(("golden", "expected"), cases())
def test_stations_and_waits_add_up_to_the_total(golden: dict[str, Any], expected: dict[str, Any]) -> None:
    for line in chain(trace_of(golden), expected["event"]).lines:
        assert sum(s.dur for s in line.stations) + sum(w.ns for w in line.waits) == line.total


def test_a_chain_that_reaches_too_far_is_cut_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("neuron_nbprof.trace.chains.MAX_NODES", 4)
    golden = json.loads((GOLDEN[0].parent / "eager_lnc2.json").read_text())
    found = chain(trace_of(golden), 0)
    assert found.truncated
    assert len(found.nodes) == 4
