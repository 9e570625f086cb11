"""Counters of a trace as columns for the browser: what the capture samples, and what its copies add up to."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..analysis.transfers import transfers
from ..trace import Counter, Trace
from .clock import FARTHEST, Clock


def sampled(trace: Trace, clock: Clock) -> tuple[list[dict[str, Any]], dict[str, NDArray[Any]]]:
    """What each counter is, and the samples of all of them one counter after the other.

    Times count as the events' do. Samples beyond what a browser holds exactly stay behind, and are counted
    in ``left_out``.
    """
    facts, times, values = [], [], []
    for counter in (*trace.counters, *transfers(trace)):
        time = counter.time - clock.base
        near = np.abs(time) <= FARTHEST
        if not near.any():
            continue
        facts.append(_facts(counter, near))
        times.append(time[near].astype("<i8"))
        values.append(counter.value[near].astype("<f8"))
    if not facts:
        return [], {}
    return facts, {"counter_time": np.concatenate(times), "counter_value": np.concatenate(values)}


def _facts(counter: Counter, near: NDArray[np.bool_]) -> dict[str, Any]:
    return {
        "label": counter.label,
        "unit": counter.unit,
        "source": counter.source,
        "span_ns": counter.span_ns,
        "instance": counter.instance,
        "process": counter.process,
        "samples": int(near.sum()),
        "left_out": int((~near).sum()),
    }
