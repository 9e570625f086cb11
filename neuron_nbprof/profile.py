"""Profile: what a user holds in hand after recording or opening a capture."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .trace import Chain, Note, Trace, chain

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

    from .analysis.operators import Where
    from .explorer.embedded import Embedded
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

    @property
    def events(self) -> pd.DataFrame:
        """Every event: id, name, category, lane, track, depth, start_ns (from the first event), dur_ns."""
        import pandas as pd

        trace = self.trace
        strings = pd.Index(trace.strings, dtype=object)
        return pd.DataFrame(
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

    def summary(self) -> dict[str, Any]:
        """Headline numbers; see `neuron_nbprof.analysis.overview.summary`."""
        from .analysis.overview import summary

        return summary(self.trace)

    def key_averages(self, where: Where = "all") -> pd.DataFrame:
        """Operators by device time; see `neuron_nbprof.analysis.operators.key_averages`."""
        from .analysis.operators import key_averages

        return key_averages(self.trace, where)

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
        if self._explorer is None:
            from .explorer.widget import Explorer

            self._explorer = Explorer(self)
        if height is not None or lanes is not None:
            self._explorer.arrange(height, lanes)
        if select is not None:
            self._explorer.select(select)
        return self._explorer

    def plot(self, *, width: float = 9.0) -> Figure:
        """A static picture of the lanes as a matplotlib figure; see `neuron_nbprof.explorer.picture`."""
        from .explorer.picture import plot

        return plot(self, width=width)

    def to_html(self, path: str | os.PathLike[str]) -> Path:
        """Write the explorer as one self-contained page that needs no network and no kernel."""
        from .explorer import page

        return page.write(self, Path(path))


def compare(*profiles: Profile) -> pd.DataFrame:
    """Profiles side by side, the first being the baseline; see `neuron_nbprof.analysis.compare`."""
    from .analysis.compare import compare as compare_traces

    return compare_traces(_distinct([profile.trace for profile in profiles]))


def compare_view(*profiles: Profile, height: int | None = None) -> Embedded:
    """The timelines of profiles one below the other, on one scale and aligned at their first dispatch."""
    from .explorer.embedded import Embedded

    return Embedded(*profiles, height=height)


def _distinct(traces: Sequence[Trace]) -> list[Trace]:
    """The same traces under titles that differ."""
    from dataclasses import replace

    seen: dict[str, int] = {}
    renamed = []
    for trace in traces:
        seen[trace.title] = seen.get(trace.title, 0) + 1
        count = seen[trace.title]
        renamed.append(trace if count == 1 else replace(trace, title=f"{trace.title} ({count})"))
    return renamed


__all__ = ["Profile", "compare", "compare_view"]
