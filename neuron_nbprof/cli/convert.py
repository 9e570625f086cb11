from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from .captures import chosen, read

if TYPE_CHECKING:
    from ..profile import Profile

SUFFIXES = (".parquet", ".csv", ".json", ".html")


@click.command("convert")
@click.argument("path", metavar="PATH")
@click.argument("out", metavar="[OUT]", required=False, type=click.Path(path_type=Path))
@chosen
def command(path: str, out: Path | None, rank: int | None, session: str | None) -> None:
    """Write a capture as OUT, or bring the device lanes of a capture folder.

    OUT: .parquet, .csv or .json hold a row per event, times in ns, as in Profile.events; .html is the
    explorer. Without OUT neuron-explorer is run on the folder PATH of a Neuron device.
    """
    if out is None:
        _bring_device_lanes(Path(path))
        return
    if out.suffix not in SUFFIXES:
        raise click.UsageError(
            f"OUT ends in one of {', '.join(SUFFIXES)}, not in {out.suffix or 'nothing'!r}."
        )
    profile = read(path, rank, session)
    _write(profile, out)
    click.echo(f"{len(profile.trace):,} events: {out.resolve()}")


def _bring_device_lanes(folder: Path) -> None:
    from .. import capture
    from ..errors import CaptureError

    if not folder.is_dir():
        raise CaptureError(f"There is no folder {folder}.")
    outcome = capture.convert(folder)
    for note in outcome.notes:
        click.echo(note)
    done = "The device lanes are there now." if outcome.done else "Nothing was converted."
    click.echo(f"{done}  Capture: {folder}")


def _write(profile: Profile, out: Path) -> None:
    if out.suffix == ".html":
        profile.to_html(out)
        return
    events = profile.events
    # the origin, without which the starts are of no day
    events.insert(0, "origin_ns", profile.trace.origin_ns)
    events.insert(0, "simulated", profile.simulated)
    if out.suffix == ".parquet":
        events.to_parquet(out, index=False)
    elif out.suffix == ".csv":
        events.to_csv(out, index=False)
    else:
        events.to_json(out, orient="records", lines=False)
