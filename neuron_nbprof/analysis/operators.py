"""Which operators take the time, on the host and on the device."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from ..torch_table import TorchTable
from ..trace import Trace
from .calls import KINDS, calls
from .label import labelled
from .memo import once_per_trace
from .ownership import Rows, device_work, ids_of
from .shapes import signatures
from .stacks import python_stacks
from .submissions import Submissions, submissions

if TYPE_CHECKING:
    import pandas as pd

Where = Literal["all", "compute", "copy", "allocation", "synchronise", "host"]
GroupBy = Literal["name", "name+shape", "stack", "module"]
COLUMNS = (
    "name", "calls", "cpu_us", "self_cpu_us", "neuron_us", "share", "executions", "kind", "launches",
    "mean_us", "median_us", "p95_us", "max_us", "input_bytes", "flops", "copied_bytes",
)  # fmt: skip
#: What groups beyond the name, by the column that shows it.
GROUPS = {"name": None, "name+shape": "shapes", "stack": "stack", "module": "module"}


@labelled
def key_averages(
    trace: Trace,
    where: Where = "all",
    group_by: GroupBy = "name",
    sort_by: str = "neuron_us",
    top: int | None = None,
) -> pd.DataFrame:
    """One row per operator, by default by name, the most expensive on the device first. Times in µs.

    ``kind`` keeps copies, allocation and synchronisation apart from compute; ``where`` keeps one kind
    (``"compute"`` is the guide's view). ``calls``; ``cpu_us``, ``self_cpu_us``: host time with and without
    the operators inside; ``neuron_us``: device time of what the calls launched themselves, each call the
    union over its physical cores (at LNC=2 a plain sum would double it); ``share`` of the sum of all
    ``neuron_us`` (0..1, NaN when nothing ran on the device); ``mean_us``, ``median_us``, ``p95_us``,
    ``max_us``: device time per call, of the calls that executed; ``launches``: submissions; ``executions``:
    those that reached the hardware; ``input_bytes``: of the tensors given to the calls; ``flops``: of
    matrix products; ``copied_bytes``: that the calls moved between host and device; each NaN where the
    recording does not tell.

    ``group_by`` may add ``"name+shape"``, ``"stack"`` (the Python frames around) or ``"module"`` (the
    `nn.Module` around; both need `with_stack`); ``top`` keeps the first rows.
    """
    if where != "all" and where not in KINDS:
        raise ValueError(f"where is 'all' or one of {', '.join(KINDS)}, not {where!r}")
    if group_by not in GROUPS:
        raise ValueError(f"group_by is one of {', '.join(GROUPS)}, not {group_by!r}")
    keys = ["name", *filter(None, [GROUPS[group_by]])]
    table = _by_name(trace) if group_by == "name" else _grouped(trace, group_by, keys)
    if sort_by not in table or sort_by in ("kind", *keys[1:]):
        numbers = [name for name in table.columns if name not in ("kind", *keys[1:])]
        raise ValueError(f"sort_by is one of {', '.join(numbers)}, not {sort_by!r}")
    if where != "all":
        table = table[table["kind"] == where]
    order = [sort_by, "neuron_us", "cpu_us", "name"]
    table = table.sort_values(order, ascending=[sort_by == "name", False, False, True], kind="stable")
    shown = [COLUMNS[0], *keys[1:], *COLUMNS[1:]]
    return table[shown].head(len(table) if top is None else top).reset_index(drop=True)


@once_per_trace
def _by_name(trace: Trace) -> pd.DataFrame:
    """What is asked for most: the table below a cell, the explorer and its picture all show it."""
    return _grouped(trace, "name", ["name"])


def _add_details(trace: Trace, each: pd.DataFrame, group_by: str) -> None:
    import pandas as pd

    rows: Rows = each["row"].to_numpy()
    numbers, known = signatures(trace, rows)
    table = {
        "shapes": np.array([signature.text for signature in known], object),
        "input_bytes": np.array([signature.input_bytes for signature in known], float),
        "flops": np.array([signature.flops for signature in known], float),
    }
    for column, values in table.items():
        each[column] = values[numbers]
    if group_by in ("stack", "module"):
        numbers, texts = python_stacks(trace, rows, modules=group_by == "module")
        # long texts are grouped by their numbers; two paths may read the same
        codes, categories = pd.factorize(np.array(texts, object))
        each[group_by] = pd.Categorical.from_codes(codes[numbers], categories)


def measured_on_host(trace: Trace, table: pd.DataFrame) -> NDArray[np.bool_]:
    """Of each row of `key_averages`, whether its host time is measured although the trace is simulated.

    So it is of operators that did not run on the device, in captures whose model has no time for the host's
    own steps; where the host synchronises, the model inserts its waits.
    """
    model = trace.attributes.get("neuron_simulated")
    constants = model.get("constants") if isinstance(model, dict) else None
    names = [one.get("name") for one in constants or () if isinstance(one, dict)]
    if not trace.simulated or "host_step_us" in names:
        return np.zeros(len(table), bool)
    found: NDArray[np.bool_] = ((table["launches"] == 0) & (table["kind"] != "synchronise")).to_numpy()
    return found


class _Copy(msgspec.Struct):
    size: int | str | None = None


def _copied_bytes(trace: Trace, found: Submissions, rows: Rows) -> NDArray[np.float64]:
    """Bytes of the copies of each operator, as their runtime rows give them."""
    decoder = msgspec.json.Decoder(_Copy)
    total = np.full(len(trace), np.nan)
    copies = np.flatnonzero(found.is_copy & (found.operator >= 0) & (found.runtime >= 0))
    for operator, runtime in zip(
        found.operator[copies].tolist(), found.runtime[copies].tolist(), strict=True
    ):
        raw = trace.arguments[runtime]
        try:
            size = decoder.decode(raw).size if raw is not None else None
        except msgspec.DecodeError:
            continue
        if size is not None and str(size).isdecimal():
            total[operator] = np.nansum([total[operator], float(size)])
    return total[rows]


def _grouped(trace: Trace, group_by: GroupBy, keys: list[str]) -> pd.DataFrame:
    """A row per group, in order of first appearance."""
    each = calls(trace).copy()
    total = int(each["neuron_ns"].sum())
    _add_details(trace, each, group_by)
    each["copied_bytes"] = _copied_bytes(trace, submissions(trace), each["row"].to_numpy())
    each["order"] = each["kind"].cat.codes
    groups = each.groupby(keys, as_index=False, sort=False, observed=True)
    table = groups.agg(
        calls=("row", "size"), cpu_us=("cpu_ns", "sum"), self_cpu_us=("self_cpu_ns", "sum"),
        neuron_us=("neuron_ns", "sum"), executions=("executions", "sum"), order=("order", "min"),
        launches=("launches", "sum"),
    )  # fmt: skip
    known = groups[["input_bytes", "flops", "copied_bytes"]].sum(min_count=1)
    executed = each[each["executions"] > 0].groupby(keys, as_index=False, sort=False, observed=True)[
        "neuron_ns"
    ]
    spread = executed.agg(mean_us="mean", median_us="median", max_us="max")
    spread["p95_us"] = executed.quantile(0.95)["neuron_ns"]
    table = table.merge(known, on=keys).merge(spread, on=keys, how="left")
    table[keys] = table[keys].astype(str)
    table["kind"] = [KINDS[number] for number in table.pop("order")]
    times = ["cpu_us", "self_cpu_us", "neuron_us", "mean_us", "median_us", "p95_us", "max_us"]
    table[times] = table[times].astype(float) / 1000.0
    table["share"] = table["neuron_us"] * 1000 / total if total else np.nan
    return table


@labelled
def distribution(trace: Trace, name: str) -> pd.DataFrame:
    """Every call of one operator in order of start: event, start_us, cpu_us, neuron_us, executions."""
    each = calls(trace)
    each = each[each["name"] == name]
    each = each.iloc[np.argsort(trace.start[each["row"]], kind="stable")]
    rows = each["row"].to_numpy()
    table = each[["cpu_ns", "neuron_ns", "executions"]].reset_index(drop=True)
    table.insert(0, "event", ids_of(trace, rows))
    table.insert(1, "start_us", trace.start[rows] / 1000)
    for column in ("cpu", "neuron"):
        table[f"{column}_us"] = table.pop(f"{column}_ns") / 1000
    return table[["event", "start_us", "cpu_us", "neuron_us", "executions"]]


def reconcile(trace: Trace, table: TorchTable | None) -> str:
    """One sentence on how torch's own `key_averages()` agrees with the trace, and why it does not; '' where
    there is none, or where neither of the two speaks of a device."""
    ours = key_averages(trace)["neuron_us"].sum()
    if table is None or not (ours or table.device_us):
        return ""
    theirs, split = table.device_us, table.rows - table.names
    tail = f" It splits {split} of its rows by a mark that its totals depend on." if split else ""
    if not ours:
        return f"torch counts {theirs:,.1f} µs of device time, the trace holds no execution.{tail}"
    if not theirs:
        return (
            f"torch's device column is empty, the trace has {ours:,.1f} µs: the profiler stopped before the "
            f"device had finished, or this torch counts driver rows as host rows; use the trace.{tail}"
        )
    if abs(theirs - ours) <= 0.01 * ours:
        return f"torch counts {theirs:,.1f} µs of device time, the trace {ours:,.1f} µs: they agree.{tail}"
    per_core = int(trace.dur[device_work(trace)].sum()) / 1000
    if abs(theirs - per_core) <= 0.01 * per_core:
        return (
            f"torch counts {theirs:,.1f} µs of device time, {theirs / ours:.1f}× the {ours:,.1f} µs of "
            f"the trace: it adds the row of every physical core (LNC=2), which run at the same time.{tail}"
        )
    return (
        f"torch counts {theirs:,.1f} µs of device time, the trace {ours:,.1f} µs ({theirs / ours:.2f}×); "
        f"the trace is the hardware's own account.{tail}"
    )
