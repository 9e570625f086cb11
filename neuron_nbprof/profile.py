"""Profile: what a user holds in hand after recording or opening a capture."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from .errors import NeuronProfilerError
from .trace import Chain, Note, Trace, chain

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

    from .analysis.compare import Comparison
    from .analysis.insights import Insight
    from .analysis.operators import GroupBy, Where
    from .explorer.compare_view import CompareView
    from .explorer.widget import Explorer


class Profile:
    """One capture, read and linked. Times in DataFrames are µs (columns end in ``_us``) or ns (``_ns``)."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self._explorer: Explorer | None = None

    @property
    def title(self) -> str:
        return self.trace.title

    @property
    def simulated(self) -> bool:
        """Whether any of it comes from the simulated device: then times are modelled, not measured."""
        return self.trace.simulated

    @property
    def device(self) -> str:
        return self.trace.device

    @property
    def notes(self) -> list[Note]:
        """What the reader repaired, skipped or guessed, with counts."""
        return self.trace.notes

    def __repr__(self) -> str:
        numbers = self.summary()
        label = "SIMULATED " if self.simulated else ""
        return (
            f"<{label}Profile {self.title!r}: {numbers['device_ns'] / 1000:,.0f} µs on the device, "
            f"{numbers['executions']} executions, {numbers['events']:,} events>"
        )

    def __str__(self) -> str:
        """The whole profile as text, at most 25 lines."""
        from . import report

        return report.text(self)

    @property
    def events(self) -> pd.DataFrame:
        """Every event: id, name, category, lane, track, depth, start_ns (from the first event), dur_ns."""
        import pandas as pd

        from .analysis.label import label

        trace = self.trace
        strings = pd.Index(trace.strings, dtype=object)
        table = pd.DataFrame(
            {
                "id": trace.id,
                "name": strings.take(trace.name),
                "category": strings.take(trace.category),
                "lane": pd.Index([track.lane.title for track in trace.tracks], dtype=object).take(
                    trace.track
                ),
                "track": pd.Index([track.label for track in trace.tracks], dtype=object).take(trace.track),
                "depth": trace.depth,
                "start_ns": trace.start,
                "dur_ns": trace.dur,
            }
        )
        return label(table, self.simulated)

    def summary(self) -> dict[str, Any]:
        """Headline numbers; see `neuron_nbprof.analysis.overview.summary`."""
        from .analysis.overview import summary

        return summary(self.trace)

    def key_averages(
        self,
        where: Where = "all",
        group_by: GroupBy = "name",
        sort_by: str = "neuron_us",
        top: int | None = None,
    ) -> pd.DataFrame:
        """Operators by device time; see `neuron_nbprof.analysis.operators.key_averages`."""
        from .analysis.operators import key_averages

        return key_averages(self.trace, where, group_by, sort_by, top)

    def distribution(self, name: str) -> pd.DataFrame:
        """Every call of one operator; see `neuron_nbprof.analysis.operators.distribution`."""
        from .analysis.operators import distribution

        return distribution(self.trace, name)

    def reconcile(self, averages: Iterable[Any] | None = None) -> str:
        """How torch's own `key_averages()` agrees with the trace, in one sentence.

        Without ``averages`` torch's table is meant as it was when the capture was made here; '' where that
        is not known, or where nothing speaks of a device.
        """
        from .analysis.operators import reconcile
        from .torch_table import TorchTable

        kept = TorchTable.kept(self.trace.attributes.get("capture"))
        return reconcile(self.trace, kept if averages is None else TorchTable.of(averages))

    def lines(self) -> pd.DataFrame:
        """What each line of the recorded cell costs; see `neuron_nbprof.analysis.lines.lines`."""
        from .analysis.lines import lines

        return lines(self.trace)

    def latency(self, by: Literal["chain", "operator"] = "chain") -> pd.DataFrame:
        """Time at and between the stations of each chain; see `neuron_nbprof.analysis.latency.latency`."""
        from .analysis.latency import latency

        return latency(self.trace, by)

    def gaps(self) -> pd.DataFrame:
        """Every idle interval of every core with its cause; see `neuron_nbprof.analysis.gaps.gaps`."""
        from .analysis.gaps import gaps

        return gaps(self.trace)

    def gap_totals(self) -> pd.DataFrame:
        """Busy and idle time of every core, by cause; see `neuron_nbprof.analysis.gaps.gap_totals`."""
        from .analysis.gaps import gap_totals

        return gap_totals(self.trace)

    def critical_path(self, by: Literal["segment", "lane", "name"] = "segment") -> pd.DataFrame:
        """What the step waited for; see `neuron_nbprof.analysis.critical_path.critical_path`."""
        from .analysis.critical_path import critical_path

        return critical_path(self.trace, by)

    def insights(self) -> list[Insight]:
        """What stands out, the gravest first, with the events that show it and what to do about it."""
        from .analysis.insights import insights

        return insights(self.trace)

    def chain(self, event: int) -> Chain:
        """The dependency chain of the event with this id."""
        return chain(self.trace, self.trace.position(event))

    def chains(self, name: str) -> list[Chain]:
        """The dependency chains of every event called ``name``, in order of start."""
        return [chain(self.trace, row) for row in self.trace.rows_named(name).tolist()]

    def explore(
        self,
        height: int | None = None,
        lanes: Sequence[int | str] | None = None,
        select: str | int | None = None,
    ) -> Explorer:
        """The explorer as a notebook widget: one per profile, so that all its views share one selection.

        ``height`` is that of the lanes in pixels, ``lanes`` the lanes to show by title or number from 1, and
        ``select`` the id of an event or a name, whose first event is selected.
        """
        if self._explorer is None or self._explorer.comm is None:  # it was closed
            from .explorer.widget import Explorer

            self._explorer = Explorer(self)
        if height is not None or lanes is not None:
            self._explorer.arrange(height, lanes)
        if select is not None:
            self._explorer.select(select)
        return self._explorer

    def to_perfetto(self, path: str | os.PathLike[str]) -> Path:
        """Write a Chrome trace with lanes and arrows, for Perfetto and for `neuron_nbprof.open`."""
        from .formats import exported

        return exported.to_perfetto(self.trace, Path(path))

    def to_parquet(self, folder: str | os.PathLike[str]) -> Path:
        """Write events and links as two parquet tables, for any tool and for `neuron_nbprof.open`."""
        from .formats import exported

        return exported.to_parquet(self.trace, Path(folder))

    def to_csv(self, path: str | os.PathLike[str]) -> Path:
        """Write the table of `events` as CSV, times in ns."""
        self.events.to_csv(path, index=False)
        return Path(path)

    def plot(self, *, width: float = 9.0) -> Figure:
        """A static picture of the lanes as a matplotlib figure; see `neuron_nbprof.explorer.picture`."""
        from .explorer.picture import plot

        return plot(self, width=width)

    def to_html(self, path: str | os.PathLike[str]) -> Path:
        """Write the explorer as one self-contained page that needs no network and no kernel."""
        from .explorer import page

        return page.write(self, Path(path))


def compare(*profiles: Profile, execution_us: float | None = None) -> Comparison:
    """Profiles side by side, the first being the baseline; see `neuron_nbprof.analysis.compare.Comparison`.

    ``execution_us`` is what executing anything at all costs, where you know it.
    """
    from .analysis.compare import Comparison, distinct

    if not profiles:
        raise NeuronProfilerError("There is nothing to compare; give at least two profiles.")
    return Comparison(distinct([profile.trace for profile in profiles]), execution_us)


def compare_view(
    *profiles: Profile, height: int | None = None, lanes: Sequence[int | str] | None = None
) -> CompareView:
    """The timelines of profiles one below the other, on one scale and aligned at their first dispatch.

    A notebook widget like `Profile.explore`, with ``height`` and ``lanes`` for each of them; it shares its
    selections with the explorers of the profiles.
    """
    from .explorer.compare_view import CompareView

    view = CompareView(*profiles)
    view.arrange(height, lanes)
    return view


__all__ = ["Profile", "compare", "compare_view"]
