"""What a comparison says in words, and what it must not say."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any

from ..trace import Trace
from .versions import Version

if TYPE_CHECKING:
    import pandas as pd

_PARTS = {2: "half", 3: "a third", 4: "a quarter", 5: "a fifth", 6: "a sixth", 7: "a seventh", 8: "an eighth"}


def sentences(versions: Sequence[Version], savings: pd.DataFrame) -> list[str]:
    """For each version against the baseline: how long, why, what the difference is made of; then the
    pairs between which there is no winner."""
    base, *others = versions
    said = []
    for other in others:
        if not base.device_us or not other.device_us:
            empty = other if base.device_us else base
            said.append(f"Nothing of {empty.trace.title} reached the hardware: was there a synchronise?")
            continue
        said.append(_how_long(base, other))
        if other.executions != base.executions or other.idle_us != base.idle_us:
            said.append(_made_of(base, other, savings.loc[other.trace.title].to_dict()))
    for a, b in combinations(versions, 2):
        reason = no_winner(a, b)
        if reason:
            said.append(f"No winner between {a.trace.title} and {b.trace.title}: {reason}.")
    if any(v.trace.simulated for v in versions):
        said.append("Simulated times come from a cost model; nothing of them was measured.")
    return said


def _how_long(base: Version, other: Version) -> str:
    ratio = other.device_us / base.device_us
    part = next((text for n, text in _PARTS.items() if abs(ratio * n - 1) < 0.06), None)
    about = f", about {part}" if part else ""
    text = (
        f"{other.trace.title} takes {other.device_us:,.0f} µs on the device where {base.trace.title} takes "
        f"{base.device_us:,.0f} µs ({ratio:.2f}×{about}): "
    )
    if base.executions == other.executions:
        text += f"both in {_executions(base.executions)}"
    else:
        text += f"{_executions(base.executions)} became {_number(other.executions)}"
    tensors = base.intermediates - other.intermediates
    if tensors > 0:
        size = base.intermediate_bytes - (other.intermediate_bytes if other.intermediates else 0)
        known = f" ({size / 1e6:,.1f} MB)" if size > 0 else ""
        text += (
            f", and up to {_number(tensors)} intermediate tensors{known} are no longer written between them"
        )
    host = f"; the host takes {other.host_us:,.0f} instead of {base.host_us:,.0f} µs"
    return f"{text}{host}."


def _made_of(base: Version, other: Version, saved: dict[str, Any]) -> str:
    # of a version that loses, every part is what it adds
    sign, verb, change = (1, "saves", "fewer") if saved["saved_us"] >= 0 else (-1, "loses", "more")
    total, gaps, executions, data, removed = (
        sign * saved[name]
        for name in ("saved_us", "gaps_us", "executions_us", "data_us", "executions_removed")
    )
    most, least = ("", "") if saved["cost_basis"] == "given" else ("at most ", "at least ")
    return (
        f"From its first execution to its last it {verb} {total:,.0f} µs: {gaps:,.0f} µs are gaps between "
        f"executions, {most}{executions:,.0f} µs are {_executions(removed)} {change} at "
        f"{saved['execution_cost_us']:,.1f} µs each ({saved['cost_basis']}), {least}{data:,.0f} µs are the "
        "rest, time spent on data."
    )


def no_winner(a: Version, b: Version) -> str:
    """Why the device times of two versions say nothing about which is faster; '' when they do."""
    if not a.device_us or not b.device_us:
        return ""
    if a.trace.simulated != b.trace.simulated:
        return "one is simulated, the other measured"
    if a.trace.simulated and _alike(a, b):
        return f"their device times differ by less than the model's error of {model_error(a.trace):.0%}"
    spans = [(min(v.step_device_us), max(v.step_device_us)) for v in (a, b)]
    if min(a.steps, b.steps) > 1 and spans[0][0] <= spans[1][1] and spans[1][0] <= spans[0][1]:
        return "over the recorded steps they take " + " and ".join(
            f"{low:,.0f} to {high:,.0f} µs" for low, high in spans
        )
    return ""


def remark(version: Version, versions: Sequence[Version]) -> str:
    """What must not be concluded from a version's row."""
    others = [other for other in versions if other is not version]
    alike = [
        o.trace.title for o in others if version.trace.simulated and o.trace.simulated and _alike(version, o)
    ]
    remarks = [f"device time not distinguished by the model from {', '.join(alike)}"] if alike else []
    if not version.device_us:
        remarks.append("nothing reached the hardware: was there a synchronise inside the recorded run?")
    if version.trace.simulated and not all(other.trace.simulated for other in others):
        remarks.append("simulated, not comparable with the measured ones")
    if len({v.steps for v in versions}) > 1:
        remarks.append(f"mean of {version.steps} recorded step{'' if version.steps == 1 else 's'}")
    return "; ".join(remarks)


def _alike(a: Version, b: Version) -> bool:
    longer = max(a.device_us, b.device_us)
    return (
        bool(a.device_us and b.device_us) and abs(a.device_us - b.device_us) <= model_error(a.trace) * longer
    )


def model_error(trace: Trace) -> float:
    """Relative error of the device times of a simulated trace, as its cost model states it (0 if none)."""
    model = trace.attributes.get("neuron_simulated")
    resolution = model.get("resolution") if isinstance(model, dict) else None
    return float(resolution.get("device_relative_error", 0.0)) if isinstance(resolution, dict) else 0.0


def _number(value: float) -> str:
    return f"{value:,.0f}" if value == int(value) else f"{value:,.1f}"


def _executions(value: float) -> str:
    return f"{_number(value)} execution{'' if value == 1 else 's'}"
