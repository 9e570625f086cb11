"""Every answer on public traces: none fails, and what is known of a trace by other means is found."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

import neuron_nbprof
from neuron_nbprof import Profile

CORPUS = Path(os.environ.get("NBPROF_CORPUS") or "/nowhere")
pytestmark = pytest.mark.skipif(not CORPUS.is_dir(), reason="NBPROF_CORPUS names no folder of traces")
LARGEST = 200_000  # bytes: the larger ones belong to the tests of the readers


def traces() -> list[Path]:
    return [path for path in sorted(CORPUS.glob("*/**/*.json*")) if path.stat().st_size < LARGEST]


def test_every_answer_holds_on_every_trace() -> None:
    read = 0
    for path in traces():
        try:
            profile = neuron_nbprof.open(path)
        except neuron_nbprof.ReadError:
            continue
        read += 1
        answers(profile)
    assert read > 50


def answers(profile: Profile) -> None:
    table = profile.key_averages()
    for group_by in ("name+shape", "stack", "module"):
        parts = profile.key_averages(group_by=group_by)
        assert np.isclose(parts["neuron_us"].sum(), table["neuron_us"].sum())
        assert parts["calls"].sum() == table["calls"].sum()
    latency = profile.latency()
    parts = latency[[column for column in latency if column.endswith("_us")]].drop(
        columns=["total_us", "stream_us"]
    )
    assert np.allclose(parts.sum(axis=1), latency["total_us"])
    totals = profile.gap_totals()
    assert np.allclose(totals["busy_us"] + totals["idle_us"], totals["window_us"])
    path = profile.critical_path()
    if len(path):
        assert np.allclose(path.groupby("step")["share"].sum(), 1)
    assert len(profile.lines()) == 0
    assert all(profile.trace.position(event) >= 0 for found in profile.insights() for event in found.evidence)
    assert len(str(profile).splitlines()) <= 25
    assert neuron_nbprof.compare(profile, profile).savings["saved_us"].abs().max() == 0


@pytest.mark.parametrize("name", ["h100_qwen.json.gz", "mi300_qwen.json.gz"])
def test_the_norms_of_a_24_layer_model_are_found(name: str) -> None:
    (path,) = CORPUS.glob(f"traces/*/{name}")
    (found,) = [i for i in neuron_nbprof.open(path).insights() if "RMSNorm" in i.sentence]
    # two in each layer and one at the end, of seven operators each
    assert "343 executions can be 49" in found.sentence and "RMSNorm, 49 times" in found.sentence
