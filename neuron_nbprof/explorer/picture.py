"""A static picture of the four lanes, by matplotlib: for papers, and for a notebook without its kernel."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..analysis.submissions import submissions
from ..errors import NeuronProfilerError
from ..trace import Lane, Trace
from .colours import WAITING, colours, hex_of, operator_colours, readable
from .page import title

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: Columns that the picture tells apart; events narrower than one are drawn one column wide.
COLUMNS = 2_000
#: Share of the width that a letter in a bar takes, and bars of a row that may bear their name.
LETTER = 0.009
MOST_NAMES = 40
HATCH = "#9aa3ad"
#: Depth rows of a track that are drawn; of deeper ones the title of the track says how many there are more.
DEEPEST = 4
BAR = 0.8
#: For each lane its display rows: the label beside the row, if any, and the events on it.
Rows = dict[Lane, list[tuple[str, NDArray[np.int64]]]]
UNITS = ((1e3, 1.0, "ns"), (1e6, 1e3, "µs"), (1e9, 1e6, "ms"), (float("inf"), 1e9, "s"))


def plot(*profiles: Any, width: float = 9.0) -> Figure:
    """The lanes of profiles over time as a matplotlib figure ``width`` inches wide, drawn in no window.

    Several stand one below the other on one scale, aligned at their first dispatch. Raises
    NeuronProfilerError when matplotlib is not installed.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise NeuronProfilerError("Pictures are drawn by matplotlib: pip install matplotlib") from None

    rows = [_rows(profile.trace) for profile in profiles]
    heights = [1.0 + 0.24 * (sum(map(len, of_trace.values())) + len(Lane)) for of_trace in rows]
    figure = Figure(figsize=(width, sum(heights)), layout="constrained")
    places = figure.subplots(len(profiles), squeeze=False, height_ratios=heights)[:, 0]
    spans = _spans([profile.trace for profile in profiles])
    for axes, profile, of_trace, span in zip(places, profiles, rows, spans, strict=True):
        _lanes(axes, profile, of_trace, span)
    after = "first event" if len(profiles) == 1 else "first dispatch"
    places[-1].set_xlabel(f"time after the {after}, {spans[-1].unit}", size=9)
    return figure


def png(*profiles: Any, width: float = 9.0, dpi: int = 110) -> bytes | None:
    """The picture as a PNG, or None where there is no matplotlib."""
    try:
        figure = plot(*profiles, width=width)
    except NeuronProfilerError:
        return None
    out = BytesIO()
    figure.savefig(out, format="png", dpi=dpi)
    return out.getvalue()


@dataclass(frozen=True)
class _Span:
    """What an axis shows, ``first`` to ``last``, and the time from which it counts; all in ns."""

    zero: int
    first: int
    last: int

    @property
    def length(self) -> int:
        return max(1, self.last - self.first)

    @property
    def scale(self) -> float:
        """ns to a unit of the axis."""
        return self._unit[0]

    @property
    def unit(self) -> str:
        return self._unit[1]

    @property
    def _unit(self) -> tuple[float, str]:
        return next((scale, unit) for limit, scale, unit in UNITS if self.last - self.first < limit)

    def place(self, time: Any) -> Any:
        """Times, clipped to what is shown, on the axis."""
        return (np.clip(time, self.first, self.last) - self.zero) / self.scale


def _spans(traces: Sequence[Trace]) -> list[_Span]:
    """What is drawn of each trace; several have the same length, and their first dispatches in one place."""
    ranges = [_range(trace) for trace in traces]
    if len(traces) == 1:
        return [_Span(first, first, last) for first, last in ranges]
    zeros = [first_dispatch(trace) for trace in traces]
    before = min(first - zero for zero, (first, _) in zip(zeros, ranges, strict=True))
    after = max(last - zero for zero, (_, last) in zip(zeros, ranges, strict=True))
    return [_Span(zero, zero + before, zero + after) for zero in zeros]


def first_dispatch(trace: Trace) -> int:
    """Start of the first operator that leads to work on the device, else of the first event; ns."""
    operators = submissions(trace).operator
    operators = operators[operators >= 0]
    starts = trace.start[operators[trace.lane[operators] == Lane.DISPATCH]]
    starts = starts if len(starts) else trace.start
    return int(starts.min()) if len(starts) else 0


def _lanes(axes: Any, profile: Any, rows: Rows, span: _Span) -> None:
    """One profile on axes of its own."""
    drawing = _Drawing(axes, profile.trace, _numbers(profile), span)
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
    left = span.place(span.first)
    axes.set_xlim(left, left + span.length / span.scale)
    axes.set_yticks([at for at, _ in ticks], [label for _, label in ticks], size=8, parse_math=False)
    axes.tick_params(axis="y", length=0)
    axes.set_title(title(profile), size=10, loc="left", parse_math=False)
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.grid(axis="x", color="#e5e8ec", zorder=0)


def _range(trace: Trace) -> tuple[int, int]:
    """First and last time that is drawn: without the outermost events, should they lie far away."""
    if not len(trace):
        return 0, 1
    low, high = (int(value) for value in np.quantile(trace.start, [0.01, 0.99], method="nearest"))
    # As `core/range.ts` has it: of next to nothing, nothing is out of place.
    room = 2**62 if len(trace) < 4 else (50 if len(trace) < 100 else 4) * (high - low) or 2**62
    near = (trace.start >= low - room) & (trace.end <= high + room)
    if not near.any():
        return int(trace.start.min()), int(trace.end.max())
    return int(trace.start[near].min()), int(trace.end[near].max())


def _rows(trace: Trace) -> Rows:
    """For each lane its display rows: the label beside the row, if any, and the events on it."""
    found: Rows = {lane: [] for lane in Lane}
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
    """Where events are drawn."""

    axes: Any
    trace: Trace
    numbers: NDArray[np.uint8]
    span: _Span

    @property
    def column(self) -> int:
        """ns of the narrowest bar."""
        return -(-self.span.length // COLUMNS)

    def row(self, events: NDArray[np.int64], y: float) -> None:
        """The events of one row; of the short ones in a column only the first is drawn."""
        trace, column, span = self.trace, self.column, self.span
        events = events[(trace.start[events] <= span.last) & (trace.end[events] >= span.first)]
        narrow = trace.dur[events] < column
        _, kept = np.unique((trace.start[events[narrow]] - span.first) // column, return_index=True)
        wide = events[~narrow]
        drawn = np.concatenate([wide, events[narrow][kept]])
        for number in np.unique(self.numbers[drawn]).tolist():
            self._bars(drawn[self.numbers[drawn] == number], y, number)
        self._names(wide[np.argsort(-trace.dur[wide], kind="stable")][:MOST_NAMES], y)

    def _bars(self, events: NDArray[np.int64], y: float, number: int) -> None:
        left, right = self._clipped(events)
        wide = np.maximum(right - left, self.column / self.span.scale)
        waits = number == WAITING
        self.axes.broken_barh(
            list(zip(left.tolist(), wide.tolist(), strict=True)), (y - BAR / 2, BAR),
            facecolors=hex_of(number), hatch="////" if waits else None,
            edgecolor=HATCH if waits else "none", linewidth=0, zorder=2,
        )  # fmt: skip

    def _names(self, events: NDArray[np.int64], y: float) -> None:
        """The names of bars that have room for them, without their namespace where that helps."""
        for row, left, right in zip(events.tolist(), *self._clipped(events), strict=True):
            letters = int((right - left) * self.span.scale / self.span.length / LETTER)
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
        return self.span.place(self.trace.start[events]), self.span.place(self.trace.end[events])


def _numbers(profile: Any) -> NDArray[np.uint8]:
    """Colour number of every event, as the explorer has them."""
    table = profile.key_averages()
    times = dict(zip(table["name"].tolist(), table["neuron_us"].tolist(), strict=True))
    return colours(profile.trace, operator_colours(times))
