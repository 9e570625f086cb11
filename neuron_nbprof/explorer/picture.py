"""A static picture of the four lanes, by matplotlib: for papers, and for a notebook without its kernel."""

from __future__ import annotations

from dataclasses import dataclass
from io import BytesIO
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..errors import NeuronProfilerError
from ..trace import Lane, Trace
from .colours import WAITING, colours, hex_of, operator_colours, readable
from .page import title

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: Columns that the picture tells apart; events narrower than one are drawn one column wide.
COLUMNS = 2_000
#: Share of the width from which on a bar bears its name, for each of its letters.
LETTER = 0.009
#: Share of the width that a letter in a bar takes, and bars of a row that may bear their name.
LETTER = 0.009
MOST_NAMES = 40
HATCH = "#9aa3ad"
#: Depth rows of a track that are drawn; of deeper ones the title of the track says how many there are more.
DEEPEST = 4
BAR = 0.8
UNITS = ((1e3, 1.0, "ns"), (1e6, 1e3, "µs"), (1e9, 1e6, "ms"), (float("inf"), 1e9, "s"))


def plot(profile: Any, *, width: float = 9.0) -> Figure:
    """The lanes of ``profile`` over time as a matplotlib figure ``width`` inches wide, drawn in no window.

    Raises NeuronProfilerError when matplotlib is not installed.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise NeuronProfilerError("Pictures are drawn by matplotlib: pip install matplotlib") from None

    trace: Trace = profile.trace
    rows = _rows(trace)
    height = 1.0 + 0.24 * (sum(len(of_lane) for of_lane in rows.values()) + len(Lane))
    figure = Figure(figsize=(width, height), layout="constrained")
    axes = figure.subplots()
    first, last = _range(trace)
    scale, unit = next((scale, unit) for limit, scale, unit in UNITS if last - first < limit)
    drawing = _Drawing(axes, trace, _numbers(profile), first, last, scale)
    ticks: list[tuple[float, str]] = []
    y = 0.0
    for lane in Lane:
        axes.text(
            -0.01, y, f"{lane + 1} {lane.title}", transform=axes.get_yaxis_transform(),
            ha="right", va="center", weight="bold", size=9,
        )  # fmt: skip
        y += 1
        for label, events in rows[lane]:
            if label:
                ticks.append((y, label))
            drawing.row(events, y)
            y += 1
    axes.set_ylim(y - 0.4, -0.6)
    axes.set_xlim(0, (last - first) / scale or 1)
    axes.set_yticks([at for at, _ in ticks], [label for _, label in ticks], size=8, parse_math=False)
    axes.tick_params(axis="y", length=0)
    axes.set_xlabel(f"time after the first event, {unit}", size=9)
    axes.set_title(title(profile), size=10, loc="left", parse_math=False)
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.grid(axis="x", color="#e5e8ec", zorder=0)
    return figure


def png(profile: Any, *, width: float = 9.0, dpi: int = 110) -> bytes | None:
    """The picture as a PNG, or None where there is no matplotlib."""
    try:
        figure = plot(profile, width=width)
    except NeuronProfilerError:
        return None
    out = BytesIO()
    figure.savefig(out, format="png", dpi=dpi)
    return out.getvalue()


def _range(trace: Trace) -> tuple[int, int]:
    """First and last time that is drawn: without the outermost events, should they lie far away."""
    if not len(trace):
        return 0, 1
    low, high = (int(value) for value in np.quantile(trace.start, [0.01, 0.99], method="nearest"))
    room = (50 if len(trace) < 100 else 4) * (high - low) or 2**62
    near = (trace.start >= low - room) & (trace.end <= high + room)
    if not near.any():
        return int(trace.start.min()), int(trace.end.max())
    return int(trace.start[near].min()), int(trace.end[near].max())


def _rows(trace: Trace) -> dict[Lane, list[tuple[str, NDArray[np.int64]]]]:
    """For each lane its display rows: the label beside the row, if any, and the events on it."""
    found: dict[Lane, list[tuple[str, NDArray[np.int64]]]] = {lane: [] for lane in Lane}
    for index, track in enumerate(trace.tracks):
        on_track = np.flatnonzero(trace.track == index)
        depths = int(trace.depth[on_track].max()) + 1 if len(on_track) else 1
        more = f" (+{depths - DEEPEST} levels)" if depths > DEEPEST else ""
        for depth in range(min(depths, DEEPEST)):
            label = "" if depth else track.label + more
            found[track.lane].append((label, on_track[trace.depth[on_track] == depth]))
    return found


@dataclass(frozen=True)
class _Drawing:
    """Where events are drawn: ``first`` and ``last`` in ns, ``scale`` ns to a unit of the axis."""

    axes: Any
    trace: Trace
    numbers: NDArray[np.uint8]
    first: int
    last: int
    scale: float

    @property
    def column(self) -> int:
        """ns of the narrowest bar."""
        return max(1, -(-(self.last - self.first) // COLUMNS))

    def row(self, events: NDArray[np.int64], y: float) -> None:
        """The events of one row; of the short ones in a column only the first is drawn."""
        trace, column = self.trace, self.column
        events = events[(trace.start[events] <= self.last) & (trace.end[events] >= self.first)]
        narrow = trace.dur[events] < column
        _, kept = np.unique((trace.start[events[narrow]] - self.first) // column, return_index=True)
        wide = events[~narrow]
        drawn = np.concatenate([wide, events[narrow][kept]])
        for number in np.unique(self.numbers[drawn]).tolist():
            self._bars(drawn[self.numbers[drawn] == number], y, number)
        self._names(wide[np.argsort(-trace.dur[wide], kind="stable")][:MOST_NAMES], y)

    def _bars(self, events: NDArray[np.int64], y: float, number: int) -> None:
        left, right = self._clipped(events)
        wide = np.maximum(right - left, self.column / self.scale)
        waits = number == WAITING
        self.axes.broken_barh(
            list(zip(left.tolist(), wide.tolist(), strict=True)), (y - BAR / 2, BAR),
            facecolors=hex_of(number), hatch="////" if waits else None,
            edgecolor=HATCH if waits else "none", linewidth=0, zorder=2,
        )  # fmt: skip

    def _names(self, events: NDArray[np.int64], y: float) -> None:
        """The names of bars that have room for them, without their namespace where that helps."""
        for row, left, right in zip(events.tolist(), *self._clipped(events), strict=True):
            letters = int((right - left) * self.scale / (self.last - self.first) / LETTER)
            name = self.trace.name_of(row)
            name = name if len(name) <= letters else name.rsplit("::", 1)[-1]
            if not 0 < len(name) <= letters:
                continue
            self.axes.text(
                (left + right) / 2, y, name, color=readable(hex_of(int(self.numbers[row]))),
                ha="center", va="center", size=7, zorder=3, parse_math=False,
            )  # fmt: skip

    def _clipped(self, events: NDArray[np.int64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Begin and end of events on the axis, within what is drawn."""
        start, end = self.trace.start[events], self.trace.end[events]
        left = (np.maximum(start, self.first) - self.first) / self.scale
        return left, (np.minimum(end, self.last) - self.first) / self.scale


def _numbers(profile: Any) -> NDArray[np.uint8]:
    """Colour number of every event, as the explorer has them."""
    table = profile.key_averages()
    times = dict(zip(table["name"].tolist(), table["neuron_us"].tolist(), strict=True))
    return colours(profile.trace, operator_colours(times))
